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

// BenchmarkCommit_Bytes makes 50,000 commits in one session and says what the
// 100th and the last of them wrote.
func BenchmarkCommit_Bytes(b *testing.B) {
	const commits, around = 50_000, 20
	for b.Loop() {
		s := storetest.New(b, store.Options{Bulk: true})
		p := storetest.Start(b, s, storetest.PodStart("a"))
		upTo := func(n, from int) {
			for i := from; i < n; i++ {
				if _, err := s.Commit(b.Context(), turnCommit(p, i)); err != nil {
					b.Fatal(err)
				}
			}
		}
		upTo(100-around, 0)
		early := walBytes(b, s, p, around)
		upTo(commits-around, 100)
		late := walBytes(b, s, p, around)
		b.ReportMetric(float64(early), "B/100th")
		b.ReportMetric(float64(late), "B/50000th")
		b.ReportMetric(float64(late)/float64(early), "ratio")
	}
}

// BenchmarkEntries_Bytes says what a byte of payload takes in the store, in
// payloads of 1 KiB, with everything that belongs to the entries.
func BenchmarkEntries_Bytes(b *testing.B) {
	const commits, each = 1000, 10
	for b.Loop() {
		s := storetest.New(b, store.Options{Bulk: true})
		p := storetest.Start(b, s, storetest.PodStart("a"))
		before := usedBytes(b, s.Path())
		for range commits {
			entries := make([]session.NewEntry, each)
			for i := range entries {
				entries[i] = storetest.Text(strings.Repeat("x", 1024-len(`{"text":""}`)))
			}
			storetest.Commit(b, s, p, entries...)
		}
		b.ReportMetric(float64(usedBytes(b, s.Path())-before)/(commits*each*1024), "B/B")
	}
}

// BenchmarkStart opens a store that is there and starts a pod in it, as a
// process does that continues a session.
func BenchmarkStart(b *testing.B) {
	path := closedStore(b)
	storetest.Fill(b, path, storetest.Rows{Sessions: 2000})
	for b.Loop() {
		s, err := store.Create(b.Context(), path, store.Options{})
		if err != nil {
			b.Fatal(err)
		}
		storetest.Start(b, s, storetest.PodStart("a"))
		if err := s.Close(); err != nil {
			b.Fatal(err)
		}
	}
}
