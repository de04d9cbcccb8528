package store_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"podium.local/protocol"
	"podium.local/session"
	"podium.local/store"
	"podium.local/store/storetest"
)

// TestBulk_LeavesTheLockToOthers has one store write in bulk without a pause
// and another commit beside it: the commits wait for single transactions, not
// for the whole.
func TestBulk_LeavesTheLockToOthers(t *testing.T) {
	s := storetest.New(t, store.Options{})
	pod := storetest.Start(t, s, storetest.PodStart("p"))
	bulk, err := store.Open(t.Context(), s.Path(), store.Options{Bulk: true})
	if err != nil {
		t.Fatal(err)
	}
	defer bulk.Close()

	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	defer wg.Wait()
	defer cancel()
	batches := make(chan struct{}, 1<<16)
	wg.Go(func() {
		for ctx.Err() == nil {
			err := bulk.Batch(ctx, func(b *store.Batch) error {
				time.Sleep(30 * time.Millisecond) // a long chunk, holding the lock
				_, err := b.StartPod(storetest.PodStart("bulk"))
				return err
			})
			if err == nil {
				batches <- struct{}{}
			}
		}
	})
	for range 3 {
		<-batches
	}
	const commits = 20
	before := len(batches)
	for range commits {
		storetest.Commit(t, s, pod, session.NewEntry{ID: protocol.NewEntryID(), Kind: session.KindText, Payload: session.Text{Text: "x"}})
	}
	// Without the gap a commit was seen to wait for dozens of batches.
	if passed := len(batches) - before; passed > 6*commits {
		t.Errorf("%d batches passed while %d commits waited", passed, commits)
	}
}
