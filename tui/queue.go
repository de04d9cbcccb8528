package tui

import (
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"podium.local/protocol"
)

// sending is an input on its way to the pod.
type sending struct {
	text  string
	since time.Time
	// entryID is set once the pod accepted it.
	entryID string
}

// unanswered is how long a pod may take for an answer before it is said that
// it does not answer.
const unanswered = 5 * time.Second

// silence is how long the oldest method has waited for its answer; 0 while
// that is within the usual.
func (m *Model) silence() time.Duration {
	if m.st.conn != connected {
		return 0
	}
	var longest time.Duration
	for _, since := range m.asked {
		longest = max(longest, m.now.Sub(since))
	}
	if longest < unanswered {
		return 0
	}
	return longest
}

// dispatch sends the next queued input, unless they wait for the person.
func (m *Model) dispatch() tea.Cmd {
	if m.held {
		return nil
	}
	return m.dispatchNow()
}

// dispatchNow sends the next queued input; the others follow it.
func (m *Model) dispatchNow() tea.Cmd {
	if len(m.queue) == 0 || !m.sendable() {
		return nil
	}
	text := m.queue[0]
	m.queue, m.held, m.promised = m.queue[1:], false, false
	return m.transmit(text)
}

// sendable reports whether an input can be sent at the moment.
func (m *Model) sendable() bool {
	return m.pending == nil && m.feed != nil && m.st.conn != ended
}

func (m *Model) transmit(text string) tea.Cmd {
	m.pending = &sending{text: text, since: m.now}
	return m.ask(protocol.Run{Input: text})
}

// submit sends what was written, or puts it behind what waits already. While
// the queue is held for the person, a new input goes before it.
func (m *Model) submit(text string) tea.Cmd {
	m.win.follow = true
	if !m.st.busy() && m.sendable() && (m.held || len(m.queue) == 0) {
		return m.transmit(text)
	}
	m.queue = append(m.queue, text)
	if m.startable() && !m.starting {
		m.held, m.promised = false, true
		return m.start() // it is sent once the pod is there
	}
	return nil
}

// release lets what was held go on when the run ends.
func (m *Model) release() { m.held = false }

// clearQueue ends what waits; Up brings the texts back.
func (m *Model) clearQueue() {
	for _, text := range m.queue {
		m.recall.add(text)
	}
	m.queue, m.held = nil, false
}

// giveBack returns an input that did not arrive, without touching what is
// being written.
func (m *Model) giveBack() {
	if m.pending == nil {
		return
	}
	text := m.pending.text
	m.pending = nil
	if m.editor.empty() {
		m.editor.paste(text)
		return
	}
	m.queue, m.held = append([]string{text}, m.queue...), true
}

// waitingRows show the input that is on its way and those that wait.
func (m *Model) waitingRows() []string {
	var rows []string
	row := func(text string) { rows = append(rows, m.r.soft.Render("  "+m.r.fit(text, m.r.width))) }
	if p := m.pending; p != nil {
		word := "sending  "
		if m.silence() > 0 {
			word = "sending " + clock(m.now.Sub(p.since)) + "  "
		}
		row(word + firstLine(p.text))
	}
	const shown = 3
	for i, text := range m.queue {
		if i == shown {
			row(fmt.Sprintf("%s %d more", m.r.ellipsis, len(m.queue)-i))
			break
		}
		word := "queued  "
		if m.held {
			word = "held    "
		}
		row(word + firstLine(text))
	}
	return rows
}

// heldWords say what becomes of a queue that is held.
func (m *Model) heldWords() string {
	if m.st.busy() {
		return "held: Enter sends it when the run ends"
	}
	return "Enter sends what is held"
}

// fileWord is a file's name as it stands in an input.
func fileWord(file string) string {
	if strings.ContainsAny(file, " \t") {
		return `@"` + file + `"`
	}
	return "@" + file
}
