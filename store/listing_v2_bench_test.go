package store_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"
	"time"

	"podium.local/listing"
	"podium.local/session"
	"podium.local/store"
	"podium.local/store/storetest"
)

// cell is one measured case of a table.
type cell struct {
	name   string
	rounds int
	run    func() (steps int64, err error)
	// beside names the case that this one's time is compared with.
	beside string
}

// medians runs the cases in turn, so that what slows the machine slows all of
// them, and gives each one's median time and its steps.
func medians(b *testing.B, cells []cell) (times []time.Duration, steps []int64) {
	b.Helper()
	times, steps = make([]time.Duration, len(cells)), make([]int64, len(cells))
	samples := make([][]time.Duration, len(cells))
	for round := range 21 {
		for n := range cells {
			i := (n + round) % len(cells)
			if round >= cells[i].rounds {
				continue
			}
			start := time.Now()
			n, err := cells[i].run()
			if err != nil {
				b.Logf("%s: %v", cells[i].name, err)
				cells[i].rounds = 0 // it would fail again
				continue
			}
			samples[i], steps[i] = append(samples[i], time.Since(start)), n
		}
	}
	for i, s := range samples {
		if len(s) > 0 {
			slices.Sort(s)
			times[i] = s[len(s)/2]
		}
	}
	return times, steps
}

// v1Page asks for the first numbered page with its count.
func v1Page(b *testing.B, v *store.View, order session.Order, f session.Filter) func() (int64, error) {
	return func() (int64, error) {
		_, err := v.ListPage(b.Context(), session.PageQuery{Order: order, Limit: 20, WithTags: true, Filter: f})
		return store.LastSteps(v, true), err
	}
}

// v2Page asks for one window.
func v2Page(b *testing.B, l *listing.Lister[session.Row], r listing.Request) func() (int64, error) {
	r.Endpoint = listing.Runs
	if r.Rows == 0 {
		r.Rows = 20
	}
	return func() (int64, error) {
		a, err := l.List(b.Context(), r)
		return a.Work.VMSteps, err
	}
}

// page500 is the request for page 500 by cursor.
func page500(b *testing.B, l *listing.Lister[session.Row], order listing.Order) listing.Request {
	r := listing.Request{Endpoint: listing.Runs, Order: order, Rows: 20, Skip: 20 * 498}
	a, err := l.List(b.Context(), r)
	if err != nil {
		b.Fatal(err)
	}
	r.Skip, r.Cursor = 0, a.Pagination.NextCursor
	return r
}

// BenchmarkListing_Table prints what both listings take at each size: medians
// of interleaved runs, SQLite's steps, and how many times faster than the
// numbered page with its count, whose statements are in testdata.
func BenchmarkListing_Table(b *testing.B) {
	out := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintf(out, "\n%s\n", storetest.Host(b))
	for _, size := range benchSizes {
		rows := storetest.Rows{Sessions: size, UnknownCost: 3, Mirror: 100}
		path := storetest.New(b, store.Options{}).Path()
		start := time.Now()
		storetest.Fill(b, path, rows)
		info, err := os.Stat(path)
		if err != nil {
			b.Fatal(err)
		}
		fmt.Fprintf(out, "fixture: %s; %d MB, built in %.1f s\n", rows, info.Size()>>20, time.Since(start).Seconds())
		v := newView(b, path)
		l := newLister(b, v, 0)
		slow := 7
		if size > 1_000_000 {
			slow = 3
		}
		const v1, v1Cost, v1Search = "v1 page and count", "v1 page and count by cost", "v1 search without a match"
		search, tags := listing.Filter{Search: "zzz"}, listing.Filter{Tags: []string{"none", "other"}}
		cells := []cell{
			{v1, slow, v1Page(b, v, session.OrderRecent, session.Filter{}), v1},
			{v1Cost, slow, v1Page(b, v, session.OrderCost, session.Filter{}), v1Cost},
			{v1Search, min(slow, 3), v1Page(b, v, session.OrderRecent, session.Filter{Search: "zzz"}), v1Search},
			{"v2 first page", 21, v2Page(b, l, listing.Request{Order: listing.Recent}), v1},
			{"v2 page 500", 21, v2Page(b, l, page500(b, l, listing.Recent)), v1},
			{"v2 first page by cost", 21, v2Page(b, l, listing.Request{Order: listing.Cost}), v1Cost},
			{"v2 page 500 by cost", 21, v2Page(b, l, page500(b, l, listing.Cost)), v1Cost},
			{"v2 page of 500 rows", 21, v2Page(b, l, listing.Request{Order: listing.Recent, Rows: 500}), v1},
			{"v2 empty window", 21, v2Page(b, l, listing.Request{Order: listing.Recent, Filter: search}), v1Search},
			{"v2 empty window, two tags", 21, v2Page(b, l, listing.Request{Order: listing.Recent, Filter: tags}), v1},
			{"v2 page and exact count", slow, v2Page(b, l, listing.Request{Order: listing.Recent, ExactTotal: true}), v1},
			{"v2 window and exact count of a search", min(slow, 3), v2Page(b, l, listing.Request{Order: listing.Recent, Filter: search, ExactTotal: true}), v1Search},
		}
		times, steps := medians(b, cells)
		fmt.Fprintln(out, "sessions\tcase\tmedian ms\tVM steps\ttimes faster\tthan")
		for i, c := range cells {
			base := slices.IndexFunc(cells, func(other cell) bool { return other.name == c.beside })
			switch {
			case times[i] == 0:
				fmt.Fprintf(out, "%d\t%s\tstopped\t\t\t\n", size, c.name)
			case times[base] == 0 || base == i:
				fmt.Fprintf(out, "%d\t%s\t%.3f\t%d\t\t\n", size, c.name, ms(times[i]), steps[i])
			default:
				fmt.Fprintf(out, "%d\t%s\t%.3f\t%d\t%.1f\t%s\n", size, c.name, ms(times[i]), steps[i], float64(times[base])/float64(times[i]), c.beside)
			}
		}
	}
	flush(b, out)
}

func ms(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1e6 }

func flush(b *testing.B, out *tabwriter.Writer) {
	b.Helper()
	if err := out.Flush(); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkListing_Payload prints what the returned rows' own size adds to a
// page: branches a session and members a progression.
func BenchmarkListing_Payload(b *testing.B) {
	out := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(out, "\nbranches\tmembers\tmedian ms\tVM steps")
	for _, branches := range []int{1, 10, 100} {
		for _, members := range []int{3, 3000} {
			path := storetest.New(b, store.Options{}).Path()
			storetest.Fill(b, path, storetest.Rows{Sessions: 100, Branches: branches, Members: members})
			l := newLister(b, newView(b, path), 0)
			times, steps := medians(b, []cell{{name: "page", rounds: 21, run: v2Page(b, l, listing.Request{Order: listing.Recent})}})
			fmt.Fprintf(out, "%d\t%d\t%.3f\t%d\n", branches, members, ms(times[0]), steps[0])
		}
	}
	flush(b, out)
}

// BenchmarkListing_Indexes prints what each index of the listing takes to
// build and to keep: seconds, bytes, and the time of a pod's smallest write.
func BenchmarkListing_Indexes(b *testing.B) {
	out := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	const size = 200_000
	path := storetest.New(b, store.Options{}).Path()
	storetest.Fill(b, path, storetest.Rows{Sessions: size, UnknownCost: 3})
	with := touches(b, path)
	fmt.Fprintf(out, "\nindex of %d sessions\tbuilt in s\tMB\n", size)
	indexes := []string{"idx_sessions_listing_recent", "idx_sessions_listing_cost_reported", "idx_sessions_listing_cost_unknown"}
	var definitions []string
	for _, name := range indexes {
		definitions = append(definitions, storetest.Value(b, path, "SELECT sql FROM sqlite_schema WHERE name = '"+name+"'"))
		var before, after int64
		fmt.Sscan(storetest.Value(b, path, "PRAGMA freelist_count"), &before)
		storetest.SQL(b, path, "DROP INDEX "+name)
		fmt.Sscan(storetest.Value(b, path, "PRAGMA freelist_count"), &after)
		start := time.Now()
		storetest.SQL(b, path, definitions[len(definitions)-1])
		fmt.Fprintf(out, "%s\t%.2f\t%.1f\n", name, time.Since(start).Seconds(), float64(after-before)*8192/(1<<20))
	}
	for _, name := range indexes {
		storetest.SQL(b, path, "DROP INDEX "+name)
	}
	without := touches(b, path)
	fmt.Fprintf(out, "update of a session's time and cost\twith the indexes %.1f µs\twithout %.1f µs\n", 1e3*ms(with), 1e3*ms(without))
	flush(b, out)
}

// touches is the median time of a committed update of one session's place in
// both orders.
func touches(b *testing.B, path string) time.Duration {
	b.Helper()
	c := storetest.Dial(b, path)
	defer c.Close()
	if err := c.Exec("PRAGMA synchronous = NORMAL"); err != nil {
		b.Fatal(err)
	}
	stmt, _, err := c.Prepare("UPDATE sessions SET updated_at = updated_at + 1, total_cost_usd = coalesce(total_cost_usd, 0) + 0.01 WHERE rowid = ?")
	if err != nil {
		b.Fatal(err)
	}
	var times []time.Duration
	for i := range 2000 {
		start := time.Now()
		if err := stmt.BindInt(1, 1+i*97%200_000); err != nil {
			b.Fatal(err)
		}
		if err := stmt.Exec(); err != nil {
			b.Fatal(err)
		}
		times = append(times, time.Since(start))
	}
	if err := stmt.Close(); err != nil {
		b.Fatal(err)
	}
	slices.Sort(times)
	return times[len(times)/2]
}

// BenchmarkListing_Count prints how long an exact count keeps its snapshot,
// what a writer adds to the log meanwhile, and how soon a cancelled one ends.
func BenchmarkListing_Count(b *testing.B) {
	path := storetest.New(b, store.Options{}).Path()
	storetest.Fill(b, path, storetest.Rows{Sessions: 200_000})
	v := newView(b, path)
	l := newLister(b, v, 0)
	stop := make(chan struct{})
	wrote := make(chan int)
	go func() {
		c := storetest.Dial(b, path)
		defer c.Close()
		for n := 0; ; n++ {
			select {
			case <-stop:
				wrote <- n
				return
			default:
				if err := c.Exec(fmt.Sprintf("UPDATE sessions SET updated_at = updated_at + 1 WHERE rowid = %d", 1+n*97%200_000)); err != nil {
					b.Error(err)
					wrote <- n
					return
				}
			}
		}
	}()
	var longest time.Duration
	for range 5 {
		start := time.Now()
		if _, err := l.List(b.Context(), listing.Request{Endpoint: listing.Runs, Order: listing.Recent, Rows: 20, ExactTotal: true}); err != nil {
			b.Error(err)
		}
		longest = max(longest, time.Since(start))
	}
	close(stop)
	writes := <-wrote
	info, err := os.Stat(path + "-wal")
	if err != nil {
		b.Fatal(err)
	}
	var cancelled []time.Duration
	for range 21 {
		ctx, cancel := context.WithCancel(b.Context())
		var gone time.Time
		_, err := v.ListingSnapshot(ctx, true, func(s listing.Snapshot[session.Row]) error {
			time.AfterFunc(10*time.Millisecond, func() { gone = time.Now(); cancel() })
			_, err := s.Count(listing.Filter{Search: "zzz"})
			return err
		})
		if err == nil {
			b.Log("a count was faster than its cancellation")
			continue
		}
		cancelled = append(cancelled, time.Since(gone))
	}
	slices.Sort(cancelled)
	out := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintf(out, "\nexact counts of 200000 sessions beside a writer\tlongest snapshot %.0f ms\t%d writes meanwhile\tlog %.1f MB\n", ms(longest), writes, float64(info.Size())/(1<<20))
	if len(cancelled) > 0 {
		fmt.Fprintf(out, "a count that is cancelled\tends after %.2f ms (median)\n", ms(cancelled[len(cancelled)/2]))
	}
	flush(b, out)
}

// frozenV1 are the recorded statements of the numbered listing.
func frozenV1(t testing.TB) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "listing_v1_podium.sql"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestBench_ComparesWithTheFrozenStatements wants the page that the table
// measures to be the recorded one.
func TestBench_ComparesWithTheFrozenStatements(t *testing.T) {
	path := storetest.New(t, store.Options{}).Path()
	page, count, err := store.ListingStatements(t.Context(), newView(t, path), session.PageQuery{Order: session.OrderRecent, Limit: 20, WithTags: true})
	if err != nil {
		t.Fatal(err)
	}
	if text := frozenV1(t); !strings.Contains(text, page) || !strings.Contains(text, count) {
		t.Errorf("not in the record:\n%s\n%s", page, count)
	}
}
