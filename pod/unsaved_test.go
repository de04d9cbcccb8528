package pod_test

import (
	"errors"
	"strings"
	"testing"

	"podium.local/pod"
	"podium.local/pod/podtest"
	"podium.local/protocol"
	"podium.local/session"
	"podium.local/tool"
)

func TestRun_FullDiskStopsTheRunAndShowsNothingUnsaved(t *testing.T) {
	st := podtest.NewStore()
	p := podtest.Start(t, pod.Options{Store: st, Provider: podtest.NewProvider(
		[]podtest.Step{podtest.Text("never shown as done"), podtest.End()})})
	a := attend(t, p)
	commits := 0
	st.FailWith(func(operation string) error {
		if operation == "commit" {
			if commits++; commits > 1 {
				return session.ErrFull
			}
		}
		return nil
	})
	a.base.Send(protocol.Run{Input: "hi"})
	base, extended := a.await("status idle queued=0")
	for _, e := range append(base, extended...) {
		if strings.HasPrefix(e, "text_done") || strings.HasPrefix(e, "run_end") {
			t.Errorf("%s was shown and is not saved", e)
		}
	}
	last := base[len(base)-1]
	if !strings.HasPrefix(last, "error internal") || !strings.Contains(last, session.ErrFull.Error()) {
		t.Errorf("the run ends with %s", last)
	}
	same(t, "history", []string{"user: hi"}, history(t, a.base))

	// With room again the pod works, and the run that could not be ended has its
	// one end in the log.
	st.FailWith(nil)
	a.base.Send(protocol.Run{Input: "again"})
	base, extended = a.await("status idle queued=0")
	if !strings.HasPrefix(extended[1], "run_end failed") || countEnds(extended) != 2 {
		t.Errorf("extended: %q", extended)
	}
	if countEnds(base) != 1 || strings.HasPrefix(base[0], "error") {
		t.Errorf("a base client was told the first end when it happened: %q", base)
	}
	if _, err := session.Fold(st.All(p.SessionID())); err != nil {
		t.Error(err)
	}
}

func TestRun_WaitsForALockedStoreAndSaysSo(t *testing.T) {
	st := podtest.NewStore()
	a := attend(t, podtest.Start(t, pod.Options{Store: st}))
	st.FailWith(func(operation string) error {
		if operation == "commit" {
			return session.ErrBusy
		}
		return nil
	})
	a.base.Send(protocol.Run{Input: "hi"})
	if n := podtest.Await[protocol.Notification](a.base); n.Source != protocol.SourcePod || !strings.Contains(n.Message, "locked") {
		t.Errorf("%+v", n)
	}
	// Others are served meanwhile.
	if hello, _ := a.p.Dial().Hello(protocol.Hello{}); hello.State != protocol.StateRunning {
		t.Errorf("%+v", hello)
	}
	st.FailWith(nil)
	a.base.UntilName(protocol.EventRunEnd)
}

func TestStop_DoesNotWaitForALockedStoreAsLongAsARun(t *testing.T) {
	st := podtest.NewStore()
	p := podtest.Try(t, pod.Options{Store: st})
	a := attend(t, p)
	st.FailWith(func(string) error { return session.ErrBusy })
	// The controller itself waits: the input cannot be accepted.
	a.base.Send(protocol.Run{Input: "hi"})
	if err := p.Stop(); !errors.Is(err, session.ErrBusy) {
		t.Errorf("the pod ends with %v", err)
	}
}

func TestRun_TheEndThatIsOwedOutlivesRunsThatFail(t *testing.T) {
	st := podtest.NewStore()
	a := attend(t, podtest.Start(t, pod.Options{Store: st, Provider: podtest.NewProvider(
		[]podtest.Step{podtest.Call("c1", "Echo", "{}"), podtest.Text("x"), podtest.End()}), Tools: tool.NewRegistry(echo)}))
	commits := 0
	st.FailWith(func(operation string) error {
		if operation == "commit" {
			if commits++; commits > 2 {
				return session.ErrFull
			}
		}
		return nil
	})
	a.base.Send(protocol.Run{Input: "one"})
	a.await("status idle queued=0")
	a.base.Send(protocol.Run{Input: "two"})
	a.await("status idle queued=1")
	st.FailWith(nil)
	a.base.Send(protocol.Run{Input: "three"})
	_, extended := a.await("status idle queued=0")
	if n := countEnds(extended); n != 3 {
		t.Errorf("%d ends of three runs: %q", n, extended)
	}
	same(t, "history", []string{
		"user: one", "call c1 Echo {}", "result c1: [Interrupted: the run failed]", "user: two", "user: three", "assistant: done",
	}, history(t, a.base))
}

func TestPod_EndsWhenItsSessionIsTakenOver(t *testing.T) {
	st := podtest.NewStore()
	p := podtest.Try(t, pod.Options{Store: st})
	a := attend(t, p)
	st.FailWith(func(operation string) error { return session.ErrLost })
	a.base.Send(protocol.Run{Input: "hi"})
	events := describe(a.base.Rest())
	if len(events) == 0 || events[len(events)-1] != "shutdown" {
		t.Errorf("clients see %q", events)
	}
	if err := p.Wait(); !errors.Is(err, session.ErrLost) {
		t.Errorf("the pod ends with %v", err)
	}
}
