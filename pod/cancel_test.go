package pod_test

import (
	"slices"
	"strings"
	"testing"

	"podium.local/pod"
	"podium.local/pod/podtest"
	"podium.local/protocol"
	"podium.local/tool"
)

func TestCancel_WorksAtEveryMoment(t *testing.T) {
	cases := []struct {
		name    string
		steps   func(reached chan struct{}) []podtest.Step
		end     string
		history []string
	}{
		{"before the first token", func(r chan struct{}) []podtest.Step { return []podtest.Step{podtest.Hang(r)} },
			"run_end rolled_back", nil},
		{"in a text", func(r chan struct{}) []podtest.Step { return []podtest.Step{podtest.Open("x"), podtest.Hang(r)} },
			"run_end cancelled", []string{"user: hi"}},
		{"in a call", func(r chan struct{}) []podtest.Step {
			return []podtest.Step{podtest.OpenCall("c1", "Echo", "{"), podtest.Hang(r)}
		}, "run_end cancelled", []string{"user: hi"}},
		{"between blocks", func(r chan struct{}) []podtest.Step { return []podtest.Step{podtest.Text("kept"), podtest.Hang(r)} },
			"run_end cancelled", []string{"user: hi", "assistant: kept"}},
		{"after a finished call", func(r chan struct{}) []podtest.Step {
			return []podtest.Step{podtest.Call("c1", "Echo", "{}"), podtest.Hang(r)}
		}, "run_end cancelled", []string{"user: hi", "call c1 Echo {}", "result c1: [Interrupted by user]"}},
		{"in a tool", func(r chan struct{}) []podtest.Step {
			return []podtest.Step{podtest.Call("c1", "Hang", "{}"), podtest.Calls()}
		}, "run_end cancelled", []string{"user: hi", "call c1 Hang {}", "result c1: [Interrupted by user]"}},
	}
	st := newStore(t)
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			reached := make(chan struct{}, 1)
			provider := podtest.NewProvider(c.steps(reached))
			a := newAudience(t, pod.Options{
				Store: st, Name: podName(), Provider: provider, Tools: tool.NewRegistry(echo, hanging(reached)),
			})
			a.base.Send(protocol.Run{Input: "hi"})
			<-reached
			a.base.Send(protocol.Cancel{})
			base, extended := a.await("status idle queued=0")
			same(t, "base end", cancelled, base[len(base)-1])
			same(t, "extended end", []string{cancelled, c.end, "status idle queued=0"}, extended[len(extended)-3:])
			same(t, "history", c.history, history(t, a.base))
			if n := countEnds(extended); n != 1 {
				t.Errorf("%d ends of one run", n)
			}
			// What was cut off does not run later and does not leak into the next
			// answer.
			a.base.Send(protocol.Run{Input: "next"})
			a.await("status idle queued=0")
			want := append(append([]string(nil), c.history...), "user: next", "assistant: done")
			same(t, "history afterwards", want, history(t, a.base))
			same(t, "next request", want[:len(want)-1], conversation(provider.Requests()[1]))
		})
	}
}

func TestCancel_RightAfterRunIsNotLost(t *testing.T) {
	st := newStore(t)
	for range 20 {
		a := newAudience(t, pod.Options{Store: st, Name: podName(), Provider: podtest.NewProvider([]podtest.Step{podtest.Hang(nil)})})
		a.base.Send(protocol.Run{Input: "hi"})
		a.base.Send(protocol.Cancel{})
		_, extended := a.await("status idle queued=0")
		same(t, "the end", "run_end rolled_back", extended[len(extended)-2])
	}
}

func TestCancel_AfterPauseEndsIdle(t *testing.T) {
	// The tool does not die at once, so that the cancel meets a run that is
	// still being paused.
	began, die := make(chan struct{}, 1), make(chan struct{})
	slow := fakeTool{"Slow", hanging(began).run}
	slow.run = slowToDie(began, die)
	a := newAudience(t, pod.Options{
		Provider: podtest.NewProvider([]podtest.Step{podtest.Call("c1", "Slow", "{}"), podtest.Calls()}),
		Tools:    tool.NewRegistry(slow),
	})
	a.base.Send(protocol.Run{Input: "hi"})
	<-began
	a.base.Send(protocol.Pause{})
	a.base.Send(protocol.Cancel{})
	barrier(a.base)
	close(die)
	_, extended := a.await("status idle queued=0")
	same(t, "the end", []string{cancelled, "run_end cancelled", "status idle queued=0"}, extended[len(extended)-3:])
}

func TestPause_NeverRollsBack(t *testing.T) {
	reached := make(chan struct{}, 1)
	a := newAudience(t, pod.Options{Provider: podtest.NewProvider([]podtest.Step{podtest.Hang(reached)})})
	a.base.Send(protocol.Run{Input: "hi"})
	<-reached
	a.base.Send(protocol.Pause{})
	a.await("status paused queued=0")
	same(t, "history", []string{"user: hi"}, history(t, a.base))
}

func TestPause_LeavesCallsThatHaveNotBegun(t *testing.T) {
	began := make(chan struct{}, 1)
	provider := podtest.NewProvider([]podtest.Step{
		podtest.Call("c1", "Hang", "{}"), podtest.Call("c2", "Echo", `{"n":2}`), podtest.Calls(),
	})
	a := newAudience(t, pod.Options{Provider: provider, Tools: tool.NewRegistry(echo, hanging(began)), ParallelTools: 1})
	a.base.Send(protocol.Run{Input: "hi"})
	<-began
	a.base.Send(protocol.Pause{})
	a.await("status paused queued=0")
	same(t, "paused", []string{
		"user: hi", "call c1 Hang {}", `call c2 Echo {"n":2}`, "result c1: [Interrupted by user]",
	}, history(t, a.base))
	a.base.Send(protocol.Resume{})
	base, _ := a.await("status idle queued=0")
	same(t, "resumed", []string{`tool_result c2 "{\"n\":2}" error=false`, "turn_start 1"}, base[:2])
}

func TestRun_WhilePausedClosesOpenCallsFirst(t *testing.T) {
	began := make(chan struct{}, 2)
	provider := podtest.NewProvider([]podtest.Step{
		podtest.Call("c1", "Hang", "{}"), podtest.Call("c2", "Hang", "{}"), podtest.Calls(),
	})
	a := newAudience(t, pod.Options{Provider: provider, Tools: tool.NewRegistry(hanging(began)), ParallelTools: 1})
	a.base.Send(protocol.Run{Input: "hi"})
	<-began
	a.base.Send(protocol.Pause{})
	a.await("status paused queued=0")
	a.base.Send(protocol.Run{Input: "other"})
	a.await("status idle queued=0")
	want := []string{
		"user: hi", "call c1 Hang {}", "call c2 Hang {}",
		"result c1: [Interrupted by user]", "result c2: [Interrupted by user]",
		"system: [The previous request was interrupted by the user before it was finished. A new request follows.]",
		"user: other", "assistant: done",
	}
	got := history(t, a.base)
	slices.Sort(got[3:5])
	same(t, "history", want, got)
	asked := conversation(provider.Requests()[1])
	slices.Sort(asked[3:5])
	same(t, "request", want[:7], asked)
}

func TestResume_GoesOnWithAnAnswerThatWasCutOff(t *testing.T) {
	reached := make(chan struct{}, 1)
	provider := podtest.NewProvider([]podtest.Step{podtest.Text("first half"), podtest.Hang(reached)})
	a := newAudience(t, pod.Options{Provider: provider})
	a.base.Send(protocol.Run{Input: "hi"})
	<-reached
	a.base.Send(protocol.Pause{})
	a.await("status paused queued=0")
	a.base.Send(protocol.Resume{})
	a.await("status idle queued=0")
	asked := conversation(provider.Requests()[1])
	if len(asked) != 3 || !strings.HasPrefix(asked[2], "system: ") {
		t.Errorf("the model is asked to go on with a word that stands in the log: %q", asked)
	}
	same(t, "history", append(asked, "assistant: done"), history(t, a.base))
}
