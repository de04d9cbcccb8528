package session

import (
	"encoding/json"
	"slices"

	"podium.local/protocol"
)

// Item is one record of the conversation: an entry that the history shows.
// Entries that only mark ends (turn_end, run_end, rolled_back, compaction)
// have none.
type Item struct {
	// EntryID and Ordinal name the entry; the id is empty for the closing results
	// that Conversation makes up.
	EntryID string
	Ordinal int64
	// Kind is input, system, text, reasoning, tool_call or tool_result.
	Kind Kind
	// Role is who speaks to the model: user, assistant, system; action for a
	// tool's result.
	Role string
	// Text is what the model reads of an input, a system text, a text or a
	// reasoning block.
	Text string
	// Opaque belongs to a reasoning block.
	Opaque json.RawMessage
	// Call and Result are set for their kinds.
	Call   ToolCall
	Result ToolResult
	// Complete says that the answer it belongs to has its turn end.
	Complete bool

	answer int // which answer a block belongs to
}

// History is a log folded into a conversation. It is not safe for use by
// several goroutines at once.
type History struct {
	items []Item
	// open are the calls of the newest answer that have no result yet, as
	// indexes into items.
	open []int
	// answer numbers the answers; begun says that the current one has a block.
	answer int
	begun  bool
	entry  Entry // being applied
	turns  uint64
	length int64
	inRun  bool
	usage  Totals
	gauge  Gauge
	// task is the newest request and how its run ended, empty while it has not.
	task    *Item
	taskEnd protocol.RunResult
	// lastEnd is the newest end of a run.
	lastEnd RunEnd
}

// Totals are a session's token counts and cost. Tokens; CostUSD is nil until
// a request with a known price was counted, and Partial says that others had
// none.
type Totals struct {
	InputTokens      int64    `json:"input_tokens"`
	OutputTokens     int64    `json:"output_tokens"`
	CacheReadTokens  int64    `json:"cache_read_tokens"`
	CacheWriteTokens int64    `json:"cache_write_tokens"`
	ReasoningTokens  int64    `json:"reasoning_tokens"`
	CostUSD          *float64 `json:"cost_usd"`
	Partial          bool     `json:"partial,omitempty"`
	// Known says that at least one request reported its tokens.
	Known bool `json:"known"`
}

// Add counts one request.
func (t *Totals) Add(u *Usage) {
	if u == nil {
		return
	}
	if u.InputTokens != nil {
		t.InputTokens += *u.InputTokens
		t.Known = true
	}
	if u.OutputTokens != nil {
		t.OutputTokens += *u.OutputTokens
		t.Known = true
	}
	t.CacheReadTokens += u.CacheReadTokens
	t.CacheWriteTokens += u.CacheWriteTokens
	t.ReasoningTokens += u.ReasoningTokens
	if u.CostUSD == nil {
		t.Partial = true
		return
	}
	sum := *u.CostUSD
	if t.CostUSD != nil {
		sum += *t.CostUSD
	}
	t.CostUSD = &sum
}

// Fold reads a whole log, in order.
func Fold(entries []Entry) (*History, error) {
	h := &History{}
	for _, e := range entries {
		if err := h.Apply(e); err != nil {
			return nil, err
		}
	}
	return h, nil
}

// Apply adds the next entry of the log.
func (h *History) Apply(e Entry) error {
	payload, err := e.Decode()
	if err != nil {
		return err
	}
	h.length++
	h.entry = e
	switch p := payload.(type) {
	case Input:
		h.boundary()
		h.inRun = true
		role := RoleUser
		if p.Kind != protocol.InputText {
			role = RoleSystem
		}
		h.add(Item{Kind: e.Kind, Role: role, Text: p.ModelText()})
		if p.Kind == protocol.InputText {
			h.task, h.taskEnd = &Item{EntryID: e.ID, Text: p.Text}, ""
		}
	case System:
		h.boundary()
		h.add(Item{Kind: e.Kind, Role: RoleSystem, Text: p.Text})
	case Text:
		h.block(Item{Kind: e.Kind, Text: p.Text})
	case Reasoning:
		h.block(Item{Kind: e.Kind, Text: p.Text, Opaque: p.Opaque})
	case ToolCall:
		h.block(Item{Kind: e.Kind, Call: p})
		h.open = append(h.open, len(h.items)-1)
	case ToolResult:
		h.result(p)
	case TurnEnd:
		h.turnEnd(p)
	case RunEnd:
		h.begun = false
		h.inRun = false
		h.usage.Add(p.Usage)
		h.taskEnd, h.lastEnd = p.Result, p
	case RolledBack:
		h.rollBack(p.EntryID)
	case Compaction:
		h.turns = max(h.turns, p.Turns)
	}
	return nil
}

// boundary ends the current answer: what follows belongs to another, and
// calls still open can no longer be answered in place.
func (h *History) boundary() {
	h.begun = false
	h.open = nil
}

func (h *History) add(i Item) {
	i.EntryID, i.Ordinal = h.entry.ID, h.entry.Ordinal
	h.items = append(h.items, i)
}

// block adds a part of an answer.
func (h *History) block(i Item) {
	if !h.begun {
		h.answer++
		h.begun = true
		h.open = nil
	}
	i.Role = RoleAssistant
	i.answer = h.answer
	h.inRun = true
	h.add(i)
}

// result closes the open call of its id; a result without one is kept in the
// log alone.
func (h *History) result(r ToolResult) {
	at := slices.IndexFunc(h.open, func(i int) bool { return h.items[i].Call.CallID == r.CallID })
	if at < 0 {
		return
	}
	h.open = slices.Delete(h.open, at, at+1)
	h.begun = false
	h.add(Item{Kind: KindToolResult, Role: RoleAction, Result: r})
}

func (h *History) turnEnd(t TurnEnd) {
	if h.begun {
		for i := len(h.items) - 1; i >= 0 && h.items[i].answer == h.answer; i-- {
			h.items[i].Complete = true
		}
	}
	h.begun = false
	h.turns = t.Turn + 1
	h.usage.Add(t.Usage)
	h.gauge.measured(len(h.items), t.Usage)
}

func (h *History) rollBack(entryID string) {
	if h.task != nil && h.task.EntryID == entryID {
		h.task = nil
	}
	for i := len(h.items) - 1; i >= 0; i-- {
		if h.items[i].EntryID == entryID {
			h.items = slices.Delete(h.items, i, i+1)
			h.gauge.removed(i)
			for j := range h.open {
				if h.open[j] > i {
					h.open[j]--
				}
			}
			return
		}
	}
}

// Items are the records in the order of the log, rolled-back inputs left
// out. The slice is the History's own; callers do not change it.
func (h *History) Items() []Item { return h.items }

// Turns is the number of completed answers since the session began, which is
// the number of the next turn.
func (h *History) Turns() uint64 { return h.turns }

// Length is the number of entries applied.
func (h *History) Length() int64 { return h.length }

// Totals are the usage of all requests recorded in the log.
func (h *History) Totals() Totals { return h.usage }

// Unfinished reports whether something was said after the last run end: in a
// pod's log, that it stops inside a run. Imported logs have no run ends.
func (h *History) Unfinished() bool { return h.inRun }

// LastEnd is the newest end of a run; zero before the first one.
func (h *History) LastEnd() RunEnd { return h.lastEnd }

// FirstRequest is the first input of the log that was a request.
func (h *History) FirstRequest() (text string, ok bool) {
	for _, i := range h.items {
		if i.Kind == KindInput && i.Role == RoleUser {
			return i.Text, true
		}
	}
	return "", false
}

// OpenTask is the newest request that was not fulfilled; active says that a
// run is going on or paused. A request whose run was cancelled is not open.
func (h *History) OpenTask(active bool) (text string, ok bool) {
	if h.task == nil {
		return "", false
	}
	switch h.taskEnd {
	case protocol.RunFailed, protocol.RunLimitReached:
	case "", protocol.RunPaused:
		if !active {
			return "", false
		}
	default:
		return "", false
	}
	return h.task.Text, true
}

// OpenCalls are the calls of the newest answer that still wait for a result,
// in order, with whether that answer is complete.
func (h *History) OpenCalls() (calls []ToolCall, complete bool) {
	for _, i := range h.open {
		calls = append(calls, h.items[i].Call)
		complete = h.items[i].Complete
	}
	return calls, complete
}

// noResult stands in for a result that the log does not hold.
const noResult = "[No result was recorded]"

// Conversation is what the model is given: the items, without the reasoning
// of answers that were cut off, and with every call followed by exactly one
// result before anything else is said. A result that the log does not hold is
// made up and marked as an error.
func (h *History) Conversation() []Item {
	out := make([]Item, 0, len(h.items))
	var waiting []ToolCall
	answer := 0
	closeAll := func() {
		for _, c := range waiting {
			out = append(out, Item{
				Kind: KindToolResult, Role: RoleAction,
				Result: ToolResult{CallID: c.CallID, Summary: noResult, IsError: true},
			})
		}
		waiting = nil
	}
	for _, i := range h.items {
		if i.Kind != KindToolResult && (i.answer == 0 || i.answer != answer) {
			closeAll()
			answer = i.answer
		}
		switch i.Kind {
		case KindReasoning:
			if !i.Complete {
				continue
			}
		case KindToolCall:
			waiting = append(waiting, i.Call)
		case KindToolResult:
			at := slices.IndexFunc(waiting, func(c ToolCall) bool { return c.CallID == i.Result.CallID })
			waiting = slices.Delete(waiting, at, at+1)
		}
		out = append(out, i)
	}
	closeAll()
	return out
}
