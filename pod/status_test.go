package pod_test

import (
	"testing"

	"podium.local/llm"
	"podium.local/pod"
	"podium.local/pod/podtest"
	"podium.local/protocol"
	"podium.local/session"
	"podium.local/tool"
)

// The reason tells of the last run when the pod is stopped later, after a process
// that only looked in, and when no bookmark speaks of it.
func TestStop_TheSessionIsCompletedWhateverItsLastRunDidAndTheReasonTellsIt(t *testing.T) {
	const idle, paused = "status idle queued=0", "status paused queued=0"
	reached := make(chan struct{}, 1)
	refused := []podtest.Step{podtest.Fail(&llm.Error{Kind: llm.ErrorInvalid, Message: "no such model"})}
	good := []podtest.Step{podtest.Text("done"), podtest.End()}
	calls := []podtest.Step{podtest.Call("c", "Echo", "{}"), podtest.Calls()}
	hangs := []podtest.Step{podtest.Open("x"), podtest.Hang(reached)}
	blank := []podtest.Step{podtest.Hang(reached)}
	run := func(a *audience) {
		a.base.Send(protocol.Run{Input: "hi"})
		a.await(idle)
	}
	begin := func(a *audience, then protocol.MethodParams, until string) {
		a.base.Send(protocol.Run{Input: "hi"})
		<-reached
		a.base.Send(then)
		a.await(until)
	}
	for name, c := range map[string]struct {
		scripts [][]podtest.Step
		do      func(*audience)
		want    string
	}{
		"no run":            {nil, func(*audience) {}, "the pod was stopped"},
		"failed":            {[][]podtest.Step{refused}, run, "the pod was stopped; its last run failed: no such model"},
		"failed, then good": {[][]podtest.Step{refused, good}, func(a *audience) { run(a); run(a) }, "the pod was stopped"},
		"good, then failed": {[][]podtest.Step{good, refused}, func(a *audience) { run(a); run(a) }, "the pod was stopped; its last run failed: no such model"},
		"at its limit":      {[][]podtest.Step{calls}, run, "the pod was stopped; its last run reached its limit of turns"},
		"cancelled":         {[][]podtest.Step{hangs}, func(a *audience) { begin(a, protocol.Cancel{}, idle) }, "the pod was stopped; its last run was cancelled"},
		"taken back":        {[][]podtest.Step{blank}, func(a *audience) { begin(a, protocol.Cancel{}, idle) }, "the pod was stopped; its last run was cancelled"},
		"paused":            {[][]podtest.Step{hangs}, func(a *audience) { begin(a, protocol.Pause{}, paused) }, "the pod was stopped"},
		"paused, then discarded": {[][]podtest.Step{hangs}, func(a *audience) {
			begin(a, protocol.Pause{}, paused)
			a.base.Send(protocol.Cancel{})
			a.await(idle)
		}, "the pod was stopped; its last run was paused and then discarded"},
	} {
		t.Run(name, func(t *testing.T) {
			o := pod.Options{Store: podtest.NewStore(), Provider: podtest.NewProvider(c.scripts...), Tools: tool.NewRegistry(echo), MaxTurns: 1}
			st := o.Store.(*podtest.Store)
			p := podtest.Try(t, o)
			c.do(attend(t, p))
			check := func(who string) {
				t.Helper()
				if err := p.Stop(); err != nil {
					t.Fatal(err)
				}
				row := st.Row(p.SessionID())
				if row.Status != session.StatusCompleted || row.ReasonCode != "session.completed" || row.Reason != c.want {
					t.Errorf("after %s: %s, %s, %q", who, row.Status, row.ReasonCode, row.Reason)
				}
			}
			check("the pod")
			p = podtest.Try(t, o)
			check("one that only looked in")
			if name == "paused" || name == "paused, then discarded" {
				return // only a bookmark knows of pauses
			}
			o.Name, o.SessionID = "another", p.SessionID()
			p = podtest.Try(t, o)
			check("a pod without its bookmark")
		})
	}
}
