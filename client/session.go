package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"sync"
	"time"

	"podium.local/protocol"
)

// Session is a connection to a pod that comes back. Its stream is that of a
// Conn with these additions:
//
//   - *Disconnected appears when the connection is gone, once for each attempt
//     to make it again;
//   - a new connection begins with its hello. If that says resumed, the durable
//     events that were missed follow, none twice and none left out, and hello's
//     Live tells of the unfinished rest; otherwise a snapshot follows, which
//     replaces everything seen before;
//   - in the base vocabulary each connection asks for history, whose event
//     takes the part of the snapshot.
//
// The stream ends with io.EOF after the pod's shutdown event, with ErrClosed
// after Close, or with the reason why there is no use in trying on.
type Session struct {
	path   string
	o      AttachOptions
	stream *stream
	// ctx lives until Close; ended is closed when the goroutine has ended.
	ctx    context.Context
	cancel context.CancelFunc
	ended  chan struct{}

	mu      sync.Mutex
	link    *link         // nil while there is no connection
	changed chan struct{} // closed and replaced whenever link changes
	final   error         // why there will be none any more

	// What follows belongs to the goroutine.
	position *Position // nil until a pod said hello
	asked    uint64    // the missing event that was asked for once
	notices  notices
	over     bool // the pod said shutdown
}

// errGap ends a connection on which durable events are missing.
var errGap = errors.New("durable events are missing")

// Attach connects to the pod whose socket is at path, as Dial does and with
// its errors, and keeps connected until Close. The context limits this call.
func Attach(ctx context.Context, path string, o AttachOptions) (*Session, error) {
	o = o.withDefaults()
	l, err := first(ctx, path, o)
	if err != nil {
		return nil, err
	}
	s := &Session{
		path: path, o: o, stream: newStream(o.Queue), link: l,
		ended: make(chan struct{}), changed: make(chan struct{}), position: o.Resume,
	}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	go s.run(l)
	return s, nil
}

// first makes the first connection, waiting for a pod that is about to come.
func first(ctx context.Context, path string, o AttachOptions) (*link, error) {
	b := backoff{least: o.MinBackoff, most: o.MaxBackoff}
	for deadline := time.Now().Add(o.Wait); ; {
		l, err := open(ctx, path, o.Options)
		if err == nil || !errors.Is(err, ErrNotRunning) && !errors.Is(err, ErrLost) {
			return l, err
		}
		pause := b.next()
		if time.Now().Add(pause).After(deadline) || !sleep(ctx, pause) {
			return nil, err
		}
	}
}

// Hello is the last answer to hello; false in the base vocabulary and while
// there is no connection.
func (s *Session) Hello() (protocol.HelloEvent, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.link == nil || s.link.hello == nil {
		return protocol.HelloEvent{}, false
	}
	return *s.link.hello, true
}

// BaseReason says why the connection speaks the base vocabulary; nil when it
// does not, or when there is none.
func (s *Session) BaseReason() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.link == nil {
		return nil
	}
	return s.link.baseReason
}

// Send is Conn.Send on the connection of the moment. Without one it waits,
// until the context ends, for the next.
func (s *Session) Send(ctx context.Context, m protocol.Method) error {
	for {
		l, err := s.current(ctx)
		if err != nil {
			return err
		}
		if err = l.send(ctx, m); !errors.Is(err, errUnsent) {
			return err
		}
		if err := s.lost(ctx, l); err != nil {
			return err
		}
	}
}

// Call is Conn.Call on the connection of the moment; without one it waits for
// the next. When the connection is lost before the answer, methods that may be
// asked twice are asked again under the same RequestID: run and notify, which
// the pod then does not do again, get_history and get_entries. The others fail
// with ErrLost, and whether they were done shows in the stream.
func (s *Session) Call(ctx context.Context, m protocol.Method) (protocol.Event, error) {
	defer s.stream.wait()()
	if m.RequestID == "" {
		m.RequestID = newRequestID()
	}
	for {
		l, err := s.current(ctx)
		if err != nil {
			return protocol.Event{}, err
		}
		e, err := l.call(ctx, m)
		if !errors.Is(err, ErrLost) || !errors.Is(err, errUnsent) && !repeatable(m) {
			return e, err
		}
		if err := s.lost(ctx, l); err != nil {
			return protocol.Event{}, err
		}
	}
}

// repeatable reports whether a pod takes the method twice for once.
func repeatable(m protocol.Method) bool {
	switch m.Params.(type) {
	case protocol.Run, protocol.Notify, protocol.GetHistory, protocol.GetEntries:
		return true
	default:
		return false
	}
}

// Recv is Conn.Recv for the stream of the session; besides *BadLineError,
// *Disconnected and *GapError are errors after which it goes on.
func (s *Session) Recv(ctx context.Context) (protocol.Event, error) { return recv(ctx, s.stream) }

// Events is Recv as a sequence, as with Conn.
func (s *Session) Events(ctx context.Context) iter.Seq2[protocol.Event, error] {
	return events(ctx, s.stream)
}

// Close ends the session and waits until nothing of it is left. Waiting calls
// fail with ErrClosed. It never fails and may be called again.
func (s *Session) Close() {
	s.stream.close()
	s.cancel()
	<-s.ended
}

// current is the connection, waited for.
func (s *Session) current(ctx context.Context) (*link, error) {
	for {
		s.mu.Lock()
		l, changed, final := s.link, s.changed, s.final
		s.mu.Unlock()
		if l != nil || final != nil {
			return l, final
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, fmt.Errorf("wait for pod %s: %w", podName(s.o.Options, s.path), context.Cause(ctx))
		}
	}
}

// lost waits until the session has noticed the end of l.
func (s *Session) lost(ctx context.Context, l *link) error {
	for {
		s.mu.Lock()
		now, changed := s.link, s.changed
		s.mu.Unlock()
		if now != l {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return fmt.Errorf("wait for pod %s: %w", l.pod, context.Cause(ctx))
		}
	}
}

func (s *Session) setLink(l *link, final error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.link, s.final = l, final
	close(s.changed)
	s.changed = make(chan struct{})
}

// run follows one connection after the other.
func (s *Session) run(l *link) {
	defer close(s.ended)
	defer s.cancel()
	b := backoff{least: s.o.MinBackoff, most: s.o.MaxBackoff}
	for {
		began := time.Now()
		cause := s.follow(l)
		s.setLink(nil, nil)
		if time.Since(began) > b.pause {
			b.pause = 0
		}
		var err error
		switch {
		case s.ctx.Err() != nil:
			err = ErrClosed
		case s.over:
			err = io.EOF
		default:
			l, err = s.reconnect(cause, &b)
		}
		if err != nil {
			s.stream.finish(err)
			if err == io.EOF {
				err = fmt.Errorf("pod %s is %w: it has shut down", podName(s.o.Options, s.path), ErrNotRunning)
			}
			s.setLink(nil, err)
			return
		}
		s.setLink(l, nil)
	}
}

// follow reads one connection to its end and returns why it ended.
func (s *Session) follow(l *link) error {
	stop := context.AfterFunc(s.ctx, func() { _ = l.finish(ErrClosed) })
	defer stop()
	if l.hello == nil {
		// A connection that cannot take this line is about to end.
		_ = l.send(s.ctx, protocol.Method{Params: protocol.GetHistory{}})
	}
	return l.read(func(r received) error { return s.take(l, r) })
}

// take puts one event into the stream unless it was there before; an error
// ends the connection.
func (s *Session) take(l *link, r received) error {
	switch d := r.event.Data.(type) {
	case protocol.HelloEvent:
		if !d.Resumed || s.position == nil || s.position.PodID != d.PodID {
			s.position = &Position{PodID: d.PodID, Seq: d.Seq}
		}
		return s.stream.push(r)
	case protocol.Notification:
		if s.notices.repeated(d) {
			return nil
		}
	case protocol.ShutdownEvent:
		s.over = true
	}
	seq := r.event.Seq
	if seq == 0 || l.hello == nil {
		return s.stream.push(r)
	}
	next := s.position.Seq + 1
	switch {
	case seq < next:
		return nil
	case seq > next && s.asked != next:
		s.asked = next
		return fmt.Errorf("%w: %d came instead of %d", errGap, seq, next)
	case seq > next:
		if err := s.stream.push(received{err: &GapError{After: next - 1, Got: seq}}); err != nil {
			return err
		}
	}
	s.position.Seq = seq
	return s.stream.push(r)
}

// disconnectedSize is what a *Disconnected counts in the stream, so that a
// consumer that sleeps does not collect them without end.
const disconnectedSize = 256

// reconnect tries until it has a connection or there is no use in trying.
func (s *Session) reconnect(cause error, b *backoff) (*link, error) {
	o := s.o.Options
	o.Resume = s.position
	lost := time.Now()
	for attempt := 1; ; attempt++ {
		pause := b.next()
		notice := &Disconnected{Cause: cause, Attempt: attempt, Next: time.Now().Add(pause)}
		if err := s.stream.push(received{err: notice, size: disconnectedSize}); err != nil || !sleep(s.ctx, pause) {
			return nil, ErrClosed
		}
		l, err := open(s.ctx, s.path, o)
		switch {
		case err == nil:
			return l, nil
		case s.ctx.Err() != nil:
			return nil, ErrClosed
		case hopeless(err):
			return nil, err
		case s.o.GiveUp > 0 && time.Since(lost) > s.o.GiveUp:
			return nil, fmt.Errorf("gave up after %d attempts in %v: %w", attempt, time.Since(lost).Round(time.Millisecond), err)
		}
		cause = err
	}
}

// hopeless reports errors that trying again does not heal.
func hopeless(err error) bool {
	return errors.Is(err, fs.ErrPermission) || errors.Is(err, ErrPathTooLong) || errors.Is(err, ErrBaseOnly)
}
