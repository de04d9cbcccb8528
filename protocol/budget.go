package protocol

import "sync"

// Budget limits how many bytes all Readers that share it hold in lines longer
// than their block. When a line would pass the limit, the longest unfinished
// line is given up, whoever reads it: that reader's next ReadLine returns
// ErrBudget, while its memory is free at once. Lines that are finished and not
// yet replaced by the next ReadLine count, but are never taken.
//
// Memory that lines gave back is used for the next ones, so that refused lines
// leave no garbage behind while others are still held.
type Budget struct {
	// Freed, which is set before use, is called when no long line is held any
	// more after there was more than 1 MiB of them.
	Freed func()

	limit int

	mu      sync.Mutex
	held    int
	most    int // of held since it was last 0
	readers map[*Reader]struct{}
	free    [][]byte // chunks of largeBlock; with held never over the limit
}

// freedAbove is what Freed is not called for, in bytes.
const freedAbove = 1 << 20

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
	b.most = max(b.most, b.held)
	for b.held > b.limit {
		victim := b.longest(r)
		if victim == r {
			return false
		}
		victim.mu.Lock()
		chunks := victim.long
		victim.long, victim.length, victim.evicted = nil, 0, true
		victim.mu.Unlock()
		b.drop(victim)
		b.keep(chunks)
	}
	fit := min(len(b.free), (b.limit-b.held)/largeBlock)
	clear(b.free[fit:])
	b.free = b.free[:fit]
	return true
}

// chunk is memory for part of a line, empty.
func (b *Budget) chunk(size int) []byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	if n := len(b.free) - 1; size == largeBlock && n >= 0 {
		chunk := b.free[n]
		b.free[n] = nil
		b.free = b.free[:n]
		return chunk
	}
	return make([]byte, 0, size)
}

// recycle takes back the memory of a line that does not count any more.
func (b *Budget) recycle(chunks [][]byte) {
	b.mu.Lock()
	b.keep(chunks)
	idle := b.held == 0
	told := idle && b.most > freedAbove
	if idle {
		b.free, b.most = nil, 0
	}
	b.mu.Unlock()
	if told && b.Freed != nil {
		b.Freed()
	}
}

// keep puts chunks aside for other lines, as far as the limit allows. Callers
// hold mu.
func (b *Budget) keep(chunks [][]byte) {
	for _, c := range chunks {
		if cap(c) == largeBlock && b.held+(len(b.free)+1)*largeBlock <= b.limit {
			b.free = append(b.free, c[:0])
		}
	}
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
