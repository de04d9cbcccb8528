package protocol

import (
	"errors"
	"strconv"
)

// Reason is the machine-readable word for why a line could not be decoded.
type Reason string

// The reasons. The first group is about the line as JSON, the second about
// its fields.
const (
	ReasonSyntax        Reason = "syntax"
	ReasonByteOrderMark Reason = "byte order mark"
	ReasonInvalidUTF8   Reason = "invalid UTF-8"
	ReasonLoneSurrogate Reason = "lone surrogate"
	ReasonControl       Reason = "control character"
	ReasonDuplicateKey  Reason = "duplicate key"
	ReasonTooDeep       Reason = "nesting too deep"
	ReasonLineBreak     Reason = "line break"
	ReasonTrailingData  Reason = "trailing data"
	ReasonMissing       Reason = "missing"
	ReasonNotObject     Reason = "not an object"
	ReasonNotArray      Reason = "not an array"
	ReasonNotString     Reason = "not a string"
	ReasonNotInteger    Reason = "not an integer"
	ReasonNotNumber     Reason = "not a number"
	ReasonNotBoolean    Reason = "not a boolean"
	ReasonNotUUID       Reason = "not a UUID"
	ReasonOutOfRange    Reason = "out of range"
	ReasonLength        Reason = "length"
	ReasonUnknown       Reason = "unknown"
	ReasonMustBeAbsent  Reason = "must be absent or null"
)

// maxDetail is the most bytes of a foreign error text inside a DecodeError.
const maxDetail = 200

// DecodeError says why one line is not a method or not an event. Its text is
// one line, safe to send back to the peer: foreign words in it are quoted and
// cut.
type DecodeError struct {
	// Tag is the line's tag, empty when it could not be read.
	Tag string
	// In is the place of the object that Field belongs to, relative to params or
	// data: "scope[0]", "greeting". Empty for params or data itself.
	In string
	// Field is the key concerned; "tag" when the tag itself is missing, empty when
	// the line as a whole is the matter.
	Field string
	// Reason is what is wrong with it.
	Reason Reason
	// Detail adds what was found or what was expected; it may be empty.
	Detail string
}

// Error is "tag: place: what is wrong: detail".
func (e *DecodeError) Error() string {
	var text string
	switch {
	case e.Reason == ReasonMissing || e.Reason == ReasonUnknown:
		text = string(e.Reason) + " " + e.Field
	case e.Field == "":
		text = string(e.Reason)
	case e.Reason == ReasonLength || e.Reason == ReasonMustBeAbsent:
		text = e.Field + " " + string(e.Reason)
	default:
		text = e.Field + " is " + string(e.Reason)
	}
	if e.Detail != "" {
		text += ": " + e.Detail
	}
	if e.In != "" {
		text = e.In + ": " + text
	}
	if e.Tag != "" {
		text = e.Tag + ": " + text
	}
	return text
}

// EncodeError says why a value cannot be written as a line.
type EncodeError struct {
	// Tag is the value's tag.
	Tag string
	// Field is the field concerned.
	Field string
	// What is wrong with it.
	What string
}

// Error is "cannot encode tag: field what".
func (e *EncodeError) Error() string {
	text := "cannot encode "
	if e.Tag != "" {
		text += e.Tag + ": "
	}
	if e.Field != "" {
		text += e.Field + " "
	}
	return text + e.What
}

// Errors of the framing of lines.
var (
	// ErrLineTooLong means that one line passed the reader's limit. The rest of
	// that line is skipped; the next ReadLine goes on after it.
	ErrLineTooLong = errors.New("line too long")
	// ErrBudget means that the unfinished lines of all readers together passed
	// their Budget while this reader held the longest one. The line is given up
	// as with ErrLineTooLong.
	ErrBudget = errors.New("too many unfinished lines")
)

// quoted shows a foreign word inside an error.
func quoted(s string) string { return strconv.QuoteToASCII(clip(s)) }
