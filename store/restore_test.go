//go:build unix

package store_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"podium.local/session"
	"podium.local/store"
	"podium.local/store/storetest"
)

// backedUp makes a store of n sessions at path and a backup of it.
func backedUp(t testing.TB, path string, n int) (backup string) {
	t.Helper()
	s, err := store.Create(t.Context(), path, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if n > 0 {
		storetest.Fill(t, path, storetest.Rows{Sessions: n})
	}
	backup = filepath.Join(t.TempDir(), "backup.db")
	if err := s.Backup(t.Context(), backup); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return backup
}

// count is how many sessions a store holds.
func count(t testing.TB, path string) string {
	t.Helper()
	return storetest.Value(t, path, "SELECT count(*) FROM sessions")
}

func TestRestore_IsTheBackupWithALifeOfItsOwn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	backup := backedUp(t, path, 5)
	before := storetest.Value(t, path, "SELECT incarnation FROM listing_store_identity")
	storetest.SQL(t, path, "PRAGMA wal_autocheckpoint = 0; UPDATE sessions SET name = 'later'; DELETE FROM branches; DELETE FROM sessions WHERE id > 's0000001'")
	r, err := store.Restore(t.Context(), backup, path, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	st := examine(t, path)
	if r.Sessions != 5 || st.Sessions != 5 || !st.Ready() || st.Incarnation != r.Incarnation || r.Incarnation == before || r.Kind != store.KindPodium || r.Path != path {
		t.Errorf("%+v\n%+v", r, st)
	}
	// What was there is whole, under another name.
	if count(t, r.Kept) != "2" || storetest.Value(t, r.Kept, "SELECT name FROM sessions") != "later" {
		t.Errorf("%s holds %s sessions", r.Kept, count(t, r.Kept))
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info.Mode(), err)
	}
	for _, name := range dir(t, filepath.Dir(path)) {
		if strings.Contains(name, ".part-") {
			t.Errorf("%s was left behind", name)
		}
	}
	// The backup stays what it was.
	if examine(t, backup).Incarnation != "" {
		t.Error("the backup got an identity")
	}
	// A pod writes into it as into any store, in WAL mode.
	s := open(t, path, store.Options{})
	storetest.Start(t, s, storetest.PodStart("a"))
	if mode := storetest.Value(t, path, "PRAGMA journal_mode"); mode != "wal" {
		t.Errorf("journal mode %s", mode)
	}
	assertSound(t, s)
}

func TestRestore_OverNothingAndOverALogThatIsLeft(t *testing.T) {
	backup := backedUp(t, filepath.Join(t.TempDir(), "state.db"), 3)
	path := filepath.Join(t.TempDir(), "new.db")
	// The log of a store that somebody removed would bring its rows back.
	other := filepath.Join(t.TempDir(), "other.db")
	s, err := store.Create(t.Context(), other, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	storetest.Start(t, s, storetest.PodStart("a"))
	log, err := os.ReadFile(other + "-wal")
	if err != nil || len(log) == 0 {
		t.Fatalf("%d bytes of log, %v", len(log), err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path+"-wal", log, 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := store.Restore(t.Context(), backup, path, store.Options{})
	if err != nil || r.Kept != "" {
		t.Fatalf("%+v %v", r, err)
	}
	if st := examine(t, path); st.Sessions != 3 || !st.Ready() || st.Pods != 0 {
		t.Errorf("%+v", st)
	}
}

func TestRestore_OverADamagedStore(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	backup := backedUp(t, path, 3)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := 100; i < len(text); i++ {
		text[i] = 0xa5
	}
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := store.Restore(t.Context(), backup, path, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if kept, err := os.ReadFile(r.Kept); err != nil || string(kept) != string(text) {
		t.Errorf("the damaged file is not kept as it was: %v", err)
	}
	if st := examine(t, path); st.Sessions != 3 || !st.Ready() {
		t.Errorf("%+v", st)
	}
}

func TestRestore_BringsAnOlderBackupForwardAndAdoptsLionagis(t *testing.T) {
	theirs := filepath.Join(t.TempDir(), "lionagi.db")
	storetest.Lionagi(t, theirs)
	storetest.Fill(t, theirs, storetest.Rows{Sessions: 4})
	path := filepath.Join(t.TempDir(), "state.db")
	r, err := store.Restore(t.Context(), theirs, path, store.Options{})
	if err != nil || r.Kind != store.KindAdopted || r.Sessions != 4 {
		t.Fatalf("%+v %v", r, err)
	}
	if st := examine(t, path); !st.Ready() {
		t.Errorf("%+v", st)
	}
	if st := examine(t, theirs); st.Kind != store.KindLionagi {
		t.Errorf("the original became %s", st.Kind)
	}
	backup := backedUp(t, filepath.Join(t.TempDir(), "own.db"), 2)
	storetest.SQL(t, backup, "DROP INDEX idx_sessions_listing_recent")
	own := filepath.Join(t.TempDir(), "restored.db")
	if _, err := store.Restore(t.Context(), backup, own, store.Options{}); err != nil || !examine(t, own).Ready() {
		t.Errorf("an index that the backup lacks: %v", err)
	}
}

func TestRestore_RefusesWhatItMustNotReplaceOrUse(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	backup := backedUp(t, path, 3)
	write := func(text string) string {
		t.Helper()
		name := filepath.Join(t.TempDir(), "file")
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	damaged, err := os.ReadFile(backup)
	if err != nil {
		t.Fatal(err)
	}
	for i := 3 * 8192; i < 5*8192; i++ {
		damaged[i] = 0xff
	}
	lionagi := filepath.Join(t.TempDir(), "lionagi.db")
	storetest.Lionagi(t, lionagi)
	other := filepath.Join(t.TempDir(), "other.db")
	storetest.SQL(t, other, "CREATE TABLE notes (x)")
	for _, tt := range []struct{ name, backup, target, want string }{
		{"no backup", filepath.Join(t.TempDir(), "none.db"), path, "the backup: file does not exist"},
		{"a text for a backup", write("hello"), path, "not an SQLite file"},
		{"a damaged backup", write(string(damaged)), path, "damaged"},
		{"another program's backup", other, path, "another program's database"},
		{"itself", path, path, "the backup is the store itself"},
		{"a text in its place", backup, write("my notes"), "move the file away first"},
		{"another program's file in its place", backup, other, "move the file away first"},
		{"our backup over lionagi's store", backup, lionagi, "lionagi"},
		{"lionagi's over ours", lionagi, path, "it holds pods' sessions and the backup is lionagi's"},
		{"a folder in its place", backup, t.TempDir(), "it is a folder"},
		{"no folder", backup, filepath.Join(t.TempDir(), "no", "state.db"), "no such file"},
	} {
		if _, err := store.Restore(t.Context(), tt.backup, tt.target, store.Options{}); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
	if st := examine(t, path); st.Sessions != 3 || !st.Ready() {
		t.Errorf("after all that: %+v", st)
	}
	for _, name := range dir(t, filepath.Dir(path)) {
		if strings.Contains(name, "part") || strings.Contains(name, "replaced") {
			t.Errorf("%s was left behind", name)
		}
	}
}

func TestRestore_IsRefusedWhileSomebodyHasTheStoreOpen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	backup := backedUp(t, path, 3)
	try := func(what string, opts store.Options, want string) {
		t.Helper()
		for name, act := range map[string]func() error{
			"restore": func() error { _, err := store.Restore(t.Context(), backup, path, opts); return err },
			"reset":   func() error { _, err := store.Reset(t.Context(), path, opts); return err },
		} {
			if err := act(); !errors.Is(err, session.ErrBusy) || !strings.Contains(err.Error(), want) {
				t.Errorf("%s beside %s: %v", name, what, err)
			}
		}
		if n := count(t, path); n != "3" && n != "4" {
			t.Errorf("beside %s: %s sessions are left", what, n)
		}
	}
	// A daemon of this process that has listed once and is idle.
	v := newView(t, path)
	if _, err := v.ListPage(t.Context(), everyPage[0]); err != nil {
		t.Fatal(err)
	}
	try("an idle reader", store.Options{}, "held by another program; stop that first")
	if err := v.Close(); err != nil {
		t.Fatal(err)
	}
	// Another process, by name where the system tells.
	p := startHelper(t, "hold", path)
	p.lines.Scan()
	want := "held by "
	if runtime.GOOS == "linux" {
		want = fmt.Sprintf("(process %d)", p.cmd.Process.Pid)
	}
	try("another process", store.Options{}, want)
	p.stop(t)
	// A pod that is alive, whether or not it has the file open now.
	s := open(t, path, store.Options{})
	storetest.Start(t, s, storetest.PodStart("atlas"))
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	try("a pod", store.Options{Alive: func(session.Process) bool { return true }}, "held by pod atlas (process 4711)")
	if _, err := store.Restore(t.Context(), backup, path, store.Options{}); err != nil {
		t.Errorf("when all have gone: %v", err)
	}
}

func TestReset_LeavesAnEmptyStoreAndKeepsTheOld(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	backedUp(t, path, 3)
	before := examine(t, path).Incarnation
	r, err := store.Reset(t.Context(), path, store.Options{})
	if err != nil || r.Sessions != 0 {
		t.Fatalf("%+v %v", r, err)
	}
	if st := examine(t, path); st.Sessions != 0 || !st.Ready() || st.Incarnation == before || st.Incarnation != r.Incarnation {
		t.Errorf("%+v", st)
	}
	if count(t, r.Kept) != "3" {
		t.Errorf("kept %s", count(t, r.Kept))
	}
	theirs := adopted(t, false)
	if _, err := store.Reset(t.Context(), theirs, store.Options{}); !errors.Is(err, session.ErrAdopted) {
		t.Errorf("lionagi's store: %v", err)
	}
	// It may be made where there is none.
	fresh := filepath.Join(t.TempDir(), "fresh.db")
	if _, err := store.Reset(t.Context(), fresh, store.Options{}); err != nil || !examine(t, fresh).Ready() {
		t.Error(err)
	}
}

// runHoldHelper has a store open and does nothing with it.
func runHoldHelper(ctx context.Context, path string, say io.Writer) error {
	s, err := store.OpenReadOnly(ctx, path, store.Options{})
	if err != nil {
		return err
	}
	if _, err := s.Pods(ctx); err != nil {
		return err
	}
	fmt.Fprintln(say, "open")
	<-ctx.Done()
	return s.Close()
}

// restoreSteps are where a restore may be killed.
var restoreSteps = []string{"prepared", "drained", "kept", "cleared", "renamed"}

// runRestoreHelper restores and kills itself after a step: the path is the
// store's, the backup and the step come in the environment.
func runRestoreHelper(ctx context.Context, path string, _ io.Writer) error {
	store.AfterReplaceStep(func(step string) {
		if step == os.Getenv("RESTORE_STEP") {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {}
		}
	})
	_, err := store.Restore(ctx, os.Getenv("RESTORE_FROM"), path, store.Options{})
	return err
}

func TestRestore_KilledAtAnyStepLeavesAWholeStore(t *testing.T) {
	for _, step := range restoreSteps {
		path := filepath.Join(t.TempDir(), "state.db")
		backup := backedUp(t, path, 3)
		storetest.SQL(t, path, "PRAGMA wal_autocheckpoint = 0; UPDATE sessions SET name = 'old'")
		cmd := exec.Command(os.Args[0], helperArg, "restore", path)
		cmd.Env = append(os.Environ(), "RESTORE_STEP="+step, "RESTORE_FROM="+backup)
		stdin, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		out, err := cmd.CombinedOutput()
		_ = stdin.Close()
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
			t.Fatalf("%s: %v %s", step, err, out)
		}
		want := "old"
		if step == "renamed" {
			want = "session 0 about topic 0"
		}
		st := examine(t, path)
		if got := storetest.Value(t, path, "SELECT name FROM sessions ORDER BY id"); st.Sessions != 3 || !st.Ready() || got != want {
			t.Errorf("killed after %s: %d sessions, ready %t, %q", step, st.Sessions, st.Ready(), got)
		}
		s := open(t, path, store.Options{})
		storetest.Start(t, s, storetest.PodStart("a"))
		assertSound(t, s)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		// And the next attempt succeeds.
		if r, err := store.Restore(t.Context(), backup, path, store.Options{}); err != nil || r.Sessions != 3 {
			t.Errorf("again after %s: %+v %v", step, r, err)
		}
	}
}
