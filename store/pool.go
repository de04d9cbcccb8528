package store

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"time"
)

// errClosed answers reads and writes after Close.
var errClosed = errors.New("the store is closed")

// pool holds a few reading connections, opened when first needed.
type pool struct {
	dial  func(context.Context) (*conn, error)
	slots chan struct{} // one token for every connection that may be in use

	mu     sync.Mutex // guards what follows
	idle   []*conn
	closed bool
}

func newPool(size int, dial func(context.Context) (*conn, error)) *pool {
	return &pool{dial: dial, slots: make(chan struct{}, size)}
}

// poolSize leaves a processor to the writer; readers beyond the processors
// only delay it.
func poolSize() int { return max(2, runtime.GOMAXPROCS(0)) }

// with lends a connection to use. A connection that fails in a way that may
// stick to it is not used again.
func (p *pool) with(ctx context.Context, use func(*conn) error) error {
	select {
	case p.slots <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-p.slots }()
	c, err := p.take(ctx)
	if err != nil {
		return err
	}
	if err := use(c); errors.Is(err, errMemory) || err != nil && classify(err) != nil && !errors.Is(classify(err), context.Canceled) {
		return errors.Join(err, c.close())
	} else {
		return errors.Join(err, p.put(c))
	}
}

func (p *pool) take(ctx context.Context) (*conn, error) {
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return nil, errClosed
	}
	if n := len(p.idle); n > 0 {
		c := p.idle[n-1]
		p.idle = p.idle[:n-1]
		p.mu.Unlock()
		return c, nil
	}
	p.mu.Unlock()
	return p.dial(ctx)
}

// put gives a connection back; after close it is closed.
func (p *pool) put(c *conn) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return c.close()
	}
	p.idle = append(p.idle, c)
	return nil
}

func (p *pool) close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	var errs []error
	for _, c := range p.idle {
		errs = append(errs, c.close())
	}
	p.idle = nil
	return errors.Join(errs...)
}

// dialReader opens one more reading connection on the file that was checked
// when the store was opened.
func (s *Store) dialReader(ctx context.Context) (*conn, error) {
	if err := s.checkSame(); err != nil {
		return nil, err
	}
	return dialReading(ctx, s.path, s.opts.readerWait())
}

// dialReading opens a reading connection that waits so long for a lock.
func dialReading(ctx context.Context, path string, wait time.Duration) (*conn, error) {
	c, err := dial(ctx, path, readOnly, readerPragmas)
	if err != nil {
		return nil, err
	}
	if err := c.BusyTimeout(wait); err != nil {
		return nil, errors.Join(err, c.close())
	}
	return c, nil
}

// readerWait is how long a reader waits for a lock: less than a read may last,
// so that what it waited for is what it says.
func (o Options) readerWait() time.Duration {
	return min(o.BusyTimeout, readLimit-readLimit/10)
}

// readerPragmas set by name what a default could change. Readers only wait for
// a program that holds the whole file, or while a log left by a killed writer
// is recovered.
const readerPragmas = "PRAGMA query_only = ON; PRAGMA busy_timeout = 5000; PRAGMA cache_size = -8192"

// read lends use a reading connection inside one transaction: everything it
// reads is one snapshot. It ends, also in the middle of a statement, when ctx
// does.
func (s *Store) read(ctx context.Context, use func(*conn) error) error {
	return s.readers.with(ctx, func(c *conn) (err error) {
		return snapshot(ctx, c, use)
	})
}

// snapshot runs use in a deferred transaction of c and takes it back.
func snapshot(ctx context.Context, c *conn, use func(*conn) error) (err error) {
	c.spent = spent{}
	c.SetInterrupt(ctx)
	// The interrupt is lifted before the rollback, which must always happen.
	defer func() {
		c.SetInterrupt(context.Background())
		if !c.GetAutocommit() {
			err = errors.Join(err, c.Exec("ROLLBACK"))
		}
		if cause := context.Cause(ctx); cause != nil && errors.Is(classify(err), context.Canceled) {
			err = fmt.Errorf("stopped: %w", cause)
		}
	}()
	defer withoutMemory(&err)
	if err := c.Exec("BEGIN"); err != nil {
		return err
	}
	return use(c)
}
