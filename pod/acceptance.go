package pod

import (
	"podium.local/protocol"
	"podium.local/session"
)

// acceptance is a run or a resume on its way into the store. Until it is there
// the pod counts as running for those who want something else of it.
type acceptance struct {
	cmd command
	// before is the state to go back to when it fails, run what it starts; a run
	// that waits for a compaction has the job instead.
	before protocol.PodState
	run    *run
	job    *job
	// entryID is the input's; repeated says that it was accepted before.
	entryID  string
	repeated bool
	err      error
	// retries are runs with the same request id that came meanwhile.
	retries []command
}

// handleRun has an input accepted, which starts its run. One that was accepted
// before is answered as then, whatever the state is now.
func (k *controller) handleRun(cmd command, m protocol.Run) (waits bool) {
	p, c, id := k.p, cmd.client, cmd.method.RequestID
	if before, err := p.accepted(id); err != nil {
		p.refuseInput(c, id, err)
		return false
	} else if before != "" {
		c.accept(p.hub, id, protocol.MethodRun, before)
		return false
	}
	if a := k.accepting; a != nil && id != "" && a.cmd.method.RequestID == id {
		a.retries = append(a.retries, cmd)
		return true
	}
	if k.run != nil || k.accepting != nil || k.job != nil && k.job.next != "" {
		c.reject(p.hub, id, protocol.CodeAlreadyRunning, messageAlreadyRunning)
		return false
	}
	if err := k.payDebt(); err != nil {
		p.refuseInput(c, id, err)
		return false
	}
	a := &acceptance{cmd: cmd, before: k.state, job: k.job}
	var change func(*view)
	if a.job == nil {
		a.run = k.newRun()
		a.run.interrupts = k.state == protocol.StatePaused
		k.run, k.state = a.run, protocol.StateRunning
		change = func(v *view) { v.state = protocol.StateRunning }
	}
	k.await(a, func() (err error) {
		a.entryID, a.repeated, err = p.accept(protocol.InputText, m.Input, cmd.name, id, change)
		return err
	})
	return true
}

// resume takes a paused run up; its state is committed before anybody hears of
// it.
func (k *controller) resume(cmd command) {
	p := k.p
	a := &acceptance{cmd: cmd, before: k.state, run: k.newRun()}
	a.run.resume = true
	k.run, k.state = a.run, protocol.StateRunning
	k.await(a, func() error {
		if m := p.runMark(); m != nil {
			a.run.turns = m.Turns
		}
		_, err := p.record(step{phase: session.PhaseRunning, run: a.run.mark()})
		return err
	})
}

// await lets work commit the acceptance.
func (k *controller) await(a *acceptance, work func() error) {
	k.accepting = a
	go func() {
		a.err = work()
		k.acceptances <- a
	}()
}

// accepted answers a run or a resume and lets the run go. A wish that came
// meanwhile meets it at its beginning.
func (k *controller) accepted(a *acceptance) {
	p, c, id := k.p, a.cmd.client, a.cmd.method.RequestID
	k.accepting = nil
	defer func() {
		close(a.cmd.done)
		for _, cmd := range a.retries {
			k.handle(cmd)
		}
	}()
	name := a.cmd.method.Params.MethodName()
	if a.err != nil || a.repeated {
		if a.run != nil {
			a.run.cancel(nil)
			k.run, k.state = nil, a.before
		}
		switch {
		case a.err == nil:
			c.accept(p.hub, id, name, a.entryID)
		case name == protocol.MethodRun:
			p.refuseInput(c, id, a.err)
		default:
			c.reject(p.hub, id, protocol.CodeInternal, "refused: "+a.err.Error())
		}
		k.check(a.err)
		k.wake(false)
		return
	}
	c.accept(p.hub, id, name, a.entryID)
	switch {
	case a.run != nil:
		a.run.inputID = a.entryID
		k.launch()
	case a.job == k.job:
		k.job.next = a.entryID
	case a.job.cancelled:
		k.dropNext(a.entryID)
	case !k.stopping:
		k.start(a.entryID)
	}
}

// accept answers a method that was done, if the client can tell the answer.
func (c *client) accept(h *hub, requestID, method, entryID string) {
	if requestID == "" {
		return
	}
	a := protocol.Accepted{Method: method}
	if entryID != "" {
		a.EntryID = &entryID
	}
	c.tell(h, protocol.Event{Data: a, RequestID: requestID})
}
