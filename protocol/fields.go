package protocol

import (
	"errors"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// fields reads the keys of one object and keeps the first error, so that a
// decoder reads like the list of its fields. After an error every read gives
// the zero value.
type fields struct {
	tag     string
	in      string // place of this object, for errors
	members []member
	room    [10]member
	err     *DecodeError
}

func (f *fields) open(v jsontext.Value) { f.members = appendMembers(f.room[:0], v) }

// fail keeps the first error.
func (f *fields) fail(name string, reason Reason, detail string) {
	if f.err == nil {
		f.err = &DecodeError{Tag: f.tag, In: f.in, Field: name, Reason: reason, Detail: detail}
	}
}

// get is the value of a key, nil when it is absent.
func (f *fields) get(name string) jsontext.Value {
	for i := range f.members {
		if string(f.members[i].name) == name {
			return f.members[i].value
		}
	}
	return nil
}

// has reports whether any of the keys is there.
func (f *fields) has(names ...string) bool {
	for _, name := range names {
		if f.get(name) != nil {
			return true
		}
	}
	return false
}

// require is the value of a key that must be there.
func (f *fields) require(name string) jsontext.Value {
	v := f.get(name)
	if v == nil {
		f.fail(name, ReasonMissing, "")
	}
	return v
}

// optional is the value of a key, nil when it is absent or null.
func (f *fields) optional(name string) jsontext.Value {
	if v := f.get(name); v != nil && v.Kind() != 'n' {
		return v
	}
	return nil
}

func (f *fields) text(name string) string { return f.toText(name, f.require(name)) }

// optionalText gives "" for absent and null.
func (f *fields) optionalText(name string) string { return f.toText(name, f.optional(name)) }

// nullableText gives nil for absent and null.
func (f *fields) nullableText(name string) *string {
	v := f.optional(name)
	if v == nil {
		return nil
	}
	s := f.toText(name, v)
	return &s
}

func (f *fields) toText(name string, v jsontext.Value) string {
	switch {
	case v == nil:
		return ""
	case v.Kind() != '"':
		f.fail(name, ReasonNotString, "")
		return ""
	}
	return unquote(v)
}

func (f *fields) uint(name string) uint64 { return f.toUint(name, f.require(name)) }

// nullableUint gives nil for absent and null.
func (f *fields) nullableUint(name string) *uint64 {
	v := f.optional(name)
	if v == nil {
		return nil
	}
	n := f.toUint(name, v)
	return &n
}

func (f *fields) toUint(name string, v jsontext.Value) uint64 {
	if v == nil || !f.isInteger(name, v) {
		return 0
	}
	n, err := strconv.ParseUint(string(v), 10, 64)
	if err != nil {
		f.fail(name, ReasonOutOfRange, "0 to 18446744073709551615")
	}
	return n
}

func (f *fields) int(name string) int64 {
	v := f.require(name)
	if v == nil || !f.isInteger(name, v) {
		return 0
	}
	n, err := strconv.ParseInt(string(v), 10, 64)
	if err != nil {
		f.fail(name, ReasonOutOfRange, "-9223372036854775808 to 9223372036854775807")
	}
	return n
}

// isInteger accepts what the wire calls an integer: digits and an optional
// minus sign, no fraction, no exponent, no negative zero.
func (f *fields) isInteger(name string, v jsontext.Value) bool {
	ok := v.Kind() == '0' && string(v) != "-0"
	for i := 0; ok && i < len(v); i++ {
		ok = v[i] >= '0' && v[i] <= '9' || v[i] == '-' && i == 0
	}
	if !ok {
		f.fail(name, ReasonNotInteger, "")
	}
	return ok
}

// nullableFloat gives nil for absent and null.
func (f *fields) nullableFloat(name string) *float64 {
	v := f.optional(name)
	if v == nil {
		return nil
	}
	if v.Kind() != '0' {
		f.fail(name, ReasonNotNumber, "")
		return nil
	}
	n, err := strconv.ParseFloat(string(v), 64)
	if errors.Is(err, strconv.ErrRange) {
		f.fail(name, ReasonOutOfRange, "a 64-bit floating-point number")
	}
	return &n
}

func (f *fields) bool(name string) bool { return f.toBool(name, f.require(name)) }

func (f *fields) toBool(name string, v jsontext.Value) bool {
	if v != nil && v.Kind() != 't' && v.Kind() != 'f' {
		f.fail(name, ReasonNotBoolean, "")
	}
	return v != nil && v.Kind() == 't'
}

func (f *fields) sessionID(name string) SessionID {
	v := f.require(name)
	return SessionID(f.toUUID(name, v))
}

func (f *fields) podID(name string) PodID { return PodID(f.toUUID(name, f.require(name))) }

func (f *fields) toUUID(name string, v jsontext.Value) SessionID {
	if v == nil || f.err != nil {
		return SessionID{}
	}
	s := f.toText(name, v)
	if f.err != nil {
		return SessionID{}
	}
	id, err := ParseSessionID(s)
	if err != nil {
		f.fail(name, ReasonNotUUID, quoted(s))
	}
	return id
}

// array is the elements of a required array; never nil without an error.
func (f *fields) array(name string) []jsontext.Value {
	if v := f.list(name); v != nil {
		return appendElements([]jsontext.Value{}, v)
	}
	return nil
}

// rawArray is array with elements that share no memory with the line.
func (f *fields) rawArray(name string) []jsontext.Value {
	if v := f.list(name); v != nil {
		return appendElements([]jsontext.Value{}, v.Clone())
	}
	return nil
}

// list is the text of a required array.
func (f *fields) list(name string) jsontext.Value {
	v := f.require(name)
	if v != nil && v.Kind() != '[' {
		f.fail(name, ReasonNotArray, "")
		return nil
	}
	return v
}

func (f *fields) texts(name string) []string {
	elements := f.array(name)
	if f.err != nil {
		return nil
	}
	out := make([]string, len(elements))
	for i, v := range elements {
		if v.Kind() != '"' {
			f.fail(name+"["+strconv.Itoa(i)+"]", ReasonNotString, "")
			return nil
		}
		out[i] = unquote(v)
	}
	return out
}

// objects calls read for each element of a required array of objects.
func (f *fields) objects(name string, read func(*fields)) {
	for i, v := range f.array(name) {
		if f.err != nil {
			return
		}
		f.nested(name+"["+strconv.Itoa(i)+"]", v, read)
	}
}

// object calls read for a required object.
func (f *fields) object(name string, read func(*fields)) {
	if v := f.require(name); v != nil && f.err == nil {
		f.nested(name, v, read)
	}
}

func (f *fields) nested(name string, v jsontext.Value, read func(*fields)) {
	if v.Kind() != '{' {
		f.fail(name, ReasonNotObject, "")
		return
	}
	inner := &fields{tag: f.tag, in: name}
	if f.in != "" {
		inner.in = f.in + "." + name
	}
	inner.open(v)
	read(inner)
	if f.err == nil {
		f.err = inner.err
	}
}
