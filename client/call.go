package client

import (
	"context"
	"fmt"
	"slices"

	"podium.local/protocol"
)

// call sends a method and waits for its one answer.
func (l *link) call(ctx context.Context, m protocol.Method) (protocol.Event, error) {
	if m.Params == nil {
		return protocol.Event{}, fmt.Errorf("call pod %s: no method given", l.pod)
	}
	tag := m.Params.MethodName()
	if l.hello == nil && tag != protocol.MethodGetHistory {
		return protocol.Event{}, fmt.Errorf("call %s on pod %s: %w, in which nothing answers it; use Send", tag, l.pod, ErrBaseOnly)
	}
	if m.RequestID == "" {
		m.RequestID = newRequestID()
	}
	answer := l.expect(m.RequestID, tag)
	defer l.forget(m.RequestID)
	if err := l.send(ctx, m); err != nil {
		return protocol.Event{}, err
	}
	select {
	case e := <-answer:
		return result(tag, e)
	case <-l.done:
		select {
		case e := <-answer: // it came just before the end
			return result(tag, e)
		default:
		}
		return protocol.Event{}, fmt.Errorf("wait for the answer to %s: %w", tag, l.why())
	case <-ctx.Done():
		return protocol.Event{}, fmt.Errorf("wait for the answer of pod %s to %s: %w", l.pod, tag, context.Cause(ctx))
	}
}

// newRequestID is unique for ever, as a pod remembers the ids of inputs.
func newRequestID() string { return protocol.NewEntryID() }

// result turns an error event into a *PodError.
func result(tag string, e protocol.Event) (protocol.Event, error) {
	if refused, ok := e.Data.(protocol.Error); ok {
		return protocol.Event{}, &PodError{Method: tag, Code: refused.Code, Message: refused.Message}
	}
	return e, nil
}

// expect makes room for an answer.
func (l *link) expect(id, tag string) <-chan protocol.Event {
	answer := make(chan protocol.Event, 1)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.waiting[id] = answer
	if tag == protocol.MethodGetHistory {
		l.asked = append(l.asked, id)
	}
	return answer
}

func (l *link) forget(id string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.waiting, id)
	l.asked = slices.DeleteFunc(l.asked, func(other string) bool { return other == id })
}

// answer gives an event to the call that waits for it and reports whether one
// did. A pod that knows no request ids answers get_history in order.
func (l *link) answer(e protocol.Event) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	id := e.RequestID
	if _, isHistory := e.Data.(protocol.History); isHistory && id == "" && l.hello == nil && len(l.asked) > 0 {
		id = l.asked[0]
		l.asked = l.asked[1:]
	}
	answer, ok := l.waiting[id]
	if ok {
		delete(l.waiting, id)
		answer <- e
	}
	return ok
}
