package store_test

import (
	"testing"
	"time"

	"podium.local/store"
	"podium.local/store/storetest"
)

// TestBulk_StaysOffTheLockAfterALongTurn looks at the lower bound alone: a
// timer is never early, however busy the machine is.
func TestBulk_StaysOffTheLockAfterALongTurn(t *testing.T) {
	s := storetest.New(t, store.Options{Bulk: true})
	const turn, gap = 30 * time.Millisecond, 20 * time.Millisecond
	var last, left, began time.Time
	batch := func(hold time.Duration) {
		t.Helper()
		err := s.Batch(t.Context(), func(b *store.Batch) error {
			began = time.Now()
			time.Sleep(hold)
			_, err := b.StartPod(storetest.PodStart("p"))
			last, left = left, time.Now() // the lock is left later than this
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	batch(turn)
	batch(0)
	if waited := began.Sub(last); waited < gap {
		t.Errorf("the lock was taken again after %s, others had to have it for %s", waited, gap)
	}
}
