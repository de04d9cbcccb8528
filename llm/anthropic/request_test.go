package anthropic_test

import (
	"context"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"podium.local/llm"
	"podium.local/llm/anthropic"
	"podium.local/llm/llmtest"
)

// send returns the request that an llm.Request becomes.
func send(t *testing.T, o anthropic.Options, req llm.Request) llmtest.Sent {
	t.Helper()
	tape := llmtest.NewTape(strings.NewReader("data: {\"type\":\"message_stop\"}\n\n"))
	o.HTTPClient = tape.Client()
	p, err := anthropic.New(o)
	if err != nil {
		t.Fatal(err)
	}
	if r := llmtest.Read(p.Stream(context.Background(), req)); r.Err != nil {
		t.Fatal(r.Err)
	}
	return tape.Sent()[0]
}

func text(s string) []llm.Block { return []llm.Block{llm.Text{Text: s}} }

func TestRequest_OnTheWire(t *testing.T) {
	signed := json.RawMessage(`{"anthropic":{"signature":"sig"}}`)
	req := llm.Request{
		Model: "claude-x", System: "Be brief.", Effort: "high", CacheKey: "k",
		Tools: []llm.ToolSpec{
			{Name: "Read", Description: "Reads.", Schema: []byte(`{"type":"object","properties":{"z":{},"a":{}}}`)},
			{Name: "List"},
		},
		Messages: []llm.Message{
			{Role: llm.RoleUser, Blocks: text("one")},
			{Role: llm.RoleUser, Blocks: text("two")},
			{Role: llm.RoleAssistant, Blocks: []llm.Block{
				llm.Reasoning{Text: "Hm.", Opaque: signed},
				llm.Reasoning{Opaque: json.RawMessage(`{"anthropic":{"redacted":"r"}}`)},
				llm.Reasoning{Text: "unsigned"},
				llm.Text{Text: " \n"},
				llm.ToolCall{ID: "functions.Read:0", Name: "Read", Arguments: json.RawMessage(`{"z":1,"a":2}`)},
				llm.ToolCall{ID: "t2", Name: "List"},
				llm.Reasoning{Text: "late", Opaque: signed},
			}},
			{Role: llm.RoleSystem, Blocks: text("The disk is full.")},
			{Role: llm.RoleUser, Blocks: []llm.Block{
				llm.ToolResult{CallID: "functions.Read:0", Text: "", IsError: true},
				llm.ToolResult{CallID: "t2", Text: ""},
			}},
			{Role: llm.RoleAssistant, Blocks: []llm.Block{llm.Reasoning{Text: "only", Opaque: signed}}},
			{Role: llm.RoleUser, Blocks: text("go on")},
		},
	}
	sent := send(t, anthropic.Options{APIKey: "secret"}, req)
	const mark = `"cache_control":{"type":"ephemeral"}`
	want := `{
		"model":"claude-x","max_tokens":8192,"stream":true,
		"system":[{"type":"text","text":"Be brief.",` + mark + `}],
		"output_config":{"effort":"high"},"thinking":{"type":"adaptive","display":"summarized"},
		"tools":[
			{"name":"Read","description":"Reads.","input_schema":{"type":"object","properties":{"z":{},"a":{}}}},
			{"name":"List","input_schema":{"type":"object","properties":{}},` + mark + `}],
		"messages":[
			{"role":"user","content":[{"type":"text","text":"one"},{"type":"text","text":"two",` + mark + `}]},
			{"role":"assistant","content":[
				{"type":"thinking","thinking":"Hm.","signature":"sig"},{"type":"redacted_thinking","data":"r"},
				{"type":"tool_use","id":"functions_Read_0","name":"Read","input":{"z":1,"a":2}},
				{"type":"tool_use","id":"t2","name":"List","input":{}}]},
			{"role":"user","content":[
				{"type":"tool_result","tool_use_id":"functions_Read_0","is_error":true,"content":[{"type":"text","text":"the tool failed and said nothing"}]},
				{"type":"tool_result","tool_use_id":"t2"},
				{"type":"text","text":"<system>\nThe disk is full.\n</system>"},
				{"type":"text","text":"go on",` + mark + `}]}
		]}`
	llmtest.WantJSON(t, want, string(sent.Body))
	if !strings.Contains(string(sent.Body), `"properties":{"z":{},"a":{}}`) {
		t.Errorf("the schema's members were put in another order: %s", string(sent.Body))
	}
	if got := sent.URL; got != "https://api.anthropic.com/v1/messages" {
		t.Errorf("sent to %s", got)
	}
	if v, k, x := sent.Header.Get("Anthropic-Version"), sent.Header.Get("Authorization"), sent.Header.Get("X-Api-Key"); v != "2026-10-21" || k != "Bearer secret" || x != "" {
		t.Errorf("sent with version %q, authorization %q and x-api-key %q", v, k, x)
	}
}

func TestRequest_NeverMoreThanFourCacheMarks(t *testing.T) {
	req := llm.Request{Model: "m", System: "s", Tools: []llm.ToolSpec{{Name: "A"}, {Name: "B"}}}
	for range 20 {
		req.Messages = append(req.Messages,
			llm.Message{Role: llm.RoleUser, Blocks: append(text("u"), llm.Text{Text: "v"})},
			llm.Message{Role: llm.RoleAssistant, Blocks: text("a")})
	}
	body := string(send(t, anthropic.Options{APIKey: "k"}, req).Body)
	if n := strings.Count(body, "cache_control"); n != 4 {
		t.Errorf("%d marks", n)
	}
	if last := strings.LastIndex(body, `"text":"v","cache_control"`); last < strings.LastIndex(body, `"text":"u"`) {
		t.Errorf("the newest user message is not marked: %s", body)
	}
}

func TestRequest_ATemperatureAsksForTheVersionThatHasOne(t *testing.T) {
	zero := 0.0
	sent := send(t, anthropic.Options{APIKey: "k"}, llm.Request{Model: "m", MaxTokens: 5, Temperature: &zero, Messages: []llm.Message{{Role: llm.RoleUser, Blocks: text("x")}}})
	if v := sent.Header.Values("Anthropic-Version"); len(v) != 1 || v[0] != "2023-06-01" {
		t.Errorf("sent with the versions %q", v)
	}
	llmtest.WantJSON(t, `{"model":"m","max_tokens":5,"temperature":0,"stream":true,"messages":[{"role":"user","content":[{"type":"text","text":"x","cache_control":{"type":"ephemeral"}}]}]}`, string(sent.Body))
}

func TestNew_AddressAndKey(t *testing.T) {
	t.Setenv("ANTHROPIC_API_KEY", "from-the-environment")
	t.Setenv("ANTHROPIC_AUTH_TOKEN", "from-the-environment")
	t.Setenv("ANTHROPIC_BASE_URL", "http://environment.invalid")
	t.Setenv("ANTHROPIC_CUSTOM_HEADERS", "X-Extra: environment")
	for _, c := range []struct{ baseURL, key, url string }{
		{"", "k", "https://api.anthropic.com/v1/messages"},
		{"http://localhost:1", "", "http://localhost:1/v1/messages"},
		{"http://localhost:1/", "k", "http://localhost:1/v1/messages"},
		{"http://localhost:1/v1", "k", "http://localhost:1/v1/messages"},
		{"http://localhost:1/proxy/v1/", "k", "http://localhost:1/proxy/v1/messages"},
	} {
		sent := send(t, anthropic.Options{BaseURL: c.baseURL, APIKey: c.key}, llm.Request{Model: "m", Messages: []llm.Message{{Role: llm.RoleUser, Blocks: text("x")}}})
		if sent.URL != c.url {
			t.Errorf("%q: sent to %s, want %s", c.baseURL, sent.URL, c.url)
		}
		bearer, older := "", ""
		if c.key != "" {
			bearer = "Bearer k"
			if c.baseURL != "" {
				older = "k"
			}
		}
		if got := sent.Header.Get("Authorization"); got != bearer {
			t.Errorf("%q: sent with the authorization %q, want %q", c.baseURL, got, bearer)
		}
		if got := sent.Header.Get("X-Api-Key"); got != older {
			t.Errorf("%q: sent with the x-api-key %q, want %q", c.baseURL, got, older)
		}
		if got := sent.Header.Get("X-Extra"); got != "" {
			t.Errorf("%q: a header came out of the environment", c.baseURL)
		}
	}
	_, err := anthropic.New(anthropic.Options{})
	if e, ok := err.(*llm.Error); !ok || e.Kind != llm.ErrorAuth || !strings.Contains(e.Message, anthropic.KeyEnv) {
		t.Errorf("without a key: got %v", err)
	}
	if os.Getenv(anthropic.KeyEnv) == "" {
		t.Error("the variable's name is not the vendor's")
	}
}
