package rehearsal

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// Request is one request as the server met it.
type Request struct {
	// Number counts requests from 1, refused ones included.
	Number int
	At     time.Time
	Wire   Wire
	Path   string
	// Header is what came, without what could hold a secret.
	Header http.Header
	// Body is the JSON as sent; nil once newer requests needed the room.
	Body json.RawMessage

	// What the body says. Empty when it was refused before it was understood.
	Model     string
	System    string
	Messages  []Message
	Tools     []string
	MaxTokens int
	Stream    bool
	// Turn and Step are those of When.
	Turn, Step int

	// Actor and Reply name what the script chose; Fault is what broke it.
	Actor, Reply string
	Fault        FaultKind
	// Status is the HTTP status; 0 while nothing was answered, and when nothing
	// ever was.
	Status int
	// Refused is the message of an error answer.
	Refused string
	// Usage is what the answer reported.
	Usage Usage
	// Done is set when the handler returned; Left when the client was gone, or
	// the connection was broken by a fault, before the answer's end.
	Done, Left bool
}

// record keeps the newest requests, bounded in number and in bytes of bodies.
type record struct {
	most, mostBytes int

	mu       sync.Mutex
	count    int
	requests []*Request
	bytes    int
	changed  chan struct{} // closed and replaced on every new request and every end
}

func newRecord(most, mostBytes int) *record {
	return &record{most: most, mostBytes: mostBytes, changed: make(chan struct{})}
}

func (r *record) notify() {
	close(r.changed)
	r.changed = make(chan struct{})
}

// arrive counts a request and takes it in.
func (r *record) arrive(req *Request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.count++
	req.Number = r.count
	r.requests = append(r.requests, req)
	r.bytes += len(req.Body)
	if n := len(r.requests) - r.most; n > 0 {
		for _, old := range r.requests[:n] {
			r.bytes -= len(old.Body)
		}
		r.requests = slices.Delete(r.requests, 0, n)
	}
	for _, old := range r.requests {
		if r.bytes <= r.mostBytes {
			break
		}
		r.bytes -= len(old.Body)
		old.Body = nil
	}
	r.notify()
}

// amend changes a request that was taken in.
func (r *record) amend(change func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	change()
	r.notify()
}

func (r *record) all() []Request {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := make([]Request, len(r.requests))
	for i, req := range r.requests {
		out[i] = *req
	}
	return out
}

// until waits for the condition, which it checks under the lock.
func (r *record) until(ctx context.Context, holds func() bool) error {
	for {
		r.mu.Lock()
		ok, changed := holds(), r.changed
		r.mu.Unlock()
		if ok {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-changed:
		}
	}
}

// publicHeaders copies h without what could hold a secret.
func publicHeaders(h http.Header) http.Header {
	out := h.Clone()
	for name := range out {
		lower := strings.ToLower(name)
		for _, word := range []string{"auth", "key", "token", "cookie", "secret", "credential"} {
			if strings.Contains(lower, word) {
				delete(out, name)
			}
		}
	}
	return out
}
