package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"podium.local/client"
	"podium.local/protocol"
	"podium.local/session"
	"podium.local/store"
)

// killRounds is raised by the soak build.
var killRounds = 100

// TestKill_NothingAcceptedOrShownIsLost kills a pod at a random moment of a
// scripted run, again and again: the store opens clean, every input that was
// accepted and every entry that was shown is in it, in the order shown.
func TestKill_NothingAcceptedOrShownIsLost(t *testing.T) {
	h := newHome(t)
	url := startModel(t, busyScript())
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	rnd := rand.New(rand.NewPCG(seed, 0))
	seen := witness{accepted: map[string]bool{}, shown: map[uint64]string{}}
	for round := range killRounds {
		pod := h.startPod("k", url)
		watchUntilKilled(t, h, pod, &seen, rnd.IntN(100), time.Duration(rnd.IntN(3_000))*time.Microsecond, round)
		seen.check(t, h, round)
		if t.Failed() {
			t.Fatalf("round %d; the pod's log:\n%s", round, pod.log)
		}
	}
	if len(seen.accepted) == 0 || len(seen.shown) < killRounds {
		t.Errorf("the kills left too little to check: %d inputs accepted, %d events shown", len(seen.accepted), len(seen.shown))
	}
	t.Logf("%d kills, %d inputs accepted, %d durable events shown", killRounds, len(seen.accepted), len(seen.shown))
}

// witness is what the outside saw of a pod.
type witness struct {
	accepted map[string]bool   // entry ids of accepted inputs
	shown    map[uint64]string // entry ids by seq
}

// watchUntilKilled sends one input and kills the pod a delay after so many
// events, or after the run's end; counted in events, as many kills fall into a
// run on a slow machine as on a fast one. What the pod said before it died
// counts, also when it is read afterwards.
func watchUntilKilled(t *testing.T, h *home, pod *process, seen *witness, events int, delay time.Duration, round int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	conn, err := client.Dial(ctx, h.socket("k"), client.Options{Mode: client.ModeExtended})
	if err != nil {
		t.Fatalf("round %d: %v\n%s", round, err, pod.log)
	}
	defer conn.Close()
	m := protocol.Method{Params: protocol.Run{Input: fmt.Sprintf("round %d", round)}, RequestID: fmt.Sprintf("r-%d", round)}
	if err := conn.Send(ctx, m); err != nil {
		t.Fatalf("round %d: %v", round, err)
	}
	killing := false
	for n := 0; ; n++ {
		if n == events && !killing {
			killing = true
			time.AfterFunc(delay, pod.kill)
		}
		e, err := conn.Recv(ctx)
		if err != nil {
			break
		}
		if _, ended := e.Data.(protocol.RunEnd); ended && n < events {
			events = n + 1
		}
		if a, ok := e.Data.(protocol.Accepted); ok && a.EntryID != nil {
			seen.accepted[*a.EntryID] = true
		}
		if id, ok := durable(e); ok {
			if old, again := seen.shown[e.Seq]; again && old != id {
				t.Errorf("round %d: seq %d was shown as entry %s and as %s", round, e.Seq, old, id)
			}
			seen.shown[e.Seq] = id
		}
	}
	pod.kill()
}

// check opens the store as the next process would and looks for everything
// that was seen.
func (w *witness) check(t *testing.T, h *home, round int) {
	t.Helper()
	ctx := t.Context()
	st, err := store.Open(ctx, h.store(), store.Options{})
	if err != nil {
		t.Fatalf("round %d: the store does not open: %v", round, err)
	}
	defer st.Close()
	if round%10 == 0 || round == killRounds-1 {
		report, err := st.Check(ctx, store.CheckOptions{})
		if err != nil || len(report.Problems) > 0 {
			t.Fatalf("round %d: check: %v, problems %v", round, err, report.Problems)
		}
	}
	p, err := st.PodByName(ctx, "k")
	if err != nil {
		t.Fatalf("round %d: %v", round, err)
	}
	logged, bySeq := map[string]bool{}, map[uint64]string{}
	var last uint64
	err = eachEntry(ctx, st, p.SessionID, func(e session.Entry) error {
		logged[e.ID] = true
		if e.Seq != 0 {
			if e.Seq != last+1 {
				t.Errorf("round %d: seq %d follows %d", round, e.Seq, last)
			}
			last = e.Seq
			bySeq[e.Seq] = e.ID
		}
		return nil
	})
	if err != nil {
		t.Fatalf("round %d: %v", round, err)
	}
	inbox, err := st.Inbox(ctx, p.ID)
	if err != nil {
		t.Fatalf("round %d: %v", round, err)
	}
	for _, item := range inbox {
		logged[item.EntryID] = true
	}
	for id := range w.accepted {
		if !logged[id] {
			t.Errorf("round %d: input %s was accepted and is gone", round, id)
		}
	}
	for seq, id := range w.shown {
		if bySeq[seq] != id {
			t.Errorf("round %d: entry %s was shown as seq %d, the log has %q there", round, id, seq, bySeq[seq])
		}
	}
}
