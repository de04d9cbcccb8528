package tui

import (
	"context"
	"strings"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"

	"podium.local/client"
	"podium.local/protocol"
)

// Pod is a connection to a pod that comes back, such as *client.Session.
type Pod interface {
	Recv(ctx context.Context) (protocol.Event, error)
	Call(ctx context.Context, m protocol.Method) (protocol.Event, error)
	Send(ctx context.Context, m protocol.Method) error
	Close()
}

// step is one thing that a pod's stream gave.
type step struct {
	event protocol.Event
	err   error
}

// stepsMsg are the steps since the last one; it comes at most once a frame.
type stepsMsg struct {
	feed  *feed
	steps []step
	// over says that nothing follows.
	over bool
}

const (
	frame = 16 * time.Millisecond
	// feedBytes is how much may wait for the screen before the stream is read
	// no further.
	feedBytes = 4 << 20
)

// feed reads a pod's stream on a goroutine of its own and hands it over in
// portions, so that the screen keeps up with any speed and keys are never
// behind a thousand events. Neighbouring deltas are merged.
type feed struct {
	pod    Pod
	cancel context.CancelFunc
	ctx    context.Context

	mu    sync.Mutex
	steps []step
	bytes int
	over  bool
	// ready has room for one: something waits. drained likewise: it was taken.
	ready, drained chan struct{}
	stopped        chan struct{}
}

func startFeed(pod Pod) *feed {
	f := &feed{pod: pod, ready: make(chan struct{}, 1), drained: make(chan struct{}, 1), stopped: make(chan struct{})}
	f.ctx, f.cancel = context.WithCancel(context.Background())
	go f.read()
	return f
}

// stop ends the reading and closes the connection. The pod lives on.
func (f *feed) stop() {
	f.cancel()
	f.pod.Close()
	<-f.stopped
}

func (f *feed) read() {
	defer close(f.stopped)
	for {
		e, err := f.pod.Recv(f.ctx)
		if f.ctx.Err() != nil {
			return
		}
		over := err != nil && !client.Passing(err)
		if !f.put(step{e, err}, over) || over {
			return
		}
	}
}

// put adds a step and waits while too much is waiting.
func (f *feed) put(s step, over bool) bool {
	f.mu.Lock()
	f.bytes += sizeOf(s.event)
	if n := len(f.steps); n == 0 || s.err != nil || f.steps[n-1].err != nil || !merge(&f.steps[n-1].event, s.event) {
		f.steps = append(f.steps, s)
	}
	f.over = over
	full := f.bytes > feedBytes
	f.mu.Unlock()
	signal(f.ready)
	for full {
		select {
		case <-f.drained:
		case <-f.ctx.Done():
			return false
		}
		f.mu.Lock()
		full = f.bytes > feedBytes
		f.mu.Unlock()
	}
	return true
}

func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// merge appends a delta to one of the same block right before it.
func merge(last *protocol.Event, next protocol.Event) bool {
	switch d := next.Data.(type) {
	case protocol.TextDelta:
		if l, ok := last.Data.(protocol.TextDelta); ok {
			last.Data = protocol.TextDelta{Text: join(l.Text, d.Text)}
			return true
		}
	case protocol.ReasoningDelta:
		if l, ok := last.Data.(protocol.ReasoningDelta); ok {
			last.Data = protocol.ReasoningDelta{Text: join(l.Text, d.Text)}
			return true
		}
	case protocol.ToolCallArgsDelta:
		if l, ok := last.Data.(protocol.ToolCallArgsDelta); ok && l.ID == d.ID {
			last.Data = protocol.ToolCallArgsDelta{ID: d.ID, JSON: join(l.JSON, d.JSON)}
			return true
		}
	}
	return false
}

func join(a, b string) string { return strings.Join([]string{a, b}, "") }

func sizeOf(e protocol.Event) int {
	switch d := e.Data.(type) {
	case protocol.TextDelta:
		return len(d.Text)
	case protocol.ReasoningDelta:
		return len(d.Text)
	case protocol.ToolCallArgsDelta:
		return len(d.JSON)
	case protocol.TextDone:
		return len(d.Text)
	case protocol.ReasoningDone:
		return len(d.Text)
	case protocol.ToolCallDone:
		return len(d.Arguments)
	case protocol.ToolResult:
		return len(d.Output)
	default:
		return 256
	}
}

// next is the command that waits for more; it gives others a frame's time to
// come along.
func (f *feed) next() tea.Msg {
	select {
	case <-f.ready:
	case <-f.stopped:
		select {
		case <-f.ready:
		default:
			return nil
		}
	}
	timer := time.NewTimer(frame)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-f.ctx.Done():
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	msg := stepsMsg{feed: f, steps: f.steps, over: f.over}
	f.steps, f.bytes = nil, 0
	signal(f.drained)
	return msg
}
