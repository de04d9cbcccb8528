package pod

import (
	"context"
	"errors"
	"fmt"
	"time"

	"podium.local/protocol"
	"podium.local/session"
)

// Fixed messages of rejections.
const (
	messageAlreadyRunning = "Pod is already executing a turn"
	messageNotRunning     = "Pod is not running"
	messageNotPaused      = "Pod is not paused"
)

// Stopping is the message with which a pod that is about to end refuses a
// method.
const Stopping = "refused: the pod is shutting down"

// command is one method on its way to the controller, which closes done once
// it is judged and answered.
type command struct {
	client *client
	// name is what the client called itself when it sent it.
	name   string
	method protocol.Method
	// accepted is the entry id of an input that is in the inbox already.
	accepted string
	done     chan struct{}
}

// controller judges methods and run ends one after the other. It alone starts
// and ends runs and changes the pod's state, so each method meets exactly one
// state. Its goroutine is that of Pod.Run.
//
// What may wait long for the store is done by other goroutines, so that methods
// are judged meanwhile. Each sends one message when its commit is there and
// before anybody is shown it; the channels hold it.
type controller struct {
	p     *Pod
	state protocol.PodState
	run   *run
	ended chan ended
	// accepting is a run or resume that waits for its commit, nil when there is
	// none.
	accepting   *acceptance
	acceptances chan *acceptance
	// job is a compaction between runs, settled delivers how it ended.
	job     *job
	settled chan error
	// stopping is set once a shutdown was asked for, discarded when that cost a
	// run its end, fatal when the pod cannot go on.
	stopping  bool
	discarded bool
	fatal     error
	// ran says that a run that somebody asked for has ended in this process; one
	// of inputs that an earlier process left does not count.
	ran bool
	// debt is the end of a run that could not be saved, nil when there is none.
	// Nothing else begins before it is.
	debt *step
}

// serve works until the pod is to end.
func (k *controller) serve(ctx context.Context) {
	p := k.p
	k.wake(true)
	alone := time.NewTimer(p.o.OnceGrace)
	defer alone.Stop()
	for !k.over() {
		select {
		case cmd := <-p.commands:
			k.catchUp()
			k.handle(cmd)
		case e := <-k.ended:
			k.endRun(e)
		case a := <-k.acceptances:
			k.accepted(a)
		case err := <-k.settled:
			k.endCompaction(err)
		case <-p.lonely:
			alone.Reset(p.o.OnceGrace)
		case <-alone.C:
			if p.o.Once && k.run == nil && k.state == protocol.StateIdle && p.hub.empty() {
				p.log.Info("nobody came to start a run")
				k.stopping = true
			}
		case <-ctx.Done():
			ctx = context.WithoutCancel(ctx)
			p.log.Info("asked to stop")
			k.shutdown()
		}
	}
}

// over reports whether there is nothing left to wait for.
func (k *controller) over() bool {
	return k.stopping && k.run == nil && k.job == nil && k.accepting == nil
}

// catchUp takes in what is committed: a method that was sent after its events
// were seen is judged in the state that they told of.
func (k *controller) catchUp() {
	for {
		select {
		case e := <-k.ended:
			k.endRun(e)
		case a := <-k.acceptances:
			k.accepted(a)
		case err := <-k.settled:
			k.endCompaction(err)
		default:
			return
		}
	}
}

// handle judges one method in the state of this moment.
func (k *controller) handle(cmd command) {
	if !k.judge(cmd) {
		close(cmd.done)
	}
}

// judge reports whether the method still waits for its commit.
func (k *controller) judge(cmd command) (waits bool) {
	c, id := cmd.client, cmd.method.RequestID
	name := cmd.method.Params.MethodName()
	reject := func(code protocol.ErrorCode, message string) { c.reject(k.p.hub, id, code, message) }
	done := func(entryID string) { c.accept(k.p.hub, id, name, entryID) }
	if k.stopping && name != protocol.MethodShutdown && cmd.accepted == "" {
		reject(protocol.CodeInternal, Stopping)
		return false
	}
	switch m := cmd.method.Params.(type) {
	case protocol.Run:
		return k.handleRun(cmd, m)
	case protocol.Notify, protocol.PodEvent:
		done(cmd.accepted)
		k.wake(false)
	case protocol.Resume:
		switch k.state {
		case protocol.StatePaused:
			k.resume(cmd)
			return true
		case protocol.StateIdle, protocol.StateCompacting:
			reject(protocol.CodeNotPaused, messageNotPaused)
		default:
			reject(protocol.CodeAlreadyRunning, messageAlreadyRunning)
		}
	case protocol.Cancel:
		switch k.state {
		case protocol.StateIdle:
			reject(protocol.CodeNotRunning, messageNotRunning)
		case protocol.StatePaused:
			if err := k.discardPaused(); err != nil {
				reject(protocol.CodeInternal, "refused: "+err.Error())
				return false
			}
			done("")
		case protocol.StateCompacting:
			done("")
			k.job.cancelled = true
			k.job.cancel(errStopped)
		default:
			k.run.stop(wishCancel)
			done("")
		}
	case protocol.Pause:
		switch k.state {
		case protocol.StateIdle, protocol.StateCompacting:
			reject(protocol.CodeNotRunning, messageNotRunning)
		case protocol.StatePaused:
			done("")
		default:
			k.run.stop(wishPause)
			done("")
		}
	case protocol.Shutdown:
		done("")
		k.shutdown()
	case protocol.Compact:
		if k.state != protocol.StateIdle && k.state != protocol.StatePaused {
			reject(protocol.CodeAlreadyRunning, messageAlreadyRunning)
			return false
		}
		if err := k.compactNow(); err != nil {
			reject(protocol.CodeInternal, "refused: "+err.Error())
			return false
		}
		done("")
	default:
		reject(protocol.CodeInternal, "refused: not supported yet: "+name)
	}
	return false
}

// start begins a run of what the inbox holds.
func (k *controller) start(inputID string) {
	k.run = k.newRun()
	k.run.inputID = inputID
	k.run.interrupts = k.state == protocol.StatePaused
	k.launch()
}

func (k *controller) newRun() *run {
	r := &run{p: k.p}
	// A run ends by wish only, never because a context of the caller's did.
	r.ctx, r.cancel = context.WithCancelCause(context.Background())
	return r
}

// launch lets the run go.
func (k *controller) launch() {
	r := k.run
	k.state = protocol.StateRunning
	k.p.hub.update(func(v *view) { v.state = protocol.StateRunning })
	go k.finish(r)
	k.p.writeStatus()
}

// wake starts a run when the inbox holds something an idle pod should read. A
// paused pod keeps notifications for later, but an input that was accepted
// before a restart is a request.
func (k *controller) wake(restarted bool) {
	if k.run != nil || k.job != nil || k.accepting != nil || k.stopping || k.p.hub.queued() == 0 {
		return
	}
	if k.state == protocol.StatePaused && !(restarted && k.p.holdsRequest()) {
		return
	}
	if err := k.payDebt(); err != nil {
		k.p.log.Error("start a run of what waits", "error", err)
		return
	}
	k.start("")
}

// discardPaused ends a paused run for good.
func (k *controller) discardPaused() error {
	p := k.p
	hist, err := p.loadHistory()
	if err != nil {
		return err
	}
	calls, _ := hist.OpenCalls()
	_, err = p.record(step{
		entries: append(closings(calls, interruptedByUser), systemEntry(noteDiscarded)),
		phase:   session.PhaseIdle, patience: promptWait,
		view:  func(v *view) { v.state = protocol.StateIdle },
		after: []protocol.Event{{Data: protocol.Error{Code: protocol.CodeInternal, Message: session.Cancelled}}},
	})
	if err != nil {
		k.check(err)
		return err
	}
	k.state = protocol.StateIdle
	p.writeStatus()
	return nil
}

// shutdown lets the pod end as soon as its run has.
func (k *controller) shutdown() {
	k.stopping = true
	k.p.hurry()
	if k.run != nil {
		k.run.stop(wishShutdown)
	}
	if k.job != nil {
		k.job.cancel(errStopped)
	}
}

// endRun takes in how a run ended: its end is committed, or could not be.
func (k *controller) endRun(e ended) {
	p, r, out, end := k.p, k.run, e.outcome, e.end
	if e.err != nil {
		end = k.unsaved(e.step, end, e.err)
	}
	p.compactor.measured(p, out.usage)
	asked := r.inputID != "" || r.resume
	k.run, k.ran = nil, k.ran || asked
	r.cancel(nil)
	k.state = protocol.StateIdle
	if end.Result == protocol.RunPaused {
		k.state = protocol.StatePaused
	}
	if k.stopping && end.Result == protocol.RunCancelled {
		k.discarded = true
	}
	p.writeStatus()
	p.trimSoon()
	k.check(out.err)
	p.log.Info("run ended", "result", end.Result, "error", end.Error)
	switch {
	case p.o.Once && asked && k.state == protocol.StateIdle:
		k.stopping = true
	case k.state == protocol.StatePaused && r.wanted() == wishCancel:
		// It came while the pause was being saved.
		if err := k.discardPaused(); err != nil {
			p.log.Error("discard the paused run", "error", err)
		}
	case e.err == nil && k.compactAfterRun(r, e.entries):
	case end.Result == protocol.RunFinished || end.Result == protocol.RunLimitReached:
		// Notifications that came too late for this run wake the pod again. After
		// an error or a cancel they wait for the next run.
		k.wake(false)
	}
}

// unsaved ends a run whose end the store did not take. Everybody is told why it
// stopped, extended clients with a run_end that has no seq yet; with it, and the
// same entry id, they get it when the debt is paid.
func (k *controller) unsaved(s step, end session.RunEnd, err error) session.RunEnd {
	k.p.log.Error("save the end of a run", "error", err)
	k.check(err)
	if end.Error == "" {
		end.Error = err.Error()
	}
	end.Result, end.Code = protocol.RunFailed, protocol.CodeInternal
	last := &s.entries[len(s.entries)-1]
	last.Payload = end
	failed := k.p.restView(protocol.StateIdle, end.Error)
	k.p.hub.update(func(v *view) {
		failed(v)
		v.open = nil
	}, protocol.Event{Data: protocol.Error{Code: end.Code, Message: end.Error}},
		protocol.Event{Data: protocol.RunEnd{Result: end.Result, Error: end.Error, EntryID: last.ID}})
	s.owed, s.phase, s.run, s.view, s.patience = len(s.entries), session.PhaseIdle, nil, nil, promptWait
	k.debt = &s
	return end
}

// check ends the pod when the session is not its own any more.
func (k *controller) check(err error) {
	if errors.Is(err, session.ErrLost) && k.fatal == nil {
		k.fatal = err
		k.p.log.Error("the session was taken over", "error", err)
		k.shutdown()
	}
}

// payDebt saves the end of a run that could not be saved when it ended.
func (k *controller) payDebt() error {
	if k.debt == nil {
		return nil
	}
	if _, err := k.p.record(*k.debt); err != nil {
		k.check(err)
		return fmt.Errorf("the end of the last run is not saved yet: %w", err)
	}
	k.debt = nil
	return nil
}
