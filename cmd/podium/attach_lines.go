package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"time"

	"podium.local/client"
	"podium.local/protocol"
)

// attachLines is the line-mode client, for pipes and terminals that can do
// no more: everything on the screen comes from the pod, so that several
// attached terminals show the same.
func (a *app) attachLines(ctx context.Context, to target) error {
	name := to.name
	tail := uint64(20)
	s, err := to.dial(ctx, &tail, 30*time.Second)
	if err != nil {
		return err
	}
	defer s.Close()
	t := &terminal{session: s, printer: newPrinter(a.out, a.out)}
	fmt.Fprintf(a.err, "attached to %s; /quit leaves, the pod lives on\n", name)
	lines := readLines(a.in)
	// The command's own handler would end everything at the first Ctrl-C.
	interrupts := make(chan os.Signal, 1)
	signal.Notify(interrupts, os.Interrupt)
	defer signal.Stop(interrupts)
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	events := make(chan received)
	go receive(ctx, s, events)
	for {
		select {
		case line, ok := <-lines:
			if !ok || strings.TrimSpace(line) == "/quit" {
				return nil
			}
			if err := t.typed(ctx, line); err != nil {
				return err
			}
		case <-interrupts:
			if !t.running {
				return nil
			}
			if err := s.Send(ctx, protocol.Method{Params: protocol.Pause{}}); err != nil {
				return err
			}
		case r := <-events:
			if errors.Is(r.err, io.EOF) {
				t.printer.note("the pod has ended; %s", to.continues())
				return nil
			}
			if err := t.received(r); err != nil {
				return err
			}
		}
	}
}

// received is one step of a pod's stream.
type received struct {
	event protocol.Event
	err   error
}

// receive hands on the stream until it ends.
func receive(ctx context.Context, s *client.Session, out chan<- received) {
	for {
		e, err := s.Recv(ctx)
		select {
		case out <- received{e, err}:
		case <-ctx.Done():
			return
		}
		if err != nil && !passing(err) {
			return
		}
	}
}

// passing reports whether a session's stream goes on after err.
func passing(err error) bool {
	var bad *client.BadLineError
	var gone *client.Disconnected
	var gap *client.GapError
	return errors.As(err, &bad) || errors.As(err, &gone) || errors.As(err, &gap)
}

// readLines reads the keyboard from one goroutine for the life of the
// process, so that no key is lost between two waits.
func readLines(in io.Reader) <-chan string {
	lines := make(chan string)
	go func() {
		defer close(lines)
		r := bufio.NewReader(in)
		for {
			line, err := r.ReadString('\n')
			if line != "" {
				lines <- strings.TrimRight(line, "\r\n")
			}
			if err != nil {
				return
			}
		}
	}()
	return lines
}

// terminal is the state of a line-mode client.
type terminal struct {
	session *client.Session
	printer *printer
	running bool
	// lost says that the person was told of a lost connection.
	lost bool
}

// typed does what a line asks for.
func (t *terminal) typed(ctx context.Context, line string) error {
	var params protocol.MethodParams
	switch text := strings.TrimSpace(line); text {
	case "":
		return nil
	case "/cancel":
		params = protocol.Cancel{}
	case "/pause":
		params = protocol.Pause{}
	case "/resume":
		params = protocol.Resume{}
	case "/compact":
		params = protocol.Compact{}
	default:
		params = protocol.Run{Input: line}
	}
	return t.session.Send(ctx, protocol.Method{Params: params})
}

// received shows one step of the stream.
func (t *terminal) received(r received) error {
	var gone *client.Disconnected
	if errors.As(r.err, &gone) {
		if !t.lost {
			t.printer.note("[connection lost, trying again]")
		}
		t.lost = true
		return nil
	}
	if r.err != nil {
		if passing(r.err) {
			t.printer.note("[%v]", r.err)
			return nil
		}
		return r.err
	}
	switch d := r.event.Data.(type) {
	case protocol.HelloEvent:
		t.lost = false
		t.running = d.State == protocol.StateRunning || d.State == protocol.StateCompacting
	case protocol.Status:
		t.running = d.State == protocol.StateRunning || d.State == protocol.StateCompacting
	case protocol.Snapshot:
		for _, v := range d.Items {
			item, err := protocol.ParseItem(v)
			if err != nil {
				return err
			}
			t.printer.item(item)
		}
		for _, b := range d.Live.InFlight {
			if b.Kind == protocol.BlockText {
				t.printer.words(b.Text)
			}
		}
	case protocol.UserInput:
		t.printer.note("\nyou    %s", d.Text)
	case protocol.ReasoningDone:
		t.printer.note("thinks %s", firstLine(d.Text))
	default:
		t.printer.event(r.event)
	}
	return nil
}

// item prints one item of a pod's history.
func (p *printer) item(item protocol.Item) {
	switch d := item.Data.(type) {
	case protocol.Message:
		switch d.Role {
		case "user":
			p.note("\nyou    %s", messageText(d))
		case "assistant":
			p.note("agent  %s", messageText(d))
		default:
			p.note("system %s", firstLine(messageText(d)))
		}
	case protocol.ToolCallItem:
		p.called[d.CallID] = toolCall{d.Name, mainArgument(d.Arguments)}
	case protocol.ToolResultItem:
		p.note("  >    %s", p.tool(d.CallID, toolOutcome(d.Summary, d.IsError)))
	}
}

// messageText is all text of a message.
func messageText(m protocol.Message) string {
	var b strings.Builder
	for _, c := range m.Content {
		b.WriteString(c.Text)
	}
	return b.String()
}
