package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	"github.com/ncruces/go-sqlite3"

	"podium.local/session"
)

// Errors of opening. Each is wrapped in a text that names the path, what is
// wrong with it and the next step.
var (
	// ErrAbsent means that there is no store at the path.
	ErrAbsent = errors.New("there is no store")
	// ErrForeign means that the file is not a store that Podium knows.
	ErrForeign = errors.New("not a podium store")
	// ErrNewer means that a newer build of Podium (or of lionagi) made the file.
	ErrNewer = errors.New("the store is newer than this program")
	// ErrOutdated means that the store has to be migrated first.
	ErrOutdated = errors.New("the store has to be migrated")
	// ErrUnsafe means that the path must not be opened: not a regular file, not
	// ours, a link, or on a network file system.
	ErrUnsafe = errors.New("the store cannot be opened safely")
	// ErrExists means that a target is there already.
	ErrExists = errors.New("the file exists already")
)

// errAdopted refuses to write into a store of lionagi's. It is both
// session.ErrAdopted and session.ErrReadOnly.
var errAdopted error = adoptedError{}

type adoptedError struct{}

func (adoptedError) Error() string {
	return "it belongs to lionagi, which prunes and rebuilds it: podium reads it but keeps no sessions in it; name another file with --store"
}

func (adoptedError) Unwrap() []error { return []error{session.ErrAdopted, session.ErrReadOnly} }

// explain wraps a driver's error once with what was tried, the error that
// callers act on and the next step. Only codes decide, never texts.
func explain(tried string, err error) error {
	if err == nil {
		return nil
	}
	cause := classify(err)
	if cause == nil || errors.Is(err, cause) {
		return fmt.Errorf("%s: %w", tried, err)
	}
	return fmt.Errorf("%s: %w: %w%s", tried, cause, err, nextStep(cause))
}

// nextStep is what a user can do about a cause, empty where the cause says it
// or nothing is to do but to try again.
func nextStep(cause error) string {
	switch cause {
	case session.ErrCorrupt:
		return "; `podium store check` says what can be read; restore a backup or name another file with --store"
	case session.ErrFull:
		return "; free some space and run it again: nothing that was saved is lost"
	default:
		return ""
	}
}

// classify maps an error to the one that callers act on, nil if there is none.
func classify(err error) error {
	var code sqlite3.ErrorCode
	if !errors.As(err, &code) {
		return nil
	}
	switch code {
	case sqlite3.BUSY, sqlite3.LOCKED, sqlite3.PROTOCOL:
		return session.ErrBusy
	case sqlite3.FULL:
		return session.ErrFull
	case sqlite3.CORRUPT, sqlite3.NOTADB:
		return session.ErrCorrupt
	case sqlite3.READONLY, sqlite3.PERM, sqlite3.AUTH:
		return session.ErrReadOnly
	case sqlite3.CANTOPEN:
		if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) {
			return session.ErrReadOnly
		}
		return session.ErrIO
	case sqlite3.IOERR:
		return session.ErrIO
	case sqlite3.INTERRUPT:
		return context.Canceled
	default:
		return nil
	}
}

// temporary reports whether trying again may succeed.
func temporary(err error) bool { return errors.Is(classify(err), session.ErrBusy) }
