package client

import (
	"context"
	"sync"

	"podium.local/protocol"
)

// stream is the queue between the goroutine that reads a connection and the
// consumer. It is bounded by bytes: one producer waits for room, any number of
// consumers wait for items.
type stream struct {
	limit int

	mu     sync.Mutex
	items  []received
	bytes  int
	eager  int   // calls that wait for an answer
	end    error // reported once items are used up
	closed bool

	ready chan struct{} // there may be an item or an end
	room  chan struct{} // there may be room, or an end
}

// received is what one line became.
type received struct {
	event protocol.Event
	err   error
	size  int
}

func newStream(limit int) *stream {
	return &stream{limit: limit, ready: make(chan struct{}, 1), room: make(chan struct{}, 1)}
}

// signal wakes one waiter, now or when it comes.
func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// push adds an item, waiting for room; ErrClosed once the stream is closed. An
// item larger than the limit goes in alone.
func (s *stream) push(r received) error {
	for {
		s.mu.Lock()
		limit := s.limit
		if s.eager > 0 {
			limit *= eagerness
		}
		switch {
		case s.closed:
			s.mu.Unlock()
			return ErrClosed
		case s.bytes == 0 || s.bytes+r.size <= limit:
			s.items = append(s.items, r)
			s.bytes += r.size
			s.mu.Unlock()
			signal(s.ready)
			return nil
		}
		s.mu.Unlock()
		<-s.room
	}
}

// pop takes the next item, waiting for one.
func (s *stream) pop(ctx context.Context) (received, error) {
	for {
		if err := ctx.Err(); err != nil {
			return received{}, err
		}
		s.mu.Lock()
		if len(s.items) > 0 {
			r := s.items[0]
			s.items[0] = received{}
			s.items = s.items[1:]
			s.bytes -= r.size
			if len(s.items) > 0 || s.end != nil {
				signal(s.ready) // for another consumer
			}
			s.mu.Unlock()
			signal(s.room)
			return r, nil
		}
		end := s.end
		s.mu.Unlock()
		if end != nil {
			signal(s.ready)
			return received{}, end
		}
		select {
		case <-s.ready:
		case <-ctx.Done():
		}
	}
}

// wait keeps the producer going for a call's answer; the result undoes it.
func (s *stream) wait() (stop func()) {
	s.mu.Lock()
	s.eager++
	s.mu.Unlock()
	signal(s.room)
	return func() {
		s.mu.Lock()
		s.eager--
		s.mu.Unlock()
	}
}

// finish ends the stream after the items that are in it.
func (s *stream) finish(err error) {
	s.mu.Lock()
	if s.end == nil {
		s.end = err
	}
	s.mu.Unlock()
	signal(s.ready)
}

// close ends the stream now and drops what is in it.
func (s *stream) close() {
	s.mu.Lock()
	s.closed, s.end = true, ErrClosed
	s.items, s.bytes = nil, 0
	s.mu.Unlock()
	signal(s.ready)
	signal(s.room)
}
