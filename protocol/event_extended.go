package protocol

import "github.com/go-json-experiment/json/jsontext"

// The extended vocabulary: what a client gets besides once it has said hello.

// HelloEvent answers hello. Passing: once, to that client alone, before
// everything else of the extended stream. (seed 000, notes for later)
type HelloEvent struct {
	// ProtocolVersion is the version of the extended vocabulary that follows.
	ProtocolVersion uint64 `wire:"protocol_version"`
	// Server is "name/version" of the pod's program.
	Server string `wire:"server"`
	// PodID names the pod for its whole life; seq belongs to it.
	PodID PodID `wire:"pod_id"`
	// PodName is the pod's name.
	PodName string `wire:"pod_name"`
	// SessionID is the session of the moment.
	SessionID SessionID `wire:"session_id"`
	// State is what the pod is doing.
	State PodState `wire:"state"`
	// Seq is the newest durable event at the moment of subscription.
	Seq uint64 `wire:"seq"`
	// Resumed says that the durable events after the client's since follow, in
	// order; otherwise one Snapshot does.
	Resumed bool `wire:"resumed"`
	// Features are sorted; a feature is listed only when it works.
	Features []string `wire:"features"`
	// Live is set when Resumed: what a snapshot would have said of the moment.
	Live *Live `wire:",inline,optional"`
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

// Live is the unfinished part of a pod's state, as a Snapshot and a resumed
// HelloEvent carry it.
type Live struct {
	// InFlight are the blocks that have no done event yet, in order.
	InFlight []OpenBlock `wire:"in_flight"`
	// Pending is reserved for permission requests and always empty for now.
	Pending []jsontext.Value `wire:"pending"`
	// Usage holds the session's totals.
	Usage Usage `wire:"usage"`
}

// OpenBlock is a block of the running answer that has no done event yet.
type OpenBlock struct {
	// Kind is what the block is.
	Kind BlockKind `wire:"kind"`
	// ID is the call's id; tool calls only.
	ID string `wire:"id,optional"`
	// Name is the tool; tool calls only.
	Name string `wire:"name,optional"`
	// Text is what has arrived so far; for tool calls the arguments' text.
	Text string `wire:"text"`
}

// BlockKind is the kind word of an OpenBlock.
type BlockKind string

// The kinds of open block.
const (
	BlockText      BlockKind = "text"
	BlockReasoning BlockKind = "reasoning"
	BlockToolCall  BlockKind = "tool_call"
)

// Snapshot is the state of a pod for a client that does not resume. Passing:
// once, to that client alone, right after HelloEvent; what comes after it is
// not in it.
type Snapshot struct {
	// SessionID is the session that Items belong to.
	SessionID SessionID `wire:"session_id"`
	// State is what the pod is doing.
	State PodState `wire:"state"`
	// Seq is the newest durable event that Items hold.
	Seq uint64 `wire:"seq"`
	// Items are the newest history items, each with its entry_id.
	Items []jsontext.Value `wire:"items,of=Item"`
	// TotalItems counts the items of the session.
	TotalItems uint64 `wire:"total_items"`
	// Before is the entry id to page back from with get_entries; null when Items
	// begin at the beginning.
	Before *string `wire:"before,nullable"`
	// Live is the unfinished rest.
	Live Live `wire:",inline"`
}

// Entries is a window of older history items. Passing: it answers get_entries,
// once, to that client alone.
type Entries struct {
	// Items are history items, oldest first, each with its entry_id.
	Items []jsontext.Value `wire:"items,of=Item"`
	// Before is the entry id to page on from; null at the beginning.
	Before *string `wire:"before,nullable"`
}

// Status says what the pod is doing. Passing: once to a client behind the
// snapshot or the missed events that answer its hello, and to every extended
// client on every change, of Clients alone at most once a second.
type Status struct {
	// State is what the pod is doing.
	State PodState `wire:"state"`
	// SessionID is the session of the moment.
	SessionID SessionID `wire:"session_id"`
	// SinceMS is how long the pod has been in this state, in milliseconds.
	SinceMS int64 `wire:"since_ms"`
	// Clients counts the connections.
	Clients uint64 `wire:"clients"`
	// Queued is the number of accepted inputs that are not yet entries.
	Queued uint64 `wire:"queued"`
	// Retry is null unless a request to the model waits for its next attempt.
	Retry *Retry `wire:"retry,nullable"`
}

// Retry describes the next attempt of a request to the model.
type Retry struct {
	// Attempt is its number; the first repetition is 1.
	Attempt uint64 `wire:"attempt"`
	// AtMS is when it begins, Unix time in milliseconds.
	AtMS int64 `wire:"at_ms"`
}

// UserInput shows an accepted input that became an entry. Durable: its entry
// is committed before it; once an input; to every extended client, the sender
// too.
type UserInput struct {
	// Text is the input.
	Text string `wire:"text"`
	// Kind is the method it came with.
	Kind InputKind `wire:"kind"`
	// Client is what the sender called itself in hello; empty for base clients.
	Client string `wire:"client"`
	// EntryID is the entry in the log, the one that Accepted named.
	EntryID string `wire:"entry_id"`
}

// InputKind is the kind word of a UserInput.
type InputKind string

// The kinds of input.
const (
	InputText         InputKind = "input"
	InputNotification InputKind = "notification"
	InputPodEvent     InputKind = "pod_event"
)

// ReasoningDelta is a piece of the open reasoning block. Passing: many a
// block, merged with its neighbours for a slow client and never dropped; to
// every extended client.
type ReasoningDelta struct {
	// Text is appended to the block.
	Text string `wire:"text"`
}

// ReasoningDone is a whole reasoning block. Durable: its entry is committed
// before it; once a block; to every extended client.
type ReasoningDone struct {
	// Text is the whole block.
	Text string `wire:"text"`
	// EntryID is the entry in the log.
	EntryID string `wire:"entry_id,optional,extended"`
}

// Accepted says that a method was taken. Passing: it answers each method with a
// request_id that has no answer event of its own, once, after the commit if
// there is one, also when there was nothing to do; to that client alone.
type Accepted struct {
	// Method is the tag of the method.
	Method string `wire:"method"`
	// EntryID is the id that the input will have in the log; null for methods
	// that add none.
	EntryID *string `wire:"entry_id,nullable"`
}
