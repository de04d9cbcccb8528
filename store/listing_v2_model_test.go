package store_test

import (
	"cmp"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ncruces/go-sqlite3"
	"pgregory.net/rapid"

	"podium.local/listing"
	"podium.local/session"
	"podium.local/store"
	"podium.local/store/storetest"
)

// modelRow is a session as the model knows it. Numbers, ids and texts are what
// SQLite compares: nil, float64, string or []byte.
type modelRow struct {
	id, cost, time        any
	status, kind, project *string
	name, agent, playbook *string
	metadata              *string
	tags                  []string
	collection            string
	mirror                bool
	messages              int64
	key                   int64
}

// rank is where a stored value stands among the types, highest first in a
// descending order.
func rank(v any) int {
	switch v.(type) {
	case []byte:
		return 3
	case string:
		return 2
	case float64:
		return 1
	}
	return 0
}

// above orders two stored values as DESC does.
func above(a, b any) int {
	if c := cmp.Compare(rank(b), rank(a)); c != 0 {
		return c
	}
	switch a := a.(type) {
	case []byte:
		return slices.Compare(b.([]byte), a)
	case string:
		return strings.Compare(b.(string), a)
	case float64:
		return cmp.Compare(b.(float64), a)
	}
	return 0
}

// before orders rows as the listing does, with the broken keys where SQLite
// has them.
func before(o listing.Order, a, b modelRow) int {
	if o == listing.Cost {
		if c := above(a.cost, b.cost); c != 0 {
			return c
		}
	}
	if c := above(a.time, b.time); c != 0 {
		return c
	}
	return above(a.id, b.id)
}

// usable says whether a cursor could name the row.
func (r modelRow) usable(o listing.Order) bool {
	fine := func(v any) bool {
		f, number := v.(float64)
		return v == nil || number && !math.IsInf(f, 0)
	}
	id, text := r.id.(string)
	return text && id != "" && fine(r.time) && (o == listing.Recent || fine(r.cost))
}

func fold(s *string) string {
	if s == nil {
		return ""
	}
	return foldText(*s)
}

// foldText lowers ASCII letters only.
func foldText(s string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, s)
}

// selected says what the filter says of the row.
func (r modelRow) selected(f listing.Filter) bool {
	among := func(values []string, v *string, ifMissing string) bool {
		if values == nil {
			return true
		}
		if v == nil {
			return slices.Contains(values, ifMissing)
		}
		return slices.Contains(values, *v)
	}
	switch {
	case r.mirror,
		!among(f.Statuses, r.status, "completed"),
		!among(f.Kinds, r.kind, "agent"),
		f.ProjectNull && r.project != nil,
		f.Project != "" && (r.project == nil || *r.project != f.Project),
		!strings.Contains(fold(r.playbook), foldText(f.Playbook)),
		!strings.Contains(fold(r.name), foldText(f.Search)) && !strings.Contains(fold(r.agent), foldText(f.Search)):
		return false
	}
	for _, tag := range f.Tags {
		if !slices.Contains(r.tags, tag) {
			return false
		}
	}
	return true
}

// model is a store and what is in it.
type model struct {
	c    *sqlite3.Conn
	rows []modelRow
	next int64
	// used are the ids that were ever given to a row of this check.
	used map[string]bool
}

// exec runs a statement with arguments.
func (m *model) exec(t *rapid.T, sql string, args ...any) {
	stmt, _, err := m.c.Prepare(sql)
	if err != nil {
		t.Fatal(err)
	}
	for i, arg := range args {
		var err error
		switch v := arg.(type) {
		case nil:
		case *string:
			if v != nil {
				err = stmt.BindText(i+1, *v)
			}
		case string:
			err = stmt.BindText(i+1, v)
		case []byte:
			err = stmt.BindBlob(i+1, v)
		case float64:
			err = stmt.BindFloat(i+1, v)
		case int64:
			err = stmt.BindInt64(i+1, v)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := stmt.Exec(); err != nil {
		t.Fatal(err)
	}
	if err := stmt.Close(); err != nil {
		t.Fatal(err)
	}
}

func (m *model) insert(t *rapid.T, r modelRow) {
	progression := fmt.Sprintf("p%d", r.key)
	m.exec(t, "INSERT INTO progressions (id, created_at, collection) VALUES (?, 1, ?)", progression, r.collection)
	m.exec(t, `INSERT INTO sessions (rowid, id, created_at, updated_at, total_cost_usd, status, invocation_kind, project, name, agent_name, playbook_name, node_metadata, progression_id)
		VALUES (?, ?, 1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, r.key, r.id, r.time, r.cost, r.status, r.kind, r.project, r.name, r.agent, r.playbook, r.metadata, progression)
	if id, ok := r.id.(string); ok {
		m.exec(t, "INSERT INTO branches (id, created_at, session_id, progression_id) VALUES (?, 1, ?, ?)", progression, id, progression)
		for _, tag := range r.tags {
			m.exec(t, "INSERT INTO run_tags (session_id, tag, created_at) VALUES (?, ?, 1)", id, tag)
		}
	}
	m.rows = append(m.rows, r)
}

func (m *model) clear(t *rapid.T) {
	m.rows, m.used = nil, map[string]bool{}
	m.exec(t, "DELETE FROM run_tags")
	m.exec(t, "DELETE FROM branches")
	m.exec(t, "DELETE FROM sessions")
	m.exec(t, "DELETE FROM progressions")
}

// change is what another program does between two windows.
func (m *model) change(t *rapid.T) {
	kind := rapid.IntRange(0, 3).Draw(t, "change")
	if len(m.rows) == 0 && kind != 1 {
		return
	}
	switch kind {
	case 0:
		i := rapid.IntRange(0, len(m.rows)-1).Draw(t, "deleted")
		m.exec(t, "DELETE FROM branches WHERE session_id = (SELECT id FROM sessions WHERE rowid = ?)", m.rows[i].key)
		m.exec(t, "DELETE FROM run_tags WHERE session_id = (SELECT id FROM sessions WHERE rowid = ?)", m.rows[i].key)
		m.exec(t, "DELETE FROM sessions WHERE rowid = ?", m.rows[i].key)
		m.rows = slices.Delete(m.rows, i, i+1)
	case 1:
		m.insert(t, m.drawRow(t, false))
	case 2:
		i := rapid.IntRange(0, len(m.rows)-1).Draw(t, "moved")
		m.rows[i].time = float64(rapid.IntRange(-2, 3).Draw(t, "time"))
		m.exec(t, "UPDATE sessions SET updated_at = ? WHERE rowid = ?", m.rows[i].time, m.rows[i].key)
	}
}

// window is what the model expects of a request: rows and whether candidates
// remain, or a key that cannot be used.
func (m *model) window(o listing.Order, f listing.Filter, after *modelRow, skip, limit, candidates int) (rows []modelRow, last *modelRow, examined int, more, bad bool) {
	sorted := slices.Clone(m.rows)
	slices.SortFunc(sorted, func(a, b modelRow) int { return before(o, a, b) })
	if after != nil {
		sorted = slices.DeleteFunc(sorted, func(r modelRow) bool { return before(o, r, *after) <= 0 })
	}
	last = after
	for i := range sorted {
		r := &sorted[i]
		switch {
		case !r.usable(o):
			return nil, nil, 0, false, true
		case skip > 0:
			skip--
		case len(rows) == limit || examined == candidates:
			return rows, last, examined, true, false
		default:
			examined++
			if r.selected(f) {
				rows = append(rows, *r)
			}
		}
		last = r
	}
	return rows, last, examined, false, false
}

// newLister makes a lister over a view with keys of its own.
func newLister(t testing.TB, v *store.View, candidates int) *listing.Lister[session.Row] {
	t.Helper()
	p := listing.DefaultPolicy()
	if candidates > 0 {
		p.CandidateLimit = candidates
	}
	k := listing.NewKeyring(filepath.Join(t.TempDir(), "local.json"), p)
	if _, err := k.Ensure(storetest.Epoch); err != nil {
		t.Fatal(err)
	}
	return &listing.Lister[session.Row]{Store: v, Keyring: k, StoreID: "local", Policy: p, Now: func() time.Time { return storetest.Epoch }}
}

// adopted makes a store of lionagi's, legacy if wanted, and adopts it.
func adopted(t testing.TB, legacy bool) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "state.db")
	if legacy {
		storetest.LegacyLionagi(t, path)
	} else {
		storetest.Lionagi(t, path)
	}
	if _, err := store.Migrate(t.Context(), path, store.MigrateOptions{}); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestListing_EveryWindowIsTheModels lists random stores with random filters,
// limits, orders and offsets while rows change between the windows, and wants
// every window to be what a brute-force model says.
func TestListing_EveryWindowIsTheModels(t *testing.T) {
	path := adopted(t, true)
	v := newView(t, path)
	m := &model{c: storetest.Dial(t, path)}
	defer func() {
		if err := m.c.Close(); err != nil {
			t.Error(err)
		}
	}()
	if err := m.c.Exec("PRAGMA foreign_keys = OFF; PRAGMA synchronous = OFF"); err != nil {
		t.Fatal(err)
	}
	l := newLister(t, v, 0)
	windows, refused := 0, 0
	for windows < modelWindows/slowdown {
		rapid.Check(t, func(t *rapid.T) {
			if err := m.c.Exec("BEGIN"); err != nil {
				t.Fatal(err)
			}
			m.clear(t)
			for range rapid.IntRange(0, 40).Draw(t, "rows") {
				m.insert(t, m.drawRow(t, false))
			}
			if rapid.IntRange(0, 4).Draw(t, "broken") == 0 {
				m.insert(t, m.drawRow(t, true))
			}
			if err := m.c.Exec("COMMIT"); err != nil {
				t.Fatal(err)
			}
			l.Policy.CandidateLimit = rapid.SampledFrom([]int{1, 3, 10, 50}).Draw(t, "candidates")
			r := listing.Request{
				Endpoint: rapid.SampledFrom([]listing.Endpoint{listing.Runs, listing.Sessions}).Draw(t, "endpoint"),
				Order:    rapid.SampledFrom([]listing.Order{listing.Recent, listing.Cost}).Draw(t, "order"),
				Filter:   drawFilter(t),
			}
			if !r.Filter.Effective() {
				r.Skip = int64(rapid.IntRange(0, 12).Draw(t, "skip"))
			}
			var after *modelRow
			for range 1 + 59/slowdown {
				windows++
				r.Rows = rapid.IntRange(1, 7).Draw(t, "limit")
				r.ExactTotal = rapid.IntRange(0, 3).Draw(t, "exact") == 0
				want, last, examined, more, bad := m.window(r.Order, r.Filter, after, int(r.Skip), r.Rows, l.Policy.CandidateLimit)
				got, err := l.List(t.Context(), r)
				if bad {
					refused++
					if listing.CodeOf(err) != listing.StoreOrder {
						t.Fatalf("a key without a place: %v", err)
					}
					return
				}
				if err != nil {
					t.Fatal(err)
				}
				m.compare(t, r, got, want, examined, more)
				if !more {
					return
				}
				after, r.Cursor, r.Skip = last, got.Pagination.NextCursor, 0
				m.change(t)
			}
		})
		if t.Failed() {
			return
		}
	}
	if refused == 0 && slowdown == 1 {
		t.Error("no window met a key without a place")
	}
	t.Logf("%d windows, %d of them refused", windows, refused)
}

func (m *model) compare(t *rapid.T, r listing.Request, got listing.Answer[session.Row], want []modelRow, examined int, more bool) {
	stop := listing.Exhausted
	if more {
		stop = listing.CandidateLimit
		if len(want) == r.Rows {
			stop = listing.RowLimit
		}
	}
	p := got.Pagination
	if len(got.Rows) != len(want) || p.Returned != len(want) || p.ExaminedCandidates != examined || p.HasMoreCandidates != more || (p.NextCursor != nil) != more || p.StopReason != stop {
		t.Fatalf("%+v\nwant %d rows, %d examined, more %t, %s", p, len(want), examined, more, stop)
	}
	for i, w := range want {
		g := got.Rows[i]
		if g.ID != w.id.(string) || fold(g.Name) != fold(w.name) || g.MessageCount != w.messages || g.BranchCount != 1 || !slices.Equal(g.Tags, w.tags) {
			t.Fatalf("row %d is %+v, want %+v", i, g, w)
		}
	}
	if !r.ExactTotal {
		if got.Total.Kind != listing.Unknown || got.Total.Value != nil {
			t.Fatalf("%+v", got.Total)
		}
		return
	}
	total := int64(0)
	for _, row := range m.rows {
		if row.selected(r.Filter) {
			total++
		}
	}
	if got.Total.Kind != listing.Exact || *got.Total.Value != total {
		t.Fatalf("total %d, want %d", *got.Total.Value, total)
	}
}
