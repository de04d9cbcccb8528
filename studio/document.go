package studio

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-json-experiment/json/jsontext"
)

// document is a JSON value from the store, kept as compact text: members in
// stored order, strings without needless escapes, numbers in the API's form.
// Empty means null.
type document string

// MarshalJSONTo writes the value.
func (d document) MarshalJSONTo(enc *jsontext.Encoder) error {
	if d == "" {
		return enc.WriteToken(jsontext.Null)
	}
	return enc.WriteValue(jsontext.Value(d))
}

// Schema documents the value: anything.
func (document) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Description: "Any JSON value."}
}

// null reports whether the value is JSON null or missing.
func (d document) null() bool { return d == "" || d == "null" }

// object reports whether the value is a JSON object.
func (d document) object() bool { return len(d) > 0 && d[0] == '{' }

// blank reports whether the value is one that a truth test calls false: null,
// false, zero, or an empty string, list or object.
func (d document) blank() bool {
	switch d {
	case "", "null", "false", "0", "0.0", "-0.0", `""`, "[]", "{}":
		return true
	}
	return false
}

// storedDocument reads a JSON column. SQL NULL and JSON null are the same;
// text that is not JSON becomes a JSON string of itself.
func storedDocument(text *string) document {
	if text == nil {
		return ""
	}
	d, err := parseDocument(*text)
	if err != nil {
		return stringDocument(*text)
	}
	if d == "null" {
		return ""
	}
	return d
}

// stringDocument is text as a JSON string.
func stringDocument(text string) document {
	// The only error is invalid UTF-8, which is replaced in what is returned.
	quoted, _ := jsontext.AppendQuote(nil, text)
	return document(quoted)
}

// parseDocument reads exactly one JSON value and writes it in compact form.
func parseDocument(text string) (document, error) {
	dec := jsontext.NewDecoder(bytes.NewBufferString(text), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	var out bytes.Buffer
	enc := jsontext.NewEncoder(&out, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if err := copyValue(enc, dec); err != nil {
		return "", err
	}
	if _, err := dec.ReadToken(); !errors.Is(err, io.EOF) {
		return "", errors.New("more than one JSON value")
	}
	return document(bytes.TrimSuffix(out.Bytes(), []byte("\n"))), nil
}

// copyValue copies one value token by token, rewriting numbers.
func copyValue(enc *jsontext.Encoder, dec *jsontext.Decoder) error {
	depth := 0
	for {
		tok, err := dec.ReadToken()
		if err != nil {
			return err
		}
		switch tok.Kind() {
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		}
		if tok.Kind() == '0' {
			err = enc.WriteValue(canonicalNumber(tok.String()))
		} else {
			err = enc.WriteToken(tok)
		}
		if err != nil {
			return err
		}
		if depth == 0 {
			return nil
		}
	}
}

// canonicalNumber keeps integers of any size and writes every other number as
// a binary64. One too large for that keeps its own text.
func canonicalNumber(text string) jsontext.Value {
	for i := range len(text) {
		switch text[i] {
		case '.', 'e', 'E':
			f, err := strconv.ParseFloat(text, 64)
			if err != nil {
				return jsontext.Value(text)
			}
			return appendNumber(nil, f)
		}
	}
	if text == "-0" {
		return jsontext.Value("0")
	}
	return jsontext.Value(text)
}

// member returns the value of a member of an object, and whether it is there.
func (d document) member(name string) (document, bool) {
	if !d.object() {
		return "", false
	}
	dec := jsontext.NewDecoder(bytes.NewBufferString(string(d)), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if _, err := dec.ReadToken(); err != nil {
		return "", false
	}
	var found document
	ok := false
	for dec.PeekKind() == '"' {
		key, err := dec.ReadToken()
		if err != nil {
			return "", false
		}
		match := key.String() == name
		value, err := dec.ReadValue()
		if err != nil {
			return "", false
		}
		if match { // the last one of a repeated name counts
			found, ok = document(value), true
		}
	}
	return found, ok
}

// names are the names of an object's members, each once, in order.
func (d document) names() (names []string) {
	dec := jsontext.NewDecoder(bytes.NewBufferString(string(d)), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if _, err := dec.ReadToken(); err != nil || !d.object() {
		return nil
	}
	for dec.PeekKind() == '"' {
		key, err := dec.ReadToken()
		if err != nil {
			return names
		}
		if name := key.String(); !slices.Contains(names, name) {
			names = append(names, name)
		}
		if err := dec.SkipValue(); err != nil {
			return names
		}
	}
	return names
}

// elements returns the elements of an array; nil for anything else.
func (d document) elements() []document {
	if len(d) == 0 || d[0] != '[' {
		return nil
	}
	dec := jsontext.NewDecoder(bytes.NewBufferString(string(d)), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if _, err := dec.ReadToken(); err != nil {
		return nil
	}
	var out []document
	for dec.PeekKind() != ']' {
		value, err := dec.ReadValue()
		if err != nil {
			return nil
		}
		out = append(out, document(value))
	}
	return out
}

// text returns a JSON string's text, and whether the value is a string.
func (d document) text() (string, bool) {
	if len(d) == 0 || d[0] != '"' {
		return "", false
	}
	raw, err := jsontext.AppendUnquote(nil, string(d))
	if raw == nil && err != nil {
		return "", false
	}
	return string(raw), true
}

// float returns a JSON number's value, and whether the value is a number.
func (d document) float() (float64, bool) {
	if len(d) == 0 || (d[0] != '-' && (d[0] < '0' || d[0] > '9')) {
		return 0, false
	}
	f, err := strconv.ParseFloat(string(d), 64)
	return f, err == nil
}

// withMembers appends members to an object, replacing those of the same name.
// The names and values must be JSON already.
func (d document) withMembers(members ...[2]document) document {
	dec := jsontext.NewDecoder(bytes.NewBufferString(string(d)), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if _, err := dec.ReadToken(); err != nil {
		return d
	}
	var out bytes.Buffer
	out.WriteByte('{')
	first := true
	put := func(name, value document) {
		if !first {
			out.WriteByte(',')
		}
		first = false
		out.WriteString(string(name))
		out.WriteByte(':')
		out.WriteString(string(value))
	}
	replaced := make(map[document]bool, len(members))
	for dec.PeekKind() == '"' {
		name, err := dec.ReadValue()
		if err != nil {
			return d
		}
		key := document(name)
		value, err := dec.ReadValue()
		if err != nil {
			return d
		}
		v := document(value)
		for _, m := range members {
			if m[0] == key {
				v = m[1]
				replaced[key] = true
			}
		}
		put(key, v)
	}
	for _, m := range members {
		if !replaced[m[0]] {
			put(m[0], m[1])
		}
	}
	out.WriteByte('}')
	return document(out.String())
}

// listDocument is a JSON list of values.
func listDocument(values []document) document {
	var out strings.Builder
	out.WriteByte('[')
	for i, v := range values {
		if i > 0 {
			out.WriteByte(',')
		}
		out.WriteString(string(v))
	}
	out.WriteByte(']')
	return document(out.String())
}

// textMembers are the members of an object whose values are strings.
func (d document) textMembers() map[string]string {
	out := make(map[string]string)
	dec := jsontext.NewDecoder(bytes.NewBufferString(string(d)), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if _, err := dec.ReadToken(); err != nil {
		return out
	}
	for dec.PeekKind() == '"' {
		key, err := dec.ReadToken()
		if err != nil {
			return out
		}
		name := key.String()
		value, err := dec.ReadValue()
		if err != nil {
			return out
		}
		if s, ok := document(value).text(); ok {
			out[name] = s
		}
	}
	return out
}
