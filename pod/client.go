package pod

import (
	"context"
	"errors"
	"io"
	"net"
	"sync"
	"time"

	"podium.local/protocol"
)

// Limits of one connection's queue.
const (
	// maxQueuedBytes is how many bytes may wait for a client. An event that is
	// larger than that by itself is not counted, or nobody could read fast enough
	// for it; maxLarge of those may wait, a delta and the block's done event.
	maxQueuedBytes = 8 << 20
	maxLarge       = 2
	// maxQueued is how many lines and answers may wait, coalesced deltas of one
	// block counting as one.
	maxQueued = 4096
)

// flushWait is how long a connection that ends may take for its last lines.
const flushWait = 2 * time.Second

// item is one thing to be written: a line, a stretch of an open block's text,
// or an answer that the writer renders itself.
type item struct {
	line   []byte
	block  *block
	text   []byte // of block; from is where the stretch begins
	from   int
	answer func(ctx context.Context, w io.Writer) error
	// counted is what of it counts for maxQueuedBytes, large that some of it is
	// too large for that.
	counted int
	large   bool
}

func (i item) bytes() int {
	if i.block != nil {
		return len(i.text) - i.from
	}
	return len(i.line)
}

// client is one connection: a reader goroutine that hands its methods to the
// pod, a writer goroutine that empties its queue.
type client struct {
	conn *net.UnixConn
	// name is what the client called itself, extended that it said hello. Both
	// are written under hub.mu by the reader goroutine and read there or under
	// hub.mu.
	name     string
	extended bool

	ctx    context.Context // ends with the connection
	cancel context.CancelFunc
	wake   chan struct{} // capacity 1: something was queued, or finishing was set

	mu        sync.Mutex
	queue     []item
	finishing bool // write what is queued, then end
	hungUp    bool
	counted   int // of all that is queued
	large     int
	stats     clientStats
}

// clientStats count what one client was sent: lines written, deltas that were
// joined to one before them, and the bytes that wait now.
type clientStats struct {
	Delivered, Coalesced uint64
	QueuedBytes          int
}

func newClient(ctx context.Context, conn *net.UnixConn) *client {
	c := &client{conn: conn, wake: make(chan struct{}, 1)}
	c.ctx, c.cancel = context.WithCancel(ctx)
	// Closing the connection is what ends a write that waits for the peer.
	context.AfterFunc(c.ctx, func() { conn.Close() })
	return c
}

// push queues an item; false means that the client has too much waiting. It
// never blocks. A connection that is ending takes nothing more.
func (c *client) push(i item) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.finishing || c.hungUp {
		return true
	}
	n := i.bytes()
	if i.large = n > maxQueuedBytes; i.large {
		if c.large >= maxLarge {
			return false
		}
	} else if i.counted = n; c.counted+n > maxQueuedBytes {
		return false
	}
	if last := len(c.queue) - 1; i.block != nil && last >= 0 && c.queue[last].block == i.block {
		joined := &c.queue[last]
		joined.text = i.text
		joined.counted += i.counted
		if joined.large && i.large {
			i.large = false // it is one event now
		}
		joined.large = joined.large || i.large
		c.stats.Coalesced++
	} else {
		if len(c.queue) >= maxQueued {
			return false
		}
		c.queue = append(c.queue, i)
	}
	c.stats.QueuedBytes += n
	c.counted += i.counted
	if i.large {
		c.large++
	}
	c.signal()
	return true
}

func (c *client) signal() {
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// pop takes the oldest item; more is false when the connection is to end.
func (c *client) pop() (i item, ok, more bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.hungUp {
		return item{}, false, false
	}
	if len(c.queue) == 0 {
		c.queue = nil
		return item{}, false, !c.finishing
	}
	i = c.queue[0]
	c.queue[0] = item{}
	c.queue = c.queue[1:]
	c.stats.QueuedBytes -= i.bytes()
	c.counted -= i.counted
	if i.large {
		c.large--
	}
	return i, true, true
}

// finish lets the writer empty the queue and end.
func (c *client) finish() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.finishing = true
	c.signal()
}

// hangUp ends the connection at once.
func (c *client) hangUp() {
	c.mu.Lock()
	c.hungUp = true
	c.queue = nil
	c.mu.Unlock()
	c.cancel()
}

// write empties the queue until the connection ends, and then ends the reader
// too. Only a peer that reads no more keeps its right to be read: what it sent
// before it left still counts.
func (c *client) write() {
	for {
		i, ok, more := c.pop()
		if !more {
			c.conn.CloseRead()
			return
		}
		if !ok {
			select {
			case <-c.wake:
			case <-c.ctx.Done():
				return
			}
			continue
		}
		if err := c.deliver(i); err != nil {
			c.finish()
			return
		}
	}
}

func (c *client) deliver(i item) error {
	switch {
	case i.answer != nil:
		if err := i.answer(c.ctx, c.conn); err != nil {
			return err
		}
	case i.block != nil:
		line, err := i.event().Append(nil)
		if err != nil {
			return err
		}
		if _, err := c.conn.Write(append(line, '\n')); err != nil {
			return err
		}
	default:
		if _, err := c.conn.Write(i.line); err != nil {
			return err
		}
	}
	c.mu.Lock()
	c.stats.Delivered++
	c.mu.Unlock()
	return nil
}

// event is the delta that a stretch of a block is.
func (i item) event() protocol.Event {
	text := string(i.text[i.from:])
	switch i.block.kind {
	case protocol.BlockToolCall:
		return protocol.Event{Data: protocol.ToolCallArgsDelta{ID: i.block.id, JSON: text}}
	case protocol.BlockReasoning:
		return protocol.Event{Data: protocol.ReasoningDelta{Text: text}}
	default:
		return protocol.Event{Data: protocol.TextDelta{Text: text}}
	}
}

// tell queues a direct answer to a method.
func (c *client) tell(h *hub, ev protocol.Event) { c.tellAs(h, ev, false) }

// tellAs queues a direct answer, in the extended vocabulary also to a client
// that has not said hello.
func (c *client) tellAs(h *hub, ev protocol.Event, extended bool) {
	f, err := newFrame(ev)
	if err != nil {
		h.log.Error("render an answer", "error", err)
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	line := f.line(extended || c.extended)
	if _, joined := h.clients[c]; line != nil && joined && !c.push(item{line: line}) {
		h.drop(c)
	}
}

// reject answers a method with an error.
func (c *client) reject(h *hub, requestID string, code protocol.ErrorCode, message string) {
	c.tell(h, protocol.Event{Data: protocol.Error{Code: code, Message: message}, RequestID: requestID})
}

// read hands each line to handle until the connection ends.
func (c *client) read(budget *protocol.Budget, handle func(line []byte, err error)) {
	r := protocol.NewReader(c.conn, protocol.ReaderOptions{Budget: budget})
	defer r.Release()
	for {
		line, err := r.ReadLine()
		switch {
		case err == nil, errors.Is(err, protocol.ErrLineTooLong), errors.Is(err, protocol.ErrBudget):
			handle(line, err)
		default:
			// The end of the stream and a reset are the same: the peer has left.
			return
		}
	}
}
