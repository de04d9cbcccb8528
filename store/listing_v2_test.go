package store_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"podium.local/listing"
	"podium.local/session"
	"podium.local/store"
	"podium.local/store/storetest"
)

// all lists everything that a request selects, window by window.
func all(t testing.TB, l *listing.Lister[session.Row], r listing.Request) (rows []session.Row, windows int) {
	t.Helper()
	for {
		a, err := l.List(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		rows, windows = append(rows, a.Rows...), windows+1
		if a.Pagination.NextCursor == nil {
			return rows, windows
		}
		r.Cursor, r.Skip = a.Pagination.NextCursor, 0
	}
}

// TestListing_SelectsAndShowsWhatTheNumberedOneDoes compares both listings of
// the same store, filter by filter.
func TestListing_SelectsAndShowsWhatTheNumberedOneDoes(t *testing.T) {
	rows := storetest.Rows{Sessions: 300 / slowdown, Branches: 2, UnknownCost: 3, Mirror: 9, Tags: 2}
	for kind, path := range map[string]string{"podium": storetest.New(t, store.Options{}).Path(), "adopted": adopted(t, false)} {
		storetest.Fill(t, path, rows)
		storetest.SQL(t, path, "DELETE FROM run_tags WHERE tag = 't1' AND rowid % 2 = 0; UPDATE sessions SET status = NULL, invocation_kind = NULL WHERE rowid % 10 = 0")
		v := newView(t, path)
		l := newLister(t, v, 100)
		for _, s := range []listing.Selection{
			{}, {Search: "TOPIC 3"}, {Search: "%"}, {Search: "_"}, {Playbook: "BOOK-1"}, {Project: "project-3"}, {ProjectNull: true},
			{Statuses: []string{"done"}}, {Statuses: []string{"running", "canceled"}}, {Statuses: []string{""}}, {Kinds: []string{"agent"}}, {Kinds: []string{"play", "show"}},
			{Tags: []string{"t0"}}, {Tags: []string{"t1", "t0"}}, {Tags: []string{"none"}},
			{Search: "agent-3", Statuses: []string{"completed"}, Kinds: []string{"agent", "flow"}, Tags: []string{"t1"}, Project: "project-5"},
		} {
			f := filterOf(t, s)
			for _, order := range []listing.Order{listing.Recent, listing.Cost} {
				page, err := v.ListPage(t.Context(), session.PageQuery{
					Order: session.Order(order), Limit: 500, WithTags: true,
					Filter: session.Filter{Statuses: f.Statuses, Kinds: f.Kinds, Tags: f.Tags, Playbook: f.Playbook, Search: f.Search, Project: f.Project, ProjectNull: f.ProjectNull},
				})
				if err != nil {
					t.Fatal(err)
				}
				r := listing.Request{Endpoint: listing.Runs, Order: order, Filter: f, Rows: 17}
				got, _ := all(t, l, r)
				// The fixture's costs and times are distinct, so both orders are one.
				if diff := cmp.Diff(page.Rows, got); diff != "" {
					t.Fatalf("%s, %s, %+v: %s", kind, order, s, diff)
				}
				r.ExactTotal = true
				if a, err := l.List(t.Context(), r); err != nil || *a.Total.Value != page.Total {
					t.Errorf("%s, %s, %+v: total %v, %v", kind, order, s, a.Total, err)
				}
			}
		}
	}
}

func TestListing_AMissingTableOfTagsReadsAsEmpty(t *testing.T) {
	path := adopted(t, false)
	storetest.Fill(t, path, storetest.Rows{Sessions: 5, Tags: 1})
	storetest.SQL(t, path, "DROP TABLE run_tags")
	l := newLister(t, newView(t, path), 0)
	r := first(listing.Recent)
	r.ExactTotal = true
	a, err := l.List(t.Context(), r)
	if err != nil || len(a.Rows) != 5 || a.Rows[0].Tags != nil {
		t.Errorf("%+v %v", a.Rows, err)
	}
	r.Filter.Tags = []string{"t0"}
	a, err = l.List(t.Context(), r)
	if err != nil || len(a.Rows) != 0 || *a.Total.Value != 0 || a.Pagination.ExaminedCandidates != 5 || a.Work.TagProbes != 0 {
		t.Errorf("%+v %v", a, err)
	}
	if n := storetest.Value(t, path, "SELECT count(*) FROM sqlite_schema WHERE name = 'run_tags'"); n != "0" {
		t.Error("a read made the table")
	}
}

// TestListing_OneSnapshot has another program write between all the reads of
// one answer.
func TestListing_OneSnapshot(t *testing.T) {
	s := storetest.New(t, store.Options{})
	path := s.Path()
	storetest.Fill(t, path, storetest.Rows{Sessions: 20, Tags: 1})
	v := newView(t, path)
	write := func() {
		storetest.SQL(t, path, `UPDATE sessions SET name = 'torn', updated_at = updated_at + 1000; DELETE FROM run_tags;
			UPDATE progressions SET collection = '[]'; UPDATE listing_store_identity SET incarnation = '00000000-0000-4000-8000-000000000000';
			DELETE FROM branches WHERE session_id < 's0000010'; DELETE FROM sessions WHERE id < 's0000010'`)
	}
	_, err := v.ListingSnapshot(t.Context(), true, func(snap listing.Snapshot[session.Row]) error {
		incarnation, err := snap.Ready(listing.Recent)
		if err != nil {
			return err
		}
		write()
		w, err := listing.Walk(snap, listing.Query{Order: listing.Recent, Filter: listing.Filter{Tags: []string{"t0"}}, Rows: 5, Candidates: 10})
		if err != nil {
			return err
		}
		for i, row := range w.Rows {
			if row.ID != fmt.Sprintf("s%07d", 19-i) || *row.Name == "torn" || !slices.Equal(row.Tags, []string{"t0"}) || row.MessageCount != 3 {
				t.Errorf("row %d is %+v", i, row)
			}
		}
		n, err := snap.Count(listing.Filter{})
		if err != nil {
			return err
		}
		if again, err := snap.Ready(listing.Recent); err != nil || n != 20 || len(w.Rows) != 5 || again != incarnation {
			t.Errorf("%d sessions, %d rows, %s then %s, %v", n, len(w.Rows), incarnation, again, err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if a, err := newLister(t, v, 0).List(t.Context(), first(listing.Recent)); err != nil || *a.Rows[0].Name != "torn" {
		t.Errorf("the next answer: %v", err)
	}
}

// TestListing_RunsNoOtherStatementsThanItNeeds looks at the texts of all
// statements of a default page with every filter.
func TestListing_RunsNoOtherStatementsThanItNeeds(t *testing.T) {
	path := storetest.New(t, store.Options{}).Path()
	storetest.Fill(t, path, storetest.Rows{Sessions: 50, Tags: 1})
	v := newView(t, path)
	l := newLister(t, v, 10)
	r := first(listing.Cost)
	r.Filter = filterOf(t, listing.Selection{Search: "session", Playbook: "p", Tags: []string{"t0"}, Kinds: []string{"agent"}, Statuses: []string{"done"}, Project: "project-1"})
	all(t, l, r)
	all(t, l, listing.Request{Endpoint: listing.Sessions, Order: listing.Recent, Rows: 5, Skip: 3})
	texts := store.StatementsOf(v)
	if len(texts) < 10 {
		t.Fatalf("only %d statements", len(texts))
	}
	for _, sql := range texts {
		lower := strings.ToLower(sql)
		for _, never := range []string{"messages m", "from messages", "join messages", "count(*) from sessions", "create ", "insert ", "update ", "delete ", "journal_mode", "offset"} {
			if strings.Contains(lower, never) {
				t.Errorf("%q in %s", never, sql)
			}
		}
	}
	r.ExactTotal = true
	if _, err := l.List(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(store.StatementsOf(v), func(sql string) bool { return strings.Contains(sql, "SELECT count(*) FROM sessions s") }) {
		t.Error("no count was seen, so its absence before says nothing")
	}
}

func TestListing_LeavesTheFileAsItIs(t *testing.T) {
	path := adopted(t, false)
	storetest.Fill(t, path, storetest.Rows{Sessions: 50, Tags: 1})
	storetest.SQL(t, path, "PRAGMA journal_mode = DELETE")
	sum := func() [32]byte {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return sha256.Sum256(text)
	}
	before := sum()
	r := first(listing.Recent)
	r.ExactTotal, r.Filter.Tags = true, []string{"t0"}
	all(t, newLister(t, newView(t, path), 10), r)
	if sum() != before {
		t.Error("the file changed")
	}
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if name := e.Name(); name != "state.db" && name != "state.db.lock" {
			t.Errorf("%s was left behind", name)
		}
	}
}

func TestListing_CountersSayWhatWasDone(t *testing.T) {
	path := storetest.New(t, store.Options{}).Path()
	storetest.Fill(t, path, storetest.Rows{Sessions: 100, Tags: 2})
	l := newLister(t, newView(t, path), 50)
	for _, tt := range []struct {
		name string
		r    listing.Request
		want listing.Work
	}{
		{"a page", listing.Request{Rows: 20}, listing.Work{KeysVisited: 21, ResidualEvaluations: 20, LookaheadKeys: 1, HydratedRows: 20}},
		{"an offset", listing.Request{Rows: 20, Skip: 30}, listing.Work{KeysVisited: 51, SkippedKeys: 30, ResidualEvaluations: 20, LookaheadKeys: 1, HydratedRows: 20}},
		{"an offset past the end", listing.Request{Rows: 20, Skip: 130}, listing.Work{KeysVisited: 100, SkippedKeys: 100}},
		{"an empty window", listing.Request{Rows: 20, Filter: listing.Filter{Search: "zzz"}}, listing.Work{KeysVisited: 51, ResidualEvaluations: 50, LookaheadKeys: 1}},
		{"tags", listing.Request{Rows: 20, Filter: listing.Filter{Tags: []string{"t0", "t1"}}}, listing.Work{KeysVisited: 21, ResidualEvaluations: 20, LookaheadKeys: 1, TagProbes: 40, HydratedRows: 20}},
		{"tags behind a text that nothing has", listing.Request{Rows: 20, Filter: listing.Filter{Search: "zzz", Tags: []string{"t0"}}}, listing.Work{KeysVisited: 51, ResidualEvaluations: 50, LookaheadKeys: 1}},
		{"a count", listing.Request{Rows: 1, ExactTotal: true}, listing.Work{KeysVisited: 2, ResidualEvaluations: 1, LookaheadKeys: 1, HydratedRows: 1, Counts: 1}},
	} {
		tt.r.Endpoint, tt.r.Order = listing.Runs, listing.Recent
		a, err := l.List(t.Context(), tt.r)
		if err != nil {
			t.Fatal(err)
		}
		got := a.Work
		if got.VMSteps < int64(got.KeysVisited) || got.Statements < 4 {
			t.Errorf("%s: %d steps, %d statements", tt.name, got.VMSteps, got.Statements)
		}
		got.VMSteps, got.Statements, got.FullScanSteps, got.Sorts = 0, 0, 0, 0
		if got != tt.want {
			t.Errorf("%s: %+v, want %+v", tt.name, got, tt.want)
		}
	}
}

// TestListing_SearchesOfTheNumberedOneDoNotDelayAWindow fills every heavy
// place and its queue: a window comes through, a count has to wait or is
// refused.
func TestListing_SearchesOfTheNumberedOneDoNotDelayAWindow(t *testing.T) {
	path := storetest.New(t, store.Options{}).Path()
	storetest.Fill(t, path, storetest.Rows{Sessions: 30})
	v := newView(t, path)
	l := newLister(t, v, 0)
	release := store.HoldHeavy(v)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var wg sync.WaitGroup
	for range store.HeavyQueue {
		wg.Go(func() {
			if _, err := v.ListPage(ctx, session.PageQuery{Order: session.OrderRecent, Limit: 20, Filter: session.Filter{Search: "zzz"}}); !errors.Is(err, context.Canceled) {
				t.Errorf("a search that waits: %v", err)
			}
		})
	}
	store.AwaitQueue(v, store.HeavyQueue)
	r := first(listing.Recent)
	if a, err := l.List(t.Context(), r); err != nil || len(a.Rows) != 5 {
		t.Errorf("beside full heavy reads: %v", err)
	}
	r.ExactTotal = true
	if _, err := l.List(t.Context(), r); !errors.Is(err, session.ErrOverloaded) {
		t.Errorf("a count beside them: %v", err)
	}
	cancel()
	wg.Wait()
	release()
	if a, err := l.List(t.Context(), r); err != nil || *a.Total.Value != 30 {
		t.Errorf("a count afterwards: %v", err)
	}
}

func TestListing_ACountWhoseClientLeftStopsAndLeaksNothing(t *testing.T) {
	path := storetest.New(t, store.Options{}).Path()
	storetest.Fill(t, path, storetest.Rows{Sessions: manyRows})
	v := newView(t, path)
	l := newLister(t, v, 10)
	r := first(listing.Recent)
	r.ExactTotal = true
	for i := range 5 {
		ctx, cancel := context.WithCancel(t.Context())
		// Cancelled in the middle of the answer, before the count begins to be read.
		_, err := v.ListingSnapshot(ctx, true, func(s listing.Snapshot[session.Row]) error {
			if _, err := s.Ready(listing.Recent); err != nil {
				return err
			}
			cancel()
			_, err := s.Count(listing.Filter{})
			return err
		})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("round %d: %v", i, err)
		}
		if a, err := l.List(t.Context(), r); err != nil || *a.Total.Value != manyRows {
			t.Errorf("the next count: %v", err)
		}
	}
	if _, heavy, outside := store.Idle(v); heavy != 1 || !outside {
		t.Errorf("%d heavy connections are idle, outside of a transaction: %t", heavy, outside)
	}
}

// TestListing_ReadersBesideAWriterSeeWholeTransactions has a program move
// pairs of sessions about while two readers list with counts.
func TestListing_ReadersBesideAWriterSeeWholeTransactions(t *testing.T) {
	const pairs, rounds = 20, 60 / slowdown
	path := adopted(t, false)
	var sql strings.Builder
	sql.WriteString("BEGIN IMMEDIATE;")
	for i := range pairs {
		for _, half := range []string{"a", "b"} {
			fmt.Fprintf(&sql, "INSERT INTO progressions (id, created_at) VALUES ('p%d%s', 1); INSERT INTO sessions (id, created_at, updated_at, progression_id, name) VALUES ('s%d%s', 1, %d, 'p%d%s', 'x');", i, half, i, half, i, i, half)
		}
	}
	sql.WriteString("COMMIT")
	storetest.SQL(t, path, sql.String())
	v := newView(t, path)
	stop := make(chan struct{})
	var writer, readers sync.WaitGroup
	writer.Go(func() {
		c := storetest.Dial(t, path)
		for i := 0; ; i++ {
			select {
			case <-stop:
				if err := c.Close(); err != nil {
					t.Error(err)
				}
				return
			default:
			}
			// A pair always has one time and one name, and there are always as many.
			if err := c.Exec(fmt.Sprintf("BEGIN IMMEDIATE; UPDATE sessions SET updated_at = %d WHERE id = 's%da'; UPDATE sessions SET updated_at = %d, name = 'y' WHERE id = 's%db'; UPDATE sessions SET name = 'y' WHERE id = 's%da'; COMMIT",
				pairs+i, i%pairs, pairs+i, i%pairs, i%pairs)); err != nil {
				t.Errorf("the writer: %v", err)
				return
			}
		}
	})
	for range 2 {
		readers.Go(func() {
			l := newLister(t, v, 0)
			r := listing.Request{Endpoint: listing.Runs, Order: listing.Recent, Rows: 2 * pairs, ExactTotal: true}
			for range rounds {
				a, err := l.List(t.Context(), r)
				if err != nil {
					t.Errorf("a reader: %v", err)
					return
				}
				if len(a.Rows) != 2*pairs || *a.Total.Value != 2*pairs {
					t.Errorf("%d rows of %d", len(a.Rows), *a.Total.Value)
				}
				for i := 0; i < len(a.Rows); i += 2 {
					x, y := a.Rows[i], a.Rows[i+1]
					if *x.UpdatedAt != *y.UpdatedAt || *x.Name != *y.Name || x.ID[:len(x.ID)-1] != y.ID[:len(y.ID)-1] {
						t.Errorf("torn: %s at %v named %s, %s at %v named %s", x.ID, *x.UpdatedAt, *x.Name, y.ID, *y.UpdatedAt, *y.Name)
						return
					}
				}
			}
		})
	}
	readers.Wait()
	close(stop)
	writer.Wait()
}

// TestListing_AConnectionKeepsABoundedNumberOfStatements asks for more
// combinations of filters than a connection keeps.
func TestListing_AConnectionKeepsABoundedNumberOfStatements(t *testing.T) {
	path := storetest.New(t, store.Options{}).Path()
	storetest.Fill(t, path, storetest.Rows{Sessions: 3, Tags: 1, UnknownCost: 2})
	v := newView(t, path)
	l := newLister(t, v, 0)
	for mask := range 128 {
		var s listing.Selection
		for bit, set := range []func(){
			func() { s.Search = "s" }, func() { s.Playbook = "p" }, func() { s.Tags = []string{"t0"} }, func() { s.Statuses = []string{"done"} },
			func() { s.Statuses = append(s.Statuses, "failed") }, func() { s.Kinds = []string{"agent"} }, func() { s.ProjectNull = true },
		} {
			if mask&(1<<bit) != 0 {
				set()
			}
		}
		for _, order := range []listing.Order{listing.Recent, listing.Cost} {
			if _, err := l.List(t.Context(), listing.Request{Endpoint: listing.Runs, Order: order, Filter: filterOf(t, s), Rows: 1}); err != nil {
				t.Fatal(err)
			}
		}
	}
	if n := len(store.StatementsOf(v)); n > store.MaxStatements || n < store.MaxStatements/2 {
		t.Errorf("%d statements are kept", n)
	}
}
