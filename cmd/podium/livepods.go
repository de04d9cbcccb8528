package main

import (
	"context"
	"errors"
	"path/filepath"
	"sync"
	"time"

	"podium.local/client"
	"podium.local/protocol"
	"podium.local/session"
	"podium.local/studio"
)

// Times of asking pods. A pod that does not answer hello within helloPatience is
// unresponsive; its status comes right behind.
const (
	helloPatience  = 2 * time.Second
	statusPatience = 1200 * time.Millisecond
	// helloEvery is how often a pod that is followed is asked whether it still
	// answers, redialAfter how long one that does not is left alone.
	helloEvery  = 5 * time.Second
	redialAfter = time.Second
)

// recentItems is how many of the newest history items are looked at for tool
// calls that run.
const recentItems = 32

// livePods reaches pods by their sockets. podium ps and Studio see them through
// it, so that both say the same.
type livePods struct {
	run  string // the folder of the sockets
	name string // what the pods are told of who asks
}

// socket is where a pod listens.
func (l livePods) socket(row session.Pod) string {
	if row.Socket != "" {
		return row.Socket
	}
	return filepath.Join(l.run, row.Name, "sock")
}

func (l livePods) dial(ctx context.Context, row session.Pod) (*client.Conn, error) {
	tail := uint64(recentItems)
	return client.Dial(ctx, l.socket(row), client.Options{Client: l.name, PodName: row.Name, Tail: &tail, Timeout: helloPatience})
}

// Look asks a pod what it is doing. One that speaks only the base vocabulary
// does not say: what the store knows has to do.
func (l livePods) Look(ctx context.Context, row session.Pod) studio.PodLook {
	if !processLives(row.Process) {
		return studio.PodLook{State: studio.PodDead}
	}
	conn, err := l.dial(ctx, row)
	if err != nil {
		return studio.PodLook{State: studio.PodUnresponsive}
	}
	defer conn.Close()
	view := newPodView(conn, row)
	view.passing = true
	if _, extended := conn.Hello(); !extended {
		return view.look
	}
	ctx, cancel := context.WithTimeout(ctx, statusPatience)
	defer cancel()
	for e, err := range conn.Events(ctx) {
		if err != nil {
			break
		}
		view.apply(e)
		if _, last := e.Data.(protocol.Status); last {
			break
		}
	}
	return view.look
}

// Follow reports what a pod is doing for as long as ctx lasts. A process that is
// gone does not come back: another one is another row.
func (l livePods) Follow(ctx context.Context, row session.Pod, report func(studio.PodLook)) {
	var answered time.Time // when it last did; zero while it never has
	for ctx.Err() == nil {
		if !processLives(row.Process) {
			report(studio.PodLook{State: studio.PodDead})
			<-ctx.Done()
			return
		}
		if conn, err := l.dial(ctx, row); err == nil {
			answered = l.stay(ctx, conn, row, report)
			conn.Close()
			if !processLives(row.Process) {
				continue
			}
		} else if ctx.Err() == nil {
			report(studio.PodLook{State: studio.PodUnresponsive, Since: answered})
		}
		select {
		case <-time.After(redialAfter):
		case <-ctx.Done():
		}
	}
}

// stay follows one connection to its end. While events come, hello is repeated
// to see that the pod answers; it asks for nothing that was seen. It gives the
// time of the last answer.
func (l livePods) stay(ctx context.Context, conn *client.Conn, row session.Pod, report func(studio.PodLook)) (answered time.Time) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	f := &followedPod{view: newPodView(conn, row), report: report, answered: time.Now()}
	hello, extended := conn.Hello()
	if !extended {
		report(f.view.look)
	}
	var asking sync.WaitGroup
	defer func() {
		cancel()
		asking.Wait()
		answered = f.answered
	}()
	if extended {
		asking.Go(func() { f.ask(ctx, conn, hello.PodID, l.name) })
	}
	for e, err := range conn.Events(ctx) {
		var bad *client.BadLineError
		if err != nil && !errors.As(err, &bad) {
			return answered
		}
		if err == nil {
			f.take(e)
		}
	}
	return answered
}

// followedPod is the view of a pod and whether it answers.
type followedPod struct {
	report func(studio.PodLook)

	mu     sync.Mutex // guards what follows
	view   *podView
	silent bool
	// answered is when the pod last answered hello or sent an event.
	answered time.Time
	ready    bool // the status behind the first hello came
}

// take applies one event.
func (f *followedPod) take(e protocol.Event) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.answered = time.Now()
	before := f.view.look
	f.view.apply(e)
	_, status := e.Data.(protocol.Status)
	if first := status && !f.ready; first || f.ready && !f.silent && !sameLook(before, f.view.look) {
		f.ready = true
		f.report(f.view.look)
	}
}

// ask repeats hello until ctx ends.
func (f *followedPod) ask(ctx context.Context, conn *client.Conn, id protocol.PodID, name string) {
	ticks := time.NewTicker(helloEvery)
	defer ticks.Stop()
	for {
		select {
		case <-ticks.C:
		case <-ctx.Done():
			return
		}
		f.mu.Lock()
		seen := f.view.seq
		f.mu.Unlock()
		asked, cancel := context.WithTimeout(ctx, helloPatience)
		_, err := conn.Call(asked, protocol.Method{Params: protocol.Hello{
			ProtocolVersion: protocol.ProtocolVersion, Client: name, PodID: &id, Since: &seen, Tail: new(uint64),
		}})
		cancel()
		f.heard(err == nil, ctx.Err() != nil || errors.Is(err, client.ErrLost) || errors.Is(err, client.ErrClosed))
	}
}

// heard notes whether the pod answered; over says that nobody can tell any more.
func (f *followedPod) heard(answered, over bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if answered {
		f.answered = time.Now()
	}
	if over || f.silent == !answered {
		return
	}
	f.silent = !answered
	look := f.view.look
	if f.silent {
		look = studio.PodLook{State: studio.PodUnresponsive, Since: f.answered}
	}
	f.report(look)
}

// sameLook compares what a pod says of itself.
func sameLook(a, b studio.PodLook) bool {
	same := func(x, y *uint64) bool { return x == y || x != nil && y != nil && *x == *y }
	return a.State == b.State && a.SessionID == b.SessionID && a.Since.Equal(b.Since) && a.Tool == b.Tool && same(a.Clients, b.Clients) &&
		same(a.ContextTokens, b.ContextTokens) && same(a.ContextLimit, b.ContextLimit) && a.CompactionOff.Equal(b.CompactionOff) && a.Input.Equal(b.Input) &&
		a.Problem == b.Problem && a.ProblemAt.Equal(b.ProblemAt)
}

// Call hands a method to a pod and waits until it takes it.
func (l livePods) Call(ctx context.Context, row session.Pod, m protocol.Method) error {
	if !processLives(row.Process) {
		return client.ErrNotRunning
	}
	conn, err := client.Dial(ctx, l.socket(row), client.Options{Client: l.name, PodName: row.Name, Tail: new(uint64), Timeout: helloPatience})
	if err != nil {
		return err
	}
	defer conn.Close()
	_, err = conn.Call(ctx, m)
	return err
}
