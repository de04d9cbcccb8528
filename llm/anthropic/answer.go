package anthropic

import (
	"encoding/json"
	"errors"

	sdk "github.com/anthropics/anthropic-sdk-go/v2"

	"podium.local/llm"
	"podium.local/llm/internal/vendor"
)

// answer reads the events of one stream.
type answer struct {
	endpoint *vendor.Endpoint
	usage    usage
	// open is the block that has begun and not stopped.
	open  *block
	calls bool
	stop  sdk.StopReason
	// finished is set by message_stop.
	finished bool
}

// block is an open content block. Kinds we have no use for stay open without
// having been announced.
type block struct {
	announced bool
	proof     proof
	// input is a call's arguments as far as they came with the block's start;
	// streamed says that fragments followed, which then are the whole.
	input    string
	streamed bool
}

// read turns one event into deltas. An error ends the answer; the deltas before
// it still count.
func (a *answer) read(data []byte) ([]llm.Delta, error) {
	if len(data) == 0 {
		return nil, nil
	}
	var kind struct {
		Type string `json:"type"`
	}
	if err := json.Unmarshal(data, &kind); err != nil {
		return nil, a.endpoint.Malformed(err)
	}
	switch kind.Type {
	case "ping":
		return nil, nil
	case "error":
		return nil, a.endpoint.Complain(vendor.ParseComplaint(data))
	}
	var ev sdk.MessageStreamEventUnion
	if err := json.Unmarshal(data, &ev); err != nil {
		return nil, a.endpoint.Malformed(err)
	}
	switch ev.Type {
	case "message_start":
		return a.usage.report(startTokens(ev.Message.Usage)), nil
	case "content_block_start":
		return a.start(ev.ContentBlock)
	case "content_block_delta":
		return a.delta(ev.Delta)
	case "content_block_stop":
		return a.close(), nil
	case "message_delta":
		if ev.Delta.StopReason != "" {
			a.stop = ev.Delta.StopReason
		}
		return a.usage.report(deltaTokens(ev.Usage)), nil
	case "message_stop":
		a.finished = true
		return append(a.close(), llm.Finish{Reason: a.reason()}), nil
	default:
		return nil, nil // the vendor may add events
	}
}

func (a *answer) start(b sdk.ContentBlockStartEventContentBlockUnion) ([]llm.Delta, error) {
	if a.open != nil {
		return nil, a.endpoint.Malformed(errors.New("a content block begins before the last one has ended"))
	}
	a.open = &block{}
	switch b.Type {
	case "text":
		return a.announce(llm.BlockStart{Kind: llm.BlockText}, b.Text), nil
	case "thinking":
		a.open.proof.Signature = b.Signature
		return a.announce(llm.BlockStart{Kind: llm.BlockReasoning}, b.Thinking), nil
	case "redacted_thinking":
		a.open.proof.Redacted = b.Data
		return a.announce(llm.BlockStart{Kind: llm.BlockReasoning}, ""), nil
	case "tool_use":
		a.calls = true
		if raw := b.JSON.Input.Raw(); raw != "" && raw != "{}" && raw != "null" {
			a.open.input = raw
		}
		return a.announce(llm.BlockStart{Kind: llm.BlockToolCall, ID: b.ID, Name: b.Name}, ""), nil
	default:
		return nil, nil
	}
}

func (a *answer) announce(start llm.BlockStart, text string) []llm.Delta {
	a.open.announced = true
	if text == "" {
		return []llm.Delta{start}
	}
	return []llm.Delta{start, llm.BlockDelta{Text: text}}
}

func (a *answer) delta(d sdk.MessageStreamEventUnionDelta) ([]llm.Delta, error) {
	if a.open == nil {
		return nil, a.endpoint.Malformed(errors.New("a piece of a content block comes outside of one"))
	}
	if !a.open.announced {
		return nil, nil
	}
	var text string
	switch d.Type {
	case "text_delta":
		text = d.Text
	case "thinking_delta":
		text = d.Thinking
	case "signature_delta":
		a.open.proof.Signature += d.Signature
	case "input_json_delta":
		text = d.PartialJSON
		a.open.streamed = a.open.streamed || text != ""
	}
	if text == "" {
		return nil, nil
	}
	return []llm.Delta{llm.BlockDelta{Text: text}}, nil
}

// close stops the open block, if there is one.
func (a *answer) close() []llm.Delta {
	b := a.open
	a.open = nil
	if b == nil || !b.announced {
		return nil
	}
	var deltas []llm.Delta
	if b.input != "" && !b.streamed {
		deltas = append(deltas, llm.BlockDelta{Text: b.input})
	}
	var stop llm.BlockStop
	if b.proof != (proof{}) {
		stop.Opaque, _ = json.Marshal(opaque{Anthropic: &b.proof}) // strings always marshal
	}
	return append(deltas, stop)
}

// reason translates why the model stopped. A window that is full ended the
// answer as a limit does; a word nobody knows is an ordinary end.
func (a *answer) reason() llm.StopReason {
	switch a.stop {
	case sdk.StopReasonMaxTokens, sdk.StopReasonModelContextWindowExceeded:
		return llm.StopMaxTokens
	case sdk.StopReasonRefusal:
		return llm.StopRefusal
	}
	if a.calls {
		return llm.StopToolCalls
	}
	return llm.StopEnd
}
