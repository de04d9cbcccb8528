package protocol

import (
	"io"
	"sync"
)

// maxKeptBuffer is how many bytes of buffer a Writer keeps between lines.
const maxKeptBuffer = 64 << 10

// Writer writes lines, each with its line break in one call of Write, so that
// no peer sees half of what it could have seen whole. It may be used from
// several goroutines: lines never mix.
type Writer struct {
	mu  sync.Mutex
	dst io.Writer
	buf []byte
}

// NewWriter writes lines to dst.
func NewWriter(dst io.Writer) *Writer { return &Writer{dst: dst} }

// WriteMethod writes one method. An *EncodeError leaves the stream untouched;
// after any other error it may have ended in mid-line.
func (w *Writer) WriteMethod(m Method) error {
	return w.write(m.Append)
}

// WriteEvent writes one event, with the errors of WriteMethod.
func (w *Writer) WriteEvent(e Event) error {
	return w.write(e.Append)
}

// WriteLine writes a line that is already encoded, without its line break.
func (w *Writer) WriteLine(line []byte) error {
	return w.write(func(dst []byte) ([]byte, error) { return append(dst, line...), nil })
}

func (w *Writer) write(appendLine func([]byte) ([]byte, error)) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	buf, err := appendLine(w.buf[:0])
	if err != nil {
		return err
	}
	buf = append(buf, '\n')
	if w.buf = buf; cap(buf) > maxKeptBuffer {
		w.buf = nil
	}
	_, err = w.dst.Write(buf)
	return err
}
