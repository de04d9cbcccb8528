package protocol

import (
	"bytes"
	"errors"
	"io"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// byteOrderMark is U+FEFF, which is not white space and never belongs on a
// line.
const byteOrderMark = "\xef\xbb\xbf"

// checkLine trims Unicode white space and checks that the rest is exactly one
// JSON object: grammar, UTF-8, repeated keys, depth. What it returns is safe
// for the functions of walk.go.
func checkLine(line []byte) (jsontext.Value, *DecodeError) {
	v := jsontext.Value(bytes.TrimSpace(line))
	switch {
	case bytes.HasPrefix(v, []byte(byteOrderMark)):
		return nil, &DecodeError{Reason: ReasonByteOrderMark}
	case bytes.IndexByte(v, '\n') >= 0:
		return nil, &DecodeError{Reason: ReasonLineBreak, Detail: "a line holds one object"}
	case tooDeep(v):
		return nil, &DecodeError{Reason: ReasonTooDeep, Detail: "at most 128 open objects and arrays"}
	case !v.IsValid():
		return nil, syntaxError(v)
	case v[0] != '{':
		return nil, &DecodeError{Reason: ReasonNotObject}
	}
	return v, nil
}

// syntaxError finds out what is wrong with v, which is not valid.
func syntaxError(v jsontext.Value) *DecodeError {
	if len(v) == 0 {
		return &DecodeError{Reason: ReasonSyntax, Detail: "empty line"}
	}
	if !utf8.Valid(v) {
		return &DecodeError{Reason: ReasonInvalidUTF8}
	}
	d := jsontext.NewDecoder(bytes.NewReader(v))
	if err := d.SkipValue(); err != nil {
		return classify(v, err)
	}
	return &DecodeError{Reason: ReasonTrailingData, Detail: "after the first value"}
}

// classify gives the decoder's error its reason.
func classify(v jsontext.Value, err error) *DecodeError {
	var syntactic *jsontext.SyntacticError
	if !errors.As(err, &syntactic) {
		return &DecodeError{Reason: ReasonSyntax, Detail: "unexpected end of line"}
	}
	at := v[min(int(syntactic.ByteOffset), len(v)):]
	switch {
	case errors.Is(err, jsontext.ErrDuplicateName):
		return &DecodeError{Reason: ReasonDuplicateKey, Detail: quoted(syntactic.JSONPointer.LastToken())}
	case isSurrogateEscape(at):
		return &DecodeError{Reason: ReasonLoneSurrogate}
	case len(at) > 0 && at[0] < ' ' && skipSpace(at, 0) == 0:
		return &DecodeError{Reason: ReasonControl}
	case errors.Is(err, io.ErrUnexpectedEOF):
		return &DecodeError{Reason: ReasonSyntax, Detail: "unexpected end of line"}
	}
	detail := syntactic.Err.Error()
	if len(detail) > maxDetail {
		detail = detail[:maxDetail]
	}
	return &DecodeError{Reason: ReasonSyntax, Detail: detail}
}

// isSurrogateEscape reports whether b starts with \ud800 to \udfff.
func isSurrogateEscape(b []byte) bool {
	return len(b) >= 4 && b[0] == '\\' && b[1] == 'u' && (b[2] == 'd' || b[2] == 'D') &&
		(b[3] >= '8' && b[3] <= '9' || b[3] >= 'a' && b[3] <= 'f' || b[3] >= 'A' && b[3] <= 'F')
}

// envelope is the top level of a line.
type envelope struct {
	tag        string
	content    jsontext.Value // nil when absent
	seq        jsontext.Value
	requestID  jsontext.Value
	contentKey string
}

// openEnvelope checks a line and reads its top level.
func openEnvelope(line []byte, tagKey, contentKey string) (envelope, *DecodeError) {
	v, err := checkLine(line)
	if err != nil {
		return envelope{}, err
	}
	var room [8]member
	e := envelope{contentKey: contentKey}
	var tag jsontext.Value
	for _, m := range appendMembers(room[:0], v) {
		switch string(m.name) {
		case tagKey:
			tag = m.value
		case contentKey:
			e.content = m.value
		case "seq":
			e.seq = m.value
		case "request_id":
			e.requestID = m.value
		}
	}
	switch {
	case tag == nil:
		return envelope{}, &DecodeError{Field: "tag", Reason: ReasonMissing, Detail: "no key " + quoted(tagKey)}
	case tag.Kind() != '"':
		return envelope{}, &DecodeError{Field: tagKey, Reason: ReasonNotString}
	}
	e.tag = unquote(tag)
	return e, nil
}

// fields opens the content as an object with fields.
func (e *envelope) fields() (*fields, *DecodeError) {
	switch {
	case e.content == nil:
		return nil, &DecodeError{Tag: e.tag, Field: e.contentKey, Reason: ReasonMissing}
	case e.content.Kind() != '{':
		return nil, &DecodeError{Tag: e.tag, Field: e.contentKey, Reason: ReasonNotObject}
	}
	f := &fields{tag: e.tag}
	f.open(e.content)
	return f, nil
}

// noContent checks the content of a tag without fields.
func (e *envelope) noContent() *DecodeError {
	if e.content == nil || e.content.Kind() == 'n' {
		return nil
	}
	return &DecodeError{Tag: e.tag, Field: e.contentKey, Reason: ReasonMustBeAbsent}
}

// unquote reads a valid JSON string.
func unquote(v jsontext.Value) string {
	if inner := v[1 : len(v)-1]; bytes.IndexByte(inner, '\\') < 0 {
		return string(inner)
	}
	b, _ := jsontext.AppendUnquote(nil, v)
	return string(b)
}
