package storetest

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/ncruces/go-sqlite3"

	"podium.local/protocol"
	"podium.local/session"
	"podium.local/store"
)

//go:embed lionagi.sql
var lionagiTables string

//go:embed lionagi_indexes.sql
var lionagiIndexes string

// Epoch is the time that stores of New live at, and about which Fill spreads
// its sessions.
var Epoch = time.Date(2026, 11, 30, 20, 0, 0, 0, time.UTC)

// New makes an empty Podium store in a folder of the test's own and closes it
// at the test's end. A zero opts.Now stands at Epoch.
func New(t testing.TB, opts store.Options) *store.Store {
	t.Helper()
	if opts.Now == nil {
		opts.Now = func() time.Time { return Epoch }
	}
	path := filepath.Join(t.TempDir(), "state.db")
	empty, err := template()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, empty, 0o600); err != nil {
		t.Fatal(err)
	}
	SQL(t, path, "UPDATE listing_store_identity SET incarnation = '"+uuid.NewString()+"'")
	s, err := store.Open(t.Context(), path, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// template is the content of a store that was just made. Making it runs all
// migrations; tests only need that once.
var template = sync.OnceValues(func() (content []byte, err error) {
	folder, err := os.MkdirTemp("", "podium-template-*")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	path := filepath.Join(folder, "state.db")
	s, err := store.Create(context.Background(), path, store.Options{Now: func() time.Time { return Epoch }})
	if err != nil {
		return nil, err
	}
	if err := s.Close(); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
})

// PodStart is a start under the given name, with everything set that a real
// one sets.
func PodStart(name string) session.PodStart {
	return session.PodStart{
		Name: name, Cwd: "/src/" + name, Provider: "anthropic", Model: "opus", Project: "podium",
		Process: session.Process{PID: 4711, CreateTime: 1000.5, Host: "here", BootTime: 7},
	}
}

// Start starts a pod.
func Start(t testing.TB, s *store.Store, start session.PodStart) session.Pod {
	t.Helper()
	p, err := s.StartPod(t.Context(), start)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Text is an entry that says something.
func Text(text string) session.NewEntry {
	return session.NewEntry{ID: protocol.NewEntryID(), Kind: session.KindText, Payload: session.Text{Text: text}}
}

// Commit appends entries.
func Commit(t testing.TB, s *store.Store, p session.Pod, entries ...session.NewEntry) []session.Entry {
	t.Helper()
	out, err := s.Commit(t.Context(), session.Commit{PodID: p.ID, SessionID: p.SessionID, At: Epoch, Entries: entries})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// SQL runs statements on the file at path as another program would.
func SQL(t testing.TB, path, statements string) {
	t.Helper()
	c := Dial(t, path)
	if err := c.Exec(statements); err != nil {
		t.Fatalf("%v in %.200s", err, statements)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
}

// Value is the first column of the first row of a query on the file at path,
// as text; NULL and no row are "".
func Value(t testing.TB, path, query string) string {
	t.Helper()
	c := Dial(t, path)
	stmt, _, err := c.Prepare(query)
	if err != nil {
		t.Fatalf("%v in %.200s", err, query)
	}
	text := ""
	if stmt.Step() {
		text = stmt.ColumnText(0)
	}
	if err := stmt.Close(); err != nil {
		t.Fatal(err)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	return text
}

// Dial opens the file at path as another program would. The caller closes it.
func Dial(t testing.TB, path string) *sqlite3.Conn {
	t.Helper()
	uri := (&url.URL{Scheme: "file", OmitHost: true, Path: path}).String()
	c, err := sqlite3.OpenFlags(uri, sqlite3.OPEN_READWRITE|sqlite3.OPEN_CREATE|sqlite3.OPEN_URI)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.BusyTimeout(30 * time.Second); err != nil {
		t.Fatal(err)
	}
	return c
}

// Lionagi makes a store as lionagi does, empty.
func Lionagi(t testing.TB, path string) { lionagi(t, path, lionagiTables) }

// LegacyLionagi makes one whose updated_at may be NULL, as lionagi's own
// migration of old stores leaves it.
func LegacyLionagi(t testing.TB, path string) {
	legacy := strings.Replace(lionagiTables, "updated_at                 REAL    NOT NULL", "updated_at                 REAL", 1)
	if legacy == lionagiTables {
		t.Fatal("no updated_at to make nullable")
	}
	lionagi(t, path, legacy)
}

func lionagi(t testing.TB, path, tables string) {
	t.Helper()
	SQL(t, path, "PRAGMA journal_mode = WAL; BEGIN; "+tables+lionagiIndexes+" COMMIT;")
}

// RebuildSessions does to a store what lionagi does when it must change a
// constraint: a new table, a copy, a rename, its own indexes again.
func RebuildSessions(t testing.TB, path string) {
	t.Helper()
	_, rest, found := strings.Cut(lionagiTables, "CREATE TABLE sessions (")
	body, _, ends := strings.Cut(rest, "\n);")
	if !found || !ends {
		t.Fatal("no table sessions to rebuild")
	}
	SQL(t, path, "PRAGMA foreign_keys = OFF; BEGIN IMMEDIATE; CREATE TABLE sessions_new ("+body+`);
		INSERT INTO sessions_new SELECT * FROM sessions;
		DROP TABLE sessions;
		ALTER TABLE sessions_new RENAME TO sessions;`+lionagiIndexes+" COMMIT; PRAGMA foreign_keys = ON;")
}

// Prune does to a store what lionagi does to sessions that ended long ago.
// before is in Unix seconds.
func Prune(t testing.TB, path string, before float64) {
	t.Helper()
	SQL(t, path, fmt.Sprintf(`PRAGMA foreign_keys = ON; BEGIN IMMEDIATE;
		DELETE FROM sessions WHERE updated_at < %[1]f;
		DELETE FROM progressions WHERE id NOT IN (SELECT progression_id FROM sessions) AND id NOT IN (SELECT progression_id FROM branches);
		COMMIT;`, before))
}

// Copy copies a store that nobody has open for writing, with its side files.
func Copy(t testing.TB, from, to string) {
	t.Helper()
	for _, suffix := range []string{"", "-wal"} {
		in, err := os.Open(from + suffix)
		if os.IsNotExist(err) && suffix != "" {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		out, err := os.OpenFile(to+suffix, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(out, in); err != nil {
			t.Fatal(err)
		}
		if err := in.Close(); err != nil {
			t.Fatal(err)
		}
		if err := out.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
