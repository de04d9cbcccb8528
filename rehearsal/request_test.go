package rehearsal_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"podium.local/rehearsal"
)

// vendorError is an error body of either vendor.
type vendorError struct {
	Type  string
	Error struct {
		Type, Message string
		Param, Code   *string
	}
	RequestID string `json:"request_id"`
}

func TestRequest_RefusedAsTheVendorRefusesIt(t *testing.T) {
	const tool = `{"name":"Read","input_schema":{"type":"object"}}`
	const use = `{"role":"assistant","content":[{"type":"tool_use","id":"toolu_1","name":"Read","input":{}}]}`
	const result = `{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":"x"}]}`
	const hi = `{"role":"user","content":"hi"}`
	const fc = `{"type":"function_call","call_id":"call_1","name":"Read","arguments":"{}"}`
	const fcOut = `{"type":"function_call_output","call_id":"call_1","output":"x"}`
	const calls = `{"role":"assistant","content":null,"tool_calls":[{"id":"call_1","type":"function","function":{"name":"Read","arguments":"{}"}}]}`
	const toolMsg = `{"role":"tool","tool_call_id":"call_1","content":"x"}`
	msgs := func(m ...string) string {
		return `{"model":"m","max_tokens":2048,"messages":[` + strings.Join(m, ",") + `]}`
	}
	input := func(m ...string) string { return `{"model":"m","input":[` + strings.Join(m, ",") + `]}` }
	chat := func(m ...string) string { return `{"model":"m","messages":[` + strings.Join(m, ",") + `]}` }

	for _, c := range []struct {
		name, path, body string
		message          string // must occur
		param, code      string
	}{
		{"a.json", "/v1/messages", `{`, "not valid JSON", "", ""},
		{"a.model", "/v1/messages", `{"max_tokens":1,"messages":[` + hi + `]}`, "model: Field required", "", ""},
		{"a.max_tokens", "/v1/messages", `{"model":"m","messages":[` + hi + `]}`, "max_tokens: Field required", "", ""},
		{"a.max_tokens 0", "/v1/messages", `{"model":"m","max_tokens":0,"messages":[` + hi + `]}`, "max_tokens: ", "", ""},
		{"a.messages", "/v1/messages", `{"model":"m","max_tokens":1}`, "messages: Field required", "", ""},
		{"a.no message", "/v1/messages", msgs(), "at least one message is required", "", ""},
		{"a.temperature", "/v1/messages", `{"model":"m","max_tokens":1,"temperature":1.5,"messages":[` + hi + `]}`, "temperature: range: 0..1", "", ""},
		{"a.role", "/v1/messages", msgs(`{"role":"tool","content":"x"}`), "messages.0.role", "", ""},
		{"a.assistant first", "/v1/messages", msgs(`{"role":"assistant","content":"x"}`, hi), "first message must use the", "", ""},
		{"a.empty content", "/v1/messages", msgs(hi, `{"role":"assistant","content":""}`, hi), "non-empty content", "", ""},
		{"a.empty block", "/v1/messages", msgs(`{"role":"user","content":[{"type":"text","text":""}]}`), "text content blocks must be non-empty", "", ""},
		{"a.content type", "/v1/messages", msgs(`{"role":"user","content":5}`), "messages.0.content: ", "", ""},
		{"a.unanswered call", "/v1/messages", msgs(hi, use, hi), "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_1.", "", ""},
		{"a.call at the end", "/v1/messages", msgs(hi, use), "`tool_use` ids were found without", "", ""},
		{"a.half answered", "/v1/messages", msgs(hi, `{"role":"assistant","content":[{"type":"tool_use","id":"toolu_1","name":"Read","input":{}},{"type":"tool_use","id":"toolu_2","name":"Read","input":{}}]}`, result), "immediately after: toolu_2.", "", ""},
		{"a.text before results", "/v1/messages", msgs(hi, use, `{"role":"user","content":[{"type":"text","text":"x"},{"type":"tool_result","tool_use_id":"toolu_1","content":"x"}]}`), "without `tool_result` blocks immediately after", "", ""},
		{"a.orphan result", "/v1/messages", msgs(hi, `{"role":"assistant","content":"x"}`, result), "messages.2.content.0: unexpected `tool_use_id` found in `tool_result` blocks: toolu_1.", "", ""},
		{"a.result twice", "/v1/messages", msgs(hi, use, result, `{"role":"assistant","content":"x"}`, result), "messages.4.content.0: unexpected `tool_use_id`", "", ""},
		{"a.ids twice", "/v1/messages", msgs(hi, use, result, use, result), "ids must be unique", "", ""},
		{"a.input", "/v1/messages", msgs(hi, `{"role":"assistant","content":[{"type":"tool_use","id":"toolu_1","name":"Read","input":"{}"}]}`, result), "input: Input should be a valid dictionary", "", ""},
		{"a.foreign signature", "/v1/messages", msgs(hi, `{"role":"assistant","content":[{"type":"thinking","thinking":"x","signature":"Eabc"},{"type":"text","text":"y"}]}`, hi), "messages.1.content.0: Invalid `signature` in `thinking` block", "", ""},
		{"a.block", "/v1/messages", msgs(`{"role":"user","content":[{"type":"song"}]}`), "Input tag 'song'", "", ""},
		{"a.tool name", "/v1/messages", `{"model":"m","max_tokens":1,"tools":[{"name":"a b","input_schema":{"type":"object"}}],"messages":[` + hi + `]}`, "tools.0.custom.name", "", ""},
		{"a.tools twice", "/v1/messages", `{"model":"m","max_tokens":1,"tools":[` + tool + `,` + tool + `],"messages":[` + hi + `]}`, "Tool names must be unique", "", ""},
		{"a.tools", "/v1/messages", `{"model":"m","max_tokens":1,"tools":{},"messages":[` + hi + `]}`, "tools: Input should be a valid list", "", ""},
		{"a.tool schema", "/v1/messages", `{"model":"m","max_tokens":1,"tools":[{"name":"Read"}],"messages":[` + hi + `]}`, "input_schema: Field required", "", ""},
		{"a.cache marks", "/v1/messages", `{"model":"m","max_tokens":1,"messages":[{"role":"user","content":[` + strings.Repeat(`{"type":"text","text":"x","cache_control":{"type":"ephemeral"}},`, 4) + `{"type":"text","text":"x","cache_control":{"type":"ephemeral"}}]}]}`, "A maximum of 4 blocks with cache_control may be provided. Found 5.", "", ""},
		{"a.thinking budget", "/v1/messages", `{"model":"m","max_tokens":1024,"thinking":{"type":"enabled","budget_tokens":1024},"messages":[` + hi + `]}`, "must be greater than `thinking.budget_tokens`", "", ""},
		{"a.thinking temperature", "/v1/messages", `{"model":"m","max_tokens":4096,"temperature":0,"thinking":{"type":"enabled","budget_tokens":1024},"messages":[` + hi + `]}`, "only be set to 1 when thinking is enabled", "", ""},

		{"r.json", "/v1/responses", `[]`, "could not parse the JSON body", "", ""},
		{"r.model", "/v1/responses", `{"input":"x"}`, "Missing required parameter: 'model'.", "model", "missing_required_parameter"},
		{"r.input", "/v1/responses", `{"model":"m"}`, "Missing required parameter: 'input'.", "input", "missing_required_parameter"},
		{"r.no input", "/v1/responses", input(), "empty array", "input", "empty_array"},
		{"r.input type", "/v1/responses", `{"model":"m","input":5}`, "Invalid type for 'input'", "input", "invalid_type"},
		{"r.previous", "/v1/responses", `{"model":"m","input":"x","previous_response_id":"resp_1"}`, "Previous response with id 'resp_1' not found.", "previous_response_id", "previous_response_not_found"},
		{"r.max tokens", "/v1/responses", `{"model":"m","input":"x","max_output_tokens":3}`, "Expected a value >= 16", "max_output_tokens", "integer_below_min_value"},
		{"r.unanswered call", "/v1/responses", input(hi, fc), "No tool output found for function call call_1.", "input", ""},
		{"r.orphan output", "/v1/responses", input(hi, fcOut), "No tool call found for function call output with call_id call_1.", "input", ""},
		{"r.output twice", "/v1/responses", input(hi, fc, fcOut, fcOut), "No tool call found for", "input", ""},
		{"r.role", "/v1/responses", input(`{"role":"tool","content":"x"}`), "Invalid value: 'tool'", "input[0].role", "invalid_value"},
		{"r.item", "/v1/responses", input(`{"type":"song"}`), "Invalid value: 'song'", "input[0]", "invalid_value"},
		{"r.widowed reasoning", "/v1/responses", input(hi, `{"type":"reasoning","id":"rs_1","summary":[]}`, hi), "Item 'rs_1' of type 'reasoning' was provided without its required following item.", "input", ""},
		{"r.reasoning at the end", "/v1/responses", input(hi, `{"type":"reasoning","id":"rs_1","summary":[]}`), "without its required following item", "input", ""},
		{"r.call without reasoning", "/v1/responses", input(hi, `{"type":"function_call","id":"fc_0r0123","call_id":"call_1","name":"Read","arguments":"{}"}`, fcOut), "without its required 'reasoning' item: 'rs_00123'", "input", ""},
		{"r.foreign seal", "/v1/responses", input(hi, `{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"gAAAAAabc"}`, `{"role":"assistant","content":"x"}`), "could not be verified", "", "invalid_encrypted_content"},
		{"r.tool name", "/v1/responses", `{"model":"m","input":"x","tools":[{"type":"function","name":"a b"}]}`, "Invalid 'tools[0].name'", "tools[0].name", "invalid_value"},

		{"c.model", "/v1/chat/completions", `{"messages":[` + hi + `]}`, "you must provide a model parameter", "", ""},
		{"c.messages", "/v1/chat/completions", `{"model":"m"}`, "Missing required parameter: 'messages'.", "messages", "missing_required_parameter"},
		{"c.no message", "/v1/chat/completions", chat(), "empty array", "messages", "empty_array"},
		{"c.role", "/v1/chat/completions", chat(`{"role":"robot","content":"x"}`), "Invalid value: 'robot'", "messages[0].role", "invalid_value"},
		{"c.content", "/v1/chat/completions", chat(`{"role":"user"}`), "Invalid type for 'messages[0].content'", "messages[0].content", "invalid_type"},
		{"c.null content", "/v1/chat/completions", chat(hi, `{"role":"assistant","content":null}`, hi), "expected a string, got null", "messages[1].content", ""},
		{"c.stream options", "/v1/chat/completions", `{"model":"m","stream_options":{"include_usage":true},"messages":[` + hi + `]}`, "only allowed when 'stream' is enabled", "stream_options", ""},
		{"c.unanswered call", "/v1/chat/completions", chat(hi, calls, hi), "did not have response messages: call_1", "messages.[2].role", ""},
		{"c.call at the end", "/v1/chat/completions", chat(hi, calls), "did not have response messages: call_1", "messages.[1].role", ""},
		{"c.orphan result", "/v1/chat/completions", chat(hi, toolMsg), "must be a response to a preceeding message with 'tool_calls'", "messages.[1].role", ""},
		{"c.result twice", "/v1/chat/completions", chat(hi, calls, toolMsg, toolMsg), "'tool_call_id' of 'call_1' not found", "messages.[3].tool_call_id", ""},
		{"c.call shape", "/v1/chat/completions", chat(hi, `{"role":"assistant","tool_calls":[{"id":"call_1","type":"function","function":{"name":"Read"}}]}`), "Missing required parameter: 'messages[1].tool_calls[0].function.arguments'.", "messages[1].tool_calls[0].function.arguments", "missing_required_parameter"},
		{"c.tool name", "/v1/chat/completions", `{"model":"m","tools":[{"type":"function","function":{"name":"a b"}}],"messages":[` + hi + `]}`, "Invalid 'tools[0].function.name'", "tools[0].function.name", "invalid_value"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, url := start(t, rehearsal.Script{Replies: []rehearsal.Reply{{Text: "never"}}}, rehearsal.Options{})
			a := post(t, url+c.path, c.body)
			var e vendorError
			if err := json.Unmarshal([]byte(a.body), &e); err != nil {
				t.Fatalf("status %d, body %q: %v", a.status, a.body, err)
			}
			if a.status != 400 || e.Error.Type != "invalid_request_error" || !strings.Contains(e.Error.Message, c.message) {
				t.Errorf("got %d %s, want 400 with %q", a.status, a.body, c.message)
			}
			if got := [2]string{deref(e.Error.Param), deref(e.Error.Code)}; got != [2]string{c.param, c.code} {
				t.Errorf("param and code are %q, want %q and %q", got, c.param, c.code)
			}
			if anthropic := c.path == "/v1/messages"; anthropic != (e.Type == "error" && e.RequestID != "") {
				t.Errorf("not this vendor's error shape: %s", a.body)
			}
			if r := s.Requests(); len(r) != 1 || r[0].Refused != e.Error.Message || r[0].Status != 400 || r[0].Reply != "" {
				t.Errorf("recorded %+v, want the refusal and no reply used", r)
			}
		})
	}
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

func TestRequest_UnstoredReasoningIsNotFound(t *testing.T) {
	_, url := start(t, rehearsal.Script{Replies: []rehearsal.Reply{{Text: "never"}}}, rehearsal.Options{})
	a := post(t, url+"/v1/responses", `{"model":"m","store":false,"input":[{"role":"user","content":"x"},{"type":"reasoning","id":"rs_1","summary":[]},{"role":"assistant","content":"y"}]}`)
	if a.status != 404 || !strings.Contains(a.body, "Item with id 'rs_1' not found. Items are not persisted when `store` is set to false.") {
		t.Errorf("got %d %s", a.status, a.body)
	}
}

func TestRequest_AnthropicVersionIsRequired(t *testing.T) {
	_, url := start(t, rehearsal.Script{Replies: []rehearsal.Reply{{Text: "never"}}}, rehearsal.Options{})
	a := post(t, url+"/v1/messages", say(wires[0].text, "x"), "Anthropic-Version", "")
	if a.status != 400 || !strings.Contains(a.body, "anthropic-version: header is required") {
		t.Errorf("got %d %s", a.status, a.body)
	}
}

func TestRequest_KeyIsDemandedAndNeverRepeated(t *testing.T) {
	const key = "sk-the-right-one"
	for _, want := range []string{key, "*"} {
		for _, w := range wires {
			s, url := start(t, rehearsal.Script{Key: want, Replies: []rehearsal.Reply{{Default: true, Text: "in"}}}, rehearsal.Options{})
			for _, c := range []struct {
				header []string
				status int
			}{
				{nil, 401},
				{[]string{"Authorization", "Bearer " + key}, 200},
				{[]string{"X-Api-Key", key}, map[rehearsal.Wire]int{rehearsal.WireAnthropic: 200}[w.wire]},
				{[]string{"Authorization", "Bearer sk-wrong"}, map[string]int{key: 401, "*": 200}[want]},
			} {
				if c.status == 0 {
					c.status = 401
				}
				a := post(t, url+w.path, say(w.text, "x"), c.header...)
				if a.status != c.status {
					t.Errorf("%s, key %s, header %v: status %d, want %d: %s", w.wire, want, c.header, a.status, c.status, a.body)
				}
				if strings.Contains(a.body, "sk-") {
					t.Errorf("%s: the answer repeats a key: %s", w.wire, a.body)
				}
			}
			for _, r := range s.Requests() {
				if all := fmt.Sprintf("%+v", r); strings.Contains(all, "sk-") {
					t.Errorf("%s: the record holds a key: %s", w.wire, all)
				}
			}
		}
	}
}

// TestRequest_AnswersCanBeGivenBack plays two rounds on each wire, giving back
// what came exactly as it came: the server's own answers must be a history it
// takes, with reasoning, parallel calls and a notice between.
func TestRequest_AnswersCanBeGivenBack(t *testing.T) {
	script := rehearsal.Script{Replies: []rehearsal.Reply{full, full, {Text: "Done."}}}
	for _, w := range wires {
		t.Run(string(w.wire), func(t *testing.T) {
			s, url := start(t, script, rehearsal.Options{})
			history := []any{map[string]any{"role": "user", "content": "Go on."}}
			for range 3 {
				body := map[string]any{"model": "m"}
				switch w.wire {
				case rehearsal.WireAnthropic:
					body["max_tokens"], body["messages"] = 4096, history
					body["thinking"] = map[string]any{"type": "enabled", "budget_tokens": 2048}
				case rehearsal.WireResponses:
					body["input"], body["store"], body["include"] = history, false, []string{"reasoning.encrypted_content"}
				default:
					body["messages"] = history
				}
				b, _ := json.Marshal(body)
				a := post(t, url+w.path, string(b))
				if a.status != 200 {
					t.Fatalf("refused its own history: %s\n%s", a.body, b)
				}
				var doc map[string]any
				if err := json.Unmarshal([]byte(a.body), &doc); err != nil {
					t.Fatal(err)
				}
				history = append(history, giveBack(w.wire, doc)...)
			}
			last := s.Requests()[2]
			if last.Turn != 3 || last.Step != 3 {
				t.Errorf("turn %d, step %d; want 3 and 3", last.Turn, last.Step)
			}
			var got []string
			for _, m := range last.Messages {
				got = append(got, fmt.Sprintf("%s %d calls %d results %v", m.Role, len(m.Calls), len(m.Results), m.Reasoning != ""))
			}
			want := []string{
				"user 0 calls 0 results false",
				"assistant 2 calls 0 results true", "user 0 calls 2 results false",
				"assistant 2 calls 0 results true", "user 0 calls 2 results false",
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("messages (-want +got):\n%s", d)
			}
		})
	}
}

// giveBack is an answer as the history of the next request, with a result for
// each call.
func giveBack(wire rehearsal.Wire, doc map[string]any) (items []any) {
	switch wire {
	case rehearsal.WireAnthropic:
		content := doc["content"].([]any)
		items = append(items, map[string]any{"role": "assistant", "content": content})
		var results []any
		for _, b := range content {
			if b := b.(map[string]any); b["type"] == "tool_use" {
				results = append(results, map[string]any{"type": "tool_result", "tool_use_id": b["id"], "content": []any{map[string]any{"type": "text", "text": "ok"}}})
			}
		}
		if results != nil {
			items = append(items, map[string]any{"role": "user", "content": results})
		}
	case rehearsal.WireResponses:
		items = doc["output"].([]any)
		for _, it := range items {
			if it := it.(map[string]any); it["type"] == "function_call" {
				items = append(items, map[string]any{"type": "function_call_output", "call_id": it["call_id"], "output": "ok"})
			}
		}
	default:
		m := doc["choices"].([]any)[0].(map[string]any)["message"].(map[string]any)
		items = append(items, m)
		calls, _ := m["tool_calls"].([]any)
		for _, c := range calls {
			items = append(items, map[string]any{"role": "tool", "tool_call_id": c.(map[string]any)["id"], "content": "ok"})
		}
	}
	return items
}

func TestRequest_ThinkingOfTheAnswerInProgressMustBeKept(t *testing.T) {
	_, url := start(t, rehearsal.Script{Repeat: true, Replies: []rehearsal.Reply{full}}, rehearsal.Options{})
	var doc map[string]any
	_ = json.Unmarshal([]byte(post(t, url+"/v1/messages", say(wires[0].text, "x")).body), &doc)
	back := giveBack(rehearsal.WireAnthropic, doc)
	answer := back[0].(map[string]any)
	answer["content"] = answer["content"].([]any)[1:]
	for _, c := range []struct {
		thinking string
		after    []any
		status   int
	}{
		{"enabled", nil, 400},
		{"disabled", nil, 200},
		{"enabled", []any{map[string]any{"role": "assistant", "content": "x"}, map[string]any{"role": "user", "content": "y"}}, 200},
	} {
		b, _ := json.Marshal(map[string]any{
			"model": "m", "max_tokens": 4096, "thinking": map[string]any{"type": c.thinking, "budget_tokens": 2048},
			"messages": append(append([]any{map[string]any{"role": "user", "content": "x"}}, back...), c.after...),
		})
		a := post(t, url+"/v1/messages", string(b))
		if a.status != c.status || c.status == 400 && !strings.Contains(a.body, "Expected `thinking` or `redacted_thinking`, but found `text`") {
			t.Errorf("thinking %s, %d further messages: got %d %s", c.thinking, len(c.after), a.status, a.body)
		}
	}
}

func TestRequest_FactsAreTheSameOnEveryWire(t *testing.T) {
	want := rehearsal.Request{
		Model: "m", System: "Be brief.", Tools: []string{"Read"}, Turn: 2, Step: 2,
		Messages: []rehearsal.Message{
			{Role: "user", Text: "Look."},
			{Role: "assistant", Text: "Looking.", Calls: []rehearsal.ToolCall{{ID: "c1", Name: "Read", Arguments: `{"a":1}`}}},
			{Role: "user", Results: []rehearsal.ToolResult{{CallID: "c1", Text: "seen"}}},
		},
	}
	for wire, body := range map[string]string{
		"/v1/messages": `{"model":"m","max_tokens":9,"system":"Be brief.","tools":[{"name":"Read","input_schema":{"type":"object"}}],"messages":[
			{"role":"user","content":"Look."},
			{"role":"assistant","content":[{"type":"text","text":"Looking."},{"type":"tool_use","id":"c1","name":"Read","input":{"a":1}}]},
			{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":"seen"}]}]}`,
		"/v1/responses": `{"model":"m","instructions":"Be brief.","tools":[{"type":"function","name":"Read"}],"input":[
			{"role":"user","content":[{"type":"input_text","text":"Look."}]},
			{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Looking."}]},
			{"type":"function_call","call_id":"c1","name":"Read","arguments":"{\"a\":1}"},
			{"type":"function_call_output","call_id":"c1","output":"seen"}]}`,
		"/v1/chat/completions": `{"model":"m","tools":[{"type":"function","function":{"name":"Read"}}],"messages":[
			{"role":"system","content":"Be brief."},{"role":"user","content":"Look."},
			{"role":"assistant","content":"Looking.","tool_calls":[{"id":"c1","type":"function","function":{"name":"Read","arguments":"{\"a\":1}"}}]},
			{"role":"tool","tool_call_id":"c1","content":"seen"}]}`,
	} {
		s, url := start(t, rehearsal.Script{Replies: []rehearsal.Reply{{Text: "ok"}}}, rehearsal.Options{})
		if a := post(t, url+wire, body); a.status != 200 {
			t.Fatalf("%s: %s", wire, a.body)
		}
		r := s.Requests()[0]
		got := rehearsal.Request{Model: r.Model, System: r.System, Messages: r.Messages, Tools: r.Tools, Turn: r.Turn, Step: r.Step}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", wire, d)
		}
	}
}

func TestRequest_EstimateCountsWhatIsSent(t *testing.T) {
	description := strings.Repeat("word ", 400)
	for wire, body := range map[string]string{
		"/v1/messages":         `{"model":"m","max_tokens":9,"tools":[{"name":"T","description":"` + description + `","input_schema":{"type":"object"}}],"messages":[{"role":"user","content":"x"}]}`,
		"/v1/responses":        `{"model":"m","tools":[{"type":"function","name":"T","description":"` + description + `"}],"input":"x"}`,
		"/v1/chat/completions": `{"model":"m","tools":[{"type":"function","function":{"name":"T","description":"` + description + `"}}],"messages":[{"role":"user","content":"x"}]}`,
	} {
		s, url := start(t, rehearsal.Script{Replies: []rehearsal.Reply{{Text: "ok"}}}, rehearsal.Options{})
		post(t, url+wire, body)
		if got := s.Requests()[0].Usage.Input; got < 500 || got > 550 {
			t.Errorf("%s: %d tokens for 2,000 bytes of tools", wire, got)
		}
	}
}
