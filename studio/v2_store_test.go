package studio_test

import (
	"crypto/sha256"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"podium.local/listing"
	"podium.local/store"
	"podium.local/store/storetest"
	"podium.local/studio"
)

func nothingWritten(t *testing.T) {
	l := newLane(t, numbered(25)+"; INSERT INTO run_tags SELECT id, 'x', 1 FROM sessions")
	l.sql("PRAGMA journal_mode = DELETE")
	sum := func() [32]byte {
		t.Helper()
		text, err := os.ReadFile(l.path)
		if err != nil {
			t.Fatal(err)
		}
		return sha256.Sum256(text)
	}
	before := sum()
	l.all(runsV2 + "&per_page=3&tag=x&exact_total=true")
	l.all(sessionsV2 + "&sort=cost&limit=7")
	l.refused(with(runsV2, "garbage"), http.StatusBadRequest, cursorInvalid)
	if sum() != before {
		t.Error("the file changed")
	}
	entries, err := os.ReadDir(filepath.Dir(l.path))
	if err != nil || len(entries) != 1 {
		t.Errorf("beside the store: %v %v", entries, err)
	}
	// A file that its owner may only read is enough.
	if err := os.Chmod(l.path, 0o400); err != nil {
		t.Fatal(err)
	}
	if w := laneOver(t, l.path).window(runsV2); len(w.rows) != smallWindow {
		t.Errorf("%d rows", len(w.rows))
	}
}

func pageSkipsCandidates(t *testing.T) {
	l := newLane(t, numbered(60)+`; UPDATE sessions SET node_metadata = '{"engine_parent_run_id":"r"}' WHERE id < 's0030'`)
	w := l.window(runsV2 + "&page=3&per_page=20")
	if w.work.SkippedKeys != 40 || w.rows[0]["id"] != "s0040" {
		t.Errorf("%s, %+v", w.ids(), w.work)
	}
	// Ten of the skipped candidates were no mirrors: matches, passed over.
	if w := l.window(runsV2 + "&page=4&per_page=10"); w.rows[0]["id"] != "s0030" || w.work.SkippedKeys != 30 {
		t.Errorf("%s", w.ids())
	}
	if w := l.window(sessionsV2 + "&offset=55"); w.ids() != "s0055 s0056 s0057 s0058 s0059" || w.work.SkippedKeys != 55 {
		t.Errorf("%s", w.ids())
	}
}

func offsetOnce(t *testing.T) {
	l := newLane(t, numbered(40))
	target := sessionsV2 + "&limit=3"
	a := l.window(target + "&offset=12")
	b := l.window(a.next(target))
	c := l.window(b.next(target))
	if got := ids(append(append(a.rows, b.rows...), c.rows...)); got != "s0012 s0013 s0014 s0015 s0016 s0017 s0018 s0019 s0020" || b.work.SkippedKeys+c.work.SkippedKeys != 0 {
		t.Errorf("%s", got)
	}
}

func separateBudgets(t *testing.T) {
	l := newLane(t, numbered(60))
	w := l.window(sessionsV2 + "&offset=35")
	if w.work.SkippedKeys != 35 || w.page.ExaminedCandidates != smallWindow || w.work.KeysVisited != 35+smallWindow+1 {
		t.Errorf("%+v", w.work)
	}
	// Payloads of skipped rows are not looked at: broken ones fail nothing.
	l.sql("UPDATE sessions SET node_metadata = x'ff', name = x'ff00' WHERE id < 's0035'")
	if w := l.window(sessionsV2 + "&offset=35"); w.rows[0]["id"] != "s0035" {
		t.Errorf("%s", w.ids())
	}
}

func indexesNeeded(t *testing.T) {
	for drop, orders := range map[string]map[string]bool{
		"idx_sessions_listing_recent":        {"recent": false, "cost": true},
		"idx_sessions_listing_cost_reported": {"recent": true, "cost": false},
		"idx_sessions_listing_cost_unknown":  {"recent": true, "cost": false},
	} {
		l := newLane(t, numbered(3))
		l.window(runsV2) // what was found before must not be believed after
		l.sql("DROP INDEX " + drop)
		for order, ready := range orders {
			for _, path := range []string{runsV2, sessionsV2} {
				if ready {
					l.window(path + "&sort=" + order)
				} else {
					l.refused(path+"&sort="+order, http.StatusServiceUnavailable, notReady)
				}
			}
			if rec := l.call("/api/runs/?sort=" + order); rec.Code != http.StatusOK {
				t.Errorf("version 1: %d", rec.Code)
			}
		}
	}
}

func hydrationPathsNeeded(t *testing.T) {
	l := newLane(t, numbered(3))
	l.sql("DROP INDEX idx_branches_session_created")
	l.refusedAll(http.StatusServiceUnavailable, notReady, runsV2, sessionsV2+"&sort=cost")
	l.sql("CREATE INDEX any_name ON branches (session_id, id)")
	l.window(runsV2)
	l.sql("DROP TABLE run_tags; CREATE TABLE run_tags (session_id TEXT, tag TEXT, created_at REAL)")
	l.refused(runsV2, http.StatusServiceUnavailable, notReady)
	l.sql("DROP TABLE run_tags")
	l.window(runsV2)
	l.sql("PRAGMA foreign_keys = OFF; CREATE TABLE other (id TEXT, created_at REAL, collection TEXT); INSERT INTO other SELECT * FROM progressions; DROP TABLE progressions; ALTER TABLE other RENAME TO progressions")
	l.refused(runsV2, http.StatusServiceUnavailable, notReady)
}

func migrationParity(t *testing.T) {
	const shape = `SELECT group_concat(i.name || ' ' || x.seqno || ' ' || coalesce(x.name, '') || ' ' || x."desc" || ' ' || x.coll || ' ' || i.partial, char(10)) FROM pragma_index_list('sessions') i, pragma_index_xinfo(i.name) x WHERE i.name LIKE '%listing%' ORDER BY 1`
	const identity = "SELECT group_concat(name || ' ' || type || ' ' || \"notnull\" || ' ' || pk) FROM pragma_table_info('listing_store_identity')"
	fresh := storetest.New(t, store.Options{}).Path()
	old := filepath.Join(t.TempDir(), "state.db")
	storetest.Lionagi(t, old)
	storetest.SQL(t, old, numbered(3))
	l := laneOver(t, old)
	l.refused(runsV2, http.StatusServiceUnavailable, notReady)
	for range 2 {
		if _, err := store.Migrate(t.Context(), old, store.MigrateOptions{}); err != nil {
			t.Fatal(err)
		}
		for _, query := range []string{shape, identity} {
			if a, b := storetest.Value(t, fresh, query), storetest.Value(t, old, query); a != b || a == "" {
				t.Errorf("fresh: %s\nupgraded: %s", a, b)
			}
		}
		l.window(runsV2)
	}
	text, err := os.ReadFile(old)
	if err != nil {
		t.Fatal(err)
	}
	if m, err := store.Migrate(t.Context(), old, store.MigrateOptions{}); err != nil || len(m.Steps) != 0 {
		t.Errorf("%+v %v", m, err)
	}
	if again, err := os.ReadFile(old); err != nil || string(again) != string(text) {
		t.Error("opening it once more for migration changed the file")
	}
}

func neverMigrates(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	storetest.Lionagi(t, path)
	storetest.SQL(t, path, numbered(3))
	const schema = "SELECT group_concat(name || coalesce(sql, ''), ';') FROM sqlite_schema"
	before := storetest.Value(t, path, schema)
	l := laneOver(t, path)
	l.refusedAll(http.StatusServiceUnavailable, notReady, runsV2, sessionsV2, runsV2+"&sort=cost")
	if storetest.Value(t, path, schema) != before {
		t.Error("the listing changed the store")
	}
	if rec := l.call("/api/runs/"); rec.Code != http.StatusOK {
		t.Errorf("version 1: %d", rec.Code)
	}
}

func absentStore(t *testing.T) {
	dir := t.TempDir()
	l := laneOver(t, filepath.Join(dir, "state.db"))
	l.lister.Keyring = listing.NewKeyring(filepath.Join(dir, "none.json"), listing.DefaultPolicy())
	const page = `"pagination":{"next_cursor":null,"has_more_candidates":false,"returned":0,"examined_candidates":0,"candidate_limit":10,"stop_reason":"exhausted","offset_basis":"candidates","search_mode":"none"}`
	l.refused(runsV2, http.StatusOK, `{"listing_version":2,"per_page":20,"runs":[],"status_ended_at_mismatches":0,`+page+`,"total":{"kind":"unknown","value":null}}`)
	l.refused(sessionsV2+"&exact_total=true&offset=7", http.StatusOK, `{"listing_version":2,"limit":500,"sessions":[],`+page+`,"total":{"kind":"exact","value":0}}`)
	l.refused(runsV2+"&per_page=0", http.StatusUnprocessableEntity, invalidRequest)
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 0 {
		t.Errorf("%v %v", entries, err)
	}
}

func absentStoreWithCursor(t *testing.T) {
	l := newLane(t, numbered(30))
	cursor := l.began(runsV2)
	if err := os.Remove(l.path); err != nil {
		t.Fatal(err)
	}
	l.refused(with(runsV2, cursor), http.StatusConflict, cursorRestart)
	l.refused(with(runsV2, "garbage"), http.StatusBadRequest, cursorInvalid)
	l.window(runsV2)
	// Another file in its place is another store.
	content, err := emptyStore()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(l.path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	l.sql("UPDATE listing_store_identity SET incarnation = '11111111-2222-4333-8444-555555555555';" + numbered(12))
	l.refused(with(runsV2, cursor), http.StatusConflict, cursorRestart)
	if w := l.window(runsV2); len(w.rows) != smallWindow {
		t.Errorf("%d rows of the new file", len(w.rows))
	}
}

func serverStore(t *testing.T) {
	l := newLane(t, numbered(3))
	s := open(t, l.path, func(c *studio.Config) { c.Backend, c.Sources.Windows = "postgresql", l.lister })
	for path, target := range map[string]string{"/api/runs/": runsV2, "/api/sessions/": sessionsV2} {
		body := fmt.Sprintf(`{"detail":"%s cannot answer: the configured store is postgresql-backed, and this route can only read from a local SQLite file.","route":"%s","backend":"postgresql"}`, path, path)
		want(t, call(t, s.Handler(), http.MethodGet, target, ""), http.StatusNotImplemented, body)
		want(t, call(t, s.Handler(), http.MethodGet, with(target, "garbage"), ""), http.StatusNotImplemented, body)
		want(t, call(t, s.Handler(), http.MethodGet, target+"&sort=x", ""), http.StatusUnprocessableEntity, invalidRequest)
	}
}

func noRetryInvited(t *testing.T) {
	l := newLane(t, numbered(3)+"; UPDATE sessions SET updated_at = 'x' WHERE id = 's0002'")
	for _, target := range []string{runsV2, sessionsV2} {
		for i := range 2 {
			rec := l.call(target)
			if rec.Header().Get("Retry-After") != "" || strings.Contains(rec.Body.String(), `"restart_required":true`) || strings.Contains(rec.Body.String(), `"runs"`) || rec.Code != []int{http.StatusConflict, http.StatusServiceUnavailable}[i] {
				t.Errorf("%d %v %s", rec.Code, rec.Header(), rec.Body)
			}
			l.sql([]string{"ALTER TABLE listing_store_identity RENAME TO away", "ALTER TABLE away RENAME TO listing_store_identity"}[i])
		}
	}
	l.now = clock.Add(time.Hour) // a later try is as the first
	l.refused(runsV2, http.StatusConflict, storeOrder)
}
