package client

import (
	"context"
	"math/rand/v2"
	"time"
)

// backoff is the pause between attempts.
type backoff struct{ pause, least, most time.Duration }

// next doubles the pause and draws from its upper half, so that many clients of
// one pod do not come back at once.
func (b *backoff) next() time.Duration {
	b.pause = min(max(2*b.pause, b.least), b.most)
	return b.pause/2 + rand.N(b.pause/2+1)
}

// sleep waits; false when the context ended first.
func sleep(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}
