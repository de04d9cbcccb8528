package anthropic_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"podium.local/llm"
	"podium.local/llm/anthropic"
	"podium.local/llm/llmtest"
)

// play reads an answer made of these events' data.
func play(tb testing.TB, data ...string) llmtest.Reading {
	tb.Helper()
	var sse strings.Builder
	for _, d := range data {
		var kind struct{ Type string }
		_ = json.Unmarshal([]byte(d), &kind) // bad data is sent as it is
		sse.WriteString("event: " + kind.Type + "\ndata: " + d + "\n\n")
	}
	return playBytes(tb, sse.String())
}

func playBytes(tb testing.TB, sse string) llmtest.Reading {
	tb.Helper()
	p, err := anthropic.New(anthropic.Options{APIKey: "key", HTTPClient: llmtest.NewTape(strings.NewReader(sse)).Client()})
	if err != nil {
		tb.Fatal(err)
	}
	return llmtest.Read(p.Stream(context.Background(), llm.Request{Model: "m"}))
}

const (
	begin  = `{"type":"message_start","message":{"id":"m","usage":{"input_tokens":10,"cache_read_input_tokens":200,"cache_creation_input_tokens":30,"output_tokens":1}}}`
	ended  = `{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":5}}`
	stop   = `{"type":"message_stop"}`
	close0 = `{"type":"content_block_stop","index":0}`
)

func start(block string) string {
	return `{"type":"content_block_start","index":0,"content_block":` + block + `}`
}

func delta(d string) string {
	return `{"type":"content_block_delta","index":0,"delta":` + d + `}`
}

func count(n int64) *int64 { return &n }

func TestStream_ReadsWhatTheVendorMaySend(t *testing.T) {
	signed := json.RawMessage(`{"anthropic":{"signature":"ab"}}`)
	for _, c := range []struct {
		name   string
		events []string
		blocks []llmtest.Block
		reason llm.StopReason
	}{
		{"a signature in two pieces",
			[]string{begin, start(`{"type":"thinking","thinking":"","signature":""}`), delta(`{"type":"thinking_delta","thinking":"Hm."}`), delta(`{"type":"signature_delta","signature":"a"}`), delta(`{"type":"signature_delta","signature":"b"}`), close0, ended, stop},
			[]llmtest.Block{{Kind: llm.BlockReasoning, Text: "Hm.", Opaque: signed}}, llm.StopEnd},
		{"thinking that is not shown",
			[]string{begin, start(`{"type":"thinking","thinking":"","signature":"ab"}`), close0, ended, stop},
			[]llmtest.Block{{Kind: llm.BlockReasoning, Opaque: signed}}, llm.StopEnd},
		{"redacted thinking",
			[]string{begin, start(`{"type":"redacted_thinking","data":"xyz"}`), close0, ended, stop},
			[]llmtest.Block{{Kind: llm.BlockReasoning, Opaque: json.RawMessage(`{"anthropic":{"redacted":"xyz"}}`)}}, llm.StopEnd},
		{"text that comes with its block",
			[]string{begin, start(`{"type":"text","text":"Hello"}`), delta(`{"type":"text_delta","text":"!"}`), close0, ended, stop},
			[]llmtest.Block{{Kind: llm.BlockText, Text: "Hello!"}}, llm.StopEnd},
		{"arguments that come with their block",
			[]string{begin, start(`{"type":"tool_use","id":"t1","name":"Read","input":{"path":"a"}}`), close0, ended, stop},
			[]llmtest.Block{{Kind: llm.BlockToolCall, ID: "t1", Name: "Read", Text: `{"path":"a"}`}}, llm.StopToolCalls},
		{"arguments that come twice",
			[]string{begin, start(`{"type":"tool_use","id":"t1","name":"Read","input":{"path":"a"}}`), delta(`{"type":"input_json_delta","partial_json":"{\"path\":\"a\"}"}`), close0, ended, stop},
			[]llmtest.Block{{Kind: llm.BlockToolCall, ID: "t1", Name: "Read", Text: `{"path":"a"}`}}, llm.StopToolCalls},
		{"a call without arguments",
			[]string{begin, start(`{"type":"tool_use","id":"t1","name":"List","input":{}}`), delta(`{"type":"input_json_delta","partial_json":""}`), close0, ended, stop},
			[]llmtest.Block{{Kind: llm.BlockToolCall, ID: "t1", Name: "List"}}, llm.StopToolCalls},
		{"blocks and events of a later time",
			[]string{begin, `{"type":"weather","index":7}`, start(`{"type":"server_tool_use","id":"s","name":"web_search","input":{}}`), delta(`{"type":"input_json_delta","partial_json":"{}"}`), close0, start(`{"type":"text","text":""}`), delta(`{"type":"citations_delta","citation":{}}`), delta(`{"type":"text_delta","text":"Sunny."}`), close0, `{"type":"ping"}`, ended, stop},
			[]llmtest.Block{{Kind: llm.BlockText, Text: "Sunny."}}, llm.StopEnd},
		{"a block that nobody closes",
			[]string{begin, start(`{"type":"text","text":"cut"}`), `{"type":"message_delta","delta":{"stop_reason":"max_tokens"},"usage":{}}`, stop},
			[]llmtest.Block{{Kind: llm.BlockText, Text: "cut"}}, llm.StopMaxTokens},
		{"a window that is full",
			[]string{begin, `{"type":"message_delta","delta":{"stop_reason":"model_context_window_exceeded"},"usage":{}}`, stop},
			nil, llm.StopMaxTokens},
		{"a refusal",
			[]string{begin, `{"type":"message_delta","delta":{"stop_reason":"refusal"},"usage":{}}`, stop},
			nil, llm.StopRefusal},
		{"a reason of a later time",
			[]string{begin, `{"type":"message_delta","delta":{"stop_reason":"bored"},"usage":{}}`, stop},
			nil, llm.StopEnd},
		{"no reason and no usage", []string{stop}, nil, llm.StopEnd},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := play(t, c.events...)
			if r.Err != nil || r.Broken != nil || r.Reason != c.reason {
				t.Errorf("reason %q (want %q), error %v, broken %v", r.Reason, c.reason, r.Err, r.Broken)
			}
			if d := cmp.Diff(c.blocks, r.Blocks); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestStream_UsageAddsUpAndNeverFalls(t *testing.T) {
	for _, c := range []struct {
		name   string
		events []string
		want   llm.Usage
	}{
		{"the start counts the prompt, the end the answer", []string{begin, ended, stop},
			llm.Usage{Input: count(240), Output: count(5), CacheRead: count(200), CacheWrite: count(30)}},
		{"an end with zeros", []string{begin, `{"type":"message_delta","delta":{},"usage":{"input_tokens":0,"cache_read_input_tokens":0,"cache_creation_input_tokens":0,"output_tokens":9,"output_tokens_details":{"thinking_tokens":4}}}`, stop},
			llm.Usage{Input: count(240), Output: count(9), CacheRead: count(200), CacheWrite: count(30), Reasoning: count(4)}},
		{"a start with zeros", []string{`{"type":"message_start","message":{"usage":{"input_tokens":0,"output_tokens":0}}}`, `{"type":"message_delta","delta":{},"usage":{"input_tokens":12,"output_tokens":3}}`, stop},
			llm.Usage{Input: count(12), Output: count(3)}},
		{"nulls", []string{`{"type":"message_start","message":{"usage":{"input_tokens":7,"cache_read_input_tokens":null,"output_tokens":null}}}`, stop},
			llm.Usage{Input: count(7)}},
		{"nothing", []string{`{"type":"message_start","message":{}}`, stop}, llm.Usage{}},
	} {
		if d := cmp.Diff(c.want, play(t, c.events...).Usage); d != "" {
			t.Errorf("%s:\n%s", c.name, d)
		}
	}
}

func TestStream_ErrorsInsideIt(t *testing.T) {
	for _, c := range []struct {
		event string
		kind  llm.ErrorKind
		code  string
	}{
		{`{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, llm.ErrorOverloaded, "overloaded_error"},
		{`{"type":"error","error":{"type":"rate_limit_error","message":"Slow down"}}`, llm.ErrorRateLimited, "rate_limit_error"},
		{`{"type":"error","error":{"type":"rate_limit_error","message":"No more","details":{"error_code":"contract_spend_limit_reached"}}}`, llm.ErrorInvalid, "contract_spend_limit_reached"},
		{`{"type":"error","error":{"type":"api_error","message":"Oops"}}`, llm.ErrorUnavailable, "api_error"},
		{`{"type":"error","error":{"type":"timeout_error","message":"Late"}}`, llm.ErrorUnavailable, "timeout_error"},
		{`{"type":"error","error":{"type":"authentication_error","message":"Who?"}}`, llm.ErrorAuth, "authentication_error"},
		{`{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 2 tokens > 1 maximum"}}`, llm.ErrorContextOverflow, "invalid_request_error"},
		{`{"type":"error","error":{"type":"invalid_request_error","message":"input length and ` + "`max_tokens`" + ` exceed context limit: 1 + 2 > 2"}}`, llm.ErrorContextOverflow, "invalid_request_error"},
		{`{"type":"error","error":{"type":"invalid_request_error","message":"No."}}`, llm.ErrorInvalid, "invalid_request_error"},
		{`{"type":"error","error":{"type":"strange_error","message":"?"}}`, llm.ErrorStream, "strange_error"},
		{`{"type":"error","error":"plain words"}`, llm.ErrorStream, ""},
		{`{"type":"error"}`, llm.ErrorStream, ""},
		{`{"type":"message_start","message":`, llm.ErrorStream, ""},
		{`[1,2]`, llm.ErrorStream, ""},
		{start(`{"type":"text","text":""}`), llm.ErrorStream, ""}, // a second block inside the first
	} {
		r := play(t, begin, start(`{"type":"text","text":"Well"}`), c.event, close0, ended, stop)
		e, ok := r.Err.(*llm.Error)
		if !ok || e.Kind != c.kind || e.Code != c.code || e.Status != 0 || e.Message == "" {
			t.Errorf("%s: got %#v, want the kind %s with the code %q", c.event, r.Err, c.kind, c.code)
		}
		if r.Broken != nil || r.Text(llm.BlockText) != "Well" || r.Reason != "" {
			t.Errorf("%s: broken %v, text %q, reason %q", c.event, r.Broken, r.Text(llm.BlockText), r.Reason)
		}
	}
	if r := play(t, begin, delta(`{"type":"text_delta","text":"x"}`)); r.Err == nil || r.Broken != nil {
		t.Errorf("a piece outside of a block: error %v, broken %v", r.Err, r.Broken)
	}
}

func TestStream_EventNamesDoNotMatter(t *testing.T) {
	r := playBytes(t, "data: "+begin+"\n\n"+"data: "+start(`{"type":"text","text":"Hi"}`)+"\n\ndata: "+close0+"\n\ndata: "+ended+"\n\ndata: "+stop+"\n\n")
	if r.Err != nil || r.Text(llm.BlockText) != "Hi" || r.Reason != llm.StopEnd {
		t.Errorf("got %q, %q, %v", r.Text(llm.BlockText), r.Reason, r.Err)
	}
}

func FuzzStream(f *testing.F) {
	for _, seed := range [][]string{
		{begin, start(`{"type":"thinking","thinking":""}`), delta(`{"type":"thinking_delta","thinking":"a"}`), delta(`{"type":"signature_delta","signature":"s"}`), close0, ended, stop},
		{begin, start(`{"type":"tool_use","id":"t","name":"n","input":{}}`), delta(`{"type":"input_json_delta","partial_json":"{}"}`), close0, ended, stop},
		{`{"type":"error","error":{"type":"overloaded_error","message":"x"}}`},
		{start(`{"type":"text","text":7}`), delta(`null`), close0, stop},
	} {
		f.Add("data: " + strings.Join(seed, "\n\ndata: ") + "\n\n")
	}
	f.Fuzz(func(t *testing.T, sse string) {
		r := playBytes(t, sse)
		if r.Broken != nil && !strings.Contains(r.Broken.Error(), "no id or no name") {
			t.Errorf("broken: %v", r.Broken)
		}
		if (r.Err == nil) == (r.Reason == "") {
			t.Errorf("reason %q and error %v", r.Reason, r.Err)
		}
	})
}

// BenchmarkStream reads an answer of 1,000 pieces of text.
func BenchmarkStream(b *testing.B) {
	events := []string{begin, start(`{"type":"text","text":""}`)}
	for range 1000 {
		events = append(events, delta(`{"type":"text_delta","text":"some words "}`))
	}
	events = append(events, close0, ended, stop)
	b.ReportAllocs()
	for b.Loop() {
		if r := play(b, events...); r.Err != nil {
			b.Fatal(r.Err)
		}
	}
}
