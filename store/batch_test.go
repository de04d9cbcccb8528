package store_test

import (
	"errors"
	"testing"

	"podium.local/protocol"
	"podium.local/session"
	"podium.local/store"
	"podium.local/store/storetest"
)

// live is one pod's whole life in a batch.
func live(b *store.Batch, name string) (session.Pod, error) {
	pod, err := b.StartPod(storetest.PodStart(name))
	if err != nil {
		return pod, err
	}
	_, err = b.Commit(session.Commit{
		PodID: pod.ID, SessionID: pod.SessionID, At: storetest.Epoch,
		Entries: []session.NewEntry{{ID: protocol.NewEntryID(), Kind: session.KindText, Payload: session.Text{Text: name}}},
	})
	if err != nil {
		return pod, err
	}
	return pod, b.Leave(session.Leave{
		PodID: pod.ID, SessionID: pod.SessionID, At: storetest.Epoch, Status: session.StatusCompleted, ReasonCode: "session.completed",
	})
}

func TestBatch_AllOfItIsThereOrNone(t *testing.T) {
	s := storetest.New(t, store.Options{})
	var kept []session.Pod
	err := s.Batch(t.Context(), func(b *store.Batch) error {
		for _, name := range []string{"a", "b"} {
			pod, err := live(b, name)
			if err != nil {
				return err
			}
			kept = append(kept, pod)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	stop := errors.New("stop")
	var lost session.Pod
	err = s.Batch(t.Context(), func(b *store.Batch) (err error) {
		if lost, err = live(b, "c"); err != nil {
			return err
		}
		return stop
	})
	if !errors.Is(err, stop) {
		t.Fatalf("a batch that fails returns %v", err)
	}
	for _, pod := range kept {
		if log, err := s.Log(t.Context(), pod.SessionID, 0, -1, 0); err != nil || len(log) != 1 {
			t.Errorf("session of %s: %d entries, %v; want 1", pod.Name, len(log), err)
		}
	}
	if _, err := s.PodByName(t.Context(), "c"); !errors.Is(err, session.ErrNotFound) {
		t.Errorf("pod of the failed batch: %v", err)
	}
	if _, err := s.Commit(t.Context(), session.Commit{PodID: lost.ID, SessionID: lost.SessionID}); !errors.Is(err, session.ErrLost) {
		t.Errorf("a commit to a pod of the failed batch: %v, want ErrLost", err)
	}
	report, err := s.Check(t.Context(), store.CheckOptions{})
	if err != nil || len(report.Problems) > 0 {
		t.Errorf("check: %v, %v", err, report.Problems)
	}
}
