package tui

import (
	"slices"
	"strings"
	"time"

	"podium.local/protocol"
)

// conversation is what the pod said, as blocks. The newest are always held;
// gaps stand for what was forgotten or never asked for.
type conversation struct {
	blocks []*block
	// epoch counts the compactions seen: entries of older sessions cannot be
	// asked for by their ids.
	epoch int
	// text, thought are the open blocks of the running answer; calls are those
	// without result, by id; compact is the running compaction.
	text, thought, compact *block
	calls                  map[string]*block
	session                string
	// waiting are blocks older than what is held.
	waiting []*block
}

// pageItems is how many entries are asked for at a time.
const pageItems = 200

func newConversation() *conversation { return &conversation{calls: map[string]*block{}} }

// add appends a block.
func (c *conversation) add(b *block) *block {
	b.epoch = c.epoch
	c.blocks = append(c.blocks, b)
	return b
}

// reset begins anew with what a snapshot or history says. Errors of the last
// run stay: they are nowhere else.
func (c *conversation) reset(session string, blocks []*block, older *gap) {
	var kept []*block
	for _, b := range slices.Backward(c.blocks) {
		if b.kind == kindInput {
			break
		}
		if b.kind == kindError {
			kept = append([]*block{b}, kept...)
		}
	}
	notices := c.waiting
	for _, b := range c.blocks {
		if b.kind == kindNotice || b.kind == kindCompact && b.level == protocol.LevelError {
			notices = append(notices, b)
		}
	}
	*c = *newConversation()
	c.session = session
	if older != nil {
		c.add(&block{kind: kindGap, gap: older})
	}
	for _, b := range blocks {
		c.add(b)
	}
	c.adoptCalls(c.blocks)
	for _, b := range notices {
		c.place(b)
	}
	c.foldNotices()
	for _, b := range kept {
		c.add(b)
	}
}

// adoptCalls remembers the calls that wait for a result.
func (c *conversation) adoptCalls(blocks []*block) {
	for _, b := range blocks {
		if b.kind == kindTool && b.tool.called && !b.tool.done {
			c.calls[b.tool.id] = b
		}
	}
}

// grow appends a delta to the open text block.
func (c *conversation) grow(open **block, k kind, text string) {
	if *open == nil {
		*open = c.add(&block{kind: k, open: true})
	}
	b := *open
	if room := blockLimit - len(b.text); room < len(text) {
		b.cut += len(text) - max(room, 0)
		text = strings.ToValidUTF8(text[:max(room, 0)], "")
	}
	b.text += clean(text)
	b.changed()
}

// finish closes a text block with its whole text.
func (c *conversation) finish(open **block, k kind, text, entryID string) {
	b := *open
	*open = nil
	text, cut := limit(text)
	text = clean(text)
	if strings.TrimSpace(text) == "" {
		if b != nil {
			c.remove(b)
		}
		return
	}
	if b == nil {
		b = c.add(&block{kind: k})
	}
	if b.text != text {
		if !strings.HasPrefix(text, b.text[:min(b.md.taken, len(b.text))]) {
			b.md = markdown{}
		}
		b.text = text
	}
	b.open, b.cut, b.entryID, b.items = false, cut, entryID, 1
	b.changed()
}

// call opens a tool call or adds to it.
func (c *conversation) call(id, name string) *block {
	if b := c.calls[id]; b != nil {
		return b
	}
	b := c.add(&block{kind: kindTool, open: true, tool: &toolCall{id: id, name: name}})
	c.calls[id] = b
	return b
}

func (c *conversation) callArguments(id, piece string) {
	b := c.call(id, "")
	if room := blockLimit - len(b.tool.arguments); room > 0 {
		b.tool.arguments += piece[:min(room, len(piece))]
	}
	b.changed()
}

func (c *conversation) callDone(d protocol.ToolCallDone) {
	b := c.call(d.ID, d.Name)
	b.open, b.entryID, b.items = false, d.EntryID, 1
	b.tool.name, b.tool.called, b.tool.waits = d.Name, true, true
	b.tool.arguments, b.cut = limit(d.Arguments)
	b.changed()
}

// suspend lets the calls wait for the end of their answer.
func (c *conversation) suspend() {
	for _, b := range c.calls {
		b.tool.waits = b.tool.called
		b.changed()
	}
}

// execute begins the calls that waited for the end of their answer.
func (c *conversation) execute(now time.Time) {
	for _, b := range c.calls {
		if b.tool.waits {
			b.tool.waits, b.began = false, now
			b.changed()
		}
	}
}

func (c *conversation) result(d protocol.ToolResult, now time.Time) {
	b := c.calls[d.ID]
	delete(c.calls, d.ID)
	if b == nil {
		b = c.add(&block{kind: kindTool, entryID: d.EntryID, tool: &toolCall{id: d.ID, called: true}})
	}
	summary := ""
	if d.Summary != nil {
		summary = *d.Summary
	}
	if !b.began.IsZero() {
		b.tool.took = now.Sub(b.began)
	}
	b.setResult(summary, d.Output, d.IsError)
}

// setResult completes a call.
func (b *block) setResult(summary, output string, failed bool) {
	t := b.tool
	output, t.cut = limit(output)
	t.summary, t.output = clean(summary), strings.TrimRight(clean(output), "\n")
	t.done, t.failed, t.lost = true, failed, false
	b.open = false
	b.items++
	b.changed()
}

// discard drops every block that has no done event.
func (c *conversation) discard() {
	for _, b := range []*block{c.text, c.thought} {
		if b != nil {
			c.remove(b)
		}
	}
	c.text, c.thought = nil, nil
	for id, b := range c.calls {
		if !b.tool.called {
			c.remove(b)
			delete(c.calls, id)
		}
	}
}

// interrupt closes every block that has no done event: what was read already
// stays, and is marked as no part of the conversation.
func (c *conversation) interrupt() {
	for _, b := range []*block{c.text, c.thought} {
		switch {
		case b == nil:
		case strings.TrimSpace(b.text) == "":
			c.remove(b)
		default:
			b.open, b.interrupted = false, true
			b.changed()
		}
	}
	c.text, c.thought = nil, nil
	for id, b := range c.calls {
		if !b.tool.called {
			b.open, b.interrupted, b.tool.lost = false, true, true
			b.changed()
			delete(c.calls, id)
		}
	}
}

// runOver marks the calls that will have no result.
func (c *conversation) runOver(resumable bool) {
	c.interrupt()
	if resumable {
		return
	}
	for _, b := range c.calls {
		b.tool.lost = true
		b.changed()
	}
}

// inFlight shows the unfinished rest of an answer.
func (c *conversation) inFlight(live protocol.Live) {
	c.discard()
	for _, o := range live.InFlight {
		switch o.Kind {
		case protocol.BlockReasoning:
			c.grow(&c.thought, kindReasoning, o.Text)
		case protocol.BlockToolCall:
			c.call(o.ID, o.Name)
			c.callArguments(o.ID, o.Text)
		case protocol.BlockText:
			c.grow(&c.text, kindAnswer, o.Text)
		default:
			c.add(&block{kind: kindRaw, text: clean("[" + string(o.Kind) + "] " + o.Text)})
		}
	}
}

// takeBack removes the newest input and gives it, nil without one.
func (c *conversation) takeBack() *block {
	for _, b := range slices.Backward(c.blocks) {
		if b.kind == kindInput && (b.input == "" || b.input == protocol.InputText) {
			c.remove(b)
			return b
		}
	}
	return nil
}

func (c *conversation) remove(b *block) {
	if i := slices.Index(c.blocks, b); i >= 0 {
		c.blocks = slices.Delete(c.blocks, i, i+1)
	}
}

// compacting shows the one live block of a compaction, its text the three
// lines of the design record.
func (c *conversation) compacting(now time.Time) {
	if c.compact == nil {
		c.compact = c.add(&block{kind: kindCompact})
	}
	c.compact.text, c.compact.open, c.compact.began = "[compact] starting", true, now
	c.compact.changed()
}

func (c *conversation) compacted(text string, level protocol.NotificationLevel, now time.Time) {
	b := c.compact
	if b == nil {
		b = c.add(&block{kind: kindCompact})
	}
	c.compact, b.at = nil, now
	b.text, b.open, b.level = strings.TrimRight(clean(text), "\n "), false, level
	b.changed()
}

// say adds a block of this client's or the pod's own words.
func (c *conversation) say(k kind, level protocol.NotificationLevel, text string) *block {
	text, cut := limit(text)
	return c.add(&block{kind: k, level: level, text: strings.TrimRight(clean(text), "\n "), cut: cut})
}

// notice is a block of a notification.
func (c *conversation) notice(level protocol.NotificationLevel, text string) *block {
	text, cut := limit(text)
	return &block{kind: kindNotice, level: level, text: strings.TrimRight(clean(text), "\n "), cut: cut}
}

// failedWith reports whether the newest compaction failed for the reason that
// a text gives.
func (c *conversation) failedWith(text string) bool {
	b := c.last(kindCompact)
	if b == nil || b.level != protocol.LevelError {
		return false
	}
	reason := strings.TrimPrefix(b.text, compactError)
	return reason != "" && strings.HasSuffix(strings.TrimRight(clean(text), "\n "), reason)
}

// last is the newest block of a kind.
func (c *conversation) last(k kind) *block {
	for _, b := range slices.Backward(c.blocks) {
		if b.kind == k {
			return b
		}
	}
	return nil
}

// told reports whether the run's error is on the screen already: its text
// comes twice.
func (c *conversation) told(text string) bool {
	text = strings.TrimRight(clean(text), "\n ")
	for _, b := range slices.Backward(c.blocks) {
		switch b.kind {
		case kindError:
			return strings.HasSuffix(b.text, text)
		case kindInput, kindRunEnd:
			return false
		}
	}
	return false
}
