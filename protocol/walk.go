package protocol

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"
)

// The functions of this file walk JSON text that is known to be valid: one
// pass over the whole line has checked grammar, UTF-8, repeated keys and depth
// before. They never look for errors and never copy, except for keys that are
// written with escapes.

// member is one key and value of an object.
type member struct {
	name  []byte
	value jsontext.Value
}

// appendMembers appends the members of the object v.
func appendMembers(dst []member, v jsontext.Value) []member {
	i := skipSpace(v, 1)
	for v[i] != '}' {
		end := valueEnd(v, i)
		name := v[i+1 : end-1]
		if bytes.IndexByte(name, '\\') >= 0 {
			name, _ = jsontext.AppendUnquote(nil, v[i:end])
		}
		i = skipSpace(v, skipSpace(v, end)+1) // past the colon
		end = valueEnd(v, i)
		dst = append(dst, member{name: name, value: v[i:end:end]})
		i = skipSpace(v, end)
		if v[i] == ',' {
			i = skipSpace(v, i+1)
		}
	}
	return dst
}

// appendElements appends the elements of the array v.
func appendElements(dst []jsontext.Value, v jsontext.Value) []jsontext.Value {
	i := skipSpace(v, 1)
	for v[i] != ']' {
		end := valueEnd(v, i)
		dst = append(dst, v[i:end:end])
		i = skipSpace(v, end)
		if v[i] == ',' {
			i = skipSpace(v, i+1)
		}
	}
	return dst
}

// skipSpace is the first index at or after i that is not JSON white space.
func skipSpace(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\t' || b[i] == '\r' || b[i] == '\n') {
		i++
	}
	return i
}

// valueEnd is the index after the value that starts at i.
func valueEnd(b []byte, i int) int {
	switch b[i] {
	case '"':
		return stringEnd(b, i)
	case '{', '[':
		depth := 0
		for ; ; i++ {
			switch b[i] {
			case '"':
				i = stringEnd(b, i) - 1
			case '{', '[':
				depth++
			case '}', ']':
				if depth--; depth == 0 {
					return i + 1
				}
			}
		}
	default:
		for i < len(b) && b[i] != ',' && b[i] != '}' && b[i] != ']' && skipSpace(b, i) == i {
			i++
		}
		return i
	}
}

// stringEnd is the index after the string whose opening quote is at i.
func stringEnd(b []byte, i int) int {
	for i++; ; i++ {
		i += bytes.IndexByte(b[i:], '"')
		slashes := 0
		for b[i-1-slashes] == '\\' {
			slashes++
		}
		if slashes%2 == 0 {
			return i + 1
		}
	}
}

// maxDepth is how many objects and arrays may be open at once in a line.
const maxDepth = 128

// tooDeep reports whether b nests deeper than maxDepth. It expects text that
// is possibly invalid and never reads beyond it.
func tooDeep(b []byte) bool {
	if bytes.Count(b, []byte{'{'})+bytes.Count(b, []byte{'['}) <= maxDepth {
		return false
	}
	depth, inString := 0, false
	for i := 0; i < len(b); i++ {
		switch c := b[i]; {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case inString:
		case c == '{' || c == '[':
			if depth++; depth > maxDepth {
				return true
			}
		case c == '}' || c == ']':
			depth--
		}
	}
	return false
}
