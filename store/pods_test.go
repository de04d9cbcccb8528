package store_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"podium.local/protocol"
	"podium.local/session"
	"podium.local/store"
	"podium.local/store/storetest"
)

// open opens a store a second time, as another process would.
func open(t testing.TB, path string, opts store.Options) *store.Store {
	t.Helper()
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

func leave(t testing.TB, s *store.Store, p session.Pod, status session.Status) {
	t.Helper()
	err := s.Leave(t.Context(), session.Leave{
		PodID: p.ID, SessionID: p.SessionID, At: storetest.Epoch.Add(time.Minute), Status: status,
		ReasonCode: "session." + string(status), Reason: "the test says so",
	})
	if err != nil {
		t.Fatal(err)
	}
}

// transitions are a session's status changes in order, "from>to code actor".
func transitions(t testing.TB, s *store.Store, sessionID string) []string {
	t.Helper()
	text := storetest.Value(t, s.Path(), `SELECT group_concat(coalesce(previous_status, '') || '>' || status || ' ' || reason_code || ' ' || actor
		|| CASE WHEN metadata IS NULL THEN '' ELSE ' ' || metadata END, char(10))
		FROM (SELECT * FROM status_transitions WHERE entity_id = '`+sessionID+`' ORDER BY rowid)`)
	return strings.Split(text, "\n")
}

func TestStartPod_MakesARowThatOthersUnderstand(t *testing.T) {
	s := storetest.New(t, store.Options{})
	start := storetest.PodStart("atlas")
	start.AgentName = "reviewer"
	p := storetest.Start(t, s, start)
	want := session.Pod{
		ID: p.ID, Name: "atlas", SessionID: p.SessionID, Cwd: "/src/atlas", Provider: "anthropic", Model: "opus",
		Process: start.Process, StartedAt: storetest.Epoch, Phase: session.PhaseIdle,
	}
	if diff := cmp.Diff(want, p); diff != "" {
		t.Error(diff)
	}
	if id, err := protocol.ParseSessionID(p.SessionID); err != nil || id.IsZero() {
		t.Errorf("session id %q: %v", p.SessionID, err)
	}
	for query, want := range map[string]string{
		"SELECT status || ' ' || current_phase || ' ' || invocation_kind || ' ' || source_kind || ' ' || agent_name FROM sessions": "running idle agent live reviewer",
		"SELECT name IS NULL AND total_cost_usd IS NULL AND input_tokens IS NULL AND num_turns IS NULL FROM sessions":              "1",
		"SELECT created_at = updated_at AND started_at = last_message_at AND started_at = created_at FROM sessions":                "1",
		"SELECT project || ' ' || project_source FROM sessions":                                                                    "podium pod",
		"SELECT source || ' ' || path FROM projects WHERE name = 'podium'":                                                         "pod /src/atlas",
		"SELECT count(*) FROM branches JOIN sessions ON session_id = sessions.id":                                                  "1",
		"SELECT collection FROM progressions JOIN sessions ON progression_id = progressions.id":                                    "[]",
		"SELECT sum(sessions_started) FROM usage_quarter WHERE model = 'opus' AND project = 'podium'":                              "1",
	} {
		if got := storetest.Value(t, s.Path(), query); got != want {
			t.Errorf("%s gives %q, want %q", query, got, want)
		}
	}
	var metadata map[string]any
	if err := json.Unmarshal([]byte(storetest.Value(t, s.Path(), "SELECT node_metadata FROM sessions")), &metadata); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]any{
		"process_identity_mode": "local", "pid": 4711.0, "pid_create_time": 1000.5, "pid_host": "here", "pid_boot_time": 7.0,
		"pod_id": p.ID.String(), "pod_name": "atlas", "cwd": "/src/atlas",
	}, metadata); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{">running session.started pod:atlas"}, transitions(t, s, p.SessionID)); diff != "" {
		t.Error(diff)
	}
	assertSound(t, s)
}

func TestStartPod_ContinuesWhatItsNameLeft(t *testing.T) {
	s := storetest.New(t, store.Options{})
	p := storetest.Start(t, s, storetest.PodStart("a"))
	storetest.Commit(t, s, p, storetest.Text("one"))
	if _, err := s.Commit(t.Context(), session.Commit{
		PodID: p.ID, SessionID: p.SessionID, At: storetest.Epoch, Phase: session.PhasePaused, Bookmark: json.RawMessage(`{"turn":3}`),
	}); err != nil {
		t.Fatal(err)
	}
	storetest.SQL(t, s.Path(), `UPDATE sessions SET node_metadata = json_set(node_metadata, '$.note', 'kept')`)
	leave(t, s, p, session.StatusCompleted)
	if got := storetest.Value(t, s.Path(), "SELECT status || ' ' || (ended_at IS NOT NULL) || ' ' || duration_ms || ' ' || (current_phase IS NULL) FROM sessions"); got != "completed 1 60000.0 1" {
		t.Errorf("after leaving: %s", got)
	}

	start := storetest.PodStart("a")
	start.Process.PID, start.Model = 4712, "sonnet"
	again := storetest.Start(t, s, start)
	if again.ID != p.ID || again.SessionID != p.SessionID || again.Seq != 1 || again.Length != 1 ||
		again.Phase != session.PhasePaused || string(again.Bookmark) != `{"turn":3}` || !again.EndedAt.IsZero() {
		t.Errorf("continued as %+v", again)
	}
	if got := storetest.Value(t, s.Path(), `SELECT status || ' ' || (ended_at IS NULL) || ' ' || (duration_ms IS NULL) || ' ' || current_phase || ' ' || model
		|| ' ' || (node_metadata ->> 'pid') || ' ' || (node_metadata ->> 'note') FROM sessions`); got != "running 1 1 idle sonnet 4712 kept" {
		t.Errorf("the row: %s", got)
	}
	if diff := cmp.Diff([]string{
		">running session.started pod:a",
		"running>completed session.completed pod:a",
		`completed>running session.continued pod:a {"override":true}`,
	}, transitions(t, s, p.SessionID)); diff != "" {
		t.Error(diff)
	}
	entries := storetest.Commit(t, s, again, storetest.Text("two"))
	if entries[0].Seq != 2 || entries[0].Ordinal != 1 {
		t.Errorf("the next entry is %+v", entries[0])
	}
	assertSound(t, s)
}

func TestStartPod_TellsThatTheLastProcessWasKilled(t *testing.T) {
	s := storetest.New(t, store.Options{})
	p := storetest.Start(t, s, storetest.PodStart("a"))
	other := open(t, s.Path(), store.Options{Now: func() time.Time { return storetest.Epoch }})
	again := storetest.Start(t, other, storetest.PodStart("a"))
	if again.SessionID != p.SessionID {
		t.Errorf("continued as %+v", again)
	}
	if diff := cmp.Diff([]string{
		">running session.started pod:a",
		"running>aborted session.process_lost podium",
		`aborted>running session.continued pod:a {"override":true}`,
	}, transitions(t, s, p.SessionID)); diff != "" {
		t.Error(diff)
	}
	// Should the first one live after all, it must notice.
	if _, err := s.Commit(t.Context(), session.Commit{PodID: p.ID, SessionID: p.SessionID, Entries: []session.NewEntry{storetest.Text("x")}}); !errors.Is(err, session.ErrLost) {
		t.Errorf("commit of the one that was taken over: %v", err)
	}
	if _, _, err := s.Accept(t.Context(), session.Acceptance{PodID: p.ID, Item: session.InboxItem{EntryID: "e"}}); !errors.Is(err, session.ErrLost) {
		t.Errorf("accept of the one that was taken over: %v", err)
	}
	storetest.Commit(t, other, again, storetest.Text("y"))
}

func TestStartPod_RefusesWhatALivingProcessHolds(t *testing.T) {
	alive := store.Options{Now: func() time.Time { return storetest.Epoch }, Alive: func(p session.Process) bool { return p.PID == 4711 }}
	s := storetest.New(t, alive)
	p := storetest.Start(t, s, storetest.PodStart("a"))
	start := storetest.PodStart("a")
	start.Process.PID = 1
	if _, err := s.StartPod(t.Context(), start); !errors.Is(err, session.ErrHeld) || !strings.Contains(err.Error(), "4711") {
		t.Errorf("its name: %v", err)
	}
	start.Name, start.SessionID = "b", p.SessionID
	if _, err := s.StartPod(t.Context(), start); !errors.Is(err, session.ErrHeld) || !strings.Contains(err.Error(), "pod a") {
		t.Errorf("its session: %v", err)
	}
	if _, err := s.PodByName(t.Context(), "b"); !errors.Is(err, session.ErrNotFound) {
		t.Errorf("a refused start left a row: %v", err)
	}
	storetest.Commit(t, s, p, storetest.Text("still mine"))
}

func TestStartPod_ChoosesAnotherSession(t *testing.T) {
	s := storetest.New(t, store.Options{})
	a := storetest.Start(t, s, storetest.PodStart("a"))
	storetest.Commit(t, s, a, storetest.Text("of a"))
	start := storetest.PodStart("a")
	start.New = true
	second := storetest.Start(t, s, start)
	if second.ID != a.ID || second.SessionID == a.SessionID || second.Length != 0 || second.Seq != 1 {
		t.Errorf("--new gives %+v", second)
	}
	if got := storetest.Value(t, s.Path(), "SELECT status FROM sessions WHERE id = '"+a.SessionID+"'"); got != "aborted" {
		t.Errorf("the session that was killed and left is %s", got)
	}
	start = storetest.PodStart("b")
	start.SessionID = a.SessionID
	b := storetest.Start(t, s, start)
	if b.ID == a.ID || b.SessionID != a.SessionID || b.Length != 1 || b.Seq != 0 {
		t.Errorf("--session gives %+v", b)
	}
	if entries := storetest.Commit(t, s, b, storetest.Text("of b")); entries[0].Ordinal != 1 || entries[0].Seq != 1 {
		t.Errorf("another pod's numbers are its own: %+v", entries)
	}
	start.SessionID = "no such"
	if _, err := s.StartPod(t.Context(), start); !errors.Is(err, session.ErrNotFound) {
		t.Errorf("an unknown session: %v", err)
	}
	if _, err := s.StartPod(t.Context(), session.PodStart{}); err == nil {
		t.Error("a pod without a name was started")
	}
	assertSound(t, s)
}

func TestStartPod_KeepsAnOddSessionMetadataReadable(t *testing.T) {
	for _, odd := range []string{`not json`, `[1]`, `null`, `"text"`, ``, `{"a":1}`} {
		s := storetest.New(t, store.Options{})
		p := storetest.Start(t, s, storetest.PodStart("a"))
		leave(t, s, p, session.StatusFailed)
		storetest.SQL(t, s.Path(), "UPDATE sessions SET node_metadata = '"+odd+"'")
		storetest.Start(t, s, storetest.PodStart("a"))
		want := "4711 "
		if odd == `{"a":1}` {
			want += "1"
		}
		if got := storetest.Value(t, s.Path(), "SELECT (node_metadata ->> 'pid') || ' ' || coalesce(node_metadata ->> 'a', '') FROM sessions"); got != want {
			t.Errorf("%q became %q", odd, got)
		}
	}
}

func TestCloseDead_OnlyClosesTheProcessThatWasLookedAt(t *testing.T) {
	s := storetest.New(t, store.Options{})
	p := storetest.Start(t, s, storetest.PodStart("a"))
	start := storetest.PodStart("a")
	start.Process.PID = 4712
	other := open(t, s.Path(), store.Options{Now: func() time.Time { return storetest.Epoch }})
	now := storetest.Start(t, other, start)
	if closed, err := s.CloseDead(t.Context(), p); err != nil || closed {
		t.Errorf("the pod was taken since: %v, %v", closed, err)
	}
	storetest.Commit(t, other, now, storetest.Text("alive"))
	if closed, err := s.CloseDead(t.Context(), now); err != nil || !closed {
		t.Errorf("closing it: %v, %v", closed, err)
	}
	if closed, err := s.CloseDead(t.Context(), now); err != nil || closed {
		t.Errorf("closing it twice: %v, %v", closed, err)
	}
	got := transitions(t, s, p.SessionID)
	if last := got[len(got)-1]; last != "running>aborted session.process_lost podium" {
		t.Errorf("transitions: %q", got)
	}
	if _, err := other.Commit(t.Context(), session.Commit{PodID: now.ID, SessionID: now.SessionID}); !errors.Is(err, session.ErrLost) {
		t.Errorf("commit of the one taken for dead: %v", err)
	}
	assertSound(t, s)
}

func TestPods_DoNotCloseASessionThatAnotherPodTookOver(t *testing.T) {
	s := storetest.New(t, store.Options{})
	a := storetest.Start(t, s, storetest.PodStart("a"))
	leave(t, s, a, session.StatusCompleted)
	start := storetest.PodStart("b")
	start.SessionID = a.SessionID
	b := storetest.Start(t, s, start)
	start = storetest.PodStart("a")
	start.New = true
	again := storetest.Start(t, s, start)
	if got := storetest.Value(t, s.Path(), "SELECT status FROM sessions WHERE id = '"+b.SessionID+"'"); got != "running" {
		t.Errorf("a turned away and b's session is %s", got)
	}
	storetest.Commit(t, s, b, storetest.Text("x"))
	if closed, err := s.CloseDead(t.Context(), again); err != nil || !closed {
		t.Fatal(closed, err)
	}
	if got := storetest.Value(t, s.Path(), "SELECT status FROM sessions WHERE id = '"+b.SessionID+"'"); got != "running" {
		t.Errorf("a was closed and b's session is %s", got)
	}
	assertSound(t, s)
}

func TestTransitions_OfOneMomentKeepTheirOrder(t *testing.T) {
	now := storetest.Epoch
	s := storetest.New(t, store.Options{Now: func() time.Time { return now }})
	storetest.Start(t, s, storetest.PodStart("a"))
	now = now.Add(time.Second)
	storetest.Start(t, s, storetest.PodStart("a"))
	got := storetest.Value(t, s.Path(), "SELECT group_concat(status || ' ' || reason_code, ', ') FROM (SELECT * FROM status_transitions ORDER BY created_at)")
	if want := "running session.started, aborted session.process_lost, running session.continued"; got != want {
		t.Errorf("in order of time they are %s", got)
	}
}

func TestPods_AreListedFoundAndForgotten(t *testing.T) {
	s := storetest.New(t, store.Options{})
	b := storetest.Start(t, s, storetest.PodStart("b"))
	a := storetest.Start(t, s, storetest.PodStart("a"))
	storetest.Commit(t, s, a, storetest.Text("x"))
	if _, _, err := s.Accept(t.Context(), session.Acceptance{PodID: a.ID, RequestID: "r", Item: session.InboxItem{EntryID: "e", Kind: "input"}}); err != nil {
		t.Fatal(err)
	}
	pods, err := s.Pods(t.Context())
	if err != nil || len(pods) != 2 || pods[0].ID != a.ID || pods[1].ID != b.ID || pods[0].Length != 1 {
		t.Fatalf("%+v %v", pods, err)
	}
	if err := s.ForgetPod(t.Context(), "a"); !errors.Is(err, session.ErrHeld) {
		t.Errorf("forgetting one that did not leave: %v", err)
	}
	leave(t, s, a, session.StatusCompleted)
	if err := s.ForgetPod(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	if r, err := s.Check(t.Context(), store.CheckOptions{}); err != nil || r.Pods != 1 {
		t.Errorf("a check counts %d pods, %v", r.Pods, err)
	}
	if err := s.ForgetPod(t.Context(), "a"); !errors.Is(err, session.ErrNotFound) {
		t.Errorf("forgetting it twice: %v", err)
	}
	if inbox, err := s.Inbox(t.Context(), a.ID); err != nil || len(inbox) != 0 {
		t.Errorf("its inbox: %v, %v", inbox, err)
	}
	if log, err := s.Log(t.Context(), a.SessionID, 0, -1, 0); err != nil || len(log) != 1 || log[0].PodID != a.ID {
		t.Errorf("its log: %+v, %v", log, err)
	}
	next := storetest.Start(t, s, storetest.PodStart("a"))
	if next.ID == a.ID || next.SessionID == a.SessionID {
		t.Errorf("the name is not free: %+v", next)
	}
	assertSound(t, s)
}
