package protocol

import (
	"bytes"
	"fmt"
	"io"
	"sync"
)

// DefaultMaxLine is the longest line a Reader accepts unless told otherwise:
// 64 MiB.
const DefaultMaxLine = 64 << 20

// Sizes of the block that a Reader reads into, in bytes. A line that fits in
// the small block costs nothing else; inside a longer one the large block
// saves calls.
const (
	smallBlock = 4 << 10
	largeBlock = 64 << 10
)

// ReaderOptions are the limits of a Reader; the zero value is the default.
type ReaderOptions struct {
	// MaxLine is the most bytes of a line, its line break not counted; 0 means
	// DefaultMaxLine.
	MaxLine int
	// Budget limits the long lines of all readers that share it; nil means no
	// common limit.
	Budget *Budget
}

// Reader splits a byte stream into lines. Bytes of an unfinished line are kept
// between calls, so that a call that ends with an error (a read deadline)
// loses nothing. One goroutine uses it; Held may be called from any.
type Reader struct {
	src     io.Reader
	maxLine int
	budget  *Budget

	block    []byte // block[pos:end] is read and not yet given out
	pos, end int
	err      error // from src, due when the block is used up
	inLong   bool  // the current line has bytes in long
	size     int   // how many
	room     int   // how many more fit into the last chunk of long
	given    bool  // the current line is finished and given out
	skipping bool  // the current line is refused, its rest is still to come
	cut      bool  // the line given out last had no line break

	// mu guards what the budget may take away from another goroutine. Order:
	// Budget.mu before Reader.mu.
	mu      sync.Mutex
	long    [][]byte // the current line, once it does not fit in the block
	length  int      // of it, in bytes
	evicted bool     // the budget took long; not yet reported

	held   int  // bytes charged to the budget; guarded by Budget.mu
	pinned bool // long is given out and cannot be taken; guarded by Budget.mu
}

// NewReader reads lines from src.
func NewReader(src io.Reader, o ReaderOptions) *Reader {
	if o.MaxLine <= 0 {
		o.MaxLine = DefaultMaxLine
	}
	return &Reader{src: src, maxLine: o.MaxLine, budget: o.Budget, block: make([]byte, smallBlock)}
}

// ReadLine returns the next line that is not blank, without its line break
// (LF or CRLF) and without Unicode white space around it. A last line without
// a line break counts. The bytes are valid until the next call.
//
// ErrLineTooLong and ErrBudget refuse one line and leave the reader usable:
// the next call skips the rest of that line. io.EOF is the orderly end; other
// errors are the source's own, wrapped, and the next call asks the source
// again.
func (r *Reader) ReadLine() ([]byte, error) {
	if r.given {
		r.forget()
	}
	for idle := 0; ; {
		line, ended, err := r.scan()
		switch {
		case err != nil:
			return nil, err
		case len(line) > 0:
			return line, nil
		case ended:
			r.forget()
			continue
		}
		if err := r.err; err != nil {
			if err == io.EOF {
				return r.last()
			}
			r.err = nil
			return nil, fmt.Errorf("read a line: %w", err)
		}
		if r.fill() > 0 || r.err != nil {
			idle = 0
		} else if idle++; idle == 100 {
			return nil, fmt.Errorf("read a line: %w", io.ErrNoProgress)
		}
	}
}

// Release gives back the memory of an unfinished line. The owner calls it when
// it stops reading before ReadLine has returned io.EOF.
func (r *Reader) Release() { r.forget() }

// Unfinished reports whether the line that ReadLine gave last had no line
// break because the stream ended there. It may be whole all the same.
func (r *Reader) Unfinished() bool { return r.cut }

// Held is how many bytes of the current line are held beyond the block.
func (r *Reader) Held() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.length
}

// scan looks for the end of the current line in the block; ended reports that
// it was there, whatever the line was worth.
func (r *Reader) scan() (line []byte, ended bool, err error) {
	fresh := r.block[r.pos:r.end]
	if i := bytes.IndexByte(fresh, '\n'); i >= 0 {
		r.pos += i + 1
		line, err = r.finish(fresh[:i])
		return line, true, err
	}
	switch {
	case r.skipping:
		r.pos, r.end = 0, 0
	case r.inLong || len(fresh) == len(r.block):
		r.pos, r.end = 0, 0
		if err := r.keep(fresh); err != nil {
			r.skipping = true
			return nil, false, err
		}
	}
	return nil, false, nil
}

// last ends the stream: what stands in the block is the last line.
func (r *Reader) last() ([]byte, error) {
	tail := r.block[r.pos:r.end]
	r.pos, r.end, r.cut = 0, 0, true
	if line, err := r.finish(tail); err != nil || len(line) > 0 {
		return line, err
	}
	r.forget()
	return nil, io.EOF
}

// finish gives the current line, of which tail is the end.
func (r *Reader) finish(tail []byte) ([]byte, error) {
	if r.skipping {
		r.skipping = false
		return nil, nil
	}
	line := tail
	if r.inLong {
		if err := r.keep(tail); err != nil {
			return nil, err
		}
		if line = r.join(); line == nil {
			r.forget()
			return nil, ErrBudget
		}
		r.given = true
	}
	if len(bytes.TrimSuffix(line, []byte{'\r'})) > r.maxLine {
		r.forget()
		return nil, r.tooLong()
	}
	return bytes.TrimSpace(line), nil
}

// keep moves part of the current line out of the block. On an error nothing
// of the line is held any more.
func (r *Reader) keep(part []byte) error {
	r.inLong = true
	r.size += len(part)
	if r.size > r.maxLine+1 { // one more, as the last may be a carriage return
		r.forget()
		return r.tooLong()
	}
	if r.budget != nil && !r.budget.charge(r, len(part)) {
		r.forget()
		return ErrBudget
	}
	var more []byte
	if r.room < len(part) {
		// Chunks grow with the line: a short one does not cost a large one.
		size := min(max(r.size, smallBlock), largeBlock)
		if r.budget != nil {
			more = r.budget.chunk(size)
		} else {
			more = make([]byte, 0, size)
		}
	}
	r.mu.Lock()
	evicted := r.evicted
	if !evicted {
		r.length += len(part)
		if last := len(r.long) - 1; r.room > 0 {
			n := min(r.room, len(part))
			r.long[last] = append(r.long[last], part[:n]...)
			part = part[n:]
			r.room -= n
		}
		if len(part) > 0 {
			r.long = append(r.long, append(more, part...))
			r.room = cap(more) - len(part)
		}
	}
	r.mu.Unlock()
	if evicted {
		r.forget()
		return ErrBudget
	}
	return nil
}

// join gives the finished line in one piece, which the budget does not take;
// nil when it was faster.
func (r *Reader) join() []byte {
	if r.budget != nil {
		r.budget.pin(r)
	}
	r.mu.Lock()
	chunks, length, evicted := r.long, r.length, r.evicted
	r.long = nil
	r.mu.Unlock()
	if evicted {
		return nil
	}
	line := make([]byte, 0, length)
	for _, c := range chunks {
		line = append(line, c...)
	}
	if r.budget != nil {
		r.budget.recycle(chunks)
	}
	return line
}

// forget drops the current line's memory.
func (r *Reader) forget() {
	if !r.inLong {
		return
	}
	r.inLong, r.given, r.size, r.room = false, false, 0, 0
	if r.budget != nil {
		r.budget.release(r)
	}
	r.mu.Lock()
	chunks := r.long
	r.long, r.length, r.evicted = nil, 0, false
	r.mu.Unlock()
	if r.budget != nil {
		r.budget.recycle(chunks)
	}
}

func (r *Reader) tooLong() error { return fmt.Errorf("%w: over %d bytes", ErrLineTooLong, r.maxLine) }

// fill reads once into the block, whose size follows the line.
func (r *Reader) fill() int {
	size := smallBlock
	if r.inLong || r.skipping {
		size = largeBlock
	}
	fresh := r.block[r.pos:r.end]
	if len(r.block) != size && len(fresh) < size {
		r.block = make([]byte, size)
	}
	r.pos, r.end = 0, copy(r.block, fresh)
	n, err := r.src.Read(r.block[r.end:])
	r.end += n
	r.err = err
	return n
}
