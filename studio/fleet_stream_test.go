package studio_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"podium.local/protocol"
	"podium.local/session"
	"podium.local/studio"
)

// tick is longer than one look at the store.
const tick = 600 * time.Millisecond

// after lets time pass and everything that it starts end.
func after(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

var idleLook = studio.PodLook{State: protocol.StateIdle, SessionID: "s-p"}

func TestFleetStream_BeginsWithEverythingAndThenSaysWhatChanged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newStage(t, session.Fleet{
			Pods: []session.FleetPod{podNamed("p"), podNamed("q")}, Active: []session.Row{runNamed("a", "running"), runNamed("b", "gated")}, Failed: []session.Row{runNamed("c", "failed")},
		}, map[string]studio.PodLook{"p": idleLook, "q": {State: protocol.StateRunning, Tool: "Bash"}})
		v := g.view(t, "", nil)
		first := v.one()
		if first.Type != "reset" || first.AsOf == nil || names(first.Pods, "name") != "p q" || names(first.Pods, "state") != "idle running" || names(first.Runs, "id") != "a b c" {
			t.Errorf("%+v", first)
		}
		if first.Pods[1]["tool"] != "Bash" || first.Pods[0]["tool"] != nil || fmt.Sprint(first.Runs[1]["attention"]) != "map[kind:gated since:1.7672796e+09]" {
			t.Errorf("%v", first.Runs[1])
		}
		if ids := strings.Split(first.ID, "."); len(ids) != 2 || ids[1] != "0" {
			t.Errorf("the id of the first frame is %q", first.ID)
		}
		after(3 * time.Second)
		if got := v.changes(); len(got) != 0 {
			t.Errorf("nothing happened, and came %+v", got)
		}
		g.commit(func(f *session.Fleet) {
			f.Active = []session.Row{runNamed("d", "running"), runNamed("a", "running")}
		})
		g.pods.say("q", studio.PodLook{State: protocol.StatePaused, Since: at})
		after(tick)
		m := v.one()
		if m.Type != "change" || names(m.Pods, "name") != "q" || names(m.Runs, "id") != "d" || fmt.Sprint(m.GoneRuns, m.GonePods) != "[b] []" ||
			m.ID != strings.TrimSuffix(first.ID, "0")+"1" {
			t.Errorf("%+v", m)
		}
		if fmt.Sprint(m.Pods[0]["attention"]) != "map[kind:paused since:1.7672796e+09]" {
			t.Errorf("%v", m.Pods[0]["attention"])
		}
		g.commit(func(f *session.Fleet) { f.Pods, f.Truncated = f.Pods[1:], true })
		after(tick)
		if m := v.one(); fmt.Sprint(m.GonePods) != "[p]" || !m.Truncated || len(m.Pods)+len(m.Runs) != 0 {
			t.Errorf("%+v", m)
		}
		g.commit(func(f *session.Fleet) { f.FailedTruncated = true })
		after(tick)
		if m := v.one(); !m.FailedTruncated || len(m.Pods)+len(m.Runs) != 0 {
			t.Errorf("%+v", m)
		}
		if n := g.pods.open.Load(); n != 1 {
			t.Errorf("%d pods are followed", n)
		}
		// A commit that changes nothing here is no event.
		g.commit(func(*session.Fleet) {})
		after(tick)
		if got := v.changes(); len(got) != 0 {
			t.Errorf("%+v", got)
		}
	})
}

func TestFleetStream_ResumesBehindAKnownIDAndElseBeginsAnew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newStage(t, session.Fleet{Active: []session.Row{runNamed("a", "running")}}, nil)
		v := g.view(t, "", nil)
		start := strings.TrimSuffix(v.one().ID, "0")
		for i := range 3 {
			g.commit(func(f *session.Fleet) { f.Active = append(f.Active, runNamed(fmt.Sprintf("n%d", i+1), "running")) })
			after(tick)
		}
		for id, want := range map[string]string{
			start + "0": "change n1, change n2, change n3", start + "2": "change n3", start + "3": "",
			"": "reset a n1 n2 n3", start + "4": "reset a n1 n2 n3", start + "03": "reset a n1 n2 n3", "1.2": "reset a n1 n2 n3",
			start + "-1": "reset a n1 n2 n3", strings.Repeat("9", 5000): "reset a n1 n2 n3", start + "3 ": "reset a n1 n2 n3", "\x7f\xff": "reset a n1 n2 n3",
		} {
			again := g.view(t, id, nil)
			var got []string
			for _, m := range again.changes() {
				got = append(got, m.Type+" "+names(m.Runs, "id"))
			}
			if text := strings.Join(got, ", "); text != want {
				t.Errorf("after %.30q came %q, want %q", id, text, want)
			}
			again.leave()
		}
	})
}

func TestFleetStream_WithoutAViewerNothingIsReadAndNobodyConnected(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newStage(t, session.Fleet{Pods: []session.FleetPod{podNamed("p")}}, map[string]studio.PodLook{"p": idleLook})
		counts := func() string {
			return fmt.Sprintf("%d watches, %d looks, %d reads, %d pods", g.store.watches.Load(), g.store.looks.Load(), g.store.fleetReads.Load(), g.pods.open.Load())
		}
		after(time.Minute)
		if got := counts(); got != "0 watches, 0 looks, 0 reads, 0 pods" {
			t.Errorf("before the first viewer: %s", got)
		}
		v, second := g.view(t, "", nil), g.view(t, "", nil)
		after(10*time.Second - time.Millisecond)
		if got := counts(); got != "1 watches, 20 looks, 1 reads, 1 pods" {
			t.Errorf("with two viewers and no change for ten seconds: %s", got)
		}
		g.commit(func(*session.Fleet) {})
		after(time.Second)
		if got := counts(); got != "1 watches, 22 looks, 2 reads, 1 pods" {
			t.Errorf("after a commit: %s", got)
		}
		v.leave()
		after(time.Second)
		if got := counts(); got != "1 watches, 24 looks, 2 reads, 1 pods" {
			t.Errorf("with one viewer: %s", got)
		}
		second.leave()
		if got := counts(); got != "0 watches, 24 looks, 2 reads, 0 pods" {
			t.Errorf("when the last viewer has left: %s", got)
		}
		g.commit(func(*session.Fleet) {})
		after(time.Minute)
		if got := counts(); got != "0 watches, 24 looks, 2 reads, 0 pods" {
			t.Errorf("a minute later: %s", got)
		}
	})
}

func TestFleetStream_WhatHappenedWithoutAViewerIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newStage(t, session.Fleet{Active: []session.Row{runNamed("a", "running"), runNamed("b", "running")}}, nil)
		v := g.view(t, "", nil)
		id := v.one().ID
		v.leave()
		g.commit(func(f *session.Fleet) { f.Active = []session.Row{runNamed("c", "running"), runNamed("b", "running")} })
		after(time.Hour)
		m := g.view(t, id, nil).one()
		if m.Type != "change" || names(m.Runs, "id") != "c" || fmt.Sprint(m.GoneRuns) != "[a]" {
			t.Errorf("%+v", m)
		}
	})
}

func TestFleetStream_AViewerThatDoesNotReadIsDroppedAndTheOthersGoOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newStage(t, session.Fleet{}, nil)
		hold := make(chan struct{})
		slow, quick := g.view(t, "", hold), g.view(t, "", nil)
		for i := range 80 {
			g.commit(func(f *session.Fleet) { f.Active = []session.Row{runNamed(fmt.Sprint("n", i), "running")} })
			after(tick)
		}
		if got := quick.changes(); len(got) != 81 {
			t.Errorf("the quick viewer got %d frames", len(got))
		}
		w := call(t, g.server.Handler(), http.MethodGet, "/metrics", "")
		if !strings.Contains(w.Body.String(), "podium_studio_fleet_dropped_total 1\n") {
			t.Error("the slow viewer is not counted as dropped")
		}
		close(hold)
		synctest.Wait()
		select {
		case <-slow.done:
		default:
			t.Fatal("the slow viewer's stream goes on")
		}
		// What had its place in the queue is sent, the rest is not kept for it.
		if got := slow.changes(); len(got) > 66 {
			t.Errorf("%d frames were kept", len(got))
		}
	})
}

func TestFleetStream_HeartbeatsComeEveryFiveSecondsWithoutAnID(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newStage(t, session.Fleet{}, nil)
		v := g.view(t, "", nil)
		v.next()
		after(15*time.Second + tick)
		got := v.next()
		if len(got) != 3 {
			t.Fatalf("%d frames: %+v", len(got), got)
		}
		for _, m := range got {
			if m.Type != "heartbeat" || m.ID != "" {
				t.Errorf("%+v", m)
			}
		}
	})
}

func TestFleetStream_EndsWithTheDaemon(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newStage(t, session.Fleet{Pods: []session.FleetPod{podNamed("p")}}, map[string]studio.PodLook{"p": idleLook})
		v := g.view(t, "", nil)
		g.server.Close()
		<-v.done
		if g.pods.open.Load() != 0 || g.store.watches.Load() != 0 {
			t.Error("something is still held")
		}
		if late := g.view(t, "", nil); late.sink.code != http.StatusServiceUnavailable || late.sink.header.Get("Retry-After") != "1" {
			t.Errorf("a stream of a stopped daemon: %d", late.sink.code)
		}
		if w := call(t, g.server.Handler(), http.MethodGet, "/api/pods", "", "Authorization", "Bearer "+localToken); w.Code != http.StatusServiceUnavailable {
			t.Errorf("%d", w.Code)
		}
	})
}

func TestFleetStream_AStoreThatCannotBeReadIsSaidOrEndsTheStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newStage(t, session.Fleet{}, nil)
		g.store.err = fmt.Errorf("no index: %w", session.ErrNotReady)
		v := g.view(t, "", nil)
		<-v.done
		if v.sink.code != http.StatusServiceUnavailable || !strings.Contains(v.sink.buf.String(), "no index") {
			t.Errorf("%d %s", v.sink.code, v.sink.buf.String())
		}
		g.store.err = nil
		v = g.view(t, "", nil)
		v.one()
		g.commit(func(*session.Fleet) { g.store.err = session.ErrBusy })
		after(4 * time.Second)
		select {
		case <-v.done:
			t.Fatal("the stream ended with the first failure")
		default:
		}
		g.commit(func(*session.Fleet) { g.store.err = nil })
		after(10 * time.Second)
		g.commit(func(*session.Fleet) { g.store.err = session.ErrBusy })
		after(6 * time.Second)
		select {
		case <-v.done:
		default:
			t.Fatal("the stream goes on without a store")
		}
		if g.store.watches.Load() != 0 {
			t.Error("the store is still watched")
		}
		g.commit(func(*session.Fleet) { g.store.err = nil })
		if m := g.view(t, "", nil).one(); m.Type != "reset" {
			t.Errorf("%+v", m)
		}
	})
}

func TestFleetStream_OnePodThatDoesNotAnswerHoldsUpNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newStage(t, session.Fleet{Pods: []session.FleetPod{podNamed("mute"), podNamed("p")}}, map[string]studio.PodLook{"p": {State: protocol.StateRunning}})
		g.pods.mute["mute"] = true
		v := g.view(t, "", nil)
		after(300 * time.Millisecond)
		if m := v.one(); names(m.Pods, "state") != "idle running" {
			t.Errorf("at first: %+v", m.Pods)
		}
		g.pods.say("p", idleLook)
		after(tick)
		if m := v.one(); names(m.Pods, "name") != "p" || names(m.Pods, "state") != "idle" {
			t.Errorf("while one is silent: %+v", m.Pods)
		}
		after(2 * time.Second)
		if m := v.one(); names(m.Pods, "name") != "mute" || names(m.Pods, "state") != "unresponsive" {
			t.Errorf("then: %+v", m.Pods)
		}
	})
}

func TestFleetStream_FiveHundredRowsAndOneChangeIsOneRow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var f session.Fleet
		for i := range 500 {
			f.Active = append(f.Active, runNamed(fmt.Sprintf("r%d", i), "running"))
		}
		f.Truncated = true
		g := newStage(t, f, nil)
		v := g.view(t, "", nil)
		if m := v.one(); len(m.Runs) != 500 || !m.Truncated {
			t.Errorf("%d runs, truncated %t", len(m.Runs), m.Truncated)
		}
		g.commit(func(f *session.Fleet) { f.Active[250].Name = ptr("another name") })
		after(tick)
		if m := v.one(); names(m.Runs, "id") != "r250" || len(m.GoneRuns) != 0 {
			t.Errorf("%d runs", len(m.Runs))
		}
	})
}

func TestFleetStream_ASwitchedOffCompactionIsAskedForOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newStage(t, session.Fleet{}, map[string]studio.PodLook{"p": idleLook})
		p := podNamed("p")
		var asked []session.FleetQuery
		g.store.fleet = func(q session.FleetQuery) session.Fleet {
			asked = append(asked, q)
			p.InputSince = q.InputsSince[p.ID] == session.UnixSeconds(at)
			return session.Fleet{Pods: []session.FleetPod{p}}
		}
		v := g.view(t, "", nil)
		v.one()
		off := idleLook
		off.CompactionOff = at.Add(time.Second)
		g.pods.say("p", off)
		after(tick)
		if m := v.one(); fmt.Sprint(m.Pods[0]["attention"]) != "map[kind:compaction_off since:1.767279601e+09]" {
			t.Errorf("%v", m.Pods[0]["attention"])
		}
		off.Tool, off.State = "Read", protocol.StateRunning
		g.pods.say("p", off)
		after(tick)
		v.one()
		if len(asked) != 2 || asked[0].InputsSince != nil || asked[1].InputsSince[p.ID] != session.UnixSeconds(off.CompactionOff) {
			t.Errorf("%d readings", len(asked))
		}
		off.CompactionOff = at // an input came since, says the store
		g.pods.say("p", off)
		after(tick)
		if m := v.one(); m.Pods[0]["attention"] != nil {
			t.Errorf("%v", m.Pods[0]["attention"])
		}
	})
}

func TestFleetStream_MoreStreamsThanThereIsRoomForAreRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newStage(t, session.Fleet{}, nil)
		var open []*viewer
		for range 256 {
			open = append(open, g.view(t, "", nil))
		}
		if v := g.view(t, "", nil); v.sink.code != http.StatusServiceUnavailable || v.sink.header.Get("Retry-After") == "" {
			t.Errorf("%d", v.sink.code)
		}
		open[0].leave()
		if v := g.view(t, "", nil); v.sink.code != http.StatusOK {
			t.Errorf("after one left: %d", v.sink.code)
		}
	})
}
