package tui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"podium.local/protocol"
)

// keyHelp is what ? shows: keys and what they do, in groups. An empty key
// begins a group.
var keyHelp = [][2]string{
	{"", "The run"},
	{"Enter", "send; while a run is on: queue; empty and paused: resume"},
	{"Ctrl-C", "running: pause; else twice within 3 s: leave (the pod lives on)"},
	{"Ctrl-X", "cancel the run, and clear the queue"},
	{"Ctrl-D", "shut the pod down; while a run is on: twice within 3 s"},
	{"/", "a command: /compact /pause /resume /cancel /help /quit"},
	{"", "Writing"},
	{"Alt-Enter", "new line (also Shift-Enter, Ctrl-J)"},
	{"Up Down", "move; at the border: earlier inputs"},
	{"@", "complete a file of the project: Tab takes it, Esc closes"},
	{"Ctrl-G", "write in the external editor"},
	{"Ctrl-A Ctrl-E", "begin and end of the line (also Home, End)"},
	{"Alt-B Alt-F", "a word left, a word right (also Ctrl-Left, Ctrl-Right)"},
	{"Ctrl-W Alt-D", "remove the word before, after the cursor"},
	{"Ctrl-U Ctrl-K", "remove up to the begin, to the end of the line"},
	{"Ctrl-V", "put back what was removed last"},
	{"", "The conversation"},
	{"PgUp PgDn", "scroll (also the mouse wheel, Shift-Up, Shift-Down)"},
	{"Ctrl-Home Ctrl-End", "to the beginning, to the newest line"},
	{"Tab", "select: Up and Down (j, k) move, Enter opens, y copies, Esc ends"},
	{"Ctrl-O", "open or fold all results and thoughts"},
	{"Ctrl-Y", "copy the newest answer; Shift and the mouse select as in any terminal"},
	{"", "The screen"},
	{"?", "this list, when nothing is written (also F1); Esc closes it"},
	{"Ctrl-L", "draw everything anew"},
	{"Ctrl-Z", "suspend this client"},
}

// Texts of the keys that want to be pressed twice.
const (
	leaveAgain    = "Press Ctrl-C again within 3 s to exit the TUI (the Pod keeps running)."
	onItsWay      = "The input is on its way and cannot be taken back before the pod answers."
	nothingThere  = "Nothing to cancel (Pod is not running)."
	shutdownAgain = "Turn is running. Press Ctrl-D again to cancel and shut down."
	pausedHint    = "paused — Enter to resume, type to start new turn"
)

// key does what a key means. What is bound to nothing is ignored unless it is
// a character.
func (m *Model) key(k tea.KeyPressMsg) tea.Cmd {
	name := k.String()
	if m.armed != name {
		m.unsay()
	}
	if cmd, ok := m.runKey(name); ok {
		return cmd
	}
	if m.help {
		m.helpKey(name)
		return nil
	}
	if cmd, ok := m.scrollKey(name); ok {
		return cmd
	}
	if m.selected != nil {
		return m.selectKey(name, k)
	}
	if m.comp.open() && m.completionKey(name) {
		return nil
	}
	before := m.editor.text
	cmd := m.writeKey(name, k)
	if m.editor.text != before && m.flash.ofText {
		m.flash.text = ""
	}
	m.comp.update(&m.editor)
	if m.comp.wantsFiles(&m.editor) {
		cmd = tea.Batch(cmd, m.listFiles())
	}
	return cmd
}

// twice reports whether the key was pressed a second time in time.
func (m *Model) twice(name, words string) bool {
	if m.armed == name && m.now.Before(m.armedTo) {
		m.unsay()
		return true
	}
	m.sayOfState(words)
	m.armed, m.armedTo = name, m.now.Add(pressAgain)
	m.flash.to = m.armedTo
	return false
}

// runKey is what acts on the run and on the program, in every mode.
func (m *Model) runKey(name string) (tea.Cmd, bool) {
	switch name {
	case "ctrl+c":
		_, asked := m.asked[protocol.Pause{}.MethodName()]
		if m.st.conn == connected && m.st.state == protocol.StateRunning && !asked {
			return m.ask(protocol.Pause{}), true
		}
		if m.st.conn == ended || m.twice(name, leaveAgain) {
			return m.leave(), true
		}
		return nil, true
	case "ctrl+x":
		return m.cancel(), true
	case "ctrl+d":
		if m.st.conn == ended || m.st.conn == connecting {
			return m.leave(), true
		}
		if m.st.busy() && !m.twice(name, shutdownAgain) {
			return nil, true
		}
		return m.once(protocol.Shutdown{}), true
	case "ctrl+l":
		return drawAnew, true
	case "ctrl+z":
		return tea.Suspend, true
	case "f1":
		m.help, m.helpAt = !m.help, 0
		return nil, true
	}
	return nil, false
}

// once sends a method unless the same one waits for its answer.
func (m *Model) once(params protocol.MethodParams) tea.Cmd {
	if _, asked := m.asked[params.MethodName()]; asked {
		return nil
	}
	return m.ask(params)
}

// leave ends this program; the pod lives on.
func (m *Model) leave() tea.Cmd {
	if m.farewell == "" && m.st.pod != "" {
		m.farewell = "The pod lives on; podium attach " + cleanLine(m.st.pod) + " comes back."
		if m.st.conn == disconnected {
			m.farewell = "The connection was lost; podium attach " + cleanLine(m.st.pod) + " tries again."
			if m.o.Continue != "" {
				m.farewell += " If the pod is gone, " + m.o.Continue + " continues its session."
			}
		}
	}
	return tea.Quit
}

// cancel ends the run, and with it what was queued for after it.
func (m *Model) cancel() tea.Cmd {
	if m.st.conn != connected || !m.st.busy() && m.st.state != protocol.StatePaused {
		m.sayOfState(nothingThere)
		if m.pending != nil {
			m.sayOfState(onItsWay)
		}
		return nil
	}
	m.clearQueue()
	return m.once(protocol.Cancel{})
}

func (m *Model) helpKey(name string) {
	switch name {
	case "up", "k":
		m.helpAt--
	case "down", "j":
		m.helpAt++
	case "pgup":
		m.helpAt -= m.height / 2
	case "pgdown", "space":
		m.helpAt += m.height / 2
	default:
		m.help = false
	}
	m.helpAt = max(0, min(m.helpAt, len(m.helpAll())-m.conversationHeight()))
}

// scrollKey moves the window.
func (m *Model) scrollKey(name string) (tea.Cmd, bool) {
	m.win.homing = false
	page := max(1, m.win.height-2)
	switch name {
	case "pgup":
		m.scroll(-page)
	case "pgdown":
		m.scroll(page)
	case "shift+up":
		m.scroll(-1)
	case "shift+down":
		m.scroll(1)
	case "ctrl+home":
		if len(m.conv.blocks) > 0 {
			m.win.follow, m.win.top, m.win.off, m.win.homing = false, m.conv.blocks[0], 0, true
		}
	case "ctrl+end":
		m.win.follow = true
	case "ctrl+o":
		m.r.detail = !m.r.detail
		m.r.generation++
	case "ctrl+y":
		return m.copy(m.conv.last(kindAnswer)), true
	case "tab":
		if m.comp.open() || m.selected != nil {
			return nil, false
		}
		m.selectBlock(m.lowest(), -1)
	default:
		return nil, false
	}
	return nil, true
}

func (m *Model) scroll(lines int) {
	m.win.height = m.conversationHeight()
	m.win.scroll(m.conv, m.r, m.now, lines)
}

// wheel scrolls, whatever else is going on.
func (m *Model) wheel(msg tea.MouseWheelMsg) tea.Cmd {
	m.win.homing = false
	lines := 3
	switch msg.Button {
	case tea.MouseWheelUp:
		lines = -lines
	case tea.MouseWheelDown:
	default:
		return nil
	}
	if m.help {
		m.helpAt = max(0, min(m.helpAt+lines, len(m.helpAll())-m.conversationHeight()))
		return nil
	}
	m.scroll(lines)
	return nil
}

// copy puts a block's text on the clipboard.
func (m *Model) copy(b *block) tea.Cmd {
	if b == nil {
		m.say("There is nothing to copy yet.")
		return nil
	}
	text := b.plain()
	m.say("Copied " + bytesWords(len(text)) + " (if the terminal allows it).")
	return tea.SetClipboard(text)
}

func (m *Model) completionKey(name string) bool {
	switch name {
	case "up", "ctrl+p":
		m.comp.move(-1)
	case "down", "ctrl+n":
		m.comp.move(1)
	case "tab", "enter":
		m.comp.accept(&m.editor)
	case "esc":
		m.comp.dismiss(&m.editor)
	default:
		return false
	}
	return true
}

// lowest is the last block on the screen.
func (m *Model) lowest() int {
	m.win.height = m.conversationHeight()
	rows := m.win.rows(m.conv, m.r, m.now)
	if len(rows) == 0 {
		return -1
	}
	return slices.Index(m.conv.blocks, rows[len(rows)-1].block)
}

// selectBlock selects the nearest block of substance from i on in a direction.
func (m *Model) selectBlock(i, by int) {
	for ; i >= 0 && i < len(m.conv.blocks); i += by {
		if b := m.conv.blocks[i]; b.kind != kindGap && b.kind != kindRunEnd {
			m.selected = b
			m.win.height = m.conversationHeight()
			m.win.show(m.conv, m.r, m.now, b)
			return
		}
	}
}

// selectKey is a key while a block is selected.
func (m *Model) selectKey(name string, k tea.KeyPressMsg) tea.Cmd {
	at := slices.Index(m.conv.blocks, m.selected)
	switch name {
	case "up", "k":
		m.selectBlock(at-1, -1)
	case "down", "j":
		m.selectBlock(at+1, 1)
	case "home":
		m.selectBlock(0, 1)
	case "end":
		m.selectBlock(len(m.conv.blocks)-1, -1)
	case "enter", "right", "left":
		if b := m.selected; b.foldable() {
			b.unfolded = !b.unfolded
			b.changed()
			m.win.show(m.conv, m.r, m.now, b)
		}
	case "y":
		return m.copy(m.selected)
	case "?":
		m.help, m.helpAt = true, 0
	case "esc", "tab":
		m.selected = nil
	default:
		// Whoever writes on means the input.
		m.selected = nil
		return m.writeKey(name, k)
	}
	return nil
}

// writeKey edits the input.
func (m *Model) writeKey(name string, k tea.KeyPressMsg) tea.Cmd {
	e := &m.editor
	switch name {
	case "enter":
		return m.enter()
	case "alt+enter", "shift+enter", "ctrl+j", "ctrl+enter":
		e.insert("\n")
	case "up", "ctrl+p":
		if !e.vertical(-1, m.inputWidth(), m.r.method) {
			m.recall.move(-1, e)
		}
	case "down", "ctrl+n":
		if !e.vertical(1, m.inputWidth(), m.r.method) {
			m.recall.move(1, e)
		}
	case "left", "ctrl+b":
		e.left()
	case "right", "ctrl+f":
		e.right()
	case "home", "ctrl+a":
		e.home()
	case "end", "ctrl+e":
		e.end()
	case "alt+b", "ctrl+left", "alt+left":
		e.at, e.column = e.wordLeft(), -1
	case "alt+f", "ctrl+right", "alt+right":
		e.at, e.column = e.wordRight(), -1
	case "backspace", "ctrl+h":
		e.backspace()
	case "delete":
		e.delete()
	case "ctrl+w", "alt+backspace", "ctrl+backspace":
		e.kill(e.wordLeft(), e.at)
	case "alt+d", "ctrl+delete":
		e.kill(e.at, e.wordRight())
	case "ctrl+u":
		e.kill(e.lineStart(), e.at)
	case "ctrl+k":
		e.kill(e.at, e.lineEnd())
	case "ctrl+v":
		e.yank()
	case "ctrl+g":
		return m.edit()
	case "esc":
		m.comp.dismiss(e)
	case "?":
		if e.text == "" {
			m.help, m.helpAt = true, 0
			return nil
		}
		e.insert("?")
	default:
		if k.Text != "" && k.Mod&(tea.ModCtrl|tea.ModAlt|tea.ModMeta|tea.ModSuper|tea.ModHyper) == 0 {
			e.insert(k.Text)
		}
	}
	return nil
}

// enter sends what is written, or does what Enter means without a text.
func (m *Model) enter() tea.Cmd {
	e := &m.editor
	if e.at > 0 && e.at == len(e.text) && strings.HasSuffix(e.text, "\\") {
		e.backspace()
		e.insert("\n")
		return nil
	}
	if e.empty() {
		return m.enterNothing()
	}
	text := strings.TrimSpace(e.value())
	if IsCommand(e.value()) {
		cmd, ok := m.command(text)
		if !ok {
			m.say(cleanLine(firstLine(text)) + ": " + NoCommand + ".")
			m.flash.ofText = true
			return nil
		}
		e.set("")
		return cmd
	}
	if m.st.conn == ended && m.o.Start == nil {
		m.say("The pod has ended; your text stays here.")
		return nil
	}
	e.set("")
	return tea.Batch(m.keep(text), m.submit(text))
}

// enterNothing is Enter without a text.
func (m *Model) enterNothing() tea.Cmd {
	switch {
	case m.startable():
		if m.starting {
			return nil
		}
		return m.start()
	case m.st.state == protocol.StatePaused:
		m.release()
		return m.once(protocol.Resume{})
	case m.st.busy():
		m.release()
	case len(m.queue) > 0:
		return m.dispatchNow()
	}
	return nil
}

// startable reports whether the pod is known to be gone and can be started.
func (m *Model) startable() bool {
	return m.o.Start != nil && (m.st.conn == ended || m.st.conn == disconnected && m.st.gone)
}

// command is a line that means something here.
func (m *Model) command(text string) (tea.Cmd, bool) {
	switch text {
	case "/compact":
		if m.st.base || !m.features["compact"] {
			m.say("This pod cannot be asked to compact.")
			return nil, true
		}
		m.win.follow = true
		return m.once(protocol.Compact{}), true
	case "/cancel":
		return m.cancel(), true
	case "/pause":
		return m.once(protocol.Pause{}), true
	case "/resume":
		return m.once(protocol.Resume{}), true
	case "/help":
		m.help, m.helpAt = true, 0
		return nil, true
	case "/quit", "/exit":
		return m.leave(), true
	}
	return nil, false
}
