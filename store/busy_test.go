package store_test

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"podium.local/session"
	"podium.local/store"
	"podium.local/store/storetest"
)

// lock takes the write lock as another program would and returns how to give
// it back.
func lock(t testing.TB, path string) (release func()) {
	t.Helper()
	c := storetest.Dial(t, path)
	if err := c.Exec("BEGIN IMMEDIATE"); err != nil {
		t.Fatal(err)
	}
	return func() {
		if err := c.Exec("ROLLBACK"); err != nil {
			t.Error(err)
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestCommit_WaitsForAnotherWriterAndSaysSo(t *testing.T) {
	var release func()
	var told atomic.Int64
	s := storetest.New(t, store.Options{BusyNotice: time.Millisecond, OnBusy: func(waited time.Duration) {
		if waited < time.Millisecond {
			t.Errorf("told after %s", waited)
		}
		told.Add(1)
		release()
	}})
	p := storetest.Start(t, s, storetest.PodStart("a"))
	release = lock(t, s.Path())
	storetest.Commit(t, s, p, storetest.Text("x"))
	if told.Load() != 1 {
		t.Errorf("told %d times", told.Load())
	}
	storetest.Commit(t, s, p, storetest.Text("y"))
	if told.Load() != 1 {
		t.Error("told of a wait that was none")
	}
}

func TestCommit_GivesUpWithErrBusyAndLeavesNothing(t *testing.T) {
	s := storetest.New(t, store.Options{BusyTimeout: 20 * time.Millisecond})
	p := storetest.Start(t, s, storetest.PodStart("a"))
	release := lock(t, s.Path())
	_, err := s.Commit(t.Context(), session.Commit{PodID: p.ID, SessionID: p.SessionID, Entries: []session.NewEntry{storetest.Text("x")}})
	if !errors.Is(err, session.ErrBusy) || !strings.Contains(err.Error(), "waited") {
		t.Errorf("%v", err)
	}
	if log, err := s.Log(t.Context(), p.SessionID, 0, -1, 0); err != nil || len(log) != 0 {
		t.Errorf("readers do not wait for writers: %v, %v", log, err)
	}
	release()
	if got := storetest.Commit(t, s, p, storetest.Text("y")); got[0].Ordinal != 0 || got[0].Seq != 1 {
		t.Errorf("%+v", got)
	}
}

func TestCommit_StopsWaitingWhenItsContextEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	s := storetest.New(t, store.Options{BusyNotice: time.Millisecond, OnBusy: func(time.Duration) { cancel() }})
	p := storetest.Start(t, s, storetest.PodStart("a"))
	release := lock(t, s.Path())
	defer release()
	_, err := s.Commit(ctx, session.Commit{PodID: p.ID, SessionID: p.SessionID, Entries: []session.NewEntry{storetest.Text("x")}})
	if !errors.Is(err, context.Canceled) || errors.Is(err, session.ErrBusy) {
		t.Errorf("%v", err)
	}
}

func TestStore_AnswersAfterCloseInsteadOfHanging(t *testing.T) {
	s := storetest.New(t, store.Options{})
	p := storetest.Start(t, s, storetest.PodStart("a"))
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Errorf("closing twice: %v", err)
	}
	ctx := t.Context()
	if _, err := s.Commit(ctx, session.Commit{PodID: p.ID, SessionID: p.SessionID}); err == nil || !strings.Contains(err.Error(), "closed") {
		t.Errorf("commit: %v", err)
	}
	if _, err := s.Log(ctx, p.SessionID, 0, -1, 0); err == nil || !strings.Contains(err.Error(), "closed") {
		t.Errorf("log: %v", err)
	}
}

func TestOpenReadOnly_WritesNothing(t *testing.T) {
	path := closedStore(t)
	s, err := store.OpenReadOnly(t.Context(), path, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.StartPod(t.Context(), storetest.PodStart("a")); !errors.Is(err, session.ErrReadOnly) {
		t.Errorf("%v", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestView_ALockedFileIsBusyOnceTheConfiguredWaitIsOver(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	storetest.Lionagi(t, path)
	storetest.SQL(t, path, "PRAGMA journal_mode = DELETE; INSERT INTO progressions VALUES ('p', 1, '[]'); INSERT INTO sessions (id, created_at, updated_at, progression_id) VALUES ('s', 1, 1, 'p')")
	view := func() *store.View {
		v := store.NewView(path, "local", store.Options{BusyTimeout: 20 * time.Millisecond})
		t.Cleanup(func() {
			if err := v.Close(); err != nil {
				t.Error(err)
			}
		})
		return v
	}
	opened := view()
	if _, err := opened.SessionRow(t.Context(), "s"); err != nil {
		t.Fatal(err)
	}
	c := storetest.Dial(t, path)
	if err := c.Exec("BEGIN EXCLUSIVE"); err != nil {
		t.Fatal(err)
	}
	for name, v := range map[string]*store.View{"open already": opened, "opened while locked": view()} {
		if _, err := v.SessionRow(t.Context(), "s"); !errors.Is(err, session.ErrBusy) || errors.Is(err, session.ErrSlow) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := errors.Join(c.Exec("ROLLBACK"), c.Close()); err != nil {
		t.Fatal(err)
	}
	if _, err := opened.SessionRow(t.Context(), "s"); err != nil {
		t.Errorf("after the lock: %v", err)
	}
}
