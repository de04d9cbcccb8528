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
		if strings.HasPrefix(e, "text_done") {
			t.Errorf("%s was shown and is not saved", e)
		}
	}
	if n := countEnds(extended); n != 1 || countEnds(base) != 0 {
		t.Errorf("%d ends for the extended client: %q", n, extended)
	}
	last := base[len(base)-1]
	if !strings.HasPrefix(last, "error internal") || !strings.Contains(last, session.ErrFull.Error()) {
		t.Errorf("the run ends with %s", last)
	}
	same(t, "history", []string{"user: hi"}, history(t, a.base))

	// With room again the pod works, and the run that could not be ended has its
	// one end in the log, in front of everything else.
	st.FailWith(nil)
	a.base.Send(protocol.Run{Input: "again"})
	base, extended = a.await("status idle queued=0")
	if !strings.HasPrefix(extended[0], "run_end failed") || countEnds(extended) != 2 {
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

func TestRun_AnEndThatIsNotSavedIsToldWithoutSeqAndThenWithIt(t *testing.T) {
	st := podtest.NewStore()
	a := attend(t, podtest.Start(t, pod.Options{Store: st}))
	st.FailWith(full("commit"))
	a.base.Send(protocol.Run{Input: "hi"})
	told := a.extended.UntilName(protocol.EventRunEnd)
	st.FailWith(nil)
	a.base.Send(protocol.Run{Input: "again"})
	saved := a.extended.UntilName(protocol.EventRunEnd)
	first, second := told[len(told)-1], saved[len(saved)-1]
	if first.Seq != 0 || second.Seq == 0 || first.Data != second.Data || first.Data.(protocol.RunEnd).EntryID == "" {
		t.Errorf("told %+v, saved %+v", first, second)
	}
}

// TestRun_AnInputThatWasToldFailedIsNotRunLater: the store took the input, and
// then not even the step that begins its run.
func TestRun_AnInputThatWasToldFailedIsNotRunLater(t *testing.T) {
	for name, saved := range map[string]string{
		"the end is saved at once": "",
		"before the next run":      "run",
		"when the pod is stopped":  "stop",
	} {
		t.Run(name, func(t *testing.T) {
			st, provider := podtest.NewStore(), podtest.NewProvider()
			o := pod.Options{Store: st, Provider: provider, RunDir: podtest.RunDir(t)}
			p := podtest.Try(t, o)
			a := attend(t, p)
			st.FailWith(full("commit"))
			if saved == "" {
				commits := 0
				st.FailWith(func(operation string) error {
					if operation == "commit" {
						if commits++; commits == 1 {
							return session.ErrFull
						}
					}
					return nil
				})
			}
			a.base.Send(protocol.Run{Input: "told failed"})
			a.extended.UntilName(protocol.EventRunEnd)
			barrier(a.base)
			want := []string{"user: told failed"}
			if saved != "" {
				a.base.Send(protocol.Run{Input: "refused"})
				if e := podtest.Await[protocol.Error](a.base); !strings.HasPrefix(e.Message, "refused: ") {
					t.Errorf("%+v", e)
				}
			}
			st.FailWith(nil)
			if saved == "run" {
				a.base.Send(protocol.Run{Input: "next"})
				a.extended.UntilName(protocol.EventTurnEnd)
				want = append(want, "user: next", "assistant: done")
			}
			if err := p.Stop(); err != nil {
				t.Fatal(err)
			}
			again := podtest.Start(t, o)
			same(t, "history after a restart", want, history(t, again.Dial()))
			if n := len(provider.Requests()); n != len(want)/2 {
				t.Errorf("%d requests for %q", n, want)
			}
			if items, err := st.Inbox(t.Context(), again.ID()); err != nil || len(items) != 0 {
				t.Errorf("%d inputs wait, %v", len(items), err)
			}
		})
	}
}

// full fails one operation of the store as a full disk does.
func full(operation string) func(string) error {
	return func(op string) error {
		if op == operation {
			return session.ErrFull
		}
		return nil
	}
}

func TestRun_TheEndThatIsOwedOutlivesRunsThatAreRefused(t *testing.T) {
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
	if e := podtest.Await[protocol.Error](a.base); !strings.Contains(e.Message, "refused: ") || !strings.Contains(e.Message, session.ErrFull.Error()) {
		t.Errorf("%+v", e)
	}
	st.FailWith(nil)
	a.base.Send(protocol.Run{Input: "three"})
	_, extended := a.await("status idle queued=0")
	if n := countEnds(extended); n != 2 {
		t.Errorf("%d ends: %q", n, extended)
	}
	same(t, "history", []string{
		"user: one", "call c1 Echo {}", "result c1: [Interrupted: the run failed]", "user: three", "assistant: done",
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
