package store

import (
	"errors"
	"fmt"

	"podium.local/session"
)

// errMemory says that a value did not fit in the memory that one connection to
// SQLite may take.
var errMemory = fmt.Errorf("%w: the database has no memory for it", session.ErrTooLarge)

// withoutMemory makes an error of the panic that the library raises when SQLite
// has no memory left; it is deferred. The connection is good for taking back
// what it was doing, and is then closed.
func withoutMemory(err *error) {
	caught := recover()
	if caught == nil {
		return
	}
	if cause, ok := caught.(error); !ok || cause.Error() != "sqlite3: out of memory" {
		panic(caught)
	}
	*err = errors.Join(*err, errMemory)
}
