package protocol

import "sync"

// Budget limits how many bytes all Readers that share it hold in lines longer
// than their block. When a line would pass the limit, the longest unfinished
// line is given up, whoever reads it: that reader's next ReadLine returns
// ErrBudget, while its memory is free at once. Lines that are finished and not
// yet replaced by the next ReadLine count, but are never taken.
type Budget struct {
	limit int

	mu      sync.Mutex
	held    int
	readers map[*Reader]struct{}
}

// NewBudget makes a budget of limit bytes.
func NewBudget(limit int) *Budget {
	return &Budget{limit: limit, readers: make(map[*Reader]struct{})}
}

// Held is how many bytes the readers hold now.
func (b *Budget) Held() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.held
}

// charge counts n more bytes of r and makes room for them; false when r itself
// has to give way.
func (b *Budget) charge(r *Reader, n int) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.readers[r] = struct{}{}
	b.held += n
	r.held += n
	for b.held > b.limit {
		victim := b.longest(r)
		if victim == r {
			return false
		}
		victim.mu.Lock()
		victim.long, victim.evicted = nil, true
		victim.mu.Unlock()
		b.drop(victim)
	}
	return true
}

// longest is the reader with the longest unfinished line; r where others are
// only as long.
func (b *Budget) longest(r *Reader) *Reader {
	most := r
	for other := range b.readers {
		if !other.pinned && other.held > most.held {
			most = other
		}
	}
	return most
}

func (b *Budget) pin(r *Reader) {
	b.mu.Lock()
	defer b.mu.Unlock()
	r.pinned = true
}

func (b *Budget) release(r *Reader) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.drop(r)
}

func (b *Budget) drop(r *Reader) {
	b.held -= r.held
	r.held, r.pinned = 0, false
	delete(b.readers, r)
}
