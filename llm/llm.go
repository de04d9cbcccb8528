package llm

import (
	"context"
	"encoding/json"
	"iter"
)

// Provider streams one model answer.
//
// The sequence yields Deltas in the order of the wire and ends after a Finish,
// or yields one error as its last element: always an *Error, or the context's
// own error when ctx ended. Breaking out of the loop closes the connection. A
// stream that ends without the vendor's own end mark is an error: an answer
// without Finish was not finished.
type Provider interface {
	Stream(ctx context.Context, req Request) iter.Seq2[Delta, error]
}

// Request is one model call.
type Request struct {
	Model    string
	System   string
	Messages []Message
	Tools    []ToolSpec
	// MaxTokens caps the answer; 0 leaves it to the vendor (or, where the vendor
	// insists on a number, to the adapter's default).
	MaxTokens   int
	Temperature *float64
	// Effort is the vendor's reasoning word (low, medium, high); empty leaves
	// reasoning as the vendor has it.
	Effort string
	// CacheKey is stable for a conversation and lets vendors route it to a warm
	// prompt cache.
	CacheKey string
}

// Message is one side's contribution to the conversation.
type Message struct {
	Role   Role
	Blocks []Block
}

// Role says whose message it is. System messages inside a conversation are
// sent as the vendor's nearest form.
type Role string

// The roles.
const (
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
	RoleSystem    Role = "system"
)

// Block is one part of a message: Text, Reasoning, ToolCall or ToolResult.
type Block interface{ block() }

// Text is plain text.
type Text struct{ Text string }

// Reasoning is the model's thinking, given back to the vendor it came from.
type Reasoning struct {
	Text string
	// Opaque is what the vendor needs to recognise it (signature, encrypted
	// content), in the adapter's own form; adapters ignore what they do not
	// know.
	Opaque json.RawMessage
}

// ToolCall is a call the model asked for; Arguments is a JSON object.
type ToolCall struct {
	ID, Name  string
	Arguments json.RawMessage
}

// ToolResult answers the call with the same id.
type ToolResult struct {
	CallID  string
	Text    string
	IsError bool
}

func (Text) block()       {}
func (Reasoning) block()  {}
func (ToolCall) block()   {}
func (ToolResult) block() {}

// ToolSpec describes a tool to the model.
type ToolSpec struct {
	Name, Description string
	// Schema is the JSON Schema of the arguments object.
	Schema json.RawMessage
}

// Delta is one step of a streamed answer: BlockStart, BlockDelta, BlockStop,
// UsageReport or Finish. Blocks do not overlap in what adapters yield, and
// every BlockDelta and BlockStop belongs to the newest BlockStart.
type Delta interface{ delta() }

// BlockStart opens a block.
type BlockStart struct {
	Kind BlockKind
	// ID and Name are set for tool calls.
	ID, Name string
}

// BlockKind says what a block holds.
type BlockKind string

// The kinds of block.
const (
	BlockText      BlockKind = "text"
	BlockReasoning BlockKind = "reasoning"
	BlockToolCall  BlockKind = "tool_call"
)

// BlockDelta is a piece of the open block: text, or a fragment of the JSON
// text of a call's arguments.
type BlockDelta struct{ Text string }

// BlockStop closes the open block.
type BlockStop struct {
	// Opaque goes into the Reasoning block given back later.
	Opaque json.RawMessage
}

// UsageReport carries token counts; the last non-nil value of a field wins.
type UsageReport struct{ Usage Usage }

// Usage counts tokens; nil is "not reported".
type Usage struct {
	// Input is the occupancy of the whole prompt, cached part included.
	Input, Output *int64
	// CacheRead and CacheWrite are parts of Input.
	CacheRead, CacheWrite *int64
	// Reasoning is a part of Output.
	Reasoning *int64
}

// Merge takes over the fields that later reports.
func (u *Usage) Merge(later Usage) {
	for _, f := range []struct{ have, got **int64 }{
		{&u.Input, &later.Input}, {&u.Output, &later.Output},
		{&u.CacheRead, &later.CacheRead}, {&u.CacheWrite, &later.CacheWrite},
		{&u.Reasoning, &later.Reasoning},
	} {
		if *f.got != nil {
			*f.have = *f.got
		}
	}
}

// Finish ends the answer.
type Finish struct{ Reason StopReason }

// StopReason says why the model stopped.
type StopReason string

// The stop reasons.
const (
	StopEnd       StopReason = "end"
	StopToolCalls StopReason = "tool_calls"
	StopMaxTokens StopReason = "max_tokens"
	StopRefusal   StopReason = "refusal"
)

func (BlockStart) delta()  {}
func (BlockDelta) delta()  {}
func (BlockStop) delta()   {}
func (UsageReport) delta() {}
func (Finish) delta()      {}
