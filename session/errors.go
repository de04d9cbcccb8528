package session

import "errors"

// Errors of the store that callers act on. The store wraps them with what was
// tried; test with errors.Is.
var (
	// ErrBusy means that the store stayed locked longer than a caller may wait.
	ErrBusy = errors.New("the store is locked by another program")
	// ErrFull means that the disk or the file's size limit is full.
	ErrFull = errors.New("the disk is full")
	// ErrReadOnly means that the store cannot be written (permissions, media, or
	// an adopted store).
	ErrReadOnly = errors.New("the store is read-only")
	// ErrIO means that the file could not be read or written.
	ErrIO = errors.New("the store cannot be read or written")
	// ErrCorrupt means that the file is damaged.
	ErrCorrupt = errors.New("the store is damaged")
	// ErrInboxFull means that the pod's inbox holds as much as it may.
	ErrInboxFull = errors.New("the inbox is full")
	// ErrTooLarge means that a value is larger than the store can hold or read.
	ErrTooLarge = errors.New("too large for the store")
	// ErrLost means that the session is no longer held by the caller.
	ErrLost = errors.New("the session is held by another process")
	// ErrNotFound means that the named session, pod or entry does not exist.
	ErrNotFound = errors.New("not found")
)

// Errors of the reading side.
var (
	// ErrOverloaded means that too many large reads wait already.
	ErrOverloaded = errors.New("too many large reads at once")
	// ErrSlow means that a read took longer than one may and was stopped.
	ErrSlow = errors.New("the read took too long and was stopped")
	// ErrHeld means that a live pod holds the session.
	ErrHeld = errors.New("a live pod holds the session")
	// ErrAdopted means that the store belongs to another program and is only
	// read.
	ErrAdopted = errors.New("the store was adopted and is only read")
	// ErrNotReady means that the file is there but has not the tables that are
	// needed; the wrapping text names the command that helps.
	ErrNotReady = errors.New("the store is not ready")
)
