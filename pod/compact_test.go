package pod_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"podium.local/llm"
	"podium.local/pod"
	"podium.local/pod/podtest"
	"podium.local/protocol"
	"podium.local/session"
	"podium.local/tool"
)

// long is a text of about n tokens.
func long(n int) string { return strings.Repeat("word", n) }

// answers is a whole answer with its measured prompt.
func answers(text string, input int64) []podtest.Step {
	return []podtest.Step{podtest.Text(text), podtest.Usage(input, 10), podtest.End()}
}

// writes is a summary worker's answer.
func writes(summary string) []podtest.Step {
	args, _ := json.Marshal(map[string]string{"text": summary})
	return []podtest.Step{podtest.Call("s", "write_summary", string(args)), podtest.Usage(300, 20), podtest.Calls()}
}

// worker is a provider of its own for the summaries.
func worker(scripts ...[]podtest.Step) *podtest.Provider { return podtest.NewProvider(scripts...) }

func good() *podtest.Provider { return worker(writes("they talked"), []podtest.Step{podtest.End()}) }

// compacting are options with thresholds that the sizes in these tests pass.
func compacting(st pod.Store, main, summaries *podtest.Provider) pod.Options {
	return pod.Options{
		Store: st, Name: podName(), Provider: main, Tools: tool.NewRegistry(echo), Retry: pod.Retry{Attempts: 1},
		Compaction: pod.Compaction{
			Threshold: 1000, RequestThreshold: 2000, Retained: 50, Provider: summaries, Model: "small",
		},
	}
}

// without drops the statuses, which the orders of the design do not speak of.
func without(events []string) []string {
	return slices.DeleteFunc(slices.Clone(events), func(e string) bool { return strings.HasPrefix(e, "status ") })
}

// from is the part of events that begins with the first one so named.
func from(events []string, first string) []string {
	if i := slices.Index(events, first); i >= 0 {
		return events[i:]
	}
	return nil
}

func newSession(t *testing.T, c *podtest.Client) (string, protocol.HelloEvent) {
	t.Helper()
	hello, _ := c.Hello(protocol.Hello{})
	return hello.SessionID.String(), hello
}

func TestCompact_AfterARun(t *testing.T) {
	st := newStore(t)
	a := newAudience(t, compacting(st, podtest.NewProvider(answers("ok", 1500)), good()))
	old := a.p.SessionID()
	a.base.Send(protocol.Run{Input: "do it: " + long(1200)})
	var done protocol.CompactDone
	var seen []protocol.Event
	for done.NewSessionID.IsZero() {
		ev := a.extended.Next()
		seen = append(seen, ev)
		done, _ = ev.Data.(protocol.CompactDone)
	}
	same(t, "extended", []string{"run_end finished", "status idle queued=0", "compact_start", "status compacting queued=0", "compact_done"},
		from(a.withoutRepeats(describe(seen)), "run_end finished"))
	base, _ := a.settle()
	same(t, "base", []string{"run_end finished", "compact_start", "compact_done"}, from(base, "run_end finished"))
	// The announced session stands in the store and is the pod's.
	if got := a.p.SessionID(); got == old || got != done.NewSessionID.String() {
		t.Errorf("the pod holds %s, announced was %s, before %s", got, done.NewSessionID, old)
	}
	// A client that joins now learns of it by hello and sees no compact event.
	late := a.p.Dial()
	if sid, _ := newSession(t, late); sid != done.NewSessionID.String() {
		t.Errorf("a late client is told session %s", sid)
	}
	if events := without(describe(barrier(late))); len(events) > 0 {
		t.Errorf("a late client is shown %q", events)
	}
	items := history(t, a.base)
	if items[0] != "system: [Compacted context summary]\n\nthey talked" || items[len(items)-1] != "assistant: ok" {
		t.Errorf("history: %q", items)
	}
	// The old log is as it was.
	log, err := st.Log(t.Context(), old, 0, -1, 0)
	if err != nil || len(log) != 4 {
		t.Errorf("the old log has %d entries, %v", len(log), err)
	}
	// One that missed it and comes back is shown compact_done.
	id, since := a.p.ID(), uint64(4)
	back := a.p.Dial()
	back.Hello(protocol.Hello{PodID: &id, Since: &since})
	if d := podtest.Await[protocol.CompactDone](back); d.NewSessionID != done.NewSessionID {
		t.Errorf("replayed: %+v", d)
	}
	// Turn numbers go on.
	a.base.Send(protocol.Run{Input: "next"})
	base, _ = a.await("status idle queued=0")
	same(t, "next turn", "turn_start 1", base[0])
}

// fill makes a run whose tools give so much that the next request needs a
// compaction.
func fill(tokens int) []podtest.Step {
	return []podtest.Step{
		podtest.Call("c1", "Echo", fmt.Sprintf(`{"x":%q}`, long(tokens))), podtest.Usage(500, 10), podtest.Calls(),
	}
}

func TestCompact_BeforeARequest(t *testing.T) {
	main := podtest.NewProvider(fill(2000), answers("found it", 200))
	a := newAudience(t, compacting(newStore(t), main, good()))
	a.base.Send(protocol.Run{Input: "the task"})
	base, extended := a.await("status idle queued=0")
	want := []string{
		"turn_start 1", "turn_end 1 finished", "compact_start", "compact_done",
		"turn_start 1", "text_delta found it", "text_done found it", "usage", "turn_end 1 finished", "run_end finished",
	}
	same(t, "base", want, from(base, "turn_start 1"))
	same(t, "extended", want, without(from(extended, "turn_start 1")))
	if !slices.Contains(extended, "status compacting queued=0") {
		t.Errorf("extended: %q", extended)
	}
	// The model is told what is still to be done, word for word.
	same(t, "request", []string{
		"system: [Compacted context summary]\n\nthey talked", "system: [Open task]\n\nthe task",
	}, conversation(main.Requests()[1]))
}

func TestCompact_HonestOnesInOneRunAreFine(t *testing.T) {
	main := podtest.NewProvider(
		fill(2000), []podtest.Step{podtest.Call("c", "Echo", "{}"), podtest.Usage(200, 10), podtest.Calls()},
		fill(2000), answers("done at last", 200))
	summaries := worker(writes("one"), []podtest.Step{podtest.End()}, writes("two"), []podtest.Step{podtest.End()})
	a := newAudience(t, compacting(newStore(t), main, summaries))
	a.base.Send(protocol.Run{Input: "the task"})
	base, _ := a.await("status idle queued=0")
	n := 0
	for _, e := range base {
		if e == "compact_done" {
			n++
		}
	}
	if n != 2 || base[len(base)-1] != "run_end finished" {
		t.Errorf("%d compactions: %q", n, base)
	}
}

func TestCompact_ThrashEndsTheRunWithoutACompactEvent(t *testing.T) {
	main := podtest.NewProvider(fill(2000),
		[]podtest.Step{podtest.Call("c2", "Echo", "{}"), podtest.Usage(5000, 10), podtest.Calls()})
	a := newAudience(t, compacting(newStore(t), main, good()))
	a.base.Send(protocol.Run{Input: "the task"})
	// After the run the context is compacted again, since it is too large.
	var seen []string
	for len(seen) == 0 || !strings.HasPrefix(seen[len(seen)-1], "run_end") {
		seen = append(seen, describeOne(nextButStatus(a.extended)))
	}
	const text = "compaction thrash: context still exceeds threshold immediately after compact"
	same(t, "the end", []string{
		"turn_start 2", "turn_end 2 finished", fmt.Sprintf("error internal %q", text), fmt.Sprintf("run_end failed %q", text),
	}, seen[len(seen)-4:])
}

func TestCompact_OverflowIsAnsweredByOneCompactionAndOneRetry(t *testing.T) {
	overflow := &llm.Error{Kind: llm.ErrorContextOverflow, Status: 400, Message: "prompt is too long"}
	for _, twice := range []bool{false, true} {
		main := podtest.NewProvider([]podtest.Step{podtest.Fail(overflow)}, answers("fits", 100))
		if twice {
			main = podtest.NewProvider([]podtest.Step{podtest.Fail(overflow)}, []podtest.Step{podtest.Fail(overflow)})
		}
		o := compacting(newStore(t), main, good())
		o.Compaction.Threshold, o.Compaction.RequestThreshold = 0, 0
		a := newAudience(t, o)
		a.base.Send(protocol.Run{Input: "the task " + long(3000)})
		base, _ := a.await("status idle queued=0")
		want := []string{"turn_start 0", "turn_end 0 finished", "compact_start", "compact_done", "turn_start 0"}
		if twice {
			want = append(want, `error provider_error "API error (status 400): prompt is too long"`)
		} else {
			want = append(want, "text_delta fits", "text_done fits", "usage", "turn_end 0 finished", "run_end finished")
		}
		same(t, "base", want, base)
	}
}

// waitIdle waits until the pod compacts no more.
func waitIdle(t *testing.T, a *audience) {
	t.Helper()
	waitFor(t, func() bool {
		hello, _ := a.p.Dial().Hello(protocol.Hello{})
		return hello.State == protocol.StateIdle
	})
}

func TestCompact_ByHand(t *testing.T) {
	provider := podtest.NewProvider()
	o := compacting(newStore(t), provider, good())
	o.Compaction.Threshold, o.Compaction.RequestThreshold = 0, 0
	a := newAudience(t, o)
	a.base.Send(protocol.Run{Input: long(2000)})
	a.await("status idle queued=0")
	a.extended.SendAs("r-1", protocol.Compact{})
	_, extended := a.await("status idle queued=0")
	same(t, "extended", []string{"compact_start", "compact_done"},
		slices.DeleteFunc(without(extended), func(e string) bool { return strings.HasPrefix(e, "accepted") }))
	if !slices.Contains(extended, "accepted compact to r-1") {
		t.Errorf("extended: %q", extended)
	}
	// There is nothing more to gain at once.
	a.base.Send(protocol.Compact{})
	if f := podtest.Await[protocol.CompactFailed](a.base); f.Error == "" {
		t.Errorf("%+v", f)
	}
}

func TestCompact_OfNothingSaysSo(t *testing.T) {
	a := newAudience(t, compacting(newStore(t), podtest.NewProvider(), good()))
	a.base.Send(protocol.Compact{})
	if f := podtest.Await[protocol.CompactFailed](a.base); f.Error != "nothing left to compact" {
		t.Errorf("%+v", f)
	}
}

func TestCompact_OnStartUpAnOpenOneIsClosed(t *testing.T) {
	st := newStore(t)
	leftBehind(t, st, session.PhaseCompacting, "",
		saidHi, entry(session.KindText, session.Text{Text: "x"}), turnEnd, entry(session.KindRunEnd, session.RunEnd{Result: protocol.RunFinished}))
	p := podtest.Start(t, pod.Options{Store: st})
	c := p.Dial()
	if n := podtest.Await[protocol.Notification](c); n.Source != protocol.SourceCompactor {
		t.Errorf("%+v", n)
	}
	if hello, _ := c.Hello(protocol.Hello{}); hello.State != protocol.StateIdle {
		t.Errorf("%+v", hello)
	}
}

// reader is a file reader with one file.
var reader = fakeTool{"Read", func(_ context.Context, args json.RawMessage) tool.Result {
	var a struct {
		FilePath string `json:"file_path"`
	}
	if json.Unmarshal(args, &a); a.FilePath != "/w/main.go" {
		return tool.Result{Summary: "path is outside allowed scope: " + a.FilePath, IsError: true}
	}
	return tool.Result{Summary: "Read 2 line(s)", Content: "     1\tpackage main\n     2\tfunc main() {}\n"}
}}

func TestCompact_NewSessionHoldsSummaryTaskFilesReferencesAndTail(t *testing.T) {
	main := podtest.NewProvider(
		[]podtest.Step{podtest.Call("r1", "Read", `{"file_path":"/w/main.go"}`), podtest.Usage(100, 10), podtest.Calls()},
		fill(2000), answers("done", 200))
	summaries := worker(
		[]podtest.Step{
			podtest.Call("m", "mark_read_required", `{"file_path":"/w/main.go","offset":0,"limit":2}`),
			podtest.Call("n", "mark_read_required", `{"file_path":"/etc/shadow"}`),
			podtest.Call("a", "add_reference", `{"file_path":"/w/go.mod"}`), podtest.Call("b", "add_reference", `{"file_path":"/w/go.mod"}`),
			podtest.Calls(),
		},
		writes("## Active task"), []podtest.Step{podtest.Text("done"), podtest.End()})
	o := compacting(newStore(t), main, summaries)
	o.Tools = tool.NewRegistry(echo, reader)
	o.Compaction.Read = func() tool.Tool { return reader }
	a := newAudience(t, o)
	a.base.Send(protocol.Run{Input: "the task"})
	a.await("status idle queued=0")
	same(t, "request", []string{
		"system: [Compacted context summary]\n\n## Active task",
		"system: [Open task]\n\nthe task",
		"system: [Auto-read file: /w/main.go:1-2]\n     1\tpackage main\n     2\tfunc main() {}\n",
		"system: [Referenced files, to be read when they are needed]\n- /w/go.mod",
	}, conversation(main.Requests()[2]))
	asked := summaries.Requests()[0]
	prompt := conversation(asked)[0]
	for _, part := range []string{"- /w/main.go\n", "[User] the task", "[ToolCall] Read", "[ToolResult] Read 2 line(s)", "[ToolCall] Echo"} {
		if !strings.Contains(prompt, part) {
			t.Errorf("the worker is not told %q", part)
		}
	}
	if *asked.Temperature != 0 || asked.MaxTokens != 4096 || asked.Model != "small" {
		t.Errorf("%+v", asked)
	}
	answers := conversation(summaries.Requests()[1])
	if !slices.Contains(answers, "result n: path is outside allowed scope: /etc/shadow") {
		t.Errorf("the reader's scope holds for the worker too: %q", answers)
	}
}

func TestCompact_WhilePausedKeepsTheCallsThatWait(t *testing.T) {
	began := make(chan struct{}, 1)
	main := podtest.NewProvider(
		[]podtest.Step{podtest.Reasoning("hm", `"proof"`), podtest.Call("c1", "Hang", "{}"), podtest.Call("c2", "Echo", `{"n":2}`), podtest.Calls()})
	o := compacting(newStore(t), main, good())
	o.Tools = tool.NewRegistry(echo, hanging(began))
	o.ParallelTools = 1
	o.Compaction.Threshold, o.Compaction.RequestThreshold = 0, 0
	a := newAudience(t, o)
	a.base.Send(protocol.Run{Input: long(6000)})
	<-began
	a.base.Send(protocol.Pause{})
	a.await("status paused queued=0")
	a.base.Send(protocol.Compact{})
	a.base.UntilName(protocol.EventCompactDone)
	a.await("status paused queued=0")
	a.base.Send(protocol.Resume{})
	base, _ := a.await("status idle queued=0")
	same(t, "resumed", []string{`tool_result c2 "{\"n\":2}" error=false`, "turn_start 1"}, base[:2])
	asked := conversation(main.Requests()[1])
	same(t, "request", []string{
		`reasoning: hm "proof"`, "call c1 Hang {}", `call c2 Echo {"n":2}`, "result c1: [Interrupted by user]", `result c2: {"n":2}`,
	}, asked[len(asked)-5:])
}

func TestPrune_LeavesOldToolOutputOutOfTheRequestAndInTheLog(t *testing.T) {
	reads := []podtest.Step{podtest.Call("c", "Read", `{"file_path":"/a"}`), podtest.Calls()}
	main := podtest.NewProvider(reads, answers("one", 10), answers("two", 10))
	o := compacting(newStore(t), main, good())
	o.Tools = tool.NewRegistry(fakeTool{"Read", readerOf(long(1000))})
	o.Compaction = pod.Compaction{PruneProtected: 1, PruneMinSavings: 500}
	a := newAudience(t, o)
	for _, input := range []string{"read it", "go on"} {
		a.base.Send(protocol.Run{Input: input})
		a.await("status idle queued=0")
	}
	same(t, "request", []string{"user: read it", `call c Read {"file_path":"/a"}`, "result c: read", "assistant: one", "user: go on"},
		conversation(main.Requests()[2]))
	if whole := history(t, a.base)[2]; len(whole) < 4000 {
		t.Errorf("the history has %q", whole)
	}
}

func TestCompact_CostOfTheSummaryCountsOnTheOldSession(t *testing.T) {
	st := podtest.NewStore()
	o := compacting(st, podtest.NewProvider(answers("ok", 1500)), good())
	o.Compaction.Price = func(model string, u session.Usage) (float64, string, bool) { return 0.5, "catalog", model == "small" }
	a := attend(t, podtest.Start(t, o))
	old := a.p.SessionID()
	a.base.Send(protocol.Run{Input: "do it: " + long(1200)})
	a.base.UntilName(protocol.EventCompactDone)
	row := st.Row(old)
	if row.Usage.CostUSD == nil || *row.Usage.CostUSD != 0.5 || row.Usage.InputTokens != 1500+300 || row.ReasonCode != "session.compacted" {
		t.Errorf("old row: %+v", row)
	}
	if row := st.Row(a.p.SessionID()); row.Usage.CostUSD != nil || row.Usage.InputTokens != 0 || !strings.HasPrefix(row.Name, "do it: ") {
		t.Errorf("new row: %+v", row)
	}
	log := st.All(a.p.SessionID())
	payload, err := log[len(log)-1].Decode()
	if c, ok := payload.(session.Compaction); err != nil || !ok || c.FromSession != old || c.TokensBefore < 1500 || c.TokensAfter <= 0 ||
		c.TokensAfter > 700 || *c.CostUSD != 0.5 {
		t.Errorf("compaction entry: %+v, %v", payload, err)
	}
}

func TestCompact_ARetryOfTheSummaryIsSaid(t *testing.T) {
	summaries := podtest.NewProvider([]podtest.Step{podtest.Fail(overload)}, writes("they talked"), []podtest.Step{podtest.End()})
	o := compacting(newStore(t), podtest.NewProvider(answers("ok", 1500)), summaries)
	o.Retry = soon
	a := newAudience(t, o)
	a.base.Send(protocol.Run{Input: "do it: " + long(1200)})
	said, retry := false, false
	for _, ev := range a.extended.UntilName(protocol.EventCompactDone) {
		switch d := ev.Data.(type) {
		case protocol.Notification:
			said = said || strings.HasPrefix(d.Message, "the summary request failed: ")
		case protocol.Status:
			retry = retry || d.Retry != nil && d.State == protocol.StateCompacting
		}
	}
	if !said || !retry {
		t.Errorf("notification %t, status %t", said, retry)
	}
}

func TestCompact_OverflowOfWhatCannotBeCompactedKeepsTheModelsWords(t *testing.T) {
	tooLong := &llm.Error{Kind: llm.ErrorContextOverflow, Status: 400, Message: "too long by 7 tokens"}
	o := compacting(newStore(t), podtest.NewProvider([]podtest.Step{podtest.Fail(tooLong)}), podtest.NewProvider())
	a := newAudience(t, o)
	a.base.Send(protocol.Run{Input: "hi"})
	e := podtest.Await[protocol.Error](a.base)
	if e.Code != protocol.CodeProviderError || !strings.Contains(e.Message, "nothing left to compact: ") || !strings.Contains(e.Message, "too long by 7 tokens") {
		t.Errorf("%+v", e)
	}
}
