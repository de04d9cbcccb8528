package studio

import (
	"podium.local/protocol"
	"podium.local/session"
)

// attention says that something waits for a person.
type attention struct {
	Kind  string `json:"kind" doc:"paused, failed, limit, thrash, compaction_off; of sessions needs_review, blocked, gated."`
	Since number `json:"since" doc:"Since when it waits."`
}

// Kinds of attention.
const (
	attentionPaused        = "paused"
	attentionFailed        = "failed"
	attentionLimit         = "limit"
	attentionThrash        = "thrash"
	attentionCompactionOff = "compaction_off"
)

// waitingStatuses are the statuses in which a session waits for a person; each
// is its own kind of attention.
var waitingStatuses = []string{"needs_review", "blocked", "gated"}

// attends decides whether a pod or a session waits for a person; exactly one of
// the two is given. A pod waits when it is paused, and when its last run ended
// failed, at a limit or in thrash, or automatic compaction was switched off, and
// no input came since. An idle pod whose run is finished does not wait, nor one
// whose process is not there to go on.
func attends(pod *podFacts, row *session.Row) *attention {
	if row != nil {
		status := statusOf(row)
		for _, waiting := range waitingStatuses {
			if status == waiting {
				return &attention{Kind: status, Since: number(lastChange(row))}
			}
		}
		return nil
	}
	switch pod.state {
	case PodDead, PodUnresponsive:
		return nil
	case protocol.StatePaused:
		return &attention{Kind: attentionPaused, Since: number(pod.since)}
	}
	if kind := runAttention(pod.lastRun); kind != "" && pod.state != protocol.StateRunning && pod.inputAt <= pod.lastRunAt {
		return &attention{Kind: kind, Since: number(pod.lastRunAt)}
	}
	if pod.compactionOff > 0 && pod.inputAt <= pod.compactionOff {
		return &attention{Kind: attentionCompactionOff, Since: number(pod.compactionOff)}
	}
	return nil
}

// podFacts are what attention needs to know of a pod. Times are Unix seconds, 0
// for never.
type podFacts struct {
	state protocol.PodState
	since float64
	// lastRun is how the last run ended, nil when an input came since.
	lastRun   *session.RunEnd
	lastRunAt float64
	// compactionOff is when automatic compaction was switched off, inputAt when
	// the newest input is known to have come.
	compactionOff, inputAt float64
}

// runAttention is the kind of attention that the end of a run asks for, empty
// for none.
func runAttention(end *session.RunEnd) string {
	switch {
	case end == nil:
		return ""
	case end.Result == protocol.RunFailed && end.Reason == session.ReasonThrash:
		return attentionThrash
	case end.Result == protocol.RunFailed:
		return attentionFailed
	case end.Result == protocol.RunLimitReached:
		return attentionLimit
	default:
		return ""
	}
}

// lastChange is when a row was written last.
func lastChange(r *session.Row) float64 {
	if r.UpdatedAt != nil && *r.UpdatedAt > 0 {
		return *r.UpdatedAt
	}
	return r.CreatedAt
}
