package llm

import (
	"fmt"
	"time"
)

// Error is a failed model call. Its text never holds a key or a header.
type Error struct {
	Kind ErrorKind
	// Status is the HTTP status; 0 when no answer came, or when the error arrived
	// inside a stream that had begun with 200.
	Status int
	// Code is the vendor's own word for it, if any.
	Code    string
	Message string
	// RetryAfter is what the vendor asked to wait; 0 when it did not say.
	RetryAfter time.Duration
	// Err is the cause below HTTP, if any.
	Err error
}

// ErrorKind decides what a caller may do about an Error.
type ErrorKind string

// The kinds of error.
const (
	// ErrorAuth is a missing, wrong or forbidden key (401, 403).
	ErrorAuth ErrorKind = "auth"
	// ErrorRateLimited is 429.
	ErrorRateLimited ErrorKind = "rate_limited"
	// ErrorOverloaded is 529, or the vendor's word for it.
	ErrorOverloaded ErrorKind = "overloaded"
	// ErrorUnavailable is 408 and 5xx.
	ErrorUnavailable ErrorKind = "unavailable"
	// ErrorContextOverflow says that the prompt is longer than the model holds.
	ErrorContextOverflow ErrorKind = "context_overflow"
	// ErrorInvalid is every other refusal: the same request will fail again.
	ErrorInvalid ErrorKind = "invalid"
	// ErrorNetwork means that no answer came (refused, reset, name unknown).
	ErrorNetwork ErrorKind = "network"
	// ErrorStream is a stream that broke, ended early or could not be read.
	ErrorStream ErrorKind = "stream"
	// ErrorTimeout is set by callers that stopped waiting.
	ErrorTimeout ErrorKind = "timeout"
)

// Error is one line: what the vendor answered, or why nothing came.
func (e *Error) Error() string {
	switch {
	case e.Status != 0 && e.Code != "":
		return fmt.Sprintf("API error (status %d, %s): %s", e.Status, e.Code, e.Message)
	case e.Status != 0:
		return fmt.Sprintf("API error (status %d): %s", e.Status, e.Message)
	case e.Code != "":
		return fmt.Sprintf("API error (%s): %s", e.Code, e.Message)
	default:
		return e.Message
	}
}

// Unwrap is the cause below HTTP.
func (e *Error) Unwrap() error { return e.Err }

// Retryable reports whether the same request may succeed later. A caller must
// still not retry once something of the answer was shown.
func (e *Error) Retryable() bool {
	switch e.Kind {
	case ErrorRateLimited, ErrorOverloaded, ErrorUnavailable, ErrorNetwork, ErrorStream, ErrorTimeout:
		return true
	default:
		return false
	}
}
