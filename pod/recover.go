package pod

import (
	"encoding/json"
	"fmt"
	"slices"

	"podium.local/llm"
	"podium.local/protocol"
	"podium.local/session"
)

// reasonRestarted is the reason of a run that a dead process left unfinished.
const reasonRestarted = "pod_restarted"

// recover takes up the session where the last process left it. An orderly end
// leaves a bookmark that says it all; after a kill the run that was going on
// is closed: its open calls as lost, itself as failed, and the model is told.
// Nothing goes on by itself.
func (p *Pod) recover(row session.Pod) error {
	id, err := protocol.ParseSessionID(row.SessionID)
	if err != nil {
		return err
	}
	p.hub.view = view{state: protocol.StateIdle, since: p.o.Now(), sessionID: id, seq: row.Seq}
	if !p.readBookmark(row) {
		if err := p.rebuild(row); err != nil {
			return err
		}
	}
	m := p.mark
	v := &p.hub.view
	v.length, v.items, v.totals, v.context = m.Length, m.Items, m.Totals, m.Context
	switch {
	case m.Run == nil:
	case m.Run.Paused:
		v.state = protocol.StatePaused
	default:
		if err := p.closeLostRun(); err != nil {
			return err
		}
	}
	if row.Phase == session.PhaseCompacting {
		p.hub.notify(protocol.Notification{
			Level: protocol.LevelWarn, Source: protocol.SourceCompactor,
			Message: "a compaction failed because the pod stopped; the session is as it was",
		})
	}
	waiting, err := p.inbox()
	if err != nil {
		return err
	}
	v.queued = uint64(len(waiting))
	p.controller.state = v.state
	return nil
}

// readBookmark takes the bookmark over if it speaks of the log as it is.
func (p *Pod) readBookmark(row session.Pod) bool {
	if row.Bookmark == nil {
		return false
	}
	var m bookmark
	if err := json.Unmarshal(row.Bookmark, &m); err != nil {
		p.log.Warn("the bookmark cannot be read; reading the log instead", "error", err)
		return false
	}
	if m.Session != row.SessionID || m.Length != row.Length {
		return false
	}
	p.mark = m
	return true
}

// rebuild derives the bookmark from the log: for a new session, and for one
// that another pod held last.
func (p *Pod) rebuild(row session.Pod) error {
	p.mark = bookmark{Session: row.SessionID}
	if row.Length == 0 {
		return nil
	}
	hist, err := p.loadHistory()
	if err != nil {
		return err
	}
	p.mark.Length = hist.Length()
	p.mark.Items = uint64(len(hist.Items()))
	p.mark.Turns = hist.Turns()
	p.mark.Totals = hist.Totals()
	p.mark.Context = uint64(max(0, hist.Measured().Tokens))
	if text, ok := hist.FirstRequest(); ok {
		p.mark.Name = session.Clip(text, maxSessionName)
	}
	p.mark.Ended = endedAs(hist.LastEnd())
	if hist.Unfinished() && ownSession(p.hub.view.sessionID) {
		p.mark.Run = &runMark{}
	}
	return nil
}

// ownSession reports whether a pod made the session: a UUID of version 7. The
// logs of imported ones have no ends of runs.
func ownSession(id protocol.SessionID) bool { return id[6]>>4 == 7 }

// closeLostRun ends the run that nobody ended.
func (p *Pod) closeLostRun() error {
	hist, err := p.loadHistory()
	if err != nil {
		return err
	}
	calls, complete := hist.OpenCalls()
	var cut *session.Usage
	if !complete { // no tool was at work, so a request was on its way
		cut = brokenOff(llm.Usage{})
	}
	entries := closings(calls, lostByStop)
	entries = append(entries,
		session.NewEntry{ID: protocol.NewEntryID(), Kind: session.KindRunEnd, Payload: session.RunEnd{
			Result: protocol.RunFailed, Code: protocol.CodeInternal, Reason: reasonRestarted,
			Error: "the pod stopped before the run was finished", Usage: cut,
		}},
		systemEntry(noteRestart))
	if _, err := p.record(step{entries: entries, phase: session.PhaseIdle, usage: cut}); err != nil {
		return fmt.Errorf("close the run that was cut off: %w", err)
	}
	return nil
}

// lastMark is the bookmark of the newest commit.
func (p *Pod) lastMark() bookmark {
	p.commitMu.Lock()
	defer p.commitMu.Unlock()
	return p.mark
}

// turnNumber is the number of the next turn: completed answers since the
// session, or the one it was compacted from, began.
func (p *Pod) turnNumber() uint64 { return p.lastMark().Turns }

// runMark is the paused run of the bookmark.
func (p *Pod) runMark() *runMark { return p.lastMark().Run }

// holdsRequest reports whether the inbox holds an input, not only
// notifications. One that cannot be read holds none.
func (p *Pod) holdsRequest() bool {
	items, err := p.inbox()
	if err != nil {
		p.log.Error("look for requests", "error", err)
		return false
	}
	return slices.ContainsFunc(items, func(i session.InboxItem) bool { return i.Kind == protocol.InputText })
}
