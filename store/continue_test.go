package store_test

import (
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"podium.local/protocol"
	"podium.local/session"
	"podium.local/store"
	"podium.local/store/storetest"
)

func compaction(p session.Pod, head int64) session.Continuation {
	next := protocol.NewSessionID().String()
	return session.Continuation{
		PodID: p.ID, FromSession: p.SessionID, NewSession: next, At: storetest.Epoch.Add(time.Hour), Head: head,
		Entries: []session.NewEntry{
			{ID: protocol.NewEntryID(), Kind: session.KindSystem, Payload: session.System{Text: "summary"}},
			storetest.Text("the tail"),
		},
		Done: session.NewEntry{ID: protocol.NewEntryID(), Kind: session.KindCompaction, Payload: session.Compaction{
			FromSession: p.SessionID, NewSession: next, TokensBefore: 900, TokensAfter: 100, CostUSD: ptr(0.5),
		}},
		Usage: &session.Usage{InputTokens: ptr[int64](900), CostUSD: ptr(0.5)}, Name: "go on", Phase: session.PhaseRunning,
		Bookmark: json.RawMessage(`{"turn":1}`),
	}
}

func TestContinue_MovesThePodInOneStep(t *testing.T) {
	s := storetest.New(t, store.Options{})
	p := storetest.Start(t, s, storetest.PodStart("a"))
	old := storetest.Commit(t, s, p, storetest.Text("one"), storetest.Text("two"))
	next := compaction(p, 2)
	entries, err := s.Continue(t.Context(), next)
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != 3 || entries[0].Seq != 0 || entries[1].Seq != 0 || entries[2].Seq != 3 || entries[2].Ordinal != 2 ||
		entries[2].SessionID != next.NewSession || entries[2].PodID != p.ID {
		t.Errorf("entries are %+v", entries)
	}
	for id, want := range map[string][]session.Entry{p.SessionID: old, next.NewSession: entries} {
		if got, err := s.Log(t.Context(), id, 0, -1, 0); err != nil || !cmp.Equal(got, want) {
			t.Errorf("log of %s: %v %s", id, err, cmp.Diff(want, got))
		}
	}
	if since, err := s.Since(t.Context(), p.ID, 1, 0); err != nil || len(since) != 2 || since[0].SessionID != p.SessionID || since[1].ID != next.Done.ID {
		t.Errorf("events over both sessions: %+v, %v", since, err)
	}
	if diff := cmp.Diff([]string{">running session.started pod:a", "running>completed session.compacted pod:a"}, transitions(t, s, p.SessionID)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{">running session.compacted pod:a"}, transitions(t, s, next.NewSession)); diff != "" {
		t.Error(diff)
	}
	for query, want := range map[string]string{
		"SELECT compacted_from || ' ' || tokens_before || ' ' || tokens_after || ' ' || cost_usd FROM lineage WHERE session_id = '" + next.NewSession + "'":                                                                                 p.SessionID + " 900 100 0.5",
		"SELECT status || ' ' || input_tokens || ' ' || total_cost_usd FROM sessions WHERE id = '" + p.SessionID + "'":                                                                                                                      "completed 900 0.5",
		"SELECT status || ' ' || current_phase || ' ' || name || ' ' || (total_cost_usd IS NULL) || ' ' || (input_tokens IS NULL) || ' ' || project || ' ' || (node_metadata ->> 'pid') FROM sessions WHERE id = '" + next.NewSession + "'": "running running go on 1 1 podium 4711",
		"SELECT purpose FROM usage_records": "summary",
	} {
		if got := storetest.Value(t, s.Path(), query); got != want {
			t.Errorf("%s gives %q, want %q", query, got, want)
		}
	}
	pod, err := s.PodByName(t.Context(), "a")
	if err != nil || pod.SessionID != next.NewSession || pod.Seq != 3 || pod.Length != 3 || string(pod.Bookmark) != `{"turn":1}` || pod.Phase != session.PhaseRunning {
		t.Errorf("the pod is %+v, %v", pod, err)
	}
	// The pod goes on in the new session and nowhere else.
	if _, err := s.Commit(t.Context(), session.Commit{PodID: p.ID, SessionID: p.SessionID, Entries: []session.NewEntry{storetest.Text("x")}}); !errors.Is(err, session.ErrLost) {
		t.Errorf("commit to the old session: %v", err)
	}
	if got := storetest.Commit(t, s, pod, storetest.Text("three")); got[0].Seq != 4 || got[0].Ordinal != 3 {
		t.Errorf("commit to the new session: %+v", got)
	}
	leave(t, s, pod, session.StatusCompleted)
	if again := storetest.Start(t, s, storetest.PodStart("a")); again.SessionID != next.NewSession {
		t.Errorf("started again in %s", again.SessionID)
	}
	assertSound(t, s)
}

func TestContinue_ChangesNothingWhenItCannot(t *testing.T) {
	for _, tt := range []struct {
		name  string
		spoil func(*session.Continuation)
		want  error
	}{
		{"the log grew", func(c *session.Continuation) { c.Head = 1 }, session.ErrLost},
		{"the log is shorter", func(c *session.Continuation) { c.Head = 3 }, session.ErrLost},
		{"another session", func(c *session.Continuation) { c.FromSession = "other" }, session.ErrLost},
		{"another pod", func(c *session.Continuation) { c.PodID = protocol.NewPodID() }, session.ErrLost},
		{"no compaction", func(c *session.Continuation) { c.Done.Kind = session.KindText }, nil},
		{"names that disagree", func(c *session.Continuation) { c.Done.Payload = session.Compaction{FromSession: "x", NewSession: "y"} }, nil},
		{"an id that is taken", func(c *session.Continuation) { c.Entries[1].ID = c.Entries[0].ID }, nil},
		{"an entry without an id", func(c *session.Continuation) { c.Entries[1].ID = "" }, nil},
		{"an impossible usage", func(c *session.Continuation) { c.Usage.InputTokens = ptr[int64](-1) }, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := storetest.New(t, store.Options{})
			p := storetest.Start(t, s, storetest.PodStart("a"))
			storetest.Commit(t, s, p, storetest.Text("one"), storetest.Text("two"))
			next := compaction(p, 2)
			tt.spoil(&next)
			if _, err := s.Continue(t.Context(), next); err == nil || tt.want != nil && !errors.Is(err, tt.want) {
				t.Errorf("%v", err)
			}
			if got := storetest.Value(t, s.Path(), "SELECT count(*) || ' ' || (SELECT count(*) FROM lineage) || ' ' || min(status) FROM sessions"); got != "1 0 running" {
				t.Errorf("left %s", got)
			}
			storetest.Commit(t, s, p, storetest.Text("three"))
			assertSound(t, s)
		})
	}
}
