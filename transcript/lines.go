package transcript

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"hash"
	"io"
)

// maxLine is the longest line that is decoded. Of a longer one only its place,
// length and hash are known.
const maxLine = 32 << 20

// readSize is how much of a file is read at once; a line that is longer is
// gathered in chunks, so that growing it leaves nothing behind.
const (
	readSize  = 256 << 10
	chunkSize = 1 << 20
)

// line is one line of a file, without its end.
type line struct {
	number int64 // from 1, blank lines counted
	// begin is where it begins in the file, taken how many bytes it takes there,
	// its end among them.
	begin, taken int64
	// offset and length are of what stands in it: data, or what was hashed.
	offset, length int64
	data           []byte
	// ended says that the line has its end of line.
	ended bool
	// sum is the SHA-256 of a line that is too long, else empty.
	sum string
}

// lineReader gives the lines of a file one by one. The data of a line is valid
// until the next is read.
type lineReader struct {
	ctx    context.Context
	r      *bufio.Reader
	offset int64
	number int64
	buf    []byte
}

func newLineReader(ctx context.Context, r io.Reader) *lineReader {
	lr := new(lineReader)
	lr.reset(ctx, r, 0, 0)
	return lr
}

// reset makes the reader go on with another file, of which offset bytes and
// number lines were read before. Its buffers stay.
func (lr *lineReader) reset(ctx context.Context, r io.Reader, offset, number int64) {
	lr.ctx, lr.offset, lr.number = ctx, offset, number
	if lr.r == nil {
		lr.r = bufio.NewReaderSize(r, readSize)
	} else {
		lr.r.Reset(r)
	}
}

// next reads a line; io.EOF when nothing is left.
func (lr *lineReader) next() (line, error) {
	lr.buf = lr.buf[:0]
	l := line{number: lr.number + 1, begin: lr.offset, offset: lr.offset}
	var chunks [][]byte // full ones, before lr.buf
	var sum hash.Hash
	for !l.ended {
		if err := context.Cause(lr.ctx); err != nil {
			return line{}, err
		}
		part, err := lr.r.ReadSlice('\n')
		l.taken += int64(len(part))
		l.ended = err == nil
		if l.ended {
			part = part[:len(part)-1]
		}
		l.length += int64(len(part))
		switch {
		case sum != nil:
			sum.Write(part)
		case l.length > maxLine:
			sum = sha256.New()
			for _, chunk := range append(chunks, lr.buf, part) {
				sum.Write(chunk)
			}
			chunks, lr.buf = nil, lr.buf[:0]
		case l.ended && l.length == int64(len(part)):
			l.data = part // whole in the reader's buffer
		default:
			if len(lr.buf)+len(part) > chunkSize {
				chunks, lr.buf = append(chunks, lr.buf), make([]byte, 0, chunkSize)
			}
			lr.buf = append(lr.buf, part...)
		}
		if errors.Is(err, io.EOF) {
			if l.taken == 0 {
				return line{}, io.EOF
			}
			break
		}
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return line{}, err
		}
	}
	switch {
	case sum != nil:
		l.data, l.sum = nil, hex.EncodeToString(sum.Sum(nil))
	case chunks != nil:
		l.data = bytes.Join(append(chunks, lr.buf), nil)
	case l.data == nil:
		l.data = lr.buf
	}
	lr.offset += l.taken
	lr.number++
	if l.sum == "" {
		// Bytes that a crash left as zeros stand around records, never in them.
		const blank = "\x00 \t\r\n"
		data := bytes.TrimLeft(l.data, blank)
		l.offset += int64(len(l.data) - len(data))
		l.data = bytes.TrimRight(data, blank)
		l.length = int64(len(l.data))
	}
	return l, nil
}

// finished reports whether the line is whole. Without its end only an object
// is: more can follow anything else.
func (l line) finished() bool {
	return l.ended || len(l.data) > 0 && l.data[0] == '{' && json.Valid(l.data)
}
