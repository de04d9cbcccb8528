package store

import (
	"context"

	"podium.local/protocol"
	"podium.local/session"
)

// Batch is a transaction that holds many steps of pods' lives: all of them
// are on disk when Store.Batch returns, or none is. Writers of other processes
// wait for it, so that a batch should stay below 50 ms.
type Batch struct {
	s *Store
	c *conn
	// held are the pods that were started in it.
	held []protocol.PodID
}

// Batch runs change in one transaction. Change must not use the store itself.
func (s *Store) Batch(ctx context.Context, change func(*Batch) error) error {
	b := &Batch{s: s}
	err := s.writePodium(ctx, "write a batch", func(c *conn) error {
		b.c = c
		return change(b)
	})
	if err != nil {
		b.forget()
	}
	return err
}

// forget takes back the holds of a batch that was not committed.
func (b *Batch) forget() {
	b.s.mu.Lock()
	defer b.s.mu.Unlock()
	for _, id := range b.held {
		delete(b.s.holds, id)
	}
}

// StartPod is Store.StartPod.
func (b *Batch) StartPod(start session.PodStart) (session.Pod, error) {
	pod, h, err := b.s.startPod(b.c, start)
	if err != nil {
		return session.Pod{}, err
	}
	b.s.remember(pod.ID, h)
	b.held = append(b.held, pod.ID)
	return pod, nil
}

// Commit is Store.Commit.
func (b *Batch) Commit(commit session.Commit) ([]session.Entry, error) {
	return b.s.commit(b.c, commit)
}

// Leave is Store.Leave.
func (b *Batch) Leave(l session.Leave) error { return b.s.leave(b.c, l) }
