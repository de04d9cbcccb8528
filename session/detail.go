package session

// Window says which messages of a session's branches are wanted: the newest
// Limit of each branch, or the Limit before its anchor.
type Window struct {
	// Limit is the most messages a branch gives, 1 to 1,000.
	Limit int
	// Offset skips that many of the newest messages; ignored with Anchors.
	Offset int64
	// Anchors names, for each branch that has older messages, the message before
	// which the window ends; NewestAnchor begins at the newest again. A branch
	// that is missing has nothing more to give. Nil means no cursor was given.
	Anchors map[string]string
}

// NewestAnchor is the anchor of a branch whose first window held no row at
// all because the reading budget was spent.
const NewestAnchor = "@newest"

// Detail is one session with a window of its messages.
type Detail struct {
	Row
	// RunID is the provenance of a run started from a command line, not the id
	// that HTTP calls run_id.
	RunID        *string
	EvidenceRefs *string // JSON text
	// DurationMS is in milliseconds, nil when it was not measured.
	DurationMS *float64
	Show       *ShowRef
	// PauseHeld says that the newest pause or resume that counts is a pause.
	PauseHeld bool
	Branches  []Branch
	Stats     Stats
	// NextAnchors continue the window; empty when no branch has older messages.
	NextAnchors map[string]string
}

// ShowRef is the show that a session played in.
type ShowRef struct {
	Topic, PlayName string
}

// Branch is one line of conversation of a session.
type Branch struct {
	ID        string
	Name      *string
	CreatedAt float64
	Model     *string
	Provider  *string
	AgentName *string
	Status    *string
	StartedAt *float64
	EndedAt   *float64
	// Messages are the window, oldest first.
	Messages []Message
	// Total counts the branch's members, also those whose message is gone.
	Total    int64
	HasOlder bool
	// MessageCount and Roles count messages that exist.
	MessageCount int64
	Roles        map[string]int64
	FirstAt      *float64
	LastAt       *float64
}

// Stats describe all messages of a session, not the window.
type Stats struct {
	MessageCount  int64
	Roles         map[string]int64
	ToolCallCount int64
	Errors        []ToolError
	Files         []string
	// Bounded and FilesBounded say that a ceiling was reached: the numbers then
	// describe the newest part.
	Bounded, FilesBounded bool
}

// ToolError is a tool call that went wrong.
type ToolError struct {
	Function string
	Sender   *string
	At       *float64
	Output   string
}

// StreamPosition names one row of a session's message stream; rows are
// ordered by time, message id and branch id.
type StreamPosition struct {
	At        float64
	MessageID string
	BranchID  string
}

// StreamState says whether a session can still grow.
type StreamState struct {
	Status    *string
	UpdatedAt *float64
}

// Invocation is an orchestration: one command that started several sessions.
type Invocation struct {
	ID            string
	Skill         string
	Plugin        *string
	Prompt        *string
	StartedAt     float64
	EndedAt       *float64
	Status        string
	ReasonCode    *string
	ReasonSummary *string
	EvidenceRefs  *string // JSON text
	SessionCount  int64
	CreatedAt     float64
	UpdatedAt     float64
	NodeMetadata  *string // JSON text
	// Project and ProjectSource come from the child that was updated last.
	Project             *string
	ProjectSource       *string
	ScheduleExitCode    *int64
	ScheduleErrorDetail *string
	// Children are its sessions; artifacts only come with one invocation.
	Children  []Row
	Artifacts []Artifact
}

// Artifact is a structured result of an invocation.
type Artifact struct {
	ID           string
	InvocationID *string
	SessionID    *string
	Kind         string
	Name         string
	CreatedAt    float64
	Content      *string // JSON text
	FilePath     *string
}

// InvocationQuery asks for one page of invocations, newest first. Empty
// filters match all.
type InvocationQuery struct {
	Skill, Plugin, Status string
	Limit                 int
	Offset                int64
}

// InvocationPage is one page, the number of all that match, and the number
// of completed ones whatever status was asked for.
type InvocationPage struct {
	Invocations    []Invocation
	Total          int64
	CompletedTotal int64
}
