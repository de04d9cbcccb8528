package pod_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"podium.local/pod"
	"podium.local/pod/podtest"
	"podium.local/protocol"
)

// A line of the table says who gets an event: "all", "ext" (extended clients,
// the sender or not), "sender" (the client that sent the method), or
// "accepted" (the sender if it said hello).
type expected struct{ who, event string }

func all(event string) expected    { return expected{"all", event} }
func ext(event string) expected    { return expected{"ext", event} }
func sender(event string) expected { return expected{"sender", event + " to r-1"} }
func accepted(event string) expected {
	return expected{"accepted", "accepted " + event + " to r-1"}
}

// split is what a base and an extended client see of a cell's list.
func split(list []expected, senderExtended bool) (base, extended []string) {
	for _, e := range list {
		toBase := e.who == "all" || e.who == "sender" && !senderExtended
		toExtended := e.who == "all" || e.who == "ext" || senderExtended && (e.who == "sender" || e.who == "accepted")
		if toBase {
			base = append(base, e.event)
		}
		if toExtended {
			extended = append(extended, e.event)
		}
	}
	return base, extended
}

const (
	runningMessage = `error already_running "Pod is already executing a turn"`
	notRunning     = `error not_running "Pod is not running"`
	notPaused      = `error not_paused "Pod is not paused"`
	cancelled      = `error internal "Cancelled"`
)

// answered is a whole run whose model says "done".
func answered(turn string, before ...expected) []expected {
	return append(before,
		all("turn_start "+turn), all("text_delta done"), all("text_done done"), all("turn_end "+turn+" finished"),
		all("run_end finished"), ext("status idle queued=0"))
}

type cell struct {
	state  string
	method protocol.MethodParams
	// last is the event the extended client is read up to; empty means that
	// nothing happens by itself afterwards.
	last string
	want []expected
	// ends says that the pod ends.
	ends bool
	// history is what the log holds afterwards, when it is of interest.
	history []string
}

// table is 2.1 of the protocol reference as our decisions change it.
var table = []cell{
	{state: "idle", method: protocol.Run{Input: "hi"}, last: "status idle queued=0", want: answered("0",
		ext("status running queued=1"), accepted("run with entry"),
		ext(`user_input input "hi"`), ext("status running queued=0"))},
	{state: "idle", method: protocol.Resume{}, want: []expected{sender(notPaused)}},
	{state: "idle", method: protocol.Cancel{}, want: []expected{sender(notRunning)}},
	{state: "idle", method: protocol.Pause{}, want: []expected{sender(notRunning)}},
	{state: "idle", method: protocol.Notify{Message: "n"}, last: "status idle queued=0", want: answered("0",
		ext("status idle queued=1"), accepted("notify with entry"), ext("status running queued=1"),
		ext(`user_input notification "n"`), ext("status running queued=0"))},
	{state: "idle", method: protocol.PodEvent{Kind: protocol.PodEventTurnEnded, PodName: "x"}, last: "status idle queued=0",
		want: answered("0",
			ext("status idle queued=1"), accepted("pod_event with entry"), ext("status running queued=1"),
			ext("user_input pod_event \"Pod `x` finished a turn.\""), ext("status running queued=0"))},
	{state: "idle", method: protocol.Shutdown{}, ends: true, want: []expected{accepted("shutdown"), all("shutdown")}},

	{state: "running", method: protocol.Run{Input: "hi"}, want: []expected{sender(runningMessage)}},
	{state: "running", method: protocol.Resume{}, want: []expected{sender(runningMessage)}},
	{state: "running", method: protocol.Cancel{}, last: "status idle queued=0", want: []expected{
		accepted("cancel"), all(cancelled), ext("run_end cancelled"), ext("status idle queued=0")}},
	{state: "running", method: protocol.Pause{}, last: "status paused queued=0", want: []expected{
		accepted("pause"), all("run_end paused"), ext("status paused queued=0")}},
	{state: "running", method: protocol.Notify{Message: "n"}, want: []expected{
		ext("status running queued=1"), accepted("notify with entry")}},
	{state: "running", method: protocol.PodEvent{Kind: protocol.PodEventShutDown, PodName: "x"}, want: []expected{
		ext("status running queued=1"), accepted("pod_event with entry")}},
	{state: "running", method: protocol.Shutdown{}, ends: true, want: []expected{
		accepted("shutdown"), all(cancelled), ext("run_end cancelled"), ext("status idle queued=0"), all("shutdown")}},

	{state: "paused", method: protocol.Run{Input: "hi"}, last: "status idle queued=0", want: answered("0",
		ext("status running queued=1"), accepted("run with entry"),
		ext(`user_input input "hi"`), ext("status running queued=0")),
		history: []string{"user: start", "assistant: kept",
			"system: [The previous request was interrupted by the user before it was finished. A new request follows.]",
			"user: hi", "assistant: done"}},
	{state: "paused", method: protocol.Resume{}, last: "status idle queued=0", want: answered("0",
		accepted("resume"), ext("status running queued=0"))},
	{state: "paused", method: protocol.Cancel{}, last: "status idle queued=0", want: []expected{
		all(cancelled), ext("status idle queued=0"), accepted("cancel")},
		history: []string{"user: start", "assistant: kept",
			"system: [The user discarded the paused request above. Do not go on with it.]"}},
	{state: "paused", method: protocol.Pause{}, want: []expected{accepted("pause")}},
	{state: "paused", method: protocol.Notify{Message: "n"}, want: []expected{
		ext("status paused queued=1"), accepted("notify with entry")}},
	{state: "paused", method: protocol.PodEvent{Kind: protocol.PodEventErrored, PodName: "x", Message: "m"}, want: []expected{
		ext("status paused queued=1"), accepted("pod_event with entry")}},
	{state: "paused", method: protocol.Shutdown{}, ends: true, want: []expected{accepted("shutdown"), all("shutdown")}},
}

// enter brings a pod into a state. Running means: one text block is in the
// log, another is open, and the model says no more.
func enter(t *testing.T, st pod.Store, state string) *audience {
	t.Helper()
	reached := make(chan struct{}, 1)
	provider := podtest.NewProvider()
	if state != "idle" {
		provider.Add(podtest.Text("kept"), podtest.Open("lost"), podtest.Hang(reached))
	}
	a := newAudience(t, pod.Options{Store: st, Name: podName(), Provider: provider})
	if state == "idle" {
		return a
	}
	a.base.Send(protocol.Run{Input: "start"})
	<-reached
	if state == "paused" {
		a.base.Send(protocol.Pause{})
		a.await("status paused queued=0")
	}
	a.settle()
	return a
}

func TestTable_EachMethodInEachState(t *testing.T) {
	st := newStore(t)
	for _, c := range table {
		for _, who := range []string{"base", "extended"} {
			name := c.state + "/" + c.method.MethodName() + "/from_" + who
			t.Run(name, func(t *testing.T) {
				a := enter(t, st, c.state)
				from := a.base
				if who == "extended" {
					from = a.extended
				}
				from.SendAs("r-1", c.method)
				var base, extended []string
				switch {
				case c.ends:
					base, extended = describe(a.base.Rest()), a.withoutRepeats(describe(a.extended.Rest()))
				case c.last != "":
					base, extended = a.await(c.last)
				default:
					// The sender's own barrier comes behind its method; after it the
					// other's sees whatever the method brought about.
					own := barrier(from)
					base, extended = a.settle()
					if who == "base" {
						base = append(describe(own), base...)
					} else {
						extended = append(a.withoutRepeats(describe(own)), extended...)
					}
				}
				wantBase, wantExtended := split(c.want, who == "extended")
				if diff := cmp.Diff(wantBase, base); diff != "" {
					t.Errorf("the base client sees (-want +got):\n%s", diff)
				}
				if diff := cmp.Diff(wantExtended, extended); diff != "" {
					t.Errorf("the extended client sees (-want +got):\n%s", diff)
				}
				if c.history != nil {
					if diff := cmp.Diff(c.history, history(t, a.base)); diff != "" {
						t.Errorf("history (-want +got):\n%s", diff)
					}
				}
			})
		}
	}
}

func TestTable_GetHistoryIsAnsweredInEachState(t *testing.T) {
	want := map[string][]string{
		"idle":    nil,
		"running": {"user: start", "assistant: kept"},
		"paused":  {"user: start", "assistant: kept"},
	}
	st := newStore(t)
	for state, items := range want {
		t.Run(state, func(t *testing.T) {
			a := enter(t, st, state)
			a.base.SendAs("r-1", protocol.GetHistory{})
			ev := a.base.Next()
			h, ok := ev.Data.(protocol.History)
			if !ok || ev.RequestID != "r-1" {
				t.Fatalf("the answer is %+v", ev)
			}
			if diff := cmp.Diff(items, roles(t, h)); diff != "" {
				t.Errorf("history (-want +got):\n%s", diff)
			}
			if _, extended := a.settle(); len(extended) > 0 {
				t.Errorf("another client got %s", strings.Join(extended, ", "))
			}
		})
	}
}
