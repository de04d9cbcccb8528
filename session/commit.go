package session

import (
	"encoding/json"
	"time"

	"podium.local/protocol"
)

// Phase is what a live pod is doing with its session (column current_phase).
type Phase string

// The phases.
const (
	PhaseIdle       Phase = "idle"
	PhaseRunning    Phase = "running"
	PhasePaused     Phase = "paused"
	PhaseCompacting Phase = "compacting"
)

// Status is the stored status of a session.
type Status string

// The statuses a session can have.
const (
	StatusRunning        Status = "running"
	StatusCompleted      Status = "completed"
	StatusCompletedEmpty Status = "completed_empty"
	StatusFailed         Status = "failed"
	StatusTimedOut       Status = "timed_out"
	StatusAborted        Status = "aborted"
	StatusCancelled      Status = "cancelled"
)

// Process identifies the process that holds a session, well enough that a
// later one with the same pid is not taken for it.
type Process struct {
	PID int
	// CreateTime and BootTime are Unix seconds.
	CreateTime float64
	Host       string
	BootTime   float64
}

// Pod is a pod's row: its name, its identity and the session it holds.
type Pod struct {
	ID        protocol.PodID
	Name      string
	SessionID string
	Cwd       string
	Provider  string // the wire scheme: anthropic, openai_responses, openai_chat
	Model     string
	Socket    string
	Process   Process
	StartedAt time.Time
	// EndedAt is zero while the pod lives (or was killed and not yet found).
	EndedAt time.Time
	// Seq is the newest durable event's number.
	Seq uint64
	// Phase is what the last process was doing when it left the session or died.
	Phase Phase
	// Length is the number of entries in the session's log.
	Length int64
	// Bookmark is what the last Commit or Continuation left for a restart; nil
	// when there was none.
	Bookmark json.RawMessage
	// InputTokens, OutputTokens and CostUSD are the session's totals; nil until
	// something was reported. CostPartial says that some requests had no price.
	InputTokens, OutputTokens *int64
	CostUSD                   *float64
	CostPartial               bool
}

// PodStart claims a name and a session for a process.
type PodStart struct {
	Name     string
	Cwd      string
	Provider string
	Model    string
	Socket   string
	Process  Process
	// AgentName comes only from a configured agent.
	AgentName string
	Project   string
	// New starts another session even when the name is known; SessionID
	// continues that session. Neither: continue the name's own, or make one.
	New       bool
	SessionID string
}

// NewEntry is an entry to be appended.
type NewEntry struct {
	ID      string
	Kind    Kind
	Payload any // the payload type of Kind
}

// Commit is one atomic step of a pod's life. Everything in it is on disk when
// the call returns, or nothing is.
type Commit struct {
	PodID     protocol.PodID
	SessionID string
	At        time.Time
	// Entries are appended in order; the durable ones get the pod's next
	// sequence numbers.
	Entries []NewEntry
	// Taken are inbox rows (by entry id) that Entries contain; they leave the
	// inbox in the same commit.
	Taken []string
	// Phase is the new current_phase; empty keeps it.
	Phase Phase
	// Usage is added to the session's totals; an unpriced request leaves the cost
	// as it is and marks the total as partial.
	Usage *Usage
	// Turn, when a turn ended, is counted.
	Turns int
	// Name is the session's name if it has none yet (at most 200 bytes).
	Name string
	// Bookmark is the pod's private run state for a restart; nil keeps it.
	Bookmark json.RawMessage
}

// InboxItem is an accepted input that is not yet an entry.
type InboxItem struct {
	EntryID    string
	Kind       protocol.InputKind
	Text       string
	Client     string
	AcceptedAt time.Time
	// TooLong is the length in bytes of a text that is too long to be read, which
	// an older program accepted; Text is empty then. Else it is 0.
	TooLong int64
}

// Acceptance asks for an input to be made durable.
type Acceptance struct {
	PodID protocol.PodID
	Item  InboxItem
	// RequestID makes the acceptance idempotent; empty for none.
	RequestID string
}

// Continuation moves a pod to a new session in one atomic step (compaction).
// The old session's entries stay as they are; its row becomes completed with
// reason session.compacted, and both rows get their status transition.
type Continuation struct {
	PodID       protocol.PodID
	FromSession string
	NewSession  string
	At          time.Time
	// Head is the length of the old log that the caller has seen; when the log is
	// longer the store changes nothing and returns ErrLost.
	Head int64
	// Entries open the new session's log. They get ordinals but no sequence
	// numbers: copies were shown before, the rest is text for the model.
	Entries []NewEntry
	// Done is appended after Entries and gets the pod's next sequence number. Its
	// payload, a Compaction, also fills the lineage row.
	Done NewEntry
	// Usage is the summary's and is added to the old session's totals.
	Usage *Usage
	// Name is the new session's name, Phase its first current_phase.
	Name  string
	Phase Phase
	// Bookmark replaces the pod's private run state.
	Bookmark json.RawMessage
}

// Leave ends a pod's hold on its session.
type Leave struct {
	PodID     protocol.PodID
	SessionID string
	At        time.Time
	Status    Status
	// ReasonCode and Reason go into the transition and the row; the code is a
	// dotted word (session.completed, session.cancelled).
	ReasonCode, Reason string
}
