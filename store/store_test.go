package store_test

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"podium.local/protocol"
	"podium.local/session"
	"podium.local/store"
)

var epoch = time.Date(2026, 11, 30, 20, 0, 0, 0, time.UTC)

// newStore makes a store in a folder of the test's own.
func newStore(t testing.TB, opts store.Options) *store.Store {
	t.Helper()
	if opts.Now == nil {
		opts.Now = func() time.Time { return epoch }
	}
	s, err := store.Create(t.Context(), filepath.Join(t.TempDir(), "state.db"), opts)
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

func startOf(name string) session.PodStart {
	return session.PodStart{
		Name: name, Cwd: "/src/" + name, Provider: "anthropic", Model: "opus", Project: "podium",
		Process: session.Process{PID: 4711, CreateTime: 1000.5, Host: "here", BootTime: 7},
	}
}

func startPod(t testing.TB, s *store.Store, start session.PodStart) session.Pod {
	t.Helper()
	p, err := s.StartPod(t.Context(), start)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func text(s string) session.NewEntry {
	return session.NewEntry{ID: protocol.NewEntryID(), Kind: session.KindText, Payload: session.Text{Text: s}}
}

func commit(t testing.TB, s *store.Store, p session.Pod, entries ...session.NewEntry) []session.Entry {
	t.Helper()
	out, err := s.Commit(t.Context(), session.Commit{PodID: p.ID, SessionID: p.SessionID, At: epoch, Entries: entries})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestCommit_ReturnsWhatLogReadsBack(t *testing.T) {
	s := newStore(t, store.Options{})
	p := startPod(t, s, startOf("a"))
	first := commit(t, s, p, text("one"), session.NewEntry{ID: "not-a-uuid", Kind: session.KindSystem, Payload: session.System{Text: "<b>&"}})
	second := commit(t, s, p, text("three"))
	got, err := s.Log(t.Context(), p.SessionID, 0, -1, 0)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(append(first, second...), got); diff != "" {
		t.Error(diff)
	}
	if got[1].Seq != 0 || got[2].Seq != 2 || got[2].Ordinal != 2 {
		t.Errorf("seq and ordinal are %+v", got)
	}
	since, err := s.Since(t.Context(), p.ID, 1, 0)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(second, since); diff != "" {
		t.Error(diff)
	}
}

func TestAccept_SurvivesUntilItsEntryIsCommitted(t *testing.T) {
	s := newStore(t, store.Options{})
	p := startPod(t, s, startOf("a"))
	item := session.InboxItem{EntryID: protocol.NewEntryID(), Kind: "input", Text: "hello", Client: "tui/1", AcceptedAt: epoch}
	id, repeated, err := s.Accept(t.Context(), session.Acceptance{PodID: p.ID, Item: item, RequestID: "r1"})
	if err != nil || repeated || id != item.EntryID {
		t.Fatalf("%q %v %v", id, repeated, err)
	}
	again := item
	again.EntryID = protocol.NewEntryID()
	id, repeated, err = s.Accept(t.Context(), session.Acceptance{PodID: p.ID, Item: again, RequestID: "r1"})
	if err != nil || !repeated || id != item.EntryID {
		t.Fatalf("repeated: %q %v %v", id, repeated, err)
	}
	inbox, err := s.Inbox(t.Context(), p.ID)
	if diff := cmp.Diff([]session.InboxItem{item}, inbox); err != nil || diff != "" {
		t.Fatal(err, diff)
	}
	_, err = s.Commit(t.Context(), session.Commit{
		PodID: p.ID, SessionID: p.SessionID, At: epoch, Taken: []string{item.EntryID},
		Entries: []session.NewEntry{{ID: item.EntryID, Kind: session.KindInput, Payload: session.Input{Text: "hello", Kind: "input"}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if inbox, err = s.Inbox(t.Context(), p.ID); err != nil || len(inbox) != 0 {
		t.Errorf("inbox after the commit: %v %v", inbox, err)
	}
}

func TestLeave_EndsTheHold(t *testing.T) {
	s := newStore(t, store.Options{})
	p := startPod(t, s, startOf("a"))
	leave := session.Leave{PodID: p.ID, SessionID: p.SessionID, At: epoch, Status: session.StatusCompleted, ReasonCode: "session.completed"}
	if err := s.Leave(t.Context(), leave); err != nil {
		t.Fatal(err)
	}
	_, err := s.Commit(context.Background(), session.Commit{PodID: p.ID, SessionID: p.SessionID, Entries: []session.NewEntry{text("late")}})
	if !errors.Is(err, session.ErrLost) {
		t.Errorf("commit after leaving: %v", err)
	}
	again := startPod(t, s, startOf("a"))
	if again.SessionID != p.SessionID || again.ID != p.ID {
		t.Errorf("the name continues %+v, was %+v", again, p)
	}
}
