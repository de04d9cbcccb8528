package podtest

import (
	"errors"
	"io"
	"net"
	"os"
	"testing"
	"time"

	"podium.local/protocol"
)

// patience bounds every wait of a test client; what is waited for comes as
// soon as the pod sends it.
const patience = 20 * time.Second

// Client speaks lines with a pod.
type Client struct {
	t    testing.TB
	conn *net.UnixConn
	r    *protocol.Reader
	w    *protocol.Writer
}

// Dial connects to a socket; the connection ends with the test.
func Dial(t testing.TB, socket string) *Client {
	t.Helper()
	conn, err := net.DialUnix("unix", nil, &net.UnixAddr{Name: socket, Net: "unix"})
	if err != nil {
		t.Fatalf("connect: %v", err)
	}
	c := &Client{t: t, conn: conn, r: protocol.NewReader(conn, protocol.ReaderOptions{}), w: protocol.NewWriter(conn)}
	t.Cleanup(func() { conn.Close() })
	return c
}

// Hello opens the extended stream and returns the answer and the snapshot,
// which is zero after a resume; the status behind a snapshot is read too. What
// came before the answer is dropped.
func (c *Client) Hello(h protocol.Hello) (protocol.HelloEvent, protocol.Snapshot) {
	c.t.Helper()
	h.ProtocolVersion = 1
	if h.Client == "" {
		h.Client = "test/1"
	}
	c.Send(h)
	hello := Await[protocol.HelloEvent](c)
	if hello.Resumed {
		return hello, protocol.Snapshot{}
	}
	ev := c.Next()
	s, ok := ev.Data.(protocol.Snapshot)
	if !ok {
		c.t.Fatalf("after hello came %+v, want a snapshot", ev)
	}
	ev = c.Next()
	if now, ok := ev.Data.(protocol.Status); !ok || now.State != hello.State || now.SessionID != hello.SessionID || now.Clients == 0 {
		c.t.Fatalf("after the snapshot came %+v, want the status of the moment", ev)
	}
	return hello, s
}

// Send writes a method.
func (c *Client) Send(p protocol.MethodParams) { c.t.Helper(); c.SendAs("", p) }

// SendAs writes a method with a request id.
func (c *Client) SendAs(requestID string, p protocol.MethodParams) {
	c.t.Helper()
	if err := c.w.WriteMethod(protocol.Method{Params: p, RequestID: requestID}); err != nil {
		c.t.Fatalf("send %s: %v", p.MethodName(), err)
	}
}

// Raw writes bytes as they are.
func (c *Client) Raw(b []byte) error {
	_, err := c.conn.Write(b)
	return err
}

// Conn is the connection below.
func (c *Client) Conn() *net.UnixConn { return c.conn }

// Read returns the next event, or the error that ended the connection.
func (c *Client) Read() (protocol.Event, error) {
	c.conn.SetReadDeadline(time.Now().Add(patience))
	line, err := c.r.ReadLine()
	if err != nil {
		return protocol.Event{}, err
	}
	return protocol.DecodeEvent(line)
}

// Next is the next event.
func (c *Client) Next() protocol.Event {
	c.t.Helper()
	ev, err := c.Read()
	if err != nil {
		c.t.Fatalf("read an event: %v", err)
	}
	return ev
}

// Until reads events up to the first that stop accepts, which is the last of
// the result.
func (c *Client) Until(stop func(protocol.Event) bool) []protocol.Event {
	c.t.Helper()
	var events []protocol.Event
	for {
		ev := c.Next()
		events = append(events, ev)
		if stop(ev) {
			return events
		}
	}
}

// UntilName reads up to the first event of that tag.
func (c *Client) UntilName(name string) []protocol.Event {
	c.t.Helper()
	return c.Until(func(ev protocol.Event) bool { return ev.Data.EventName() == name })
}

// Await reads up to the first event of type E and returns it.
func Await[E protocol.EventData](c *Client) E {
	c.t.Helper()
	for {
		if e, ok := c.Next().Data.(E); ok {
			return e
		}
	}
}

// Rest reads until the pod closes the connection.
func (c *Client) Rest() []protocol.Event {
	c.t.Helper()
	var events []protocol.Event
	for {
		ev, err := c.Read()
		if errors.Is(err, io.EOF) {
			return events
		}
		if err != nil {
			if errors.Is(err, os.ErrDeadlineExceeded) {
				c.t.Fatal("the pod does not close the connection")
			}
			return events
		}
		events = append(events, ev)
	}
}

// Close ends the connection.
func (c *Client) Close() { c.conn.Close() }

// Names are the tags of events.
func Names(events []protocol.Event) []string {
	names := make([]string, len(events))
	for i, ev := range events {
		names[i] = ev.Data.EventName()
	}
	return names
}
