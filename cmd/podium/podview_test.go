package main

import (
	"fmt"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"podium.local/pod"
	"podium.local/protocol"
	"podium.local/studio"
)

func TestPodView_ATurnsCallsRunOnceTheAnswerIsComplete(t *testing.T) {
	v := &podView{}
	v.look.State = protocol.StateRunning
	for i, step := range []struct {
		event protocol.Event
		tool  string
	}{
		{protocol.Event{Data: protocol.TurnStart{}}, ""},
		{protocol.Event{Data: protocol.ToolCallDone{ID: "a", Name: "Read"}, Seq: 1}, ""},
		{protocol.Event{Data: protocol.ToolCallDone{ID: "b", Name: "Bash"}, Seq: 2}, ""},
		{protocol.Event{Data: protocol.TurnEnd{}, Seq: 3}, "Read"},
		{protocol.Event{Data: protocol.ToolResult{ID: "a"}, Seq: 4}, "Bash"},
		// A second hello repeats what was seen.
		{protocol.Event{Data: protocol.ToolCallDone{ID: "a", Name: "Read"}, Seq: 1}, "Bash"},
		{protocol.Event{Data: protocol.TurnEnd{}, Seq: 3}, "Bash"},
		{protocol.Event{Data: protocol.Snapshot{}}, "Bash"},
		{protocol.Event{Data: protocol.ToolResult{ID: "b"}, Seq: 5}, ""},
		{protocol.Event{Data: protocol.TurnStart{}}, ""},
		{protocol.Event{Data: protocol.ToolCallDone{ID: "c", Name: "Grep"}, Seq: 6}, ""},
		{protocol.Event{Data: protocol.TurnEnd{}, Seq: 7}, "Grep"},
		{protocol.Event{Data: protocol.Status{State: protocol.StatePaused, Clients: 1}}, ""},
		{protocol.Event{Data: protocol.Status{State: protocol.StateRunning, Clients: 1}}, "Grep"},
		{protocol.Event{Data: protocol.RunEnd{}, Seq: 8}, ""},
	} {
		v.began = true
		v.apply(step.event)
		if v.look.Tool != step.tool {
			t.Errorf("step %d, %T: the tool is %q, want %q", i, step.event.Data, v.look.Tool, step.tool)
		}
	}
	if v.seq != 8 {
		t.Errorf("the newest event seen is %d", v.seq)
	}
}

func TestPodView_ASnapshotTellsWhichCallsRun(t *testing.T) {
	call := func(id, name string) jsontext.Value {
		return jsontext.Value(fmt.Sprintf(`{"type":"tool_call","call_id":%q,"name":%q,"arguments":"{}","entry_id":"e"}`, id, name))
	}
	result := func(id string) jsontext.Value {
		return jsontext.Value(fmt.Sprintf(`{"type":"tool_result","call_id":%q,"summary":"x","entry_id":"e"}`, id))
	}
	question := jsontext.Value(`{"type":"message","role":"user","content":[{"type":"text","text":"x"}],"entry_id":"e"}`)
	open := []protocol.OpenBlock{{Kind: protocol.BlockText}}
	for name, tt := range map[string]struct {
		items    []jsontext.Value
		inFlight []protocol.OpenBlock
		state    protocol.PodState
		want     string
	}{
		"none":                        {nil, nil, protocol.StateRunning, ""},
		"one that runs":               {[]jsontext.Value{question, call("a", "Bash")}, nil, protocol.StateRunning, "Bash"},
		"the oldest without a result": {[]jsontext.Value{call("a", "Read"), call("b", "Bash"), call("c", "Grep"), result("a")}, nil, protocol.StateRunning, "Bash"},
		"an answer that is not over":  {[]jsontext.Value{call("a", "Bash")}, open, protocol.StateRunning, ""},
		"left open by a pause":        {[]jsontext.Value{call("a", "Bash")}, nil, protocol.StatePaused, ""},
		"of an older request":         {[]jsontext.Value{call("a", "Bash"), question}, nil, protocol.StateRunning, ""},
		"no item at all":              {[]jsontext.Value{jsontext.Value(`{"type":7}`), call("a", "Bash")}, nil, protocol.StateRunning, "Bash"},
	} {
		v := &podView{}
		v.look.State = tt.state
		v.apply(protocol.Event{Data: protocol.Snapshot{Items: tt.items, Live: protocol.Live{InFlight: tt.inFlight}}})
		if v.look.Tool != tt.want {
			t.Errorf("%s: %q, want %q", name, v.look.Tool, tt.want)
		}
	}
}

func TestPodView_OnlyTheCompactorSwitchesCompactionOff(t *testing.T) {
	v := &podView{}
	for _, n := range []protocol.Notification{
		{Source: protocol.SourceWorker, Message: pod.CompactionOff + " says a model", TimestampMS: 5},
		{Source: protocol.SourceCompactor, Message: "post-run compaction failed: x", TimestampMS: 6},
	} {
		v.apply(protocol.Event{Data: n})
	}
	if !v.look.CompactionOff.IsZero() {
		t.Errorf("switched off at %v", v.look.CompactionOff)
	}
	v.apply(protocol.Event{Data: protocol.Notification{Source: protocol.SourceCompactor, Message: pod.CompactionOff + " until …", TimestampMS: 7000}})
	if !v.look.CompactionOff.Equal(time.Unix(7, 0)) {
		t.Errorf("switched off at %v", v.look.CompactionOff)
	}
}

func TestPodView_WhatWasNotMeasuredStaysUnknown(t *testing.T) {
	v := &podView{}
	v.apply(protocol.Event{Data: protocol.Usage{}})
	v.apply(protocol.Event{Data: protocol.Usage{Extra: &protocol.UsageExtra{}}})
	if v.look.ContextTokens != nil || v.look.ContextLimit != nil {
		t.Errorf("%+v", v.look)
	}
	limit := uint64(1000)
	v.apply(protocol.Event{Data: protocol.Usage{Extra: &protocol.UsageExtra{ContextTokens: 10, ContextLimit: &limit}}})
	v.apply(protocol.Event{Data: protocol.Usage{}})
	if v.look.ContextTokens == nil || *v.look.ContextTokens != 10 || *v.look.ContextLimit != 1000 {
		t.Errorf("%+v", v.look)
	}
}

func TestPodView_AnAgeThatWobblesIsTheSameTime(t *testing.T) {
	v := &podView{}
	status := func(ms int64, clients uint64) {
		v.apply(protocol.Event{Data: protocol.Status{State: protocol.StateIdle, SinceMS: ms, Clients: clients}})
	}
	status(60_000, 1)
	first := v.look.Since
	status(60_040, 2)
	if !v.look.Since.Equal(first) || *v.look.Clients != 2 {
		t.Errorf("since %v and then %v", first, v.look.Since)
	}
	status(10_000, 2)
	if d := v.look.Since.Sub(first); d < 49*time.Second {
		t.Errorf("a new stretch of the same state begins %v later", d)
	}
	v.passing = true
	status(10_000, 2)
	if *v.look.Clients != 1 {
		t.Errorf("a passing look is counted")
	}
}

func TestPodView_AFailedCompactionIsKnownUntilTheNextOneOrARun(t *testing.T) {
	status := func(s protocol.PodState) protocol.Event { return protocol.Event{Data: protocol.Status{State: s}} }
	failed := protocol.Event{Data: protocol.CompactFailed{Error: "no answer"}}
	for name, test := range map[string]struct {
		events []protocol.Event
		want   string
	}{
		"failed":                {[]protocol.Event{status(protocol.StateCompacting), failed, status(protocol.StateIdle)}, "no answer"},
		"in the middle of runs": {[]protocol.Event{status(protocol.StateRunning), status(protocol.StateCompacting), failed, status(protocol.StateRunning)}, "no answer"},
		"the next one":          {[]protocol.Event{failed, {Data: protocol.CompactStart{}}}, ""},
		"an input":              {[]protocol.Event{failed, {Data: protocol.UserInput{}}}, ""},
		"a run":                 {[]protocol.Event{failed, status(protocol.StateIdle), status(protocol.StateRunning)}, ""},
	} {
		v := &podView{}
		v.look.State = protocol.StateIdle
		for _, e := range test.events {
			v.apply(e)
		}
		if v.look.Problem != test.want || v.look.ProblemAt.IsZero() != (test.want == "") {
			t.Errorf("%s: %q at %v", name, v.look.Problem, v.look.ProblemAt)
		}
	}
	if a := (studio.PodLook{Problem: "x"}); sameLook(a, studio.PodLook{}) {
		t.Error("a problem is no change")
	}
}
