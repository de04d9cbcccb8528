package store_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"podium.local/session"
	"podium.local/store"
	"podium.local/store/storetest"
)

// lionagiStore makes a store of lionagi's with a few sessions.
func lionagiStore(t testing.TB, sessions int) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "state.db")
	storetest.Lionagi(t, path)
	storetest.Fill(t, path, storetest.Rows{Sessions: sessions, UnknownCost: 3, Tags: 1})
	return path
}

// schemaOf is every definition in the store that is not one of the named
// ones, in order.
func schemaOf(t testing.TB, path string, except ...string) string {
	t.Helper()
	quoted := "''"
	for _, name := range except {
		quoted += ",'" + name + "'"
	}
	return storetest.Value(t, path, "SELECT group_concat(type || ' ' || name || ' ' || coalesce(sql, ''), char(10)) FROM (SELECT * FROM sqlite_schema WHERE name NOT IN ("+quoted+") ORDER BY name)")
}

var adoption = []string{
	"idx_sessions_listing_recent", "idx_sessions_listing_cost_reported", "idx_sessions_listing_cost_unknown",
	"listing_store_identity", "podium_meta",
}

func migrate(t testing.TB, path string) store.Migration {
	t.Helper()
	m, err := store.Migrate(t.Context(), path, store.MigrateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func examine(t testing.TB, path string) store.Status {
	t.Helper()
	st, err := store.Examine(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	return st
}

func TestAdopt_AddsTheListingAndNothingElse(t *testing.T) {
	path := lionagiStore(t, 30)
	before := schemaOf(t, path)
	appID, version := storetest.Value(t, path, "PRAGMA application_id"), storetest.Value(t, path, "PRAGMA user_version")
	if st := examine(t, path); st.Kind != store.KindLionagi || st.Ready() || st.Sessions != 30 || st.Lionagi != 4 || !strings.Contains(st.Why, "podium store migrate") {
		t.Errorf("before: %+v", st)
	}

	var steps []string
	m, err := store.Migrate(t.Context(), path, store.MigrateOptions{Step: func(done string, took time.Duration) {
		if took <= 0 {
			t.Errorf("%s took %s", done, took)
		}
		steps = append(steps, done)
	}})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"built index idx_sessions_listing_recent", "built index idx_sessions_listing_cost_reported",
		"built index idx_sessions_listing_cost_unknown", "recorded the adoption",
	}
	if diff := cmp.Diff(want, steps); diff != "" || m.Kind != store.KindAdopted || m.Created || !cmp.Equal(m.Steps, steps) {
		t.Errorf("%+v %s", m, diff)
	}
	if after := schemaOf(t, path, adoption...); after != before {
		t.Errorf("lionagi's schema changed:\n%s", cmp.Diff(before, after))
	}
	if got := storetest.Value(t, path, "PRAGMA application_id"); got != appID {
		t.Errorf("application_id became %s", got)
	}
	if got := storetest.Value(t, path, "PRAGMA user_version"); got != version {
		t.Errorf("user_version became %s", got)
	}
	if st := examine(t, path); st.Kind != store.KindAdopted || !st.Ready() || st.Why != "" || st.Incarnation == "" {
		t.Errorf("after: %+v", st)
	}
	again := migrate(t, path)
	if len(again.Steps) != 0 {
		t.Errorf("a second migration did %q", again.Steps)
	}
}

func TestAdopt_LeavesACurrentStoreUntouched(t *testing.T) {
	for name, make := range map[string]func(t *testing.T) string{
		"adopted": func(t *testing.T) string {
			path := lionagiStore(t, 3)
			migrate(t, path)
			return path
		},
		"podium": func(t *testing.T) string { return closedStore(t) },
	} {
		t.Run(name, func(t *testing.T) {
			path := make(t)
			before := storetest.Value(t, path, "PRAGMA schema_version")
			identity := examine(t, path).Incarnation
			bytes := content(path)
			if m := migrate(t, path); len(m.Steps) != 0 || m.From != m.To {
				t.Errorf("%+v", m)
			}
			if content(path) != bytes || storetest.Value(t, path, "PRAGMA schema_version") != before || examine(t, path).Incarnation != identity {
				t.Error("it was written to")
			}
		})
	}
}

func TestAdopt_SurvivesLionagisRebuildAndPrune(t *testing.T) {
	for _, legacy := range []bool{false, true} {
		t.Run(fmt.Sprintf("legacy=%v", legacy), func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "state.db")
			if legacy {
				storetest.LegacyLionagi(t, path)
			} else {
				storetest.Lionagi(t, path)
			}
			storetest.Fill(t, path, storetest.Rows{Sessions: 100, Branches: 2, Tags: 2, UnknownCost: 2})
			migrate(t, path)
			identity := examine(t, path).Incarnation

			storetest.Prune(t, path, float64(storetest.Epoch.Unix()-50))
			st := examine(t, path)
			if !st.Ready() || st.Sessions != 51 || st.Incarnation != identity {
				t.Errorf("after the prune: %+v", st)
			}

			storetest.RebuildSessions(t, path)
			st = examine(t, path)
			if st.Ready() || st.Kind != store.KindAdopted || st.Sessions != 51 || !strings.Contains(st.Why, "podium store migrate") {
				t.Errorf("after the rebuild: %+v", st)
			}
			s, err := store.OpenReadOnly(t.Context(), path, store.Options{})
			if err != nil {
				t.Errorf("after the rebuild it does not open: %v", err)
			} else if err := s.Close(); err != nil {
				t.Error(err)
			}
			if m := migrate(t, path); len(m.Steps) != 3 {
				t.Errorf("putting the indexes back did %q", m.Steps)
			}
			if st := examine(t, path); !st.Ready() || st.Incarnation != identity {
				t.Errorf("after the repair: %+v", st)
			}
			if got := storetest.Value(t, path, "SELECT count(*) FROM pragma_foreign_key_check"); got != "0" {
				t.Errorf("%s rows point nowhere", got)
			}
		})
	}
}

func TestAdopt_ReplacesAnIndexOfAnotherShapeUnderItsName(t *testing.T) {
	path := lionagiStore(t, 5)
	storetest.SQL(t, path, "CREATE INDEX idx_sessions_listing_recent ON sessions (updated_at)")
	if m := migrate(t, path); len(m.Steps) != 4 {
		t.Errorf("%q", m.Steps)
	}
	if st := examine(t, path); !st.Ready() {
		t.Errorf("%+v", st)
	}
}

func TestAdopt_FinishesWhatAnInterruptedOneLeft(t *testing.T) {
	for _, left := range []string{
		"DROP TABLE podium_meta", "DROP TABLE listing_store_identity", "DROP TABLE podium_meta; DELETE FROM listing_store_identity",
		"DROP INDEX idx_sessions_listing_cost_unknown", "DROP TABLE podium_meta; DROP TABLE listing_store_identity; DROP INDEX idx_sessions_listing_recent",
	} {
		path := lionagiStore(t, 5)
		migrate(t, path)
		storetest.SQL(t, path, left)
		if st := examine(t, path); st.Ready() {
			t.Errorf("%s: ready: %+v", left, st)
		}
		migrate(t, path)
		if st := examine(t, path); !st.Ready() {
			t.Errorf("%s: %+v", left, st)
		}
	}
}

func TestAdopt_RefusesATriggerAndAnotherVersion(t *testing.T) {
	for _, tt := range []struct {
		spoil string
		want  error
		says  string
	}{
		{"CREATE TRIGGER spy AFTER UPDATE ON sessions BEGIN SELECT 1; END", store.ErrUnsafe, "spy"},
		{"UPDATE schema_meta SET value = '5' WHERE key = 'version'", store.ErrNewer, "5 and this podium knows 4"},
		{"UPDATE schema_meta SET value = '2' WHERE key = 'version'", store.ErrForeign, "2 and podium reads 4"},
		{"UPDATE schema_meta SET value = 'four' WHERE key = 'version'", store.ErrForeign, "0 and podium reads 4"},
	} {
		path := lionagiStore(t, 3)
		storetest.SQL(t, path, tt.spoil)
		before := schemaOf(t, path)
		_, err := store.Migrate(t.Context(), path, store.MigrateOptions{})
		if !errors.Is(err, tt.want) || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%s: %v", tt.spoil, err)
		}
		if after := schemaOf(t, path); after != before {
			t.Errorf("%s: the file changed", tt.spoil)
		}
	}
}

func TestAdopt_SaysToStopLionagiWhenManyRowsAreIndexed(t *testing.T) {
	path := lionagiStore(t, 3)
	var notices []string
	opts := store.MigrateOptions{ManyRows: 2, Notice: func(text string) { notices = append(notices, text) }}
	if _, err := store.Migrate(t.Context(), path, opts); err != nil {
		t.Fatal(err)
	}
	if len(notices) != 1 || !strings.Contains(notices[0], "3 sessions; stop lionagi") {
		t.Errorf("%q", notices)
	}
}

func TestAdopted_TakesNoPods(t *testing.T) {
	path := lionagiStore(t, 3)
	if _, err := store.Open(t.Context(), path, store.Options{}); !errors.Is(err, session.ErrAdopted) {
		t.Errorf("opening one for writing that was not adopted: %v", err)
	}
	if _, err := store.Create(t.Context(), path, store.Options{}); !errors.Is(err, session.ErrAdopted) || !errors.Is(err, session.ErrReadOnly) {
		t.Errorf("Create before: %v", err)
	}
	if st := examine(t, path); st.Kind != store.KindLionagi {
		t.Errorf("a refused Create made it %s", st.Kind)
	}
	migrate(t, path)
	if _, err := store.Create(t.Context(), path, store.Options{}); !errors.Is(err, session.ErrAdopted) || !strings.Contains(err.Error(), "--store") {
		t.Errorf("Create after: %v", err)
	}
	s := open(t, path, store.Options{})
	if s.Kind() != store.KindAdopted {
		t.Errorf("kind is %s", s.Kind())
	}
	ctx := t.Context()
	_, startErr := s.StartPod(ctx, storetest.PodStart("a"))
	_, _, acceptErr := s.Accept(ctx, session.Acceptance{})
	_, commitErr := s.Commit(ctx, session.Commit{})
	_, continueErr := s.Continue(ctx, session.Continuation{})
	_, deadErr := s.CloseDead(ctx, session.Pod{})
	for name, err := range map[string]error{
		"StartPod": startErr, "Accept": acceptErr, "Commit": commitErr, "Continue": continueErr, "CloseDead": deadErr,
		"Leave": s.Leave(ctx, session.Leave{}), "ForgetPod": s.ForgetPod(ctx, "a"),
	} {
		if !errors.Is(err, session.ErrAdopted) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if pods, err := s.Pods(ctx); err != nil || pods != nil {
		t.Errorf("its pods: %v, %v", pods, err)
	}
	if _, err := s.PodByName(ctx, "a"); !errors.Is(err, session.ErrNotFound) {
		t.Errorf("a pod: %v", err)
	}
	if log, err := s.Log(ctx, "s0000001", 0, -1, 0); err != nil || log != nil {
		t.Errorf("a log: %v, %v", log, err)
	}
	if report, err := s.Check(ctx, store.CheckOptions{}); err != nil || len(report.Problems) != 0 || report.Tables < 10 {
		t.Errorf("check: %+v, %v", report, err)
	}
}

func TestAdopted_IsNotWrittenToAfterLionagiUpdatedIt(t *testing.T) {
	path := lionagiStore(t, 2)
	migrate(t, path)
	s := open(t, path, store.Options{})
	if _, err := s.RotateIdentity(t.Context()); err != nil {
		t.Fatal(err)
	}
	storetest.SQL(t, path, "CREATE TABLE later (x); UPDATE schema_meta SET value = '5' WHERE key = 'version'")
	before := examine(t, path)
	if _, err := s.RotateIdentity(t.Context()); !errors.Is(err, store.ErrNewer) || !strings.Contains(err.Error(), "5 and this podium knows 4") {
		t.Errorf("%v", err)
	}
	if after := examine(t, path); after.Kind != store.KindNewer || after.Incarnation != before.Incarnation {
		t.Errorf("%+v", after)
	}
}
