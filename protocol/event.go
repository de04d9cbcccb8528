package protocol

import "github.com/go-json-experiment/json/jsontext"

// Event is one line from a pod to a client.
type Event struct {
	// Data is the event itself; its type is the tag.
	Data EventData
	// Seq is the position of a durable event in the life of the pod: it grows
	// by one, never repeats and survives restarts. Zero means none: the event is
	// passing, or is the usage that shares its entry with the turn_end after it.
	Seq uint64
	// RequestID is set only on the one direct answer to a method that had one.
	RequestID string
}

// EventData is the set of events. A tag this build does not know is Unknown.
type EventData interface {
	// EventName is the tag on the wire.
	EventName() string
}

// Tags of the events. The first seventeen are the base vocabulary.
const (
	EventTurnStart         = "turn_start"
	EventTurnEnd           = "turn_end"
	EventTextDelta         = "text_delta"
	EventTextDone          = "text_done"
	EventToolCallStart     = "tool_call_start"
	EventToolCallArgsDelta = "tool_call_args_delta"
	EventToolCallDone      = "tool_call_done"
	EventToolResult        = "tool_result"
	EventUsage             = "usage"
	EventRunEnd            = "run_end"
	EventError             = "error"
	EventHistory           = "history"
	EventNotification      = "notification"
	EventCompactStart      = "compact_start"
	EventCompactDone       = "compact_done"
	EventCompactFailed     = "compact_failed"
	EventShutdown          = "shutdown"

	EventHello          = "hello"
	EventSnapshot       = "snapshot"
	EventEntries        = "entries"
	EventStatus         = "status"
	EventUserInput      = "user_input"
	EventReasoningDelta = "reasoning_delta"
	EventReasoningDone  = "reasoning_done"
	EventAccepted       = "accepted"
)

// TurnStart announces one model request. Passing; once a turn, before the
// request is sent; to everybody. (seed 000, "current state"; reference 3.7)
type TurnStart struct {
	// Turn counts completed model answers since the session began, from 0.
	Turn uint64
}

// TurnEnd says that one model answer is complete. Durable: rendered from the
// entry that also holds the usage, committed before it; once a completed
// answer; to everybody.
type TurnEnd struct {
	Turn    uint64
	Result  TurnResult
	EntryID string // extended clients only
}

// TurnResult is the result word of a turn.
type TurnResult string

// The results of a turn; only finished is ever sent by a pod.
const (
	TurnFinished TurnResult = "finished"
	TurnPaused   TurnResult = "paused"
)

// TextDelta is a piece of the open text block. Passing, never stored;
// coalesced for a slow client but never dropped; to everybody.
type TextDelta struct {
	Text string
}

// TextDone is a whole text block. Durable: its entry is committed before it;
// once a block (an empty block: the event without an entry); to everybody.
type TextDone struct {
	Text    string
	EntryID string // extended clients only
}

// ToolCallStart opens a tool call of the running answer. Passing; to
// everybody.
type ToolCallStart struct {
	ID, Name string
}

// ToolCallArgsDelta is a fragment of the JSON text of the open call's
// arguments. Passing; coalesced, never dropped; to everybody.
type ToolCallArgsDelta struct {
	ID, JSON string
}

// ToolCallDone is a complete tool call. Durable: its entry is committed
// before it; the call runs only after the answer it belongs to is complete;
// to everybody.
type ToolCallDone struct {
	ID, Name string
	// Arguments is JSON text of an object with sorted keys; "{}" where the model
	// sent none.
	Arguments string
	EntryID   string // extended clients only
}

// ToolResult is what a call gave. Durable: committed before it; once a call;
// to everybody, but base clients get Output cut to at most 199 bytes at a
// character border.
type ToolResult struct {
	ID      string
	Output  string
	IsError bool
	// Summary is one or two lines; nil when there is none.
	Summary *string
	EntryID string // extended clients only
}

// Usage is what one model request cost. Passing: it shares the entry of the
// turn_end after it and carries no seq; at most once a turn; to everybody.
type Usage struct {
	// InputTokens is the occupancy of the prompt, cached part included; nil is
	// unknown and written as null.
	InputTokens, OutputTokens *uint64
	// Extra is nil for the base shape; otherwise all six fields are written.
	Extra *UsageExtra
}

// UsageExtra is the extended part of a usage event: all fields or none.
type UsageExtra struct {
	CacheReadTokens, CacheWriteTokens, ReasoningTokens uint64
	// CostUSD is nil when the price is unknown: unknown is never 0.
	CostUSD *float64
	// ContextTokens is the occupancy after this turn, ContextLimit what the
	// model can hold (nil unknown).
	ContextTokens uint64
	ContextLimit  *uint64
}

// RunEnd says that a run is over and that the pod's new state is in force.
// Durable: committed before it; once a run; to everybody for finished,
// paused and limit_reached, to extended clients alone for cancelled, failed
// and rolled_back, after the error that base clients see.
type RunEnd struct {
	Result RunResult
	// Error is the text of a failed run, else empty and not written.
	Error   string
	EntryID string // extended clients only
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

// Error is either a rejection, sent to the client whose line it answers, or
// the end of a run, sent to everybody. Passing: a run's error text is repeated
// in its run_end.
type Error struct {
	Code    ErrorCode
	Message string
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

// History answers get_history, to that client alone. It is a position in the
// client's own queue: every event before it is in it, no done event after it
// is.
type History struct {
	// Items are kept as the bytes received; ParseItem reads one.
	Items    []jsontext.Value
	Greeting Greeting
}

// Greeting describes the pod. All fields are required on the wire.
type Greeting struct {
	PodName string
	Cwd     string
	// Provider is the wire scheme: anthropic, openai_responses, openai_chat.
	Provider     string
	Model        string
	ScopeSummary string
	// Tools are the names of the tools that are really registered.
	Tools []string
}

// Notification is a text for a person. Passing; the newest 512 are replayed to
// a client when it connects, oldest first; to everybody.
type Notification struct {
	Level   NotificationLevel
	Source  NotificationSource
	Message string
	// TimestampMS is Unix time in milliseconds.
	TimestampMS int64
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

// CompactStart announces a compaction. Passing and not kept for late clients
// (seed 000, decision 7); exactly one compact_done or compact_failed follows.
type CompactStart struct{}

// CompactDone says that the pod now holds a new session. Durable: the new
// session is committed and current when it is sent (seed 000, decisions 2, 3);
// broadcast.
type CompactDone struct {
	NewSessionID SessionID
	EntryID      string // extended clients only
}

// CompactFailed says that a compaction failed and that the old session stays
// in use. Passing; broadcast.
type CompactFailed struct {
	Error string
}

// ShutdownEvent is the last event of a pod's process. Passing; to everybody.
type ShutdownEvent struct{}

// HelloEvent answers hello, to that client alone, before everything else of
// the extended stream.
type HelloEvent struct {
	ProtocolVersion uint64
	Server          string
	PodID           PodID
	PodName         string
	SessionID       SessionID
	State           PodState
	// Seq is the newest durable event at the moment of subscription.
	Seq uint64
	// Resumed says that the durable events after the client's since follow;
	// otherwise one snapshot does.
	Resumed bool
	// Features are sorted; a feature is listed only when it works.
	Features []string
	// Live is set when Resumed: what a snapshot would have said of the moment.
	Live *Live
}

// PodState is the state word of a pod.
type PodState string

// The states of a pod.
const (
	StateIdle       PodState = "idle"
	StateRunning    PodState = "running"
	StatePaused     PodState = "paused"
	StateCompacting PodState = "compacting"
)

// Live is the unfinished part of a pod's state: in_flight, pending and usage,
// as a snapshot and a resumed hello carry them.
type Live struct {
	InFlight []OpenBlock
	// Pending is reserved for permission requests and always empty for now.
	Pending []jsontext.Value
	// Usage holds the session's totals.
	Usage Usage
}

// OpenBlock is a block of the running answer that has no done event yet.
type OpenBlock struct {
	Kind BlockKind
	// ID and Name are set for tool calls.
	ID, Name string
	// Text is what has arrived so far; for tool calls the arguments' text.
	Text string
}

// BlockKind is the kind word of an OpenBlock.
type BlockKind string

// The kinds of open block.
const (
	BlockText      BlockKind = "text"
	BlockReasoning BlockKind = "reasoning"
	BlockToolCall  BlockKind = "tool_call"
)

// Snapshot opens the extended stream of a client that does not resume, to
// that client alone, right after hello.
type Snapshot struct {
	SessionID SessionID
	State     PodState
	Seq       uint64
	// Items are the newest history items, each with its entry_id.
	Items      []jsontext.Value
	TotalItems uint64
	// Before is the entry id to page back from with get_entries; nil when Items
	// begin at the beginning.
	Before *string
	Live   Live
}

// Entries answers get_entries, to that client alone.
type Entries struct {
	Items  []jsontext.Value
	Before *string
}

// Status says what the pod is doing. Passing; on every change (of Clients
// alone at most once a second); to extended clients.
type Status struct {
	State     PodState
	SessionID SessionID
	// SinceMS is how long the pod has been in this state, in milliseconds.
	SinceMS int64
	Clients uint64
	// Queued is the number of accepted inputs that are not yet entries.
	Queued uint64
	// Retry is nil unless a model request waits for its next attempt.
	Retry *Retry
}

// Retry describes the next attempt of a model request.
type Retry struct {
	Attempt uint64
	// AtMS is Unix time in milliseconds.
	AtMS int64
}

// UserInput shows an accepted input that became an entry. Durable; to every
// extended client, the sender too.
type UserInput struct {
	Text string
	// Kind is input, notification or pod_event.
	Kind InputKind
	// Client is what the sender called itself in hello; empty for base clients.
	Client  string
	EntryID string
}

// InputKind is the kind word of a UserInput.
type InputKind string

// The kinds of input.
const (
	InputText         InputKind = "input"
	InputNotification InputKind = "notification"
	InputPodEvent     InputKind = "pod_event"
)

// ReasoningDelta is a piece of the open reasoning block. Passing; coalesced,
// never dropped; to extended clients.
type ReasoningDelta struct {
	Text string
}

// ReasoningDone is a whole reasoning block. Durable; to extended clients.
type ReasoningDone struct {
	Text    string
	EntryID string
}

// Accepted answers a method that had a request_id and has no answer event of
// its own, after the commit, to that client alone (extended).
type Accepted struct {
	Method string
	// EntryID is the id the input will have in the log; nil for methods that add
	// none.
	EntryID *string
}

// Unknown is an event whose tag this build does not know. It is kept so that
// a client can show it raw and write it back as it was.
type Unknown struct {
	Name string
	// Data is the content as received; nil when it was absent.
	Data jsontext.Value
}

// EventName is "turn_start".
func (TurnStart) EventName() string { return EventTurnStart }

// EventName is "turn_end".
func (TurnEnd) EventName() string { return EventTurnEnd }

// EventName is "text_delta".
func (TextDelta) EventName() string { return EventTextDelta }

// EventName is "text_done".
func (TextDone) EventName() string { return EventTextDone }

// EventName is "tool_call_start".
func (ToolCallStart) EventName() string { return EventToolCallStart }

// EventName is "tool_call_args_delta".
func (ToolCallArgsDelta) EventName() string { return EventToolCallArgsDelta }

// EventName is "tool_call_done".
func (ToolCallDone) EventName() string { return EventToolCallDone }

// EventName is "tool_result".
func (ToolResult) EventName() string { return EventToolResult }

// EventName is "usage".
func (Usage) EventName() string { return EventUsage }

// EventName is "run_end".
func (RunEnd) EventName() string { return EventRunEnd }

// EventName is "error".
func (Error) EventName() string { return EventError }

// EventName is "history".
func (History) EventName() string { return EventHistory }

// EventName is "notification".
func (Notification) EventName() string { return EventNotification }

// EventName is "compact_start".
func (CompactStart) EventName() string { return EventCompactStart }

// EventName is "compact_done".
func (CompactDone) EventName() string { return EventCompactDone }

// EventName is "compact_failed".
func (CompactFailed) EventName() string { return EventCompactFailed }

// EventName is "shutdown".
func (ShutdownEvent) EventName() string { return EventShutdown }

// EventName is "hello".
func (HelloEvent) EventName() string { return EventHello }

// EventName is "snapshot".
func (Snapshot) EventName() string { return EventSnapshot }

// EventName is "entries".
func (Entries) EventName() string { return EventEntries }

// EventName is "status".
func (Status) EventName() string { return EventStatus }

// EventName is "user_input".
func (UserInput) EventName() string { return EventUserInput }

// EventName is "reasoning_delta".
func (ReasoningDelta) EventName() string { return EventReasoningDelta }

// EventName is "reasoning_done".
func (ReasoningDone) EventName() string { return EventReasoningDone }

// EventName is "accepted".
func (Accepted) EventName() string { return EventAccepted }

// EventName is the tag as received.
func (u Unknown) EventName() string { return u.Name }
