package openai

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"errors"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/respjson"

	"podium.local/llm"
	"podium.local/llm/internal/vendor"
)

// chatAnswer reads the chunks of one stream.
type chatAnswer struct {
	endpoint *vendor.Endpoint
	blocks   blocks
	// text and thought are the open blocks of their kinds; field is where the
	// thought comes from.
	text, thought *block
	field         string
	// calls are the calls by their index on the wire.
	calls map[int64]*chatCall
	// counted is the last usage that was told.
	counted llm.Usage
	// reason is the finish_reason, once it came.
	reason  string
	refused bool
	end     bool
}

// chatCall is a call; named says that the server gave it its id.
type chatCall struct {
	*block
	named bool
}

func (a *chatAnswer) finished() bool { return a.end }

// closed accepts an answer whose end was announced: not every server sends
// [DONE].
func (a *chatAnswer) closed() ([]llm.Delta, error) {
	if a.reason == "" {
		return nil, a.endpoint.Unfinished("finish_reason")
	}
	return a.finish()
}

func (a *chatAnswer) read(data []byte) ([]llm.Delta, error) {
	data = bytes.TrimSpace(data)
	if string(data) == "[DONE]" {
		if a.reason == "" {
			return nil, a.endpoint.Unfinished("finish_reason")
		}
		return a.finish()
	}
	if bytes.HasPrefix(data, []byte("[")) { // Gemini wraps its errors in a list
		return nil, a.endpoint.Complain(vendor.ParseComplaint(data))
	}
	var complaint struct {
		Error  json.RawMessage `json:"error"`
		Object string          `json:"object"`
	}
	if err := json.Unmarshal(data, &complaint); err != nil {
		return nil, a.endpoint.Malformed(err)
	}
	if e := complaint.Error; (len(e) > 0 && string(e) != "null") || complaint.Object == "error" {
		return nil, a.endpoint.Complain(vendor.ParseComplaint(data))
	}
	var chunk sdk.ChatCompletionChunk
	if err := json.Unmarshal(data, &chunk); err != nil {
		return nil, a.endpoint.Malformed(err)
	}
	for _, choice := range chunk.Choices {
		if choice.Index != 0 {
			continue
		}
		if err := a.delta(choice.Delta); err != nil {
			return a.blocks.take(), a.endpoint.Malformed(err)
		}
		if choice.FinishReason != "" {
			a.reason = choice.FinishReason
		}
	}
	a.usage(chunk.Usage)
	return a.blocks.take(), nil
}

func (a *chatAnswer) delta(d sdk.ChatCompletionChunkChoiceDelta) error {
	for _, field := range []string{"reasoning_content", "reasoning"} {
		var s string
		if json.Unmarshal([]byte(d.JSON.ExtraFields[field].Raw()), &s) == nil && s != "" {
			a.think(field, s)
			break // servers that send both say the same in both
		}
	}
	if c := d.JSON.Content; !c.Valid() && c.Raw() != "" && c.Raw() != "null" {
		return errors.New("the content of a chunk is not text")
	}
	a.refused = a.refused || d.Refusal != ""
	a.say(d.Content + d.Refusal)
	for _, call := range d.ToolCalls {
		a.call(call)
	}
	return nil
}

// think adds to the reasoning.
func (a *chatAnswer) think(field, s string) {
	if a.thought == nil || a.field != field {
		a.settle(nil)
		a.field = field
		a.thought = a.blocks.open(llm.BlockStart{Kind: llm.BlockReasoning})
	} else {
		a.settle(a.thought)
	}
	a.blocks.write(a.thought, s)
}

// say adds to the text.
func (a *chatAnswer) say(s string) {
	if s == "" {
		return
	}
	a.settle(a.text)
	if a.text == nil {
		a.text = a.blocks.open(llm.BlockStart{Kind: llm.BlockText})
	}
	a.blocks.write(a.text, s)
}

// call adds to a call, or begins one.
func (a *chatAnswer) call(c sdk.ChatCompletionChunkChoiceDeltaToolCall) {
	call := a.calls[c.Index]
	if call == nil || call.another(c) {
		if c.Function.Name == "" {
			return // a piece of nothing
		}
		id := c.ID
		if id == "" {
			id = "call_" + rand.Text()
		}
		a.settle(nil)
		a.sign(id, c.JSON.ExtraFields["extra_content"])
		call = &chatCall{
			block: a.blocks.open(llm.BlockStart{Kind: llm.BlockToolCall, ID: id, Name: c.Function.Name}),
			named: c.ID != "",
		}
		a.calls[c.Index] = call
	} else {
		a.settle(call.block)
	}
	if c.Function.Arguments != "" && !call.done {
		a.blocks.write(call.block, c.Function.Arguments)
	}
}

// another reports whether a piece with the index of a call begins one of its
// own: some servers number all calls alike, others repeat the name with every
// piece.
func (call *chatCall) another(c sdk.ChatCompletionChunkChoiceDeltaToolCall) bool {
	switch {
	case c.Function.Name == "" || c.ID == call.start.ID:
		return false
	case c.ID != "" && call.named:
		return true
	default:
		return c.Function.Arguments != "" && call.complete()
	}
}

// sign keeps what came with a call and must go back with it, in a reasoning
// block without text.
func (a *chatAnswer) sign(id string, extra respjson.Field) {
	if raw := extra.Raw(); raw != "" && raw != "null" {
		blk := a.blocks.open(llm.BlockStart{Kind: llm.BlockReasoning})
		a.blocks.done(blk, proof(chatProof{Extra: map[string]json.RawMessage{id: json.RawMessage(raw)}}))
	}
}

// settle closes every block that cannot go on once something else than it
// arrives. A call whose arguments are not whole stays open: its next piece may
// be mixed in behind.
func (a *chatAnswer) settle(keep *block) {
	if a.thought != nil && a.thought != keep {
		a.blocks.done(a.thought, proof(chatProof{Field: a.field}))
		a.thought = nil
	}
	if a.text != nil && a.text != keep {
		a.blocks.done(a.text, nil)
		a.text = nil
	}
	for _, call := range a.calls {
		if call.block != keep && !call.done && call.complete() {
			a.blocks.done(call.block, nil)
		}
	}
}

// finish ends the answer as its finish_reason says.
func (a *chatAnswer) finish() ([]llm.Delta, error) {
	a.settle(nil)
	a.blocks.finish()
	why := llm.StopEnd
	switch {
	case a.reason == "length":
		why = llm.StopMaxTokens
	case a.reason == "content_filter":
		why = llm.StopRefusal
	case a.reason == "error":
		return a.blocks.take(), a.endpoint.Complain(vendor.Complaint{Message: "the server ended the answer with an error"})
	case a.blocks.calls:
		why = llm.StopToolCalls // also when the server calls it a stop
	case a.refused:
		why = llm.StopRefusal
	}
	a.end = true
	return append(a.blocks.take(), llm.Finish{Reason: why}), nil
}

// usage tells counts that changed. Where the total holds more than prompt and
// completion, the rest is reasoning that the server counts apart, but bills.
func (a *chatAnswer) usage(u sdk.CompletionUsage) {
	report := llm.Usage{
		Input:      given(u.PromptTokens, u.JSON.PromptTokens),
		Output:     given(u.CompletionTokens, u.JSON.CompletionTokens),
		CacheRead:  given(u.PromptTokensDetails.CachedTokens, u.PromptTokensDetails.JSON.CachedTokens),
		CacheWrite: given(u.PromptTokensDetails.CacheWriteTokens, u.PromptTokensDetails.JSON.CacheWriteTokens),
		Reasoning:  given(u.CompletionTokensDetails.ReasoningTokens, u.CompletionTokensDetails.JSON.ReasoningTokens),
	}
	if report.Input != nil && report.Output != nil && u.TotalTokens > u.PromptTokens+u.CompletionTokens {
		apart := u.TotalTokens - u.PromptTokens - u.CompletionTokens
		*report.Output += apart
		if report.Reasoning == nil {
			report.Reasoning = &apart
		}
	}
	if report == (llm.Usage{}) || sameCounts(report, a.counted) {
		return
	}
	a.counted = report
	a.blocks.out = append(a.blocks.out, llm.UsageReport{Usage: report})
}

func sameCounts(a, b llm.Usage) bool {
	for _, p := range [][2]*int64{
		{a.Input, b.Input}, {a.Output, b.Output}, {a.CacheRead, b.CacheRead},
		{a.CacheWrite, b.CacheWrite}, {a.Reasoning, b.Reasoning},
	} {
		if (p[0] == nil) != (p[1] == nil) || (p[0] != nil && *p[0] != *p[1]) {
			return false
		}
	}
	return true
}

func proof(p chatProof) json.RawMessage {
	raw, _ := json.Marshal(chatOpaque{Chat: &p}) // parts were parsed from JSON
	return raw
}
