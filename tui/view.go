package tui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"podium.local/protocol"
)

// inputWidth is the room for what is written, in columns.
func (m *Model) inputWidth() int { return max(2, m.width-margin-1) }

// inputRows is how many rows of the input are shown.
func (m *Model) inputRows() int {
	rows, _, _ := m.editor.rows(m.inputWidth(), m.r.method)
	return min(len(rows), max(1, min(8, m.height/3)))
}

// extraRows are the rows between the conversation and the input.
func (m *Model) extraRows() []string {
	var rows []string
	if m.comp.open() {
		begin := max(0, min(m.comp.at-offered/2, len(m.comp.matches)-offered))
		for i, f := range m.comp.matches[begin:min(begin+offered, len(m.comp.matches))] {
			about := aboutCommand(f)
			if about != "" {
				f = fmt.Sprintf("%-10s", f)
			}
			line := m.r.fit(cleanLine(f), m.r.width)
			if about != "" {
				line = m.r.fit(f+m.r.soft.Render(about), m.r.width)
			}
			if begin+i == m.comp.at {
				line = m.r.selected.Render(line)
			}
			rows = append(rows, "  "+line)
		}
	}
	rows = append(rows, m.waitingRows()...)
	if most := m.height/3 - 1; len(rows) > most {
		rows = rows[:max(0, most)]
	}
	return append(rows, m.hint())
}

// hint is the row above the input: what is worth saying at the moment. Words
// that pass stand before what lasts, and hide it only where both do not fit.
func (m *Model) hint() string {
	text, style := m.lasting()
	if m.flash.text == "" {
		if text == "" {
			return ""
		}
		return "  " + style.Render(m.r.fit(text, m.r.width))
	}
	if both := m.flash.text + m.r.dot + text; text != "" && m.r.method.StringWidth(both) <= m.r.width {
		return "  " + m.r.waiting.Render(m.flash.text) + style.Render(m.r.dot+text)
	}
	return "  " + m.r.waiting.Render(m.r.fit(m.flash.text, m.r.width))
}

// lasting is what holds as long as the state does.
func (m *Model) lasting() (string, lipgloss.Style) {
	switch {
	case m.starting:
		return "Starting the pod again.", m.r.waiting
	case m.st.conn == disconnected:
		text := fmt.Sprintf("connection lost; trying again, attempt %d", m.st.attempt)
		switch {
		case m.startable():
			text = "The pod is dead. Enter starts it again and sends what is written."
		case m.o.Continue != "" && m.st.attempt > 3:
			text += ". If the pod is gone: " + m.o.Continue
		}
		return text, m.r.lost
	case m.help:
		if len(m.helpAll()) > m.height-m.inputRows()-2 {
			return "PgUp and PgDn scroll" + m.r.dot + "Esc closes", m.r.soft
		}
		return "Esc closes", m.r.soft
	case m.selected != nil:
		return "selected: j k move" + m.r.dot + "Enter opens" + m.r.dot + "y copies" + m.r.dot + "Esc ends", m.r.soft
	case m.silence() > 0:
		return "the pod has not answered for " + clock(m.silence()) + "; what was sent may still arrive", m.r.lost
	case !m.win.follow:
		if b := m.conv.blocks; len(b) > 0 && (m.win.top != b[0] || m.win.off > 0) {
			return "more above, more below" + m.r.dot + "Ctrl-Home and Ctrl-End go to the ends", m.r.soft
		}
		return "more below" + m.r.dot + "Ctrl-End goes to the newest line", m.r.soft
	case m.st.state == protocol.StatePaused && m.st.conn == connected:
		return strings.ReplaceAll(pausedHint, "—", m.r.dash), m.r.paused
	case len(m.queue) > 0 && m.held:
		return m.heldWords(), m.r.soft
	case m.st.queued > 0:
		return plural(int(min(m.st.queued, 1<<20)), "input") + " waiting in the pod", m.r.soft
	}
	return "", m.r.soft
}

// conversationHeight is the rows left for the conversation.
func (m *Model) conversationHeight() int {
	return max(1, m.height-m.inputRows()-len(m.extraRows())-1)
}

// View draws the screen.
func (m *Model) View() tea.View {
	var lines []string
	height := m.conversationHeight()
	m.win.height = height
	if m.help {
		lines = m.helpLines(height)
	} else {
		lines = m.conversationLines()
	}
	for len(lines) < height {
		lines = append(lines, "")
	}
	lines = append(lines, m.extraRows()...)
	top := len(lines)
	input, x, y := m.inputLines()
	lines = append(lines, input...)
	m.st.silent = m.silence() > 0
	lines = append(lines, m.st.line(m.r, m.width, m.now))
	if over := len(lines) - m.height; over > 0 {
		lines = lines[over:]
		top -= over
	}
	v := tea.NewView(strings.Join(lines, "\n"))
	v.AltScreen = true
	v.MouseMode = tea.MouseModeCellMotion
	v.WindowTitle = strings.TrimSpace(cleanLine(m.st.pod) + " " + cleanLine(string(m.st.state)) + " podium")
	if m.selected == nil && !m.help {
		v.Cursor = tea.NewCursor(min(margin+x, m.width-1), max(0, top+y))
	}
	return v
}

// conversationLines are the lines on the screen, each with its margin.
func (m *Model) conversationLines() []string {
	rows := m.win.rows(m.conv, m.r, m.now)
	if len(m.conv.blocks) == 0 {
		return m.emptyLines()
	}
	lines := make([]string, len(rows))
	for i, row := range rows {
		mark := " "
		if row.first {
			mark = row.block.shape(m.r, m.now)
		}
		if row.block == m.selected && (row.first || row.text != "") {
			mark = m.r.key.Render(m.r.cursor)
		}
		lines[i] = mark + " " + m.r.method.Truncate(row.text, m.r.width, "")
	}
	return lines
}

// emptyLines say what can be done where nothing was said yet.
func (m *Model) emptyLines() []string {
	if m.st.conn != connected {
		return nil
	}
	lines := []string{""}
	for _, l := range m.r.wrap("Nothing was said yet. Write to the pod below; ? lists the keys.", m.r.width) {
		lines = append(lines, "  "+m.r.soft.Render(l))
	}
	return lines
}

// inputLines are the visible rows of the input and the cursor in them.
func (m *Model) inputLines() (lines []string, x, y int) {
	rows, x, y := m.editor.rows(m.inputWidth(), m.r.method)
	shown := m.inputRows()
	begin := max(0, min(y-shown+1, len(rows)-shown))
	if y < begin {
		begin = y
	}
	prompt := m.r.user.Render(m.r.theme.shapes.user)
	for i, row := range rows[begin:min(begin+shown, len(rows))] {
		mark := " "
		if begin+i == 0 {
			mark = prompt
		}
		lines = append(lines, mark+" "+row.text)
	}
	if m.editor.text == "" {
		lines[0] = prompt + " " + m.r.soft.Render(m.r.fit(m.placeholder(), m.inputWidth()))
	}
	return lines, x, y - begin
}

func (m *Model) placeholder() string {
	switch {
	case m.startable():
		return "Enter starts the pod again"
	case m.st.conn == ended:
		return "the pod has ended"
	case m.st.busy():
		return "message the pod (sent when the run ends)"
	default:
		return "message the pod, ? for keys"
	}
}

// helpLines are the visible lines of the list of keys.
func (m *Model) helpLines(height int) []string {
	all := m.helpAll()
	at := max(0, min(m.helpAt, len(all)-height))
	return all[at:min(at+height, len(all))]
}

// helpAll is the list of keys; where it is narrow, explanations stand below.
func (m *Model) helpAll() []string {
	column := 20
	if m.r.width < 60 {
		column = 4
	}
	var all []string
	for _, k := range keyHelp {
		if k[0] == "" {
			all = append(all, "  "+m.r.bold.Render(k[1]))
			continue
		}
		head := m.r.key.Render(k[0]) + strings.Repeat(" ", max(0, column-len(k[0])))
		if len(k[0]) >= column {
			all = append(all, "  "+m.r.fit(head, m.r.width))
			head = strings.Repeat(" ", column)
		}
		for _, l := range m.r.wrap(k[1], m.r.width-column) {
			all = append(all, "  "+m.r.fit(head+l, m.r.width))
			head = strings.Repeat(" ", column)
		}
	}
	return all
}
