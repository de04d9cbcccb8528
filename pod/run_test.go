package pod_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"podium.local/llm"
	"podium.local/pod"
	"podium.local/pod/podtest"
	"podium.local/protocol"
	"podium.local/session"
	"podium.local/tool"
)

func same(t *testing.T, what string, want, got any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

func TestRun_PlainSequence(t *testing.T) {
	a := newAudience(t, pod.Options{Provider: podtest.NewProvider(
		[]podtest.Step{podtest.Text("Hel", "lo"), podtest.Usage(409, 71), podtest.End()})})
	a.base.Send(protocol.Run{Input: "hi"})
	base, extended := a.await("status idle queued=0")
	same(t, "base", []string{
		"turn_start 0", "text_delta Hello", "text_done Hello", "usage", "turn_end 0 finished", "run_end finished",
	}, base)
	same(t, "extended", []string{
		"status running queued=1", `user_input input "hi"`, "status running queued=0",
		"turn_start 0", "text_delta Hello", "text_done Hello", "usage", "turn_end 0 finished", "run_end finished",
		"status idle queued=0",
	}, extended)
}

func TestRun_ToolRoundSequence(t *testing.T) {
	provider := podtest.NewProvider(
		[]podtest.Step{
			podtest.Reasoning("thinking", `"proof"`), podtest.Text("I look"),
			podtest.Call("c1", "Echo", `{"b":1, "a":2}`), podtest.Usage(10, 5), podtest.Calls(),
		},
		[]podtest.Step{podtest.Text("found"), podtest.End()})
	a := newAudience(t, pod.Options{Provider: provider, Tools: tool.NewRegistry(echo)})
	a.base.Send(protocol.Run{Input: "look"})
	base, extended := a.await("status idle queued=0")
	same(t, "base", []string{
		"turn_start 0", "text_delta I look", "text_done I look",
		"tool_call_start c1 Echo", `tool_call_args_delta {"b":1, "a":2}`, `tool_call_done c1 Echo {"a":2,"b":1}`,
		"usage", "turn_end 0 finished", `tool_result c1 "{\"a\":2,\"b\":1}" error=false`,
		"turn_start 1", "text_delta found", "text_done found", "turn_end 1 finished", "run_end finished",
	}, base)
	if !slices.Contains(extended, "reasoning_delta thinking") || !slices.Contains(extended, "reasoning_done thinking") {
		t.Errorf("an extended client sees the reasoning too: %q", extended)
	}
	// The model gets back what it said, its reasoning with the proof included.
	same(t, "second request", []string{
		"user: look", `reasoning: thinking "proof"`, "assistant: I look", `call c1 Echo {"a":2,"b":1}`, `result c1: {"a":2,"b":1}`,
	}, conversation(provider.Requests()[1]))
}

func TestRun_RightAfterItsEndIsAccepted(t *testing.T) {
	a := newAudience(t, pod.Options{})
	for range 30 {
		a.base.Send(protocol.Run{Input: "again"})
		events := a.base.Until(func(ev protocol.Event) bool {
			name := ev.Data.EventName()
			return name == protocol.EventRunEnd || name == protocol.EventError
		})
		if last := describeOne(events[len(events)-1]); last != "run_end finished" {
			t.Fatalf("a run sent after the end of the one before: %s", last)
		}
	}
}

func TestRun_EmptyBlocksAreEventsWithoutEntries(t *testing.T) {
	st := newStore(t)
	a := newAudience(t, pod.Options{Store: st, Provider: podtest.NewProvider(
		[]podtest.Step{podtest.Text(), podtest.Reasoning("", ""), podtest.Text("x"), podtest.End()})})
	a.base.Send(protocol.Run{Input: "hi"})
	_, extended := a.await("status idle queued=0")
	if !slices.Contains(extended, "text_done ") {
		t.Errorf("an empty block has its done event: %q", extended)
	}
	same(t, "history", []string{"user: hi", "assistant: x"}, history(t, a.base))
}

func TestRun_CallWithoutArgumentsHasAnEmptyObject(t *testing.T) {
	st := newStore(t)
	for _, args := range []string{"", "null", "[1]", `{"a":`} {
		a := newAudience(t, pod.Options{
			Store: st, Name: podName(),
			Provider: podtest.NewProvider([]podtest.Step{podtest.Call("c1", "Echo", args), podtest.Calls()}),
			Tools:    tool.NewRegistry(echo),
		})
		a.base.Send(protocol.Run{Input: "hi"})
		base, _ := a.await("status idle queued=0")
		if !slices.Contains(base, "tool_call_done c1 Echo {}") || !slices.Contains(base, `tool_result c1 "{}" error=false`) {
			t.Errorf("arguments %q: %q", args, base)
		}
	}
}

func TestRun_CallsOfOneAnswerHaveDifferentIDs(t *testing.T) {
	st := newStore(t)
	provider := podtest.NewProvider([]podtest.Step{
		podtest.Call("same", "Echo", `{"n":1}`), podtest.Call("same", "Echo", `{"n":2}`), podtest.Call("", "Echo", `{"n":3}`),
		podtest.Calls(),
	})
	a := newAudience(t, pod.Options{Store: st, Provider: provider, Tools: tool.NewRegistry(echo)})
	a.base.Send(protocol.Run{Input: "hi"})
	a.await("status idle queued=0")
	ids := map[string]bool{}
	results := 0
	for _, line := range conversation(provider.Requests()[1]) {
		if id, ok := strings.CutPrefix(line, "call "); ok {
			ids[strings.Fields(id)[0]] = true
		}
		if strings.HasPrefix(line, "result ") {
			results++
		}
	}
	if len(ids) != 3 || results != 3 {
		t.Errorf("three calls have %d ids and %d results", len(ids), results)
	}
}

func TestRun_ErrorInsideTheStreamFailsTheRun(t *testing.T) {
	broken := &llm.Error{Kind: llm.ErrorOverloaded, Code: "overloaded_error", Message: "busy"}
	a := newAudience(t, pod.Options{Provider: podtest.NewProvider([]podtest.Step{
		podtest.Text("kept"), podtest.Call("c1", "Echo", "{}"), podtest.Open("lost"), podtest.Usage(7, 3), podtest.Fail(broken),
	}), Tools: tool.NewRegistry(echo)})
	a.base.Send(protocol.Run{Input: "hi"})
	base, extended := a.await("status idle queued=0")
	tail := []string{
		`tool_result c1 "[Interrupted: the run failed]" error=true`, "usage",
		`error provider_error "API error (overloaded_error): busy"`,
	}
	same(t, "base", tail, base[len(base)-3:])
	same(t, "extended", append(tail, `run_end failed "API error (overloaded_error): busy"`, "status idle queued=0"),
		extended[len(extended)-5:])
	same(t, "history", []string{"user: hi", "assistant: kept", "call c1 Echo {}", "result c1: [Interrupted: the run failed]"},
		history(t, a.base))
}

func TestRun_FailureIsToldToThoseWhoComeLater(t *testing.T) {
	a := newAudience(t, pod.Options{Provider: podtest.NewProvider(
		[]podtest.Step{podtest.Fail(&llm.Error{Kind: llm.ErrorAuth, Status: 401, Message: "bad key"})})})
	a.base.Send(protocol.Run{Input: "hi"})
	base, _ := a.await("status idle queued=0")
	same(t, "live", []string{"turn_start 0", `error provider_error "API error (status 401): bad key"`}, base)
	n := podtest.Await[protocol.Notification](a.p.Dial())
	if n.Level != protocol.LevelError || !strings.Contains(n.Message, "bad key") {
		t.Errorf("a late client is told %+v", n)
	}
	// Until a run has gone better.
	a.base.Send(protocol.Run{Input: "again"})
	a.await("status idle queued=0")
	if events := describe(barrier(a.p.Dial())); len(events) > 0 {
		t.Errorf("after a good run a late client is told %q", events)
	}
}

func TestRun_StreamWithoutAnEndFailsTheRun(t *testing.T) {
	a := newAudience(t, pod.Options{Provider: podtest.NewProvider([]podtest.Step{podtest.Text("half")})})
	a.base.Send(protocol.Run{Input: "hi"})
	base, _ := a.await("status idle queued=0")
	same(t, "the end", `error provider_error "the stream ended before the answer was complete"`, base[len(base)-1])
}

func TestRun_MaxTurnsIsPerRun(t *testing.T) {
	calls := []podtest.Step{podtest.Call("c", "Echo", "{}"), podtest.Calls()}
	a := newAudience(t, pod.Options{
		Provider: podtest.NewProvider(calls, calls, calls, calls), Tools: tool.NewRegistry(echo), MaxTurns: 2,
	})
	for range 2 {
		a.base.Send(protocol.Run{Input: "go"})
		base, _ := a.await("status idle queued=0")
		turns := 0
		for _, e := range base {
			if strings.HasPrefix(e, "turn_start") {
				turns++
			}
		}
		if turns != 2 || base[len(base)-1] != "run_end limit_reached" {
			t.Errorf("a run with max_turns 2 had %d turns: %q", turns, base)
		}
	}
}

func TestRun_NotificationsArriveOnceBeforeTheNextRequest(t *testing.T) {
	gate, reached := make(chan struct{}), make(chan struct{}, 1)
	provider := podtest.NewProvider(
		[]podtest.Step{podtest.Gate(gate, reached), podtest.Call("c1", "Echo", "{}"), podtest.Calls()},
		[]podtest.Step{podtest.Text("ok"), podtest.End()})
	a := newAudience(t, pod.Options{Provider: provider, Tools: tool.NewRegistry(echo)})
	a.base.Send(protocol.Run{Input: "hi"})
	<-reached
	a.base.Send(protocol.Notify{Message: "one"})
	a.base.Send(protocol.PodEvent{Kind: protocol.PodEventErrored, PodName: "child", Message: "m"})
	barrier(a.base)
	close(gate)
	a.await("status idle queued=0")
	got := history(t, a.base)
	wrap := func(s string) string {
		return "system: " + session.Input{Text: s, Kind: protocol.InputNotification}.ModelText()
	}
	same(t, "history", []string{
		"user: hi", "call c1 Echo {}", "result c1: {}", wrap("one"), wrap("Pod `child` reported an error: m"), "assistant: ok",
	}, got)
	if !strings.Contains(wrap("one"), "[Notification]") || !strings.Contains(wrap("one"), "not a blocking request") {
		t.Errorf("a notification reads %q", wrap("one"))
	}
	if n := len(provider.Requests()); n != 2 {
		t.Errorf("%d requests, want 2: the notifications need no run of their own", n)
	}
}

func TestRun_NotificationInTheLastTurnWakesThePodAgain(t *testing.T) {
	gate, reached := make(chan struct{}), make(chan struct{}, 1)
	a := newAudience(t, pod.Options{Provider: podtest.NewProvider(
		[]podtest.Step{podtest.Text("first"), podtest.Gate(gate, reached), podtest.End()},
		[]podtest.Step{podtest.Text("second"), podtest.End()})})
	a.base.Send(protocol.Run{Input: "hi"})
	<-reached
	a.base.Send(protocol.Notify{Message: "late"})
	barrier(a.base)
	close(gate)
	a.base.UntilName(protocol.EventRunEnd)
	a.base.UntilName(protocol.EventRunEnd)
	items := history(t, a.base)
	if len(items) != 4 || items[3] != "assistant: second" {
		t.Errorf("history: %q", items)
	}
}

func TestRun_NotificationsAfterACancelWaitForTheNextRun(t *testing.T) {
	reached := make(chan struct{}, 1)
	provider := podtest.NewProvider([]podtest.Step{podtest.Open("x"), podtest.Hang(reached)})
	a := newAudience(t, pod.Options{Provider: provider})
	a.base.Send(protocol.Run{Input: "hi"})
	<-reached
	a.base.Send(protocol.Notify{Message: "n"})
	a.base.Send(protocol.Cancel{})
	a.await("status idle queued=1")
	a.base.Send(protocol.Run{Input: "next"})
	a.await("status idle queued=0")
	got := history(t, a.base)
	if len(got) != 4 || !strings.Contains(got[1], "[Notification]\nn") || got[2] != "user: next" {
		t.Errorf("history: %q", got)
	}
}

// countEnds is how many ends of runs a client was shown.
func countEnds(events []string) (n int) {
	for _, e := range events {
		if strings.HasPrefix(e, "run_end") {
			n++
		}
	}
	return n
}

func TestRun_UsageAndCostStandOnTheRow(t *testing.T) {
	st := podtest.NewStore()
	price := func(model string, u session.Usage) (float64, string, bool) {
		return float64(*u.InputTokens) / 1000, "catalog", model == "m"
	}
	p := podtest.Start(t, pod.Options{Store: st, Price: price, ContextLimit: 1000, Provider: podtest.NewProvider(
		[]podtest.Step{podtest.Text("x"), podtest.Usage(200, 10), podtest.End()})})
	a := attend(t, p)
	a.extended.Send(protocol.Run{Input: "hi"})
	u := podtest.Await[protocol.Usage](a.extended)
	want := uint64(1000)
	if u.Extra == nil || u.Extra.CostUSD == nil || *u.Extra.CostUSD != 0.2 || u.Extra.ContextTokens != 210 ||
		u.Extra.ContextLimit == nil || *u.Extra.ContextLimit != want {
		t.Errorf("usage: %+v", u.Extra)
	}
	a.await("status idle queued=0")
	row := st.Row(p.SessionID())
	if row.Usage.CostUSD == nil || *row.Usage.CostUSD != 0.2 || row.Usage.InputTokens != 200 || row.Turns != 1 || row.Name != "hi" {
		t.Errorf("row: %+v", row)
	}
	_, snapshot := p.Dial().Hello(protocol.Hello{})
	if total := snapshot.Live.Usage; *total.InputTokens != 200 || *total.Extra.CostUSD != 0.2 {
		t.Errorf("totals in the snapshot: %+v", total)
	}
}

func TestRun_UnknownPriceIsNoCostRatherThanZero(t *testing.T) {
	st := podtest.NewStore()
	p := podtest.Start(t, pod.Options{Store: st, Provider: podtest.NewProvider(
		[]podtest.Step{podtest.Text("x"), podtest.Usage(200, 10), podtest.End()})})
	a := attend(t, p)
	a.base.Send(protocol.Run{Input: "hi"})
	a.await("status idle queued=0")
	if row := st.Row(p.SessionID()); row.Usage.CostUSD != nil {
		t.Errorf("the cost of an unpriced model is %v", *row.Usage.CostUSD)
	}
}
