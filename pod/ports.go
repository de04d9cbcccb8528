package pod

import (
	"context"

	"podium.local/protocol"
	"podium.local/session"
)

// Store is what the runtime needs from the place that keeps sessions. Every
// method is atomic and durable when it returns. Errors that a caller acts on
// are session.ErrBusy, session.ErrFull (disk), session.ErrInboxFull and
// session.ErrLost (another process took the session or the store was
// replaced); everything else ends the run.
type Store interface {
	// StartPod claims the name and a session: status running, phase idle, process
	// identity on the row, the transition recorded. A run that the last process
	// left unfinished is still to be closed by the caller.
	StartPod(ctx context.Context, start session.PodStart) (session.Pod, error)
	// Accept makes an input durable in the inbox. With a request id seen before
	// it returns the earlier entry id and repeated true, and does nothing.
	Accept(ctx context.Context, a session.Acceptance) (entryID string, repeated bool, err error)
	// Accepted returns the entry id under which this pod accepted the request id
	// before, or "" when it never did.
	Accepted(ctx context.Context, pod protocol.PodID, requestID string) (entryID string, err error)
	// Inbox lists accepted inputs, oldest first.
	Inbox(ctx context.Context, pod protocol.PodID) ([]session.InboxItem, error)
	// Commit appends entries and changes the row in one transaction; it returns
	// the entries with ordinals and sequence numbers.
	Commit(ctx context.Context, c session.Commit) ([]session.Entry, error)
	// Continue moves the pod to a new session in one transaction; it returns the
	// new session's entries with ordinals and the sequence number of the last.
	Continue(ctx context.Context, c session.Continuation) ([]session.Entry, error)
	// Ordinal is the position of an entry in a session's log, or
	// session.ErrNotFound.
	Ordinal(ctx context.Context, sessionID, entryID string) (int64, error)
	// Log reads a session's entries with from <= ordinal < to, in order; to < 0
	// means to the end. At most limit entries (0: no limit).
	Log(ctx context.Context, sessionID string, from, to int64, limit int) ([]session.Entry, error)
	// Since reads a pod's durable entries with seq > after, in order.
	Since(ctx context.Context, pod protocol.PodID, after uint64, limit int) ([]session.Entry, error)
	// Leave ends the hold: status, phase and transition.
	Leave(ctx context.Context, l session.Leave) error
}
