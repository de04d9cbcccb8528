package store

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/ncruces/go-sqlite3"

	"podium.local/session"
)

// write runs change in one transaction that is on disk when it returns. tried
// completes "commit to session x" in errors.
func (s *Store) write(ctx context.Context, tried string, change func(*conn) error) error {
	select {
	case s.turn <- struct{}{}:
	case <-ctx.Done():
		return explain(tried, ctx.Err())
	case <-s.closed:
		return explain(tried, errClosed)
	}
	defer func() { <-s.turn }()
	c, err := s.writer(ctx)
	if err == nil {
		err = s.transact(ctx, c, change)
	}
	if errors.Is(err, errMemory) {
		err = errors.Join(err, c.close())
		s.w = nil
	}
	return explain(tried, err)
}

// writer gives the writing connection. The caller holds the turn.
func (s *Store) writer(ctx context.Context) (*conn, error) {
	switch {
	case s.readOnly:
		return nil, fmt.Errorf("opened for reading only: %w", session.ErrReadOnly)
	case s.w != nil:
		return s.w, s.checkSame()
	}
	if err := s.checkSame(); err != nil {
		return nil, err
	}
	c, err := dialWriter(ctx, s.path, s.opts)
	if err != nil {
		return nil, err
	}
	if s.kind == KindPodium {
		if err := wantWAL(c); err != nil {
			return nil, errors.Join(err, c.close())
		}
	}
	s.w, s.cookie = c, -1
	return c, nil
}

// wantWAL brings a store of ours into WAL mode, which a copy or a restored one
// is not in. Where it is already, nothing is written.
func wantWAL(c *conn) error {
	var mode string
	if err := c.BusyTimeout(5 * time.Second); err != nil {
		return err
	}
	if _, err := c.row("PRAGMA journal_mode = WAL", func(stmt *sqlite3.Stmt) error {
		mode = stmt.ColumnText(0)
		return nil
	}); err != nil {
		return err
	}
	if mode != "wal" {
		return fmt.Errorf("%w: WAL is not possible here (%s)", ErrUnsafe, mode)
	}
	// From here on begin does the waiting.
	return c.BusyTimeout(0)
}

// dialWriter opens a writing connection with everything set by name that a
// default could change.
func dialWriter(ctx context.Context, path string, opts Options) (*conn, error) {
	tuning := "PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 1000"
	if opts.Bulk {
		// Many transactions change the same pages: fewer checkpoints, fewer writes.
		tuning = "PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 4000"
	}
	c, err := dial(ctx, path, readWrite, tuning+"; PRAGMA cache_size = -8192; PRAGMA journal_size_limit = 67108864")
	if err != nil {
		return nil, err
	}
	if ro, _ := c.ReadOnly("main"); ro {
		return nil, errors.Join(fmt.Errorf("%w; check its permissions", session.ErrReadOnly), c.close())
	}
	return c, nil
}

// checkSame reports ErrLost when another file has taken the store's place.
func (s *Store) checkSame() error {
	if id, err := checkFile(s.path); err != nil || id != s.file {
		return fmt.Errorf("the file was replaced or removed: %w", session.ErrLost)
	}
	return nil
}

// transact runs change between BEGIN IMMEDIATE and COMMIT, waiting for other
// writers as long as the options allow.
func (s *Store) transact(ctx context.Context, c *conn, change func(*conn) error) (err error) {
	c.SetInterrupt(ctx)
	defer func() {
		// Lifted before the rollback, which must always happen.
		c.SetInterrupt(context.Background())
		if !c.GetAutocommit() {
			err = errors.Join(err, c.Exec("ROLLBACK"))
		}
		if cause := context.Cause(ctx); cause != nil && errors.Is(classify(err), context.Canceled) {
			err = fmt.Errorf("stopped: %w", cause)
		}
	}()
	defer withoutMemory(&err)
	if err := s.letOthersIn(ctx); err != nil {
		return err
	}
	if err := s.begin(ctx, c); err != nil {
		return err
	}
	taken := time.Now()
	defer func() {
		s.released = time.Now()
		s.held += s.released.Sub(taken)
	}()
	if err := s.recheck(c); err != nil {
		return err
	}
	if err := change(c); err != nil {
		return err
	}
	return c.Exec("COMMIT")
}

// The lock has no queue: whoever came back at once would have it for ever. So
// waiters look again after at most longestPause, and who writes in bulk stays
// off the lock, once it has held it for shortestTurn, for as long as it held it,
// longestGap at most. Time that it spends on something else counts.
const (
	longestPause = 5 * time.Millisecond
	shortestTurn = 10 * time.Millisecond
	longestGap   = 20 * time.Millisecond
)

// letOthersIn waits until a bulk writer may have the lock again. The caller
// holds the turn.
func (s *Store) letOthersIn(ctx context.Context) error {
	if !s.opts.Bulk || s.held < shortestTurn {
		return nil
	}
	wait := min(s.held, longestGap) - time.Since(s.released)
	s.held = 0
	if wait <= 0 {
		return nil
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// begin starts the transaction. SQLite's own busy handler would be skipped
// where waiting could deadlock, so the waiting is done here, outside of it.
func (s *Store) begin(ctx context.Context, c *conn) error {
	start, told := time.Now(), false
	for pause := time.Millisecond; ; pause = min(2*pause, longestPause) {
		err := c.Exec("BEGIN IMMEDIATE")
		if err == nil || !temporary(err) {
			return err
		}
		waited := time.Since(start)
		if waited >= s.opts.BusyTimeout {
			return fmt.Errorf("waited %s: %w", waited.Round(time.Millisecond), err)
		}
		if !told && waited >= s.opts.BusyNotice {
			told = true
			s.opts.Log.Warn("store is locked by another program", "path", s.path, "waited", waited)
			if s.opts.OnBusy != nil {
				s.opts.OnBusy(waited)
			}
		}
		// Waiters that started together must not come back together.
		timer := time.NewTimer(pause/2 + rand.N(pause))
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return ctx.Err()
		}
	}
}

// recheck looks at the tables again when somebody changed the schema since the
// last write.
func (s *Store) recheck(c *conn) error {
	cookie, err := c.integer("PRAGMA schema_version")
	if err != nil || cookie == s.cookie {
		return err
	}
	sh, err := look(c)
	if err != nil {
		return err
	}
	required := ourTables
	switch {
	case sh.kind == KindNewer && s.kind == KindPodium:
		// A newer podium added to its own store, which older ones may go on using.
	case sh.kind == KindNewer:
		return fmt.Errorf("%w: %s", ErrNewer, sh.why)
	case sh.kind != s.kind:
		return fmt.Errorf("the file became %s: %w", sh.kind, session.ErrLost)
	case sh.kind != KindPodium:
		required = requiredTables
	}
	if err := errors.Join(sh.checkTables(required), sh.checkTriggers()); err != nil {
		return err
	}
	s.cookie = cookie
	return nil
}

// writePodium is write for what only a Podium store may hold.
func (s *Store) writePodium(ctx context.Context, tried string, change func(*conn) error) error {
	if s.kind != KindPodium {
		return explain(tried, errAdopted)
	}
	return s.write(ctx, tried, change)
}
