package pod_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"podium.local/pod"
	"podium.local/pod/podtest"
	"podium.local/protocol"
	"podium.local/session"
)

// leftBehind makes what a killed process leaves: a held session whose entries
// were committed and that nobody left. It returns the session's id.
func leftBehind(t *testing.T, st pod.Store, phase session.Phase, bookmark string, entries ...session.NewEntry) string {
	t.Helper()
	row, err := st.StartPod(t.Context(), session.PodStart{
		Name: "p", Cwd: "/", Provider: "openai_chat", Model: "m", Process: session.Process{PID: 1 << 22, Host: "elsewhere"},
	})
	if err != nil {
		t.Fatal(err)
	}
	for i := range entries {
		entries[i].ID = protocol.NewEntryID()
	}
	_, err = st.Commit(t.Context(), session.Commit{
		PodID: row.ID, SessionID: row.SessionID, At: time.Now(), Entries: entries, Phase: phase, Bookmark: []byte(bookmark),
	})
	if err != nil {
		t.Fatal(err)
	}
	return row.SessionID
}

func entry(kind session.Kind, payload any) session.NewEntry {
	return session.NewEntry{Kind: kind, Payload: payload}
}

var (
	saidHi  = entry(session.KindInput, session.Input{Text: "hi", Kind: protocol.InputText})
	called  = entry(session.KindToolCall, session.ToolCall{CallID: "c1", Name: "Echo", Arguments: []byte("{}")})
	turnEnd = entry(session.KindTurnEnd, session.TurnEnd{Turn: 0})
)

func TestRestart_ClosesTheRunThatWasCutOff(t *testing.T) {
	cases := map[string]struct {
		entries []session.NewEntry
		want    []string
	}{
		"in an answer": {[]session.NewEntry{saidHi, entry(session.KindText, session.Text{Text: "x"}), called},
			[]string{"user: hi", "assistant: x", "call c1 Echo {}", "result c1: [Lost: the pod stopped]"}},
		"in a tool round": {[]session.NewEntry{saidHi, called, turnEnd},
			[]string{"user: hi", "call c1 Echo {}", "result c1: [Lost: the pod stopped]"}},
		"before the answer": {[]session.NewEntry{saidHi}, []string{"user: hi"}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			st := newStore(t)
			sid := leftBehind(t, st, session.PhaseRunning, "", append([]session.NewEntry(nil), c.entries...)...)
			provider := podtest.NewProvider()
			p := podtest.Start(t, pod.Options{Store: st, Provider: provider})
			if p.SessionID() != sid {
				t.Fatalf("session %s is continued as %s", sid, p.SessionID())
			}
			cl := p.Dial()
			id, since := p.ID(), uint64(0)
			hello, _ := cl.Hello(protocol.Hello{PodID: &id, Since: &since})
			if hello.State != protocol.StateIdle || !hello.Resumed {
				t.Errorf("hello: %+v", hello)
			}
			events := describe(cl.Until(func(ev protocol.Event) bool { return ev.Seq == hello.Seq }))
			if last := events[len(events)-1]; last != `run_end failed "the pod stopped before the run was finished"` {
				t.Errorf("the run ends with %s", last)
			}
			got := history(t, p.Dial())
			if n := len(got) - 1; n < 0 || !strings.HasPrefix(got[n], "system: [The pod stopped") {
				t.Errorf("the model is told: %q", got)
			} else {
				same(t, "history", c.want, got[:n])
			}
			if n := len(provider.Requests()); n > 0 {
				t.Error("the run went on by itself")
			}
			log, _ := st.Log(t.Context(), sid, 0, -1, 0)
			end := slices.IndexFunc(log, func(e session.Entry) bool { return e.Kind == session.KindRunEnd })
			if payload, _ := log[end].Decode(); payload.(session.RunEnd).Reason != "pod_restarted" {
				t.Errorf("run end: %s", log[end].Payload)
			}
		})
	}
}

func TestRestart_RunsWhatWasAcceptedAndNotTaken(t *testing.T) {
	st := newStore(t)
	leftBehind(t, st, session.PhaseIdle, "")
	row, err := st.StartPod(t.Context(), session.PodStart{Name: "p", Cwd: "/", Provider: "openai_chat", Model: "m"})
	if err != nil {
		t.Fatal(err)
	}
	accept := func(text, requestID string) string {
		id, _, err := st.Accept(t.Context(), session.Acceptance{PodID: row.ID, RequestID: requestID, Item: session.InboxItem{
			EntryID: protocol.NewEntryID(), Kind: protocol.InputText, Text: text, AcceptedAt: time.Now(),
		}})
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	id := accept("waiting", "r-1")
	a := attend(t, podtest.Start(t, pod.Options{Store: st}))
	waitFor(t, func() bool { return len(history(t, a.base)) == 2 })
	same(t, "history", []string{"user: waiting", "assistant: done"}, history(t, a.base))
	// The sender retries after the restart.
	a.extended.SendAs("r-1", protocol.Run{Input: "waiting"})
	if ac := podtest.Await[protocol.Accepted](a.extended); ac.EntryID == nil || *ac.EntryID != id {
		t.Errorf("the retry is answered with %v, want %s", ac.EntryID, id)
	}
}

func TestRestart_APausedPodStaysPaused(t *testing.T) {
	st := newStore(t)
	began := make(chan struct{}, 1)
	runDir := podtest.RunDir(t)
	p := podtest.Try(t, pod.Options{Store: st, RunDir: runDir, Provider: podtest.NewProvider(
		[]podtest.Step{podtest.Text("kept"), podtest.Hang(began)})})
	a := attend(t, p)
	a.base.Send(protocol.Run{Input: "hi"})
	<-began
	a.base.Send(protocol.Pause{})
	a.await("status paused queued=0")
	a.base.Send(protocol.Notify{Message: "n"})
	barrier(a.base)
	if err := p.Stop(); err != nil {
		t.Fatal(err)
	}
	b := attend(t, podtest.Start(t, pod.Options{Store: st, RunDir: runDir}))
	if !strings.HasPrefix(b.status, "status paused") {
		t.Errorf("state: %s", b.status)
	}
	if items := history(t, b.base); len(items) != 2 {
		t.Errorf("history: %q", items)
	}
	b.base.Send(protocol.Resume{})
	b.base.UntilName(protocol.EventRunEnd)
	if items := history(t, b.base); items[len(items)-1] != "assistant: done" {
		t.Errorf("history: %q", items)
	}
}

func TestRestart_TheNumbersGoOn(t *testing.T) {
	st := newStore(t)
	runDir := podtest.RunDir(t)
	var id protocol.PodID
	for i := range uint64(3) {
		p := podtest.Try(t, pod.Options{Store: st, RunDir: runDir, Provider: podtest.NewProvider(
			[]podtest.Step{podtest.Text("x"), podtest.Usage(100, 1), podtest.End()})})
		if i > 0 && p.ID() != id {
			t.Errorf("the pod has another id after its restart")
		}
		id = p.ID()
		a := attend(t, p)
		hello, snapshot := p.Dial().Hello(protocol.Hello{})
		if hello.Seq != i*4 || snapshot.TotalItems != i*2 || uint64(len(snapshot.Items)) != i*2 {
			t.Errorf("start %d: seq %d, %d items", i, hello.Seq, snapshot.TotalItems)
		}
		if i > 0 && *snapshot.Live.Usage.InputTokens != 100*i {
			t.Errorf("start %d: %d tokens", i, *snapshot.Live.Usage.InputTokens)
		}
		a.base.Send(protocol.Run{Input: "hi"})
		base, _ := a.await("status idle queued=0")
		same(t, "turn", []string{"turn_start 0", "turn_start 1", "turn_start 2"}[i], base[0])
		if err := p.Stop(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestNew_StartsAnotherSessionOfTheSamePod(t *testing.T) {
	st := newStore(t)
	runDir := podtest.RunDir(t)
	p := podtest.Try(t, pod.Options{Store: st, RunDir: runDir})
	a := attend(t, p)
	a.base.Send(protocol.Run{Input: "hi"})
	a.await("status idle queued=0")
	first, id := p.SessionID(), p.ID()
	if err := p.Stop(); err != nil {
		t.Fatal(err)
	}
	q := podtest.Try(t, pod.Options{Store: st, RunDir: runDir, New: true})
	hello, snapshot := q.Dial().Hello(protocol.Hello{})
	if q.SessionID() == first || q.ID() != id || len(snapshot.Items) != 0 || hello.Seq != 4 {
		t.Errorf("session %s, pod %s, %d items, seq %d", q.SessionID(), q.ID(), len(snapshot.Items), hello.Seq)
	}
	if err := q.Stop(); err != nil {
		t.Fatal(err)
	}
	r := podtest.Start(t, pod.Options{Store: st, Name: "other", SessionID: first})
	same(t, "the old session under another name", []string{"user: hi", "assistant: done"}, history(t, r.Dial()))
	b := attend(t, r)
	b.base.Send(protocol.Run{Input: "on"})
	base, _ := b.await("status idle queued=0")
	same(t, "its turns go on", "turn_start 1", base[0])
}

func TestStop_LeavesTheFolderAndTakesSocketAndPid(t *testing.T) {
	st := podtest.NewStore()
	p := podtest.Try(t, pod.Options{Store: st})
	dir := filepath.Dir(p.Socket())
	for _, name := range []string{"sock", "pid", "status.json"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Errorf("a living pod has %s: %v", name, err)
		}
	}
	b, _ := os.ReadFile(filepath.Join(dir, "status.json"))
	same(t, "status.json", `{"pod_name":"p","session_id":"`+p.SessionID()+`","state":"idle"}`, string(b))
	if err := p.Stop(); err != nil {
		t.Fatal(err)
	}
	left, _ := os.ReadDir(dir)
	var names []string
	for _, e := range left {
		names = append(names, e.Name())
	}
	same(t, "folder", []string{"lock", "status.json"}, names)
	if row := st.Row(p.SessionID()); row.Status != session.StatusCompleted {
		t.Errorf("row: %+v", row)
	}
}

func TestStatusFile_FollowsThePod(t *testing.T) {
	reached := make(chan struct{}, 1)
	p := podtest.Start(t, pod.Options{Provider: podtest.NewProvider([]podtest.Step{podtest.Open("x"), podtest.Hang(reached)})})
	a := attend(t, p)
	is := func(state string) {
		t.Helper()
		want := `{"pod_name":"p","session_id":"` + p.SessionID() + `","state":"` + state + `"}`
		waitFor(t, func() bool {
			b, err := os.ReadFile(filepath.Join(filepath.Dir(p.Socket()), "status.json"))
			return err == nil && string(b) == want
		})
	}
	is("idle")
	a.base.Send(protocol.Run{Input: long(2000)})
	<-reached
	is("running")
	a.base.Send(protocol.Pause{})
	is("paused")
	a.base.Send(protocol.Cancel{})
	is("idle")
}

func TestStop_ThatDiscardsARunLeavesTheSessionCancelled(t *testing.T) {
	st, reached := podtest.NewStore(), make(chan struct{}, 1)
	p := podtest.Try(t, pod.Options{Store: st, Provider: podtest.NewProvider([]podtest.Step{podtest.Hang(reached)})})
	p.Dial().Send(protocol.Run{Input: "hi"})
	<-reached
	if err := p.Stop(); err != nil {
		t.Fatal(err)
	}
	if row := st.Row(p.SessionID()); row.Status != session.StatusCancelled || row.ReasonCode != "session.cancelled" {
		t.Errorf("row: %+v", row)
	}
}

func TestOnce_EndsAfterItsFirstRun(t *testing.T) {
	p := podtest.Try(t, pod.Options{Once: true})
	dir := filepath.Dir(p.Socket())
	c := p.Dial()
	c.Send(protocol.Run{Input: "hi"})
	events := describe(c.Rest())
	same(t, "the end", []string{"run_end finished", "shutdown"}, events[len(events)-2:])
	if err := p.Wait(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("the folder of a finished pod is still there: %v", err)
	}
}

func TestOnce_EndsAlsoWhenItsStarterHasVanished(t *testing.T) {
	gate, reached := make(chan struct{}), make(chan struct{}, 1)
	p := podtest.Try(t, pod.Options{Once: true, Provider: podtest.NewProvider(
		[]podtest.Step{podtest.Open("x"), podtest.Gate(gate, reached), podtest.Delta(stop()), podtest.End()})})
	c := p.Dial()
	c.Send(protocol.Run{Input: "hi"})
	<-reached
	c.Close()
	close(gate)
	if err := p.Wait(); err != nil {
		t.Error(err)
	}
}

// An input that an earlier process left is run first, and is not the run that
// the pod was started for.
func TestOnce_WhatAnEarlierProcessLeftIsNotItsRun(t *testing.T) {
	st := podtest.NewStore()
	first := podtest.Try(t, pod.Options{Store: st})
	id := first.ID()
	if err := first.Stop(); err != nil {
		t.Fatal(err)
	}
	_, _, err := st.Accept(t.Context(), session.Acceptance{PodID: id, Item: session.InboxItem{
		EntryID: protocol.NewEntryID(), Kind: protocol.InputText, Text: "left",
	}})
	if err != nil {
		t.Fatal(err)
	}
	gate := make(chan struct{})
	p := podtest.Try(t, pod.Options{Store: st, Once: true, Provider: podtest.NewProvider(
		[]podtest.Step{podtest.Gate(gate, make(chan struct{}, 1)), podtest.Text("left is done"), podtest.End()},
		[]podtest.Step{podtest.Text("mine is done"), podtest.End()},
	)})
	c := p.Dial()
	barrier(c)
	close(gate)
	c.UntilName(protocol.EventRunEnd)
	c.Send(protocol.Run{Input: "mine"})
	events := describe(c.Rest())
	same(t, "the end", []string{"run_end finished", "shutdown"}, events[len(events)-2:])
	if err := p.Wait(); err != nil {
		t.Error(err)
	}
}

func TestOnce_EndsWhenNobodyComes(t *testing.T) {
	p := podtest.Try(t, pod.Options{Once: true, OnceGrace: 100 * time.Millisecond})
	// Looking whether it answers is not coming.
	if !(pod.Found{Socket: p.Socket()}).Answers() {
		t.Error("the pod does not answer")
	}
	if err := p.Wait(); err != nil {
		t.Error(err)
	}
}

func TestFolder_IsMadePrivateAgain(t *testing.T) {
	runDir := podtest.RunDir(t)
	if err := os.MkdirAll(filepath.Join(runDir, "p"), 0o755); err != nil {
		t.Fatal(err)
	}
	podtest.Start(t, pod.Options{RunDir: runDir})
	for _, dir := range []string{runDir, filepath.Join(runDir, "p")} {
		if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("%s: %v, %v", dir, info.Mode(), err)
		}
	}
}

func TestName_IsHeldByOneProcess(t *testing.T) {
	spec := newChildSpec(t, "solo")
	c := startChild(t, spec)
	st := podtest.NewStore()
	_, err := pod.Open(t.Context(), podtest.Fill(t, pod.Options{Name: "solo", RunDir: spec.RunDir, Store: st}))
	if err == nil || !strings.Contains(err.Error(), "pod solo is running already") {
		t.Fatalf("a second pod of the name: %v", err)
	}
	// The living one noticed nothing, and after a kill its socket is healed.
	podtest.Dial(t, c.socket).Hello(protocol.Hello{})
	c.kill()
	if _, err := os.Stat(c.socket); err != nil {
		t.Fatalf("a killed pod leaves its socket: %v", err)
	}
	p := podtest.Start(t, pod.Options{Name: "solo", RunDir: spec.RunDir, Store: st})
	p.Dial().Hello(protocol.Hello{})
}

func TestSignals_EndThePodInOrder(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT} {
		spec := newChildSpec(t, "sig")
		spec.Pause = time.Hour
		c := startChild(t, spec)
		cl := podtest.Dial(t, c.socket)
		hello, _ := cl.Hello(protocol.Hello{})
		cl.Send(protocol.Run{Input: "hi"})
		cl.UntilName(protocol.EventTextDone)
		if err := c.terminate(sig); err != nil {
			t.Fatalf("%v: %v\n%s", sig, err, c.stderr)
		}
		events := describe(cl.Rest())
		same(t, "the end", []string{cancelled, "run_end cancelled", "status idle queued=0", "shutdown"}, events[len(events)-4:])
		if _, err := os.Stat(c.socket); !os.IsNotExist(err) {
			t.Errorf("the socket is still there: %v", err)
		}
		log, _ := openStore(t, spec).Log(t.Context(), hello.SessionID.String(), 0, -1, 0)
		if _, err := session.Fold(log); err != nil {
			t.Error(err)
		}
	}
}

// TestInbox_AnInputTooLongToBeReadIsLeftOutAndSaid: an earlier version accepted
// what this one cannot read; the rest of the queue must not wait for it.
func TestInbox_AnInputTooLongToBeReadIsLeftOutAndSaid(t *testing.T) {
	st := podtest.NewStore()
	leftBehind(t, st, session.PhaseIdle, "", saidHi, entry(session.KindRunEnd, session.RunEnd{Result: protocol.RunFinished}))
	row, err := st.StartPod(t.Context(), session.PodStart{Name: "p"})
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range []session.InboxItem{
		{EntryID: "too-long", Kind: protocol.InputText, TooLong: 60_000_000},
		{EntryID: "next", Kind: protocol.InputText, Text: "next"},
	} {
		if _, _, err := st.Accept(t.Context(), session.Acceptance{PodID: row.ID, Item: i}); err != nil {
			t.Fatal(err)
		}
	}
	p := podtest.Start(t, pod.Options{Store: st})
	c := p.Dial()
	waitFor(t, func() bool { return len(history(t, c)) == 4 })
	same(t, "history", []string{
		"user: hi", "user: [An input of 60000000 bytes stood here. It is longer than the 32 MiB that can be read, and was left out.]",
		"user: next", "assistant: done",
	}, history(t, c))
	late := p.Dial()
	if n := podtest.Await[protocol.Notification](late); n.Level != protocol.LevelError || !strings.Contains(n.Message, "60000000 bytes") {
		t.Errorf("who comes later is told %+v", n)
	}
}
