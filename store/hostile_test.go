//go:build unix

package store_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"podium.local/session"
	"podium.local/store"
	"podium.local/store/storetest"
)

func TestOpen_RefusesWhatIsNotASafeStore(t *testing.T) {
	write := func(path, content string) error { return os.WriteFile(path, []byte(content), 0o600) }
	for _, tt := range []struct {
		name string
		make func(t *testing.T, path string) error
		want error
		says string
	}{
		{"absent", func(*testing.T, string) error { return nil }, store.ErrAbsent, "podium store migrate"},
		{"empty file", func(_ *testing.T, path string) error { return write(path, "") }, store.ErrAbsent, "podium store migrate"},
		{"text", func(_ *testing.T, path string) error { return write(path, "my shopping list, private") }, store.ErrForeign, "not an SQLite file"},
		{"short text", func(_ *testing.T, path string) error { return write(path, "hi") }, store.ErrForeign, "not an SQLite file"},
		{"folder", func(_ *testing.T, path string) error { return os.Mkdir(path, 0o700) }, store.ErrUnsafe, "folder"},
		{"named pipe", func(_ *testing.T, path string) error { return syscall.Mkfifo(path, 0o600) }, store.ErrUnsafe, "named pipe"},
		{"link to a store", func(t *testing.T, path string) error { return os.Symlink(closedStore(t), path) }, store.ErrUnsafe, "symbolic link"},
		{"link to nothing", func(_ *testing.T, path string) error { return os.Symlink("nowhere", path) }, store.ErrUnsafe, "symbolic link"},
		{"another program's database", func(t *testing.T, path string) error {
			storetest.SQL(t, path, "CREATE TABLE accounts (secret TEXT); INSERT INTO accounts VALUES ('hunter2')")
			return nil
		}, store.ErrForeign, "another program's database"},
		{"another program's schema_meta", func(t *testing.T, path string) error {
			storetest.SQL(t, path, "CREATE TABLE schema_meta (id INTEGER, hunter2 TEXT)")
			return nil
		}, store.ErrForeign, "another program's database"},
		{"another program's podium_meta", func(t *testing.T, path string) error {
			storetest.SQL(t, path, "CREATE TABLE podium_meta (id INTEGER)")
			return nil
		}, store.ErrForeign, "another program's database"},
		{"a newer podium's", func(t *testing.T, path string) error {
			storetest.Copy(t, closedStore(t), path)
			storetest.SQL(t, path, "UPDATE podium_meta SET schema = 99")
			return nil
		}, store.ErrNewer, "99"},
		{"a newer lionagi's", func(t *testing.T, path string) error {
			storetest.Lionagi(t, path)
			storetest.SQL(t, path, "UPDATE schema_meta SET value = '5' WHERE key = 'version'")
			return nil
		}, store.ErrNewer, "5 and this podium knows 4"},
		{"an older lionagi's", func(t *testing.T, path string) error {
			storetest.Lionagi(t, path)
			storetest.SQL(t, path, "UPDATE schema_meta SET value = '3' WHERE key = 'version'")
			return nil
		}, store.ErrForeign, "3 and podium reads 4"},
		{"a store without its record", func(t *testing.T, path string) error {
			storetest.Copy(t, closedStore(t), path)
			storetest.SQL(t, path, "DELETE FROM podium_meta")
			return nil
		}, store.ErrForeign, "podium_meta"},
		{"a store without a table", func(t *testing.T, path string) error {
			storetest.Copy(t, closedStore(t), path)
			storetest.SQL(t, path, "DROP TABLE run_tags")
			return nil
		}, store.ErrForeign, "run_tags is missing"},
		{"a view for a table", func(t *testing.T, path string) error {
			storetest.Lionagi(t, path)
			storetest.SQL(t, path, "DROP TABLE run_tags; CREATE VIEW run_tags AS SELECT 1 AS session_id, 2 AS tag, 3 AS created_at")
			return nil
		}, store.ErrUnsafe, "run_tags is a view"},
		{"a damaged store", func(t *testing.T, path string) error {
			storetest.Copy(t, closedStore(t), path)
			f, err := os.OpenFile(path, os.O_WRONLY, 0)
			if err != nil {
				return err
			}
			if _, err := f.WriteAt([]byte(strings.Repeat("\xff", 4000)), 100); err != nil {
				return err
			}
			return f.Close()
		}, session.ErrCorrupt, "damaged"},
		{"half a store", func(t *testing.T, path string) error {
			storetest.Copy(t, closedStore(t), path)
			return os.Truncate(path, 10_000)
		}, session.ErrCorrupt, "damaged"},
		{"the beginning of a header", func(_ *testing.T, path string) error { return write(path, "SQLite format 3\x00") }, session.ErrCorrupt, "damaged"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "state.db")
			if err := tt.make(t, path); err != nil {
				t.Fatal(err)
			}
			before := content(path)
			_, err := store.Open(t.Context(), path, store.Options{})
			if !errors.Is(err, tt.want) || !strings.Contains(err.Error(), tt.says) || !strings.Contains(err.Error(), path) {
				t.Errorf("Open: %v", err)
			}
			_, err = store.OpenReadOnly(t.Context(), path, store.Options{})
			if !errors.Is(err, tt.want) || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("OpenReadOnly: %v", err)
			}
			for _, secret := range []string{"hunter2", "shopping", "secret"} {
				if strings.Contains(err.Error(), secret) {
					t.Errorf("the error shows content: %v", err)
				}
			}
			if tt.want != store.ErrAbsent {
				if _, err := store.Create(t.Context(), path, store.Options{}); !errors.Is(err, tt.want) {
					t.Errorf("Create: %v", err)
				}
			}
			if tt.want != store.ErrAbsent {
				beside := dir(t, filepath.Dir(path))
				if _, err := store.Migrate(t.Context(), path, store.MigrateOptions{}); !errors.Is(err, tt.want) {
					t.Errorf("Migrate: %v", err)
				}
				if diff := cmp.Diff(beside, dir(t, filepath.Dir(path))); diff != "" {
					t.Errorf("a refused Migrate left files: %s", diff)
				}
			}
			if after := content(path); after != before {
				t.Error("the file was changed")
			}
		})
	}
}

// TestExamine_AdvisesNoWriteToADamagedStore empties the table of sessions in a
// way that reads without an error, and takes away the identity.
func TestExamine_AdvisesNoWriteToADamagedStore(t *testing.T) {
	for _, identity := range []string{"", "DELETE FROM listing_store_identity"} {
		s := storetest.New(t, store.Options{})
		storetest.Start(t, s, storetest.PodStart("w"))
		path := s.Path()
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		storetest.SQL(t, path, identity+"; PRAGMA journal_mode = DELETE")
		root, err := strconv.ParseInt(storetest.Value(t, path, "SELECT rootpage FROM sqlite_schema WHERE name = 'sessions'"), 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		st, err := store.Examine(t.Context(), path)
		if err != nil || st.Sessions != 1 || (identity == "") != (st.Why == "") {
			t.Fatalf("before: %+v, %v", st, err)
		}
		f, err := os.OpenFile(path, os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		const pageSize = 8192
		page := make([]byte, pageSize)
		page[0], page[5] = 0x0d, pageSize>>8 // a leaf without cells
		_, err = f.WriteAt(page, (root-1)*pageSize)
		if err := errors.Join(err, f.Close()); err != nil {
			t.Fatal(err)
		}
		st, err = store.Examine(t.Context(), path)
		if !errors.Is(err, session.ErrCorrupt) || !strings.Contains(err.Error(), "podium store check") || strings.Contains(st.Why+err.Error(), "\n") {
			t.Errorf("after: %+v, %v", st, err)
		}
	}
}

func TestOpen_RefusesAPathThatIsNoPath(t *testing.T) {
	for _, path := range []string{"", "a\x00b"} {
		if _, err := store.Open(t.Context(), path, store.Options{}); !errors.Is(err, store.ErrUnsafe) {
			t.Errorf("%q: %v", path, err)
		}
	}
}

func TestOpen_TakesAnyCharacterInAPath(t *testing.T) {
	for _, name := range []string{"a b.db", "a?mode=memory.db", "a#b.db", "a%41.db", "ü.db", "file:x.db", "a&cache=shared.db", "'\".db"} {
		path := filepath.Join(t.TempDir(), name)
		s, err := store.Create(t.Context(), path, store.Options{})
		if err != nil {
			t.Errorf("%q: %v", name, err)
			continue
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		for _, made := range dir(t, filepath.Dir(path)) {
			if rest, ok := strings.CutPrefix(made, name); !ok || rest != "" && rest != ".lock" && rest != "-wal" && rest != "-shm" {
				t.Errorf("%q made %q", name, made)
			}
		}
	}
}

func TestCreate_MakesFilesThatOnlyTheirOwnerReads(t *testing.T) {
	old := syscall.Umask(0)
	defer syscall.Umask(old)
	s := storetest.New(t, store.Options{})
	check := func(when string) {
		t.Helper()
		for _, name := range dir(t, filepath.Dir(s.Path())) {
			info, err := os.Stat(filepath.Join(filepath.Dir(s.Path()), name))
			if err != nil {
				t.Fatal(err)
			}
			if mode := info.Mode().Perm(); mode != 0o600 {
				t.Errorf("%s: %s has mode %o", when, name, mode)
			}
		}
	}
	check("new")
	p := storetest.Start(t, s, storetest.PodStart("a"))
	check("written")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	again, err := store.Open(t.Context(), s.Path(), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	check("opened again")
	storetest.Start(t, again, storetest.PodStart("b"))
	check("written again")
	if err := again.Close(); err != nil {
		t.Fatal(err)
	}
	_ = p
}

func TestWrite_RefusesATriggerThatSomebodyAdded(t *testing.T) {
	s := storetest.New(t, store.Options{})
	p := storetest.Start(t, s, storetest.PodStart("a"))
	storetest.SQL(t, s.Path(), "CREATE TRIGGER spy AFTER INSERT ON entries BEGIN DELETE FROM run_tags; END")
	_, err := s.Commit(t.Context(), session.Commit{PodID: p.ID, SessionID: p.SessionID, Entries: []session.NewEntry{storetest.Text("x")}})
	if !errors.Is(err, store.ErrUnsafe) || !strings.Contains(err.Error(), "spy") {
		t.Errorf("commit: %v", err)
	}
	storetest.SQL(t, s.Path(), "DROP TRIGGER spy")
	storetest.Commit(t, s, p, storetest.Text("x"))
}

func TestWrite_GoesOnWhenANewerBuildAddedToTheSchema(t *testing.T) {
	s := storetest.New(t, store.Options{})
	p := storetest.Start(t, s, storetest.PodStart("a"))
	storetest.SQL(t, s.Path(), "CREATE TABLE later (x); UPDATE podium_meta SET schema = 99")
	storetest.Commit(t, s, p, storetest.Text("x"))
	if _, err := store.Open(t.Context(), s.Path(), store.Options{}); !errors.Is(err, store.ErrNewer) {
		t.Errorf("opening it anew: %v", err)
	}
}

func TestWrite_NoticesThatTheFileWasReplaced(t *testing.T) {
	for _, replace := range []string{"replaced", "removed"} {
		t.Run(replace, func(t *testing.T) {
			s := storetest.New(t, store.Options{})
			p := storetest.Start(t, s, storetest.PodStart("a"))
			for _, suffix := range []string{"", "-wal"} {
				if err := os.Remove(s.Path() + suffix); err != nil {
					t.Fatal(err)
				}
			}
			if replace == "replaced" {
				storetest.Copy(t, closedStore(t), s.Path())
			}
			_, err := s.Commit(t.Context(), session.Commit{PodID: p.ID, SessionID: p.SessionID, Entries: []session.NewEntry{storetest.Text("x")}})
			if !errors.Is(err, session.ErrLost) {
				t.Errorf("commit: %v", err)
			}
		})
	}
}

func TestWrite_StopsCleanlyWhenTheFileMayNotGrow(t *testing.T) {
	s := storetest.New(t, store.Options{})
	p := startHelper(t, "full", s.Path())
	commits := 0
	for p.lines.Scan() && p.lines.Text() == "committed" {
		commits++
	}
	if p.lines.Text() != "full" || commits == 0 {
		t.Errorf("%d commits, then %q", commits, p.lines.Text())
	}
	p.stop(t)
	assertSound(t, s)
	pod, err := s.PodByName(t.Context(), "full")
	if err != nil || pod.Length != int64(2*commits) || pod.Seq != uint64(2*commits) {
		t.Errorf("%d commits of two entries left %+v, %v", commits, pod, err)
	}
}

// asOther runs the helper as a user who owns nothing here, where we may.
func asOther(p *exec.Cmd) {
	if os.Geteuid() == 0 {
		p.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	}
}

func TestOpen_NamesWhatPermissionsForbid(t *testing.T) {
	// The folder of the test must be reachable for another user.
	folder, err := os.MkdirTemp("", "podium-store-*")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(folder)
	if err := os.Chmod(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	binary := filepath.Join(folder, "helper")
	copyExecutable(t, os.Args[0], binary)
	path := filepath.Join(folder, "state.db")
	storetest.Copy(t, closedStore(t), path)
	open := func() string {
		t.Helper()
		cmd := exec.Command(binary, helperArg, "open", path)
		cmd.Dir = folder
		if _, err := cmd.StdinPipe(); err != nil { // it works until this is closed
			t.Fatal(err)
		}
		asOther(cmd)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		return string(out)
	}
	if err := os.Chmod(path, 0); err != nil {
		t.Fatal(err)
	}
	if said := open(); !strings.Contains(said, "permission denied; check its permissions") {
		t.Errorf("a file that may not be read: %s", said)
	}
	// Readable, and in a folder where no side file can be made: root's store, or
	// our own after its folder was closed.
	if err := os.Chmod(path, 0o444); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(folder, 0o555); err != nil {
		t.Fatal(err)
	}
	said := open()
	if err := os.Chmod(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(said, "its folder") {
		t.Errorf("a store without side files in a folder that is closed: %s", said)
	}
	if os.Geteuid() == 0 {
		if err := os.Chown(path, 12345, 12345); err != nil {
			t.Fatal(err)
		}
		if said := open(); !strings.Contains(said, "it belongs to user 12345 and you are user 65534") {
			t.Errorf("somebody else's store: %s", said)
		}
		if err := errors.Join(os.Chown(path, 65534, 65534), os.Chown(folder, 65534, 65534)); err != nil {
			t.Fatal(err)
		}
	}
	// Our own file, which may be written, in a folder that may not.
	if err := errors.Join(os.Chmod(path, 0o600), os.Chmod(folder, 0o500)); err != nil {
		t.Fatal(err)
	}
	said = open()
	if err := os.Chmod(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(said, "copy it with its -wal file") {
		t.Errorf("our own store in a folder of mode 0500: %s", said)
	}
}

func copyExecutable(t testing.TB, from, to string) {
	t.Helper()
	in, err := os.Open(from)
	if err != nil {
		t.Fatal(err)
	}
	out, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o755)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(out, in); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(in.Close(), out.Close()); err != nil {
		t.Fatal(err)
	}
}

// runFullHelper commits until the file may not grow any more and says how that
// ended.
func runFullHelper(ctx context.Context, path string, say io.Writer) error {
	s, err := store.Open(ctx, path, store.Options{})
	if err != nil {
		return err
	}
	p, err := s.StartPod(ctx, self("full"))
	if err != nil {
		return err
	}
	// The kernel says EFBIG where a full disk says ENOSPC; the signal that comes
	// with it would end the process.
	signal.Ignore(syscall.SIGXFSZ)
	limit := syscall.Rlimit{Cur: 2 << 20, Max: 2 << 20}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		return err
	}
	for {
		_, err := s.Commit(ctx, session.Commit{
			PodID: p.ID, SessionID: p.SessionID, Entries: []session.NewEntry{storetest.Text(strings.Repeat("z", 100_000)), storetest.Text("tail")},
		})
		if errors.Is(err, session.ErrFull) {
			fmt.Fprintln(say, "full")
			return s.Close()
		}
		if err != nil {
			return err
		}
		fmt.Fprintln(say, "committed")
	}
}

// runOpenHelper opens the store for reading and says what came of it.
func runOpenHelper(ctx context.Context, path string, say io.Writer) error {
	s, err := store.OpenReadOnly(ctx, path, store.Options{})
	if err != nil {
		fmt.Fprintln(say, err)
		return nil
	}
	fmt.Fprintln(say, "opened")
	return s.Close()
}
