package openai_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"podium.local/llm"
	"podium.local/llm/llmtest"
	"podium.local/llm/openai"
)

const completed = `{"type":"response.completed","response":{"status":"completed","usage":{"input_tokens":9,"output_tokens":3}}}`

func TestResponses_ReadsWhatTheVendorMaySend(t *testing.T) {
	const thought = `{"id":"rs_1","type":"reasoning","summary":[{"type":"summary_text","text":"A"},{"type":"summary_text","text":"B"}],"encrypted_content":"enc"}`
	opaque := json.RawMessage(`{"openai_responses":` + thought + `}`)
	for _, c := range []struct {
		name   string
		events []string
		blocks []llmtest.Block
		reason llm.StopReason
	}{
		{"two parts of a summary",
			[]string{
				`{"type":"response.output_item.added","output_index":0,"item":{"id":"rs_1","type":"reasoning","summary":[]}}`,
				`{"type":"response.reasoning_summary_part.added","output_index":0,"summary_index":0}`,
				`{"type":"response.reasoning_summary_text.delta","output_index":0,"summary_index":0,"delta":"A"}`,
				`{"type":"response.reasoning_summary_part.added","output_index":0,"summary_index":1}`,
				`{"type":"response.reasoning_summary_text.delta","output_index":0,"summary_index":1,"delta":"B"}`,
				`{"type":"response.output_item.done","output_index":0,"item":` + thought + `}`, completed,
			},
			[]llmtest.Block{{Kind: llm.BlockReasoning, Text: "A\n\nB", Opaque: opaque}}, llm.StopEnd},
		{"items that come whole",
			[]string{
				`{"type":"response.output_item.done","output_index":0,"item":` + thought + `}`,
				`{"type":"response.output_item.done","output_index":1,"item":{"type":"message","content":[{"type":"output_text","text":"Hi "},{"type":"output_text","text":"you"}]}}`,
				`{"type":"response.output_item.done","output_index":2,"item":{"type":"function_call","call_id":"c1","name":"List","arguments":"{}"}}`, completed,
			},
			[]llmtest.Block{
				{Kind: llm.BlockReasoning, Text: "A\n\nB", Opaque: opaque}, {Kind: llm.BlockText, Text: "Hi you"},
				{Kind: llm.BlockToolCall, ID: "c1", Name: "List", Text: "{}"},
			}, llm.StopToolCalls},
		{"calls that come mixed",
			[]string{
				`{"type":"response.output_item.added","output_index":0,"item":{"type":"function_call","call_id":"a","name":"Read","arguments":""}}`,
				`{"type":"response.output_item.added","output_index":1,"item":{"type":"function_call","call_id":"b","name":"Read","arguments":""}}`,
				`{"type":"response.function_call_arguments.delta","output_index":1,"delta":"{\"n\":"}`,
				`{"type":"response.function_call_arguments.delta","output_index":0,"delta":"{\"m\":1}"}`,
				`{"type":"response.function_call_arguments.delta","output_index":1,"delta":"2}"}`,
				`{"type":"response.output_item.done","output_index":1,"item":{"type":"function_call","call_id":"b","name":"Read","arguments":"{\"n\":2}"}}`,
				`{"type":"response.output_item.done","output_index":0,"item":{"type":"function_call","call_id":"a","name":"Read","arguments":"{\"m\":1}"}}`, completed,
			},
			[]llmtest.Block{
				{Kind: llm.BlockToolCall, ID: "a", Name: "Read", Text: `{"m":1}`},
				{Kind: llm.BlockToolCall, ID: "b", Name: "Read", Text: `{"n":2}`},
			}, llm.StopToolCalls},
		{"reasoning that is shown as it is",
			[]string{
				`{"type":"response.output_item.added","output_index":0,"item":{"id":"rs","type":"reasoning"}}`,
				`{"type":"response.reasoning_text.delta","output_index":0,"content_index":0,"delta":"raw"}`,
				`{"type":"response.output_item.done","output_index":0,"item":{"id":"rs","type":"reasoning","content":[{"type":"reasoning_text","text":"raw"}]}}`, completed,
			},
			[]llmtest.Block{{Kind: llm.BlockReasoning, Text: "raw", Opaque: json.RawMessage(`{"openai_responses":{"id":"rs","type":"reasoning","content":[{"type":"reasoning_text","text":"raw"}]}}`)}}, llm.StopEnd},
		{"a refusal",
			[]string{
				`{"type":"response.output_item.added","output_index":0,"item":{"type":"message"}}`,
				`{"type":"response.refusal.delta","output_index":0,"delta":"I won't."}`,
				`{"type":"response.output_item.done","output_index":0,"item":{"type":"message","content":[{"type":"refusal","refusal":"I won't."}]}}`, completed,
			},
			[]llmtest.Block{{Kind: llm.BlockText, Text: "I won't."}}, llm.StopRefusal},
		{"a refusal that comes whole",
			[]string{`{"type":"response.output_item.done","output_index":0,"item":{"type":"message","content":[{"type":"refusal","refusal":"No."}]}}`, completed},
			[]llmtest.Block{{Kind: llm.BlockText, Text: "No."}}, llm.StopRefusal},
		{"an item that is never done",
			[]string{`{"type":"response.output_text.delta","output_index":0,"delta":"So "}`, `{"type":"response.output_text.delta","output_index":0,"delta":"far"}`,
				`{"type":"response.incomplete","response":{"status":"incomplete","incomplete_details":{"reason":"max_output_tokens"}}}`},
			[]llmtest.Block{{Kind: llm.BlockText, Text: "So far"}}, llm.StopMaxTokens},
		{"events and items of a later time",
			[]string{`{"type":"response.queued"}`, `{"type":"response.weather"}`, `{"type":"response.output_item.added","output_index":0,"item":{"type":"web_search_call","id":"w"}}`,
				`{"type":"response.output_item.done","output_index":0,"item":{"type":"web_search_call","id":"w"}}`, `{"type":"keepalive"}`, completed},
			nil, llm.StopEnd},
	} {
		t.Run(c.name, func(t *testing.T) {
			wantReading(t, play(t, openai.NewResponses, c.events...), c.blocks, c.reason)
		})
	}
}

func TestResponses_ErrorsInsideTheStream(t *testing.T) {
	for _, c := range []struct {
		event string
		kind  llm.ErrorKind
		code  string
	}{
		{`{"type":"error","code":"rate_limit_exceeded","message":"Slow down","param":null}`, llm.ErrorRateLimited, "rate_limit_exceeded"},
		{`{"type":"error","error":{"type":"server_error","code":null,"message":"Oops"}}`, llm.ErrorUnavailable, "server_error"},
		{`{"error":{"message":"bad gateway","code":502}}`, llm.ErrorUnavailable, ""},
		{`{"type":"error","error":{"type":"invalid_request_error","code":"insufficient_quota","message":"Pay"}}`, llm.ErrorInvalid, "insufficient_quota"},
		{`{"type":"error"}`, llm.ErrorStream, ""},
		{`{"type":"response.failed","response":{"status":"failed","error":{"code":"server_error","message":"Oops"}}}`, llm.ErrorUnavailable, "server_error"},
		{`{"type":"response.failed","response":{"status":"failed","error":{"code":"context_length_exceeded","message":"Long"}}}`, llm.ErrorContextOverflow, "context_length_exceeded"},
		{`{"type":"response.failed","response":{"status":"failed","error":{"code":"bio_policy","message":"No"}}}`, llm.ErrorInvalid, "bio_policy"},
		{`{"type":"response.failed","response":{"status":"failed","error":null}}`, llm.ErrorStream, ""},
		{`{"type":"response.incomplete","response":{"incomplete_details":{"reason":"cosmic_rays"}}}`, llm.ErrorStream, ""},
		{`{"type":"response.out`, llm.ErrorStream, ""},
	} {
		r := play(t, openai.NewResponses, `{"type":"response.output_text.delta","output_index":0,"delta":"Well"}`, c.event, completed)
		e, ok := r.Err.(*llm.Error)
		if !ok || e.Kind != c.kind || e.Code != c.code || e.Status != 0 || e.Message == "" {
			t.Errorf("%s: got %#v, want the kind %s with the code %q", c.event, r.Err, c.kind, c.code)
		}
		if r.Broken != nil || r.Text(llm.BlockText) != "Well" || r.Reason != "" {
			t.Errorf("%s: broken %v, text %q, reason %q", c.event, r.Broken, r.Text(llm.BlockText), r.Reason)
		}
	}
}

func TestResponses_AFailedAnswerStillCounts(t *testing.T) {
	r := play(t, openai.NewResponses, `{"type":"response.failed","response":{"error":{"code":"server_error","message":"Oops"},"usage":{"input_tokens":5,"output_tokens":2,"input_tokens_details":{"cached_tokens":4,"cache_write_tokens":1},"output_tokens_details":{"reasoning_tokens":1}}}}`)
	want := llm.Usage{Input: count(5), Output: count(2), CacheRead: count(4), CacheWrite: count(1), Reasoning: count(1)}
	if d := cmp.Diff(want, r.Usage); d != "" || r.Err == nil {
		t.Errorf("error %v\n%s", r.Err, d)
	}
}

func TestResponses_RequestOnTheWire(t *testing.T) {
	warmth := 0.5
	item := `{"id":"rs_1","type":"reasoning","summary":[{"type":"summary_text","text":"Hm."}],"encrypted_content":"enc","status":null}`
	sent := send(t, openai.NewResponses, openai.Options{APIKey: "secret"}, llm.Request{
		Model: "gpt-5", System: "Be brief.", Effort: "low", MaxTokens: 99, Temperature: &warmth, CacheKey: "conv",
		Tools: []llm.ToolSpec{{Name: "Read", Description: "Reads.", Schema: []byte(`{"type":"object","properties":{"z":{},"a":{}}}`)}, {Name: "List"}},
		Messages: []llm.Message{
			{Role: llm.RoleUser, Blocks: append(text("one"), llm.Text{Text: " "})},
			{Role: llm.RoleAssistant, Blocks: []llm.Block{
				llm.Reasoning{Text: "Hm.", Opaque: json.RawMessage(`{"openai_responses":` + item + `}`)},
				llm.Reasoning{Text: "nobody stored this", Opaque: json.RawMessage(`{"openai_responses":{"id":"rs_2","type":"reasoning","summary":[]}}`)},
				llm.Reasoning{Text: "foreign", Opaque: json.RawMessage(`{"anthropic":{"signature":"s"}}`)},
				llm.Text{Text: "I look."},
				llm.ToolCall{ID: "c1", Name: "Read", Arguments: json.RawMessage(`{"z":1}`)},
				llm.ToolCall{ID: "c2", Name: "List"},
				llm.Reasoning{Text: "late", Opaque: json.RawMessage(`{"openai_responses":` + item + `}`)},
			}},
			{Role: llm.RoleUser, Blocks: []llm.Block{
				llm.ToolResult{CallID: "c1", Text: "no such file", IsError: true}, llm.ToolResult{CallID: "c2"},
			}},
			{Role: llm.RoleSystem, Blocks: text("The disk is full.")},
		},
	})
	llmtest.WantJSON(t, `{
		"model":"gpt-5","instructions":"Be brief.","store":false,"stream":true,"max_output_tokens":99,"temperature":0.5,
		"prompt_cache_key":"conv","include":["reasoning.encrypted_content"],"reasoning":{"effort":"low","summary":"auto"},
		"tools":[
			{"type":"function","name":"Read","description":"Reads.","parameters":{"type":"object","properties":{"z":{},"a":{}}},"strict":false},
			{"type":"function","name":"List","parameters":{"type":"object","properties":{}},"strict":false}],
		"input":[
			{"role":"user","content":"one"},
			{"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"Hm."}],"encrypted_content":"enc"},
			{"role":"assistant","content":"I look."},
			{"type":"function_call","call_id":"c1","name":"Read","arguments":"{\"z\":1}"},
			{"type":"function_call","call_id":"c2","name":"List","arguments":"{}"},
			{"type":"function_call_output","call_id":"c1","output":"Error: no such file"},
			{"type":"function_call_output","call_id":"c2","output":""},
			{"role":"system","content":"The disk is full."}]}`, string(sent.Body))
	if sent.URL != "https://api.openai.com/v1/responses" || sent.Header.Get("Authorization") != "Bearer secret" {
		t.Errorf("sent to %s with %q", sent.URL, sent.Header.Get("Authorization"))
	}
}

func TestResponses_OnlyReasoningModelsAreAskedForReasoning(t *testing.T) {
	for model, want := range map[string]bool{
		"gpt-5": true, "gpt-5.1-codex": true, "o3": true, "gpt-6": true, "openai/gpt-oss-120b": true, "something-local": true,
		"gpt-4o": false, "gpt-4.1-mini": false, "gpt-3.5-turbo": false, "chatgpt-4o-latest": false, "gpt-5-chat-latest": false, "openai/gpt-4o": false, "ft:gpt-4o:acme": false,
	} {
		sent := send(t, openai.NewResponses, openai.Options{APIKey: "k"}, llm.Request{Model: model, Messages: []llm.Message{{Role: llm.RoleUser, Blocks: text("x")}}})
		if got := strings.Contains(string(sent.Body), "reasoning.encrypted_content"); got != want {
			t.Errorf("%s: asked for encrypted reasoning: %v", model, got)
		}
	}
}

func FuzzResponses(f *testing.F) {
	for _, seed := range [][]string{
		{`{"type":"response.output_item.added","output_index":0,"item":{"type":"reasoning"}}`, `{"type":"response.reasoning_summary_text.delta","output_index":0,"delta":"a"}`, `{"type":"response.output_item.done","output_index":0,"item":{"type":"reasoning","encrypted_content":"e"}}`, completed},
		{`{"type":"response.output_item.added","output_index":0,"item":{"type":"function_call","call_id":"c","name":"n"}}`, `{"type":"response.function_call_arguments.delta","output_index":0,"delta":"{}"}`, completed},
		{`{"type":"response.output_text.delta","output_index":0,"delta":"a"}`, `{"type":"response.failed","response":{"error":{"code":"x"}}}`},
		{`{"type":"response.incomplete","response":{"incomplete_details":{"reason":"content_filter"}}}`},
	} {
		f.Add("data: " + strings.Join(seed, "\n\ndata: ") + "\n\n")
	}
	f.Fuzz(func(t *testing.T, sse string) { wantPromisesKept(t, playBytes(t, openai.NewResponses, sse)) })
}

// wantPromisesKept checks what holds for any bytes. A call without a name is
// told as it came.
func wantPromisesKept(t *testing.T, r llmtest.Reading) {
	t.Helper()
	if r.Broken != nil && !strings.Contains(r.Broken.Error(), "no id or no name") {
		t.Errorf("broken: %v", r.Broken)
	}
	if (r.Err == nil) == (r.Reason == "") {
		t.Errorf("reason %q and error %v", r.Reason, r.Err)
	}
}
