package client_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"podium.local/client"
	"podium.local/protocol"
)

func TestRecv_GoesOnAfterLinesThatAreNoEvents(t *testing.T) {
	path := runPod(t, func(p *peer) {
		p.welcome(0)
		p.raw("garbage\n\n" + `{"event":"text_delta"}` + "\n" + `{"event":"brand_new","data":[1]}` + "\n")
		p.raw(strings.Repeat("x", 5000) + "\n")
		p.send(delta("x"))
	})
	c := dial(t, path, client.Options{MaxLine: 4096})
	wantNames(t, c, io.EOF, "hello", "snapshot", "(bad line)", "(bad line)", "brand_new", "(bad line)", "text_delta")
}

func TestRecv_TakesAnEndInMidLineForTheEnd(t *testing.T) {
	for tail, want := range map[string]error{
		`{"event":"shutdo`:       io.ErrUnexpectedEOF,
		`{"event":"text_delta"}`: io.ErrUnexpectedEOF,
		"":                       io.EOF,
	} {
		path := runPod(t, func(p *peer) { p.send(delta("x")); p.raw(tail) })
		wantNames(t, dial(t, path, client.Options{Mode: client.ModeBase}), want, "text_delta")
	}
	path := runPod(t, func(p *peer) { p.raw(`{"event":"shutdown"}`) })
	wantNames(t, dial(t, path, client.Options{Mode: client.ModeBase}), io.EOF, "shutdown")
}

func TestRecv_ShowsABadLineAndWhatIsWrongWithIt(t *testing.T) {
	path := runPod(t, func(p *peer) { p.raw(`{"event":"text_delta","data":{"text":5}}` + "\n") })
	c := dial(t, path, client.Options{Mode: client.ModeBase})
	_, err := c.Recv(within(t))
	var decode *protocol.DecodeError
	if !errors.As(err, &decode) || decode.Field != "text" || !strings.Contains(err.Error(), `{\"event\"`) {
		t.Errorf("got %v, want a DecodeError and the line", err)
	}
}

func TestRecv_EndsWithTheContextAndLosesNothing(t *testing.T) {
	path := runPod(t, func(p *peer) { p.welcome(0); p.left() })
	c := dial(t, path, client.Options{})
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.Recv(gone); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want the context's error", err)
	}
	if e, err := c.Recv(within(t)); err != nil || e.Data.EventName() != "hello" {
		t.Errorf("afterwards got %v, %v, want hello", e, err)
	}
}

func TestEvents_EndsWithoutAnErrorWhenThePodCloses(t *testing.T) {
	path := runPod(t, func(p *peer) { p.welcome(0); p.raw("bad\n") })
	var got []string
	for e, err := range dial(t, path, client.Options{}).Events(within(t)) {
		if err != nil {
			got = append(got, "(error)")
			continue
		}
		got = append(got, e.Data.EventName())
	}
	if want := "hello snapshot (error)"; strings.Join(got, " ") != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestEvents_MayBeLeftAndTakenUpAgain(t *testing.T) {
	path := runPod(t, func(p *peer) { p.welcome(0) })
	c := dial(t, path, client.Options{})
	for range c.Events(within(t)) {
		break
	}
	wantNames(t, c, io.EOF, "snapshot")
}

func TestStream_HoldsNoMoreThanItsLimitForASlowConsumer(t *testing.T) {
	const count, limit = 2000, 4096
	path := runPod(t, func(p *peer) {
		for i := range count {
			p.send(delta(fmt.Sprint(i)))
		}
	})
	c := dial(t, path, client.Options{Mode: client.ModeBase, Queue: limit})
	for i := range count {
		e, err := c.Recv(within(t))
		if err != nil || e.Data.(protocol.TextDelta).Text != fmt.Sprint(i) {
			t.Fatalf("event %d: %v, %v", i, e, err)
		}
		if queued := c.Queued(); queued > limit {
			t.Fatalf("%d bytes queued, the limit is %d", queued, limit)
		}
	}
}

func TestStream_TakesAnEventLargerThanItsLimit(t *testing.T) {
	big := strings.Repeat("x", 100_000)
	path := runPod(t, func(p *peer) { p.send(delta("a"), delta(big), delta("b")) })
	wantNames(t, dial(t, path, client.Options{Mode: client.ModeBase, Queue: 1000}), io.EOF, "text_delta", "text_delta", "text_delta")
}

func TestCall_GivesTheOneAnswerAndLeavesTheOtherEventsInTheStream(t *testing.T) {
	entry := "e-1"
	path := runPod(t, func(p *peer) {
		p.welcome(0)
		m := p.expect(protocol.MethodRun)
		p.send(
			delta("a"),
			protocol.Event{Data: protocol.Error{Code: protocol.CodeInternal, Message: "of somebody else"}},
			protocol.Event{Data: protocol.Accepted{Method: "run", EntryID: &entry}, RequestID: m.RequestID},
			delta("b"),
		)
	})
	c := dial(t, path, client.Options{})
	e, err := c.Call(within(t), protocol.Method{Params: protocol.Run{Input: "hi"}})
	if accepted, ok := e.Data.(protocol.Accepted); err != nil || !ok || *accepted.EntryID != entry {
		t.Fatalf("got %v, %v", e, err)
	}
	wantNames(t, c, io.EOF, "hello", "snapshot", "text_delta", "error", "text_delta")
}

func TestCall_FindsItsAnswerBehindMoreEventsThanTheQueueHolds(t *testing.T) {
	const count = 200
	path := runPod(t, func(p *peer) {
		p.welcome(0)
		m := p.expect(protocol.MethodCancel)
		for range count {
			p.send(delta(strings.Repeat("x", 100)))
		}
		p.send(protocol.Event{Data: protocol.Accepted{Method: "cancel"}, RequestID: m.RequestID})
	})
	// The goroutine that should read the events is the one that calls.
	c := dial(t, path, client.Options{Queue: 4096})
	if _, err := c.Call(within(t), protocol.Method{Params: protocol.Cancel{}}); err != nil {
		t.Fatal(err)
	}
	if got, err := names(t, c); len(got) != count+2 || err != io.EOF {
		t.Errorf("received %d events and %v, want %d", len(got), err, count+2)
	}
}

func TestCall_GivesThePodsRefusalAsAnError(t *testing.T) {
	path := runPod(t, func(p *peer) {
		p.welcome(0)
		m := p.expect(protocol.MethodResume)
		p.send(protocol.Event{
			Data: protocol.Error{Code: protocol.CodeNotPaused, Message: "Pod is not paused"}, RequestID: m.RequestID,
		})
	})
	_, err := dial(t, path, client.Options{}).Call(within(t), protocol.Method{Params: protocol.Resume{}})
	var refused *client.PodError
	if !errors.As(err, &refused) || *refused != (client.PodError{Method: "resume", Code: "not_paused", Message: "Pod is not paused"}) {
		t.Errorf("got %v", err)
	}
}

func TestCall_ManyAtOnceGetTheirOwnAnswers(t *testing.T) {
	const calls = 20
	path := runPod(t, func(p *peer) {
		p.welcome(0)
		var asked []protocol.Method
		for range calls {
			m, ok := p.next()
			if !ok {
				return
			}
			asked = append(asked, m)
		}
		for i := range asked { // in the other order
			m := asked[calls-1-i]
			text := m.Params.(protocol.Notify).Message
			p.send(protocol.Event{Data: protocol.Accepted{Method: "notify", EntryID: &text}, RequestID: m.RequestID})
		}
	})
	c := dial(t, path, client.Options{})
	var callers sync.WaitGroup
	for i := range calls {
		callers.Go(func() {
			text := fmt.Sprint(i)
			e, err := c.Call(within(t), protocol.Method{Params: protocol.Notify{Message: text}})
			if err != nil || *e.Data.(protocol.Accepted).EntryID != text {
				t.Errorf("call %d got %v, %v", i, e, err)
			}
		})
	}
	callers.Wait()
}

func TestCall_EndsWithItsContextAndItsLateAnswerIsAnEvent(t *testing.T) {
	asked, late := make(chan struct{}), make(chan struct{})
	path := runPod(t, func(p *peer) {
		p.welcome(0)
		m := p.expect(protocol.MethodPause)
		close(asked)
		<-late
		p.send(protocol.Event{Data: protocol.Accepted{Method: "pause"}, RequestID: m.RequestID})
	})
	c := dial(t, path, client.Options{})
	ctx, cancel := context.WithCancel(within(t))
	go func() { <-asked; cancel() }()
	if _, err := c.Call(ctx, protocol.Method{Params: protocol.Pause{}}); !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v, want the context's error", err)
	}
	close(late)
	wantNames(t, c, io.EOF, "hello", "snapshot", "accepted")
}

func TestCall_FailsWhenTheConnectionIsLost(t *testing.T) {
	path := runPod(t, func(p *peer) { p.welcome(0); p.expect(protocol.MethodRun) })
	c := dial(t, path, client.Options{})
	if _, err := c.Call(within(t), protocol.Method{Params: protocol.Run{}}); !errors.Is(err, client.ErrLost) {
		t.Errorf("got %v, want ErrLost", err)
	}
	if _, err := c.Call(within(t), protocol.Method{Params: protocol.Run{}}); !errors.Is(err, client.ErrLost) {
		t.Errorf("a later call got %v, want ErrLost", err)
	}
	if err := c.Send(within(t), protocol.Method{Params: protocol.Run{}}); !errors.Is(err, client.ErrLost) {
		t.Errorf("a later Send got %v, want ErrLost", err)
	}
}

func TestCall_InTheBaseVocabularyKnowsOnlyGetHistory(t *testing.T) {
	history := protocol.Event{Data: protocol.History{Greeting: protocol.Greeting{PodName: "old"}}}
	path := runPod(t, func(p *peer) {
		p.expect(protocol.MethodGetHistory) // the refused run before it never came
		p.send(delta("x"), history)
	})
	c := dial(t, path, client.Options{Mode: client.ModeBase})
	if _, err := c.Call(within(t), protocol.Method{Params: protocol.Run{}}); !errors.Is(err, client.ErrBaseOnly) {
		t.Errorf("run: got %v, want ErrBaseOnly", err)
	}
	e, err := c.Call(within(t), protocol.Method{Params: protocol.GetHistory{}})
	if h, ok := e.Data.(protocol.History); err != nil || !ok || h.Greeting.PodName != "old" {
		t.Errorf("get_history: got %v, %v", e, err)
	}
	wantNames(t, c, io.EOF, "text_delta")
}

func TestCall_NeedsAMethod(t *testing.T) {
	path := runPod(t, func(p *peer) { p.welcome(0); p.left() })
	c := dial(t, path, client.Options{})
	if _, err := c.Call(within(t), protocol.Method{}); err == nil {
		t.Error("a method without params was accepted")
	}
	var encode *protocol.EncodeError
	if err := c.Send(within(t), protocol.Method{}); !errors.As(err, &encode) {
		t.Errorf("Send gave %v, want an EncodeError", err)
	}
}

func TestSend_WithAnEndedContextWritesNothing(t *testing.T) {
	path := runPod(t, func(p *peer) { p.expect(protocol.MethodPause) })
	c := dial(t, path, client.Options{Mode: client.ModeBase})
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if err := c.Send(gone, protocol.Method{Params: protocol.Cancel{}}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want the context's error", err)
	}
	if err := c.Send(within(t), protocol.Method{Params: protocol.Pause{}}); err != nil {
		t.Errorf("the connection is not usable afterwards: %v", err)
	}
	wantNames(t, c, io.EOF)
}

// huge is more than a socket holds.
var huge = protocol.Method{Params: protocol.Run{Input: strings.Repeat("x", 16<<20)}}

// readOne reads a byte, which proves that a line is being written, and says so.
func (p *peer) readOne(begun chan<- struct{}) {
	if _, err := io.ReadFull(p.conn, make([]byte, 1)); err != nil {
		p.t.Errorf("no line was begun: %v", err)
	}
	close(begun)
}

func TestSend_CutInMidLineEndsTheConnection(t *testing.T) {
	begun, ended := make(chan struct{}), make(chan struct{})
	path := runPod(t, func(p *peer) {
		p.readOne(begun)
		<-ended
		if rest, err := io.ReadAll(p.conn); err == nil && bytes.HasSuffix(rest, []byte("\n")) {
			t.Error("the line was written to its end")
		}
	})
	c := dial(t, path, client.Options{Mode: client.ModeBase})
	ctx, cancel := context.WithCancel(within(t))
	go func() { <-begun; cancel() }()
	if err := c.Send(ctx, huge); !errors.Is(err, client.ErrLost) {
		t.Errorf("got %v, want ErrLost", err)
	}
	close(ended)
	if err := c.Send(within(t), protocol.Method{Params: protocol.Pause{}}); !errors.Is(err, client.ErrLost) {
		t.Errorf("a later Send got %v, want ErrLost", err)
	}
}

func TestSend_WaitsForItsTurnOnlyAsLongAsItsContext(t *testing.T) {
	begun, ended := make(chan struct{}), make(chan struct{})
	path := runPod(t, func(p *peer) { p.readOne(begun); <-ended })
	c := dial(t, path, client.Options{Mode: client.ModeBase})
	var blocked sync.WaitGroup
	blocked.Go(func() {
		if err := c.Send(within(t), huge); !errors.Is(err, client.ErrLost) {
			t.Errorf("the long line: %v, want ErrLost", err)
		}
	})
	<-begun
	short, cancel := context.WithTimeout(within(t), 20*time.Millisecond)
	defer cancel()
	if err := c.Send(short, protocol.Method{Params: protocol.Pause{}}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the short line: %v, want the context's error", err)
	}
	close(ended)
	blocked.Wait()
}

func TestClose_EndsEverythingThatWaitsAndMayBeRepeated(t *testing.T) {
	asked := make(chan struct{})
	path := runPod(t, func(p *peer) {
		p.welcome(0)
		p.expect(protocol.MethodPause)
		close(asked)
		p.left()
	})
	c := dial(t, path, client.Options{})
	for range 2 {
		if _, err := c.Recv(within(t)); err != nil {
			t.Fatal(err)
		}
	}
	var waiting sync.WaitGroup
	waiting.Go(func() {
		if _, err := c.Recv(within(t)); !errors.Is(err, client.ErrClosed) {
			t.Errorf("Recv got %v, want ErrClosed", err)
		}
	})
	waiting.Go(func() {
		if _, err := c.Call(within(t), protocol.Method{Params: protocol.Pause{}}); !errors.Is(err, client.ErrClosed) {
			t.Errorf("Call got %v, want ErrClosed", err)
		}
	})
	<-asked
	c.Close()
	waiting.Wait()
	c.Close()
	if err := c.Send(within(t), protocol.Method{Params: protocol.Pause{}}); !errors.Is(err, client.ErrClosed) {
		t.Errorf("Send got %v, want ErrClosed", err)
	}
}

func TestClose_WhileTheStreamIsFull(t *testing.T) {
	path := runPod(t, func(p *peer) {
		for {
			if _, err := io.WriteString(p.conn, `{"event":"compact_start"}`+"\n"); err != nil {
				return
			}
		}
	})
	c := dial(t, path, client.Options{Mode: client.ModeBase, Queue: 100})
	if _, err := c.Recv(within(t)); err != nil {
		t.Fatal(err)
	}
	c.Close()
}
