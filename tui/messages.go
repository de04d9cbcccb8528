package tui

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/go-json-experiment/json/jsontext"

	"podium.local/client"
	"podium.local/protocol"
)

// What commands report.
type (
	connectedMsg struct {
		// pod is nil when a lost connection comes back by itself.
		pod Pod
		err error
	}
	answeredMsg struct {
		params protocol.MethodParams
		// entryID is the entry that the pod accepted an input as.
		entryID string
		// unconfirmed says that it was sent to a pod that confirms nothing.
		unconfirmed bool
		err         error
	}
	entriesMsg struct {
		gap    *gap
		items  []jsontext.Value
		before *string
		err    error
	}
	historyMsg struct {
		inputs []string
		err    error
	}
	filesMsg struct {
		files []string
		err   error
	}
	editedMsg struct {
		text string
		err  error
	}
	// resizedMsg comes when the size has not changed for a moment; it holds the
	// count of changes then.
	resizedMsg int
	noticeMsg  struct{ err error }
	tickMsg    struct{}
)

// resizeRest is how long a size must last until the screen is drawn anew.
const resizeRest = 300 * time.Millisecond

// drawAnew draws the whole screen again. What was written for one size while
// the terminal had the next already stands in wrong places, and may have left
// scrolling margins behind that would spoil every line to come.
func drawAnew() tea.Msg {
	return tea.Sequence(tea.Raw(resetMargins), tea.ClearScreen)()
}

const resetMargins = "\x1b[r"

func (m *Model) connect() tea.Msg {
	pod, err := m.o.Connect(m.ctx)
	return connectedMsg{pod, err}
}

// start starts the pod again. A connection that was lost comes back by itself,
// one that has ended is made anew.
func (m *Model) start() tea.Cmd {
	m.starting = true
	anew := m.st.conn == ended
	return func() tea.Msg {
		if err := m.o.Start(m.ctx); err != nil {
			return connectedMsg{err: err}
		}
		if anew {
			return m.connect()
		}
		return connectedMsg{}
	}
}

// ask sends a method and reports the answer.
func (m *Model) ask(params protocol.MethodParams) tea.Cmd {
	if m.feed == nil {
		return nil
	}
	pod, ctx := m.feed.pod, m.feed.ctx
	m.asked[params.MethodName()] = m.now
	return func() tea.Msg {
		answer, err := pod.Call(ctx, protocol.Method{Params: params})
		msg := answeredMsg{params: params, err: err}
		if errors.Is(err, client.ErrBaseOnly) {
			msg.unconfirmed, msg.err = true, pod.Send(ctx, protocol.Method{Params: params})
		}
		if a, ok := answer.Data.(protocol.Accepted); ok && a.EntryID != nil {
			msg.entryID = *a.EntryID
		}
		return msg
	}
}

// load asks for the entries of a gap.
func (m *Model) load(g *gap) tea.Cmd {
	if m.feed == nil {
		return nil
	}
	g.loading = true
	limit := uint64(pageItems)
	if g.items > 0 {
		limit = uint64(min(g.items, 2*pageItems))
	}
	before := g.before
	pod, ctx := m.feed.pod, m.feed.ctx
	return func() tea.Msg {
		answer, err := pod.Call(ctx, protocol.Method{Params: protocol.GetEntries{Before: &before, Limit: &limit}})
		msg := entriesMsg{gap: g, err: err}
		if d, ok := answer.Data.(protocol.Entries); ok {
			msg.items, msg.before = d.Items, d.Before
		} else if err == nil {
			msg.err = fmt.Errorf("the pod answered %s", answer.Data.EventName())
		}
		return msg
	}
}

func (m *Model) loadHistory() tea.Cmd {
	if m.o.History == nil {
		return nil
	}
	return func() tea.Msg {
		inputs, err := m.o.History.Load()
		return historyMsg{inputs, err}
	}
}

func (m *Model) keep(text string) tea.Cmd {
	if !m.recall.add(text) || m.o.History == nil {
		return nil
	}
	return func() tea.Msg {
		if err := m.o.History.Append(text); err != nil {
			return noticeMsg{err}
		}
		return nil
	}
}

func (m *Model) listFiles() tea.Cmd {
	if m.o.Files == nil || m.comp.loaded || m.comp.loading {
		return nil
	}
	m.comp.loading = true
	return func() tea.Msg {
		files, err := m.o.Files(m.ctx)
		return filesMsg{files, err}
	}
}

// tick redraws what changes with time: quickly while something moves.
func (m *Model) tick() tea.Cmd {
	if m.ticking {
		return nil
	}
	m.ticking = true
	period := time.Second
	if m.st.busy() || m.st.conn != connected {
		period = 250 * time.Millisecond
	}
	return tea.Tick(period, func(time.Time) tea.Msg { return tickMsg{} })
}

// edit opens the text in the external editor.
func (m *Model) edit() tea.Cmd {
	if len(m.o.Editor) == 0 {
		m.say("No editor: set VISUAL or EDITOR.")
		return nil
	}
	e := &editing{command: m.o.Editor, text: m.editor.value()}
	return tea.Exec(e, func(err error) tea.Msg { return editedMsg{e.text, err} })
}

// editing is a text while it is in an external editor.
type editing struct {
	command        []string
	text           string
	stdin          io.Reader
	stdout, stderr io.Writer
}

// SetStdin, SetStdout and SetStderr take the terminal.
func (e *editing) SetStdin(r io.Reader) { e.stdin = r }

// SetStdout takes the terminal.
func (e *editing) SetStdout(w io.Writer) { e.stdout = w }

// SetStderr takes the terminal.
func (e *editing) SetStderr(w io.Writer) { e.stderr = w }

// Run writes the text to a file, runs the editor on it and reads it back.
func (e *editing) Run() (err error) {
	f, err := os.CreateTemp("", "podium-*.md")
	if err != nil {
		return fmt.Errorf("make a file for the editor: %w", err)
	}
	defer os.Remove(f.Name())
	_, err = f.WriteString(e.text)
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("write the text for the editor: %w", err)
	}
	cmd := exec.Command(e.command[0], append(e.command[1:len(e.command):len(e.command)], f.Name())...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = e.stdin, e.stdout, e.stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("run the editor %s: %w", e.command[0], err)
	}
	b, err := os.ReadFile(f.Name())
	if err != nil {
		return fmt.Errorf("read the text back from the editor: %w", err)
	}
	e.text = string(b)
	return nil
}
