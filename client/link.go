package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"time"

	"podium.local/protocol"
)

// maxShownLine is how much of a bad line is kept for its error, in bytes.
const maxShownLine = 200

// link is one connection: the socket, the methods that wait for an answer.
type link struct {
	pod    string
	conn   net.Conn
	reader *protocol.Reader

	// hello is the pod's answer; nil in the base vocabulary, for the reason in
	// baseReason.
	hello      *protocol.HelloEvent
	baseReason error
	// early are the events that came before hello was answered, and the answer.
	early []received

	// writing holds one token; whoever has it may write.
	writing chan struct{}

	mu      sync.Mutex
	waiting map[string]chan protocol.Event // by request id
	asked   []string                       // request ids of get_history, oldest first
	end     error                          // why the connection ended; nil while it lives
	done    chan struct{}                  // closed with end
}

// open connects and says hello.
func open(ctx context.Context, path string, o Options) (*link, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, o.Timeout, fmt.Errorf("no answer within %v: %w", o.Timeout, context.DeadlineExceeded))
	defer cancel()
	pod := podName(o, path)
	conn, err := connect(ctx, path, pod)
	if err != nil {
		return nil, err
	}
	l := &link{
		pod: pod, conn: conn, reader: protocol.NewReader(conn, protocol.ReaderOptions{MaxLine: o.MaxLine}),
		writing: make(chan struct{}, 1), waiting: make(map[string]chan protocol.Event), done: make(chan struct{}),
	}
	if o.Mode == ModeBase {
		l.baseReason = errors.New("asked for the base vocabulary")
		return l, nil
	}
	if err := l.sayHello(ctx, o); err != nil {
		_ = conn.Close()
		return nil, err
	}
	return l, nil
}

// read hands every event that answers no call to deliver, until the connection
// ends or deliver gives an error, and returns why.
func (l *link) read(deliver func(received) error) error {
	defer l.reader.Release()
	for _, r := range l.early {
		if err := deliver(r); err != nil {
			return l.finish(err)
		}
	}
	l.early = nil
	for {
		r, err := l.next()
		if err != nil {
			return l.finish(err)
		}
		if r.err == nil && l.answer(r.event) {
			continue
		}
		if err := deliver(r); err != nil {
			return l.finish(err)
		}
	}
}

// next reads one line. Its error is the end of the connection, also one in
// mid-line; a line that is no event is a received error.
func (l *link) next() (received, error) {
	line, err := l.reader.ReadLine()
	if errors.Is(err, protocol.ErrLineTooLong) {
		return received{err: &BadLineError{Err: err}}, nil
	}
	if err != nil {
		return received{}, err
	}
	event, err := protocol.DecodeEvent(line)
	if err != nil && l.reader.Unfinished() {
		return received{}, io.ErrUnexpectedEOF
	}
	if err != nil {
		shown := append([]byte(nil), line[:min(len(line), maxShownLine)]...)
		return received{err: &BadLineError{Err: err, Line: shown}, size: len(line)}, nil
	}
	return received{event: event, size: len(line)}, nil
}

// finish closes the connection and tells everybody who waits. The first reason
// stays, also when it makes the reader fail in turn.
func (l *link) finish(err error) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.end == nil {
		if l.end = err; err != io.EOF && err != ErrClosed {
			l.end = fmt.Errorf("connection to pod %s: %w", l.pod, err)
		}
		close(l.done)
		_ = l.conn.Close()
	}
	return l.end
}

// why is the end of the connection, for somebody who waited for something.
func (l *link) why() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch l.end {
	case io.EOF:
		return fmt.Errorf("%w: pod %s closed it", ErrLost, l.pod)
	case ErrClosed:
		return ErrClosed
	default:
		return fmt.Errorf("%w: %w", ErrLost, l.end)
	}
}

// send writes one method with its line break in one call. A context that ends
// in mid-line ends the connection, as the rest of the line cannot follow.
func (l *link) send(ctx context.Context, m protocol.Method) error {
	line, err := m.Append(nil)
	if err != nil {
		return err
	}
	tag := m.Params.MethodName()
	select {
	case l.writing <- struct{}{}:
		defer func() { <-l.writing }()
	case <-l.done:
		return fmt.Errorf("send %s: %w", tag, unsent{l.why()})
	case <-ctx.Done():
		return fmt.Errorf("send %s to pod %s: %w", tag, l.pod, context.Cause(ctx))
	}
	n, err := l.write(ctx, append(line, '\n'))
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil && n == 0:
		return fmt.Errorf("send %s to pod %s: %w", tag, l.pod, context.Cause(ctx))
	}
	err = fmt.Errorf("%w: %w", ErrLost, err)
	select {
	case <-l.done:
		err = l.why()
	default:
	}
	if n == 0 {
		err = unsent{err}
	} else {
		_ = l.conn.Close() // the rest of the line will never follow
	}
	return fmt.Errorf("send %s to pod %s: %w", tag, l.pod, err)
}

// errUnsent is in the errors of a method of which the pod got no byte.
var errUnsent = errors.New("nothing was sent")

// unsent marks an error with errUnsent and keeps its text.
type unsent struct{ error }

func (u unsent) Unwrap() []error { return []error{errUnsent, u.error} }

// write writes b until the context ends.
func (l *link) write(ctx context.Context, b []byte) (int, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	interrupted := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		_ = l.conn.SetWriteDeadline(time.Unix(1, 0))
		close(interrupted)
	})
	n, err := l.conn.Write(b)
	if !stop() {
		<-interrupted
		_ = l.conn.SetWriteDeadline(time.Time{})
	}
	return n, err
}
