package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ncruces/go-sqlite3"

	"podium.local/session"
)

// readLimit is how long one read of a View may last.
const readLimit = 5 * time.Second

// heavyQueue is how many large reads may wait for a connection.
const heavyQueue = 8

// View is a store's path as a long-running reader sees it: the file may be
// missing, may appear, and may be replaced or removed while the View lives. It
// looks at the path at the start of every call and opens the file anew when it
// is another one. A missing file reads as an empty store and is never made.
//
// Reads take their connections from two sets, so that a few large ones never
// keep a small one waiting: bounded ones (rows, windows, readiness) and heavy
// ones (numbered listings with their counts, sums, searches). More heavy reads
// than wait in the queue are refused with session.ErrOverloaded; a read that
// lasts too long ends with session.ErrSlow.
type View struct {
	path string
	id   string
	opts Options

	rows    int64         // messages that one read may hold
	heavy   chan struct{} // one token for every heavy read that may run
	waiting chan struct{} // one token for every heavy read that may wait

	// base ends with the View, and with it what background does.
	base       context.Context
	stop       context.CancelFunc
	background sync.WaitGroup

	mu      sync.Mutex // guards what follows
	current *opened
	closed  bool
}

// opened is one file while it stands at the path.
type opened struct {
	*Store
	heavy *pool
	rows  int64

	mu     sync.Mutex // guards what follows
	facts  *facts
	toll   map[tollKey]toll
	recent *activity // the newest that was read
	// pending is the activity that is being read.
	pending *activity
}

// NewView makes a View of the store at path. id is the store's logical name,
// which stands in cursors and contexts instead of the path. Nothing is opened
// before the first read.
func NewView(path, id string, opts Options) *View {
	v := &View{
		path: path, id: id, opts: opts.withDefaults(), rows: maxRows,
		heavy:   make(chan struct{}, max(1, runtime.GOMAXPROCS(0)-1)),
		waiting: make(chan struct{}, heavyQueue),
	}
	v.base, v.stop = context.WithCancel(context.Background())
	return v
}

// Present reports whether there is a file at the path right now.
func (v *View) Present() bool {
	_, err := checkFile(v.path)
	return !errors.Is(err, ErrAbsent)
}

// Close closes what is open. Reads that run keep their connections until they
// return.
func (v *View) Close() error {
	v.stop()
	v.mu.Lock()
	o := v.current
	v.current, v.closed = nil, true
	v.mu.Unlock()
	v.background.Wait()
	return o.close()
}

func (o *opened) close() error {
	if o == nil {
		return nil
	}
	return errors.Join(o.heavy.close(), o.Store.Close())
}

// open gives the file that stands at the path now, nil when there is none.
func (v *View) open(ctx context.Context) (*opened, error) {
	id, err := checkFile(v.path)
	if err != nil && !errors.Is(err, ErrAbsent) {
		return nil, v.notReady(err)
	}
	absent := err != nil
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.closed {
		return nil, errClosed
	}
	if v.current != nil {
		if !absent && v.current.file == id {
			return v.current, nil
		}
		old := v.current
		v.current = nil
		if err := old.close(); err != nil {
			v.opts.Log.Warn("closing a store that was replaced", "error", err)
		}
	}
	if absent {
		return nil, nil
	}
	s, err := Open(ctx, v.path, v.opts)
	if errors.Is(err, session.ErrAdopted) {
		s, err = OpenReadOnly(ctx, v.path, v.opts)
	}
	switch {
	case errors.Is(err, ErrAbsent):
		return nil, nil // empty: a store that nobody finished making
	case err != nil && ctx.Err() != nil:
		return nil, err
	case err != nil:
		return nil, v.notReady(err)
	}
	v.current = &opened{Store: s, heavy: newPool(cap(v.heavy), s.dialReader), rows: v.rows, toll: make(map[tollKey]toll)}
	return v.current, nil
}

func (v *View) notReady(err error) error {
	return fmt.Errorf("%w: %w", session.ErrNotReady, err)
}

// weight says which connections a read takes.
type weight int

const (
	bounded weight = iota
	large
)

// read runs use in one snapshot. present is false, and use not called, when
// there is no file.
func (v *View) read(ctx context.Context, w weight, tried string, use func(*snap) error) (present bool, err error) {
	if w == large {
		release, err := v.admit(ctx)
		if err != nil {
			return true, explain(tried, err)
		}
		defer release()
	}
	ctx, cancel := context.WithTimeoutCause(ctx, readLimit, session.ErrSlow)
	defer cancel()
	for attempt := 0; ; attempt++ {
		o, err := v.open(ctx)
		if err != nil || o == nil {
			return err != nil, explain(tried, err)
		}
		from := o.readers
		if w == large {
			from = o.heavy
		}
		err = from.with(ctx, func(c *conn) error {
			return snapshot(ctx, c, func(c *conn) error {
				f, err := o.factsOf(c)
				if err != nil {
					return err
				}
				return use(&snap{conn: c, opened: o, facts: f})
			})
		})
		// The file went while a connection was being opened: look again, once.
		if attempt == 0 && (errors.Is(err, session.ErrLost) || errors.Is(err, errClosed)) {
			continue
		}
		if ctx.Err() != nil && errors.Is(context.Cause(ctx), session.ErrSlow) {
			err = fmt.Errorf("%w: %w", session.ErrSlow, err)
		}
		return true, explain(tried, err)
	}
}

// admit waits for the right to run a heavy read, unless too many wait already.
func (v *View) admit(ctx context.Context) (release func(), err error) {
	release = func() { <-v.heavy }
	select {
	case v.heavy <- struct{}{}:
		return release, nil
	default:
	}
	select {
	case v.waiting <- struct{}{}:
	default:
		return nil, session.ErrOverloaded
	}
	defer func() { <-v.waiting }()
	select {
	case v.heavy <- struct{}{}:
		return release, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// change runs a write on the store that stands at the path. An unadopted store
// of lionagi's takes nothing from us.
func (v *View) change(ctx context.Context, write func(*opened) error) error {
	for attempt := 0; ; attempt++ {
		o, err := v.open(ctx)
		if err != nil {
			return err
		}
		if o == nil {
			return fmt.Errorf("there is no store: %w", session.ErrNotFound)
		}
		if o.kind == KindLionagi {
			// It may have been adopted since it was opened.
			if attempt == 0 && v.forget(o) {
				continue
			}
			return fmt.Errorf("%w; run `podium store migrate` to adopt it", session.ErrAdopted)
		}
		err = write(o)
		if attempt == 0 && (errors.Is(err, session.ErrLost) || errors.Is(err, errClosed)) && v.forget(o) {
			continue
		}
		return err
	}
}

// forget makes the next call open the file anew.
func (v *View) forget(o *opened) bool {
	v.mu.Lock()
	mine := v.current == o
	if mine {
		v.current = nil
	}
	v.mu.Unlock()
	if !mine {
		return true
	}
	if err := o.close(); err != nil {
		v.opts.Log.Warn("closing a store to open it anew", "error", err)
	}
	return true
}

// snap is one snapshot of a store and what is known of its tables.
type snap struct {
	*conn
	opened *opened
	facts  *facts
}

// facts are the tables and columns of a store under one schema cookie.
type facts struct {
	cookie  int64
	tables  map[string]bool
	columns map[string]bool // of sessions and branches, as table.column
	// paths are what the bounded listing needs, once that was looked at.
	paths atomic.Pointer[paths]
}

// has reports whether the store has a table.
func (f *facts) has(table string) bool { return f.tables[table] }

// factsOf reads the facts within the running transaction, or takes those that
// were read under the same schema.
func (o *opened) factsOf(c *conn) (*facts, error) {
	cookie, err := c.integer("PRAGMA schema_version")
	if err != nil {
		return nil, err
	}
	o.mu.Lock()
	known := o.facts
	o.mu.Unlock()
	if known != nil && known.cookie == cookie {
		return known, nil
	}
	f := &facts{cookie: cookie, tables: make(map[string]bool), columns: make(map[string]bool)}
	err = c.each("SELECT name FROM sqlite_schema WHERE type = 'table'", func(stmt *sqlite3.Stmt) error {
		f.tables[stmt.ColumnText(0)] = true
		return nil
	})
	if err != nil {
		return nil, err
	}
	for _, table := range []string{"sessions", "branches"} {
		err := c.each("SELECT name FROM pragma_table_info(?)", func(stmt *sqlite3.Stmt) error {
			f.columns[table+"."+stmt.ColumnText(0)] = true
			return nil
		}, table)
		if err != nil {
			return nil, err
		}
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.facts = f
	return f, nil
}

// Probe reads one indexed row and the store's identity.
func (v *View) Probe(ctx context.Context) (p session.Probe, err error) {
	p.Present, err = v.read(ctx, bounded, "probe store", func(s *snap) error {
		if err := s.run("SELECT 1 FROM sessions ORDER BY updated_at DESC LIMIT 1"); err != nil {
			return err
		}
		incarnation, err := s.incarnation()
		if incarnation != "" {
			sum := sha256.Sum256([]byte(v.id + "\x00" + incarnation))
			p.StoreContext = hex.EncodeToString(sum[:8])
		}
		return err
	})
	return p, err
}

// incarnation is the identity of the store's life, empty for none.
func (s *snap) incarnation() (text string, err error) {
	if !s.facts.has("listing_store_identity") {
		return "", nil
	}
	_, err = s.row("SELECT incarnation FROM listing_store_identity WHERE id = 1", func(stmt *sqlite3.Stmt) error {
		text = stmt.ColumnText(0)
		return nil
	})
	return text, err
}

// list is a Go list as the JSON that json_each reads, so that a statement's
// text does not depend on its length.
func list[T any](values []T) (string, error) {
	text, err := encode(values)
	return string(text), err
}

// optionalText reads a text column that may be NULL.
func optionalText(stmt *sqlite3.Stmt, col int) *string {
	if stmt.ColumnType(col) == sqlite3.NULL {
		return nil
	}
	v := stmt.ColumnText(col)
	return &v
}

// optionalNumber reads a column that should hold a number; anything else is
// unknown.
func optionalNumber(stmt *sqlite3.Stmt, col int) *float64 {
	switch stmt.ColumnType(col) {
	case sqlite3.INTEGER, sqlite3.FLOAT:
		v := stmt.ColumnFloat(col)
		return &v
	}
	return nil
}

// optionalWhole is optionalNumber for whole numbers.
func optionalWhole(stmt *sqlite3.Stmt, col int) *int64 {
	switch stmt.ColumnType(col) {
	case sqlite3.INTEGER, sqlite3.FLOAT:
		v := stmt.ColumnInt64(col)
		return &v
	}
	return nil
}
