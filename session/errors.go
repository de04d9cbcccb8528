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
	// ErrCorrupt means that the file is damaged.
	ErrCorrupt = errors.New("the store is damaged")
	// ErrInboxFull means that the pod's inbox holds as much as it may.
	ErrInboxFull = errors.New("the inbox is full")
	// ErrLost means that the session is no longer held by the caller.
	ErrLost = errors.New("the session is held by another process")
	// ErrNotFound means that the named session, pod or entry does not exist.
	ErrNotFound = errors.New("not found")
)
