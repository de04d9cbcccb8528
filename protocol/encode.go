package protocol

import (
	"bytes"
	"math"
	"strconv"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// encoder appends canonical JSON and keeps the first error. A key argument is
// written as it stands: the comma or brace before it, the quotes, the colon.
type encoder struct {
	dst []byte
	tag string
	err error
}

func (e *encoder) fail(field, what string) {
	if e.err == nil {
		e.err = &EncodeError{Tag: e.tag, Field: field, What: what}
	}
}

func (e *encoder) raw(s string) { e.dst = append(e.dst, s...) }

// text writes a string; each byte that is not UTF-8 becomes U+FFFD, as an
// event must not be lost for one bad byte in a tool's output.
func (e *encoder) text(key, s string) {
	e.dst = append(e.dst, key...)
	e.dst, _ = jsontext.AppendQuote(e.dst, s)
}

// exact writes a string that would mean something else if it were repaired.
func (e *encoder) exact(key, field, s string) {
	if !utf8.ValidString(s) {
		e.fail(field, "is not valid UTF-8: "+quoted(s))
	}
	e.text(key, s)
}

func (e *encoder) optionalText(key, s string) {
	if s != "" {
		e.text(key, s)
	}
}

func (e *encoder) nullableText(key string, s *string) {
	if s == nil {
		e.null(key)
		return
	}
	e.text(key, *s)
}

func (e *encoder) null(key string) {
	e.dst = append(e.dst, key...)
	e.dst = append(e.dst, "null"...)
}

func (e *encoder) uint(key string, n uint64) {
	e.dst = append(e.dst, key...)
	e.dst = strconv.AppendUint(e.dst, n, 10)
}

func (e *encoder) nullableUint(key string, n *uint64) {
	if n == nil {
		e.null(key)
		return
	}
	e.uint(key, *n)
}

func (e *encoder) int(key string, n int64) {
	e.dst = append(e.dst, key...)
	e.dst = strconv.AppendInt(e.dst, n, 10)
}

func (e *encoder) nullableFloat(key, field string, n *float64) {
	switch {
	case n == nil:
		e.null(key)
	case math.IsNaN(*n) || math.IsInf(*n, 0):
		e.fail(field, "is not a finite number")
	default:
		e.dst = append(e.dst, key...)
		e.dst = jsontext.AppendFloat(e.dst, *n, 64)
	}
}

func (e *encoder) bool(key string, b bool) {
	e.dst = append(e.dst, key...)
	e.dst = strconv.AppendBool(e.dst, b)
}

// value writes JSON text as it is, once it is known to fit on one line.
func (e *encoder) value(key, field string, v jsontext.Value) {
	if !v.IsValid() || bytes.IndexByte(v, '\n') >= 0 {
		e.fail(field, "is not one line of valid JSON")
	}
	e.dst = append(e.dst, key...)
	e.dst = append(e.dst, v...)
}

func (e *encoder) values(key, field string, list []jsontext.Value) {
	e.raw(key)
	e.raw("[")
	for i, v := range list {
		e.value(separator(i), field, v)
	}
	e.raw("]")
}

func (e *encoder) texts(key string, list []string) {
	e.raw(key)
	e.raw("[")
	for i, s := range list {
		e.text(separator(i), s)
	}
	e.raw("]")
}

// separator is what stands before element i of a list.
func separator(i int) string {
	if i == 0 {
		return ""
	}
	return ","
}
