package pod

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"podium.local/protocol"
	"podium.local/session"
)

// Waits for the store: how long a commit may take, after which wait people are
// told, and the pause between two tries of a store that does not wait itself.
const (
	commitWait = 30 * time.Second
	commitSlow = 2 * time.Second
	// promptWait bounds the wait of a method that nothing else is judged beside,
	// endWait that of a run's end, which whoever waits for the run waits for.
	promptWait  = 5 * time.Second
	endWait     = 5 * time.Minute
	commitPause = 20 * time.Millisecond
	// stopPatience is how long a pod that is to stop still waits for its store.
	stopPatience = 3 * time.Second
)

// bookmark is what the pod leaves in each commit for its next process: where
// the log stands, and the run it is in.
type bookmark struct {
	Session string         `json:"session"`
	Length  int64          `json:"length"`
	Items   uint64         `json:"items"`
	Turns   uint64         `json:"turns"`
	Context uint64         `json:"context"`
	Totals  session.Totals `json:"totals"`
	// Name is the session's, from its first input.
	Name string `json:"name,omitempty"`
	// Run is nil while the pod is idle.
	Run *runMark `json:"run,omitempty"`
	// Ended is how the last run ended, zero before the first one did. The text of
	// a failure is cut.
	Ended runEnded `json:"ended,omitzero"`
}

// runEnded is the end of a run as far as the session's status tells it.
type runEnded struct {
	Result protocol.RunResult `json:"result"`
	Error  string             `json:"error,omitempty"`
}

func endedAs(e session.RunEnd) runEnded {
	return runEnded{Result: e.Result, Error: session.Clip(e.Error, maxReason)}
}

// runMark is a run that is going on, or paused.
type runMark struct {
	Paused bool `json:"paused,omitempty"`
	// Turns counts the run's own turns, for max_turns.
	Turns int `json:"turns"`
}

// step is one commit and what is to be seen of it.
type step struct {
	entries []session.NewEntry
	taken   []string
	usage   *session.Usage
	// summaryUsage says that usage is a summary's and measures nothing here.
	summaryUsage bool
	turns        int
	name         string
	// phase and run are the state after the step; an empty phase keeps both.
	phase session.Phase
	run   *runMark
	// done is the open block that the entries complete.
	done *block
	// view changes what clients see, in force before the events are published.
	view func(*view)
	// after are passing events behind those of the entries. The first owed
	// entries go without the passing ones in front of them: those were shown when
	// what they speak of happened.
	after []protocol.Event
	owed  int
	// patience is how long a locked store is waited for, 0 commitWait. committed
	// is called when the step is on disk and in force, and nobody was shown it yet;
	// it must not wait.
	patience  time.Duration
	committed func([]session.Entry)
}

// record commits a step and publishes its events: nothing is shown that is
// not on disk, and the order of the log is the order of the events.
func (p *Pod) record(s step) ([]session.Entry, error) {
	p.commitMu.Lock()
	defer p.commitMu.Unlock()
	mark := p.mark.after(s)
	encoded, err := json.Marshal(mark)
	if err != nil {
		return nil, fmt.Errorf("write the bookmark: %w", err)
	}
	var entries []session.Entry
	err = p.waiting(cmp.Or(s.patience, commitWait), func(ctx context.Context) (err error) {
		entries, err = p.o.Store.Commit(ctx, session.Commit{
			PodID: p.id, SessionID: p.mark.Session, At: p.o.Now(),
			Entries: s.entries, Taken: s.taken, Phase: s.phase, Usage: s.usage, Turns: s.turns,
			Name: s.name, Bookmark: encoded,
		})
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("save the session: %w", err)
	}
	p.mark = mark
	events, err := p.events(entries, s.owed)
	if err != nil {
		return nil, err
	}
	p.hub.update(func(v *view) {
		for _, e := range entries {
			v.seq = max(v.seq, e.Seq)
		}
		v.length, v.items, v.totals, v.context = mark.Length, mark.Items, mark.Totals, mark.Context
		v.queued -= min(v.queued, uint64(len(s.taken)))
		v.closeBlocks(s.done, entries)
		if s.view != nil {
			s.view(v)
		}
		if s.committed != nil {
			s.committed(entries)
		}
	}, append(events, s.after...)...)
	return entries, nil
}

// events renders committed entries as they are first shown.
func (p *Pod) events(entries []session.Entry, owed int) ([]protocol.Event, error) {
	var events []protocol.Event
	for i, e := range entries {
		if i >= owed {
			passing, err := session.Passing(e, p.contextLimit)
			if err != nil {
				return nil, err
			}
			events = append(events, passing...)
		}
		ev, ok, err := session.Event(e)
		if err != nil {
			return nil, err
		}
		if ok {
			events = append(events, ev)
		}
	}
	return events, nil
}

// closeBlocks takes the finished block off the open ones; the end of a turn or
// a run discards them all.
func (v *view) closeBlocks(done *block, entries []session.Entry) {
	var open []*block
	for _, b := range v.open {
		if b != done {
			open = append(open, b)
		}
	}
	for _, e := range entries {
		if e.Kind == session.KindTurnEnd || e.Kind == session.KindRunEnd {
			open = nil
		}
	}
	v.open = open
}

// after is the bookmark once the step is committed.
func (m bookmark) after(s step) bookmark {
	m.Length += int64(len(s.entries))
	for _, e := range s.entries {
		switch e.Kind {
		case session.KindTurnEnd:
			m.Turns++
		case session.KindRolledBack:
			m.Items--
		case session.KindCompaction:
		case session.KindRunEnd:
			if end, ok := e.Payload.(session.RunEnd); ok {
				m.Ended = endedAs(end)
			}
		default:
			m.Items++
		}
	}
	m.Totals.Add(s.usage)
	if m.Name == "" {
		m.Name = s.name
	}
	if u := s.usage; u != nil && u.InputTokens != nil && !s.summaryUsage {
		m.Context = uint64(max(0, *u.InputTokens))
		if u.OutputTokens != nil {
			m.Context += uint64(max(0, *u.OutputTokens))
		}
	}
	if s.phase != "" {
		m.Run = s.run
	}
	return m
}

// patiently repeats a store operation while the store is locked, tells people
// when that takes long, and gives up after commitWait. The wait does not end
// with a run, as what was said must be saved; once the pod is to stop it ends
// after stopPatience.
func (p *Pod) patiently(try func(context.Context) error) error {
	return p.waiting(commitWait, try)
}

// waiting is patiently with a limit of its own.
func (p *Pod) waiting(most time.Duration, try func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(p.storeCtx, most)
	defer cancel()
	slow := time.AfterFunc(commitSlow, func() {
		p.hub.notify(protocol.Notification{
			Level: protocol.LevelWarn, Source: protocol.SourcePod,
			Message: "the store is locked by another program; still trying to save",
		})
	})
	defer slow.Stop()
	for {
		err := try(ctx)
		if cause := ctx.Err(); cause != nil && errors.Is(err, cause) {
			return session.ErrBusy // that is what it waited for
		}
		if !errors.Is(err, session.ErrBusy) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(commitPause):
		}
	}
}
