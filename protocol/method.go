package protocol

// Method is one line from a client to a pod.
type Method struct {
	// Params is the method itself; its type is the tag.
	Params MethodParams
	// RequestID is empty when the client gave none; else 1 to 64 bytes. Exactly
	// one direct answer carries it back.
	RequestID string
}

// MethodParams is the closed set of methods: Run, Notify, PodEvent, Resume,
// Cancel, Pause, Shutdown, GetHistory (base) and Hello, GetEntries, Compact
// (extended).
type MethodParams interface {
	// MethodName is the tag on the wire.
	MethodName() string
}

// Run asks for one run with the given input. Empty input is accepted.
type Run struct {
	Input string
}

// Notify hands the pod a text for the model that is not a request: it is
// delivered before the next model request, and starts a run when the pod is
// idle.
type Notify struct {
	Message string
}

// Resume continues a paused run.
type Resume struct{}

// Cancel ends the active or paused run.
type Cancel struct{}

// Pause stops the active run so that it can be resumed.
type Pause struct{}

// Shutdown ends the pod.
type Shutdown struct{}

// GetHistory asks for one history event, sent to this client alone.
type GetHistory struct{}

// Hello opens the extended vocabulary on this connection.
type Hello struct {
	// ProtocolVersion is 1.
	ProtocolVersion uint64
	// Client is "name/version" of the program, shown to other clients.
	Client string
	// PodID and Since ask for the durable events after Since; both or none.
	PodID *PodID
	Since *uint64
	// Tail is how many history items a snapshot should hold; nil means 200.
	Tail *uint64
}

// GetEntries asks for a window of older history items (extended).
type GetEntries struct {
	// Before is the entry id whose predecessors are wanted; nil means the newest.
	Before *string
	// Limit is the most items wanted; nil means the pod's default.
	Limit *uint64
}

// Compact asks for a compaction now (extended).
type Compact struct{}

// Tags of the methods.
const (
	MethodRun        = "run"
	MethodNotify     = "notify"
	MethodPodEvent   = "pod_event"
	MethodResume     = "resume"
	MethodCancel     = "cancel"
	MethodPause      = "pause"
	MethodShutdown   = "shutdown"
	MethodGetHistory = "get_history"
	MethodHello      = "hello"
	MethodGetEntries = "get_entries"
	MethodCompact    = "compact"
)

// MethodName is "run".
func (Run) MethodName() string { return MethodRun }

// MethodName is "notify".
func (Notify) MethodName() string { return MethodNotify }

// MethodName is "pod_event".
func (PodEvent) MethodName() string { return MethodPodEvent }

// MethodName is "resume".
func (Resume) MethodName() string { return MethodResume }

// MethodName is "cancel".
func (Cancel) MethodName() string { return MethodCancel }

// MethodName is "pause".
func (Pause) MethodName() string { return MethodPause }

// MethodName is "shutdown".
func (Shutdown) MethodName() string { return MethodShutdown }

// MethodName is "get_history".
func (GetHistory) MethodName() string { return MethodGetHistory }

// MethodName is "hello".
func (Hello) MethodName() string { return MethodHello }

// MethodName is "get_entries".
func (GetEntries) MethodName() string { return MethodGetEntries }

// MethodName is "compact".
func (Compact) MethodName() string { return MethodCompact }

// PodEvent is what a child pod reports to its parent, sent as the params of
// the pod_event method.
type PodEvent struct {
	// Kind is the report, and with it which of the fields below are set.
	Kind PodEventKind
	// PodName is the reporting child (turn_ended, errored, shut_down).
	PodName string
	// Message is the error's text (errored).
	Message string
	// ParentPod, SubPod, SubSocket and Scope describe a delegation
	// (scope_sub_delegated).
	ParentPod, SubPod, SubSocket string
	Scope                        []ScopeRule
}

// PodEventKind is the kind word of a PodEvent.
type PodEventKind string

// The kinds of PodEvent. Note shut_down here against shutdown elsewhere.
const (
	PodEventTurnEnded         PodEventKind = "turn_ended"
	PodEventErrored           PodEventKind = "errored"
	PodEventShutDown          PodEventKind = "shut_down"
	PodEventScopeSubDelegated PodEventKind = "scope_sub_delegated"
)

// ScopeRule is one rule of file access as it travels on the wire.
type ScopeRule struct {
	// Target is an absolute path.
	Target string
	// Permission is "read" or "write"; write includes read.
	Permission Permission
	// Recursive covers everything below Target, else Target and its direct
	// children. A missing key means true; it is always written.
	Recursive bool
}

// Permission is the level a ScopeRule grants.
type Permission string

// The two permissions.
const (
	PermissionRead  Permission = "read"
	PermissionWrite Permission = "write"
)
