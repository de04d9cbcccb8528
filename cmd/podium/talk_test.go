package main

import (
	"testing"

	"podium.local/protocol"
)

func TestFollower_FindsItsOwnRunAndHowItEnded(t *testing.T) {
	own := func(d protocol.EventData) protocol.Event { return protocol.Event{Data: d, RequestID: "r"} }
	other := func(d protocol.EventData) protocol.Event { return protocol.Event{Data: d} }
	entry := "e"
	accepted := own(protocol.Accepted{Method: protocol.MethodRun, EntryID: &entry})
	for _, c := range []struct {
		name     string
		extended bool
		events   []protocol.Event
		shown    int
		end      protocol.RunResult
		refused  bool
	}{
		{"the end of somebody else's run comes first", true, []protocol.Event{
			other(protocol.RunEnd{Result: protocol.RunFinished}), accepted, other(protocol.UserInput{EntryID: entry}),
			other(protocol.TurnStart{}), other(protocol.TextDelta{Text: "x"}), other(protocol.RunEnd{Result: protocol.RunFinished}),
		}, 3, protocol.RunFinished, false},
		{"the run fails before its input is in the log", true, []protocol.Event{
			accepted, other(protocol.Error{Code: protocol.CodeInternal, Message: "the disk is full"}), other(protocol.RunEnd{Result: protocol.RunFailed, Error: "the disk is full"}),
		}, 2, protocol.RunFailed, false},
		{"the run is refused", true, []protocol.Event{
			own(protocol.Error{Code: protocol.CodeAlreadyRunning, Message: "m"}),
		}, 0, "", true},
		{"an old pod confirms nothing", false, []protocol.Event{
			other(protocol.TurnStart{}), other(protocol.RunEnd{Result: protocol.RunFinished}),
		}, 2, protocol.RunFinished, false},
		{"an old pod's run ends with an error alone", false, []protocol.Event{
			other(protocol.TurnStart{}), other(protocol.Error{Code: protocol.CodeInternal, Message: "Cancelled"}),
		}, 2, protocol.RunCancelled, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := follower{request: "r", extended: c.extended}
			shown := 0
			for i, e := range c.events {
				show, end, err := f.event(e)
				if show {
					shown++
				}
				last := i == len(c.events)-1
				if (err != nil) != (last && c.refused) {
					t.Fatalf("event %d: error %v", i, err)
				}
				if want := c.end; (end != "") != (last && want != "") || last && end != want {
					t.Fatalf("event %d ends the run %q, want %q at the last", i, end, want)
				}
			}
			if shown != c.shown {
				t.Errorf("%d events shown, want %d", shown, c.shown)
			}
		})
	}
}
