package pod

import (
	"log/slog"
	"slices"
	"sync"
	"time"

	"podium.local/protocol"
	"podium.local/session"
)

// maxNotices is how many notifications are replayed to a new client.
const maxNotices = 512

// hub is the one place where events reach clients, and holds what a client
// that joins must be told.
//
// Invariants:
//   - view and the clients' queues change together under mu, so that the
//     position a client subscribes at is exact: what the view counts is not in
//     its queue, what comes later is;
//   - the view changes only after the commit it speaks of;
//   - nothing under mu waits: no store, no socket, no client.
//
// Lock order: Pod.commitMu, then hub.mu, then client.mu.
type hub struct {
	log *slog.Logger
	now func() time.Time

	mu      sync.Mutex
	view    view
	clients map[*client]struct{}
	notices []*frame
	// failure says why the last run failed, to those who join later; nil when it
	// did not.
	failure []*frame
	closed  bool

	statusAt     time.Time // of the newest status event
	statusTimer  *time.Timer
	disconnected uint64
	// gone is called, outside mu, each time a client left and none is there.
	gone func()
}

// view is the pod as clients see it.
type view struct {
	state protocol.PodState
	since time.Time
	// sessionID, seq, length and items are where the log stands: length entries
	// in the session, items of them history items.
	sessionID protocol.SessionID
	seq       uint64
	length    int64
	items     uint64
	totals    session.Totals
	context   uint64
	queued    uint64
	retry     *protocol.Retry
	// open are the blocks of the running answer without a done event.
	open []*block
}

// block is an open block. Its text only grows, so that slices of it taken
// under hub.mu stay true without the lock, and all clients share it.
type block struct {
	kind     protocol.BlockKind
	id, name string
	text     []byte
}

// frame is an event as bytes, rendered once for all clients. A nil line means
// that clients of that vocabulary do not get it. Both end with a line break.
type frame struct {
	base, extended []byte
}

func newFrame(ev protocol.Event) (*frame, error) {
	f := &frame{}
	line, err := ev.Append(nil)
	if err != nil {
		return nil, err
	}
	f.extended = append(line, '\n')
	if ev, ok := ev.Base(); ok {
		line, err := ev.Append(make([]byte, 0, len(f.extended)))
		if err != nil {
			return nil, err
		}
		f.base = append(line, '\n')
	}
	return f, nil
}

// line is what a client of that vocabulary gets.
func (f *frame) line(extended bool) []byte {
	if extended {
		return f.extended
	}
	return f.base
}

// frames renders events; one that cannot be rendered is logged and left out,
// which no event made by this package is.
func (h *hub) frames(events ...protocol.Event) []*frame {
	out := make([]*frame, 0, len(events))
	for _, ev := range events {
		f, err := newFrame(ev)
		if err != nil {
			h.log.Error("render an event", "error", err)
			continue
		}
		out = append(out, f)
	}
	return out
}

// update changes the view and publishes events in one step.
func (h *hub) update(change func(*view), events ...protocol.Event) {
	frames := h.frames(events...)
	h.mu.Lock()
	defer h.mu.Unlock()
	before := h.view
	if change != nil {
		change(&h.view)
	}
	h.publish(frames)
	h.statusIfChanged(&before)
}

// queued is how many accepted inputs are not in the log yet.
func (h *hub) queued() uint64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.view.queued
}

// empty reports whether nobody is connected.
func (h *hub) empty() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.clients) == 0
}

// publish appends frames to every queue. Callers hold mu.
func (h *hub) publish(frames []*frame) {
	for _, f := range frames {
		for c := range h.clients {
			if line := f.line(c.extended); line != nil && !c.push(item{line: line}) {
				h.drop(c)
			}
		}
	}
}

// statusIfChanged publishes a status when something that it says has changed.
// Callers hold mu.
func (h *hub) statusIfChanged(before *view) {
	v := &h.view
	if v.state != before.state {
		v.since = h.now()
	}
	if v.state != before.state || v.sessionID != before.sessionID || v.queued != before.queued || v.retry != before.retry {
		h.publishStatus()
	}
}

// publishStatus sends a status event to extended clients. Callers hold mu.
func (h *hub) publishStatus() {
	if h.statusTimer != nil {
		h.statusTimer.Stop()
		h.statusTimer = nil
	}
	h.statusAt = h.now()
	h.publish(h.frames(protocol.Event{Data: h.status()}))
}

func (h *hub) status() protocol.Status {
	v := &h.view
	return protocol.Status{
		State: v.state, SessionID: v.sessionID,
		SinceMS: h.now().Sub(v.since).Milliseconds(),
		Clients: uint64(len(h.clients)), Queued: v.queued, Retry: v.retry,
	}
}

// clientsChanged announces the number of clients, at most once a second.
// Callers hold mu.
func (h *hub) clientsChanged() {
	if h.closed || h.statusTimer != nil {
		return
	}
	wait := time.Second - h.now().Sub(h.statusAt)
	if wait <= 0 {
		h.publishStatus()
		return
	}
	h.statusLater(wait)
}

// statusLater publishes a status after a while unless another one comes
// first. Callers hold mu.
func (h *hub) statusLater(wait time.Duration) {
	if h.closed || h.statusTimer != nil {
		return
	}
	h.statusTimer = time.AfterFunc(wait, func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		if h.statusTimer != nil && !h.closed {
			h.publishStatus()
		}
	})
}

// notify shows a text to people, now and to those who join later.
func (h *hub) notify(n protocol.Notification) {
	h.log.Warn(n.Message, "source", n.Source, "level", n.Level)
	frames := h.notice(n)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.keep(frames)
	h.publish(frames)
}

// keep holds notifications for those who join later. Callers hold mu.
func (h *hub) keep(frames []*frame) {
	h.notices = append(h.notices, frames...)
	if over := len(h.notices) - maxNotices; over > 0 {
		h.notices = append(h.notices[:0:0], h.notices[over:]...)
	}
}

func (h *hub) notice(n protocol.Notification) []*frame {
	if n.TimestampMS == 0 {
		n.TimestampMS = h.now().UnixMilli()
	}
	return h.frames(protocol.Event{Data: n})
}

// start opens a block of the running answer and shows what opens it.
func (h *hub) start(b *block, events ...protocol.Event) {
	h.update(func(v *view) { v.open = append(v.open, b) }, events...)
}

// delta adds text to an open block and shows it.
func (h *hub) delta(b *block, text string) {
	if text == "" {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	from := len(b.text)
	b.text = append(b.text, text...)
	for c := range h.clients {
		if b.kind == protocol.BlockReasoning && !c.extended {
			continue
		}
		if !c.push(item{block: b, text: b.text, from: from}) {
			h.drop(c)
		}
	}
}

// join subscribes a client: the notifications so far, then everything that
// is published from now on. It reports false when the pod is full or ending.
func (h *hub) join(c *client, most int) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed || len(h.clients) >= most {
		return false
	}
	h.clients[c] = struct{}{}
	for _, f := range slices.Concat(h.notices, h.failure) {
		c.push(item{line: f.base})
	}
	h.clientsChanged()
	return true
}

// leave ends a subscription.
func (h *hub) leave(c *client) {
	h.mu.Lock()
	_, was := h.clients[c]
	delete(h.clients, c)
	if was {
		h.clientsChanged()
	}
	last := was && len(h.clients) == 0 && !h.closed
	gone := h.gone
	h.mu.Unlock()
	if last && gone != nil {
		gone()
	}
}

// drop ends the connection of a client that could not keep up. Callers hold
// mu.
func (h *hub) drop(c *client) {
	delete(h.clients, c)
	h.disconnected++
	h.log.Warn("disconnected a client that does not keep up", "client", c.name, "limit_bytes", maxQueuedBytes)
	c.hangUp()
	h.statusLater(time.Second)
}

// close ends the publication and returns the clients that are left.
func (h *hub) close() []*client {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.closed = true
	if h.statusTimer != nil {
		h.statusTimer.Stop()
		h.statusTimer = nil
	}
	left := make([]*client, 0, len(h.clients))
	for c := range h.clients {
		left = append(left, c)
	}
	return left
}

// position is the view at one moment: what a client that subscribes then is
// told by its writer, later and without a lock.
type position struct {
	state     protocol.PodState
	sessionID protocol.SessionID
	seq       uint64
	length    int64
	items     uint64
	usage     protocol.Usage
	open      []openText
}

// openText is an open block as far as it had come.
type openText struct {
	*block
	text []byte
}

// position takes the view's. Callers hold hub.mu.
func (v *view) position(contextLimit *uint64) position {
	p := position{
		state: v.state, sessionID: v.sessionID, seq: v.seq, length: v.length, items: v.items,
		usage: v.usage(contextLimit),
	}
	for _, b := range v.open {
		p.open = append(p.open, openText{b, b.text})
	}
	return p
}

// live is the unfinished part for the wire.
func (p position) live() protocol.Live {
	l := protocol.Live{Usage: p.usage, InFlight: make([]protocol.OpenBlock, len(p.open))}
	for i, b := range p.open {
		l.InFlight[i] = protocol.OpenBlock{Kind: b.kind, ID: b.id, Name: b.name, Text: string(b.text)}
	}
	return l
}

// usage is the session's total.
func (v *view) usage(contextLimit *uint64) protocol.Usage {
	t := v.totals
	u := session.Usage{
		CacheReadTokens: t.CacheReadTokens, CacheWriteTokens: t.CacheWriteTokens,
		ReasoningTokens: t.ReasoningTokens, CostUSD: t.CostUSD,
	}
	if t.Known {
		u.InputTokens, u.OutputTokens = &t.InputTokens, &t.OutputTokens
	}
	ev := u.Event(contextLimit)
	ev.Extra.ContextTokens, ev.CostPartial = v.context, t.Partial
	return ev
}
