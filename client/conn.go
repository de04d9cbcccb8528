package client

import (
	"context"
	"errors"
	"io"
	"iter"

	"podium.local/protocol"
)

// Conn is one connection to a pod. All methods may be called from any
// goroutine; each event goes to one Recv.
type Conn struct {
	link   *link
	stream *stream
	ended  chan struct{} // closed when the reading goroutine has ended
}

// Dial connects to the pod whose socket is at path and says hello. The context
// and Options.Timeout limit this call, not the connection.
//
// Errors: ErrNotRunning, ErrPathTooLong, ErrNotAPod, fs.ErrPermission, ErrLost,
// a *PodError when the pod refuses the connection, ErrBaseOnly in ModeExtended,
// or the context's.
func Dial(ctx context.Context, path string, o Options) (*Conn, error) {
	o = o.withDefaults()
	l, err := open(ctx, path, o)
	if err != nil {
		return nil, err
	}
	c := &Conn{link: l, stream: newStream(o.Queue), ended: make(chan struct{})}
	go func() {
		defer close(c.ended)
		c.stream.finish(l.read(c.stream.push))
	}()
	return c, nil
}

// Hello is the pod's answer to hello; false in the base vocabulary.
func (c *Conn) Hello() (protocol.HelloEvent, bool) {
	if c.link.hello == nil {
		return protocol.HelloEvent{}, false
	}
	return *c.link.hello, true
}

// BaseReason says why the connection speaks the base vocabulary; nil when it
// does not.
func (c *Conn) BaseReason() error { return c.link.baseReason }

// Send writes one method and does not wait for an answer. When the method has
// a RequestID, its answer comes as an event that carries the id.
//
// A context that ends before anything was written leaves the connection as it
// was, one that ends in mid-line closes it. Errors: the context's, ErrLost,
// ErrClosed, *protocol.EncodeError.
func (c *Conn) Send(ctx context.Context, m protocol.Method) error { return c.link.send(ctx, m) }

// Call sends a method and waits for its answer: the method's own answer event,
// or accepted. It gives the method a RequestID if it has none. The answer is
// not in the stream of events, so its position among them is lost: where that
// matters (get_history, get_entries), use Send and find the answer in the
// stream.
//
// Other events go on into the stream meanwhile, also when the goroutine that
// calls is the one that reads them. In the base vocabulary only get_history has
// an answer, other calls fail with ErrBaseOnly before anything is sent.
// Errors: a *PodError when the pod answers with an error, else those of Send.
func (c *Conn) Call(ctx context.Context, m protocol.Method) (protocol.Event, error) {
	defer c.stream.wait()()
	return c.link.call(ctx, m)
}

// Recv returns the next event, in the order of the pod.
//
// A *BadLineError is a line that is no event; the next Recv goes on after it.
// The connection's end comes after all events: io.EOF when the pod closed it,
// io.ErrUnexpectedEOF when that was in mid-line, ErrClosed at once after Close,
// else the socket's error. It repeats.
func (c *Conn) Recv(ctx context.Context) (protocol.Event, error) { return recv(ctx, c.stream) }

// Events is Recv as a sequence. It ends without an error when the pod or Close
// ended the connection; otherwise its last pair holds the error. A
// *BadLineError does not end it.
func (c *Conn) Events(ctx context.Context) iter.Seq2[protocol.Event, error] {
	return events(ctx, c.stream)
}

// Close ends the connection and waits until nothing of it is left. Waiting
// calls fail with ErrClosed. It never fails and may be called again.
func (c *Conn) Close() {
	c.stream.close()
	_ = c.link.finish(ErrClosed)
	<-c.ended
}

func recv(ctx context.Context, s *stream) (protocol.Event, error) {
	r, err := s.pop(ctx)
	if err != nil {
		return protocol.Event{}, err
	}
	return r.event, r.err
}

func events(ctx context.Context, s *stream) iter.Seq2[protocol.Event, error] {
	return func(yield func(protocol.Event, error) bool) {
		for {
			r, err := s.pop(ctx)
			switch {
			case err == io.EOF || errors.Is(err, ErrClosed):
				return
			case err != nil:
				yield(protocol.Event{}, err)
				return
			case !yield(r.event, r.err):
				return
			}
		}
	}
}
