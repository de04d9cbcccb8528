package pod_test

import (
	"errors"
	"strings"
	"testing"

	"podium.local/pod"
	"podium.local/pod/podtest"
	"podium.local/protocol"
	"podium.local/session"
)

// lock keeps one operation of the store waiting as another program would, until
// FailWith(nil); the channel tells when the pod first tries it.
func lock(st *podtest.Store, operation string) (tried <-chan struct{}) {
	first := make(chan struct{}, 1)
	st.FailWith(func(op string) error {
		if op != operation {
			return nil
		}
		select {
		case first <- struct{}{}:
		default:
		}
		return session.ErrBusy
	})
	return first
}

// answer reads up to the direct answer that carries the request id.
func answer(c *podtest.Client, requestID string) string {
	events := c.Until(func(ev protocol.Event) bool { return ev.RequestID == requestID })
	return describeOne(events[len(events)-1])
}

func TestCancel_IsAnsweredWhileTheInputWaitsForALockedStore(t *testing.T) {
	for name, same := range map[string]bool{"another client": false, "the same client": true} {
		t.Run(name, func(t *testing.T) {
			st, provider := podtest.NewStore(), podtest.NewProvider()
			a := attend(t, podtest.Start(t, pod.Options{Store: st, Provider: provider}))
			tried := lock(st, "accept")
			runner, canceller := a.p.Dial(), a.p.Dial()
			for _, c := range []*podtest.Client{runner, canceller} {
				c.Hello(protocol.Hello{})
			}
			if same {
				canceller = runner
			}
			runner.SendAs("r", protocol.Run{Input: "hi"})
			<-tried
			canceller.SendAs("c", protocol.Cancel{})
			if got := answer(canceller, "c"); got != "accepted cancel to c" {
				t.Errorf("cancel: %s", got)
			}
			canceller.SendAs("n", protocol.Run{Input: "another"})
			if got := answer(canceller, "n"); !strings.HasPrefix(got, "error already_running") {
				t.Errorf("another run: %s", got)
			}
			st.FailWith(nil)
			if got := answer(runner, "r"); got != "accepted run with entry to r" {
				t.Errorf("run: %s", got)
			}
			_, extended := a.await("run_end rolled_back")
			if countEnds(extended) != 1 || len(provider.Requests()) != 0 {
				t.Errorf("%d requests, %q", len(provider.Requests()), extended)
			}
			if got := history(t, a.base); len(got) != 0 {
				t.Errorf("history %q", got)
			}
		})
	}
}

func TestRun_SentAgainWhileItWaitsForALockedStoreIsTheSame(t *testing.T) {
	st := podtest.NewStore()
	a := attend(t, podtest.Start(t, pod.Options{Store: st}))
	tried := lock(st, "accept")
	first, again := a.p.Dial(), a.p.Dial()
	for _, c := range []*podtest.Client{first, again} {
		c.Hello(protocol.Hello{})
	}
	first.SendAs("r", protocol.Run{Input: "hi"})
	<-tried
	again.SendAs("r", protocol.Run{Input: "hi"})
	barrier(again)
	st.FailWith(nil)
	ids := map[string]bool{}
	for _, c := range []*podtest.Client{first, again} {
		events := c.Until(func(ev protocol.Event) bool { return ev.RequestID == "r" })
		accepted, ok := events[len(events)-1].Data.(protocol.Accepted)
		if !ok || accepted.EntryID == nil {
			t.Fatalf("answer: %+v", events[len(events)-1])
		}
		ids[*accepted.EntryID] = true
	}
	_, extended := a.await("status idle queued=0")
	if len(ids) != 1 || countEnds(extended) != 1 {
		t.Errorf("entries %v, %q", ids, extended)
	}
}

func TestCancel_IsAnsweredWhileAPauseWaitsForALockedStoreAndEndsIdle(t *testing.T) {
	st, reached := podtest.NewStore(), make(chan struct{}, 1)
	a := attend(t, podtest.Start(t, pod.Options{Store: st, Provider: podtest.NewProvider(
		[]podtest.Step{podtest.Open("x"), podtest.Hang(reached)})}))
	a.base.Send(protocol.Run{Input: "hi"})
	<-reached
	tried := lock(st, "commit")
	a.extended.SendAs("p", protocol.Pause{})
	<-tried
	a.extended.SendAs("c", protocol.Cancel{})
	if got := answer(a.extended, "c"); got != "accepted cancel to c" {
		t.Errorf("cancel: %s", got)
	}
	st.FailWith(nil)
	_, extended := a.await("status idle queued=0")
	if countEnds(extended) != 1 || extended[0] != "run_end paused" {
		t.Errorf("%q", extended)
	}
	if row := st.Row(a.p.SessionID()); row.Phase != session.PhaseIdle {
		t.Errorf("the session is %s", row.Phase)
	}
}

func TestCancel_IsAnsweredWhileACompactionWaitsForALockedStore(t *testing.T) {
	st := podtest.NewStore()
	o := compacting(st, podtest.NewProvider(answers("ok", 1500)), good())
	o.Compaction.RequestThreshold = 0
	a := attend(t, podtest.Start(t, o))
	tried := lock(st, "continue")
	a.base.Send(protocol.Run{Input: "do it: " + long(1200)})
	<-tried
	a.extended.SendAs("c", protocol.Cancel{})
	if got := answer(a.extended, "c"); got != "accepted cancel to c" {
		t.Errorf("cancel: %s", got)
	}
	st.FailWith(nil)
	a.await("status idle queued=0")
	// Its commit was on the way; it stands.
	if n := len(st.All(a.p.SessionID())); n == 0 {
		t.Error("the new session is empty")
	}
}

func TestShutdown_IsAnsweredWhileTheInputWaitsForALockedStore(t *testing.T) {
	st := podtest.NewStore()
	p := podtest.Try(t, pod.Options{Store: st})
	a := attend(t, p)
	tried := lock(st, "accept")
	a.base.SendAs("r", protocol.Run{Input: "hi"})
	<-tried
	a.extended.SendAs("s", protocol.Shutdown{})
	if got := answer(a.extended, "s"); got != "accepted shutdown to s" {
		t.Errorf("shutdown: %s", got)
	}
	if got := answer(a.base, "r"); !strings.Contains(got, "refused: ") {
		t.Errorf("run: %s", got)
	}
	if err := p.Wait(); err != nil && !errors.Is(err, session.ErrBusy) {
		t.Errorf("the pod ends with %v", err)
	}
}
