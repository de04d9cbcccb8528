package builtin

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
)

// replacement stands for bytes that are no UTF-8.
var replacement = []byte("\uFFFD")

// lineReader reads lines of any length in bounded memory.
type lineReader struct {
	in  *bufio.Reader
	max int
	buf []byte
}

// newLineReader reads lines of which at most max bytes are wanted.
func newLineReader(r io.Reader, max int) *lineReader {
	return &lineReader{in: bufio.NewReaderSize(r, 64<<10), max: max}
}

// reset begins with another reader.
func (l *lineReader) reset(r io.Reader) { l.in.Reset(r) }

// next returns a line without its end (\n or \r\n), valid until the next call,
// and how many bytes of it were cut. The last line may lack its end; after it
// comes io.EOF.
func (l *lineReader) next() (line []byte, cut int, err error) {
	part, err := l.in.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		l.buf = append(l.buf[:0], part[:min(len(part), l.max)]...)
		length := len(part)
		for errors.Is(err, bufio.ErrBufferFull) {
			part, err = l.in.ReadSlice('\n')
			l.buf = append(l.buf, part[:min(len(part), l.max-len(l.buf))]...)
			length += len(part)
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, 0, err
		}
		if length > len(l.buf) {
			if err == nil {
				length--
			}
			return l.buf, length - len(l.buf), nil
		}
		part = l.buf
	} else if err != nil && (!errors.Is(err, io.EOF) || len(part) == 0) {
		return nil, 0, err
	}
	if s, ok := bytes.CutSuffix(part, []byte("\n")); ok {
		part = bytes.TrimSuffix(s, []byte("\r"))
	}
	if len(part) > l.max {
		return part[:l.max], len(part) - l.max, nil
	}
	return part, 0, nil
}

// contextReader reads until its context ends.
type contextReader struct {
	ctx context.Context
	r   io.Reader
}

func (c contextReader) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.r.Read(p)
}

// cause leaves out what a system error says about path and operation, for
// messages that say it themselves.
func cause(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}
