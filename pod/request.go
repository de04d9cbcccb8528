package pod

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http/httptrace"
	"time"

	"podium.local/llm"
	"podium.local/protocol"
)

// request asks the model until it answers, nothing helps any more, or part of
// an answer was shown. The answer is never nil.
func (r *run) request(req llm.Request) (*answer, error) {
	p := r.p
	for attempt := 1; ; attempt++ {
		a, err := r.attempt(req)
		if err == nil {
			return a, nil
		}
		a.discard()
		if r.ctx.Err() != nil {
			return a, errStopped
		}
		wait, again := p.o.Retry.after(attempt, err)
		if !again || a.shown {
			return a, err
		}
		if !p.waitToRetry(r.ctx, attempt, p.o.Retry.Attempts, wait, fmt.Errorf("the model request failed: %w", err)) {
			return a, errStopped
		}
	}
}

// waitToRetry says why a request waits, and waits; false when it was stopped
// meanwhile.
func (p *Pod) waitToRetry(ctx context.Context, attempt, attempts int, wait time.Duration, why error) bool {
	p.hub.notify(protocol.Notification{
		Level: protocol.LevelWarn, Source: protocol.SourceWorker,
		Message: fmt.Sprintf("%s; attempt %d of %d in %.1f s", why, attempt+1, attempts, wait.Seconds()),
	})
	retry := &protocol.Retry{Attempt: uint64(attempt), AtMS: p.o.Now().Add(wait).UnixMilli()}
	p.hub.update(func(v *view) { v.retry = retry })
	defer p.hub.update(func(v *view) { v.retry = nil })
	return sleep(ctx, wait)
}

// after is how long to wait after the attempt of that number failed; again is
// false when another one would not help.
func (r Retry) after(attempt int, err error) (wait time.Duration, again bool) {
	var failure *llm.Error
	if !errors.As(err, &failure) || !failure.Retryable() || attempt >= r.Attempts {
		return 0, false
	}
	wait = r.Max
	if shift := attempt - 1; shift < 30 && r.Base<<shift < r.Max {
		wait = r.Base << shift
	}
	// A quarter up or down keeps pods that failed together from coming back
	// together.
	wait = time.Duration(float64(wait) * (0.75 + rand.Float64()/2))
	if failure.RetryAfter > r.MaxAfter {
		return 0, false
	}
	return max(wait, failure.RetryAfter), true
}

// attempt makes one request and works on its answer.
func (r *run) attempt(req llm.Request) (a *answer, err error) {
	a = &answer{p: r.p}
	ctx, cancel := context.WithCancelCause(r.ctx)
	defer cancel(nil)
	w := newWatchdog(cancel, r.p.o.Timeouts)
	defer w.stop()
	defer func() {
		if v := recover(); v != nil {
			r.p.log.Error("the provider panicked", "panic", v)
			err = &llm.Error{Kind: llm.ErrorInvalid, Message: fmt.Sprintf("the provider failed: %v", v)}
		}
	}()
	for d, err := range r.p.o.Provider.Stream(w.watch(ctx), req) {
		w.stop()
		if err != nil {
			return a, cause(ctx, err)
		}
		if err := a.take(r, d); err != nil {
			return a, err
		}
		if a.finished {
			return a, nil
		}
		if ctx.Err() != nil {
			return a, cause(ctx, ctx.Err())
		}
		w.expectNext()
	}
	if ctx.Err() != nil {
		return a, cause(ctx, ctx.Err())
	}
	return a, unfinished()
}

// cause is why the stream ended: a timeout of ours rather than the cancelled
// context the provider saw.
func cause(ctx context.Context, err error) error {
	var timeout *llm.Error
	if c := context.Cause(ctx); errors.As(c, &timeout) {
		return timeout
	}
	return err
}

// watchdog ends a request that waits too long: for a connection, for the
// first event, for the next one.
type watchdog struct {
	cancel  context.CancelCauseFunc
	o       Timeouts
	event   *time.Timer
	connect *time.Timer
}

func newWatchdog(cancel context.CancelCauseFunc, o Timeouts) *watchdog {
	w := &watchdog{cancel: cancel, o: o}
	w.event = w.bark(o.FirstEvent, "the model sent nothing within %s")
	w.connect = w.bark(o.Connect, "no connection to the model within %s")
	// The clock of the connection starts when one is asked for.
	w.connect.Stop()
	return w
}

func (w *watchdog) bark(after time.Duration, text string) *time.Timer {
	return time.AfterFunc(after, func() {
		w.cancel(&llm.Error{Kind: llm.ErrorTimeout, Message: fmt.Sprintf(text, after)})
	})
}

// watch lets the HTTP client below, if there is one, tell about connections.
func (w *watchdog) watch(ctx context.Context) context.Context {
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GetConn: func(string) { w.connect.Reset(w.o.Connect) },
		GotConn: func(httptrace.GotConnInfo) { w.connect.Stop() },
	})
}

// stop stops the clock while an event is worked on.
func (w *watchdog) stop() {
	w.event.Stop()
	w.connect.Stop()
}

// expectNext starts the clock for the next event.
func (w *watchdog) expectNext() {
	w.event.Stop()
	w.event = w.bark(w.o.Idle, "the model sent nothing more for %s")
}
