package session

import (
	"podium.local/protocol"
)

// FleetQuery asks for what is going on: every pod that has not ended, the
// sessions that are active and those that failed lately.
type FleetQuery struct {
	// Active are the statuses of sessions that run, are queued or wait; Failed
	// those of sessions that went wrong.
	Active, Failed []string
	// ActiveLimit and FailedLimit are the most rows of either.
	ActiveLimit, FailedLimit int
	// FailedSince is the earliest end of a failed session, Unix seconds.
	FailedSince float64
	// InputsSince asks of some pods whether an input came after a time, Unix
	// seconds.
	InputsSince map[protocol.PodID]float64
}

// Fleet is the answer, read from one snapshot. Rows are in the order of their
// last update, newest first, with tags.
type Fleet struct {
	// Pods are by name.
	Pods   []FleetPod
	Active []Row
	Failed []Row
	// Truncated says that more sessions are active than were asked for.
	Truncated bool
	// FailedTruncated says that more sessions failed than were asked for.
	FailedTruncated bool
}

// FleetPod is a pod's row and what its session and its log say of it.
type FleetPod struct {
	Pod
	// SessionName and Project are the session's.
	SessionName, Project *string
	// LastRun is how the last run ended, LastRunAt when, in Unix seconds; nil when
	// none did and when an input came since.
	LastRun   *RunEnd
	LastRunAt float64
	// InputSince answers FleetQuery.InputsSince.
	InputSince bool
	// SeenAt is when the pod last started or wrote a durable event, Unix seconds:
	// the last time that it is known to have lived.
	SeenAt float64
}
