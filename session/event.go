package session

import (
	"podium.local/protocol"
)

// Event renders the one durable event that the entry stands for, for an
// extended client and with its seq; ok is false for entries that are no
// event.
func Event(e Entry) (ev protocol.Event, ok bool, err error) {
	payload, err := e.Decode()
	if err != nil {
		return protocol.Event{}, false, err
	}
	var data protocol.EventData
	switch p := payload.(type) {
	case Input:
		data = protocol.UserInput{Text: p.Text, Kind: p.Kind, Client: p.Client, EntryID: e.ID}
	case Text:
		data = protocol.TextDone{Text: p.Text, EntryID: e.ID}
	case Reasoning:
		data = protocol.ReasoningDone{Text: p.Text, EntryID: e.ID}
	case ToolCall:
		data = protocol.ToolCallDone{ID: p.CallID, Name: p.Name, Arguments: protocol.CanonicalArguments(string(p.Arguments)), EntryID: e.ID}
	case ToolResult:
		data = toolResultEvent(p, e.ID)
	case TurnEnd:
		data = protocol.TurnEnd{Turn: p.Turn, Result: protocol.TurnFinished, EntryID: e.ID}
	case RunEnd:
		data = protocol.RunEnd{Result: p.Result, Error: p.Error, EntryID: e.ID}
	case Compaction:
		id, err := protocol.ParseSessionID(p.NewSession)
		if err != nil {
			return protocol.Event{}, false, e.fault(err)
		}
		data = protocol.CompactDone{NewSessionID: id, EntryID: e.ID}
	default:
		return protocol.Event{}, false, nil
	}
	return protocol.Event{Data: data, Seq: e.Seq}, true, nil
}

func toolResultEvent(r ToolResult, entryID string) protocol.ToolResult {
	ev := protocol.ToolResult{ID: r.CallID, Output: r.Output(), IsError: r.IsError, EntryID: entryID}
	if r.Content != "" {
		ev.Summary = &r.Summary
	}
	return ev
}

// Output is the whole result as the model reads it.
func (r ToolResult) Output() string {
	if r.Content == "" {
		return r.Summary
	}
	return r.Summary + "\n" + r.Content
}

// Passing renders the events that go before the entry's durable event when it
// is first shown and that are not repeated later: the usage of a turn or of
// an answer that was cut off, and the error that ends a run. contextLimit is
// what the model holds, nil unknown.
func Passing(e Entry, contextLimit *uint64) ([]protocol.Event, error) {
	payload, err := e.Decode()
	if err != nil {
		return nil, err
	}
	var events []protocol.Event
	add := func(data protocol.EventData) { events = append(events, protocol.Event{Data: data}) }
	switch p := payload.(type) {
	case TurnEnd:
		if p.Usage != nil {
			add(p.Usage.Event(contextLimit))
		}
	case RunEnd:
		if u := p.Usage; u != nil && (u.InputTokens != nil || u.OutputTokens != nil) {
			add(p.Usage.Event(contextLimit))
		}
		switch p.Result {
		case protocol.RunCancelled, protocol.RunRolledBack:
			add(protocol.Error{Code: protocol.CodeInternal, Message: Cancelled})
		case protocol.RunFailed:
			add(protocol.Error{Code: p.Code, Message: p.Error})
		}
	}
	return events, nil
}

// Cancelled is the fixed message of the error that ends a cancelled run.
const Cancelled = "Cancelled"

// Event is the wire's usage of one request.
func (u Usage) Event(contextLimit *uint64) protocol.Usage {
	ev := protocol.Usage{
		InputTokens:  unsigned(u.InputTokens),
		OutputTokens: unsigned(u.OutputTokens),
		Extra: &protocol.UsageExtra{
			CacheReadTokens:  uint64(max(0, u.CacheReadTokens)),
			CacheWriteTokens: uint64(max(0, u.CacheWriteTokens)),
			ReasoningTokens:  uint64(max(0, u.ReasoningTokens)),
			CostUSD:          u.CostUSD,
			ContextLimit:     contextLimit,
		},
	}
	for _, n := range []*uint64{ev.InputTokens, ev.OutputTokens} {
		if n != nil {
			ev.Extra.ContextTokens += *n
		}
	}
	return ev
}

// unsigned keeps nil for unknown and takes a nonsensical negative for it.
func unsigned(n *int64) *uint64 {
	if n == nil || *n < 0 {
		return nil
	}
	u := uint64(*n)
	return &u
}
