package transcript_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"podium.local/session"
	"podium.local/store"
	"podium.local/store/storetest"
	"podium.local/transcript"
)

// watched runs a watch for the time of a test and gives its reports.
func watched(t *testing.T, s transcript.Sink, dir string, change func(*transcript.WatchOptions)) <-chan transcript.Report {
	t.Helper()
	reports := make(chan transcript.Report, 100)
	opts := transcript.WatchOptions{
		Options: options(transcript.ClaudeCode, dir), Sweep: time.Hour,
		Settled: func(r transcript.Report, err error) {
			if err == nil {
				reports <- r
			}
		},
	}
	if change != nil {
		change(&opts)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- transcript.Watch(ctx, s, opts) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
		goleak.VerifyNone(t, goleak.IgnoreCurrent())
	})
	return reports
}

// until waits for reports that together kept n entries.
func until(t *testing.T, reports <-chan transcript.Report, n int64) {
	t.Helper()
	for n > 0 {
		select {
		case r := <-reports:
			n -= r.Kept
		case <-t.Context().Done():
			t.Fatal("the test ended before the import")
		}
	}
	if n < 0 {
		t.Errorf("%d entries too many", -n)
	}
}

func TestWatch_FilesThatGrowAppearOrGoAreFollowed(t *testing.T) {
	s := storetest.New(t, store.Options{})
	tr := newTree(t)
	file := "projects/p/" + sid + ".jsonl"
	path := tr.write(file, said(sid, 1, "one"))
	reports := watched(t, s, tr.dir, nil)
	until(t, reports, 1)
	tr.put(file, line(said(sid, 1, "one"))+line(said(sid, 2, "two"))+`{"half":`)
	until(t, reports, 1)
	tr.write("projects/new/deep/"+vendorUUID(3)+".jsonl", said(vendorUUID(3), 3, "three"))
	until(t, reports, 1)
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	for r := range reports {
		if r.Gone == 1 {
			break
		}
	}
	if f := ledger(t, s, path); f.GoneAt.IsZero() || len(log(t, s, claudeID(sid))) != 2 {
		t.Errorf("%+v", f)
	}
}

func TestWatch_ListsOfAReportAreNeverNull(t *testing.T) {
	tr := newTree(t)
	r := <-watched(t, storetest.New(t, store.Options{}), tr.dir, nil)
	if r.Troubles == nil || r.Problems == nil || r.Refusals == nil || r.Skipped == nil {
		t.Errorf("%+v", r)
	}
}

func TestWatch_SweepsWhereNothingIsNotified(t *testing.T) {
	s := storetest.New(t, store.Options{})
	tr := newTree(t)
	file := "projects/p/" + sid + ".jsonl"
	tr.write(file, said(sid, 1, "one"))
	reports := watched(t, s, tr.dir, func(o *transcript.WatchOptions) { o.Poll, o.Sweep = true, 20*time.Millisecond })
	until(t, reports, 1)
	tr.write(file, said(sid, 1, "one"), said(sid, 2, "two"))
	until(t, reports, 1)
}

func TestWatch_AFailureOfTheStoreIsTriedAgain(t *testing.T) {
	h := &hooked{Store: storetest.New(t, store.Options{})}
	h.before = func(n int, _ []session.ImportBatch) error {
		if n == 1 {
			return fmt.Errorf("commit: %w", session.ErrBusy)
		}
		return nil
	}
	tr := newTree(t)
	tr.write("projects/p/"+sid+".jsonl", said(sid, 1, "one"))
	reports := watched(t, h, tr.dir, func(o *transcript.WatchOptions) { o.Sweep = 20 * time.Millisecond })
	until(t, reports, 1)
}

// The watch of a folder in which nothing happens does nothing: it would have
// reported.
func TestWatch_ThatIsEndedWhileItLooksDidNotFail(t *testing.T) {
	tr := newTree(t)
	tr.write("projects/p/"+sid+".jsonl", said(sid, 1, "one"))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err := transcript.Watch(ctx, storetest.New(t, store.Options{}), transcript.WatchOptions{Options: options(transcript.ClaudeCode, tr.dir)})
	if err != nil {
		t.Error(err)
	}
}

func TestWatch_IdleCostsNothing(t *testing.T) {
	h := &hooked{Store: storetest.New(t, store.Options{})}
	looks := make(chan struct{}, 100)
	h.listed = func() { looks <- struct{}{} }
	tr := newTree(t)
	tr.write("projects/p/"+sid+".jsonl", said(sid, 1, "one"))
	reports := watched(t, h, tr.dir, func(o *transcript.WatchOptions) { o.Sweep = 10 * time.Millisecond })
	until(t, reports, 1)
	// A second file marks the time: sweeps that were due until it was imported
	// would have asked the ledger too.
	tr.write("projects/p/"+vendorUUID(2)+".jsonl", said(vendorUUID(2), 2, strings.Repeat("x", 10)))
	until(t, reports, 1)
	if n := len(looks); n > 3 {
		t.Errorf("the ledger was asked %d times for two imports", n)
	}
}
