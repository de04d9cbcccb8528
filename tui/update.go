package tui

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"podium.local/client"
	"podium.local/protocol"
)

// Update takes one message. It does no input or output.
func (m *Model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	m.now = m.o.Now()
	var cmd tea.Cmd
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.resize(msg.Width, msg.Height)
		m.resized++
		n := m.resized
		cmd = tea.Tick(resizeRest, func(time.Time) tea.Msg { return resizedMsg(n) })
	case resizedMsg:
		if int(msg) == m.resized {
			cmd = drawAnew
		}
	case tea.BackgroundColorMsg:
		if msg.IsDark() != m.r.dark {
			m.r.theme = newTheme(msg.IsDark(), m.o.ASCII)
			m.relayout()
		}
	case tea.ModeReportMsg:
		// The terminal counts characters as a person does.
		if msg.Mode == ansi.ModeUnicodeCore && (msg.Value.IsSet() || msg.Value.IsReset()) {
			m.r.method = ansi.GraphemeWidth
			m.relayout()
		}
	case tea.KeyPressMsg:
		cmd = m.key(msg)
	case tea.PasteMsg:
		m.help, m.selected = false, nil
		m.editor.paste(msg.Content)
		m.comp.update(&m.editor)
	case tea.MouseWheelMsg:
		cmd = m.wheel(msg)
	case connectedMsg:
		cmd = m.connected(msg)
	case stepsMsg:
		cmd = m.steps(msg)
	case answeredMsg:
		cmd = m.answered(msg)
	case entriesMsg:
		m.entries(msg)
		if msg.err == nil {
			cmd = m.readLog(bounds(blocksOf(msg.items)))
		}
	case spentMsg:
		m.spent(msg)
	case factsMsg:
		m.learn(msg)
	case historyMsg:
		m.recall.load(msg.inputs)
		m.complain(msg.err)
	case filesMsg:
		m.comp.files, m.comp.loaded, m.comp.loading = msg.files, msg.err == nil, false
		m.comp.update(&m.editor)
		m.complain(msg.err)
	case editedMsg:
		if msg.err == nil {
			m.editor.set(strings.TrimRight(msg.text, "\n"))
		}
		m.complain(msg.err)
	case noticeMsg:
		m.complain(msg.err)
	case tickMsg:
		m.ticking = false
		cmd = m.tick()
	}
	return m, tea.Batch(cmd, m.settle(), m.passing())
}

// settle bounds what is held and asks for what the window lacks.
func (m *Model) settle() tea.Cmd {
	m.win.height = m.conversationHeight()
	m.conv.bound(&m.win)
	if m.st.conn != connected || m.help {
		return nil
	}
	if g := m.conv.wanted(m.win.rows(m.conv, m.r, m.now)); g != nil {
		return m.load(g)
	}
	return nil
}

func (m *Model) complain(err error) {
	if err != nil {
		m.say(cleanLine(err.Error()))
	}
}

func (m *Model) connected(msg connectedMsg) tea.Cmd {
	if msg.err != nil {
		if m.feed == nil && len(m.conv.blocks) == 0 {
			m.failure = msg.err
			return tea.Quit
		}
		m.starting = false
		m.conv.say(kindError, protocol.LevelError, "[error] "+msg.err.Error())
		return nil
	}
	m.starting = false
	if msg.pod == nil {
		return nil
	}
	if m.feed != nil {
		m.feed.stop() // it has ended already
	}
	m.feed = startFeed(msg.pod)
	m.st.conn, m.st.base, m.seq = connected, true, 0
	return m.feed.next
}

// steps applies what the pod's stream gave.
func (m *Model) steps(msg stepsMsg) tea.Cmd {
	if msg.feed != m.feed {
		return nil
	}
	var cmds []tea.Cmd
	for _, s := range msg.steps {
		if s.err != nil {
			m.trouble(s.err)
			continue
		}
		cmds = append(cmds, m.event(s.event))
	}
	if !msg.over {
		cmds = append(cmds, m.feed.next)
	}
	return tea.Batch(cmds...)
}

// trouble is what the stream has to say besides events.
func (m *Model) trouble(err error) {
	var bad *client.BadLineError
	var gone *client.Disconnected
	var gap *client.GapError
	switch {
	case errors.As(err, &bad):
		m.conv.say(kindRaw, "", fmt.Sprintf("[unreadable line] %v: %s", bad.Err, bad.Line))
	case errors.As(err, &gap):
		m.conv.say(kindNotice, protocol.LevelWarn, fmt.Sprintf("[notice] %v", gap))
	case errors.As(err, &gone):
		m.st.conn, m.st.attempt, m.st.retry = disconnected, gone.Attempt, nil
		m.st.clients, m.st.gone = 0, errors.Is(gone.Cause, client.ErrNotRunning)
		if c := m.conv.compact; c != nil {
			m.conv.compacted(compactError+"the connection was lost", protocol.LevelError, m.now)
		}
		for _, b := range m.conv.blocks {
			if b.kind == kindGap {
				b.gap.loading = false
			}
		}
	default:
		m.over(err)
	}
}

// over is the end of the stream: the pod has ended, or there is no use in
// trying on.
func (m *Model) over(err error) {
	m.conv.runOver(false)
	m.st.conn, m.st.runActive, m.st.clients, m.st.retry = ended, false, 0, nil
	text := "The pod has ended."
	if !errors.Is(err, io.EOF) {
		text = "The connection has ended: " + cleanLine(err.Error()) + "."
	}
	if m.conv.compact != nil {
		m.conv.compacted(compactError+"the pod has ended", protocol.LevelError, m.now)
	}
	if m.o.Continue != "" {
		text += " " + m.o.Continue + " continues its session."
	}
	m.farewell = text
	if m.o.Start != nil {
		text += " Enter does it here, Ctrl-C leaves."
	}
	m.conv.say(kindNotice, protocol.LevelWarn, text)
	m.giveBack()
	m.st.enter("", time.Time{})
}

// answered is the pod's answer to a method of this client.
func (m *Model) answered(msg answeredMsg) tea.Cmd {
	name := msg.params.MethodName()
	delete(m.asked, name)
	_, run := msg.params.(protocol.Run)
	if msg.err == nil {
		if run && msg.entryID != "" {
			m.accepted(msg.entryID)
		}
		return nil
	}
	if m.ctx.Err() != nil || m.st.conn == ended {
		return nil
	}
	var refused *client.PodError
	text := cleanLine(msg.err.Error())
	if errors.As(msg.err, &refused) {
		text = refusal(refused.Code, refused.Message)
	}
	m.say(text)
	if run {
		m.giveBack()
	}
	return nil
}

// accepted marks an input of this client: it is drawn once it is in the log.
func (m *Model) accepted(entryID string) {
	m.own[entryID] = true
	for _, b := range m.conv.blocks {
		if b.kind == kindInput && b.entryID == entryID {
			b.from = ""
			b.changed()
			m.pending = nil
			return
		}
	}
	if m.pending != nil {
		m.pending.entryID = entryID
	}
}

func (m *Model) entries(msg entriesMsg) {
	if msg.err != nil {
		msg.gap.loading = false
		var refused *client.PodError
		if errors.As(msg.err, &refused) || errors.Is(msg.err, client.ErrBaseOnly) {
			msg.gap.gone = true
		}
		m.relayout()
		return
	}
	m.conv.fill(msg.gap, msg.items, msg.before, &m.win)
	m.conv.placeWaiting()
}
