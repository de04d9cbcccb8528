package store_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"podium.local/protocol"
	"podium.local/session"
	"podium.local/store"
	"podium.local/store/storetest"
)

// closedStore makes a store that nobody has open.
func closedStore(t testing.TB) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "state.db")
	s, err := store.Create(t.Context(), path, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// content is what is at path, without opening what would block.
func content(path string) string {
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() {
		return fmt.Sprint(err == nil)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

func dir(t testing.TB, path string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// assertSound fails for every problem that a check finds.
func assertSound(t testing.TB, s *store.Store) {
	t.Helper()
	report, err := s.Check(t.Context(), store.CheckOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range report.Problems {
		t.Errorf("%s: %s: %s", p.Code, p.Subject, p.Text)
	}
}

func TestCommit_ReturnsWhatLogReadsBack(t *testing.T) {
	s := storetest.New(t, store.Options{})
	p := storetest.Start(t, s, storetest.PodStart("a"))
	odd := session.NewEntry{ID: "not-a-uuid", Kind: session.KindSystem, Payload: session.System{Text: "<b>&\x00é"}}
	first := storetest.Commit(t, s, p, storetest.Text("one"), odd)
	second := storetest.Commit(t, s, p, storetest.Text("three"))
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
	for i, e := range got {
		if n, err := s.Ordinal(t.Context(), p.SessionID, e.ID); err != nil || n != int64(i) {
			t.Errorf("ordinal of %s is %d, %v", e.ID, n, err)
		}
	}
	if _, err := s.Ordinal(t.Context(), "another", got[0].ID); !errors.Is(err, session.ErrNotFound) {
		t.Errorf("an entry of another session: %v", err)
	}
}

func TestLog_GivesTheAskedPart(t *testing.T) {
	s := storetest.New(t, store.Options{})
	p := storetest.Start(t, s, storetest.PodStart("a"))
	for range 10 {
		storetest.Commit(t, s, p, storetest.Text("x"))
	}
	for _, tt := range []struct {
		from, to int64
		limit    int
		first, n int64
	}{
		{0, -1, 0, 0, 10},
		{3, -1, 0, 3, 7},
		{3, 5, 0, 3, 2},
		{3, 9, 4, 3, 4},
		{9, 100, 0, 9, 1},
		{10, -1, 0, 0, 0},
		{5, 5, 0, 0, 0},
		{7, 3, 0, 0, 0},
	} {
		got, err := s.Log(t.Context(), p.SessionID, tt.from, tt.to, tt.limit)
		if err != nil || int64(len(got)) != tt.n || tt.n > 0 && got[0].Ordinal != tt.first {
			t.Errorf("%+v: %d entries, %v", tt, len(got), err)
		}
	}
	if got, err := s.Log(t.Context(), "unknown", 0, -1, 0); err != nil || got != nil {
		t.Errorf("an unknown session: %v, %v", got, err)
	}
}

func TestAccept_SurvivesUntilItsEntryIsCommitted(t *testing.T) {
	s := storetest.New(t, store.Options{})
	p := storetest.Start(t, s, storetest.PodStart("a"))
	item := session.InboxItem{
		EntryID: protocol.NewEntryID(), Kind: "input", Text: "hello", Client: "tui/1", AcceptedAt: storetest.Epoch,
	}
	id, repeated, err := s.Accept(t.Context(), session.Acceptance{PodID: p.ID, Item: item, RequestID: "r1"})
	if err != nil || repeated || id != item.EntryID {
		t.Fatalf("%q %v %v", id, repeated, err)
	}
	inbox, err := s.Inbox(t.Context(), p.ID)
	if diff := cmp.Diff([]session.InboxItem{item}, inbox); err != nil || diff != "" {
		t.Fatal(err, diff)
	}
	take := session.Commit{
		PodID: p.ID, SessionID: p.SessionID, At: storetest.Epoch, Taken: []string{item.EntryID},
		Entries: []session.NewEntry{{ID: item.EntryID, Kind: session.KindInput, Payload: session.Input{Text: "hello", Kind: "input"}}},
	}
	if _, err := s.Commit(t.Context(), take); err != nil {
		t.Fatal(err)
	}
	if inbox, err = s.Inbox(t.Context(), p.ID); err != nil || len(inbox) != 0 {
		t.Errorf("inbox after the commit: %v %v", inbox, err)
	}
	take.Entries[0].ID = protocol.NewEntryID()
	if _, err := s.Commit(t.Context(), take); !errors.Is(err, session.ErrNotFound) {
		t.Errorf("taking it a second time: %v", err)
	}
	if log, err := s.Log(t.Context(), p.SessionID, 0, -1, 0); err != nil || len(log) != 1 {
		t.Errorf("the refused commit left %d entries, %v", len(log), err)
	}
}

func TestAccept_AnswersARepeatedRequestWithTheFirstEntry(t *testing.T) {
	s := storetest.New(t, store.Options{})
	a := storetest.Start(t, s, storetest.PodStart("a"))
	b := storetest.Start(t, s, storetest.PodStart("b"))
	accept := func(p session.Pod, request string) (string, bool) {
		t.Helper()
		id, repeated, err := s.Accept(t.Context(), session.Acceptance{
			PodID: p.ID, RequestID: request, Item: session.InboxItem{EntryID: protocol.NewEntryID(), Kind: "input", Text: "x"},
		})
		if err != nil {
			t.Fatal(err)
		}
		return id, repeated
	}
	first, _ := accept(a, "r")
	if id, repeated := accept(a, "r"); !repeated || id != first {
		t.Errorf("again: %q, %v", id, repeated)
	}
	if id, repeated := accept(b, "r"); repeated || id == first {
		t.Errorf("another pod's: %q, %v", id, repeated)
	}
	if id, repeated := accept(a, ""); repeated || id == first {
		t.Errorf("without a request id: %q, %v", id, repeated)
	}
	if _, err := s.Commit(t.Context(), session.Commit{
		PodID: a.ID, SessionID: a.SessionID, At: storetest.Epoch, Taken: []string{first},
		Entries: []session.NewEntry{{ID: first, Kind: session.KindInput, Payload: session.Input{Text: "x"}}},
	}); err != nil {
		t.Fatal(err)
	}
	if id, err := s.Accepted(t.Context(), a.ID, "r"); err != nil || id != first {
		t.Errorf("after its input left the inbox: %q, %v", id, err)
	}
	if id, err := s.Accepted(t.Context(), a.ID, "never"); err != nil || id != "" {
		t.Errorf("one never seen: %q, %v", id, err)
	}
}

func TestAccept_RefusesWhenTheInboxIsFullExceptRepeats(t *testing.T) {
	s := storetest.New(t, store.Options{})
	p := storetest.Start(t, s, storetest.PodStart("a"))
	other := storetest.Start(t, s, storetest.PodStart("b"))
	accept := func(p session.Pod, request string) error {
		_, _, err := s.Accept(t.Context(), session.Acceptance{
			PodID: p.ID, RequestID: request, Item: session.InboxItem{EntryID: protocol.NewEntryID(), Kind: "input", Text: "x"},
		})
		return err
	}
	if err := accept(p, "first"); err != nil {
		t.Fatal(err)
	}
	for range 127 {
		if err := accept(p, ""); err != nil {
			t.Fatal(err)
		}
	}
	if err := accept(p, "one too many"); !errors.Is(err, session.ErrInboxFull) {
		t.Errorf("the 129th: %v", err)
	}
	if id, err := s.Accepted(t.Context(), p.ID, "one too many"); err != nil || id != "" {
		t.Errorf("a refused request counts as accepted: %q, %v", id, err)
	}
	if err := accept(p, "first"); err != nil {
		t.Errorf("a repeated request: %v", err)
	}
	if err := accept(other, ""); err != nil {
		t.Errorf("another pod: %v", err)
	}
}

func TestLeave_EndsTheHold(t *testing.T) {
	s := storetest.New(t, store.Options{})
	p := storetest.Start(t, s, storetest.PodStart("a"))
	leave := session.Leave{
		PodID: p.ID, SessionID: p.SessionID, At: storetest.Epoch, Status: session.StatusCompleted, ReasonCode: "session.completed",
	}
	if err := s.Leave(t.Context(), leave); err != nil {
		t.Fatal(err)
	}
	late := session.Commit{PodID: p.ID, SessionID: p.SessionID, Entries: []session.NewEntry{storetest.Text("late")}}
	if _, err := s.Commit(t.Context(), late); !errors.Is(err, session.ErrLost) {
		t.Errorf("commit after leaving: %v", err)
	}
	if err := s.Leave(t.Context(), leave); !errors.Is(err, session.ErrLost) {
		t.Errorf("leaving twice: %v", err)
	}
	again := storetest.Start(t, s, storetest.PodStart("a"))
	if again.SessionID != p.SessionID || again.ID != p.ID {
		t.Errorf("the name continues %+v, was %+v", again, p)
	}
}

func TestAccept_BoundsWhatWaitsInBytes(t *testing.T) {
	s := storetest.New(t, store.Options{})
	p := storetest.Start(t, s, storetest.PodStart("a"))
	accept := func(size int) error {
		_, _, err := s.Accept(t.Context(), session.Acceptance{
			PodID: p.ID, Item: session.InboxItem{EntryID: protocol.NewEntryID(), Kind: "input", Text: strings.Repeat("ä", size/2)},
		})
		return err
	}
	for range 2 {
		if err := accept(32 << 20); err != nil {
			t.Fatal(err)
		}
	}
	if err := accept(2); !errors.Is(err, session.ErrInboxFull) {
		t.Errorf("beyond 64 MiB: %v", err)
	}
	items, err := s.Inbox(t.Context(), p.ID)
	if err != nil || len(items) != 2 || len(items[0].Text) != 32<<20 {
		t.Errorf("%d items come back, %v", len(items), err)
	}
}

func TestStore_AValueBeyondTheDatabasesMemoryIsAnError(t *testing.T) {
	s := storetest.New(t, store.Options{})
	p := storetest.Start(t, s, storetest.PodStart("a"))
	accept := func(text string) error {
		_, _, err := s.Accept(t.Context(), session.Acceptance{
			PodID: p.ID, Item: session.InboxItem{EntryID: protocol.NewEntryID(), Kind: "input", Text: text},
		})
		return err
	}
	if err := accept(strings.Repeat("x", 300<<20)); !errors.Is(err, session.ErrTooLarge) {
		t.Errorf("300 MiB: %v", err)
	}
	if err := accept("small"); err != nil {
		t.Errorf("the next one: %v", err)
	}
	if items, err := s.Inbox(t.Context(), p.ID); err != nil || len(items) != 1 {
		t.Errorf("%d items, %v", len(items), err)
	}
}

func TestInbox_ATextTooLongToBeReadIsOnlyMeasured(t *testing.T) {
	s := storetest.New(t, store.Options{})
	p := storetest.Start(t, s, storetest.PodStart("a"))
	for _, text := range []string{strings.Repeat("x", 40<<20), "short"} {
		// The store itself takes one input of any length.
		if _, _, err := s.Accept(t.Context(), session.Acceptance{
			PodID: p.ID, Item: session.InboxItem{EntryID: protocol.NewEntryID(), Kind: protocol.InputText, Text: text},
		}); err != nil {
			t.Fatal(err)
		}
	}
	inbox, err := s.Inbox(t.Context(), p.ID)
	if err != nil || len(inbox) != 2 {
		t.Fatalf("%d inputs, %v", len(inbox), err)
	}
	if i := inbox[0]; i.TooLong != 40<<20 || i.Text != "" {
		t.Errorf("the long one has %d bytes of text and says %d", len(i.Text), i.TooLong)
	}
	if i := inbox[1]; i.TooLong != 0 || i.Text != "short" {
		t.Errorf("the short one: %+v", i)
	}
}
