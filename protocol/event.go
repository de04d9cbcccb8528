package protocol

import "github.com/go-json-experiment/json/jsontext"

// Event is one line from a pod to a client.
type Event struct {
	// Data is the event itself; its type is the tag.
	Data EventData
	// Seq is the position of a durable event in the life of the pod: it grows
	// by one, never repeats and survives restarts. Zero means none: the event is
	// passing, or is the usage that shares its entry with the turn_end after it.
	// Base clients may see gaps in it.
	Seq uint64
	// RequestID is set only on the one direct answer to a method that had one.
	RequestID string
}

// EventData is the set of events. A tag this build does not know is Unknown.
//
// The comment of each type is its contract: what it says, when it is sent and
// how often, after which commit, to whom. A durable event is rendered from one
// committed entry and carries its seq; a passing one is not stored and carries
// none. Fields are bound to their keys by the tag "wire": "optional" leaves the
// key out when there is nothing to say, "nullable" writes null (a missing key
// reads the same), "extended" goes to extended clients only, "inline" puts the
// fields of a struct among those of its owner.
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

// Unknown is an event whose tag this build does not know. It is kept so that
// a client can show it raw and write it back as it was. A pod never sends it.
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
