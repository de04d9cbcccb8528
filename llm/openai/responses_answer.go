package openai

import (
	"bytes"
	"encoding/json"

	"github.com/openai/openai-go/v3/responses"

	"podium.local/llm"
	"podium.local/llm/internal/vendor"
)

// responsesAnswer reads the events of one stream.
type responsesAnswer struct {
	endpoint *vendor.Endpoint
	blocks   blocks
	items    map[int64]*item // by output index
	refused  bool
	end      bool
}

// item is one output item whose block is open.
type item struct {
	block *block
	// wrote says that pieces came, so that the whole text of a later event is a
	// repetition.
	wrote bool
}

func (a *responsesAnswer) finished() bool { return a.end }

func (a *responsesAnswer) closed() ([]llm.Delta, error) {
	return nil, a.endpoint.Unfinished("response.completed")
}

func (a *responsesAnswer) read(data []byte) ([]llm.Delta, error) {
	if data = bytes.TrimSpace(data); len(data) == 0 || string(data) == "[DONE]" {
		return nil, nil
	}
	var kind struct {
		Type  string          `json:"type"`
		Error json.RawMessage `json:"error"`
	}
	if err := json.Unmarshal(data, &kind); err != nil {
		return nil, a.endpoint.Malformed(err)
	}
	if kind.Type == "error" || (kind.Type == "" && len(kind.Error) > 0) {
		return nil, a.endpoint.Complain(vendor.ParseComplaint(data))
	}
	var ev responses.ResponseStreamEventUnion
	if err := json.Unmarshal(data, &ev); err != nil {
		return nil, a.endpoint.Malformed(err)
	}
	err := a.event(ev)
	return a.blocks.take(), err
}

func (a *responsesAnswer) event(ev responses.ResponseStreamEventUnion) error {
	switch ev.Type {
	case "response.output_item.added":
		a.added(ev.OutputIndex, ev.Item)
	case "response.output_text.delta":
		a.write(ev.OutputIndex, llm.BlockText, ev.Delta)
	case "response.refusal.delta":
		a.refused = true
		a.write(ev.OutputIndex, llm.BlockText, ev.Delta)
	case "response.reasoning_summary_part.added":
		if ev.SummaryIndex > 0 {
			a.write(ev.OutputIndex, llm.BlockReasoning, "\n\n")
		}
	case "response.reasoning_summary_text.delta", "response.reasoning_text.delta":
		a.write(ev.OutputIndex, llm.BlockReasoning, ev.Delta)
	case "response.function_call_arguments.delta":
		if it := a.items[ev.OutputIndex]; it != nil {
			a.write(ev.OutputIndex, llm.BlockToolCall, ev.Delta)
		}
	case "response.output_item.done":
		a.done(ev.OutputIndex, ev.Item)
	case "response.completed":
		a.usage(ev.Response.Usage)
		a.finish(a.reason())
	case "response.incomplete":
		a.usage(ev.Response.Usage)
		switch why := ev.Response.IncompleteDetails.Reason; why {
		case "max_output_tokens":
			a.finish(llm.StopMaxTokens)
		case "content_filter":
			a.finish(llm.StopRefusal)
		default:
			return a.endpoint.Complain(vendor.Complaint{Message: "the answer is incomplete: " + why})
		}
	case "response.failed":
		a.usage(ev.Response.Usage)
		failure := ev.Response.Error
		return a.endpoint.Complain(vendor.Complaint{Code: string(failure.Code), Message: failure.Message})
	}
	return nil // the vendor may add events
}

// added opens the block of an item. A message opens none before it says
// something.
func (a *responsesAnswer) added(index int64, out responses.ResponseOutputItemUnion) {
	switch out.Type {
	case "reasoning":
		a.items[index] = &item{block: a.blocks.open(llm.BlockStart{Kind: llm.BlockReasoning})}
	case "function_call":
		a.items[index] = &item{block: a.blocks.open(llm.BlockStart{Kind: llm.BlockToolCall, ID: out.CallID, Name: out.Name})}
	}
}

func (a *responsesAnswer) write(index int64, kind llm.BlockKind, text string) {
	if text == "" {
		return
	}
	it := a.items[index]
	if it == nil {
		it = &item{block: a.blocks.open(llm.BlockStart{Kind: kind})}
		a.items[index] = it
	}
	it.wrote = true
	a.blocks.write(it.block, text)
}

// done closes the block of an item, with the whole of its text if no piece of
// it came before.
func (a *responsesAnswer) done(index int64, out responses.ResponseOutputItemUnion) {
	if a.items[index] == nil {
		a.added(index, out)
	}
	if it := a.items[index]; it == nil || !it.wrote {
		a.whole(index, out)
	}
	it := a.items[index]
	if it == nil {
		return // a message that said nothing, or a kind we have no use for
	}
	var proof json.RawMessage
	if out.Type == "reasoning" {
		proof, _ = json.Marshal(responsesOpaque{Item: json.RawMessage(out.RawJSON())}) // was just parsed
	}
	a.blocks.done(it.block, proof)
	delete(a.items, index)
}

func (a *responsesAnswer) whole(index int64, out responses.ResponseOutputItemUnion) {
	switch out.Type {
	case "function_call":
		a.write(index, llm.BlockToolCall, out.Arguments.OfString)
	case "message":
		for _, part := range out.Content {
			a.refused = a.refused || part.Type == "refusal"
			a.write(index, llm.BlockText, part.Text+part.Refusal)
		}
	case "reasoning":
		for i, part := range out.Summary {
			if i > 0 {
				a.write(index, llm.BlockReasoning, "\n\n")
			}
			a.write(index, llm.BlockReasoning, part.Text)
		}
	}
}

func (a *responsesAnswer) reason() llm.StopReason {
	switch {
	case a.blocks.calls:
		return llm.StopToolCalls
	case a.refused:
		return llm.StopRefusal
	default:
		return llm.StopEnd
	}
}

func (a *responsesAnswer) finish(why llm.StopReason) {
	a.blocks.finish()
	a.blocks.out = append(a.blocks.out, llm.Finish{Reason: why})
	a.end = true
}

func (a *responsesAnswer) usage(u responses.ResponseUsage) {
	report := llm.Usage{
		Input:      given(u.InputTokens, u.JSON.InputTokens),
		Output:     given(u.OutputTokens, u.JSON.OutputTokens),
		CacheRead:  given(u.InputTokensDetails.CachedTokens, u.InputTokensDetails.JSON.CachedTokens),
		CacheWrite: given(u.InputTokensDetails.CacheWriteTokens, u.InputTokensDetails.JSON.CacheWriteTokens),
		Reasoning:  given(u.OutputTokensDetails.ReasoningTokens, u.OutputTokensDetails.JSON.ReasoningTokens),
	}
	if report != (llm.Usage{}) {
		a.blocks.out = append(a.blocks.out, llm.UsageReport{Usage: report})
	}
}

// given is nil for a field that was absent, null or not a number.
func given(n int64, field interface{ Valid() bool }) *int64 {
	if !field.Valid() {
		return nil
	}
	return &n
}
