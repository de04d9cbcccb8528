package studio

import (
	"podium.local/session"
)

// Liveness is what is known of a session's process.
type Liveness int

// The three answers; Unknown is never read as one of the others.
const (
	Unknown Liveness = iota
	Alive
	Dead
)

// Health words of a running session, by severity.
const (
	healthHealthy      = "healthy"
	healthIdle         = "idle"
	healthUnresponsive = "unresponsive"
	healthStale        = "stale"
	healthOrphaned     = "orphaned"
	healthUnknown      = "unknown" // of an invocation without sessions
)

// healthSeverity orders the health words for worst-of-group.
var healthSeverity = map[string]int{
	healthHealthy: 0, healthIdle: 1, healthUnresponsive: 2, healthStale: 3, healthOrphaned: 4,
}

// idleFloor is how long, in seconds, a session may be quiet and still healthy.
const idleFloor = 3600

// staleThreshold is how long, in seconds, a session of a kind may be quiet
// before it counts as stale.
func staleThreshold(kind *string) float64 {
	if kind != nil {
		switch *kind {
		case "flow", "fanout", "show-play", "engine":
			return 12 * 3600
		}
	}
	return 6 * 3600
}

// lastActivity is the time, in Unix seconds, at which a session last did
// something; 0 when nothing is known.
func lastActivity(r *session.Row) float64 {
	for _, at := range []*float64{r.LastMessageAt, r.UpdatedAt, r.StartedAt} {
		if at != nil && *at != 0 {
			return *at
		}
	}
	return 0
}

// runningHealth judges a running session. Exactly at a threshold is not past
// it. (seed 002 leaves the words of v1 as they are.)
func runningHealth(r *session.Row, now float64, live Liveness) string {
	idle := now - lastActivity(r)
	stale := idle > staleThreshold(r.InvocationKind)
	hasArtifacts := r.ArtifactsPath != nil && *r.ArtifactsPath != ""
	switch {
	case live != Alive && !hasArtifacts && r.MessageCount == 0:
		return healthOrphaned
	case live == Dead:
		return healthStale
	case live == Unknown && stale:
		return healthStale
	case live == Alive && stale:
		return healthUnresponsive
	case idle > idleFloor:
		return healthIdle
	default:
		return healthHealthy
	}
}

// running reports whether a row's own status says that it runs. A row without
// a status reads as completed.
func running(r *session.Row) bool { return statusOf(r) == string(session.StatusRunning) }

// statusOf is the status a row shows: a missing or empty one is completed.
func statusOf(r *session.Row) string {
	if r.Status == nil || *r.Status == "" {
		return string(session.StatusCompleted)
	}
	return *r.Status
}

// terminal reports whether a status is one that a session does not leave.
func terminal(status string) bool {
	switch session.Status(status) {
	case session.StatusCompleted, session.StatusCompletedEmpty, session.StatusFailed,
		session.StatusTimedOut, session.StatusAborted, session.StatusCancelled:
		return true
	}
	return false
}
