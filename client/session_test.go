package client_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"podium.local/client"
	"podium.local/protocol"
)

func shutdown() protocol.Event { return protocol.Event{Data: protocol.ShutdownEvent{}} }

// wantSince checks what a reconnecting client asks for.
func wantSince(t *testing.T, h protocol.Hello, since uint64) {
	t.Helper()
	if h.PodID == nil || *h.PodID != podID || h.Since == nil || *h.Since != since {
		t.Errorf("hello asked for %v since %v, want since %d", h.PodID, h.Since, since)
	}
}

func TestSession_ResumesAfterTheLastDurableEvent(t *testing.T) {
	path := runPod(t,
		func(p *peer) {
			p.welcome(0)
			p.send(done(1), delta("x"), done(2))
		},
		func(p *peer) {
			wantSince(t, p.welcome(3), 2)
			p.send(done(3))
		},
		func(p *peer) {
			wantSince(t, p.welcome(3), 3)
			p.send(done(4), shutdown())
		},
	)
	wantNames(t, attach(t, path, client.AttachOptions{}), io.EOF,
		"hello", "snapshot", "text_done", "text_delta", "text_done", "(disconnected)",
		"hello", "text_done", "(disconnected)",
		"hello", "text_done", "shutdown")
}

func TestSession_DropsWhatItHasSeen(t *testing.T) {
	notice := func(text string) protocol.Event {
		return protocol.Event{Data: protocol.Notification{Level: "warn", Source: "pod", Message: text, TimestampMS: 1}}
	}
	path := runPod(t,
		func(p *peer) {
			p.send(notice("old"))
			p.welcome(0)
			p.send(done(1), notice("new"))
		},
		func(p *peer) {
			p.send(notice("old"), notice("new"), notice("newer"))
			p.welcome(2)
			p.send(done(1), done(2), done(2), shutdown())
		},
	)
	wantNames(t, attach(t, path, client.AttachOptions{}), io.EOF,
		"notification", "hello", "snapshot", "text_done", "notification", "(disconnected)",
		"notification", "hello", "text_done", "shutdown")
}

func TestSession_RemembersAsManyNotificationsAsAPodReplays(t *testing.T) {
	const replayed, rounds = 512, 4
	notice := func(n int) protocol.Event {
		return protocol.Event{Data: protocol.Notification{Message: fmt.Sprint(n)}}
	}
	var scripts []func(*peer)
	for round := range rounds {
		scripts = append(scripts, func(p *peer) {
			for n := max(0, round-1) * replayed; n < (round+1)*replayed; n++ {
				p.send(notice(n))
			}
			p.welcome(0)
			if round == rounds-1 {
				p.send(shutdown())
			}
		})
	}
	got, err := names(t, attach(t, runPod(t, scripts...), client.AttachOptions{}))
	notifications := 0
	for _, name := range got {
		if name == protocol.EventNotification {
			notifications++
		}
	}
	if err != io.EOF || notifications != rounds*replayed {
		t.Errorf("%d notifications and %v, want each of %d once", notifications, err, rounds*replayed)
	}
}

func TestSession_ASnapshotStartsANewPosition(t *testing.T) {
	other := protocol.NewPodID()
	path := runPod(t,
		func(p *peer) { p.welcome(0); p.send(done(1)) },
		func(p *peer) { // a pod of the same name, another life
			wantSince(t, p.expectHello(), 1)
			p.send(
				protocol.Event{Data: protocol.HelloEvent{ProtocolVersion: 1, PodID: other, Seq: 40}},
				protocol.Event{Data: protocol.Snapshot{Seq: 40}}, done(41),
			)
		},
		func(p *peer) {
			if h := p.expectHello(); *h.PodID != other || *h.Since != 41 {
				t.Errorf("hello asked for %v since %d", h.PodID, *h.Since)
			}
			p.send(
				protocol.Event{Data: protocol.HelloEvent{ProtocolVersion: 1, PodID: other, Seq: 41, Resumed: true, Live: &protocol.Live{}}},
				done(42), shutdown(),
			)
		},
	)
	wantNames(t, attach(t, path, client.AttachOptions{}), io.EOF,
		"hello", "snapshot", "text_done", "(disconnected)",
		"hello", "snapshot", "text_done", "(disconnected)",
		"hello", "text_done", "shutdown")
}

func (p *peer) expectHello() protocol.Hello {
	h, _ := p.expect(protocol.MethodHello).Params.(protocol.Hello)
	return h
}

func TestSession_AsksAgainForMissingEventsAndSaysSoWhenTheyDoNotCome(t *testing.T) {
	path := runPod(t,
		func(p *peer) { p.welcome(0); p.send(done(1), done(3)); p.left() },
		func(p *peer) { wantSince(t, p.welcome(3), 1); p.send(done(2), done(3), done(5)); p.left() },
		func(p *peer) { wantSince(t, p.welcome(5), 3); p.send(done(5), done(6), shutdown()) },
	)
	s := attach(t, path, client.AttachOptions{})
	var gap *client.GapError
	var got []string
	for e, err := range s.Events(within(t)) {
		switch {
		case errors.As(err, &gap):
			got = append(got, fmt.Sprintf("(%d-%d)", gap.After, gap.Got))
		case err != nil:
			got = append(got, "-")
		case e.Seq != 0:
			got = append(got, fmt.Sprint(e.Seq))
		}
	}
	if want := "1 - 2 3 - (3-5) 5 6"; strings.Join(got, " ") != want {
		t.Errorf("got %v, want %s", got, want)
	}
}

func TestSession_EndsWithThePodsShutdownAndSaysItIsGone(t *testing.T) {
	path := runPod(t, func(p *peer) { p.welcome(0); p.send(shutdown()) }, func(p *peer) {
		t.Error("it connected again")
	})
	s := attach(t, path, client.AttachOptions{})
	wantNames(t, s, io.EOF, "hello", "snapshot", "shutdown")
	err := s.Send(within(t), protocol.Method{Params: protocol.Pause{}})
	if !errors.Is(err, client.ErrNotRunning) || !strings.Contains(err.Error(), "shut down") {
		t.Errorf("Send gave %v, want ErrNotRunning", err)
	}
	if _, err := s.Call(within(t), protocol.Method{Params: protocol.Run{}}); !errors.Is(err, client.ErrNotRunning) {
		t.Errorf("Call gave %v, want ErrNotRunning", err)
	}
}

func TestSession_InTheBaseVocabularyAsksForHistoryOnEachConnection(t *testing.T) {
	history := protocol.Event{Data: protocol.History{}}
	old := func(events ...protocol.Event) func(*peer) {
		return func(p *peer) {
			p.expect(protocol.MethodHello)
			p.raw(`{"event":"error","data":{"code":"internal","message":"invalid method: unknown variant"}}` + "\n")
			p.expect(protocol.MethodGetHistory)
			p.send(history)
			p.send(events...)
		}
	}
	path := runPod(t, old(delta("x"), done(5)), old(done(5), shutdown()))
	s := attach(t, path, client.AttachOptions{})
	wantNames(t, s, io.EOF,
		"history", "text_delta", "text_done", "(disconnected)", // numbers mean nothing without a pod id
		"history", "text_done", "shutdown")
}

func TestSession_CallIsAskedAgainWhenItMayBe(t *testing.T) {
	for _, params := range []protocol.MethodParams{
		protocol.Run{Input: "x"}, protocol.Notify{}, protocol.GetHistory{}, protocol.GetEntries{},
	} {
		t.Run(params.MethodName(), func(t *testing.T) {
			ids := make(chan string, 2)
			path := runPod(t,
				func(p *peer) { p.welcome(0); ids <- p.expect(params.MethodName()).RequestID },
				func(p *peer) {
					p.welcome(0)
					id := p.expect(params.MethodName()).RequestID
					ids <- id
					p.send(protocol.Event{Data: protocol.Accepted{}, RequestID: id})
					p.left()
				},
			)
			s := attach(t, path, client.AttachOptions{})
			if _, err := s.Call(within(t), protocol.Method{Params: params}); err != nil {
				t.Fatal(err)
			}
			if first, second := <-ids, <-ids; first == "" || first != second {
				t.Errorf("request ids %q and %q, want the same", first, second)
			}
		})
	}
}

func TestSession_CallThatMayNotBeRepeatedFails(t *testing.T) {
	path := runPod(t,
		func(p *peer) { p.welcome(0); p.expect(protocol.MethodCancel) },
		func(p *peer) { _, _ = io.Copy(io.Discard, p.conn) }, // it may come back before it is closed
	)
	s := attach(t, path, client.AttachOptions{})
	if _, err := s.Call(within(t), protocol.Method{Params: protocol.Cancel{}}); !errors.Is(err, client.ErrLost) {
		t.Errorf("got %v, want ErrLost", err)
	}
}

func TestSession_SendWaitsForTheNextConnection(t *testing.T) {
	path := socketPath(t)
	p := startPod(t, path, func(p *peer) { p.welcome(0) })
	s := attach(t, path, client.AttachOptions{})
	p.stop() // from here on there is no connection and no pod
	var waiting sync.WaitGroup
	waiting.Go(func() {
		for {
			err := s.Send(within(t), protocol.Method{Params: protocol.Pause{}})
			if err == nil {
				return
			}
			// The old connection may not be known to be lost yet.
			if !errors.Is(err, client.ErrLost) {
				t.Errorf("Send gave %v", err)
				return
			}
		}
	})
	p = startPod(t, path, func(p *peer) { p.welcome(0); p.expect(protocol.MethodPause); p.send(shutdown()) })
	waiting.Wait()
	if _, err := names(t, s); err != io.EOF {
		t.Error(err)
	}
	s.Close()
	p.stop()
}

func TestSession_WaitingCallsEndWithTheirContext(t *testing.T) {
	path := socketPath(t)
	p := startPod(t, path, func(p *peer) { p.welcome(0) })
	s := attach(t, path, client.AttachOptions{})
	p.stop()
	for { // until the session knows
		if _, err := s.Recv(within(t)); err != nil {
			break
		}
	}
	if _, ok := s.Hello(); ok || s.BaseReason() != nil {
		t.Error("Hello or BaseReason of a connection that is gone")
	}
	ctx, cancel := context.WithTimeout(within(t), time.Millisecond)
	defer cancel()
	if err := s.Send(ctx, protocol.Method{Params: protocol.Pause{}}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Send gave %v, want the context's error", err)
	}
	if _, err := s.Call(ctx, protocol.Method{Params: protocol.Pause{}}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Call gave %v, want the context's error", err)
	}
}

func TestSession_GivesUpWhenTold(t *testing.T) {
	path := socketPath(t)
	p := startPod(t, path, func(p *peer) { p.welcome(0) })
	s := attach(t, path, client.AttachOptions{GiveUp: time.Millisecond})
	p.stop()
	_, err := names(t, s)
	if !errors.Is(err, client.ErrNotRunning) || !strings.Contains(err.Error(), "gave up after") {
		t.Errorf("got %v, want the last reason", err)
	}
}

func TestSession_StopsTryingWhenItIsHopeless(t *testing.T) {
	path := runPod(t,
		func(p *peer) { p.welcome(0) },
		refuseHello(protocol.CodeUnsupportedVersion, "this pod speaks version 2"),
	)
	s := attach(t, path, client.AttachOptions{Options: client.Options{Mode: client.ModeExtended}})
	if _, err := names(t, s); !errors.Is(err, client.ErrBaseOnly) {
		t.Errorf("got %v, want ErrBaseOnly", err)
	}
}

func TestSession_SaysWhyAndWhenItTriesAgain(t *testing.T) {
	path := runPod(t, func(p *peer) { p.welcome(0) }, func(*peer) {}, func(p *peer) { p.welcome(0); p.send(shutdown()) })
	s := attach(t, path, client.AttachOptions{})
	var attempts []int
	for _, err := range s.Events(within(t)) {
		var gone *client.Disconnected
		if errors.As(err, &gone) {
			attempts = append(attempts, gone.Attempt)
			if gone.Cause == nil || gone.Next.IsZero() {
				t.Errorf("cause %v, next %v", gone.Cause, gone.Next)
			}
		}
	}
	if fmt.Sprint(attempts) != "[1 2]" {
		t.Errorf("attempts %v, want 1 and 2", attempts)
	}
}

func TestAttach_WaitsForAPodThatIsAboutToStart(t *testing.T) {
	path := filepath.Join(filepath.Dir(socketPath(t)), "later")
	if _, err := client.Attach(within(t), path, client.AttachOptions{}); !errors.Is(err, client.ErrNotRunning) {
		t.Errorf("without Wait: %v, want ErrNotRunning at once", err)
	}
	attached := make(chan *client.Session, 1)
	go func() {
		s, err := client.Attach(within(t), path, client.AttachOptions{Wait: time.Minute, MinBackoff: time.Millisecond, MaxBackoff: time.Millisecond})
		if err != nil {
			t.Error(err)
		}
		attached <- s
	}()
	p := startPod(t, path, func(p *peer) { p.welcome(0); p.left() })
	s := <-attached
	if h, ok := s.Hello(); !ok || h.PodID != podID {
		t.Errorf("Hello gave %+v, %v", h, ok)
	}
	s.Close()
	p.stop()
}

func TestAttach_ResumesFromAnEarlierProcess(t *testing.T) {
	path := runPod(t, func(p *peer) {
		wantSince(t, p.welcome(9), 7)
		p.send(done(8), done(9), shutdown())
	})
	s := attach(t, path, client.AttachOptions{Options: client.Options{Resume: &client.Position{PodID: podID, Seq: 7}}})
	wantNames(t, s, io.EOF, "hello", "text_done", "text_done", "shutdown")
}

func TestSession_CloseWhileItTriesToConnect(t *testing.T) {
	path := socketPath(t)
	p := startPod(t, path, func(p *peer) { p.welcome(0) })
	s := attach(t, path, client.AttachOptions{MinBackoff: time.Hour, MaxBackoff: time.Hour})
	p.stop()
	for {
		if _, err := s.Recv(within(t)); err != nil {
			break
		}
	}
	s.Close()
	s.Close()
	if _, err := s.Recv(within(t)); !errors.Is(err, client.ErrClosed) {
		t.Errorf("Recv gave %v, want ErrClosed", err)
	}
	if err := s.Send(within(t), protocol.Method{Params: protocol.Pause{}}); !errors.Is(err, client.ErrClosed) {
		t.Errorf("Send gave %v, want ErrClosed", err)
	}
}

// TestSession_ShowsEachDurableEventOnceHoweverOftenTheConnectionBreaks cuts
// connections at any byte, also in hello and in mid-line.
func TestSession_ShowsEachDurableEventOnceHoweverOftenTheConnectionBreaks(t *testing.T) {
	dir, err := os.MkdirTemp("", "c")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	rapid.Check(t, func(rt *rapid.T) {
		total := uint64(rapid.IntRange(1, 60).Draw(rt, "events"))
		cuts := rapid.SliceOfN(rapid.IntRange(0, 4000), 0, 8).Draw(rt, "cuts")
		rewrites := rapid.Bool().Draw(rt, "repeats one event")
		serve := func(p *peer) {
			h := p.welcome(total)
			next := uint64(1)
			if h.Since != nil {
				next = *h.Since + 1
				if rewrites && next > 1 {
					next--
				}
			}
			for ; next <= total; next++ {
				p.send(delta("x"), done(next))
			}
			p.send(shutdown())
		}
		var scripts []func(*peer)
		for _, cut := range cuts {
			scripts = append(scripts, func(p *peer) {
				p.conn = &cutConn{Conn: p.conn, left: cut}
				serve(p)
			})
		}
		path := filepath.Join(dir, "sock")
		p := startPod(rt, path, append(scripts, serve)...)
		defer p.stop()
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		s, err := client.Attach(ctx, path, client.AttachOptions{
			Wait: time.Minute, MinBackoff: time.Microsecond, MaxBackoff: time.Microsecond,
			Options: client.Options{Resume: &client.Position{PodID: podID}},
		})
		if err != nil {
			rt.Fatalf("attach: %v", err)
		}
		defer s.Close()
		seen := uint64(0)
		for e, err := range s.Events(ctx) {
			if err == nil && e.Seq != 0 {
				if seen++; e.Seq != seen {
					rt.Fatalf("event %d came as number %d", e.Seq, seen)
				}
			} else if _, passing := passingError(err); err != nil && !passing {
				rt.Fatalf("the stream ended: %v", err)
			}
		}
		if seen != total {
			rt.Fatalf("%d of %d events", seen, total)
		}
	})
}

// cutConn closes itself after so many bytes.
type cutConn struct {
	net.Conn
	left int
}

func (c *cutConn) Write(b []byte) (int, error) {
	n := min(len(b), c.left)
	c.left -= n
	if _, err := c.Conn.Write(b[:n]); err != nil {
		return 0, err
	}
	if n < len(b) {
		_ = c.Close()
		return n, net.ErrClosed
	}
	return n, nil
}
