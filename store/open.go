package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/ncruces/go-sqlite3"

	"podium.local/protocol"
	"podium.local/session"
)

// Options are how a store is opened. The zero value is what a pod uses.
type Options struct {
	// Now is the clock; nil is time.Now.
	Now func() time.Time
	// Bulk writes with synchronous NORMAL: a power cut may take back the newest
	// transactions, never tear one. For imports and rollups.
	Bulk bool
	// BusyTimeout is how long a write waits for other writers; 0 is 30 s.
	BusyTimeout time.Duration
	// BusyNotice is after how long OnBusy is called; 0 is 2 s.
	BusyNotice time.Duration
	// OnBusy is called once for a write that has been waiting for BusyNotice. It
	// runs on the waiting goroutine and must not use the store.
	OnBusy func(waited time.Duration)
	// Alive reports whether a process that holds a pod still runs. Nil takes
	// every holder that did not leave for dead, as after a restart of the machine.
	Alive func(session.Process) bool
	// Log receives what is worth knowing afterwards; nil discards it.
	Log *slog.Logger
}

func (o Options) withDefaults() Options {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.BusyTimeout == 0 {
		o.BusyTimeout = 30 * time.Second
	}
	if o.BusyNotice == 0 {
		o.BusyNotice = 2 * time.Second
	}
	if o.Alive == nil {
		o.Alive = func(session.Process) bool { return false }
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return o
}

// Store is one open store file. It is safe for use by many goroutines; its
// writes go one after the other.
type Store struct {
	path     string // absolute
	given    string // as the user named it
	opts     Options
	kind     Kind
	file     fileID
	readOnly bool
	readers  *pool

	// turn is the right to write: whoever holds its token owns what follows.
	// Readers never take it.
	turn     chan struct{}
	held     time.Duration // how long a bulk writer had the lock since it last let others in
	released time.Time     // when the lock was last given back
	w        *conn
	cookie   int64 // schema cookie under which w's tables were last checked

	mu    sync.Mutex // guards holds; taken with or without the turn, never before it
	holds map[protocol.PodID]hold

	closing sync.Once
	closed  chan struct{}
}

// Open opens the store at path for reading and writing. It neither makes nor
// migrates it: ErrAbsent, ErrOutdated. The writing connection is only opened
// by the first write. An adopted store opens too; what only a Podium store may
// do then answers session.ErrAdopted.
func Open(ctx context.Context, path string, opts Options) (*Store, error) {
	return open(ctx, path, opts, false)
}

// OpenReadOnly opens the store at path for reading. A store of lionagi's that
// was never adopted opens too.
func OpenReadOnly(ctx context.Context, path string, opts Options) (*Store, error) {
	return open(ctx, path, opts, true)
}

// Create opens the Podium store at path for reading and writing, making or
// migrating it first where needed. A store of lionagi's is refused.
func Create(ctx context.Context, path string, opts Options) (*Store, error) {
	s, err := open(ctx, path, opts, false)
	if errors.Is(err, ErrAbsent) || errors.Is(err, ErrOutdated) {
		if _, err := Migrate(ctx, path, MigrateOptions{Options: opts, OnlyPodium: true}); err != nil {
			return nil, err
		}
		s, err = open(ctx, path, opts, false)
	}
	if err != nil {
		return nil, err
	}
	if s.kind != KindPodium {
		return nil, errors.Join(fmt.Errorf("open store %s: %w", path, errAdopted), s.Close())
	}
	return s, nil
}

func open(ctx context.Context, path string, opts Options, readOnly bool) (*Store, error) {
	s, err := openAt(ctx, path, opts, readOnly)
	if err != nil {
		return nil, explain("open store "+path, err)
	}
	return s, nil
}

func openAt(ctx context.Context, path string, opts Options, readOnly bool) (*Store, error) {
	abs, err := absolute(path)
	if err != nil {
		return nil, err
	}
	s := &Store{
		path:     abs,
		given:    path,
		opts:     opts.withDefaults(),
		readOnly: readOnly,
		turn:     make(chan struct{}, 1),
		holds:    make(map[protocol.PodID]hold),
		closed:   make(chan struct{}),
	}
	s.readers = newPool(poolSize(), s.dialReader)
	c, sh, id, err := dialPatient(ctx, abs, s.opts.readerWait())
	if err != nil {
		return nil, err
	}
	s.kind, s.file = sh.kind, id
	s.readers.put(c)
	if err := usable(sh, readOnly); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// dialChecked opens a reading connection on a file that passed every check and
// says what it is and which file it was.
func dialChecked(ctx context.Context, abs string) (*conn, shape, fileID, error) {
	return dialPatient(ctx, abs, readLimit)
}

// dialPatient is dialChecked with how long the connection waits for a lock.
func dialPatient(ctx context.Context, abs string, wait time.Duration) (*conn, shape, fileID, error) {
	id, err := checkFile(abs)
	if err != nil {
		return nil, shape{}, id, absentNext(err)
	}
	if name := networkFS(abs); name != "" {
		return nil, shape{}, id, fmt.Errorf("%w: it is on a network file system (%s); name a file on a local disk", ErrUnsafe, name)
	}
	if err := checkHeader(abs); err != nil {
		return nil, shape{}, id, absentNext(err)
	}
	c, err := dialReading(ctx, abs, wait)
	if err != nil {
		return nil, shape{}, id, sideFilesNext(err)
	}
	sh, err := inspect(c)
	err = sideFilesNext(err)
	if err == nil && sh.kind == KindAbsent {
		err = absentNext(ErrAbsent)
	}
	if now, statErr := checkFile(abs); err == nil && (statErr != nil || now != id) {
		err = fmt.Errorf("%w: it was replaced while it was opened; try again", ErrUnsafe)
	}
	if err != nil {
		return nil, sh, id, errors.Join(err, c.close())
	}
	return c, sh, id, nil
}

// sideFilesNext explains why a file that is there cannot be opened. To read
// without them would be wrong as soon as somebody else writes.
func sideFilesNext(err error) error {
	if errors.Is(err, sqlite3.CANTOPEN) || errors.Is(err, sqlite3.READONLY) {
		return fmt.Errorf("its folder does not let its side files (-wal, -shm) be made or written, which even reading needs; "+
			"open it as a user who may write there, or copy it with its -wal file to a folder of yours and name the copy with --store: %w", err)
	}
	return err
}

func absentNext(err error) error {
	if errors.Is(err, ErrAbsent) {
		return fmt.Errorf("%w; make one with `podium store migrate`", ErrAbsent)
	}
	return err
}

// usable decides whether a file of this shape may be opened.
func usable(sh shape, readOnly bool) error {
	switch sh.kind {
	case KindNewer:
		return fmt.Errorf("%w: %s", ErrNewer, sh.why)
	case KindForeign:
		return fmt.Errorf("%w: %s", ErrForeign, sh.why)
	case KindLionagi:
		if !readOnly {
			return errAdopted
		}
	case KindPodium:
		if newest := newestSchema(); sh.schema < newest {
			return fmt.Errorf("%w: its schema is %d and this podium wants %d; run `podium store migrate`", ErrOutdated, sh.schema, newest)
		}
	}
	return nil
}

// magic is how every SQLite file begins.
const magic = "SQLite format 3\x00"

// checkHeader tells a file that is no database at all from a damaged one. The
// content is never shown.
func checkHeader(path string) (err error) {
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("%w: %w; check its permissions", ErrUnsafe, plainErrno(err))
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	var head [len(magic)]byte
	n, err := io.ReadFull(f, head[:])
	switch {
	case n == 0 && errors.Is(err, io.EOF):
		return ErrAbsent // an empty file is a store nobody finished making
	case err != nil && !errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("%w: %w", session.ErrIO, plainErrno(err))
	case string(head[:]) != magic:
		return fmt.Errorf("%w: it is not an SQLite file; name another file", ErrForeign)
	}
	return nil
}

// Kind is KindPodium, KindAdopted or, read-only, KindLionagi.
func (s *Store) Kind() Kind { return s.kind }

// Path is the store's absolute path.
func (s *Store) Path() string { return s.path }

// Close waits for a running write and closes all connections. Reads that are
// still running keep theirs until they return.
func (s *Store) Close() error {
	var err error
	s.closing.Do(func() {
		s.turn <- struct{}{}
		err = s.readers.close()
		if s.w != nil {
			err = errors.Join(err, s.w.close())
			s.w = nil
		}
		// The token is kept: no write comes after this.
		close(s.closed)
	})
	return explain("close store "+s.given, err)
}
