package tui_test

import (
	"testing"
	"testing/synctest"
	"time"

	"podium.local/protocol"
)

func cents(usd float64) *float64 { return &usd }

// free is the usage of a pod that asked no model yet.
func free() protocol.Usage { return usage(0, 0, 0, nil) }

func TestCost_WhoWatchedFromTheBeginningSeesAnExactPrice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := open(t)
		d := snapshot(protocol.StateIdle, nil)
		d.Live.Usage = free()
		s.event(hello(protocol.StateIdle), d, status(protocol.StateIdle))
		s.shows("ctx — · ↑0 ↓0 · —")
		s.event(protocol.TurnStart{}, usage(3_000, 10, 0, cents(0.42)), protocol.TurnEnd{}, protocol.RunEnd{Result: protocol.RunFinished})
		s.shows("ctx 1% · ↑3.0k ↓10 · $0.42")
		s.hides("≥")
		s.event(usage(100, 10, 0, nil))
		s.shows("≥$0.42")
	})
}

func TestCost_ARequestThatBrokeOffHasNoExactPrice(t *testing.T) {
	for result, events := range map[protocol.RunResult][]protocol.EventData{
		protocol.RunCancelled: {protocol.Error{Code: protocol.CodeInternal, Message: "Cancelled"}},
		protocol.RunFailed:    {protocol.Error{Code: protocol.CodeProviderError, Message: "cut"}},
		protocol.RunPaused:    nil,
	} {
		t.Run(string(result), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := running(t)
				s.event(usage(1_600, 0, 0, cents(0.42)), protocol.TextDelta{Text: "It goes on and on"})
				s.event(append(events, protocol.RunEnd{Result: result, Error: ""})...)
				s.shows(string(result)+" · 1 request · ↑1.6k ↓0 · ≥$0.42", "· ↑1.6k ↓0 · ≥$0.42")
			})
		})
	}
	synctest.Test(t, func(t *testing.T) {
		s := running(t)
		s.event(usage(1_600, 9, 0, cents(0.42)), protocol.TurnEnd{}, protocol.Error{Code: protocol.CodeInternal, Message: "Cancelled"}, protocol.RunEnd{Result: protocol.RunCancelled})
		s.hides("≥") // its tools were cancelled, the answer was complete
	})
}

func TestCost_ARefusedRequestTakesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := running(t)
		s.event(usage(1_600, 0, 0, cents(0.42)), protocol.TurnEnd{}, protocol.TurnStart{Turn: 1},
			protocol.Error{Code: protocol.CodeProviderError, Message: "status 429"}, protocol.RunEnd{Result: protocol.RunFailed, Error: "status 429"})
		s.shows("failed · 2 requests · ↑1.6k ↓0 · $0.42")
		s.hides("≥")
	})
}

// A terminal that comes back says of the price what one that stayed says.
func TestCost_WhatIsUnknownStaysSoForALaterTerminal(t *testing.T) {
	cost := usage(1_600, 9, 0, cents(0.42))
	cost.CostPartial = true
	for name, resumed := range map[string]bool{"new": false, "resumed": true} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := attached(t)
				if resumed {
					h := hello(protocol.StateIdle)
					h.Resumed, h.Live = true, &protocol.Live{Usage: cost}
					s.event(h, status(protocol.StateIdle))
				} else {
					d := snapshot(protocol.StateIdle, nil)
					d.Live.Usage = cost
					s.event(hello(protocol.StateIdle), d, status(protocol.StateIdle))
				}
				s.shows("↑1.6k ↓9 · ≥$0.42")
			})
		})
	}
}

func TestCost_ARequestThatWasOnWhenOneCameCanBreakOffToo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := open(t)
		d := snapshot(protocol.StateRunning, nil, message(protocol.RoleUser, "u", "work"))
		d.Live.Usage = usage(1_600, 9, 0, cents(0.42))
		s.event(hello(protocol.StateRunning), d, status(protocol.StateRunning))
		s.shows("· $0.42")
		s.event(protocol.Error{Code: protocol.CodeInternal, Message: "Cancelled"}, protocol.RunEnd{Result: protocol.RunCancelled})
		s.shows("≥$0.42")
	})
}

func TestContext_ALittleIsNotNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := attached(t)
		s.event(usage(1_200, 10, 0, nil))
		s.shows("ctx <1%")
		s.event(usage(2_000, 10, 0, nil))
		s.shows("ctx 1%")
		// What the next request will hold after a compaction is not known before.
		s.event(protocol.CompactStart{}, protocol.CompactDone{NewSessionID: protocol.SessionID{15: 2}})
		s.shows("ctx —")
		s.hides("ctx 0%")
	})
}

func TestTools_WaitForTheEndOfTheirAnswerAndCountOnlyTheirOwnTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := running(t)
		s.event(protocol.ToolCallDone{ID: "a", Name: "Edit", Arguments: `{"file_path":"/src/shop/a.go"}`}, protocol.ToolCallStart{ID: "b", Name: "Bash"})
		s.wait(20 * time.Second)
		s.shows("· Edit a.go · waiting")
		s.event(protocol.ToolCallDone{ID: "b", Name: "Bash", Arguments: `{"command":"go vet"}`}, protocol.TurnEnd{})
		s.wait(2 * time.Second)
		s.shows("Edit a.go · running · 00:02", "Bash go vet · running · 00:02")
		s.event(protocol.ToolResult{ID: "a", Output: "Edited"})
		s.shows("✓ Edit a.go · 2.")
		s.hides("· 22.")
	})
}

func TestTools_AttachingInTheMiddleOfAnAnswerItsCallsWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := open(t)
		d := snapshot(protocol.StateRunning, nil, message(protocol.RoleUser, "u", "work"),
			protocol.Item{Data: protocol.ToolCallItem{CallID: "a", Name: "Bash", Arguments: `{"command":"go vet"}`}, EntryID: "a"})
		d.Live.InFlight = []protocol.OpenBlock{{Kind: protocol.BlockToolCall, ID: "b", Name: "Grep", Text: `{"pattern":"x",`}}
		s.event(hello(protocol.StateRunning), d)
		s.shows("Bash go vet · waiting")
		s.event(protocol.ToolCallDone{ID: "b", Name: "Grep", Arguments: `{"pattern":"x"}`}, protocol.TurnEnd{})
		s.shows("Bash go vet · running · 00:00")
	})
}
