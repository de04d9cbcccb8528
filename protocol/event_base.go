package protocol

import "github.com/go-json-experiment/json/jsontext"

// The base vocabulary: the seventeen events that every client gets.

// TurnStart announces one request to the model. Passing: once a turn, before
// the request is sent; to everybody. A turn that fails or is cancelled has no
// TurnEnd. (seed 000, "current state")
type TurnStart struct {
	// Turn counts the completed answers of the session before this one, from 0;
	// the number of a turn without TurnEnd is used again.
	Turn uint64 `wire:"turn"`
}

// TurnEnd says that one answer of the model is complete; its tool calls run
// only after it. Durable: its entry, which also holds the usage, is committed
// before it; once a completed answer; to everybody. It discards every block
// that has no done event. (seed 000, "current state")
type TurnEnd struct {
	// Turn is the number that TurnStart gave.
	Turn uint64 `wire:"turn"`
	// Result is finished; paused is read but never sent by a pod.
	Result TurnResult `wire:"result"`
	// EntryID is the entry in the log.
	EntryID string `wire:"entry_id,optional,extended"`
}

// TurnResult is the result word of a turn.
type TurnResult string

// The results of a turn; only finished is ever sent by a pod.
const (
	TurnFinished TurnResult = "finished"
	TurnPaused   TurnResult = "paused"
)

// TextDelta is a piece of the open text block. Passing: many a block, merged
// with its neighbours for a slow client and never dropped; to everybody.
// Deltas are never stored. (seed 000, "current state")
type TextDelta struct {
	// Text is appended to the block.
	Text string `wire:"text"`
}

// TextDone is a whole text block. Durable: its entry is committed before it;
// once a block; to everybody. An empty block has the event but no entry, and
// so no seq. (seed 000, "current state")
type TextDone struct {
	// Text is the whole block, what its deltas made together.
	Text string `wire:"text"`
	// EntryID is the entry in the log.
	EntryID string `wire:"entry_id,optional,extended"`
}

// ToolCallStart opens a tool call of the running answer. Passing: once a call;
// to everybody. (seed 000, "current state")
type ToolCallStart struct {
	// ID is the call's id; the results refer to it.
	ID string `wire:"id"`
	// Name is the tool.
	Name string `wire:"name"`
}

// ToolCallArgsDelta is a fragment of the open call's arguments. Passing: many
// a call, merged with its neighbours for a slow client and never dropped; to
// everybody. (seed 000, "current state")
type ToolCallArgsDelta struct {
	// ID is the call's id.
	ID string `wire:"id"`
	// JSON is a piece of JSON text, cut anywhere.
	JSON string `wire:"json"`
}

// ToolCallDone is a complete tool call. Durable: its entry is committed before
// it; once a call; to everybody. The call runs only after the TurnEnd of its
// answer; a call of an answer without one never runs. (seed 000, "current
// state")
type ToolCallDone struct {
	// ID is the call's id.
	ID string `wire:"id"`
	// Name is the tool.
	Name string `wire:"name"`
	// Arguments is JSON text of an object with sorted keys; "{}" where the model
	// sent none.
	Arguments string `wire:"arguments"`
	// EntryID is the entry in the log.
	EntryID string `wire:"entry_id,optional,extended"`
}

// ToolResult is what a call gave, also when it was refused, interrupted or
// lost. Durable: its entry is committed before it; once a call, as it comes; to
// everybody, with Output cut for base clients at a character border to at most
// 199 bytes. (seed 000, "current state")
type ToolResult struct {
	// ID is the id of the call.
	ID string `wire:"id"`
	// Output is the text that the model gets.
	Output string `wire:"output"`
	// IsError says that the tool failed.
	IsError bool `wire:"is_error"`
	// Summary is one or two lines for a person.
	Summary *string `wire:"summary,optional"`
	// EntryID is the entry in the log.
	EntryID string `wire:"entry_id,optional,extended"`
}

// Usage is what one request to the model cost. Passing: it shares the entry of
// the TurnEnd right after it and carries no seq; at most once a turn, not at
// all when the model's vendor reported nothing; to everybody. (seed 000,
// "current state")
type Usage struct {
	// InputTokens is the occupancy of the prompt in tokens, cached part included;
	// null when unknown.
	InputTokens *uint64 `wire:"input_tokens,nullable"`
	// OutputTokens is the length of the answer in tokens, reasoning included; null
	// when unknown.
	OutputTokens *uint64 `wire:"output_tokens,nullable"`
	// Extra is nil for the base shape; otherwise all six fields are written.
	Extra *UsageExtra `wire:",inline,optional"`
	// CostPartial, in totals, says that some request has no known price: cost_usd
	// is what the others cost. It is left out when false.
	CostPartial bool `wire:"cost_partial,optional"`
}

// UsageExtra is the further part of a usage object: all fields or none. Base
// clients get it too and ignore it.
type UsageExtra struct {
	// CacheReadTokens were read from the vendor's prompt cache.
	CacheReadTokens uint64 `wire:"cache_read_tokens"`
	// CacheWriteTokens were written to it.
	CacheWriteTokens uint64 `wire:"cache_write_tokens"`
	// ReasoningTokens are part of the output.
	ReasoningTokens uint64 `wire:"reasoning_tokens"`
	// CostUSD is null when the price is unknown: unknown is never 0.
	CostUSD *float64 `wire:"cost_usd,nullable"`
	// ContextTokens is the occupancy after this turn, in tokens.
	ContextTokens uint64 `wire:"context_tokens"`
	// ContextLimit is what the model can hold, in tokens; null when unknown.
	ContextLimit *uint64 `wire:"context_limit,nullable"`
}

// RunEnd says that a run is over. Durable: its entry is committed and the new
// state in force before it, so that a method sent after it is judged in that
// state; once a run; to everybody for finished, paused and limit_reached, for
// cancelled, failed and rolled_back to extended clients alone, right after the
// Error that everybody gets. One that the store could not take (a full disk) is
// told without seq, and again with it and the same entry_id once it is saved,
// before any other run begins. (seed 000, "current state")
type RunEnd struct {
	// Result is how it ended.
	Result RunResult `wire:"result"`
	// Error is the text of a failed run.
	Error string `wire:"error,optional"`
	// EntryID is the entry in the log.
	EntryID string `wire:"entry_id,optional,extended"`
}

// RunResult is the result word of a run.
type RunResult string

// The results of a run; the last three go to extended clients only.
const (
	RunFinished     RunResult = "finished"
	RunPaused       RunResult = "paused"
	RunLimitReached RunResult = "limit_reached"
	RunCancelled    RunResult = "cancelled"
	RunFailed       RunResult = "failed"
	RunRolledBack   RunResult = "rolled_back"
)

// Error is one of two things. A rejection answers one line and goes to its
// sender alone: already_running, not_running, not_paused, unsupported_version,
// and internal whose message begins "invalid method: " or "refused: ". Any
// other Error ends the run and goes to everybody. Passing: a run's text is
// repeated in its RunEnd. (seed 000, "current state")
type Error struct {
	// Code is the word to act on.
	Code ErrorCode `wire:"code"`
	// Message is for a person; only the two beginnings above are fixed.
	Message string `wire:"message"`
}

// ErrorCode is the code word of an Error.
type ErrorCode string

// The codes. A client that never said hello gets only the first six.
const (
	CodeAlreadyRunning     ErrorCode = "already_running"
	CodeNotRunning         ErrorCode = "not_running"
	CodeNotPaused          ErrorCode = "not_paused"
	CodeProviderError      ErrorCode = "provider_error"
	CodeToolError          ErrorCode = "tool_error"
	CodeInternal           ErrorCode = "internal"
	CodeUnsupportedVersion ErrorCode = "unsupported_version"
)

// History is the conversation so far. Passing: it answers get_history, once,
// to that client alone, and is a position in that client's own stream: every
// event before it is in it, no done event after it is. It covers the session
// of the moment; over 60 MiB the newest items stay, behind one system message
// that says how many were left out. (seed 000, "existing request-response")
type History struct {
	// Items are kept as the bytes received; ParseItem reads one.
	Items []jsontext.Value `wire:"items,of=Item"`
	// Greeting describes the pod.
	Greeting Greeting `wire:"greeting"`
}

// Greeting describes a pod. All fields are required on the wire.
type Greeting struct {
	// PodName is the pod's name.
	PodName string `wire:"pod_name"`
	// Cwd is the folder it works in.
	Cwd string `wire:"cwd"`
	// Provider is the wire scheme: anthropic, openai_responses, openai_chat.
	Provider string `wire:"provider"`
	// Model is the model's id at its vendor.
	Model string `wire:"model"`
	// ScopeSummary says for a person what the pod may read and write.
	ScopeSummary string `wire:"scope_summary"`
	// Tools are the names of the tools that are really registered.
	Tools []string `wire:"tools"`
}

// Notification is a text for a person. Passing: whenever there is something to
// say; to everybody. The newest 512 are replayed to each client when it
// connects, oldest first. (seed 000, decision 6)
type Notification struct {
	// Level is how bad it is.
	Level NotificationLevel `wire:"level"`
	// Source is the part of the pod that speaks.
	Source NotificationSource `wire:"source"`
	// Message is the text.
	Message string `wire:"message"`
	// TimestampMS is Unix time in milliseconds.
	TimestampMS int64 `wire:"timestamp_ms"`
}

// NotificationLevel is the level word of a Notification.
type NotificationLevel string

// NotificationSource is the part of the pod that speaks.
type NotificationSource string

// Levels and sources of notifications.
const (
	LevelWarn  NotificationLevel = "warn"
	LevelError NotificationLevel = "error"

	SourcePod       NotificationSource = "pod"
	SourceWorker    NotificationSource = "worker"
	SourceCompactor NotificationSource = "compactor"
	SourceAgentsMD  NotificationSource = "agents_md"
)

// CompactStart announces a compaction. Passing: once each, and exactly one
// CompactDone or CompactFailed follows; to everybody who is connected, not kept
// for those who come later. (seed 000, decisions 2 and 7)
type CompactStart struct{}

// CompactDone says that the pod now holds a new session. Durable: the new
// session is committed and current when it is sent; once a compaction; to
// everybody. (seed 000, decisions 2, 3 and 5)
type CompactDone struct {
	// NewSessionID is the session in which the conversation goes on.
	NewSessionID SessionID `wire:"new_session_id"`
	// EntryID is the entry in the log.
	EntryID string `wire:"entry_id,optional,extended"`
}

// CompactFailed says that a compaction failed and that the old session stays
// in use. Passing: once a compaction that does not succeed; to everybody. The
// Notification that explains it follows. (seed 000, decision 2)
type CompactFailed struct {
	// Error is the reason.
	Error string `wire:"error"`
}

// ShutdownEvent is the last event of a pod's process. Passing: once, whatever
// ended the process in order; to everybody; then the connection is closed.
// (seed 000, "current state")
type ShutdownEvent struct{}
