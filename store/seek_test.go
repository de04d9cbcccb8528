package store_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ncruces/go-sqlite3"

	"podium.local/listing"
	"podium.local/store"
	"podium.local/store/storetest"
)

// frontiers are keys in every part of both orders of a filled store.
func frontiers(time listing.Value) map[string]*listing.Key {
	return map[string]*listing.Key{
		"the beginning":          nil,
		"a known time":           {Cost: listing.Float(5), Time: time, ID: "s0000030"},
		"no time":                {Cost: listing.Float(5), ID: "s0000030"},
		"unknown cost":           {Time: time, ID: "s0000030"},
		"unknown cost, no time":  {ID: "s0000030"},
		"an integer time":        {Cost: listing.Int(5), Time: listing.Int(1), ID: "s0000030"},
		"a time before all":      {Cost: listing.Float(-1), Time: listing.Float(-1), ID: ""},
		"an id behind all texts": {Cost: listing.Float(5), Time: time, ID: "\U0010ffff"},
	}
}

// plan runs EXPLAIN QUERY PLAN and then the statement itself, both as another
// program would, and returns the plan, how many rows came and their steps.
func plan(t testing.TB, c *sqlite3.Conn, sql string, args []any) (plan string, rows, steps, sorts int) {
	t.Helper()
	for _, prefix := range []string{"EXPLAIN QUERY PLAN ", ""} {
		stmt, _, err := c.Prepare(prefix + sql)
		if err != nil {
			t.Fatalf("%v in %s", err, sql)
		}
		for i, arg := range args {
			switch v := arg.(type) {
			case string:
				err = stmt.BindText(i+1, v)
			case float64:
				err = stmt.BindFloat(i+1, v)
			case int64:
				err = stmt.BindInt64(i+1, v)
			case int:
				err = stmt.BindInt(i+1, v)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		for stmt.Step() {
			if prefix != "" {
				plan += stmt.ColumnText(3) + "\n"
			} else {
				rows++
			}
		}
		steps, sorts = stmt.Status(sqlite3.STMTSTATUS_VM_STEP, false), stmt.Status(sqlite3.STMTSTATUS_SORT, false)
		if err := stmt.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return plan, rows, steps, sorts
}

// TestSeek_EveryBranchReadsItsIndexInOrder looks at the plan and the steps of
// every branch, in a fresh and in a legacy store, with statistics that would
// lead a planner elsewhere.
func TestSeek_EveryBranchReadsItsIndexInOrder(t *testing.T) {
	const limit = 20
	steps := map[string]int{} // of the small store, by branch
	for _, size := range []int{someRows, manyRows} {
		for kind, path := range map[string]string{"podium": storetest.New(t, store.Options{}).Path(), "legacy": adopted(t, true)} {
			storetest.Fill(t, path, storetest.Rows{Sessions: size, UnknownCost: 3, Tags: 1})
			if kind == "legacy" {
				storetest.SQL(t, path, "UPDATE sessions SET updated_at = NULL WHERE rowid % 2 = 0")
			}
			storetest.SQL(t, path, `ANALYZE; DELETE FROM sqlite_stat1 WHERE tbl = 'sessions'; DELETE FROM sqlite_stat4;
				INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('sessions', 'idx_sessions_updated', '10000000 1'), ('sessions', 'idx_sessions_listing_recent', '10000000 10000000 10000000'),
				('sessions', 'idx_sessions_listing_cost_reported', '10000000 10000000 10000000 10000000'), ('sessions', 'idx_sessions_listing_cost_unknown', '10000000 10000000 10000000')`)
			c := storetest.Dial(t, path)
			v := newView(t, path)
			filter := filterOf(t, listing.Selection{Search: "zzz", Statuses: []string{"completed"}, Tags: []string{"t0"}})
			for _, order := range []listing.Order{listing.Recent, listing.Cost} {
				for name, after := range frontiers(listing.Float(float64(storetest.Epoch.Unix() - 30))) {
					for i, b := range listing.Branches(order, after) {
						sql, args := store.SeekSQL(b)
						keys, n, got, sorts := plan(t, c, sql, append(args, limit))
						where := fmt.Sprintf("%s after %s, branch %d", order, name, i)
						if n > limit || got > 12*limit+60 || sorts != 0 {
							t.Errorf("%s, %s: %d rows in %d steps, %d sorts", kind, where, n, got, sorts)
						}
						if strings.Contains(keys, "TEMP B-TREE") || !strings.Contains(keys, "INDEX idx_sessions_listing_") {
							t.Errorf("%s, %s: %s", kind, where, keys)
						}
						// A partition that a NOT NULL column leaves empty is folded away; its plan says
						// nothing, its steps do.
						if empty := b.Time.Op == listing.Null && kind == "podium"; !empty && !strings.HasPrefix(keys, "SEARCH s USING ") || empty && got > 12 {
							t.Errorf("%s, %s: %d steps, %s", kind, where, got, keys)
						}
						if small, ok := steps[kind+where]; !ok {
							steps[kind+where] = got
						} else if got > 2*small+20 {
							t.Errorf("%s, %s: %d steps in a small store, %d in a large one", kind, where, small, got)
						}
						sql, args, err := store.CandidateSQL(t.Context(), v, b, filter)
						if err != nil {
							t.Fatal(err)
						}
						tried, _, _, _ := plan(t, c, sql, append(args, limit))
						if strings.Contains(tried, "TEMP B-TREE") || !strings.Contains(tried, "INDEX idx_sessions_listing_") ||
							!strings.Contains(tried, "SEARCH t USING COVERING INDEX sqlite_autoindex_run_tags_1 (session_id=? AND tag=?)") {
							t.Errorf("%s, %s, with a filter: %s", kind, where, tried)
						}
					}
				}
				sql, err := store.HydrateSQL(t.Context(), v, order)
				if err != nil {
					t.Fatal(err)
				}
				if !strings.Contains(sql, ", s.id DESC") {
					t.Errorf("the rows come in no stated order: %s", sql)
				}
				hydrated, n, _, sorts := plan(t, c, sql, []any{"[3,1,2]"})
				for _, want := range []string{"SCAN page", "SEARCH s USING INTEGER PRIMARY KEY (rowid=?)", "SEARCH b USING", "SEARCH p USING INDEX sqlite_autoindex_progressions_1 (id=?)", "USE TEMP B-TREE FOR ORDER BY"} {
					if !strings.Contains(hydrated, want) {
						t.Errorf("%s: the hydration does not %s:\n%s", kind, want, hydrated)
					}
				}
				if n != 3 || sorts != 1 {
					t.Errorf("%s: hydrated %d rows with %d sorts", kind, n, sorts)
				}
			}
			if err := c.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func filterOf(t interface {
	Helper()
	Fatal(...any)
}, s listing.Selection) listing.Filter {
	t.Helper()
	f, err := s.Filter()
	if err != nil {
		t.Fatal(err)
	}
	return f
}
