package client

import (
	"errors"
	"fmt"
	"time"

	"podium.local/protocol"
)

// Errors to test for with errors.Is. What is wrapped around them says what was
// tried and what to do next.
var (
	// ErrNotRunning means that nobody answers at the socket.
	ErrNotRunning = errors.New("not running")
	// ErrPathTooLong means that the platform cannot address the socket's path.
	ErrPathTooLong = errors.New("socket path too long")
	// ErrNotAPod means that something else than a pod answers at the socket.
	ErrNotAPod = errors.New("not a pod")
	// ErrBaseOnly means that the pod does not speak the extended vocabulary, or
	// no version of it that this client knows.
	ErrBaseOnly = errors.New("only the base vocabulary is spoken")
	// ErrLost means that the connection ended before what was asked for happened.
	// A method may or may not have reached the pod.
	ErrLost = errors.New("connection lost")
	// ErrClosed means that Close was called.
	ErrClosed = errors.New("the connection was closed by this program")
)

// PodError is an error with which the pod answered a method.
type PodError struct {
	// Method is the tag of the method it answers.
	Method string
	// Code is the word to act on, Message the text for a person.
	Code    protocol.ErrorCode
	Message string
}

// Error is "method: message (code)".
func (e *PodError) Error() string { return fmt.Sprintf("%s: %s (%s)", e.Method, e.Message, e.Code) }

// BadLineError is a line of the pod that is no event. The connection goes on
// after it.
type BadLineError struct {
	// Err is a *protocol.DecodeError, or protocol.ErrLineTooLong wrapped.
	Err error
	// Line is the beginning of the line, at most 200 bytes; nil for a line over
	// the limit.
	Line []byte
}

// Error names what is wrong with the line.
func (e *BadLineError) Error() string {
	if e.Line == nil {
		return "unreadable event: " + e.Err.Error()
	}
	return fmt.Sprintf("unreadable event: %v: %q", e.Err, e.Line)
}

// Unwrap gives Err.
func (e *BadLineError) Unwrap() error { return e.Err }

// Disconnected appears in the stream of a Session each time its connection is
// gone or could not be made again. The stream goes on after it.
type Disconnected struct {
	// Cause is why: io.EOF when the pod closed the connection.
	Cause error
	// Attempt counts the attempts since the connection was lost, from 1; Next is
	// when this one begins.
	Attempt int
	Next    time.Time
}

// Error is the cause.
func (e *Disconnected) Error() string { return fmt.Sprintf("disconnected: %v", e.Cause) }

// Unwrap gives Cause.
func (e *Disconnected) Unwrap() error { return e.Cause }

// GapError appears in the stream of a Session when durable events are missing
// and asking the pod again did not bring them. The stream goes on after it.
type GapError struct {
	// After is the last durable event seen, Got the one that came instead of the
	// next.
	After, Got uint64
}

// Error names the missing numbers.
func (e *GapError) Error() string {
	return fmt.Sprintf("the pod skipped its durable events %d to %d", e.After+1, e.Got-1)
}

// Passing reports whether the stream of a Session goes on after err.
func Passing(err error) bool {
	var bad *BadLineError
	var gone *Disconnected
	var gap *GapError
	return errors.As(err, &bad) || errors.As(err, &gone) || errors.As(err, &gap)
}
