package store_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gofrs/flock"
	"github.com/google/go-cmp/cmp"

	"podium.local/session"
	"podium.local/store"
	"podium.local/store/storetest"
)

// steps are the migrations that this build has, in order.
func steps(t testing.TB) []string {
	t.Helper()
	files, err := filepath.Glob("migrations/*.sql")
	if err != nil || len(files) < 3 {
		t.Fatal(files, err)
	}
	return files
}

func TestMigrate_MakesAStoreThatIsReady(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	if st := examine(t, path); st.Kind != store.KindAbsent || !strings.Contains(st.Why, "podium store migrate") {
		t.Errorf("before: %+v", st)
	}
	newest := len(steps(t))
	m := migrate(t, path)
	if !m.Created || m.Kind != store.KindPodium || m.From != 0 || m.To != newest || len(m.Steps) != newest {
		t.Errorf("%+v", m)
	}
	st := examine(t, path)
	if !st.Ready() || st.Schema != newest || st.Bytes == 0 {
		t.Errorf("after: %+v", st)
	}
	for query, want := range map[string]string{
		"PRAGMA application_id":                           "1349477481",
		"PRAGMA journal_mode":                             "wal",
		"PRAGMA page_size":                                "8192",
		"SELECT origin || ' ' || schema FROM podium_meta": fmt.Sprint("podium ", newest),
		"SELECT group_concat('migrations/' || name) FROM podium_migrations":                 strings.Join(steps(t), ","),
		"SELECT count(*) FROM sqlite_schema WHERE type = 'trigger' OR name = 'schema_meta'": "0",
		"SELECT count(*) FROM message_types":                                                "6",
	} {
		if got := storetest.Value(t, path, query); got != want {
			t.Errorf("%s gives %q, want %q", query, got, want)
		}
	}
	other := filepath.Join(t.TempDir(), "state.db")
	migrate(t, other)
	if examine(t, other).Incarnation == st.Incarnation {
		t.Error("two stores have one incarnation")
	}
}

// TestMigrations_KeepLionagisTables compares the common tables with those of a
// store of lionagi's: names and order of columns, NOT NULL, defaults, foreign
// keys, and the columns of every index.
func TestMigrations_KeepLionagisTables(t *testing.T) {
	ours := storetest.New(t, store.Options{}).Path()
	theirs := filepath.Join(t.TempDir(), "state.db")
	storetest.Lionagi(t, theirs)
	describe := func(path, table string) string {
		columns := storetest.Value(t, path, "SELECT group_concat(name || ' ' || \"notnull\" || ' ' || coalesce(dflt_value, '') || ' ' || pk, char(10)) FROM pragma_table_info('"+table+"')")
		keys := storetest.Value(t, path, "SELECT group_concat(k, char(10)) FROM (SELECT \"from\" || '>' || \"table\" || ' ' || on_delete AS k FROM pragma_foreign_key_list('"+table+"') ORDER BY 1)")
		return columns + "\n" + keys
	}
	for _, table := range []string{
		"sessions", "branches", "progressions", "messages", "message_types", "run_tags", "projects", "invocations", "session_signals",
		"session_controls", "status_transitions",
	} {
		if diff := cmp.Diff(describe(theirs, table), describe(ours, table)); diff != "" {
			t.Errorf("%s:\n%s", table, diff)
		}
	}
	indexes := `SELECT group_concat(i, char(10)) FROM (SELECT l.name || ' ' || l.partial || ' ' || (SELECT group_concat(name) FROM pragma_index_info(l.name)) AS i
		FROM sqlite_schema AS m, pragma_index_list(m.name) AS l WHERE m.type = 'table' AND m.name = 'sessions' AND l.name NOT LIKE 'idx_sessions_listing%' ORDER BY 1)`
	if diff := cmp.Diff(storetest.Value(t, theirs, indexes), storetest.Value(t, ours, indexes)); diff != "" {
		t.Error(diff)
	}
}

func TestMigrate_GoesForwardFromEveryOlderSchema(t *testing.T) {
	want := schemaOf(t, closedStore(t))
	files := steps(t)
	for older := 1; older < len(files); older++ {
		t.Run(fmt.Sprint(older), func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "state.db")
			storetest.SQL(t, path, "PRAGMA page_size = 8192; PRAGMA journal_mode = WAL; PRAGMA application_id = 1349477481")
			for i, step := range files[:older] {
				text, err := os.ReadFile(step)
				if err != nil {
					t.Fatal(err)
				}
				storetest.SQL(t, path, fmt.Sprintf("%s; INSERT INTO podium_migrations VALUES (%d, '%s', 1.5)", text, i+1, filepath.Base(step)))
			}
			storetest.SQL(t, path, fmt.Sprintf("INSERT INTO podium_meta VALUES (1, 'podium', %d, 1.5)", older))
			if older >= 2 {
				storetest.SQL(t, path, "INSERT INTO listing_store_identity VALUES (1, 'kept', 1.5)")
			}
			_, err := store.Open(t.Context(), path, store.Options{})
			if !errors.Is(err, store.ErrOutdated) || !strings.Contains(err.Error(), fmt.Sprintf("its schema is %d and this podium wants %d", older, len(files))) {
				t.Errorf("Open: %v", err)
			}
			if _, err := store.OpenReadOnly(t.Context(), path, store.Options{}); !errors.Is(err, store.ErrOutdated) {
				t.Errorf("OpenReadOnly: %v", err)
			}
			if st := examine(t, path); st.Ready() || !strings.Contains(st.Why, "podium store migrate") {
				t.Errorf("%+v", st)
			}
			s, err := store.Create(t.Context(), path, store.Options{})
			if err != nil {
				t.Fatal(err)
			}
			storetest.Start(t, s, storetest.PodStart("a"))
			assertSound(t, s)
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, schemaOf(t, path)); diff != "" {
				t.Error(diff)
			}
			if st := examine(t, path); !st.Ready() || older >= 2 && st.Incarnation != "kept" {
				t.Errorf("%+v", st)
			}
		})
	}
}

func TestMigrate_PutsBackAListingIndexThatSomebodyDropped(t *testing.T) {
	path := closedStore(t)
	identity := examine(t, path).Incarnation
	storetest.SQL(t, path, "DROP INDEX idx_sessions_listing_cost_unknown")
	if st := examine(t, path); st.Ready() || !strings.Contains(st.Why, "podium store migrate") {
		t.Errorf("%+v", st)
	}
	if m := migrate(t, path); !cmp.Equal(m.Steps, []string{"built index idx_sessions_listing_cost_unknown"}) {
		t.Errorf("%+v", m)
	}
	if st := examine(t, path); !st.Ready() || st.Incarnation != identity {
		t.Errorf("%+v", st)
	}
}

func TestMigrate_FinishesWhatAKilledOneLeft(t *testing.T) {
	for name, make := range map[string]func(t *testing.T, path string){
		"an empty file": func(t *testing.T, path string) { storetest.SQL(t, path, "PRAGMA user_version") },
		"no table yet": func(t *testing.T, path string) {
			storetest.SQL(t, path, "PRAGMA page_size = 8192; PRAGMA journal_mode = WAL")
		},
		"nothing but a log": func(t *testing.T, path string) {
			if err := os.WriteFile(path, nil, 0o600); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path+"-wal", nil, 0o600); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "state.db")
			make(t, path)
			if st := examine(t, path); st.Kind != store.KindAbsent {
				t.Errorf("before: %+v", st)
			}
			if m := migrate(t, path); !m.Created {
				t.Errorf("%+v", m)
			}
			if st := examine(t, path); !st.Ready() {
				t.Errorf("after: %+v", st)
			}
		})
	}
}

func TestMigrate_WaitsForItsTurnAndSaysWhatItWaitedFor(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	if err := os.WriteFile(path+".lock", []byte("4711"), 0o600); err != nil {
		t.Fatal(err)
	}
	lock := flock.New(path + ".lock")
	if held, err := lock.TryLock(); err != nil || !held {
		t.Fatal(held, err)
	}
	opts := store.MigrateOptions{Options: store.Options{BusyTimeout: 30 * time.Millisecond}}
	_, err := store.Migrate(t.Context(), path, opts)
	if !errors.Is(err, session.ErrBusy) || !strings.Contains(err.Error(), "process 4711 is making or migrating it ("+path+".lock)") {
		t.Errorf("%v", err)
	}
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("it was made all the same: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := store.Migrate(ctx, path, opts); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if err := lock.Unlock(); err != nil {
		t.Fatal(err)
	}
	migrate(t, path)
}

func TestMigrate_WantsTheFolderToBeThere(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for path, says := range map[string]string{
		filepath.Join(file, "state.db"):              "not a directory",
		filepath.Join(t.TempDir(), "no", "state.db"): "no does not exist; make it first",
	} {
		if _, err := store.Create(t.Context(), path, store.Options{}); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", path, err)
		}
	}
}
