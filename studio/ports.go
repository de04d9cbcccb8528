package studio

import (
	"context"
	"iter"
	"time"

	"podium.local/listing"
	"podium.local/protocol"
	"podium.local/session"
)

// Sources are what the handlers read and write, one small interface a
// subject. One store may be behind all of them; an absent store file answers
// as an empty store does, and is never made by a read.
type Sources struct {
	Presence    Presence
	Listings    Listings
	Windows     Windows
	Sessions    Sessions
	Logs        Logs
	Tags        Tags
	Projects    Projects
	Invocations Invocations
	Usage       Usage
	Edits       Edits
	Imports     Imports
	Fleet       Fleet
}

// Presence is what can be known of the store without trusting it.
type Presence interface {
	// Present reports whether the store's file exists right now.
	Present() bool
	// Probe reads one indexed row and the identity of the store.
	Probe(ctx context.Context) (session.Probe, error)
}

// Listings answers the numbered listings.
type Listings interface {
	// ListPage returns one page and the count of all matching rows, from one
	// snapshot.
	ListPage(ctx context.Context, q session.PageQuery) (session.Page, error)
	// ProjectCounts groups the visible sessions by project, in no order.
	ProjectCounts(ctx context.Context) ([]session.ProjectCount, error)
}

// Windows answers the bounded listing.
type Windows interface {
	// List answers one request. Its conditions are a *listing.Error.
	List(ctx context.Context, r listing.Request) (listing.Answer[session.Row], error)
}

// Sessions answers questions about one session. An unknown id is
// session.ErrNotFound everywhere.
type Sessions interface {
	// SessionRow reads the row alone, with tags and without counts.
	SessionRow(ctx context.Context, id string) (session.Row, error)
	// SessionDetail reads the session with a window of its messages. A stale
	// anchor is session.ErrStaleAnchor.
	SessionDetail(ctx context.Context, id string, w session.Window) (session.Detail, error)
	// MessagesAfter reads the messages strictly after a position, in stream order,
	// as many as one reading budget allows.
	MessagesAfter(ctx context.Context, id string, after session.StreamPosition) ([]session.Message, error)
	// StreamState reads what decides whether a stream is over.
	StreamState(ctx context.Context, id string) (session.StreamState, error)
}

// Logs answers questions about a session's log, whichever tables hold it.
type Logs interface {
	// EntryWindow reads a window of the log. An entry that is not in the log is
	// session.ErrStaleAnchor.
	EntryWindow(ctx context.Context, id string, q session.EntryQuery) (session.EntryWindow, error)
	// SearchEntries looks through a bounded part of the log.
	SearchEntries(ctx context.Context, id string, q session.SearchQuery) (session.SearchWindow, error)
	// WalkLog yields the whole log in order, in bounded reads. It ends at the
	// first error.
	WalkLog(ctx context.Context, id string) iter.Seq2[session.Entry, error]
	// Lineage reads the sessions this one was compacted from and continued in.
	Lineage(ctx context.Context, id string) (session.Lineage, error)
}

// Tags changes the tags of a session; both return the tags afterwards, sorted.
type Tags interface {
	// AddTag is idempotent. An unknown session is session.ErrNotFound.
	AddTag(ctx context.Context, id, tag string) ([]string, error)
	// RemoveTag is idempotent and does not ask whether the session exists.
	RemoveTag(ctx context.Context, id, tag string) ([]string, error)
}

// Projects reads the registered projects.
type Projects interface {
	ListProjects(ctx context.Context) (session.Projects, error)
	GetProject(ctx context.Context, name string) (session.Project, error)
}

// Invocations reads orchestrations; each answer comes from one snapshot.
type Invocations interface {
	ListInvocations(ctx context.Context, q session.InvocationQuery) (session.InvocationPage, error)
	GetInvocation(ctx context.Context, id string) (session.Invocation, error)
}

// Usage reads sessions started and money spent.
type Usage interface {
	// UsageSince sums per day of a zone, project or model from a time on.
	UsageSince(ctx context.Context, q session.UsageQuery) (session.Usages, error)
}

// Edits changes a session of our own store. An adopted store is
// session.ErrAdopted.
type Edits interface {
	// RenameSession sets the name that the listing shows.
	RenameSession(ctx context.Context, id, name string) error
	// DeleteSession removes the session and remembers its id. One that a live pod
	// holds is session.ErrHeld.
	DeleteSession(ctx context.Context, id string, at time.Time) error
}

// Imports reads the ledger of imported files.
type Imports interface {
	// ListImports reads a page of it, the last read first, with the number of all
	// files that match; an empty tool matches all.
	ListImports(ctx context.Context, tool string, limit int, offset int64) ([]session.ImportFile, int64, error)
}

// Fleet reads what is going on right now.
type Fleet interface {
	// Fleet answers from one bounded snapshot.
	Fleet(ctx context.Context, q session.FleetQuery) (session.Fleet, error)
	// LivePod finds a pod that has not ended; session.ErrNotFound when there is
	// none of that name.
	LivePod(ctx context.Context, name string) (session.Pod, error)
	// Watch begins to watch the store for changes.
	Watch() Changes
}

// Changes tells of commits to the store. It serves one goroutine.
type Changes interface {
	// Changed reports whether anything was committed since the last call; the
	// first one says so.
	Changed(ctx context.Context) (bool, error)
	// Close gives back what the watching holds.
	Close() error
}

// Pods reaches the processes of pods.
type Pods interface {
	// Look asks a pod what it is doing. A pod that does not answer in time is
	// PodUnresponsive, one whose process is gone PodDead.
	Look(ctx context.Context, pod session.Pod) PodLook
	// Follow holds one connection to a pod and reports what it is doing, first
	// at once and then with every change, until ctx ends.
	Follow(ctx context.Context, pod session.Pod, report func(PodLook))
	// Call hands one method to a pod and waits until it is taken. The pod's own
	// refusal is a *client.PodError; a pod that is not there is
	// client.ErrNotRunning. Any other error means that it did not answer.
	Call(ctx context.Context, pod session.Pod, m protocol.Method) error
}

// States of a pod besides those that it has itself.
const (
	// PodUnresponsive is a pod that does not answer, or not in time.
	PodUnresponsive protocol.PodState = "unresponsive"
	// PodDead is a pod whose process was killed and which nothing took over yet.
	PodDead protocol.PodState = "dead"
)

// PodLook is what a pod says of itself.
type PodLook struct {
	State protocol.PodState
	// SessionID is the session of the moment, empty when the pod did not say.
	SessionID string
	// Since is when the state began, zero when it is not known; of a pod that does
	// not answer, when it last did.
	Since time.Time
	// Tool is the oldest tool call that runs, empty for none.
	Tool string
	// Clients are the connections, that of Follow too; nil when the pod did not say.
	Clients *uint64
	// ContextTokens and ContextLimit are the occupancy of the model's context;
	// nil when it was not measured, or its size is not known.
	ContextTokens, ContextLimit *uint64
	// CompactionOff is when the pod switched automatic compaction off, zero when
	// it did not.
	CompactionOff time.Time
	// Input is when the newest input came while the pod was followed.
	Input time.Time
	// Problem is why the newest compaction failed while the pod was followed, and
	// ProblemAt when; both are empty once another compaction or a run begins.
	Problem   string
	ProblemAt time.Time
}
