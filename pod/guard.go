package pod

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"podium.local/llm"
	"podium.local/protocol"
	"podium.local/session"
)

// guard compacts before a request that would be too large. errStopped means
// that somebody stopped the run meanwhile; any other error ends it.
func (r *run) guard() error {
	p, limit := r.p, r.p.o.Compaction.RequestThreshold
	switch {
	case r.thrash:
		r.yield()
		return errThrash
	case limit <= 0 || p.compactor.off || p.occupancy(r.hist) <= limit:
		return nil
	}
	r.yield()
	err := r.compact(limit)
	if err == nil {
		r.watch = limit
	}
	return err
}

// yield shows the turn that is not made: the number is used again.
func (r *run) yield() {
	n := r.p.turnNumber()
	r.p.hub.update(nil,
		protocol.Event{Data: protocol.TurnStart{Turn: n}},
		protocol.Event{Data: protocol.TurnEnd{Turn: n, Result: protocol.TurnFinished}})
}

// compact moves the run to a new session. Whatever is said of the input from
// then on speaks of a copy, so it is not taken back any more.
func (r *run) compact(judged int64) error {
	c := &compaction{
		p: r.p, hist: r.hist, judged: judged,
		phase: session.PhaseRunning, state: protocol.StateRunning, run: r.mark(),
		failed: "mid-run compaction failed", level: protocol.LevelError,
	}
	done := prepared{err: c.announce(commitWait)}
	if done.err == nil {
		done = c.prepare(r.ctx)
	}
	err := c.settle(done)
	r.p.compactor.count(r.p, err)
	if err != nil {
		r.compactFailed = true
		return err
	}
	r.visible = true
	r.hist, err = r.p.loadHistory()
	return err
}

// rescue compacts once when the model said that the context is too long for
// it, and before anything of an answer was shown. It reports whether the
// request should be made again.
func (r *run) rescue(a *answer, failure error) (again bool, err error) {
	var overflow *llm.Error
	if !errors.As(failure, &overflow) || overflow.Kind != llm.ErrorContextOverflow || a.shown || r.rescued {
		return false, failure
	}
	r.rescued = true
	r.p.hub.update(nil, protocol.Event{Data: protocol.TurnEnd{Turn: r.p.turnNumber(), Result: protocol.TurnFinished}})
	if err := r.compact(r.p.occupancy(r.hist)); err != nil {
		if errors.Is(err, errNothingToCompact) {
			return false, fmt.Errorf("%w: %w", err, failure) // what the model said is the reason
		}
		return false, err
	}
	return true, nil
}

// measured notes what a request took: the first one after a compaction in
// this run must be below the threshold that fired.
func (r *run) measured(u *session.Usage) {
	r.p.compactor.measured(r.p, u)
	if r.watch == 0 || u == nil || u.InputTokens == nil {
		return
	}
	r.thrash = *u.InputTokens > r.watch
	r.watch = 0
}

// job is a compaction between runs. next is an input that was accepted
// meanwhile and runs afterwards.
type job struct {
	*compaction
	cancel    context.CancelCauseFunc
	manual    bool
	cancelled bool
	next      string
}

// compactAfterRun starts a compaction when the run left the context too full;
// it reports whether it did.
func (k *controller) compactAfterRun(r *run, end []session.Entry) bool {
	p, limit := k.p, k.p.o.Compaction.Threshold
	if limit <= 0 || p.compactor.off || r.compactFailed || k.stopping || k.state != protocol.StateIdle || r.hist == nil {
		return false
	}
	for _, e := range end {
		if err := r.hist.Apply(e); err != nil {
			p.log.Error("look whether to compact", "error", err)
			return false
		}
	}
	if p.occupancy(r.hist) <= limit {
		return false
	}
	k.launchCompaction(r.hist, limit, false)
	return true
}

// compactNow starts a compaction that was asked for.
func (k *controller) compactNow() error {
	if err := k.payDebt(); err != nil {
		return err
	}
	hist, err := k.p.loadHistory()
	if err != nil {
		return err
	}
	k.launchCompaction(hist, k.p.occupancy(hist), true)
	return nil
}

func (k *controller) launchCompaction(hist *session.History, judged int64, manual bool) {
	c := &compaction{
		p: k.p, hist: hist, judged: judged, phase: session.PhaseIdle, state: k.state,
		failed: "post-run compaction failed", level: protocol.LevelWarn,
	}
	if manual {
		c.failed = "compaction failed"
	}
	if k.state == protocol.StatePaused {
		c.phase, c.run = session.PhasePaused, k.p.runMark()
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	k.job = &job{compaction: c, cancel: cancel, manual: manual}
	k.state = protocol.StateCompacting
	c.settled = func(err error) { k.settled <- err }
	// Whatever is judged next is answered behind its start.
	announced := c.announce(promptWait)
	go func() {
		done := prepared{err: announced}
		if done.err == nil {
			done = c.prepare(ctx)
		}
		// Its error went the way of settled.
		_ = c.settle(done)
	}()
}

// endCompaction goes on after a compaction between runs; its outcome is
// committed and about to be announced.
func (k *controller) endCompaction(err error) {
	p, j := k.p, k.job
	k.job, k.state = nil, j.state
	j.cancel(nil)
	k.check(err)
	switch {
	case !j.manual:
		p.compactor.count(p, err)
		if err == nil {
			p.compactor.after = p.o.Compaction.Threshold
		}
	case err == nil:
		p.compactor = compactor{}
	}
	switch {
	case j.cancelled && j.next != "":
		k.dropNext(j.next)
	case j.next != "" && !k.stopping:
		k.start(j.next)
	}
	k.wake(false)
}

// dropNext takes back the run that waited for a compaction which was cancelled:
// it was accepted, so it has an end that everybody sees.
func (k *controller) dropNext(entryID string) {
	p := k.p
	items, err := p.inbox()
	i := slices.IndexFunc(items, func(i session.InboxItem) bool { return i.EntryID == entryID })
	if err == nil && i >= 0 {
		input := session.Input{Text: items[i].Text, Kind: items[i].Kind, Client: items[i].Client}
		_, err = p.record(step{
			entries: []session.NewEntry{
				{ID: entryID, Kind: session.KindInput, Payload: input},
				{ID: protocol.NewEntryID(), Kind: session.KindRolledBack, Payload: session.RolledBack{EntryID: entryID}},
				{ID: protocol.NewEntryID(), Kind: session.KindRunEnd, Payload: session.RunEnd{Result: protocol.RunRolledBack}},
			},
			taken: []string{entryID},
		})
	}
	if err != nil {
		p.log.Error("take the queued run back", "error", err)
		k.check(err)
	}
}
