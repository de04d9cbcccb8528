package tui

import (
	"context"
	"fmt"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"podium.local/protocol"
)

// Fact is what a session's log says besides the items of its history, so that
// a terminal that comes later shows what one that stayed has seen. Exactly one
// of Input, Result, End and Compacted is set.
type Fact struct {
	// EntryID is the log entry, Seq its number among the pod's durable events, 0
	// for none.
	EntryID string
	Seq     uint64
	At      time.Time
	// After is the newest entry before it that begins a block of its own: an
	// input, a system text, a text, a thought or a call.
	After  string
	Input  *InputFact
	Result *ResultFact
	End    *EndFact
	// Compacted is the session that a compaction began.
	Compacted string
}

// InputFact says who said an input, and how.
type InputFact struct {
	Text   string
	Kind   protocol.InputKind
	Client string
}

// ResultFact says how long a call took; zero when that is not known.
type ResultFact struct {
	CallID string
	Took   time.Duration
}

// EndFact is the end of a run and what the run used.
type EndFact struct {
	Result protocol.RunResult
	Code   protocol.ErrorCode
	Error  string
	// Whole says that the run's begin was seen: then the rest is known.
	Whole    bool
	Requests int
	// In is net of what was read from the cache.
	In, Out int64
	// CostUSD is nil when unknown; CostPartial says that it is only part.
	CostUSD     *float64
	CostPartial bool
	Took        time.Duration
}

// Log reads the facts of a session's log from one entry to another, both
// included, oldest first; an empty last means to the newest.
type Log func(ctx context.Context, session, first, last string) ([]Fact, error)

// Spent is what the sessions before one used, those that it was compacted from.
type Spent struct {
	// In is net of what was read from the cache.
	In, Out int64
	// CostUSD is nil when unknown; Partial says that it is only part.
	CostUSD *float64
	Partial bool
}

type spentMsg struct {
	session string
	spent   Spent
	err     error
}

// readSpent asks what the sessions before the pod's used.
func (m *Model) readSpent(session string) tea.Cmd {
	if m.o.Spent == nil || m.st.base {
		return nil
	}
	ctx := m.ctx
	return func() tea.Msg {
		spent, err := m.o.Spent(ctx, session)
		return spentMsg{session, spent, err}
	}
}

// spent takes what the sessions before used. Without an answer the sums that
// were seen stay.
func (m *Model) spent(msg spentMsg) {
	if msg.err == nil && msg.session == m.st.session {
		m.st.before = totals{in: msg.spent.In, out: msg.spent.Out, cost: msg.spent.CostUSD, partial: msg.spent.Partial}
	}
}

type factsMsg struct {
	session string
	facts   []Fact
	// upTo is the newest durable event that the items held.
	upTo uint64
	err  error
}

// readLog asks the log what it knows of the blocks from first to last.
func (m *Model) readLog(first, last string) tea.Cmd {
	if m.o.Log == nil || m.st.base || first == "" {
		return nil
	}
	ctx, session, upTo := m.ctx, m.conv.session, m.seq
	return func() tea.Msg {
		facts, err := m.o.Log(ctx, session, first, last)
		return factsMsg{session, facts, upTo, err}
	}
}

// bounds are the first and the last entry of blocks.
func bounds(blocks []*block) (first, last string) {
	for _, b := range blocks {
		if b.entryID != "" && first == "" {
			first = b.entryID
		}
		if b.entryID != "" {
			last = b.entryID
		}
	}
	return first, last
}

// learn puts facts into the conversation.
func (m *Model) learn(msg factsMsg) {
	if msg.err != nil || msg.session != m.conv.session {
		// The log is a help, not the conversation: without it the items stand alone.
		return
	}
	facts := slices.DeleteFunc(msg.facts, func(f Fact) bool { return f.Seq > msg.upTo })
	for i := range facts {
		switch f := &facts[i]; {
		case f.Input != nil:
			m.learnInput(f)
		case f.Result != nil:
			m.learnResult(f)
		case f.End != nil:
			m.learnEnd(f)
		case f.Compacted != "":
			m.conv.insert(f, &block{kind: kindCompact, text: "[compact] done (new session " + cleanLine(f.Compacted[:min(8, len(f.Compacted))]) + ")"})
		}
	}
}

func (m *Model) learnInput(f *Fact) {
	i := slices.IndexFunc(m.conv.blocks, func(b *block) bool { return b.entryID == f.EntryID })
	if i < 0 || m.own[f.EntryID] {
		return
	}
	b := m.conv.blocks[i]
	b.input = f.Input.Kind
	if b.kind == kindSystem {
		// The model reads a notification with words around it.
		b.kind = kindInput
		b.text, b.cut = limit(f.Input.Text)
		b.text = clean(b.text)
	}
	// Of an imported input nobody knows a client: it is the person's own.
	imported := f.Input.Client == "" && f.Seq == 0
	if f.Input.Client != m.o.Client && !imported || f.Input.Kind != protocol.InputText {
		b.from = cleanLine(f.Input.Client)
		if b.from == "" {
			b.from = "another client"
		}
	}
	b.changed()
}

func (m *Model) learnResult(f *Fact) {
	for _, b := range slices.Backward(m.conv.blocks) {
		if b.kind == kindTool && b.tool.id == f.Result.CallID && b.tool.done {
			if b.tool.took == 0 {
				b.tool.took = f.Result.Took
				b.changed()
			}
			return
		}
	}
}

func (m *Model) learnEnd(f *Fact) {
	end := f.End
	if end.Error != "" {
		text := clean(fmt.Sprintf("[%s] %s", end.Code, end.Error))
		// An error of the last run outlived the snapshot: here is its place.
		m.conv.blocks = slices.DeleteFunc(m.conv.blocks, func(b *block) bool { return b.kind == kindError && b.factOf == "" && b.text == text })
		m.conv.insert(f, &block{kind: kindError, level: protocol.LevelError, text: text})
	}
	st := status{run: totals{requests: end.Requests, in: end.In, out: end.Out, cost: end.CostUSD, partial: end.CostPartial}}
	if !end.Whole {
		st.run = totals{}
	} else {
		st.runBegan = f.At.Add(-end.Took)
	}
	m.conv.insert(f, &block{kind: kindRunEnd, text: st.runWords(m.r, end.Result, f.At)})
}

// insert puts the block of a fact behind what the log has before it.
func (c *conversation) insert(f *Fact, b *block) {
	i := slices.IndexFunc(c.blocks, func(have *block) bool { return have.entryID != "" && have.entryID == f.After })
	if i < 0 {
		return // what it belongs to is not held
	}
	for i++; i < len(c.blocks) && c.blocks[i].factOf != ""; i++ {
		if c.blocks[i].factOf == f.EntryID && c.blocks[i].kind == b.kind {
			return // it stands there already
		}
	}
	b.factOf, b.epoch, b.at = f.EntryID, c.blocks[i-1].epoch, f.At
	c.blocks = slices.Insert(c.blocks, i, b)
}
