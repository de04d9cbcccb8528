package pod

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"podium.local/llm"
	"podium.local/protocol"
	"podium.local/session"
)

// Texts that stand in the log for what did not happen.
const (
	interruptedByUser = "[Interrupted by user]"
	interruptedByEnd  = "[Interrupted: the run failed]"
	lostByStop        = "[Lost: the pod stopped]"

	noteNewRequest = "[The previous request was interrupted by the user before it was finished. A new request follows.]"
	noteResume     = "[The answer above was paused by the user before it was complete. Go on with it now.]"
	noteRestart    = "[The pod stopped in the middle of the answer above and was started again. What was under way is lost.]"
	noteDiscarded  = "[The user discarded the paused request above. Do not go on with it.]"
)

// wish is what somebody wants of a run that is going on.
type wish int

const (
	wishNone wish = iota
	wishPause
	wishShutdown
	wishCancel
)

// errStopped is the cause of a run's context that ended by wish.
var errStopped = errors.New("the run was stopped")

// run is one run: from an accepted input, or a resume, to idle or paused. Its
// goroutine owns hist, turns, started and visible until it has sent its
// outcome.
type run struct {
	p      *Pod
	ctx    context.Context
	cancel context.CancelCauseFunc
	// inputID is the entry of the input that `run` was accepted with.
	inputID string
	// resume takes a paused run up, interrupts puts a new request in its place.
	resume, interrupts bool
	// untaken is the step with accepted inputs that the store did not take, nil
	// when it took them all; the run's end commits it.
	untaken *step

	hist *session.History
	// turns counts the run's completed turns, started holds the calls of the
	// newest tool round that began to run, by id.
	turns   int
	started map[string]bool
	// visible says that something of an answer was shown in this run.
	visible bool

	// watch is the threshold that the first measured request after a compaction
	// in this run is compared with, thrash that it was above it. compactFailed
	// and rescued say that a compaction failed, and that one was made because the
	// model had refused the context.
	watch                  int64
	thrash                 bool
	compactFailed, rescued bool

	mu   sync.Mutex
	wish wish
}

// outcome is how a run's goroutine ended: a result, or an error, or neither
// when it was stopped.
type outcome struct {
	result protocol.RunResult
	err    error
	// last are entries that the end of the run commits with it, usage and turns
	// what they add.
	last  []session.NewEntry
	usage *session.Usage
	turns int
	// cut is the usage of an answer that did not become complete.
	cut *session.Usage
}

// ended is the end of a run, on disk unless err says that it could not be
// saved; then step is what was to be saved.
type ended struct {
	outcome
	end     session.RunEnd
	entries []session.Entry
	step    step
	err     error
}

// finish makes the run and commits its end and the state it leaves.
func (k *controller) finish(r *run) {
	e := ended{outcome: r.loop()}
	e.step, e.end = r.ending(e.outcome)
	s := e.step
	s.patience = endWait
	s.committed = func(entries []session.Entry) {
		e.entries = entries
		k.ended <- e
	}
	if _, e.err = k.p.record(s); e.err != nil {
		k.ended <- e
	}
}

// stop makes a wish: a cancel overrides everything, nothing overrides it, and
// a shutdown leaves a pause its own end.
func (r *run) stop(w wish) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.wish == wishNone || w == wishCancel {
		r.wish = w
	}
	r.cancel(errStopped)
}

func (r *run) wanted() wish {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.wish
}

func (r *run) mark() *runMark { return &runMark{Turns: r.turns} }

// say commits a step of the run and adds its entries to the run's history.
func (r *run) say(s step) error {
	entries, err := r.p.record(s)
	if err != nil {
		return err
	}
	return r.apply(entries)
}

func (r *run) apply(entries []session.Entry) error {
	for _, e := range entries {
		if err := r.hist.Apply(e); err != nil {
			return err
		}
	}
	return nil
}

// loop is the run: requests and tool rounds until the model asks for nothing
// more, somebody stops it, or something fails.
func (r *run) loop() outcome {
	p := r.p
	var err error
	if r.hist, err = p.loadHistory(); err != nil {
		return outcome{err: err}
	}
	// From here on the input is in the log, whatever else is wished.
	if r.resume {
		err = r.finishRound()
	} else {
		err = p.takeInbox(r, r.opening(), true)
	}
	for err == nil {
		if r.ctx.Err() != nil {
			return outcome{}
		}
		if err = p.takeInbox(r, nil, false); err != nil {
			break
		}
		if err = r.guard(); err != nil {
			break
		}
		a, failure := r.turn()
		if again, failure := r.rescue(a, failure); again {
			continue
		} else if errors.Is(failure, errStopped) {
			return outcome{cut: a.spent(true)}
		} else if failure != nil {
			return outcome{err: failure, cut: a.spent(false)}
		}
		r.measured(a.turnEnd.Usage)
		end := session.NewEntry{ID: protocol.NewEntryID(), Kind: session.KindTurnEnd, Payload: a.turnEnd}
		usage := a.turnEnd.Usage
		if len(a.calls) == 0 {
			return outcome{result: protocol.RunFinished, last: []session.NewEntry{end}, usage: usage, turns: 1}
		}
		r.turns++
		err = r.say(step{
			entries: []session.NewEntry{end}, usage: usage, turns: 1,
			phase: session.PhaseRunning, run: r.mark(),
		})
		if err == nil {
			err = r.toolRound(a.calls)
		}
		if err == nil && r.ctx.Err() == nil && p.o.MaxTurns > 0 && r.turns >= p.o.MaxTurns {
			return outcome{result: protocol.RunLimitReached}
		}
	}
	if errors.Is(err, errStopped) {
		return outcome{}
	}
	return outcome{err: err}
}

// opening is what goes in front of a run's input: results for the calls that
// the run before left open.
func (r *run) opening() []session.NewEntry {
	calls, _ := r.hist.OpenCalls()
	entries := closings(calls, interruptedByUser)
	if r.interrupts {
		entries = append(entries, systemEntry(noteNewRequest))
	}
	return entries
}

// finishRound takes a paused run up where it was left: the calls that had not
// begun run now. An answer that was cut off needs a word to go on.
func (r *run) finishRound() error {
	calls, _ := r.hist.OpenCalls()
	if len(calls) > 0 {
		return r.toolRound(calls)
	}
	items := r.hist.Items()
	if n := len(items); n > 0 && items[n-1].Role == session.RoleAssistant {
		return r.say(step{entries: []session.NewEntry{systemEntry(noteResume)}})
	}
	return nil
}

// closings are results that close calls with the given text, which is an
// error to the model.
func closings(calls []session.ToolCall, text string) []session.NewEntry {
	var entries []session.NewEntry
	for _, c := range calls {
		entries = append(entries, session.NewEntry{
			ID: protocol.NewEntryID(), Kind: session.KindToolResult,
			Payload: session.ToolResult{CallID: c.CallID, Summary: text, IsError: true},
		})
	}
	return entries
}

func systemEntry(text string) session.NewEntry {
	return session.NewEntry{ID: protocol.NewEntryID(), Kind: session.KindSystem, Payload: session.System{Text: text}}
}

// loadHistory folds the current session's log.
func (p *Pod) loadHistory() (*session.History, error) {
	const window = 512
	hist := &session.History{}
	for {
		from := hist.Length()
		var entries []session.Entry
		err := p.patiently(func(ctx context.Context) (err error) {
			entries, err = p.o.Store.Log(ctx, p.sessionID(), from, from+window, 0)
			return err
		})
		if err != nil {
			return nil, fmt.Errorf("read the log: %w", err)
		}
		for _, e := range entries {
			if err := hist.Apply(e); err != nil {
				return nil, err
			}
		}
		if len(entries) < window {
			return hist, nil
		}
	}
}

// errorCode is the wire's code for what ended a run.
func errorCode(err error) protocol.ErrorCode {
	var provider *llm.Error
	if errors.As(err, &provider) {
		return protocol.CodeProviderError
	}
	return protocol.CodeInternal
}

// ending is the step that ends the run: calls that can no longer be answered
// are closed, an input nothing was answered to is taken back, and the run's
// end stands in the log together with the state it leaves.
func (r *run) ending(out outcome) (step, session.RunEnd) {
	result, text := out.result, interruptedByUser
	end := session.RunEnd{Usage: out.cut}
	switch {
	case out.err != nil && !(errors.Is(out.err, session.ErrBusy) && r.wanted() == wishCancel):
		result, text = protocol.RunFailed, interruptedByEnd
		end.Error, end.Code = out.err.Error(), errorCode(out.err)
		if errors.Is(out.err, errThrash) {
			end.Reason = session.ReasonThrash
		}
	case result != "":
	case r.wanted() == wishPause:
		result = protocol.RunPaused
	case r.wanted() == wishCancel && r.inputID != "" && !r.visible:
		result = protocol.RunRolledBack
	default:
		result = protocol.RunCancelled
	}
	end.Result = result
	s := step{
		usage: out.usage, turns: out.turns,
		phase: session.PhaseIdle, view: r.p.restView(protocol.StateIdle, end.Error),
	}
	if r.untaken != nil {
		// Inputs that this end speaks of must not wait for another run.
		s.entries, s.taken, s.name = r.untaken.entries, r.untaken.taken, r.untaken.name
	}
	s.entries = append(s.entries, out.last...)
	if out.cut != nil {
		s.usage = out.cut
	}
	if r.hist != nil && r.untaken == nil {
		calls, complete := r.hist.OpenCalls()
		if result == protocol.RunPaused && complete {
			calls = r.onlyStarted(calls)
		}
		s.entries = append(s.entries, closings(calls, text)...)
	}
	switch result {
	case protocol.RunPaused:
		mark := r.mark()
		mark.Paused = true
		s.phase, s.run = session.PhasePaused, mark
		s.view = r.p.restView(protocol.StatePaused, "")
	case protocol.RunRolledBack:
		s.entries = append(s.entries, session.NewEntry{
			ID: protocol.NewEntryID(), Kind: session.KindRolledBack,
			Payload: session.RolledBack{EntryID: r.inputID},
		})
	}
	s.entries = append(s.entries, session.NewEntry{ID: protocol.NewEntryID(), Kind: session.KindRunEnd, Payload: end})
	return s, end
}

func (r *run) onlyStarted(calls []session.ToolCall) []session.ToolCall {
	var out []session.ToolCall
	for _, c := range calls {
		if r.started[c.CallID] {
			out = append(out, c)
		}
	}
	return out
}

// restView is the view after a run: its state, and why it failed for those who
// join later. Those who are here see the error itself.
func (p *Pod) restView(state protocol.PodState, failure string) func(*view) {
	var frames []*frame
	if failure != "" {
		frames = p.hub.notice(protocol.Notification{
			Level: protocol.LevelError, Source: protocol.SourceWorker, Message: "the last run failed: " + failure,
		})
	}
	return func(v *view) {
		v.state = state
		p.hub.failure = frames
	}
}
