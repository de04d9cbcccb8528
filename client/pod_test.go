package client_test

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"podium.local/client"
	"podium.local/protocol"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// tester is what a test and a rapid check have in common.
type tester interface {
	Helper()
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
}

// socketPath is <short temporary folder>/pod/sock, as socket paths are limited.
func socketPath(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "c")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	path := filepath.Join(dir, "pod", "sock")
	if err := os.Mkdir(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

// scriptedPod answers each connection with the next of its scripts and refuses
// further ones by closing its socket.
type scriptedPod struct {
	t        tester
	listener net.Listener
	running  sync.WaitGroup
}

// startPod listens at path; stop it before the test ends.
func startPod(t tester, path string, scripts ...func(*peer)) *scriptedPod {
	t.Helper()
	listener, err := net.Listen("unix", path)
	if err != nil {
		t.Fatalf("listen: %v", err)
	}
	p := &scriptedPod{t: t, listener: listener}
	p.running.Go(func() {
		for _, script := range scripts {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			p.running.Go(func() {
				defer func() { _ = conn.Close() }()
				script(&peer{t: t, conn: conn, r: protocol.NewReader(conn, protocol.ReaderOptions{})})
			})
		}
	})
	return p
}

// stop waits until all scripts have ended; the socket is gone afterwards.
func (p *scriptedPod) stop() {
	_ = p.listener.Close()
	p.running.Wait()
}

// runPod is startPod at a new path, stopped with the test. It must be called
// before the client is made, so that the client is closed first.
func runPod(t *testing.T, scripts ...func(*peer)) string {
	t.Helper()
	path := socketPath(t)
	p := startPod(t, path, scripts...)
	t.Cleanup(p.stop)
	return path
}

// peer is the pod's end of one connection.
type peer struct {
	t    tester
	conn net.Conn
	r    *protocol.Reader
}

// next reads a method; false when the client has left.
func (p *peer) next() (protocol.Method, bool) {
	line, err := p.r.ReadLine()
	if err != nil {
		return protocol.Method{}, false
	}
	m, err := protocol.DecodeMethod(line)
	if err != nil {
		p.t.Errorf("the client sent %.200q: %v", line, err)
	}
	return m, err == nil
}

// expect reads a method that must have the tag.
func (p *peer) expect(tag string) protocol.Method {
	m, ok := p.next()
	if !ok || m.Params.MethodName() != tag {
		p.t.Errorf("the client sent %#v, want %s", m.Params, tag)
	}
	return m
}

// left waits until the client has closed the connection without a further line.
func (p *peer) left() {
	if m, ok := p.next(); ok {
		p.t.Errorf("the client sent %#v, want it to leave", m.Params)
	}
}

// send writes events; errors are the client's leaving.
func (p *peer) send(events ...protocol.Event) {
	w := protocol.NewWriter(p.conn)
	for _, e := range events {
		if err := w.WriteEvent(e); err != nil {
			return
		}
	}
}

func (p *peer) raw(text string) { _, _ = io.WriteString(p.conn, text) }

// welcome answers hello; resumed when the client came with since.
func (p *peer) welcome(seq uint64) protocol.Hello {
	m := p.expect(protocol.MethodHello)
	h, _ := m.Params.(protocol.Hello)
	answer := protocol.HelloEvent{
		ProtocolVersion: 1, Server: "test/1", PodID: podID, PodName: "pod", SessionID: sessionID,
		State: protocol.StateIdle, Seq: seq, Features: []string{"request_id", "since"},
		Resumed: h.PodID != nil && *h.PodID == podID && h.Since != nil && *h.Since <= seq,
	}
	if answer.Resumed {
		answer.Live = &protocol.Live{}
	}
	p.send(protocol.Event{Data: answer, RequestID: m.RequestID})
	if !answer.Resumed {
		p.send(protocol.Event{Data: protocol.Snapshot{SessionID: sessionID, State: protocol.StateIdle, Seq: seq}})
	}
	return h
}

var (
	podID     = protocol.NewPodID()
	sessionID = protocol.NewSessionID()
)

// done is a durable event.
func done(seq uint64) protocol.Event {
	return protocol.Event{Seq: seq, Data: protocol.TextDone{Text: "block", EntryID: "e"}}
}

func delta(text string) protocol.Event { return protocol.Event{Data: protocol.TextDelta{Text: text}} }

// within bounds a test that would hang; it is no assertion about time.
func within(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}

func dial(t *testing.T, path string, o client.Options) *client.Conn {
	t.Helper()
	c, err := client.Dial(within(t), path, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func attach(t *testing.T, path string, o client.AttachOptions) *client.Session {
	t.Helper()
	if o.MinBackoff == 0 {
		o.MinBackoff, o.MaxBackoff = time.Microsecond, time.Millisecond
	}
	s, err := client.Attach(within(t), path, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// receiver is a Conn or a Session.
type receiver interface {
	Recv(ctx context.Context) (protocol.Event, error)
}

// names collects what arrives until the stream ends, one word for each event,
// and the end.
func names(t *testing.T, r receiver) ([]string, error) {
	t.Helper()
	ctx := within(t)
	var got []string
	for {
		e, err := r.Recv(ctx)
		if err == nil {
			got = append(got, e.Data.EventName())
			continue
		}
		word, passing := passingError(err)
		if !passing {
			return got, err
		}
		if len(got) == 0 || got[len(got)-1] != "(disconnected)" || word != "(disconnected)" { // attempts vary
			got = append(got, word)
		}
	}
}

// passingError names the errors after which a stream goes on.
func passingError(err error) (string, bool) {
	var bad *client.BadLineError
	var gap *client.GapError
	var gone *client.Disconnected
	switch {
	case errors.As(err, &bad):
		return "(bad line)", true
	case errors.As(err, &gap):
		return "(gap)", true
	case errors.As(err, &gone):
		return "(disconnected)", true
	default:
		return "", false
	}
}

func wantNames(t *testing.T, r receiver, end error, want ...string) {
	t.Helper()
	got, err := names(t, r)
	if !slices.Equal(got, want) {
		t.Errorf("received %q\nwant     %q", got, want)
	}
	if !errors.Is(err, end) {
		t.Errorf("the stream ended with %v, want %v", err, end)
	}
}
