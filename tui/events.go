package tui

import (
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"podium.local/protocol"
)

// event shows one event of the pod.
func (m *Model) event(e protocol.Event) tea.Cmd {
	if e.Seq > m.seq {
		m.seq = e.Seq
	}
	m.st.conn, m.starting = connected, false
	before := m.st.state
	defer func() {
		if m.st.state != before {
			m.unsay()
		}
	}()
	var cmd tea.Cmd
	switch d := e.Data.(type) {
	case protocol.HelloEvent:
		m.hello(d)
	case protocol.Snapshot:
		m.snapshot(d)
		m.seq = max(m.seq, d.Seq)
		first, _ := bounds(m.conv.blocks)
		cmd = tea.Batch(m.readLog(first, ""), m.readSpent(m.st.session))
	case protocol.History:
		m.history(d)
	case protocol.Status:
		cmd = m.status(d)
	case protocol.UserInput:
		m.userInput(d)
	case protocol.TurnStart:
		m.turnStart()
	case protocol.TextDelta:
		m.streams()
		m.conv.grow(&m.conv.text, kindAnswer, d.Text)
	case protocol.TextDone:
		m.conv.finish(&m.conv.text, kindAnswer, d.Text, d.EntryID)
	case protocol.ReasoningDelta:
		m.streams()
		m.conv.grow(&m.conv.thought, kindReasoning, d.Text)
	case protocol.ReasoningDone:
		m.conv.finish(&m.conv.thought, kindReasoning, d.Text, d.EntryID)
	case protocol.ToolCallStart:
		m.streams()
		m.conv.call(d.ID, d.Name)
	case protocol.ToolCallArgsDelta:
		m.streams()
		m.conv.callArguments(d.ID, d.JSON)
	case protocol.ToolCallDone:
		m.conv.callDone(d)
	case protocol.ToolResult:
		m.conv.result(d, m.now)
	case protocol.Usage:
		m.st.run.add(d)
		m.st.totals.add(d)
		m.st.measure(d)
	case protocol.TurnEnd:
		m.st.asking = false
		m.conv.discard()
		m.conv.execute(m.now)
	case protocol.RunEnd:
		cmd = m.runEnd(d)
	case protocol.Error:
		cmd = m.podError(d)
	case protocol.Notification:
		m.notification(d)
	case protocol.CompactStart:
		m.conv.compacting(m.now)
		if m.st.base {
			m.st.enter(protocol.StateCompacting, m.now)
		}
	case protocol.CompactDone:
		m.compactDone(d)
		cmd = m.readSpent(m.st.session)
	case protocol.CompactFailed:
		m.conv.compacted(compactError+d.Error, protocol.LevelError, m.now)
		m.compactOver()
	case protocol.ShutdownEvent, protocol.Accepted, protocol.Entries:
		// The end of the stream says the first, the answers to methods the others.
	case protocol.Unknown:
		m.conv.say(kindRaw, "", fmt.Sprintf("[%s] %s", d.Name, d.Data))
	default:
		m.conv.say(kindRaw, "", "["+e.Data.EventName()+"]")
	}
	if m.live != nil && m.seq >= m.liveAt {
		m.enterLive()
	}
	return cmd
}

func (m *Model) hello(d protocol.HelloEvent) {
	m.st.base, m.st.retry = false, nil
	m.st.pod, m.st.session = d.PodName, d.SessionID.String()
	m.st.enter(d.State, time.Time{})
	m.st.runActive = d.State == protocol.StateRunning
	m.features = map[string]bool{}
	for _, f := range d.Features {
		m.features[f] = true
	}
	if !d.Resumed {
		m.seq = d.Seq
		return
	}
	m.conv.discard()
	if d.Live != nil {
		m.live, m.liveAt = d.Live, d.Seq
	}
}

// streams notes that an answer arrives.
func (m *Model) streams() {
	m.enterLive()
	m.st.answered = true
	if m.st.base && !m.st.busy() {
		m.runBegins()
		m.st.enter(protocol.StateRunning, m.now)
	}
}

// enterLive shows the unfinished rest that a resumed hello told of.
func (m *Model) enterLive() {
	if m.live == nil {
		return
	}
	live := m.live
	m.live = nil
	m.takeLive(*live)
}

func (m *Model) snapshot(d protocol.Snapshot) {
	blocks := blocksOf(d.Items)
	var older *gap
	if d.Before != nil {
		older = &gap{before: *d.Before}
	}
	m.replace(d.SessionID.String(), blocks, older)
	m.live = nil
	m.takeLive(d.Live)
	m.st.session = d.SessionID.String()
	m.st.enter(d.State, m.st.since)
	if d.State == protocol.StateCompacting {
		m.conv.compacting(m.now)
	}
	if d.State != protocol.StateRunning {
		m.conv.runOver(d.State == protocol.StatePaused)
	}
}

// replace puts another conversation on the screen.
func (m *Model) replace(session string, blocks []*block, older *gap) {
	m.conv.reset(session, blocks, older)
	m.win = window{follow: true, height: m.win.height}
	m.selected = nil
	if m.pending != nil && m.pending.entryID != "" {
		m.pending = nil
	}
}

// takeLive shows the unfinished rest of an answer and takes the totals. Calls
// wait while the answer they are in goes on.
func (m *Model) takeLive(live protocol.Live) {
	m.conv.inFlight(live)
	if m.st.answered = len(live.InFlight) > 0; m.st.answered {
		m.conv.suspend()
	}
	// A run without a tool at work waits for the model.
	m.st.asking = m.st.answered || m.st.state == protocol.StateRunning && len(m.conv.calls) == 0
	m.st.totals = totalsOf(live.Usage)
	m.st.measure(live.Usage)
}

// history is the conversation of a pod that speaks the base vocabulary.
func (m *Model) history(d protocol.History) {
	m.replace("", blocksOf(d.Items), nil)
	m.st.model, m.r.dir = d.Greeting.Model, d.Greeting.Cwd
	if d.Greeting.PodName != "" {
		m.st.pod = d.Greeting.PodName
	}
	if m.st.state == "" {
		m.st.enter(protocol.StateIdle, time.Time{})
	}
}

func (m *Model) status(d protocol.Status) tea.Cmd {
	m.st.clients, m.st.queued, m.st.retry = d.Clients, d.Queued, d.Retry
	if !d.SessionID.IsZero() {
		m.st.session = d.SessionID.String()
	}
	since := m.now.Add(-time.Duration(d.SinceMS) * time.Millisecond)
	if m.st.state == d.State && !m.st.since.IsZero() {
		since = m.st.since
	}
	m.st.enter(d.State, since)
	if d.State == protocol.StateRunning {
		m.runBegins()
	}
	if d.State == protocol.StateIdle {
		return m.dispatch()
	}
	return nil
}

// userInput shows an input that is in the log.
func (m *Model) userInput(d protocol.UserInput) {
	b := &block{kind: kindInput, input: d.Kind, entryID: d.EntryID, items: 1}
	b.text, b.cut = limit(d.Text)
	b.text = clean(b.text)
	mine := m.own[d.EntryID]
	if p := m.pending; p != nil && (p.entryID == d.EntryID || p.entryID == "" && d.Client == m.o.Client && d.Text == p.text) {
		mine, m.pending = true, nil
	}
	if !mine {
		b.from = cleanLine(d.Client)
		if b.from == "" {
			b.from = "another client"
		}
	}
	m.conv.add(b)
}

func (m *Model) turnStart() {
	m.runBegins()
	m.conv.discard()
	m.st.run.requests++
	m.st.asking, m.st.answered = true, false
	if m.st.base {
		m.st.enter(protocol.StateRunning, m.now)
		// A pod that confirms nothing shows by its first turn that it took the input.
		if m.pending != nil {
			text := m.pending.text
			m.pending = nil
			m.conv.add(&block{kind: kindInput, text: clean(text)})
		}
	}
}

// runBegins starts the statistics of a run.
func (m *Model) runBegins() {
	if !m.st.runActive {
		m.st.run, m.st.runBegan, m.st.runActive = totals{}, m.now, true
	}
}

func (m *Model) runEnd(d protocol.RunEnd) tea.Cmd {
	if d.EntryID != "" && d.EntryID == m.ended {
		return nil // it was told before it could be saved, and is saved now
	}
	m.ended = d.EntryID
	m.conv.runOver(d.Result == protocol.RunPaused)
	if d.Error != "" && !m.conv.told(d.Error) {
		m.conv.say(kindError, protocol.LevelError, "[error] "+d.Error)
	}
	if d.Result == protocol.RunRolledBack {
		if b := m.conv.takeBack(); b != nil && b.from == "" && m.editor.empty() {
			m.editor.paste(b.text)
			m.say("Taken back before anything answered it; the text is in the input again.")
		}
	}
	return m.runOver(d.Result)
}

// runOver closes a run on the screen.
func (m *Model) runOver(result protocol.RunResult) tea.Cmd {
	m.st.brokenOff()
	m.conv.say(kindRunEnd, "", m.st.runWords(m.r, result, m.now))
	m.st.runActive, m.st.retry = false, nil
	state := protocol.StateIdle
	if result == protocol.RunPaused {
		state = protocol.StatePaused
	}
	m.st.enter(state, m.now)
	switch result {
	case protocol.RunFinished:
		return m.dispatch()
	case protocol.RunCancelled, protocol.RunRolledBack:
		m.clearQueue() // whoever cancelled
	default:
		m.held = !m.promised
	}
	return nil
}

// rejection reports whether an error answers a method and ends nothing.
func rejection(d protocol.Error) bool {
	switch d.Code {
	case protocol.CodeAlreadyRunning, protocol.CodeNotRunning, protocol.CodeNotPaused, protocol.CodeUnsupportedVersion:
		return true
	case protocol.CodeInternal:
		return strings.HasPrefix(d.Message, "invalid method: ") || strings.HasPrefix(d.Message, "refused: ")
	default:
		return false
	}
}

// refusal is why a method was refused, for a person: what the protocol calls
// a pod that is not running is a pod without a run.
func refusal(code protocol.ErrorCode, message string) string {
	switch code {
	case protocol.CodeNotRunning:
		message = "no run is on, the pod is idle"
	case protocol.CodeNotPaused:
		message = "no run is paused"
	}
	return fmt.Sprintf("[%s] %s", cleanLine(string(code)), cleanLine(message))
}

func (m *Model) podError(d protocol.Error) tea.Cmd {
	text := fmt.Sprintf("[%s] %s", cleanLine(string(d.Code)), clean(d.Message))
	if rejection(d) {
		m.say(refusal(d.Code, d.Message))
		m.giveBack()
		return nil
	}
	m.conv.runOver(false)
	m.st.refused(d.Code)
	cancelled := d.Code == protocol.CodeInternal && d.Message == "Cancelled"
	if cancelled && !m.st.base && !m.st.runActive {
		// A paused run was discarded: no run_end follows.
		m.conv.say(kindRunEnd, "", "cancelled")
		m.clearQueue()
		return nil
	}
	if !cancelled {
		m.conv.say(kindError, protocol.LevelError, text)
	}
	if !m.st.base {
		return nil // run_end follows
	}
	if cancelled {
		return m.runOver(protocol.RunCancelled)
	}
	return m.runOver(protocol.RunFailed)
}

// noticedMost bounds the memory of notifications; a pod replays at most 512.
const noticedMost = 4096

func (m *Model) notification(d protocol.Notification) {
	head := "[notice]"
	if d.Level == protocol.LevelError {
		head = "[notice error]"
	}
	source := string(d.Source)
	if d.Source == protocol.SourceAgentsMD {
		source = "AGENTS.md"
	}
	text := fmt.Sprintf("%s %s: %s", head, cleanLine(source), d.Message)
	key := fmt.Sprint(d.TimestampMS, text)
	if d.TimestampMS != 0 && m.noticed[key] {
		return
	}
	if len(m.noticed) >= noticedMost {
		clear(m.noticed)
	}
	m.noticed[key] = true
	if d.Source == protocol.SourceCompactor && m.conv.failedWith(d.Message) {
		return // its own line said so
	}
	b := m.conv.notice(d.Level, text)
	if m.conv.repeats(b) {
		return
	}
	if d.TimestampMS != 0 {
		b.at = time.UnixMilli(d.TimestampMS)
	}
	m.conv.place(b)
}

func (m *Model) compactDone(d protocol.CompactDone) {
	m.conv.compacted(fmt.Sprintf("[compact] done (new session %s)", d.NewSessionID.Short()), "", m.now)
	old := m.conv.session
	m.conv.session = d.NewSessionID.String()
	m.conv.epoch++
	for _, b := range m.conv.blocks {
		if b.kind == kindGap && !b.gap.gone {
			b.gap.gone, b.gap.session = true, old
			b.changed()
		}
	}
	m.st.session = d.NewSessionID.String()
	m.st.before = m.st.before.plus(m.st.totals)
	m.st.totals, m.st.context = totals{}, 0
	m.compactOver()
}

// compactOver leaves the state in which a pod that does not tell its state
// was before.
func (m *Model) compactOver() {
	if !m.st.base {
		return
	}
	state := protocol.StateIdle
	if m.st.runActive {
		state = protocol.StateRunning
	}
	m.st.enter(state, m.now)
}
