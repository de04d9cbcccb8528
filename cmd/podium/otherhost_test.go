package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gofrs/flock"

	"podium.local/session"
	"podium.local/store"
	"podium.local/store/storetest"
)

// foreign makes a home whose store has an open pod, atlas, of a host named here.
func foreign(t *testing.T) (home, sessionID string) {
	t.Helper()
	home = t.TempDir()
	path := filepath.Join(home, "state.db")
	if _, err := store.Migrate(t.Context(), path, store.MigrateOptions{}); err != nil {
		t.Fatal(err)
	}
	s, err := store.Open(t.Context(), path, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	p := storetest.Start(t, s, storetest.PodStart("atlas"))
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return home, p.SessionID
}

func statusIn(t *testing.T, home, id string) session.Status {
	t.Helper()
	code, out, errs := runIn(t.Context(), home, "sessions", "show", id, "--json")
	var shown struct{ Status session.Status }
	if err := json.Unmarshal([]byte(out), &shown); code != exitOK || err != nil {
		t.Fatalf("%v %s%s", err, out, errs)
	}
	return shown.Status
}

func TestOtherHost_AnOpenPodIsUnknownAndDoesNotBlockAReplacement(t *testing.T) {
	home, _ := foreign(t)
	backup := filepath.Join(home, "backup.db")
	for _, args := range [][]string{{"store", "backup", backup}, {"store", "reset"}, {"store", "restore", backup}, {"store", "restore", backup}} {
		if code, _, errs := runIn(t.Context(), home, args...); code != exitOK {
			t.Fatalf("%s: %s", args, errs)
		}
	}
	// The backup brought the open pod along.
	_, out, _ := runIn(t.Context(), home, "store", "status")
	if !strings.Contains(out, "pod atlas, process 4711 of host here since ") || !strings.Contains(out, "(unknown)") {
		t.Errorf("%s", out)
	}
	_, out, _ = runIn(t.Context(), home, "store", "status", "--json")
	if !strings.Contains(out, `"alive":false,"liveness":"unknown"`) {
		t.Errorf("%s", out)
	}
	if _, out, _ = runIn(t.Context(), home, "doctor"); !strings.Contains(out, "podium gc --other-hosts") {
		t.Errorf("doctor: %s", out)
	}
}

func TestOtherHost_WhoCannotReachAPodThereIsToldSo(t *testing.T) {
	home, _ := foreign(t)
	for _, args := range [][]string{{"stop", "atlas"}, {"attach", "atlas"}, {"send", "atlas", "hello"}, {"pause", "atlas"},
		{"run", "--provider", "openai-chat", "--model", "m", "--base-url", "http://127.0.0.1:1/v1", "-p", "x", "atlas"}} {
		code, _, errs := runIn(t.Context(), home, args...)
		if code != exitFailure || !strings.Contains(errs, "pod atlas is of host here") || !strings.Contains(errs, "podium gc --other-hosts") || strings.Contains(errs, "4711") || strings.Contains(errs, "podium stop") {
			t.Errorf("%s: exit %d: %s", args, code, errs)
		}
	}
	// The number of its process says nothing here.
	if _, out, _ := runIn(t.Context(), home, "ps"); !strings.Contains(out, "unresponsive (host here)") || strings.Contains(out, "4711") {
		t.Errorf("ps: %s", out)
	}
	if _, out, _ := runIn(t.Context(), home, "ps", "--json"); !strings.Contains(out, `"host":"here"`) || strings.Contains(out, `"pid"`) {
		t.Errorf("ps: %s", out)
	}
}

// TestOtherHost_WhoHasTheStoreOpenBlocksUnderAnyHostName: a pod that lives is
// told by the file, not by its row.
func TestOtherHost_WhoHasTheStoreOpenBlocksUnderAnyHostName(t *testing.T) {
	home, _ := foreign(t)
	s, err := store.Open(t.Context(), filepath.Join(home, "state.db"), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	code, _, errs := runIn(t.Context(), home, "store", "reset")
	if code != exitFailure || !strings.Contains(errs, "held by ") {
		t.Errorf("%d %s", code, errs)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if code, _, errs := runIn(t.Context(), home, "store", "reset"); code != exitOK {
		t.Errorf("afterwards: %s", errs)
	}
}

func TestOtherHost_GCClosesItOnlyWhenToldAndWhenNobodyHoldsTheName(t *testing.T) {
	home, id := foreign(t)
	gc := func(want string, args ...string) {
		t.Helper()
		code, out, errs := runIn(t.Context(), home, append([]string{"gc"}, args...)...)
		if code != exitOK || !strings.Contains(out+errs, want) {
			t.Errorf("gc %s: %d %s%s, want %s", args, code, out, errs, want)
		}
	}
	gc("podium gc --other-hosts closes its session")
	if code, _, errs := runIn(t.Context(), home, "rm", "atlas"); code != exitFailure || !strings.Contains(errs, "podium gc --other-hosts first") {
		t.Errorf("rm: %d %s", code, errs)
	}
	dir := filepath.Join(home, "run", "atlas")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	lock := flock.New(filepath.Join(dir, "lock"))
	if ok, err := lock.TryLock(); !ok || err != nil {
		t.Fatal(ok, err)
	}
	gc("a process holds its name on this machine: it is left alone", "--other-hosts")
	if err := lock.Close(); err != nil {
		t.Fatal(err)
	}
	gc("would be closed as aborted", "--other-hosts", "-n")
	if got := statusIn(t, home, id); got != session.StatusRunning {
		t.Fatalf("not asked for, the session is %s", got)
	}
	gc("atlas: it is of host here; session "+id+" closed as aborted", "--other-hosts")
	if got := statusIn(t, home, id); got != session.StatusAborted {
		t.Errorf("closed, the session is %s", got)
	}
	if code, _, errs := runIn(t.Context(), home, "rm", "atlas"); code != exitOK {
		t.Errorf("rm: %s", errs)
	}
}
