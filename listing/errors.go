package listing

import (
	"errors"
	"fmt"
)

// Code is the machine word for what is wrong with a listing request.
type Code string

// The codes.
const (
	// RequestInvalid: a parameter or a combination of them cannot be used.
	RequestInvalid Code = "listing_request_invalid"
	// CursorRequired: the offset is beyond the compatibility limit.
	CursorRequired Code = "listing_cursor_required"
	// FilteredOffset: a filtered listing was to start in the middle.
	FilteredOffset Code = "listing_filtered_offset_unsupported"
	// CursorInvalid: the cursor is none that this program issued.
	CursorInvalid Code = "listing_cursor_invalid"
	// CursorRestart: the cursor was good once or elsewhere.
	CursorRestart Code = "listing_cursor_restart_required"
	// NotReady: the store or the keyring lacks something.
	NotReady Code = "listing_not_ready"
	// StoreOrder: a stored value cannot be ordered.
	StoreOrder Code = "listing_store_order_invalid"
)

var messages = map[Code]string{
	RequestInvalid: "Invalid listing request.",
	CursorRequired: "Use a cursor beyond the compatibility offset limit.",
	FilteredOffset: "Filtered listing must start at the beginning or use a cursor.",
	CursorInvalid:  "Invalid listing cursor.",
	CursorRestart:  "Restart the listing from the beginning.",
	NotReady:       "Listing v2 is unavailable for this store.",
	StoreOrder:     "Stored ordering values are unsupported.",
}

// Message is the public sentence of a code. It never depends on the request.
func (c Code) Message() string { return messages[c] }

// RestartRequired reports whether a client has to begin anew without its
// cursor.
func (c Code) RestartRequired() bool { return c == CursorInvalid || c == CursorRestart }

// Error is a condition of a listing. Code is for clients; Reason says which of
// the code's cases it is, for logs and for the person at the shell. No reason
// holds a cursor, an id or a stored value.
type Error struct {
	Code   Code
	Reason string
	// Lacks says what has to be made when Code is NotReady.
	Lacks Capability
	cause error
}

// Capability is what a listing needs besides the store's rows.
type Capability string

// The capabilities.
const (
	// LacksKeyring: no usable signing keys.
	LacksKeyring Capability = "keyring"
	// LacksIdentity: the store has no incarnation.
	LacksIdentity Capability = "identity"
	// LacksStructure: the store has not the indexes or tables that are needed.
	LacksStructure Capability = "structure"
)

// Error is the message with the reason.
func (e *Error) Error() string {
	text := fmt.Sprintf("%s (%s)", e.Code.Message(), e.Reason)
	if e.cause != nil {
		text += ": " + e.cause.Error()
	}
	return text
}

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.cause }

// CodeOf is the code of an error, empty when it is none of a listing's.
func CodeOf(err error) Code {
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return ""
}

func fail(code Code, reason string) *Error { return &Error{Code: code, Reason: reason} }

// Unready says that a capability is missing; cause names the object and what
// makes it.
func Unready(lacks Capability, cause error) *Error {
	return &Error{Code: NotReady, Reason: "no usable " + string(lacks), Lacks: lacks, cause: cause}
}
