package store_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"podium.local/listing"
	"podium.local/session"
	"podium.local/store"
	"podium.local/store/storetest"
)

// first is the first page of an order.
func first(o listing.Order) listing.Request {
	return listing.Request{Endpoint: listing.Runs, Order: o, Rows: 5}
}

// rebuild gives a table another definition, as SQLite's own manual has it.
func rebuild(table, definition string) string {
	return "PRAGMA foreign_keys = OFF; CREATE TABLE other " + definition + "; INSERT INTO other SELECT * FROM " + table +
		"; DROP TABLE " + table + "; ALTER TABLE other RENAME TO " + table + ";"
}

func TestReady_WantsTheAccessPathsThatAnOrderNeeds(t *testing.T) {
	const recent = "CREATE INDEX idx_sessions_listing_recent ON sessions"
	const tags = "(session_id TEXT NOT NULL, tag TEXT NOT NULL, created_at REAL NOT NULL"
	both := []listing.Order{listing.Recent, listing.Cost}
	sound := adopted(t, false)
	storetest.SQL(t, sound, "PRAGMA wal_checkpoint(TRUNCATE)")
	for _, tt := range []struct {
		name, sql string
		lack      []listing.Order
		want      string
	}{
		{"nothing is missing", "", nil, ""},
		{"no recent index", "DROP INDEX idx_sessions_listing_recent", both[:1], "idx_sessions_listing_recent is missing"},
		{"no index of reported costs", "DROP INDEX idx_sessions_listing_cost_reported", both[1:], "idx_sessions_listing_cost_reported is missing"},
		{"no index of unknown costs", "DROP INDEX idx_sessions_listing_cost_unknown", both[1:], "idx_sessions_listing_cost_unknown is missing"},
		{"another name", "DROP INDEX idx_sessions_listing_recent; CREATE INDEX idx_other ON sessions(updated_at DESC, id DESC)", both[:1], "is missing"},
		{"another direction", "DROP INDEX idx_sessions_listing_recent; " + recent + "(updated_at, id DESC)", both[:1], "is not the one"},
		{"another sequence", "DROP INDEX idx_sessions_listing_recent; " + recent + "(id DESC, updated_at DESC)", both[:1], "is not the one"},
		{"a column less", "DROP INDEX idx_sessions_listing_recent; " + recent + "(updated_at DESC)", both[:1], "is not the one"},
		{"an expression", "DROP INDEX idx_sessions_listing_recent; " + recent + "(updated_at DESC, lower(id) DESC)", both[:1], "is not the one"},
		{"another collation", "DROP INDEX idx_sessions_listing_recent; " + recent + "(updated_at DESC, id COLLATE NOCASE DESC)", both[:1], "is not the one"},
		{"only a part", "DROP INDEX idx_sessions_listing_recent; " + recent + "(updated_at DESC, id DESC) WHERE status = 'x'", both[:1], "is not the one"},
		{"another part", "DROP INDEX idx_sessions_listing_cost_unknown; CREATE INDEX idx_sessions_listing_cost_unknown ON sessions(updated_at DESC, id DESC) WHERE total_cost_usd IS NOT NULL", both[1:], "is not the one"},
		{"no part", "DROP INDEX idx_sessions_listing_cost_unknown; CREATE INDEX idx_sessions_listing_cost_unknown ON sessions(updated_at DESC, id DESC)", both[1:], "is not the one"},
		{"a clause written otherwise", "DROP INDEX idx_sessions_listing_cost_unknown; CREATE INDEX \"idx_sessions_listing_cost_unknown\" on \"sessions\" (updated_at desc,id desc)\n where \"total_cost_usd\" is  null", nil, ""},
		{"no index of branches", "DROP INDEX idx_branches_session_created", both, "branches has no index that begins with session_id"},
		{"another index of branches", "DROP INDEX idx_branches_session_created; CREATE INDEX whatever ON branches(session_id DESC)", nil, ""},
		{"a part of branches", "DROP INDEX idx_branches_session_created; CREATE INDEX whatever ON branches(session_id) WHERE name IS NULL", both, "branches has no index"},
		{"branches with the session second", "DROP INDEX idx_branches_session_created; CREATE INDEX whatever ON branches(created_at, session_id)", both, "branches has no index"},
		{"no table of tags", "DROP TABLE run_tags", nil, ""},
		{"tags without a key", rebuild("run_tags", tags+")"), both, "run_tags has no unique index"},
		{"tags keyed the other way", rebuild("run_tags", tags+", PRIMARY KEY (tag, session_id))"), both, "run_tags has no unique index"},
		{"tags with a unique index instead", rebuild("run_tags", tags+")") + "CREATE UNIQUE INDEX u ON run_tags(session_id, tag)", nil, ""},
		{"progressions without a key", rebuild("progressions", "(id TEXT, created_at REAL NOT NULL, collection TEXT)"), both, "progressions.id has no unique index"},
		{"progressions in another collation", rebuild("progressions", "(id TEXT COLLATE NOCASE PRIMARY KEY, created_at REAL NOT NULL, collection TEXT)"), both, "progressions.id has no unique index"},
		{"no identity", "DELETE FROM listing_store_identity", both, "no listing identity"},
		{"no table of identity", "DROP TABLE listing_store_identity", both, "no listing identity"},
		{"an identity that is none", "UPDATE listing_store_identity SET incarnation = 'x'", both, "no listing identity"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "state.db")
			storetest.Copy(t, sound, path)
			v := newView(t, path)
			l := newLister(t, v, 0)
			// What was found before a change of the schema must not be believed after it.
			for _, order := range both {
				if _, err := l.List(t.Context(), first(order)); err != nil {
					t.Fatal(err)
				}
			}
			if tt.sql != "" {
				storetest.SQL(t, path, tt.sql)
			}
			for _, order := range both {
				_, err := l.List(t.Context(), first(order))
				lacks := len(tt.lack) == 2 || len(tt.lack) == 1 && tt.lack[0] == order
				switch {
				case !lacks && err != nil:
					t.Errorf("%s: %v", order, err)
				case lacks && (listing.CodeOf(err) != listing.NotReady || !strings.Contains(err.Error(), tt.want)):
					t.Errorf("%s: %v", order, err)
				}
			}
			// v1 goes on whatever the bounded listing lacks.
			if _, err := v.ListPage(t.Context(), session.PageQuery{Order: session.OrderRecent, Limit: 5}); err != nil {
				t.Errorf("v1: %v", err)
			}
		})
	}
}

func TestReady_AStoreWithoutItsListingStaysAsItIs(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	storetest.Lionagi(t, path)
	storetest.Fill(t, path, storetest.Rows{Sessions: 3})
	const schema = "SELECT group_concat(sql, ';') FROM sqlite_schema"
	before := storetest.Value(t, path, schema)
	l := newLister(t, newView(t, path), 0)
	if _, err := l.List(t.Context(), first(listing.Recent)); listing.CodeOf(err) != listing.NotReady {
		t.Error(err)
	}
	if storetest.Value(t, path, schema) != before {
		t.Error("the listing changed the schema")
	}
	if _, err := store.Migrate(t.Context(), path, store.MigrateOptions{}); err != nil {
		t.Fatal(err)
	}
	if a, err := l.List(t.Context(), first(listing.Recent)); err != nil || len(a.Rows) != 3 {
		t.Errorf("after the adoption: %v", err)
	}
}

func TestReady_OtherEncodingsAreNotInTheOrderOfCursors(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	storetest.SQL(t, path, "PRAGMA encoding = 'UTF-16le'; CREATE TABLE seal (x); DROP TABLE seal")
	storetest.Lionagi(t, path)
	if _, err := store.Migrate(t.Context(), path, store.MigrateOptions{}); err != nil {
		t.Fatal(err)
	}
	_, err := newLister(t, newView(t, path), 0).List(t.Context(), first(listing.Recent))
	if listing.CodeOf(err) != listing.NotReady || !strings.Contains(err.Error(), "UTF-16le") {
		t.Error(err)
	}
}

func TestReady_AFileThatIsNoStoreIsNotReady(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	storetest.SQL(t, path, "CREATE TABLE x (y)")
	_, err := newLister(t, newView(t, path), 0).List(t.Context(), first(listing.Recent))
	if listing.CodeOf(err) != listing.NotReady || !errors.Is(err, session.ErrNotReady) {
		t.Error(err)
	}
}

// TestReady_WorkDoesNotGrowWithTheStore compares the readiness of an empty
// page: a walk behind the last row, with all tables' sizes behind it.
func TestReady_WorkDoesNotGrowWithTheStore(t *testing.T) {
	spent := map[int]int64{}
	for _, size := range []int{10, manyRows} {
		path := storetest.New(t, store.Options{}).Path()
		storetest.Fill(t, path, storetest.Rows{Sessions: size, Tags: 2, Branches: 2})
		v := newView(t, path)
		for range 2 {
			_, err := v.ListingSnapshot(t.Context(), false, func(s listing.Snapshot[session.Row]) error {
				if _, err := s.Ready(listing.Cost); err != nil {
					return err
				}
				now := s.Cost()
				if was, ok := spent[size]; !ok {
					spent[size] = now.VMSteps
				} else if now.VMSteps*10 > was || now.Statements > 4 {
					t.Errorf("once it is known it takes %d steps after %d, %d statements", now.VMSteps, was, now.Statements)
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	if spent[manyRows] > spent[10]+20 {
		t.Errorf("%d steps with 10 sessions, %d with %d", spent[10], spent[manyRows], manyRows)
	}
}

func TestIdentity_StaysWithTheStoreAndEndsChainsWhenItIsRotated(t *testing.T) {
	s := storetest.New(t, store.Options{})
	path := s.Path()
	storetest.Fill(t, path, storetest.Rows{Sessions: 30})
	l := newLister(t, newView(t, path), 0)
	r := first(listing.Recent)
	a, err := l.List(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	r.Cursor = a.Pagination.NextCursor
	// Writes, another opening and a migration of what is current leave it alone.
	storetest.Start(t, s, storetest.PodStart("a"))
	if _, err := store.Migrate(t.Context(), path, store.MigrateOptions{}); err != nil {
		t.Fatal(err)
	}
	l.Store = newView(t, path)
	if _, err := l.List(t.Context(), r); err != nil {
		t.Fatalf("after a write and a reopening: %v", err)
	}
	if _, err := s.RotateIdentity(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := l.List(t.Context(), r); listing.CodeOf(err) != listing.CursorRestart {
		t.Errorf("after the rotation: %v", err)
	}
	r.Cursor = nil
	if _, err := l.List(t.Context(), r); err != nil {
		t.Errorf("a new chain: %v", err)
	}
}
