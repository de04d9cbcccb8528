package pod_test

import (
	"slices"
	"strings"
	"testing"

	"podium.local/pod/podtest"
	"podium.local/protocol"
)

// compactColumns are the two columns of the table that speak of compaction.
var compactColumns = []struct {
	method protocol.MethodParams
	// between is what happens while a compaction between runs goes on, inRun while
	// one goes on in a run; the last of each is what to wait for.
	between, inRun []string
}{
	{protocol.Run{Input: "next"}, []string{"accepted run with entry to r-1"}, []string{runningMessage + " to r-1"}},
	{protocol.Resume{}, []string{notPaused + " to r-1"}, []string{runningMessage + " to r-1"}},
	{protocol.Pause{}, []string{notRunning + " to r-1"}, []string{
		"accepted pause to r-1", `compact_failed "Cancelled"`, "run_end paused"}},
	{protocol.Cancel{}, []string{"accepted cancel to r-1", `compact_failed "Cancelled"`}, []string{
		"accepted cancel to r-1", `compact_failed "Cancelled"`, cancelled, "run_end cancelled"}},
	{protocol.Notify{Message: "n"}, []string{"accepted notify with entry to r-1"}, []string{"accepted notify with entry to r-1"}},
	{protocol.Compact{}, []string{runningMessage + " to r-1"}, []string{runningMessage + " to r-1"}},
	{protocol.Shutdown{}, []string{"accepted shutdown to r-1", `compact_failed "Cancelled"`, "shutdown"}, []string{
		"accepted shutdown to r-1", `compact_failed "Cancelled"`, cancelled, "run_end cancelled", "shutdown"}},
}

func TestCompact_EachMethodMeanwhile(t *testing.T) {
	st := newStore(t)
	for _, c := range compactColumns {
		for _, inRun := range []bool{false, true} {
			name := c.method.MethodName() + "/between runs"
			main, want := podtest.NewProvider(answers("ok", 1500)), c.between
			if inRun {
				name = c.method.MethodName() + "/in a run"
				main, want = podtest.NewProvider(fill(2000)), c.inRun
			}
			t.Run(name, func(t *testing.T) {
				reached := make(chan struct{}, 1)
				a := newAudience(t, compacting(st, main, worker([]podtest.Step{podtest.Hang(reached)})))
				a.base.Send(protocol.Run{Input: "do it: " + long(1200)})
				<-reached
				a.settle()
				a.extended.SendAs("r-1", c.method)
				var got []string
				for len(got) == 0 || got[len(got)-1] != want[len(want)-1] {
					if e := describeOne(a.extended.Next()); !strings.HasPrefix(e, "status ") {
						got = append(got, e)
					}
				}
				same(t, "events", want, got)
			})
		}
	}
}

func TestCompact_ARunQueuedMeanwhileRunsInTheNewSession(t *testing.T) {
	gate, reached := make(chan struct{}), make(chan struct{}, 1)
	summaries := worker(append([]podtest.Step{podtest.Gate(gate, reached)}, writes("they talked")...), []podtest.Step{podtest.End()})
	a := newAudience(t, compacting(newStore(t), podtest.NewProvider(answers("ok", 1500), answers("hello", 100)), summaries))
	a.base.Send(protocol.Run{Input: "do it: " + long(1200)})
	<-reached
	a.base.Send(protocol.Run{Input: "queued"})
	a.base.Send(protocol.Run{Input: "one too many"})
	if e := podtest.Await[protocol.Error](a.base); e.Code != protocol.CodeAlreadyRunning {
		t.Errorf("a second one: %+v", e)
	}
	close(gate)
	a.base.UntilName(protocol.EventCompactDone)
	a.base.UntilName(protocol.EventRunEnd)
	items := history(t, a.base)
	same(t, "the end of the history", []string{"user: queued", "assistant: hello"}, items[len(items)-2:])
}

func TestCompact_CancelDiscardsTheQueuedRunAndCountsAsNoFailure(t *testing.T) {
	main := podtest.NewProvider()
	reached := make(chan struct{}, 1)
	var scripts [][]podtest.Step
	for range 4 {
		scripts = append(scripts, []podtest.Step{podtest.Hang(reached)})
	}
	o := compacting(newStore(t), main, worker(scripts...))
	o.Compaction.RequestThreshold = 0
	a := newAudience(t, o)
	for range 4 {
		main.Add(answers("ok", 1500)...)
		a.base.Send(protocol.Run{Input: "x " + long(1200)})
		<-reached
		a.base.Send(protocol.Run{Input: "queued"})
		a.base.Send(protocol.Cancel{})
		// It was accepted, so it ends, for the base client too.
		base, extended := a.await("run_end rolled_back")
		failed := slices.Index(extended, `compact_failed "Cancelled"`)
		if failed < 0 || !slices.Contains(extended[failed:], cancelled) || base[len(base)-1] != cancelled {
			t.Errorf("base %q, extended %q", base, extended)
		}
		for _, e := range extended {
			if strings.HasPrefix(e, "notification") {
				t.Errorf("%q", extended)
			}
		}
		waitIdle(t, a)
	}
	for _, e := range history(t, a.base) {
		if strings.Contains(e, "queued") {
			t.Errorf("a discarded run stands in the history: %s", e)
		}
	}
}

func TestCompact_ShutdownKeepsTheQueuedRunForTheNextStart(t *testing.T) {
	reached := make(chan struct{}, 1)
	st, runDir := newStore(t), podtest.RunDir(t)
	o := compacting(st, podtest.NewProvider(answers("ok", 1500)), worker([]podtest.Step{podtest.Hang(reached)}))
	o.RunDir = runDir
	p := podtest.Try(t, o)
	c := p.Dial()
	c.Send(protocol.Run{Input: "do it: " + long(1200)})
	<-reached
	c.Send(protocol.Run{Input: "queued"})
	barrier(c)
	if err := p.Stop(); err != nil {
		t.Fatal(err)
	}
	o.Provider, o.Compaction.Threshold = podtest.NewProvider(answers("later", 100)), 0
	q := podtest.Start(t, o)
	d := q.Dial()
	waitFor(t, func() bool {
		items := history(t, d)
		return items[len(items)-1] == "assistant: later"
	})
}
