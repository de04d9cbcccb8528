package tui

import (
	"slices"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// What a conversation holds at most; around the window and at the end a part
// is never forgotten.
const (
	heldBlocks = 1500
	heldBytes  = 24 << 20
	nearBlocks = 300
)

// window is the part of the conversation on the screen.
type window struct {
	// follow says that the newest line is at the bottom; otherwise the screen
	// begins off lines into the block top.
	follow bool
	top    *block
	off    int
	height int
	// homing says that the window goes to the very beginning as older entries
	// come.
	homing bool
}

// row is one line on the screen.
type row struct {
	block *block
	// first says that it is the block's first line, which has the shape.
	first bool
	text  string
}

// rowsOf are the lines of a block with the blank line before it.
func (c *conversation) rowsOf(i int, r *renderer, now time.Time) []row {
	b := c.blocks[i]
	var before *block
	if i > 0 {
		before = c.blocks[i-1]
	}
	lines := b.layout(r, now)
	rows := make([]row, 0, len(lines)+1)
	if len(lines) > 0 && !b.joins(before) {
		rows = append(rows, row{block: b})
	}
	for n, l := range lines {
		rows = append(rows, row{block: b, first: n == 0, text: l})
	}
	return rows
}

// rows are the lines on the screen, at most height.
func (w *window) rows(c *conversation, r *renderer, now time.Time) []row {
	if !w.follow {
		i := slices.Index(c.blocks, w.top)
		if i < 0 {
			w.follow = true
		} else if rows, end := w.from(c, i, r, now); len(rows) > w.height || len(rows) == w.height && !end {
			return rows[:w.height]
		}
	}
	var parts [][]row
	total, at := 0, len(c.blocks)
	for at > 0 && total < w.height {
		at--
		part := c.rowsOf(at, r, now)
		parts = append(parts, part)
		total += len(part)
	}
	slices.Reverse(parts)
	rows := slices.Concat(parts...)
	cut := max(0, len(rows)-w.height)
	w.follow = true
	w.top, w.off = nil, 0
	if at < len(c.blocks) {
		w.top, w.off = c.blocks[at], cut
	}
	return rows[cut:]
}

// from are the lines from the window's top on, as many as are needed; end says
// that they reach to the newest.
func (w *window) from(c *conversation, i int, r *renderer, now time.Time) (rows []row, end bool) {
	rows = c.rowsOf(i, r, now)
	rows = rows[min(w.off, len(rows)):]
	for i++; i < len(c.blocks) && len(rows) < w.height; i++ {
		rows = append(rows, c.rowsOf(i, r, now)...)
	}
	return rows, i == len(c.blocks)
}

// scroll moves the window by lines; negative is towards the beginning.
func (w *window) scroll(c *conversation, r *renderer, now time.Time, lines int) {
	w.rows(c, r, now) // settles where the window is
	i := slices.Index(c.blocks, w.top)
	if i < 0 {
		return
	}
	if lines < 0 {
		w.follow = false
	}
	w.off += lines
	for w.off < 0 && i > 0 {
		i--
		w.off += len(c.rowsOf(i, r, now))
	}
	w.off = max(0, w.off)
	for n := len(c.rowsOf(i, r, now)); w.off >= n && i < len(c.blocks)-1; n = len(c.rowsOf(i, r, now)) {
		w.off -= n
		i++
	}
	w.top = c.blocks[i]
	if !w.follow {
		w.rows(c, r, now) // follows again at the end
	}
}

// show moves the window so that the block's first line is on the screen.
func (w *window) show(c *conversation, r *renderer, now time.Time, b *block) {
	for _, row := range w.rows(c, r, now) {
		if row.block == b && row.first {
			return
		}
	}
	w.follow, w.top, w.off = false, b, 0
	w.rows(c, r, now)
}

// wanted is the gap that the window touches, if it can be filled.
func (c *conversation) wanted(rows []row) *gap {
	for _, row := range rows {
		if g := row.block.gap; row.block.kind == kindGap && !g.gone && !g.loading {
			return g
		}
	}
	return nil
}

// fill puts the entries that were asked for in the place of their gap. A nil
// before means that there is nothing older.
func (c *conversation) fill(g *gap, items []jsontext.Value, before *string, w *window) {
	i := slices.IndexFunc(c.blocks, func(b *block) bool { return b.gap == g })
	if i < 0 {
		return
	}
	g.loading = false
	page := blocksOf(items)
	for _, b := range page {
		b.epoch = c.epoch
	}
	rest := c.blocks[i+1:]
	adopt(page, &rest)
	known := g.items > 0
	g.items = max(0, g.items-len(items))
	if w.top == c.blocks[i] && len(rest) > 0 {
		w.top, w.off = rest[0], 0
	}
	keep := before != nil && len(items) > 0 && !(known && g.items == 0)
	head := c.blocks[:i:i]
	if keep {
		g.before = *before
		head = c.blocks[: i+1 : i+1]
		c.blocks[i].changed()
	}
	c.blocks = slices.Concat(head, page, rest)
	if w.homing && i == 0 && len(c.blocks) > 0 {
		w.top, w.off = c.blocks[0], 0
	}
}

// adopt moves results that stood alone at the beginning of rest into the
// calls of the page before them.
func adopt(page []*block, rest *[]*block) {
	open := map[string]*block{}
	for _, b := range page {
		if b.kind == kindTool && !b.tool.done {
			open[b.tool.id] = b
		}
	}
	for i := 0; i < len(*rest) && len(open) > 0 && i < pageItems; {
		b := (*rest)[i]
		call := open[orphanID(b)]
		if call == nil {
			i++
			continue
		}
		call.tool.summary, call.tool.output, call.tool.cut = b.tool.summary, b.tool.output, b.tool.cut
		call.tool.done, call.tool.failed = true, b.tool.failed
		call.items++
		delete(open, b.tool.id)
		*rest = slices.Concat((*rest)[:i], (*rest)[i+1:])
	}
}

// orphanID is the call id of a result without its call.
func orphanID(b *block) string {
	if b.kind == kindTool && b.tool.arguments == "" && b.tool.done {
		return b.tool.id
	}
	return ""
}

// bound forgets what is far from the window and from the end when too much is
// held.
func (c *conversation) bound(w *window) {
	if len(c.blocks) <= heldBlocks && c.bytes() <= heldBytes {
		return
	}
	end := len(c.blocks) - nearBlocks
	at := len(c.blocks)
	if !w.follow {
		at = slices.Index(c.blocks, w.top)
	}
	if at < 0 {
		return
	}
	// The later range first: forgetting it does not move the earlier one.
	c.forget(min(at+nearBlocks, end), end)
	c.forget(0, min(at-nearBlocks, end))
}

func (c *conversation) bytes() int {
	n := 0
	for _, b := range c.blocks {
		n += b.size()
	}
	return n
}

// forget replaces blocks[from:to] by gaps.
func (c *conversation) forget(from, to int) {
	for to > from && !c.boundary(to) {
		to--
	}
	if to <= from {
		return
	}
	f := forgetting{epoch: c.epoch, next: c.blocks[to].entryID}
	for _, b := range slices.Backward(c.blocks[from:to]) {
		f.take(b)
	}
	f.flush()
	if f.gone {
		f.gaps = append(f.gaps, &block{kind: kindGap, gap: &gap{gone: true}})
	}
	slices.Reverse(f.gaps)
	c.blocks = slices.Concat(c.blocks[:from], f.gaps, c.blocks[to:])
}

// forgetting collects the gaps for a range of blocks, newest first.
type forgetting struct {
	epoch int
	gaps  []*block
	// next is the entry behind the gap that is being made, first the oldest in
	// it, items how many it has so far.
	next, first string
	items       int
	gone        bool
}

func (f *forgetting) take(b *block) {
	switch {
	case b.kind == kindGap && b.gap.gone, b.entryID != "" && b.epoch != f.epoch, b.items > 0 && b.entryID == "":
		f.gone = true
		return
	case b.kind == kindGap:
		f.flush()
		f.gaps = append(f.gaps, b)
		f.next = b.gap.first
		return
	case b.entryID == "":
		return
	}
	f.items += b.items
	f.first = b.entryID
	if f.items >= pageItems && (b.kind == kindInput || b.kind == kindAnswer || b.kind == kindReasoning) {
		f.flush()
	}
}

func (f *forgetting) flush() {
	if f.items == 0 {
		return
	}
	f.gaps = append(f.gaps, &block{kind: kindGap, epoch: f.epoch, gap: &gap{before: f.next, first: f.first, items: f.items}})
	f.next, f.items = f.first, 0
}

// boundary reports whether the entries before blocks[i] can be forgotten and
// asked for again: no call and its result are parted there.
func (c *conversation) boundary(i int) bool {
	b := c.blocks[i]
	if b.epoch == c.epoch && b.entryID == "" && b.items == 0 {
		return false
	}
	return b.kind == kindInput || b.kind == kindAnswer || b.kind == kindReasoning
}
