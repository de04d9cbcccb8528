package store_test

import (
	"fmt"
	"testing"

	"podium.local/listing"
	"podium.local/session"
	"podium.local/store"
	"podium.local/store/storetest"
)

// shape is how the rows of a fixture lie in the orders.
type shape struct {
	name string
	sql  string
	// legacy needs a column that may be NULL.
	legacy bool
}

// shapes turn one into the next; each is one update of the whole store.
var shapes = []shape{
	{name: "distinct"},
	{name: "ties", sql: "UPDATE sessions SET updated_at = 1000, total_cost_usd = 1"},
	{name: "no times", sql: "UPDATE sessions SET updated_at = NULL WHERE rowid % 10 > 0", legacy: true},
	{name: "unknown costs", sql: "UPDATE sessions SET total_cost_usd = NULL"},
}

// reshape moves rows in the orders; keeping the indexes of times current
// meanwhile would take longer than making them anew.
func reshape(t testing.TB, path, update string) {
	t.Helper()
	const these = " FROM sqlite_schema WHERE type = 'index' AND tbl_name = 'sessions' AND sql LIKE '%updated_at%'"
	indexes := storetest.Value(t, path, "SELECT group_concat(sql, ';')"+these)
	drop := storetest.Value(t, path, "SELECT group_concat('DROP INDEX ' || name, ';')"+these)
	storetest.SQL(t, path, "PRAGMA synchronous = OFF; BEGIN IMMEDIATE; "+drop+";"+update+";"+indexes+"; COMMIT; PRAGMA wal_checkpoint(TRUNCATE)")
}

// measure is the work of one request.
func measure(t testing.TB, l *listing.Lister[session.Row], r listing.Request) listing.Answer[session.Row] {
	t.Helper()
	// The first request on a connection learns the schema, which no page does
	// again.
	if _, err := l.List(t.Context(), listing.Request{Endpoint: listing.Runs, Order: r.Order, Rows: 1}); err != nil {
		t.Fatal(err)
	}
	a, err := l.List(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	w := a.Work
	if w.KeysVisited-w.SkippedKeys > workCandidates+1 || w.ResidualEvaluations > workCandidates || w.LookaheadKeys > 1 || w.Counts != 0 {
		t.Errorf("%+v is more than a window", w)
	}
	// What is scanned are the keys of the page and, for each candidate, the list
	// of wanted tags.
	if w.FullScanSteps > int64(2*r.Rows+10+w.TagProbes) {
		t.Errorf("%d steps of scans: %+v", w.FullScanSteps, w)
	}
	return a
}

// pages gives the work of the first and of a deep page of an order.
func pages(t testing.TB, l *listing.Lister[session.Row], order listing.Order) (first, deep int64) {
	t.Helper()
	r := listing.Request{Endpoint: listing.Runs, Order: order, Rows: 20}
	a := measure(t, l, r)
	first = a.Work.VMSteps
	// The way to the frontier is not part of what is measured there.
	r.Skip = 20 * (workPage - 2)
	before, err := l.List(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	r.Skip, r.Cursor = 0, before.Pagination.NextCursor
	b := measure(t, l, r)
	if len(a.Rows) != 20 || len(b.Rows) != 20 || b.Work.ResidualEvaluations != 20 {
		t.Errorf("%d and %d rows of a page of 20: %+v", len(a.Rows), len(b.Rows), b.Work)
	}
	return first, b.Work.VMSteps
}

// ratio is how far apart the smallest and the largest of some counts are.
func ratio(counts map[string]int64) float64 {
	var low, high int64
	for _, n := range counts {
		if low == 0 || n < low {
			low = n
		}
		high = max(high, n)
	}
	return float64(high) / float64(low)
}

// TestWork_DoesNotGrowWithTheStoreNorWithThePage counts the steps of first and
// deep pages of both orders, and of windows that find nothing, in a small and
// in a large store of every shape.
func TestWork_DoesNotGrowWithTheStoreNorWithThePage(t *testing.T) {
	counts := map[string]map[string]int64{}
	note := func(what, where string, steps int64) {
		if counts[what] == nil {
			counts[what] = map[string]int64{}
		}
		counts[what][where] = steps
	}
	for _, fixture := range []struct {
		kind     string
		sessions int
	}{{"fresh", workSmall}, {"legacy", workSmall}, {"fresh", workLarge}} {
		where := fmt.Sprintf("%s %d", fixture.kind, fixture.sessions)
		path := storetest.New(t, store.Options{}).Path()
		if fixture.kind == "legacy" {
			path = adopted(t, true)
		}
		storetest.Fill(t, path, storetest.Rows{Sessions: fixture.sessions})
		l := newLister(t, newView(t, path), workCandidates)
		for _, s := range shapes {
			if s.legacy && fixture.kind != "legacy" {
				continue
			}
			if s.sql != "" {
				reshape(t, path, s.sql)
			}
			for _, order := range []listing.Order{listing.Recent, listing.Cost} {
				first, deep := pages(t, l, order)
				note("page, "+string(order)+", "+s.name, where+" first", first)
				note("page, "+string(order)+", "+s.name, where+" deep", deep)
			}
		}
		window := func(what string, f listing.Filter, probes int) {
			for _, order := range []listing.Order{listing.Recent, listing.Cost} {
				a := measure(t, l, listing.Request{Endpoint: listing.Runs, Order: order, Filter: f, Rows: 20})
				if a.Work.ResidualEvaluations != workCandidates || len(a.Rows) != 0 || a.Work.TagProbes != probes {
					t.Errorf("%s, %s, %s: %+v", what, order, where, a.Work)
				}
				note("empty window, "+string(order)+", "+what, where, a.Work.VMSteps)
			}
		}
		window("no match", listing.Filter{Search: "zzz"}, 0)
		window("tag that nothing has", listing.Filter{Tags: []string{"none", "t0"}}, 2*workCandidates)
		storetest.SQL(t, path, "PRAGMA synchronous = OFF; INSERT INTO run_tags (session_id, tag, created_at) SELECT id, 'other', 1 FROM sessions; PRAGMA wal_checkpoint(TRUNCATE)")
		window("tag that nothing has", listing.Filter{Tags: []string{"none", "t0"}}, 2*workCandidates)
		storetest.SQL(t, path, `PRAGMA synchronous = OFF; UPDATE sessions SET node_metadata = '{"engine_parent_run_id":"r"}'; PRAGMA wal_checkpoint(TRUNCATE)`)
		window("all mirrors", listing.Filter{}, 0)
	}
	for what, steps := range counts {
		if r := ratio(steps); r > 2 {
			t.Errorf("%s: %.2f times as many steps: %v", what, r, steps)
		} else {
			t.Logf("%s: ratio %.3f %v", what, r, steps)
		}
	}
}
