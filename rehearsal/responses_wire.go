package rehearsal

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// responsesEncoder writes the Responses wire.
type responsesEncoder struct {
	*answer
	sequence int
	// output are the items finished so far.
	output []object
}

// event writes one event with the next sequence number. The vendor sorts the
// members behind the type.
func (e *responsesEncoder) event(w *events, name string, members ...member) {
	data := append(object{{"type", name}}, members...)
	data = append(data, member{"sequence_number", e.sequence})
	slices.SortFunc(data[1:], func(a, b member) int { return strings.Compare(a.key, b.key) })
	e.sequence++
	w.named(name, data)
}

// echoed is a field of the request as it was sent, or what the vendor fills in.
func (e *responsesEncoder) echoed(key string, otherwise any) any {
	if raw, ok := e.prompt.echo[key]; ok && !isNull(raw) {
		var compact bytes.Buffer
		if json.Compact(&compact, raw) == nil {
			return json.RawMessage(compact.Bytes())
		}
	}
	return otherwise
}

// response is the response object in the given status.
func (e *responsesEncoder) response(status string, failure any) object {
	var incomplete, completed, usage any
	switch status {
	case "incomplete":
		reason := "max_output_tokens"
		if e.stop == StopFilter {
			reason = "content_filter"
		}
		incomplete = object{{"reason", reason}}
	case "completed":
		completed = e.created.Unix()
	}
	tier := "default"
	if status == "in_progress" {
		tier = "auto"
	}
	if (status == "completed" || status == "incomplete") && !e.usage.Omit {
		usage = e.tokens()
	}
	output := e.output
	if output == nil {
		output = []object{}
	}
	return object{
		{"id", e.ids.name("resp_0", 0, 49)}, {"object", "response"}, {"created_at", e.created.Unix()},
		{"status", status}, {"background", false}, {"completed_at", completed},
		{"error", failure}, {"frequency_penalty", json.RawMessage("0.0")}, {"incomplete_details", incomplete},
		{"instructions", e.echoed("instructions", nil)},
		{"max_output_tokens", e.echoed("max_output_tokens", nil)}, {"max_tool_calls", nil},
		{"model", e.prompt.model}, {"output", output},
		{"parallel_tool_calls", e.echoed("parallel_tool_calls", true)}, {"presence_penalty", json.RawMessage("0.0")},
		{"previous_response_id", nil}, {"prompt_cache_key", e.echoed("prompt_cache_key", nil)}, {"prompt_cache_retention", nil},
		{"reasoning", e.echoed("reasoning", object{{"effort", nil}, {"summary", nil}})},
		{"safety_identifier", nil}, {"service_tier", tier}, {"store", e.echoed("store", true)},
		{"temperature", e.echoed("temperature", json.RawMessage("1.0"))},
		{"text", e.echoed("text", object{{"format", object{{"type", "text"}}}, {"verbosity", "medium"}})},
		{"tool_choice", e.echoed("tool_choice", "auto")}, {"tools", e.echoed("tools", []any{})},
		{"top_logprobs", 0}, {"top_p", e.echoed("top_p", json.RawMessage("1.0"))}, {"truncation", "disabled"},
		{"usage", usage}, {"user", nil}, {"metadata", e.echoed("metadata", object{})},
	}
}

func (e *responsesEncoder) tokens() object {
	u := e.usage
	return object{
		{"input_tokens", u.Input}, {"input_tokens_details", object{{"cached_tokens", u.CacheRead}, {"cache_write_tokens", u.CacheWrite}}},
		{"output_tokens", u.Output}, {"output_tokens_details", object{{"reasoning_tokens", u.Reasoning}}},
		{"total_tokens", u.Input + u.Output},
	}
}

// finalStatus is the status of the whole answer, and the event that ends it.
func (e *responsesEncoder) finalStatus() string {
	if e.stop == StopMaxTokens || e.stop == StopFilter {
		return "incomplete"
	}
	return "completed"
}

func (e *responsesEncoder) itemID(p part) string {
	switch p.kind {
	case partReasoning:
		return e.ids.reasoningItem(p.n)
	case partCall:
		return e.ids.functionCall(p.n, p.after)
	default:
		return e.ids.name("msg_0", p.n, 49)
	}
}

// item is an output item, whole or as it looks when it starts.
func (e *responsesEncoder) item(p part, empty bool) object {
	status := "completed"
	if empty {
		status = "in_progress"
	}
	switch p.kind {
	case partReasoning:
		summary := []object{}
		if !empty && p.text != "" {
			summary = append(summary, summaryText(p.text))
		}
		item := object{{"id", e.itemID(p)}, {"type", "reasoning"}}
		if e.prompt.sealed {
			item = append(item, member{"encrypted_content", seal(e.itemID(p) + status)})
		}
		return append(item, member{"summary", summary})
	case partCall:
		arguments := p.text
		if empty {
			arguments = ""
		}
		return object{
			{"id", e.itemID(p)}, {"type", "function_call"}, {"status", status},
			{"arguments", arguments}, {"call_id", e.ids.name("call_", p.n, 24)}, {"name", p.name},
		}
	default:
		content := []object{}
		if !empty {
			content = append(content, e.content(p.text))
		}
		return object{
			{"id", e.itemID(p)}, {"type", "message"}, {"status", status}, {"content", content}, {"role", "assistant"},
		}
	}
}

func summaryText(text string) object { return object{{"type", "summary_text"}, {"text", text}} }

// content is a content part of a message.
func (e *responsesEncoder) content(text string) object {
	if e.refused() {
		return object{{"type", "refusal"}, {"refusal", text}}
	}
	return object{{"type", "output_text"}, {"annotations", []any{}}, {"logprobs", []any{}}, {"text", text}}
}

func (e *responsesEncoder) open(w *events) {
	e.event(w, "response.created", member{"response", e.response("in_progress", nil)})
	e.event(w, "response.in_progress", member{"response", e.response("in_progress", nil)})
}

// at are the members that say where in the output an event belongs.
func (e *responsesEncoder) at(i int, p part, index string) object {
	return object{{"item_id", e.itemID(p)}, {"output_index", i}, {index, 0}}
}

func (e *responsesEncoder) start(w *events, i int, p part) {
	e.event(w, "response.output_item.added", member{"output_index", i}, member{"item", e.item(p, true)})
	switch {
	case p.kind == partReasoning && p.text != "":
		e.event(w, "response.reasoning_summary_part.added", append(e.at(i, p, "summary_index"), member{"part", summaryText("")})...)
	case p.kind == partText:
		e.event(w, "response.content_part.added", append(e.at(i, p, "content_index"), member{"part", e.content("")})...)
	}
}

func (e *responsesEncoder) delta(w *events, i int, p part, piece string) {
	members := object{{"delta", piece}}
	if e.prompt.padded {
		members = append(members, member{"obfuscation", e.ids.padding(e.sequence, piece)})
	}
	switch {
	case p.kind == partReasoning:
		e.event(w, "response.reasoning_summary_text.delta", append(members, e.at(i, p, "summary_index")...)...)
	case p.kind == partCall:
		e.event(w, "response.function_call_arguments.delta", append(members, member{"item_id", e.itemID(p)}, member{"output_index", i})...)
	case e.refused():
		e.event(w, "response.refusal.delta", append(members, e.at(i, p, "content_index")...)...)
	default:
		members = append(members, member{"logprobs", []any{}})
		e.event(w, "response.output_text.delta", append(members, e.at(i, p, "content_index")...)...)
	}
}

func (e *responsesEncoder) done(w *events, i int, p part) {
	switch {
	case p.kind == partReasoning && p.text != "":
		e.event(w, "response.reasoning_summary_text.done", append(e.at(i, p, "summary_index"), member{"text", p.text})...)
		e.event(w, "response.reasoning_summary_part.done", append(e.at(i, p, "summary_index"), member{"part", summaryText(p.text)})...)
	case p.kind == partCall:
		e.event(w, "response.function_call_arguments.done",
			member{"item_id", e.itemID(p)}, member{"output_index", i}, member{"arguments", p.text})
	case p.kind == partText:
		if e.refused() {
			e.event(w, "response.refusal.done", append(e.at(i, p, "content_index"), member{"refusal", p.text})...)
		} else {
			e.event(w, "response.output_text.done", append(e.at(i, p, "content_index"), member{"text", p.text}, member{"logprobs", []any{}})...)
		}
		e.event(w, "response.content_part.done", append(e.at(i, p, "content_index"), member{"part", e.content(p.text)})...)
	}
	item := e.item(p, false)
	e.output = append(e.output, item)
	e.event(w, "response.output_item.done", member{"output_index", i}, member{"item", item})
}

func (e *responsesEncoder) close(w *events) {
	status := e.finalStatus()
	e.event(w, "response."+status, member{"response", e.response(status, nil)})
}

// fail writes what the vendor sends when an answer breaks: an error event that
// holds an error object, then response.failed. The documentation has the error
// event flat, and some servers send it so.
func (e *responsesEncoder) fail(w *events, r refusal, kind FaultKind) {
	r = WireResponses.usual(r)
	if r.code == "" {
		r.code = "server_error"
	}
	switch kind {
	case FaultErrorFlat:
		e.event(w, "error", member{"code", r.code}, member{"message", r.message}, member{"param", orNull(r.param)})
		return
	case FaultFailed:
	default:
		e.event(w, "error", member{"error", object{
			{"type", r.kind}, {"code", r.code}, {"message", r.message}, {"param", orNull(r.param)},
		}})
	}
	e.event(w, "response.failed", member{"response", e.response("failed", object{{"code", r.code}, {"message", r.message}})})
}

func (e *responsesEncoder) ping(w *events) { w.WriteString(": keep-alive\n\n") }

func (e *responsesEncoder) whole() object {
	e.output = nil
	for _, p := range e.parts {
		e.output = append(e.output, e.item(p, false))
	}
	return e.response(e.finalStatus(), nil)
}
