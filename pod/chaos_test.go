package pod_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"podium.local/protocol"
	"podium.local/session"
)

// chaos is one pod that is killed and restarted while several clients do what
// they like.
type chaos struct {
	t     *testing.T
	spec  childSpec
	steps atomic.Int64
	quiet chan struct{} // closed when the clients are to stop acting
	// accepted are the texts of inputs that the pod said it accepted.
	mu       sync.Mutex
	accepted map[string]bool
}

func TestChaos_LogSnapshotAndEveryViewAgree(t *testing.T) {
	for n := range chaosPods {
		t.Run(fmt.Sprint("pod ", n), func(t *testing.T) {
			t.Parallel()
			spec := newChildSpec(t, "c")
			spec.Blocks, spec.Calls, spec.Pause, spec.Compact = 4, 3, time.Millisecond, 800
			(&chaos{t: t, spec: spec, quiet: make(chan struct{}), accepted: map[string]bool{}}).run()
		})
	}
}

func (x *chaos) run() {
	t := x.t
	c := startChild(t, x.spec)
	views := []*chaosView{{x: x, name: "a"}, {x: x, name: "b"}, {x: x, name: "c"}, {x: x, base: true}}
	errs := make(chan error, len(views))
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	baseCtx, stopBase := context.WithCancel(ctx)
	defer stopBase()
	for _, v := range views {
		lives := ctx
		if v.base {
			lives = baseCtx
		}
		go func() { errs <- v.live(lives, c.socket) }()
	}
	for x.steps.Load() < chaosSteps {
		// A life is some tens of steps long; most end in a crash.
		until := x.steps.Load() + rand.Int64N(chaosSteps/8) + 10
		waitFor(t, func() bool { return x.steps.Load() >= until || t.Failed() || len(errs) > 0 })
		if len(errs) > 0 {
			break
		}
		if rand.IntN(4) == 0 {
			if err := c.terminate(syscall.SIGTERM); err != nil {
				t.Fatalf("the pod ended with %v\n%s", err, c.stderr)
			}
		} else {
			c.kill()
		}
		c = startChild(t, x.spec)
	}
	close(x.quiet)
	head := x.finish(c.socket)
	for _, v := range views {
		v.until.Store(head)
	}
	// Base clients cannot know that they have seen all.
	stopBase()
	for range views {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	x.check(c.socket, head, views)
	if err := c.terminate(syscall.SIGTERM); err != nil {
		t.Errorf("the pod ended with %v\n%s", err, c.stderr)
	}
	left, _ := os.ReadDir(filepath.Dir(c.socket))
	for _, e := range left {
		if e.Name() != "lock" && e.Name() != "status.json" {
			t.Errorf("%s is left", e.Name())
		}
	}
}

// finish brings the pod to rest with an empty inbox and returns the number of
// its newest durable event.
func (x *chaos) finish(socket string) uint64 {
	c, err := dialChaos(socket)
	if err != nil {
		x.t.Fatal(err)
	}
	defer c.conn.Close()
	c.send("", protocol.Hello{ProtocolVersion: 1, Client: "finisher/1"})
	// The controller answers a method behind everything that a run's end brings
	// about, a compaction too; only what is idle then is at rest.
	const asked = "at rest?"
	var status protocol.Status
	seq, ran := uint64(0), false
	for {
		ev, err := c.next()
		if err != nil {
			x.t.Fatal(err)
		}
		seq = max(seq, ev.Seq)
		switch d := ev.Data.(type) {
		case protocol.HelloEvent:
			seq, status.State = d.Seq, d.State
		case protocol.Status:
			status = d
		case protocol.Error:
			if ev.RequestID == asked && status.State == protocol.StateIdle && status.Queued == 0 {
				return seq
			}
			continue
		default:
			continue
		}
		switch {
		case status.State == protocol.StatePaused:
			c.send("", protocol.Resume{})
		case status.State == protocol.StateIdle && !ran:
			ran = true
			c.send("", protocol.Run{Input: "the last one"})
		case status.State == protocol.StateIdle:
			c.send(asked, protocol.Pause{})
		}
	}
}

// check compares the log with what was shown.
func (x *chaos) check(socket string, head uint64, views []*chaosView) {
	t := x.t
	st := openStore(t, x.spec)
	var id protocol.PodID
	for _, v := range views {
		if v.id != nil {
			id = *v.id
		}
	}
	entries := durable(t, st, id)
	if uint64(len(entries)) != head {
		t.Fatalf("the log has %d events, the newest shown is %d", len(entries), head)
	}
	var log []string
	said := map[string]int{}
	inRun := false
	for i, e := range entries {
		if e.Seq != uint64(i+1) {
			t.Fatalf("event %d stands at place %d", e.Seq, i+1)
		}
		ev, _, err := session.Event(e)
		if err != nil {
			t.Fatal(err)
		}
		log = append(log, describeOne(ev))
		switch d := ev.Data.(type) {
		case protocol.UserInput:
			said[d.Text]++
			inRun = true
		case protocol.RunEnd:
			inRun = false
		}
	}
	if inRun {
		t.Error("the last run has no end")
	}
	for text := range x.accepted {
		if said[text] != 1 {
			t.Errorf("the accepted input %q stands in the log %d times", text, said[text])
		}
	}
	for _, v := range views {
		if v.base {
			continue
		}
		for seq, text := range v.seen {
			if log[seq-1] != text {
				t.Errorf("client %s was shown event %d as %s, the log has %s", v.name, seq, text, log[seq-1])
			}
		}
		// A client that was resumed each time has seen all; one that was sent a
		// snapshot has a gap there and nowhere else.
		if v.snapshots == 1 && uint64(len(v.seen)) != head-v.from {
			t.Errorf("client %s saw %d events from %d on, of %d", v.name, len(v.seen), v.from, head)
		}
	}
	c, err := dialChaos(socket)
	if err != nil {
		t.Fatal(err)
	}
	defer c.conn.Close()
	tail := uint64(2000)
	c.send("", protocol.Hello{ProtocolVersion: 1, Client: "checker/1", Tail: &tail})
	var snapshot protocol.Snapshot
	var hello protocol.HelloEvent
	for snapshot.SessionID.IsZero() {
		ev, err := c.next()
		if err != nil {
			t.Fatal(err)
		}
		switch d := ev.Data.(type) {
		case protocol.HelloEvent:
			hello = d
		case protocol.Snapshot:
			snapshot = d
		}
	}
	all, err := st.Log(t.Context(), hello.SessionID.String(), 0, -1, 0)
	if err != nil {
		t.Fatal(err)
	}
	hist, err := session.Fold(all)
	if err != nil {
		t.Fatal(err)
	}
	if uint64(len(hist.Items())) != snapshot.TotalItems {
		t.Errorf("the log has %d items, the snapshot counts %d", len(hist.Items()), snapshot.TotalItems)
	}
	items := hist.Items()[len(hist.Items())-len(snapshot.Items):]
	for i, raw := range snapshot.Items {
		item, err := protocol.ParseItem(raw)
		if err != nil || item.EntryID != items[i].EntryID {
			t.Fatalf("item %d of the snapshot is %s, %v; the log has %s", i, raw, err, items[i].EntryID)
		}
	}
	if len(snapshot.Live.InFlight) > 0 || snapshot.State != protocol.StateIdle {
		t.Errorf("at rest: %s with %d open blocks", snapshot.State, len(snapshot.Live.InFlight))
	}
}

// chaosConn is a connection whose errors are values: it is used outside the
// test's goroutine.
type chaosConn struct {
	conn net.Conn
	r    *protocol.Reader
	w    *protocol.Writer
}

func dialChaos(socket string) (*chaosConn, error) {
	deadline := time.Now().Add(20 * time.Second)
	for {
		conn, err := net.Dial("unix", socket)
		if err == nil {
			return &chaosConn{conn, protocol.NewReader(conn, protocol.ReaderOptions{}), protocol.NewWriter(conn)}, nil
		}
		if time.Now().After(deadline) {
			return nil, err
		}
		time.Sleep(time.Millisecond)
	}
}

func (c *chaosConn) send(id string, p protocol.MethodParams) error {
	return c.w.WriteMethod(protocol.Method{Params: p, RequestID: id})
}

func (c *chaosConn) next() (protocol.Event, error) {
	c.conn.SetReadDeadline(time.Now().Add(20 * time.Second))
	line, err := c.r.ReadLine()
	if err != nil {
		return protocol.Event{}, err
	}
	return protocol.DecodeEvent(line)
}

// chaosView is one client over all its connections.
type chaosView struct {
	x         *chaos
	name      string
	base      bool
	until     atomic.Uint64 // read up to this event; 0 while it is not known
	id        *protocol.PodID
	since     *uint64
	from      uint64
	snapshots int
	seen      map[uint64]string
	// asked are the texts sent with a request id that was not answered yet.
	asked map[string]string
	n     int
}

// live acts until the pod is to be quiet, then reads to the end. The error is
// what it was shown and must not have been.
func (v *chaosView) live(ctx context.Context, socket string) error {
	v.seen, v.asked = map[uint64]string{}, map[string]string{}
	for ctx.Err() == nil {
		done, err := v.connection(ctx, socket)
		if done || err != nil {
			return err
		}
	}
	return nil
}

// connection is one connection; it ends with the pod's life, by whim, or when
// all was seen (done).
func (v *chaosView) connection(ctx context.Context, socket string) (done bool, err error) {
	c, err := dialChaos(socket)
	if err != nil {
		return false, err
	}
	defer context.AfterFunc(ctx, func() { c.conn.Close() })()
	defer c.conn.Close()
	if !v.base {
		c.send("", protocol.Hello{ProtocolVersion: 1, Client: v.name + "/1", PodID: v.id, Since: v.since})
	}
	acting, stop := context.WithCancel(ctx)
	acted := make(chan struct{})
	defer func() { stop(); c.conn.Close(); <-acted }()
	asked := v.takeAsked()
	go func() {
		defer close(acted)
		v.act(acting, c, asked)
	}()
	hello := v.base
	for {
		ev, err := c.next()
		if err != nil {
			return false, nil
		}
		if _, ok := ev.Data.(protocol.HelloEvent); ok {
			hello = true
		}
		if !hello {
			continue
		}
		if err := v.see(ev); err != nil {
			return false, err
		}
		if head := v.until.Load(); head > 0 && v.since != nil && *v.since >= head {
			return true, nil
		}
	}
}

// baseWords are all that a client may be shown that never said hello.
var baseWords = []string{
	"turn_start", "turn_end", "text_delta", "text_done", "tool_call_start", "tool_call_args_delta", "tool_call_done",
	"tool_result", "usage", "run_end", "error", "history", "notification", "compact_start", "compact_done",
	"compact_failed", "shutdown",
}

var baseCodes = []protocol.ErrorCode{"already_running", "not_running", "not_paused", "provider_error", "tool_error", "internal"}

// see notes one event and checks that it may come here and now.
func (v *chaosView) see(ev protocol.Event) error {
	if v.base {
		e, isError := ev.Data.(protocol.Error)
		if !slices.Contains(baseWords, ev.Data.EventName()) || isError && !slices.Contains(baseCodes, e.Code) {
			return fmt.Errorf("a base client was shown %s", describeOne(ev))
		}
		return nil
	}
	switch d := ev.Data.(type) {
	case protocol.HelloEvent:
		if v.since == nil || !d.Resumed {
			v.snapshots++
			v.from = d.Seq
			v.since = &d.Seq
		}
		v.id = &d.PodID
	case protocol.Accepted:
		v.x.mu.Lock()
		if text := v.asked[ev.RequestID]; text != "" {
			v.x.accepted[text] = true
			delete(v.asked, ev.RequestID)
		}
		v.x.mu.Unlock()
	}
	if ev.Seq == 0 {
		return nil
	}
	if ev.Seq != *v.since+1 {
		return fmt.Errorf("client %s was shown event %d after %d", v.name, ev.Seq, *v.since)
	}
	seq := ev.Seq
	v.since = &seq
	v.seen[seq] = describeOne(ev)
	return nil
}

// takeAsked are the questions a lost connection left without an answer.
func (v *chaosView) takeAsked() map[string]string {
	v.x.mu.Lock()
	defer v.x.mu.Unlock()
	out := map[string]string{}
	for id, text := range v.asked {
		out[id] = text
	}
	return out
}

// act does random things until the connection ends.
func (v *chaosView) act(ctx context.Context, c *chaosConn, asked map[string]string) {
	for id, text := range asked {
		// What was sent before the crash may have been accepted or not: sending it
		// again does no harm.
		c.send(id, protocol.Notify{Message: text})
	}
	for ctx.Err() == nil {
		select {
		case <-v.x.quiet:
			return
		case <-ctx.Done():
			return
		case <-time.After(time.Duration(rand.IntN(4000)) * time.Microsecond):
		}
		v.x.steps.Add(1)
		if err := v.step(ctx, c); err != nil {
			return
		}
	}
}

var errWhim = errors.New("left by whim")

func (v *chaosView) step(ctx context.Context, c *chaosConn) error {
	v.n++
	text := fmt.Sprintf("%s says %d", v.name, v.n)
	switch rand.IntN(17) {
	case 0, 1, 2:
		return c.send("", protocol.Run{Input: "go"})
	case 3, 4:
		if v.base {
			return c.send("", protocol.Notify{Message: "from a base client"})
		}
		id := fmt.Sprintf("%s-%d", v.name, v.n)
		v.x.mu.Lock()
		v.asked[id] = text
		v.x.mu.Unlock()
		return c.send(id, protocol.Notify{Message: text})
	case 5:
		return c.send("", protocol.PodEvent{Kind: protocol.PodEventTurnEnded, PodName: "child"})
	case 6, 7:
		return c.send("", protocol.Cancel{})
	case 8, 9:
		return c.send("", protocol.Pause{})
	case 10, 11:
		return c.send("", protocol.Resume{})
	case 12:
		return c.send("", protocol.GetHistory{})
	case 13:
		if v.base {
			_, err := c.conn.Write([]byte(strings.Repeat("garbage ", 100) + "\n"))
			return err
		}
		return c.send("", protocol.GetEntries{})
	case 14:
		return c.send("", protocol.Compact{})
	case 15:
		select {
		case <-ctx.Done():
		case <-time.After(20 * time.Millisecond):
		}
		return nil
	default:
		c.conn.Close()
		return errWhim
	}
}
