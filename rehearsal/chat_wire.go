package rehearsal

// chatEncoder writes the chat completions wire.
type chatEncoder struct {
	*answer
	chunks int
}

func (e *chatEncoder) head(kind string) object {
	return object{
		{"id", e.ids.name("chatcmpl-", 0, 29)}, {"object", kind}, {"created", e.created.Unix()},
		{"model", e.prompt.model},
	}
}

// chunk is one event with the piece of text that delta holds; finish is nil
// before the last.
func (e *chatEncoder) chunk(w *events, delta object, piece string, finish any) {
	chunk := append(e.head("chat.completion.chunk"),
		member{"service_tier", "default"}, member{"system_fingerprint", nil},
		member{"choices", []object{{{"index", 0}, {"delta", delta}, {"logprobs", nil}, {"finish_reason", finish}}}})
	// The vendor writes usage as null in all chunks but the last, and only when
	// usage was asked for.
	if e.prompt.withUsage {
		chunk = append(chunk, member{"usage", nil})
	}
	if e.prompt.padded {
		chunk = append(chunk, member{"obfuscation", e.ids.padding(e.chunks, piece)})
	}
	e.chunks++
	w.data(chunk)
}

func (e *chatEncoder) open(w *events) {
	var content any = ""
	if len(e.parts) > 0 && e.texts(partText) == "" {
		content = nil
	}
	e.chunk(w, object{{"role", "assistant"}, {"content", content}, {"refusal", nil}}, "", nil)
}

func (e *chatEncoder) start(w *events, _ int, p part) {
	if p.kind != partCall {
		return
	}
	e.chunk(w, object{{"tool_calls", []object{{
		{"index", p.n}, {"id", e.callID(p)}, {"type", "function"},
		{"function", object{{"name", p.name}, {"arguments", ""}}},
	}}}}, "", nil)
}

func (e *chatEncoder) callID(p part) string { return e.ids.name("call_", p.n, 24) }

func (e *chatEncoder) delta(w *events, _ int, p part, piece string) {
	switch {
	case p.kind == partCall:
		e.chunk(w, object{{"tool_calls", []object{{{"index", p.n}, {"function", object{{"arguments", piece}}}}}}}, piece, nil)
	case p.kind == partReasoning && e.reasoningField == "none":
	case p.kind == partReasoning:
		e.chunk(w, object{{e.reasoningKey(), piece}}, piece, nil)
	case e.refused():
		e.chunk(w, object{{"refusal", piece}}, piece, nil)
	default:
		e.chunk(w, object{{"content", piece}}, piece, nil)
	}
}

func (e *chatEncoder) reasoningKey() string {
	if e.reasoningField == "" {
		return "reasoning_content"
	}
	return e.reasoningField
}

func (e *chatEncoder) done(*events, int, part) {}

func (e *chatEncoder) finishReason() string {
	switch e.stop {
	case StopToolCalls:
		return "tool_calls"
	case StopMaxTokens:
		return "length"
	case StopFilter:
		return "content_filter"
	default:
		return "stop"
	}
}

func (e *chatEncoder) tokens() object {
	u := e.usage
	input := object{{"cached_tokens", u.CacheRead}, {"audio_tokens", 0}}
	if u.CacheWrite > 0 {
		input = append(input, member{"cache_write_tokens", u.CacheWrite})
	}
	return object{
		{"prompt_tokens", u.Input}, {"completion_tokens", u.Output}, {"total_tokens", u.Input + u.Output},
		{"prompt_tokens_details", input},
		{"completion_tokens_details", object{
			{"reasoning_tokens", u.Reasoning}, {"audio_tokens", 0},
			{"accepted_prediction_tokens", 0}, {"rejected_prediction_tokens", 0},
		}},
	}
}

func (e *chatEncoder) close(w *events) {
	e.chunk(w, object{}, "", e.finishReason())
	if e.prompt.withUsage && !e.usage.Omit {
		w.data(append(e.head("chat.completion.chunk"),
			member{"service_tier", "default"}, member{"system_fingerprint", nil},
			member{"choices", []object{}}, member{"usage", e.tokens()}))
	}
	w.WriteString("data: [DONE]\n\n")
}

func (e *chatEncoder) fail(w *events, r refusal, _ FaultKind) {
	w.data(WireChat.body(r, ""))
}

func (e *chatEncoder) ping(w *events) { w.WriteString(": keep-alive\n\n") }

func (e *chatEncoder) whole() object {
	text := e.texts(partText)
	var content, refusal any = text, nil
	switch {
	case e.refused():
		content, refusal = nil, text
	case text == "" && e.stop == StopToolCalls:
		content = nil
	}
	message := object{{"role", "assistant"}, {"content", content}, {"refusal", refusal}, {"annotations", []any{}}}
	if thoughts := e.texts(partReasoning); thoughts != "" && e.reasoningField != "none" {
		message = append(message, member{e.reasoningKey(), thoughts})
	}
	var calls []object
	for _, p := range e.parts {
		if p.kind == partCall {
			calls = append(calls, object{
				{"id", e.callID(p)}, {"type", "function"},
				{"function", object{{"name", p.name}, {"arguments", p.text}}},
			})
		}
	}
	if calls != nil {
		message = append(message, member{"tool_calls", calls})
	}
	doc := append(e.head("chat.completion"), member{"choices", []object{{
		{"index", 0}, {"message", message}, {"logprobs", nil}, {"finish_reason", e.finishReason()},
	}}})
	if !e.usage.Omit {
		doc = append(doc, member{"usage", e.tokens()})
	}
	return append(doc, member{"service_tier", "default"}, member{"system_fingerprint", nil})
}
