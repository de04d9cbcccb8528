package session

import "slices"

// bytesPerToken is the rule of thumb for text that no request has measured.
const bytesPerToken = 4

// Gauge is the newest measured occupancy of a conversation: how many tokens
// its first items took in a real request and that request's answer.
type Gauge struct {
	// Items is how many items the measurement covers; 0 means none was made.
	Items int
	// Tokens is the prompt and the answer together.
	Tokens int64
}

// measured takes a request's own numbers; an answer without them changes
// nothing.
func (g *Gauge) measured(items int, u *Usage) {
	if u == nil || u.InputTokens == nil {
		return
	}
	*g = Gauge{Items: items, Tokens: *u.InputTokens}
	if u.OutputTokens != nil {
		g.Tokens += *u.OutputTokens
	}
}

// removed follows the removal of item i.
func (g *Gauge) removed(i int) {
	if i < g.Items {
		g.Items--
	}
}

// Measured is the newest measurement.
func (h *History) Measured() Gauge { return h.gauge }

// Occupancy estimates the tokens of the next request: the newest measurement
// and a quarter of the bytes added since. overhead (tokens of the system
// prompt and the tools) counts only while nothing was measured.
func (h *History) Occupancy(overhead int64) int64 {
	if h.gauge.Items == 0 {
		return overhead + Tokens(h.items)
	}
	return h.gauge.Tokens + Tokens(h.items[h.gauge.Items:])
}

// Tokens estimates items by their bytes.
func Tokens(items []Item) int64 {
	var n int64
	for i := range items {
		n += items[i].Bytes()
	}
	return n / bytesPerToken
}

// itemFrame is about what the names and quotes around an item's texts take.
const itemFrame = 48

// Bytes is the size of the item's texts in a request, in bytes.
func (i Item) Bytes() int64 {
	return int64(itemFrame + len(i.Text) + len(i.Opaque) +
		len(i.Call.CallID) + len(i.Call.Name) + len(i.Call.Arguments) +
		len(i.Result.CallID) + len(i.Result.Summary) + len(i.Result.Content))
}

// CanCut reports whether a conversation may be cut before items[at]: no
// call before the cut has its result behind it, and no answer is torn apart.
func CanCut(items []Item, at int) bool {
	if at <= 0 || at >= len(items) {
		return true
	}
	next := items[at]
	if next.Kind == KindToolResult {
		return false
	}
	if next.answer != 0 && items[at-1].answer == next.answer {
		return false
	}
	// Calls that wait for a result when the tail begins would lose it.
	before := items[:at]
	for i := len(before) - 1; i >= 0 && (before[i].answer != 0 || before[i].Kind == KindToolResult); i-- {
		if before[i].Kind != KindToolCall {
			continue
		}
		id := before[i].Call.CallID
		answered := func(r Item) bool { return r.Kind == KindToolResult && r.Result.CallID == id }
		if !slices.ContainsFunc(before[i:], answered) {
			return false
		}
	}
	return true
}

// Cut chooses where the tail that is kept word for word begins: the earliest
// index whose tail is at most retained tokens and that CanCut allows. It is
// len(items) when even the last piece that may be kept is too large.
func Cut(items []Item, retained int64) int {
	var bytes int64
	best := len(items)
	for i := len(items) - 1; i >= 0; i-- {
		bytes += items[i].Bytes()
		if bytes/bytesPerToken > retained {
			break
		}
		if CanCut(items, i) {
			best = i
		}
	}
	return best
}
