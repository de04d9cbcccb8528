package main

import (
	"path/filepath"
	"testing"
	"time"

	"podium.local/store"
)

func TestDemoHistory_IsAWholeStoreOfEndedSessions(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	const sessions = 300
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	if err := writeHistory(t.Context(), path, sessions, now, nil); err != nil {
		t.Fatal(err)
	}
	st, err := store.OpenReadOnly(t.Context(), path, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	report, err := st.Check(t.Context(), store.CheckOptions{})
	if err != nil || len(report.Problems) > 0 || report.Sessions != sessions {
		t.Fatalf("check: %v, %+v", err, report)
	}
	status, err := store.Examine(t.Context(), path)
	if err != nil || status.Running != 0 {
		t.Errorf("examine: %v; %d sessions are still running", err, status.Running)
	}
	if pods, err := st.Pods(t.Context()); err != nil || len(pods) != 0 {
		t.Errorf("pods: %v, %v; the history leaves none", pods, err)
	}
}

func BenchmarkDemoHistory(b *testing.B) {
	for b.Loop() {
		if err := writeHistory(b.Context(), filepath.Join(b.TempDir(), "state.db"), demoSessions, time.Now(), nil); err != nil {
			b.Fatal(err)
		}
	}
}
