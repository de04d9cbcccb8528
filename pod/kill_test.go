package pod_test

import (
	"math/rand/v2"
	"syscall"
	"testing"

	"podium.local/pod"
	"podium.local/pod/podtest"
	"podium.local/protocol"
	"podium.local/session"
)

// follower is a client that comes back with its position after each crash and
// keeps every durable event it was shown.
type follower struct {
	t      testing.TB
	id     *protocol.PodID
	since  *uint64
	events []protocol.Event
}

// follow reads durable events until stop says so or the connection ends.
func (f *follower) follow(socket string, send protocol.MethodParams, stop func(protocol.Event) bool) {
	f.t.Helper()
	c := podtest.Dial(f.t, socket)
	defer c.Close()
	hello, _ := c.Hello(protocol.Hello{PodID: f.id, Since: f.since})
	if f.since != nil && !hello.Resumed {
		f.t.Fatalf("from %d on: not resumed", *f.since)
	}
	if f.id == nil {
		f.id, f.since = &hello.PodID, new(uint64)
	}
	if send != nil {
		c.Send(send)
	}
	for {
		ev, err := c.Read()
		if err != nil {
			return
		}
		if ev.Seq != 0 {
			if ev.Seq != *f.since+1 {
				f.t.Fatalf("event %d after %d", ev.Seq, *f.since)
			}
			*f.since = ev.Seq
			f.events = append(f.events, ev)
		}
		if stop(ev) {
			return
		}
	}
}

// check compares what was shown with the log.
func (f *follower) check(st pod.Store) {
	f.t.Helper()
	entries := durable(f.t, st, *f.id)
	if len(entries) != len(f.events) {
		f.t.Fatalf("%d events were shown, the log has %d", len(f.events), len(entries))
	}
	inRun, runs, moves := false, 0, 0
	for i, e := range entries {
		want, _, err := session.Event(e)
		if err != nil {
			f.t.Fatal(err)
		}
		if got := describeOne(f.events[i]); got != describeOne(want) || e.Seq != f.events[i].Seq {
			f.t.Fatalf("event %d: shown %s, the log has %s", e.Seq, got, describeOne(want))
		}
		switch e.Kind {
		case session.KindInput:
			if inRun {
				f.t.Fatalf("entry %d: an input in the middle of a run nobody ended", e.Seq)
			}
			inRun, runs = true, runs+1
		case session.KindRunEnd:
			if !inRun {
				f.t.Fatalf("entry %d: an end without a run", e.Seq)
			}
			inRun = false
		case session.KindCompaction:
			moves++
		}
	}
	if inRun || runs == 0 || moves == 0 {
		f.t.Fatalf("after %d runs and %d compactions: in a run %t", runs, moves, inRun)
	}
}

// killAndReconnect makes at least total durable events over many crashes.
func killAndReconnect(t *testing.T, total uint64) {
	spec := newChildSpec(t, "k")
	spec.Blocks, spec.Compact = 60, 3000
	f := &follower{t: t}
	kills := 0
	for f.since == nil || *f.since < total {
		c := startChild(t, spec)
		// Some runs are left alone, most are cut off somewhere.
		left := rand.IntN(1500)
		for left > 0 {
			f.follow(c.socket, protocol.Run{Input: "go"}, func(ev protocol.Event) bool {
				left--
				_, ended := ev.Data.(protocol.RunEnd)
				return ended || left <= 0
			})
		}
		c.kill()
		kills++
	}
	c := startChild(t, spec)
	// What was missed comes first, and a run that was accepted before the crash
	// may refuse the last one once.
	for last := false; !last; {
		f.follow(c.socket, protocol.Run{Input: "last"}, func(ev protocol.Event) bool {
			switch d := ev.Data.(type) {
			case protocol.UserInput:
				last = d.Text == "last"
			case protocol.RunEnd:
				if !last {
					return false
				}
				// A compaction may follow the run, so the end of the pod is the end.
				if err := c.cmd.Process.Signal(syscall.SIGTERM); err != nil {
					t.Fatal(err)
				}
			case protocol.Error:
				return d.Code == protocol.CodeAlreadyRunning
			}
			return false
		})
	}
	if err := c.cmd.Wait(); err != nil {
		t.Fatalf("%v\n%s", err, c.stderr)
	}
	f.check(openStore(t, spec))
	t.Logf("%d events over %d crashes", len(f.events), kills)
}

func TestKill_LosesAndRepeatsNothing(t *testing.T) { killAndReconnect(t, killEvents) }
