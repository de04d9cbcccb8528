package main

import (
	"slices"
	"strings"
	"time"

	"podium.local/client"
	"podium.local/pod"
	"podium.local/protocol"
	"podium.local/session"
	"podium.local/studio"
)

// podView folds a pod's events into what it is doing.
type podView struct {
	look studio.PodLook
	// seq is the newest durable event that was seen.
	seq uint64
	// calls are those of the newest answer that have no result, oldest first;
	// complete says that the answer is, so that they run.
	calls    []runningCall
	complete bool
	// began says that the first snapshot came; later ones repeat it without items.
	began bool
	// passing says that whoever looks is about to leave and no client to count.
	passing bool
}

// runningCall is a call by its id.
type runningCall struct{ id, name string }

// newPodView begins with what hello said, or the store where it was not said.
func newPodView(conn *client.Conn, row session.Pod) *podView {
	v := &podView{look: studio.PodLook{State: protocol.PodState(row.Phase), SessionID: row.SessionID}}
	if hello, extended := conn.Hello(); extended {
		v.look.State, v.look.SessionID, v.seq = hello.State, hello.SessionID.String(), hello.Seq
	}
	return v
}

// apply takes one event. One that was seen, as repeated by a second hello,
// changes nothing.
func (v *podView) apply(e protocol.Event) {
	if e.Seq > 0 {
		if e.Seq <= v.seq {
			return
		}
		v.seq = e.Seq
	}
	switch d := e.Data.(type) {
	case protocol.HelloEvent:
		if d.Live != nil {
			v.used(d.Live.Usage)
		}
	case protocol.Snapshot:
		v.used(d.Live.Usage)
		if !v.began {
			v.recall(d)
		}
		v.began = true
	case protocol.Status:
		v.status(d)
	case protocol.UserInput:
		v.look.Input = time.Now()
		v.solved()
	case protocol.TurnStart:
		v.calls, v.complete = nil, false
	case protocol.ToolCallDone:
		if v.complete {
			v.calls, v.complete = nil, false
		}
		v.calls = append(v.calls, runningCall{d.ID, d.Name})
	case protocol.TurnEnd:
		v.complete = true
	case protocol.ToolResult:
		v.calls = slices.DeleteFunc(v.calls, func(c runningCall) bool { return c.id == d.ID })
	case protocol.RunEnd, protocol.CompactDone:
		v.calls, v.complete = nil, false
	case protocol.Usage:
		v.used(d)
	case protocol.CompactStart:
		v.solved()
	case protocol.CompactFailed:
		v.look.Problem, v.look.ProblemAt = d.Error, time.Now()
	case protocol.Notification:
		if d.Source == protocol.SourceCompactor && strings.HasPrefix(d.Message, pod.CompactionOff) {
			v.look.CompactionOff = time.UnixMilli(d.TimestampMS)
		}
	}
	v.look.Tool = ""
	if v.complete && len(v.calls) > 0 && v.look.State == protocol.StateRunning {
		v.look.Tool = v.calls[0].name
	}
}

// solved forgets what failed.
func (v *podView) solved() { v.look.Problem, v.look.ProblemAt = "", time.Time{} }

// jitter is by how much a time computed from an age may be off.
const jitter = 500 * time.Millisecond

func (v *podView) status(d protocol.Status) {
	since := time.Now().Add(-time.Duration(d.SinceMS) * time.Millisecond)
	if d.State != v.look.State || since.Sub(v.look.Since).Abs() > jitter {
		v.look.Since = since
	}
	// A run that compacts in its middle goes on; it does not begin.
	if d.State == protocol.StateRunning && v.look.State != d.State && v.look.State != protocol.StateCompacting {
		v.solved()
	}
	v.look.State, v.look.SessionID = d.State, d.SessionID.String()
	clients := d.Clients
	if v.passing && clients > 0 {
		clients--
	}
	v.look.Clients = &clients
}

// used notes the occupancy of the context, where it was measured.
func (v *podView) used(u protocol.Usage) {
	if u.Extra == nil {
		return
	}
	v.look.ContextLimit = u.Extra.ContextLimit
	if n := u.Extra.ContextTokens; n > 0 {
		v.look.ContextTokens = &n
	}
}

// recall finds the calls that run in the newest items of a snapshot.
func (v *podView) recall(s protocol.Snapshot) {
	for _, raw := range s.Items {
		item, err := protocol.ParseItem(raw)
		if err != nil {
			continue
		}
		switch d := item.Data.(type) {
		case protocol.ToolCallItem:
			v.calls = append(v.calls, runningCall{d.CallID, d.Name})
		case protocol.ToolResultItem:
			v.calls = slices.DeleteFunc(v.calls, func(c runningCall) bool { return c.id == d.CallID })
		case protocol.Message:
			if d.Role == protocol.RoleUser {
				v.calls = nil
			}
		}
	}
	v.complete = len(s.Live.InFlight) == 0
}
