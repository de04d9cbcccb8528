package protocol

// Method is one line from a client to a pod.
type Method struct {
	// Params is the method itself; its type is the tag.
	Params MethodParams
	// RequestID is empty when the client gave none; else 1 to 64 bytes. Exactly
	// one direct answer carries it back: an Error, the method's own answer event,
	// or Accepted. A run or notify whose id this pod has accepted before is
	// answered again and not done again, so a client may repeat it. Without hello
	// only Error and History carry it; it protects from repetition all the same.
	RequestID string
}

// MethodParams is the closed set of methods: Run, Notify, PodEvent, Resume,
// Cancel, Pause, Shutdown, GetHistory (base) and Hello, GetEntries, Compact
// (extended).
//
// The comment of each type says what it asks for and what it is answered with
// in which state. Fields are bound to their keys by the tag "wire", as with
// EventData; "when" lists the kinds that have the field.
type MethodParams interface {
	// MethodName is the tag on the wire.
	MethodName() string
}

// Run asks for one run with the given input. Idle: accepted. Paused: accepted;
// it closes the calls that are open and starts anew. Running: already_running.
// Compacting after a run: accepted and queued, a second one already_running.
type Run struct {
	// Input is the text; an empty one is accepted.
	Input string `wire:"input"`
}

// Notify hands the pod a text for the model that is not a request. Every state:
// accepted; it is delivered before the next request to the model, and starts a
// run when the pod is idle.
type Notify struct {
	// Message is the text.
	Message string `wire:"message"`
}

// Resume continues a paused run. Paused: accepted. Running: already_running.
// Otherwise: not_paused.
type Resume struct{}

// Cancel ends the active run, discards a paused one, ends a compaction after a
// run. It works from the moment the run is accepted. Idle: not_running.
type Cancel struct{}

// Pause stops the active run so that it can be resumed. Paused: nothing to do.
// Idle and compacting after a run: not_running.
type Pause struct{}

// Shutdown ends the pod, and before it the active run. Every state: accepted;
// queued input stays for the next start.
type Shutdown struct{}

// GetHistory asks for one History, sent to this client alone, in every state.
type GetHistory struct{}

// Hello opens the extended vocabulary on this connection. It is answered with
// HelloEvent, or with unsupported_version that names the known ones. Of a
// version this build does not know only ProtocolVersion is read.
type Hello struct {
	// ProtocolVersion is 1.
	ProtocolVersion uint64 `wire:"protocol_version"`
	// Client is "name/version" of the program, shown to other clients.
	Client string `wire:"client"`
	// PodID and Since ask for the durable events after Since; one without the
	// other asks for nothing.
	PodID *PodID `wire:"pod_id,nullable"`
	// Since is the seq of the last durable event seen.
	Since *uint64 `wire:"since,nullable"`
	// Tail is how many history items a snapshot should hold; null means 200, the
	// most is 2,000.
	Tail *uint64 `wire:"tail,nullable"`
}

// GetEntries asks for a window of older history items. It is answered with
// Entries, in every state; before hello it is refused.
type GetEntries struct {
	// Before is the entry id whose predecessors are wanted; null means the
	// newest.
	Before *string `wire:"before,nullable"`
	// Limit is the most items wanted; null means the pod's default.
	Limit *uint64 `wire:"limit,nullable"`
}

// Compact asks for a compaction now. Idle and Paused: accepted. Otherwise:
// already_running.
type Compact struct{}

// Tags of the methods. The first eight are the base vocabulary.
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

// PodEvent is what a child pod reports to its parent. It is rendered into the
// parent's log and delivered to the model like Notify.
type PodEvent struct {
	// Kind is the report, and with it which of the other fields are set.
	Kind PodEventKind `wire:"kind"`
	// PodName is the reporting child.
	PodName string `wire:"pod_name,when=turn_ended|errored|shut_down"`
	// Message is the error's text.
	Message string `wire:"message,when=errored"`
	// ParentPod is the child that delegated.
	ParentPod string `wire:"parent_pod,when=scope_sub_delegated"`
	// SubPod is the pod that it delegated to.
	SubPod string `wire:"sub_pod,when=scope_sub_delegated"`
	// SubSocket is the path of that pod's socket.
	SubSocket string `wire:"sub_socket,when=scope_sub_delegated"`
	// Scope is what was delegated.
	Scope []ScopeRule `wire:"scope,when=scope_sub_delegated"`
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
	Target string `wire:"target"`
	// Permission is the level; write includes read.
	Permission Permission `wire:"permission"`
	// Recursive covers everything below Target, else Target and its direct
	// children. A missing key means true; it is always written.
	Recursive bool `wire:"recursive,default"`
}

// Permission is the level a ScopeRule grants.
type Permission string

// The two permissions.
const (
	PermissionRead  Permission = "read"
	PermissionWrite Permission = "write"
)
