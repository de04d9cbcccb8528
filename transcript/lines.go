package transcript

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash"
	"io"
)

// maxLine is the longest line that is decoded. Of a longer one only its place,
// length and hash are known.
const maxLine = 32 << 20

// readSize is how much of a file is read at once.
const readSize = 256 << 10

// line is one line of a file, without its end.
type line struct {
	number int64 // from 1, blank lines counted
	offset int64
	length int64 // bytes, with its end
	data   []byte
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

func newLineReader(ctx context.Context, r io.Reader, offset, number int64) *lineReader {
	return &lineReader{ctx: ctx, r: bufio.NewReaderSize(r, readSize), offset: offset, number: number}
}

// next reads a line; io.EOF when nothing is left.
func (lr *lineReader) next() (line, error) {
	if cap(lr.buf) > 4<<20 {
		lr.buf = nil // one long line must not stay for the rest of the file
	}
	lr.buf = lr.buf[:0]
	l := line{number: lr.number + 1, offset: lr.offset}
	var sum hash.Hash
	for !l.ended {
		if err := context.Cause(lr.ctx); err != nil {
			return line{}, err
		}
		part, err := lr.r.ReadSlice('\n')
		l.length += int64(len(part))
		l.ended = err == nil
		if l.ended {
			part = part[:len(part)-1]
		}
		switch {
		case sum != nil:
			sum.Write(part)
		case len(lr.buf)+len(part) > maxLine:
			sum = sha256.New()
			sum.Write(lr.buf)
			sum.Write(part)
			lr.buf = nil
		case l.ended && len(lr.buf) == 0:
			l.data = part // whole in the reader's buffer
		default:
			lr.buf = append(lr.buf, part...)
		}
		if errors.Is(err, io.EOF) {
			if l.length == 0 {
				return line{}, io.EOF
			}
			break
		}
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return line{}, err
		}
	}
	if l.data == nil {
		l.data = lr.buf
	}
	if sum != nil {
		l.data, l.sum = nil, hex.EncodeToString(sum.Sum(nil))
	}
	lr.offset += l.length
	lr.number++
	// Bytes that a crash left as zeros stand around records, never in them.
	l.data = bytes.Trim(l.data, "\x00 \t\r\n")
	return l, nil
}
