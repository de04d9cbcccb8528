package protocol

import (
	"bytes"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// emptyObject is what stands for arguments that are not an object.
const emptyObject = "{}"

// CanonicalArguments turns what a model sent as a call's arguments into what
// tool_call_done and history carry: JSON text of an object, compact, keys
// sorted by their bytes at every level, numbers as they were written, of a
// repeated key the last value. Empty, null, an array, a scalar, broken text
// and nesting beyond 128 become "{}".
func CanonicalArguments(text string) string {
	v, ok := objectText(text)
	if !ok {
		return emptyObject
	}
	return string(appendSorted(make([]byte, 0, len(v)), v))
}

// objectOrEmpty is text when it is an object on one line, else "{}".
func objectOrEmpty(text string) string {
	if _, ok := objectText(text); ok {
		return text
	}
	return emptyObject
}

func objectText(text string) (jsontext.Value, bool) {
	v := jsontext.Value(bytes.TrimSpace([]byte(text)))
	return v, len(v) > 0 && v[0] == '{' && !tooDeep(v) && v.IsValid(jsontext.AllowDuplicateNames(true))
}

func appendSorted(dst []byte, v jsontext.Value) []byte {
	switch v[0] {
	case '{':
		members := appendMembers(nil, v)
		slices.SortStableFunc(members, func(a, b member) int { return bytes.Compare(a.name, b.name) })
		dst = append(dst, '{')
		first := true
		for i, m := range members {
			if i+1 < len(members) && bytes.Equal(m.name, members[i+1].name) {
				continue
			}
			if !first {
				dst = append(dst, ',')
			}
			first = false
			dst, _ = jsontext.AppendQuote(dst, m.name)
			dst = append(dst, ':')
			dst = appendSorted(dst, m.value)
		}
		return append(dst, '}')
	case '[':
		dst = append(dst, '[')
		for i, element := range appendElements(nil, v) {
			dst = append(dst, separator(i)...)
			dst = appendSorted(dst, element)
		}
		return append(dst, ']')
	case '"':
		dst, _ = jsontext.AppendQuote(dst, unquote(v))
		return dst
	default:
		return append(dst, v...)
	}
}
