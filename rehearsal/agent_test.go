package rehearsal_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"podium.local/rehearsal"
)

// agent is the least a client of a wire can be: it keeps a history in the
// wire's own form and asks.
type agent struct {
	wire               rehearsal.Wire
	url, model, system string
	history            []any
	pending            []call // calls without result
}

func newAgent(wire rehearsal.Wire, url, model, system string) *agent {
	return &agent{wire: wire, url: url, model: model, system: system}
}

func (a *agent) user(text string) {
	a.history = append(a.history, map[string]any{"role": "user", "content": text})
}

func (a *agent) result(id, text string) {
	switch a.wire {
	case rehearsal.WireAnthropic:
		block := map[string]any{"type": "tool_result", "tool_use_id": id, "content": text}
		// All results of a round stand in one message.
		if last := a.history[len(a.history)-1].(map[string]any); last["role"] == "user" {
			last["content"] = append(last["content"].([]any), block)
			return
		}
		a.history = append(a.history, map[string]any{"role": "user", "content": []any{block}})
	case rehearsal.WireResponses:
		a.history = append(a.history, map[string]any{"type": "function_call_output", "call_id": id, "output": text})
	default:
		a.history = append(a.history, map[string]any{"role": "tool", "tool_call_id": id, "content": text})
	}
}

// ask sends the history and takes the answer into it. What was heard comes
// back as lines: "< text", "< Tool {arguments}" or "! status".
func (a *agent) ask(t *testing.T) (lines []string) {
	t.Helper()
	body := map[string]any{"model": a.model, "stream": true}
	path := ""
	switch a.wire {
	case rehearsal.WireAnthropic:
		path, body["system"], body["max_tokens"], body["messages"] = "/v1/messages", a.system, 4096, a.history
	case rehearsal.WireResponses:
		path, body["instructions"], body["input"] = "/v1/responses", a.system, a.history
	default:
		path = "/v1/chat/completions"
		body["messages"] = append([]any{map[string]any{"role": "system", "content": a.system}}, a.history...)
	}
	b, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	got := post(t, a.url+path, string(b))
	if got.err != nil {
		t.Fatal(got.err)
	}
	if got.status != 200 {
		return []string{fmt.Sprintf("! %d", got.status)}
	}
	h := listen(t, a.wire, got.body)
	if !h.ended {
		t.Fatalf("the answer has no end: %s", got.body)
	}
	if h.text != "" {
		lines = append(lines, "< "+h.text)
	}
	for _, c := range h.calls {
		lines = append(lines, fmt.Sprintf("< %s %s", c.name, c.arguments))
	}
	a.answered(h)
	a.pending = append(a.pending, h.calls...)
	return lines
}

// answered takes an answer into the history, without its reasoning.
func (a *agent) answered(h heard) {
	switch a.wire {
	case rehearsal.WireAnthropic:
		var content []any
		if h.text != "" {
			content = append(content, map[string]any{"type": "text", "text": h.text})
		}
		for _, c := range h.calls {
			content = append(content, map[string]any{"type": "tool_use", "id": c.id, "name": c.name, "input": json.RawMessage(c.arguments)})
		}
		a.history = append(a.history, map[string]any{"role": "assistant", "content": content})
	case rehearsal.WireResponses:
		if h.text != "" {
			a.history = append(a.history, map[string]any{"role": "assistant", "content": h.text})
		}
		for _, c := range h.calls {
			a.history = append(a.history, map[string]any{"type": "function_call", "call_id": c.id, "name": c.name, "arguments": c.arguments})
		}
	default:
		m := map[string]any{"role": "assistant", "content": h.text}
		var calls []any
		for _, c := range h.calls {
			calls = append(calls, map[string]any{"id": c.id, "type": "function", "function": map[string]any{"name": c.name, "arguments": c.arguments}})
		}
		if calls != nil {
			m["tool_calls"] = calls
		}
		a.history = append(a.history, m)
	}
}
