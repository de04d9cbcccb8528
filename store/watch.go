package store

import (
	"context"
	"errors"
	"time"
)

// Watch tells whether anything was committed to the store at a path, by any
// process. It holds one connection, from its first look until Close. A Watch
// serves one goroutine.
type Watch struct {
	view    *View
	file    fileID
	conn    *conn // nil while there is no file
	version int64
	looked  bool
}

// Watch begins to watch the store. It opens nothing before the first look.
func (v *View) Watch() *Watch { return &Watch{view: v} }

// Changed reports whether the store changed since the last look; the first
// look says that it did. It reads a counter in the file's shared memory and
// none of the tables. A file that comes, goes or is replaced is a change.
func (w *Watch) Changed(ctx context.Context) (bool, error) {
	first := !w.looked
	w.looked = true
	id, err := checkFile(w.view.path)
	if errors.Is(err, ErrAbsent) {
		gone := w.conn != nil
		return first || gone, w.Close()
	}
	if err != nil {
		w.looked = false
		return false, errors.Join(w.view.notReady(err), w.Close())
	}
	if w.conn != nil && w.file != id {
		if err := w.Close(); err != nil {
			return false, explain("watch store", err)
		}
	}
	opened := w.conn == nil
	ctx, cancel := context.WithTimeout(ctx, watchLimit)
	defer cancel()
	if opened {
		w.conn, err = dialReading(ctx, w.view.path, watchLimit/2)
		if err != nil {
			w.conn, w.looked = nil, false
			return false, explain("watch store", err)
		}
		w.file = id
	}
	c := w.conn
	c.SetInterrupt(ctx)
	version, err := c.integer("PRAGMA data_version")
	c.SetInterrupt(context.Background())
	if err != nil {
		w.looked = false
		return false, errors.Join(explain("watch store", err), w.Close())
	}
	changed := opened || version != w.version
	w.version = version
	return first || changed, nil
}

// watchLimit is how long one look may take.
const watchLimit = 2 * time.Second

// Close gives the connection back. The Watch may be used again.
func (w *Watch) Close() error {
	c := w.conn
	w.conn = nil
	if c == nil {
		return nil
	}
	return c.close()
}
