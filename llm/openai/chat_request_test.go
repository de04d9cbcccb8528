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

func TestChat_RequestOnTheWire(t *testing.T) {
	warmth := 0.5
	req := llm.Request{
		Model: "m", System: "Be brief.", Effort: "low", MaxTokens: 99, Temperature: &warmth, CacheKey: "conv",
		Tools: []llm.ToolSpec{{Name: "Read", Description: "Reads.", Schema: []byte(`{"type":"object","properties":{"z":{},"a":{}}}`)}, {Name: "List"}},
		Messages: []llm.Message{
			{Role: llm.RoleUser, Blocks: append(text("one"), llm.Text{Text: " "}, llm.Text{Text: "two"})},
			{Role: llm.RoleAssistant, Blocks: []llm.Block{
				llm.Reasoning{Text: "Hm.", Opaque: json.RawMessage(`{"openai_chat":{"field":"reasoning_content"}}`)},
				llm.Reasoning{Text: "foreign", Opaque: json.RawMessage(`{"anthropic":{"signature":"s"}}`)},
				llm.Text{Text: "I "}, llm.Text{Text: "look."},
				llm.ToolCall{ID: "c1", Name: "Read", Arguments: json.RawMessage(`{"z":1}`)},
				llm.ToolCall{ID: "c2", Name: "List"},
			}},
			{Role: llm.RoleUser, Blocks: []llm.Block{
				llm.Text{Text: "Meanwhile."},
				llm.ToolResult{CallID: "c1", Text: "Error: no such file", IsError: true}, llm.ToolResult{CallID: "c2"},
			}},
			{Role: llm.RoleSystem, Blocks: text("The disk is full.")},
			{Role: llm.RoleAssistant, Blocks: []llm.Block{
				llm.Reasoning{Text: "Done.", Opaque: json.RawMessage(`{"openai_chat":{"field":"reasoning_content"}}`)}, llm.Text{Text: "Oh."},
			}},
			{Role: llm.RoleAssistant, Blocks: []llm.Block{llm.Reasoning{Text: "only", Opaque: json.RawMessage(`{"openai_chat":{"field":"reasoning"}}`)}}},
			{Role: llm.RoleAssistant, Blocks: []llm.Block{llm.ToolCall{ID: "c3", Name: "List", Arguments: json.RawMessage(` { } `)}}},
		},
	}
	const rest = `
		"model":"m","stream":true,"stream_options":{"include_usage":true},"temperature":0.5,"reasoning_effort":"low",
		"tools":[
			{"type":"function","function":{"name":"Read","description":"Reads.","parameters":{"type":"object","properties":{"z":{},"a":{}}}}},
			{"type":"function","function":{"name":"List","parameters":{"type":"object","properties":{}}}}],
		"messages":[
			{"role":"system","content":"Be brief."},
			{"role":"user","content":"one\n\ntwo"},
			{"role":"assistant","content":"I look.","reasoning_content":"Hm.","tool_calls":[
				{"type":"function","id":"c1","function":{"name":"Read","arguments":"{\"z\":1}"}},
				{"type":"function","id":"c2","function":{"name":"List","arguments":"{}"}}]},
			{"role":"tool","tool_call_id":"c1","content":"Error: no such file"},
			{"role":"tool","tool_call_id":"c2","content":""},
			{"role":"user","content":"Meanwhile."},
			{"role":"user","content":"<system>\nThe disk is full.\n</system>"},
			{"role":"assistant","content":"Oh."},
			{"role":"assistant","tool_calls":[{"type":"function","id":"c3","function":{"name":"List","arguments":"{ }"}}]}]}`

	sent := send(t, openai.NewChat, openai.Options{APIKey: "secret"}, req)
	llmtest.WantJSON(t, `{"max_completion_tokens":99,"prompt_cache_key":"conv",`+rest, string(sent.Body))
	if sent.URL != "https://api.openai.com/v1/chat/completions" || sent.Header.Get("Authorization") != "Bearer secret" {
		t.Errorf("sent to %s with %q", sent.URL, sent.Header.Get("Authorization"))
	}

	// Servers that resemble the vendor's get the parameters that all of them know.
	sent = send(t, openai.NewChat, openai.Options{BaseURL: "http://localhost:8080/v1/"}, req)
	llmtest.WantJSON(t, `{"max_tokens":99,`+rest, string(sent.Body))
	if sent.URL != "http://localhost:8080/v1/chat/completions" || sent.Header.Get("Authorization") != "" {
		t.Errorf("sent to %s with %q", sent.URL, sent.Header.Get("Authorization"))
	}
}

func TestGemini_SignaturesGoBackWithTheirCalls(t *testing.T) {
	const extra = `{"google":{"thought_signature":"sig+/="}}`
	r := play(t, openai.NewGemini,
		chunk(`{"content":"I look."}`),
		chunk(`{"tool_calls":[{"index":0,"id":"f1","function":{"name":"Read","arguments":"{\"path\":\"a\"}"},"extra_content":`+extra+`}]}`),
		chunk(`{"tool_calls":[{"index":1,"id":"f2","function":{"name":"List","arguments":"{}"}}]}`),
		ends("stop"), done)
	if r.Err != nil || r.Broken != nil || r.Reason != llm.StopToolCalls {
		t.Fatalf("error %v, broken %v, reason %q", r.Err, r.Broken, r.Reason)
	}
	req := llm.Request{Model: "gemini-x", Messages: []llm.Message{
		{Role: llm.RoleUser, Blocks: text("look")}, r.Message(),
		{Role: llm.RoleUser, Blocks: []llm.Block{llm.ToolResult{CallID: "f1", Text: "a"}, llm.ToolResult{CallID: "f2", Text: "b"}}},
		{Role: llm.RoleAssistant, Blocks: []llm.Block{ // another vendor's, or cut off
			llm.ToolCall{ID: "f3", Name: "List"}, llm.ToolCall{ID: "f4", Name: "List"},
		}},
	}}
	calls := func(body []byte) (out []string) {
		var sent struct {
			Messages []struct {
				ToolCalls []struct {
					ID    string
					Extra json.RawMessage `json:"extra_content"`
				} `json:"tool_calls"`
			}
		}
		if err := json.Unmarshal(body, &sent); err != nil {
			t.Fatal(err)
		}
		for _, m := range sent.Messages {
			for _, c := range m.ToolCalls {
				out = append(out, c.ID+string(c.Extra))
			}
		}
		return out
	}
	sent := send(t, openai.NewGemini, openai.Options{APIKey: "k"}, req)
	want := []string{"f1" + extra, "f2", `f3{"google":{"thought_signature":"skip_thought_signature_validator"}}`, "f4"}
	if d := cmp.Diff(want, calls(sent.Body)); d != "" {
		t.Error(d)
	}
	if sent.URL != "https://generativelanguage.googleapis.com/v1beta/openai/chat/completions" {
		t.Errorf("sent to %s", sent.URL)
	}
	sent = send(t, openai.NewOllama, openai.Options{}, req)
	if d := cmp.Diff([]string{"f1" + extra, "f2", "f3", "f4"}, calls(sent.Body)); d != "" {
		t.Error(d)
	}
	if sent.URL != "http://localhost:11434/v1/chat/completions" {
		t.Errorf("sent to %s", sent.URL)
	}
}

func TestNew_AMissingKeyNamesItsVariable(t *testing.T) {
	for _, c := range []struct {
		env  string
		open constructor
	}{{"OPENAI_API_KEY", openai.NewChat}, {"OPENAI_API_KEY", openai.NewResponses}, {"GEMINI_API_KEY", openai.NewGemini}} {
		env, open := c.env, c.open
		_, err := open(openai.Options{APIKey: "  "})
		e, ok := err.(*llm.Error)
		if !ok || e.Kind != llm.ErrorAuth || !strings.Contains(e.Message, env) {
			t.Errorf("%s: got %v", env, err)
		}
		if _, err := open(openai.Options{BaseURL: "http://localhost:1/v1"}); err != nil {
			t.Errorf("%s: another address wants a key: %v", env, err)
		}
	}
	if _, err := openai.NewOllama(openai.Options{}); err != nil {
		t.Errorf("a local server wants a key: %v", err)
	}
}

func TestNew_NothingComesOutOfTheEnvironment(t *testing.T) {
	for _, name := range []string{"OPENAI_API_KEY", "OPENAI_ADMIN_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID"} {
		t.Setenv(name, "from-the-environment")
	}
	t.Setenv("OPENAI_BASE_URL", "http://environment.invalid")
	t.Setenv("OPENAI_CUSTOM_HEADERS", "X-Extra: from-the-environment")
	for name, open := range map[string]constructor{"chat": openai.NewChat, "responses": openai.NewResponses} {
		sent := send(t, open, openai.Options{BaseURL: "http://localhost:1/v1"}, llm.Request{Model: "m"})
		if !strings.HasPrefix(sent.URL, "http://localhost:1/v1/") {
			t.Errorf("%s: sent to %s", name, sent.URL)
		}
		for header, values := range sent.Header {
			if strings.Contains(strings.Join(values, " "), "from-the-environment") {
				t.Errorf("%s: the header %s came out of the environment", name, header)
			}
		}
	}
}
