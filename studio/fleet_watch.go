package studio

import (
	"context"
	"log/slog"
	"maps"
	"sync"
	"time"

	"podium.local/protocol"
	"podium.local/session"
)

// Times and bounds of watching.
const (
	// firstLooks is how long the first frame of a stream waits for pods to answer.
	firstLooks = 250 * time.Millisecond
	// reshow is how often liveness is judged anew without a change.
	reshow = 5 * time.Second
	// slowFactor keeps the store at rest for this many times what the last reading
	// took.
	slowFactor = 10
	// failingFor is how long the store may not be readable before streams end.
	failingFor = 5 * time.Second
	// subscriberQueue is how many frames may wait for one client.
	subscriberQueue = 64
)

// fleetWatch keeps the fleet up to date while somebody looks: one connection
// reads the store's change counter, one connection goes to every live pod.
// Without a subscriber it does nothing and holds nothing.
type fleetWatch struct {
	fleet *fleet

	mu sync.Mutex // guards what follows
	// subscribers are the open streams; running is the watching for them.
	subscribers map[*subscriber]struct{}
	running     *watching
	ring        ring
	// now is the newest state, shown what it was made of; now.pods.json is nil
	// before the first.
	now   encoded
	shown fleetBody
	// whole is the reset frame of now, nil until somebody needs it.
	whole []byte
}

// watching is one stretch of time with at least one subscriber.
type watching struct {
	cancel context.CancelFunc
	ended  chan struct{} // closed when nothing of it is left
	// ready is closed when the state is of this stretch, or err says why it is
	// not.
	ready chan struct{}
	err   error
}

// subscriber is one open stream.
type subscriber struct {
	// frames are closed when the client is too slow.
	frames chan fleetFrame
}

// fleetFrame is one event with its id.
type fleetFrame struct {
	id   string
	data []byte
}

// body is the newest state while somebody watches.
func (w *fleetWatch) body() (fleetBody, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.running == nil {
		return fleetBody{}, false
	}
	select {
	case <-w.running.ready:
		body := w.shown
		body.AsOf = number(session.UnixSeconds(w.fleet.server.now()))
		return body, true
	default:
		return fleetBody{}, false
	}
}

// subscribe opens a stream. It gives the frames behind lastID, or a reset where
// that is not known, and the subscriber for those to come. The caller must
// unsubscribe.
func (w *fleetWatch) subscribe(ctx context.Context, lastID string) (*subscriber, []fleetFrame, error) {
	s := &subscriber{frames: make(chan fleetFrame, subscriberQueue)}
	w.mu.Lock()
	if w.running == nil {
		if err := w.start(); err != nil {
			w.mu.Unlock()
			return nil, nil, err
		}
	}
	run := w.running
	// Registered at once, so that the watching does not end; frames are sent from
	// now on and those that are in the state below are dropped.
	w.subscribers[s] = struct{}{}
	w.mu.Unlock()
	var err error
	select {
	case <-run.ready:
		err = run.err
	case <-ctx.Done():
		err = ctx.Err()
	}
	if err != nil {
		w.unsubscribe(s)
		return nil, nil, err
	}
	frames, err := w.begin(s, lastID)
	if err != nil {
		w.unsubscribe(s)
		return nil, nil, err
	}
	return s, frames, nil
}

// begin gives the frames with which a stream begins. What was sent to it before
// is in them.
func (w *fleetWatch) begin(s *subscriber, lastID string) ([]fleetFrame, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for len(s.frames) > 0 {
		<-s.frames
	}
	if first, events, ok := w.ring.after(lastID); ok {
		frames := make([]fleetFrame, len(events))
		for i, data := range events {
			frames[i] = fleetFrame{w.ring.id(first + uint64(i)), data}
		}
		return frames, nil
	}
	if w.whole == nil {
		var err error
		if w.whole, err = w.now.reset(); err != nil {
			return nil, err
		}
	}
	return []fleetFrame{{w.ring.id(w.ring.last), w.whole}}, nil
}

// unsubscribe ends a stream; the last one ends the watching and waits for it.
func (w *fleetWatch) unsubscribe(s *subscriber) {
	w.mu.Lock()
	delete(w.subscribers, s)
	run := w.running
	if run == nil || len(w.subscribers) > 0 {
		w.mu.Unlock()
		return
	}
	w.running = nil
	w.mu.Unlock()
	run.cancel()
	<-run.ended
}

// start begins to watch. The caller holds mu.
func (w *fleetWatch) start() error {
	ctx, cancel := context.WithCancel(w.fleet.server.base)
	run := &watching{cancel: cancel, ready: make(chan struct{}), ended: make(chan struct{})}
	err := w.fleet.server.inBackground(func() {
		defer close(run.ended)
		defer cancel()
		defer w.settle(run)
		l := &watchLoop{
			watch: w, run: run, changes: w.fleet.server.cfg.Sources.Fleet.Watch(),
			followed: make(map[podKey]*followed), dirty: make(chan struct{}, 1),
		}
		l.loop(ctx)
	})
	if err != nil {
		cancel()
		return err
	}
	w.running = run
	return nil
}

// publish makes a new state known.
func (w *fleetWatch) publish(body *fleetBody, run *watching) error {
	next, err := encodeFleet(body)
	if err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.running != run {
		return nil // the last subscriber left meanwhile
	}
	var data []byte
	if w.now.pods.json != nil {
		if data, err = next.change(&w.now); err != nil {
			return err
		}
	}
	w.now, w.shown, w.whole = next, *body, nil
	if data != nil {
		f := fleetFrame{w.ring.add(data), data}
		for s := range w.subscribers {
			select {
			case s.frames <- f:
			default:
				w.drop(s)
				w.fleet.server.metrics.fleetDropped.Inc()
			}
		}
	}
	run.begin(nil)
	return nil
}

// drop ends a stream. The caller holds mu.
func (w *fleetWatch) drop(s *subscriber) {
	delete(w.subscribers, s)
	close(s.frames)
}

// fail ends every stream of a stretch: what they show cannot be kept true.
func (w *fleetWatch) fail(run *watching, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.running != run {
		return
	}
	w.running = nil
	run.begin(err)
	for s := range w.subscribers {
		w.drop(s)
	}
}

// settle answers those who still wait for the state of a stretch that ended.
func (w *fleetWatch) settle(run *watching) {
	w.mu.Lock()
	defer w.mu.Unlock()
	run.begin(errStopping)
}

// begin lets the subscribers of a stretch go on; only the first call counts. The
// caller holds mu.
func (r *watching) begin(err error) {
	select {
	case <-r.ready:
	default:
		r.err = err
		close(r.ready)
	}
}

// watchLoop is the state of one stretch of watching; its goroutine owns it,
// looks excepted.
type watchLoop struct {
	watch    *fleetWatch
	run      *watching
	changes  Changes
	followed map[podKey]*followed
	seen     session.Fleet
	// asked are the pods of which the store was asked for inputs, since when.
	asked map[protocol.PodID]float64

	mu    sync.Mutex // guards looks
	looks map[podKey]PodLook
	dirty chan struct{} // capacity 1: looks changed
}

// followed is the connection to one pod.
type followed struct {
	cancel context.CancelFunc
	ended  chan struct{}
}

// loop looks at the store at every tick and shows what changed there or in the
// pods. A store that cannot be read ends the streams: at once when they begin,
// later when that lasts.
func (l *watchLoop) loop(ctx context.Context) {
	s := l.watch.fleet.server
	defer l.end()
	ticks := time.NewTicker(s.cfg.Poll)
	defer ticks.Stop()
	// stale says that the store has to be read, from when it may be.
	var from, shown, failing time.Time
	stale, started := true, false
	for ctx.Err() == nil {
		now := time.Now()
		changed, err := l.changes.Changed(ctx)
		s.metrics.fleetLooks.Inc()
		moved := l.moved()
		stale = stale || changed || moved && !maps.Equal(l.asked, switchedOff(l.sight()))
		if err == nil && stale && !now.Before(from) {
			if err = l.read(ctx); err == nil {
				stale, moved = false, true
			}
			from = time.Now().Add(slowFactor * time.Since(now))
		}
		switch {
		case ctx.Err() != nil:
			return
		case err == nil:
			failing = time.Time{}
		case failing.IsZero():
			failing = now
			s.log.LogAttrs(ctx, slog.LevelWarn, "the fleet cannot be read", slog.Any("error", err))
		}
		if err != nil && (!started || now.Sub(failing) > failingFor) {
			l.watch.fail(l.run, err)
			return
		}
		if !started {
			started = true
			l.await(ctx)
		}
		if moved || now.Sub(shown) >= reshow {
			shown = now
			l.show(ctx)
		}
		select {
		case <-ticks.C:
		case <-ctx.Done():
		}
	}
}

// moved reports whether a pod said something since the last call.
func (l *watchLoop) moved() bool {
	select {
	case <-l.dirty:
		return true
	default:
		return false
	}
}

// sight is everything that is known now.
func (l *watchLoop) sight() *sight {
	l.mu.Lock()
	defer l.mu.Unlock()
	return &sight{fleet: l.seen, looks: maps.Clone(l.looks)}
}

// read asks the store and follows the pods that it names.
func (l *watchLoop) read(ctx context.Context) error {
	asked := switchedOff(l.sight())
	seen, err := l.watch.fleet.read(ctx, asked)
	if err != nil {
		return err
	}
	l.seen, l.asked = seen, asked
	live := make(map[podKey]bool, len(seen.Pods))
	for i := range seen.Pods {
		p := seen.Pods[i].Pod
		key := keyOf(&p)
		live[key] = true
		if l.followed[key] == nil {
			l.follow(ctx, key, p)
		}
	}
	for key, f := range l.followed {
		if !live[key] {
			f.cancel()
			<-f.ended
			delete(l.followed, key)
			l.mu.Lock()
			delete(l.looks, key)
			l.mu.Unlock()
		}
	}
	return nil
}

// follow opens the connection to a pod.
func (l *watchLoop) follow(ctx context.Context, key podKey, p session.Pod) {
	ctx, cancel := context.WithCancel(ctx)
	f := &followed{cancel: cancel, ended: make(chan struct{})}
	l.followed[key] = f
	s := l.watch.fleet.server
	s.metrics.fleetPods.Inc()
	go func() {
		defer close(f.ended)
		defer s.metrics.fleetPods.Dec()
		s.cfg.Pods.Follow(ctx, p, func(look PodLook) {
			l.mu.Lock()
			if l.looks == nil {
				l.looks = make(map[podKey]PodLook)
			}
			l.looks[key] = look
			l.mu.Unlock()
			select {
			case l.dirty <- struct{}{}:
			default:
			}
		})
	}()
}

// await gives the pods a moment to answer before the first frame.
func (l *watchLoop) await(ctx context.Context) {
	moment := time.NewTimer(firstLooks)
	defer moment.Stop()
	for {
		l.mu.Lock()
		all := len(l.looks) == len(l.followed)
		l.mu.Unlock()
		if all {
			return
		}
		select {
		case <-l.dirty:
		case <-moment.C:
			return
		case <-ctx.Done():
			return
		}
	}
}

// show publishes what is known.
func (l *watchLoop) show(ctx context.Context) {
	body := l.watch.fleet.show(l.sight())
	if ctx.Err() != nil {
		return
	}
	if err := l.watch.publish(&body, l.run); err != nil {
		l.watch.fleet.server.log.LogAttrs(ctx, slog.LevelError, "the fleet cannot be written", slog.Any("error", err))
	}
}

// end closes every connection and waits for them.
func (l *watchLoop) end() {
	for _, f := range l.followed {
		f.cancel()
	}
	for _, f := range l.followed {
		<-f.ended
	}
	if err := l.changes.Close(); err != nil {
		l.watch.fleet.server.log.Warn("the store cannot be let go", "error", err)
	}
}
