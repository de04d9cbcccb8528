package pod

import (
	"encoding/json"

	"podium.local/llm"
	"podium.local/protocol"
	"podium.local/session"
)

// answer is one model answer as it comes in.
type answer struct {
	p     *Pod
	open  *block
	calls []session.ToolCall
	usage llm.Usage
	stop  llm.StopReason
	// begun says that something of it came, shown that this reached the log or the
	// clients, after which it cannot be asked for again.
	begun, shown bool
	finished     bool
	turnEnd      session.TurnEnd
}

// turn is one model request: it is announced, streamed, and its finished
// blocks are in the log when it returns. errStopped means that somebody
// stopped the run; the blocks of an answer that did not finish stay.
func (r *run) turn() (*answer, error) {
	p := r.p
	number := p.turnNumber()
	p.hub.update(nil, protocol.Event{Data: protocol.TurnStart{Turn: number}})
	a, err := r.request(p.modelRequest(r.hist))
	r.visible = r.visible || a.shown || a.finished
	if err != nil {
		return a, err
	}
	a.turnEnd = session.TurnEnd{
		Turn: number, Model: p.o.Model, Usage: p.priced(a.usage), StopReason: string(a.stop),
	}
	if a.stop == llm.StopMaxTokens {
		p.hub.notify(protocol.Notification{
			Level: protocol.LevelWarn, Source: protocol.SourceWorker,
			Message: "the model stopped at its limit of output tokens: its answer is cut off",
		})
	}
	return a, nil
}

// take works on one delta.
func (a *answer) take(r *run, d llm.Delta) error {
	a.begun = true
	switch d := d.(type) {
	case llm.BlockStart:
		return a.start(r, d)
	case llm.BlockDelta:
		if a.open == nil {
			return &llm.Error{Kind: llm.ErrorStream, Message: "the stream has text outside a block"}
		}
		a.shown = a.shown || d.Text != ""
		a.p.hub.delta(a.open, d.Text)
	case llm.BlockStop:
		return a.finish(r, d)
	case llm.UsageReport:
		a.usage.Merge(d.Usage)
	case llm.Finish:
		if a.open != nil {
			return unfinished()
		}
		a.stop, a.finished = d.Reason, true
	}
	return nil
}

func (a *answer) start(r *run, d llm.BlockStart) error {
	if a.open != nil {
		return &llm.Error{Kind: llm.ErrorStream, Message: "the stream opens a block inside another"}
	}
	a.open = &block{kind: protocol.BlockKind(d.Kind), id: d.ID, name: d.Name}
	if d.Kind != llm.BlockToolCall {
		a.p.hub.start(a.open)
		return nil
	}
	a.open.id = a.uniqueID(d.ID)
	a.shown = true
	a.p.hub.start(a.open, protocol.Event{Data: protocol.ToolCallStart{ID: a.open.id, Name: d.Name}})
	return nil
}

// uniqueID keeps the vendor's id of a call when no other call of this answer
// has it: results are matched by it.
func (a *answer) uniqueID(id string) string {
	for _, c := range a.calls {
		if c.CallID == id {
			id = ""
		}
	}
	if id == "" {
		return "call_" + protocol.NewEntryID()
	}
	return id
}

// finish commits a finished block and then shows that it is done.
func (a *answer) finish(r *run, d llm.BlockStop) error {
	b := a.open
	if b == nil {
		return &llm.Error{Kind: llm.ErrorStream, Message: "the stream closes a block that is not open"}
	}
	a.open = nil
	entry := session.NewEntry{ID: protocol.NewEntryID()}
	text := string(b.text)
	switch b.kind {
	case protocol.BlockToolCall:
		call := session.ToolCall{
			CallID: b.id, Name: b.name, Arguments: json.RawMessage(protocol.CanonicalArguments(text)),
		}
		a.calls = append(a.calls, call)
		entry.Kind, entry.Payload = session.KindToolCall, call
	case protocol.BlockReasoning:
		if len(d.Opaque) == 0 {
			d.Opaque = nil
		}
		if text == "" && d.Opaque == nil {
			return a.showEmpty(b, protocol.ReasoningDone{})
		}
		entry.Kind, entry.Payload = session.KindReasoning, session.Reasoning{Text: text, Opaque: d.Opaque}
	default:
		if text == "" {
			return a.showEmpty(b, protocol.TextDone{})
		}
		entry.Kind, entry.Payload = session.KindText, session.Text{Text: text}
	}
	a.shown = true
	return r.say(step{entries: []session.NewEntry{entry}, done: b})
}

// showEmpty closes a block that holds nothing: the event alone.
func (a *answer) showEmpty(b *block, done protocol.EventData) error {
	a.p.hub.update(func(v *view) { v.closeBlocks(b, nil) }, protocol.Event{Data: done})
	return nil
}

// discard drops the open block.
func (a *answer) discard() {
	if a.open != nil {
		a.p.hub.update(func(v *view) { v.closeBlocks(a.open, nil) })
		a.open = nil
	}
}

// spent is the usage of an answer that did not become complete. What its
// vendor takes for it is not known: the tokens are those reported by then, and
// there is no cost. nil when the vendor refused the request, so that there is
// nothing to pay.
func (a *answer) spent(stopped bool) *session.Usage {
	if a == nil || !a.begun && !stopped {
		return nil
	}
	return brokenOff(a.usage)
}

// brokenOff is the stored form of what was reported for a request that has no
// end.
func brokenOff(u llm.Usage) *session.Usage {
	if out := priced(nil, "", u); out != nil {
		return out
	}
	return &session.Usage{}
}

// priced is the stored form of what a vendor reported, with its cost when the
// model has a known price; nil when nothing was reported.
func (p *Pod) priced(u llm.Usage) *session.Usage { return priced(p.o.Price, p.o.Model, u) }

func priced(price func(string, session.Usage) (float64, string, bool), model string, u llm.Usage) *session.Usage {
	if u == (llm.Usage{}) {
		return nil
	}
	value := func(n *int64) int64 {
		if n == nil {
			return 0
		}
		return *n
	}
	out := &session.Usage{
		InputTokens: u.Input, OutputTokens: u.Output,
		CacheReadTokens: value(u.CacheRead), CacheWriteTokens: value(u.CacheWrite), ReasoningTokens: value(u.Reasoning),
	}
	if price != nil {
		if usd, source, ok := price(model, *out); ok {
			out.CostUSD, out.PriceSource = &usd, source
		}
	}
	return out
}

// modelRequest is what the model is asked: the system prompt and the
// conversation as the log has it.
func (p *Pod) modelRequest(h *session.History) llm.Request {
	req := llm.Request{
		Model: p.o.Model, System: p.system, Tools: p.toolSpecs,
		MaxTokens: p.o.MaxTokens, Temperature: p.o.Temperature, Effort: p.o.Effort,
		CacheKey: p.sessionID(),
	}
	o := p.o.Compaction
	for _, i := range session.Prune(h.Conversation(), o.PruneProtected, o.PruneMinSavings) {
		role, b := llm.RoleUser, llm.Block(nil)
		switch i.Kind {
		case session.KindToolCall:
			role, b = llm.RoleAssistant, llm.ToolCall{ID: i.Call.CallID, Name: i.Call.Name, Arguments: i.Call.Arguments}
		case session.KindToolResult:
			b = llm.ToolResult{CallID: i.Result.CallID, Text: i.Result.Output(), IsError: i.Result.IsError}
		case session.KindReasoning:
			role, b = llm.RoleAssistant, llm.Reasoning{Text: i.Text, Opaque: i.Opaque}
		case session.KindText:
			role, b = llm.RoleAssistant, llm.Text{Text: i.Text}
		case session.KindSystem:
			role, b = llm.RoleSystem, llm.Text{Text: i.Text}
		default:
			role, b = llm.Role(i.Role), llm.Text{Text: i.Text}
		}
		req.Messages = appendBlock(req.Messages, role, b)
	}
	return req
}

// appendBlock joins blocks of one side into one message.
func appendBlock(messages []llm.Message, role llm.Role, b llm.Block) []llm.Message {
	if n := len(messages) - 1; n >= 0 && messages[n].Role == role {
		messages[n].Blocks = append(messages[n].Blocks, b)
		return messages
	}
	return append(messages, llm.Message{Role: role, Blocks: []llm.Block{b}})
}

// unfinished is the error of an answer whose stream just stopped.
func unfinished() error {
	return &llm.Error{Kind: llm.ErrorStream, Message: "the stream ended before the answer was complete"}
}
