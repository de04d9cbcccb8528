package store_test

import (
	"strings"
	"testing"
	"time"

	"podium.local/session"
	"podium.local/store"
	"podium.local/store/storetest"
)

// turnCommit is the fullest commit of a pod's ordinary life: an entry of 1 KiB
// and the end of a turn with its usage.
func turnCommit(p session.Pod, i int) session.Commit {
	in, out, cost := int64(1000+i), int64(100), 0.01
	return session.Commit{
		PodID: p.ID, SessionID: p.SessionID, At: storetest.Epoch.Add(time.Duration(i) * time.Second), Phase: session.PhaseRunning, Turns: 1,
		Entries: []session.NewEntry{storetest.Text(strings.Repeat("x", 1024-len(`{"text":""}`)))},
		Usage:   &session.Usage{InputTokens: &in, OutputTokens: &out, CostUSD: &cost},
	}
}

func BenchmarkCommit(b *testing.B) {
	for _, mode := range []struct {
		name string
		opts store.Options
	}{{"full", store.Options{}}, {"normal", store.Options{Bulk: true}}} {
		b.Run(mode.name, func(b *testing.B) {
			s := storetest.New(b, mode.opts)
			p := storetest.Start(b, s, storetest.PodStart("a"))
			i := 0
			for b.Loop() {
				i++
				if _, err := s.Commit(b.Context(), turnCommit(p, i)); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "commits/s")
		})
	}
}
