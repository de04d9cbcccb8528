package session_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"podium.local/protocol"
	"podium.local/session"
)

// wire is the line an event is written as.
func wire(t *testing.T, ev protocol.Event) string {
	t.Helper()
	line, err := ev.Append(nil)
	if err != nil {
		t.Fatal(err)
	}
	return string(line)
}

func TestRender_OneDurableEventAndOneItemAnEntry(t *testing.T) {
	in, out, cost := int64(409), int64(71), 0.5
	usage := &session.Usage{InputTokens: &in, OutputTokens: &out, CostUSD: &cost}
	cases := map[string]struct {
		kind    session.Kind
		payload any
		passing []string
		event   string
		item    string
	}{
		"input": {session.KindInput, session.Input{Text: "hi", Kind: protocol.InputText, Client: "t/1"}, nil,
			`{"event":"user_input","data":{"text":"hi","kind":"input","client":"t/1","entry_id":"e0"},"seq":7}`,
			`{"type":"message","role":"user","content":[{"type":"text","text":"hi"}],"entry_id":"e0"}`},
		"system": {session.KindSystem, session.System{Text: "note"}, nil, "",
			`{"type":"message","role":"system","content":[{"type":"text","text":"note"}],"entry_id":"e0"}`},
		"text": {session.KindText, session.Text{Text: "<a>"}, nil,
			`{"event":"text_done","data":{"text":"<a>","entry_id":"e0"},"seq":7}`,
			`{"type":"message","role":"assistant","content":[{"type":"text","text":"<a>"}],"entry_id":"e0"}`},
		"reasoning": {session.KindReasoning, session.Reasoning{Text: "hm", Opaque: json.RawMessage(`"proof"`)}, nil,
			`{"event":"reasoning_done","data":{"text":"hm","entry_id":"e0"},"seq":7}`,
			`{"type":"reasoning","text":"hm","summary":[],"entry_id":"e0"}`},
		"tool call": {session.KindToolCall, session.ToolCall{CallID: "c", Name: "T", Arguments: json.RawMessage(`{"b":"<","a":1}`)}, nil,
			`{"event":"tool_call_done","data":{"id":"c","name":"T","arguments":"{\"a\":1,\"b\":\"<\"}","entry_id":"e0"},"seq":7}`,
			`{"type":"tool_call","call_id":"c","name":"T","arguments":"{\"a\":1,\"b\":\"<\"}","entry_id":"e0"}`},
		"tool result": {session.KindToolResult, session.ToolResult{CallID: "c", Summary: "s", Content: "x", IsError: true}, nil,
			`{"event":"tool_result","data":{"id":"c","output":"s\nx","is_error":true,"summary":"s","entry_id":"e0"},"seq":7}`,
			`{"type":"tool_result","call_id":"c","summary":"s","content":"x","is_error":true,"entry_id":"e0"}`},
		"turn end": {session.KindTurnEnd, session.TurnEnd{Turn: 3, Usage: usage}, []string{
			`{"event":"usage","data":{"input_tokens":409,"output_tokens":71,"cache_read_tokens":0,"cache_write_tokens":0,` +
				`"reasoning_tokens":0,"cost_usd":0.5,"context_tokens":480,"context_limit":null}}`},
			`{"event":"turn_end","data":{"turn":3,"result":"finished","entry_id":"e0"},"seq":7}`, ""},
		"run end": {session.KindRunEnd, session.RunEnd{Result: protocol.RunFinished}, nil,
			`{"event":"run_end","data":{"result":"finished","entry_id":"e0"},"seq":7}`, ""},
		"failed run": {session.KindRunEnd, session.RunEnd{Result: protocol.RunFailed, Error: "provider 429", Code: protocol.CodeProviderError},
			[]string{`{"event":"error","data":{"code":"provider_error","message":"provider 429"}}`},
			`{"event":"run_end","data":{"result":"failed","error":"provider 429","entry_id":"e0"},"seq":7}`, ""},
		"cancelled run": {session.KindRunEnd, session.RunEnd{Result: protocol.RunCancelled},
			[]string{`{"event":"error","data":{"code":"internal","message":"Cancelled"}}`},
			`{"event":"run_end","data":{"result":"cancelled","entry_id":"e0"},"seq":7}`, ""},
		"rolled back input": {session.KindRolledBack, session.RolledBack{EntryID: "e9"}, nil, "", ""},
		"compaction": {session.KindCompaction, session.Compaction{NewSession: "0192f0e8-4d84-7d6e-a000-000000000001"}, nil,
			`{"event":"compact_done","data":{"new_session_id":"0192f0e8-4d84-7d6e-a000-000000000001","entry_id":"e0"},"seq":7}`, ""},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			var l log
			l.add(c.kind, c.payload)
			l[0].Seq = 7
			passing, err := session.Passing(l[0], nil)
			if err != nil {
				t.Fatal(err)
			}
			var lines []string
			for _, ev := range passing {
				lines = append(lines, wire(t, ev))
			}
			if diff := cmp.Diff(c.passing, lines); diff != "" {
				t.Errorf("passing (-want +got):\n%s", diff)
			}
			ev, ok, err := session.Event(l[0])
			if err != nil || ok != (c.event != "") || ok && wire(t, ev) != c.event {
				t.Errorf("event %+v, %t, %v", ev, ok, err)
			}
			if ok != c.kind.Durable() {
				t.Errorf("%s is an event: %t, durable: %t", c.kind, ok, c.kind.Durable())
			}
			item, ok, err := session.HistoryItem(l[0], true)
			if err != nil || ok != (c.item != "") || ok && string(item) != c.item {
				t.Errorf("item %s, %t, %v", item, ok, err)
			}
		})
	}
}

func TestUsage_NonsenseFromAVendorIsUnknown(t *testing.T) {
	less, big := int64(-5), uint64(1000)
	ev := session.Usage{InputTokens: &less, CacheReadTokens: -1}.Event(&big)
	if ev.InputTokens != nil || ev.OutputTokens != nil || ev.Extra.CacheReadTokens != 0 || *ev.Extra.ContextLimit != 1000 {
		t.Errorf("%+v %+v", ev, ev.Extra)
	}
}

func TestTotals_CostOfNothingPricedIsUnknown(t *testing.T) {
	var sum session.Totals
	in, cost := int64(10), 0.25
	sum.Add(nil)
	sum.Add(&session.Usage{InputTokens: &in})
	if sum.CostUSD != nil || !sum.Partial || sum.InputTokens != 10 {
		t.Errorf("%+v", sum)
	}
	sum.Add(&session.Usage{InputTokens: &in, CostUSD: &cost})
	sum.Add(&session.Usage{CostUSD: &cost})
	if *sum.CostUSD != 0.5 || cost != 0.25 || sum.InputTokens != 20 {
		t.Errorf("%+v", sum)
	}
}
