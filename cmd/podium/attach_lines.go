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

	"github.com/go-json-experiment/json/jsontext"

	"podium.local/client"
	"podium.local/protocol"
	"podium.local/tui"
)

// attachLines is the line-mode client, for pipes and terminals that can do
// no more: everything on the screen comes from the pod, so that several
// attached terminals show the same.
func (a *app) attachLines(ctx context.Context, to target) error {
	tail := uint64(20)
	s, err := a.dialTarget(ctx, to, &tail, 30*time.Second)
	if err != nil {
		return err
	}
	defer s.Close()
	t := &terminal{session: s, printer: newPrinter(a.out, a.out), name: to.called()}
	t.printer.speaker = true
	fmt.Fprintf(a.err, "attached to %s; /quit leaves, the pod lives on\n", printable(t.name))
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
			if ok && strings.TrimSpace(line) == "/quit" {
				return nil
			}
			if !ok {
				lines, t.leaving = nil, true
			} else if err := t.typed(ctx, line); err != nil {
				return err
			}
		case <-interrupts:
			if t.idle() {
				return nil
			}
			if err := t.interrupt(ctx); err != nil {
				return err
			}
		case r := <-events:
			if errors.Is(r.err, io.EOF) {
				t.printer.note("the pod has ended; %s", to.continues())
				return t.unsent()
			}
			if err := t.received(r); err != nil {
				return err
			}
			if err := t.dispatch(ctx); err != nil {
				return err
			}
		}
		if t.leaving && len(t.queue) == 0 && t.sent == "" {
			return nil
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
		if err != nil && !client.Passing(err) {
			return
		}
	}
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
	name    string
	state   protocol.PodState
	// running says that a run is on, also while it compacts.
	running bool
	// queue are inputs that wait for the run to end, sent the one on its way.
	queue []string
	sent  string
	// held says that they wait for the person.
	held bool
	// leaving says that nothing more is typed.
	leaving bool
	// lost says that the person was told of a lost connection.
	lost bool
	// ended is the entry of the newest end of a run.
	ended string
}

// idle reports whether nothing is going on that could be interrupted.
func (t *terminal) idle() bool {
	return !t.running && t.state != protocol.StateCompacting
}

// interrupt pauses a run, and ends a compaction that stands alone.
func (t *terminal) interrupt(ctx context.Context) error {
	if t.running {
		return t.session.Send(ctx, protocol.Method{Params: protocol.Pause{}})
	}
	return t.session.Send(ctx, protocol.Method{Params: protocol.Cancel{}})
}

// linesHelp is what /help says.
const linesHelp = "/cancel, /pause, /resume and /compact act on the run; /quit leaves, the pod lives on; a line that begins with a space is sent as it is"

// typed does what a line asks for.
func (t *terminal) typed(ctx context.Context, line string) error {
	var params protocol.MethodParams
	switch text := strings.TrimSpace(line); {
	case text == "":
		return nil
	case line == "/cancel":
		params = protocol.Cancel{}
		t.queue = nil
	case line == "/pause":
		params = protocol.Pause{}
	case line == "/resume":
		params = protocol.Resume{}
	case line == "/compact":
		params = protocol.Compact{}
	case line == "/help":
		t.printer.note("%s", linesHelp)
		return nil
	case tui.IsCommand(line):
		t.printer.note("[error] %s: %s", text, tui.NoCommand)
		return nil
	default:
		t.queue, t.held = append(t.queue, text), false
		if !t.idle() || t.sent != "" {
			t.printer.note("[queued] it is sent when the run ends")
		}
		return t.dispatch(ctx)
	}
	return t.session.Send(ctx, protocol.Method{Params: params})
}

// dispatch sends the next input that waits, when nothing is going on.
func (t *terminal) dispatch(ctx context.Context) error {
	if len(t.queue) == 0 || t.held && !t.leaving || !t.idle() || t.sent != "" || t.lost || t.state == "" {
		return nil
	}
	t.sent, t.queue = t.queue[0], t.queue[1:]
	return t.session.Send(ctx, protocol.Method{Params: protocol.Run{Input: t.sent}})
}

// unsent is an error that names the inputs which the pod never got.
func (t *terminal) unsent() error {
	if len(t.queue) == 0 {
		return nil
	}
	return fmt.Errorf("attach to %s: the pod ended before it got %q", t.name, t.queue)
}

// received shows one step of the stream.
func (t *terminal) received(r received) error {
	var gone *client.Disconnected
	if errors.As(r.err, &gone) {
		if !t.lost {
			t.printer.note("[connection lost, trying again]")
		}
		t.lost, t.sent = true, ""
		return nil
	}
	if r.err != nil {
		if client.Passing(r.err) {
			t.printer.note("[%v]", r.err)
			return nil
		}
		return r.err
	}
	switch d := r.event.Data.(type) {
	case protocol.HelloEvent:
		t.lost = false
		t.enter(d.State)
	case protocol.Status:
		t.enter(d.State)
	case protocol.Snapshot:
		return t.snapshot(d)
	case protocol.History:
		t.enter(protocol.StateIdle)
		return t.items(d.Items)
	case protocol.TurnStart:
		t.running = true
		if _, extended := t.session.Hello(); !extended {
			t.sent = "" // no other word of an older pod says that it took the input
		}
	case protocol.UserInput:
		t.running = true
		if d.Text == t.sent {
			t.sent = ""
		}
		t.printer.said(d.Kind, clip(d.Text, t.name))
	case protocol.ReasoningDone:
		t.printer.note("thinks %s", firstLine(d.Text))
	case protocol.RunEnd:
		if d.EntryID != "" && d.EntryID == t.ended {
			return nil // it was told before it could be saved, and is saved now
		}
		t.ended = d.EntryID
		t.printer.event(r.event)
		t.over(d.Result)
	case protocol.Error:
		t.failed(r.event, d)
	default:
		t.printer.event(r.event)
	}
	return nil
}

// enter notes the pod's state.
func (t *terminal) enter(state protocol.PodState) {
	t.state = state
	if state != protocol.StateCompacting {
		t.running = state == protocol.StateRunning
	}
}

// over notes the end of a run: what waits goes on after one that finished, is
// dropped with one that was cancelled, and else waits for the person.
func (t *terminal) over(result protocol.RunResult) {
	t.running, t.state = false, protocol.StateIdle
	switch result {
	case protocol.RunFinished:
		return
	case protocol.RunPaused:
		t.state = protocol.StatePaused
	case protocol.RunCancelled, protocol.RunRolledBack:
		t.queue = nil
		return
	}
	if t.held = len(t.queue) > 0; t.held {
		t.printer.note("[queued] %d held: your next line sends them first, /cancel drops them", len(t.queue))
	}
}

// failed shows an error of the pod. An input that came too early waits again.
func (t *terminal) failed(e protocol.Event, d protocol.Error) {
	_, extended := t.session.Hello()
	cancelled := d.Code == protocol.CodeInternal && d.Message == "Cancelled"
	switch {
	case d.Code == protocol.CodeAlreadyRunning && t.sent != "":
		t.queue, t.sent = append([]string{t.sent}, t.queue...), ""
		t.running = true
		t.printer.note("[queued] another input was first; it is sent when the run ends")
	case d.Code == protocol.CodeNotRunning:
		t.printer.note("[error] no run is on, the pod is idle")
	case d.Code == protocol.CodeNotPaused:
		t.printer.note("[error] no run is paused")
	case cancelled && extended && t.running:
		// run_end follows and says it.
	case cancelled:
		t.over(protocol.RunCancelled)
		t.printer.note("[run] cancelled")
	default:
		t.sent = ""
		t.printer.event(e)
		if !extended {
			t.running = false
		}
	}
}

func (t *terminal) snapshot(d protocol.Snapshot) error {
	if err := t.items(d.Items); err != nil {
		return err
	}
	for _, b := range d.Live.InFlight {
		if b.Kind == protocol.BlockText {
			t.printer.words(b.Text)
		}
	}
	return nil
}

// items shows history items.
func (t *terminal) items(items []jsontext.Value) error {
	for _, v := range items {
		item, err := protocol.ParseItem(v)
		if err != nil {
			return err
		}
		if m, ok := item.Data.(protocol.Message); ok {
			m.Content = []protocol.Content{{Type: protocol.ContentText, Text: clip(messageText(m), t.name)}}
			item.Data = m
		}
		t.printer.item(item)
	}
	return nil
}

// clipLines is how much of a message is shown in lines.
const clipLines = 200

// clip shortens a long message and says where the whole is.
func clip(text, pod string) string {
	lines := strings.SplitN(text, "\n", clipLines+1)
	if len(lines) <= clipLines {
		return text
	}
	return fmt.Sprintf("%s\n… %d more lines; podium history %s has all of it", strings.Join(lines[:clipLines], "\n"), strings.Count(lines[clipLines], "\n")+1, pod)
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
			p.said("", messageText(d))
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
