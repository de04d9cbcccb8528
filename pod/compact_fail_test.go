package pod_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"podium.local/llm"
	"podium.local/pod"
	"podium.local/pod/podtest"
	"podium.local/protocol"
	"podium.local/session"
)

func TestCompact_FailuresLeaveTheSessionInUse(t *testing.T) {
	busy := &llm.Error{Kind: llm.ErrorRateLimited, Status: 429, Message: "provider 429"}
	mute := []podtest.Step{podtest.Text("I would rather not"), podtest.End()}
	talkative := [][]podtest.Step{}
	for range 20 {
		talkative = append(talkative, []podtest.Step{podtest.Call("r", "add_reference", `{"file_path":"/a"}`), podtest.Calls()})
	}
	cases := map[string]struct {
		summaries *podtest.Provider
		change    func(*pod.Options)
		text      string
	}{
		"the provider refuses": {worker([]podtest.Step{podtest.Fail(busy)}), nil, "API error (status 429): provider 429"},
		"no summary":           {worker(mute, mute), nil, "compact worker did not produce a summary (write_summary was never called)"},
		"the deadline":         {worker([]podtest.Step{podtest.Hang(nil)}), func(o *pod.Options) { o.Compaction.Deadline = 20 * time.Millisecond }, "the summary was not written within 20ms"},
		"too many requests":    {worker(talkative...), nil, "compact worker made more than 10 requests"},
		"too large a worker":   {worker(append(talkative[:1:1], talkative[1])...), func(o *pod.Options) { o.Compaction.MaxInput = 20 }, "compact worker input exceeded 20 tokens"},
		"too long a summary":   {worker(writes(long(2000)), []podtest.Step{podtest.End()}), nil, "the compacted context would still hold"},
	}
	for name, c := range cases {
		t.Run(name+"/after a run", func(t *testing.T) {
			o := compacting(newStore(t), podtest.NewProvider(answers("ok", 1500)), c.summaries)
			if c.change != nil {
				c.change(&o)
			}
			a := newAudience(t, o)
			old := a.p.SessionID()
			a.base.Send(protocol.Run{Input: "do it: " + long(1200)})
			events := a.extended.UntilName(protocol.EventNotification)
			n := events[len(events)-1].Data.(protocol.Notification)
			got := without(from(describe(events), "run_end finished"))
			failed := strings.TrimPrefix(got[2], "compact_failed ")
			if !strings.Contains(failed, c.text) {
				t.Errorf("the failure is %s", failed)
			}
			same(t, "order", []string{"run_end finished", "compact_start", got[2], "notification warn compactor"}, got)
			if fmt.Sprintf("%q", strings.TrimPrefix(n.Message, "post-run compaction failed: ")) != failed {
				t.Errorf("notification %q beside %s", n.Message, failed)
			}
			a.settle()
			if a.p.SessionID() != old {
				t.Error("the session changed")
			}
			a.base.Send(protocol.Run{Input: "go on"})
			a.base.UntilName(protocol.EventRunEnd)
		})
	}
	t.Run("before a request", func(t *testing.T) {
		main := podtest.NewProvider(fill(2000))
		a := newAudience(t, compacting(newStore(t), main, worker([]podtest.Step{podtest.Fail(busy)})))
		a.base.Send(protocol.Run{Input: "the task"})
		base, extended := a.await("status idle queued=0")
		const text = "API error (status 429): provider 429"
		want := []string{
			"turn_start 1", "turn_end 1 finished", "compact_start", fmt.Sprintf("compact_failed %q", text),
			"notification error compactor", fmt.Sprintf("error provider_error %q", text),
		}
		same(t, "base", want, from(base, "turn_start 1"))
		same(t, "extended", append(want, fmt.Sprintf("run_end failed %q", text)), without(from(extended, "turn_start 1")))
	})
}

func TestCompact_FullDiskLeavesTheOldSession(t *testing.T) {
	st := podtest.NewStore()
	o := compacting(st, podtest.NewProvider(answers("ok", 1500)), good())
	a := attend(t, podtest.Start(t, o))
	old := a.p.SessionID()
	st.FailWith(func(operation string) error {
		if operation == "continue" {
			return session.ErrFull
		}
		return nil
	})
	a.base.Send(protocol.Run{Input: "do it: " + long(1200)})
	if f := podtest.Await[protocol.CompactFailed](a.base); !strings.Contains(f.Error, session.ErrFull.Error()) {
		t.Errorf("%+v", f)
	}
	a.settle()
	if a.p.SessionID() != old {
		t.Error("the session changed")
	}
}

func TestCompact_ThreeFailuresSwitchItOff(t *testing.T) {
	fail := []podtest.Step{podtest.Fail(&llm.Error{Kind: llm.ErrorInvalid, Message: "no"})}
	main := podtest.NewProvider()
	summaries := worker(fail, fail, fail, fail)
	o := compacting(newStore(t), main, summaries)
	o.Compaction.RequestThreshold = 0
	a := newAudience(t, o)
	for n := range 5 {
		main.Add(answers("ok", 1500)...)
		a.base.Send(protocol.Run{Input: "x " + long(1200)})
		events := a.base.UntilName(protocol.EventRunEnd)
		if n < 3 {
			events = a.base.UntilName(protocol.EventNotification)
		}
		if n == 2 {
			events = append(events, a.base.UntilName(protocol.EventNotification)...)
			last := events[len(events)-1].Data.(protocol.Notification)
			if last.Level != protocol.LevelWarn || !strings.Contains(last.Message, "switched off") {
				t.Errorf("after the third failure: %+v", last)
			}
		}
		a.settle()
	}
	if n := len(summaries.Requests()); n != 3 {
		t.Errorf("%d compactions were tried, want 3", n)
	}
}

func TestCompact_TwoWithoutEffectSwitchItOff(t *testing.T) {
	main := podtest.NewProvider()
	summaries := worker()
	o := compacting(newStore(t), main, summaries)
	o.Compaction.RequestThreshold = 0
	a := newAudience(t, o)
	done := 0
	for range 5 {
		// The vendor counts far more than the bytes say.
		main.Add(answers("ok", 1500)...)
		summaries.Add(writes("short")...)
		summaries.Add(podtest.End())
		a.base.Send(protocol.Run{Input: "x " + long(1600)})
		base, _ := a.await("status idle queued=0")
		more, _ := a.settle()
		waitIdle(t, a)
		last, _ := a.settle()
		for _, e := range append(append(base, more...), last...) {
			if e == "compact_done" {
				done++
			}
		}
	}
	if done != 2 {
		t.Errorf("%d compactions, want 2", done)
	}
}
