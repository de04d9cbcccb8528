package session

import (
	"encoding/json"
	"time"

	"podium.local/protocol"
)

// Entry is one committed log record.
type Entry struct {
	SessionID string
	// Ordinal is the position in the session's log, from 0, without gaps.
	Ordinal int64
	// ID names the entry; opaque text, unique in the store.
	ID        string
	Kind      Kind
	CreatedAt time.Time
	// Payload is the JSON of the payload type that belongs to Kind.
	Payload json.RawMessage
	// PodID and Seq are set for the durable events of a pod; entries copied by
	// compaction, system entries and imports have none (Seq 0).
	PodID protocol.PodID
	Seq   uint64
}

// Kind says what an entry records.
type Kind string

// The kinds of entry. Those marked durable give a pod's event a seq.
const (
	KindInput      Kind = "input"       // durable: user_input. Payload Input
	KindSystem     Kind = "system"      // text for the model from the system. Payload System
	KindText       Kind = "text"        // durable: text_done. Payload Text
	KindReasoning  Kind = "reasoning"   // durable: reasoning_done. Payload Reasoning
	KindToolCall   Kind = "tool_call"   // durable: tool_call_done. Payload ToolCall
	KindToolResult Kind = "tool_result" // durable: tool_result. Payload ToolResult
	KindTurnEnd    Kind = "turn_end"    // durable: turn_end (and usage). Payload TurnEnd
	KindRunEnd     Kind = "run_end"     // durable: run_end. Payload RunEnd
	KindRolledBack Kind = "rolled_back" // names an input to be skipped. Payload RolledBack
	KindCompaction Kind = "compaction"  // durable: compact_done. Payload Compaction
	KindForeign    Kind = "foreign"     // a record of another program, kept as it is. Payload Foreign
)

// Durable reports whether entries of this kind are rendered as an event with
// a seq when a pod appends them.
func (k Kind) Durable() bool {
	switch k {
	case KindInput, KindText, KindReasoning, KindToolCall, KindToolResult, KindTurnEnd, KindRunEnd, KindCompaction:
		return true
	default:
		return false
	}
}

// Input is what a person, a script or another pod said.
type Input struct {
	Text string             `json:"text"`
	Kind protocol.InputKind `json:"kind"`
	// Client is what the sender called itself; empty when it did not.
	Client string `json:"client,omitempty"`
}

// System is text the pod itself put before the model.
type System struct {
	Text string `json:"text"`
}

// Text is a finished text block of an answer.
type Text struct {
	Text string `json:"text"`
}

// Reasoning is a finished reasoning block of an answer.
type Reasoning struct {
	Text string `json:"text"`
	// Opaque is the vendor's own proof of the block, given back only for
	// complete answers.
	Opaque json.RawMessage `json:"opaque,omitempty"`
}

// ToolCall is a finished call of an answer.
type ToolCall struct {
	CallID    string          `json:"call_id"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"` // always an object
}

// ToolResult closes the call of the same id.
type ToolResult struct {
	CallID  string `json:"call_id"`
	Summary string `json:"summary"`
	Content string `json:"content,omitempty"`
	IsError bool   `json:"is_error,omitempty"`
}

// TurnEnd completes an answer: the blocks since the last turn end, run end or
// input are one complete answer of the model.
type TurnEnd struct {
	Turn  uint64 `json:"turn"`
	Model string `json:"model,omitempty"`
	Usage *Usage `json:"usage,omitempty"` // nil when the vendor reported none
	// StopReason is llm's word for why the model stopped.
	StopReason string `json:"stop_reason,omitempty"`
}

// Usage is what one request cost. Tokens; nil is "not reported".
type Usage struct {
	InputTokens      *int64 `json:"input_tokens,omitempty"` // occupancy, cached part included
	OutputTokens     *int64 `json:"output_tokens,omitempty"`
	CacheReadTokens  int64  `json:"cache_read_tokens,omitempty"`
	CacheWriteTokens int64  `json:"cache_write_tokens,omitempty"`
	ReasoningTokens  int64  `json:"reasoning_tokens,omitempty"`
	// CostUSD is nil when the model has no known price; PriceSource says where
	// the price came from (catalog, config).
	CostUSD     *float64 `json:"cost_usd,omitempty"`
	PriceSource string   `json:"price_source,omitempty"`
}

// Foreign is a record of an imported session that means nothing here.
type Foreign struct {
	// Type is the record's own word for what it is.
	Type   string          `json:"type"`
	Record json.RawMessage `json:"record,omitempty"`
	// Source is set instead of Record when it is too large to be kept.
	Source *Source `json:"source,omitempty"`
}

// Source is where the whole of something stands of which only the beginning
// was kept.
type Source struct {
	File string `json:"file"` // absolute path
	// Offset and Length are in bytes.
	Offset int64 `json:"offset"`
	Length int64 `json:"length"`
	// SHA256 is of those bytes, hexadecimal.
	SHA256 string `json:"sha256"`
}

// RunEnd ends a run.
type RunEnd struct {
	Result protocol.RunResult `json:"result"`
	Error  string             `json:"error,omitempty"`
	// Code is the wire code that went with Error.
	Code protocol.ErrorCode `json:"code,omitempty"`
	// Reason is a machine word for ends that are not the model's doing:
	// pod_restarted, ReasonThrash.
	Reason string `json:"reason,omitempty"`
	// Usage is that of a request that the end broke off: what its vendor had
	// reported by then, and no cost, as nobody knows what it takes. nil when none
	// was on its way. A complete answer's usage stands in its TurnEnd.
	Usage *Usage `json:"usage,omitempty"`
}

// ReasonThrash is the reason of a run that compaction could not help.
const ReasonThrash = "thrash"

// RolledBack takes back an input: history and the model skip it. Nothing is
// deleted and no number reused.
type RolledBack struct {
	EntryID string `json:"entry_id"`
}

// Compaction is the first thing a compacted-to session's pod says: where the
// conversation continued.
type Compaction struct {
	// FromSession is empty where the conversation goes on in the same session, as
	// imported ones do.
	FromSession string `json:"from_session,omitzero"`
	NewSession  string `json:"new_session"`
	// TokensBefore and TokensAfter are the context's tokens, 0 for unknown.
	TokensBefore int64    `json:"tokens_before,omitzero"`
	TokensAfter  int64    `json:"tokens_after,omitzero"`
	CostUSD      *float64 `json:"cost_usd,omitempty"`
	// Turns is how many answers were complete before; the count goes on.
	Turns uint64 `json:"turns,omitempty"`
}
