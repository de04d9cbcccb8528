package rehearsal

import "encoding/json"

// anthropicEncoder writes the Messages wire.
type anthropicEncoder struct {
	*answer
	pinged bool
}

func (e *anthropicEncoder) message(content any, stop any, usage object) object {
	return object{
		{"model", e.prompt.model}, {"id", e.ids.name("msg_01", 0, 22)}, {"type", "message"}, {"role", "assistant"},
		{"content", content}, {"stop_reason", stop}, {"stop_sequence", nil}, {"stop_details", nil}, {"usage", usage},
	}
}

// startUsage is the usage of a whole message or of one that begins.
func (e *anthropicEncoder) startUsage(output int) object {
	return append(e.inputUsage(),
		member{"cache_creation", object{{"ephemeral_5m_input_tokens", e.usage.CacheWrite}, {"ephemeral_1h_input_tokens", 0}}},
		member{"output_tokens", output}, member{"service_tier", "standard"}, member{"inference_geo", "global"})
}

// inputUsage counts the prompt as this vendor does: input_tokens is what no
// cache held.
func (e *anthropicEncoder) inputUsage() object {
	u := e.usage
	return object{
		{"input_tokens", u.Input - u.CacheRead - u.CacheWrite},
		{"cache_creation_input_tokens", u.CacheWrite},
		{"cache_read_input_tokens", u.CacheRead},
	}
}

func (e *anthropicEncoder) stopReason() string {
	switch e.stop {
	case StopToolCalls:
		return "tool_use"
	case StopMaxTokens:
		return "max_tokens"
	case StopRefusal, StopFilter:
		return "refusal"
	default:
		return "end_turn"
	}
}

func (e *anthropicEncoder) open(w *events) {
	w.named("message_start", object{
		{"type", "message_start"}, {"message", e.message([]any{}, nil, e.startUsage(min(1, e.usage.Output)))},
	})
}

// block is a content block, with its text or as it looks when it starts.
func (e *anthropicEncoder) block(p part, empty bool) object {
	text, sign := p.text, signature(p.text)
	if empty {
		text, sign = "", ""
	}
	switch p.kind {
	case partReasoning:
		return object{{"type", "thinking"}, {"thinking", text}, {"signature", sign}}
	case partCall:
		input := json.RawMessage(text)
		if empty || !json.Valid(input) {
			input = json.RawMessage("{}")
		}
		return object{
			{"type", "tool_use"}, {"id", e.ids.toolUse(p.n, p.after >= 0)}, {"name", p.name}, {"input", input},
			{"caller", object{{"type", "direct"}}},
		}
	default:
		return object{{"type", "text"}, {"text", text}}
	}
}

func (e *anthropicEncoder) start(w *events, i int, p part) {
	w.named("content_block_start", object{
		{"type", "content_block_start"}, {"index", i}, {"content_block", e.block(p, true)},
	})
	if !e.pinged {
		e.pinged = true
		e.ping(w)
	}
	// The vendor opens a call's arguments with an empty fragment; a call without
	// arguments has no other.
	if p.kind == partCall {
		e.blockDelta(w, i, "input_json_delta", "partial_json", "")
	}
}

func (e *anthropicEncoder) blockDelta(w *events, i int, kind, field, piece string) {
	w.named("content_block_delta", object{
		{"type", "content_block_delta"}, {"index", i}, {"delta", object{{"type", kind}, {field, piece}}},
	})
}

func (e *anthropicEncoder) delta(w *events, i int, p part, piece string) {
	switch p.kind {
	case partReasoning:
		e.blockDelta(w, i, "thinking_delta", "thinking", piece)
	case partCall:
		e.blockDelta(w, i, "input_json_delta", "partial_json", piece)
	default:
		e.blockDelta(w, i, "text_delta", "text", piece)
	}
}

func (e *anthropicEncoder) done(w *events, i int, p part) {
	if p.kind == partReasoning {
		e.blockDelta(w, i, "signature_delta", "signature", signature(p.text))
	}
	w.named("content_block_stop", object{{"type", "content_block_stop"}, {"index", i}})
}

func (e *anthropicEncoder) close(w *events) {
	end := object{
		{"type", "message_delta"}, {"delta", object{{"stop_reason", e.stopReason()}, {"stop_sequence", nil}, {"stop_details", nil}}},
	}
	if !e.usage.Omit {
		end = append(end, member{"usage", append(e.inputUsage(),
			member{"output_tokens", e.usage.Output},
			member{"output_tokens_details", object{{"thinking_tokens", e.usage.Reasoning}}})})
	}
	w.named("message_delta", end)
	w.named("message_stop", object{{"type", "message_stop"}})
}

func (e *anthropicEncoder) fail(w *events, r refusal, _ FaultKind) {
	r = WireAnthropic.usual(r)
	w.named("error", object{{"type", "error"}, {"error", object{{"type", r.kind}, {"message", r.message}}}})
}

func (e *anthropicEncoder) ping(w *events) {
	w.named("ping", object{{"type", "ping"}})
}

func (e *anthropicEncoder) whole() object {
	content := make([]object, len(e.parts))
	for i, p := range e.parts {
		content[i] = e.block(p, false)
	}
	return e.message(content, e.stopReason(), e.startUsage(e.usage.Output))
}
