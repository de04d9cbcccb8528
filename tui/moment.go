package tui

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
)

// newNotices is how many of the notifications that stand together are shown
// each on a line of its own.
const newNotices = 3

// moment is when the block came to be, zero when that is unknown. The ids of
// entries hold their time.
func (b *block) moment() time.Time {
	if !b.at.IsZero() {
		return b.at
	}
	id, err := uuid.Parse(b.entryID)
	if err != nil || id.Version() != 7 {
		return time.Time{}
	}
	var ms int64
	for _, part := range id[:6] {
		ms = ms<<8 | int64(part)
	}
	return time.UnixMilli(ms)
}

// place puts a block where it belongs in time. One that is older than what is
// held waits for the entries around it.
func (c *conversation) place(b *block) *block {
	at, i, known := b.moment(), len(c.blocks), false
	for n, other := range slices.Backward(c.blocks) {
		t := other.moment()
		if t.IsZero() {
			continue
		}
		known = true
		if !t.After(at) {
			break
		}
		i = n
	}
	if at.IsZero() || !known {
		return c.add(b)
	}
	if i > 0 && c.blocks[i-1].kind == kindGap && !c.blocks[i-1].gap.gone {
		c.waiting = append(c.waiting, b)
		return b
	}
	b.epoch = c.epoch
	c.blocks = slices.Insert(c.blocks, i, b)
	return b
}

// repetition is a notification of a request that will be made again.
var repetition = regexp.MustCompile(`(?s)^(.*); attempt \d+ of \d+ in [0-9.]+ s$`)

// repeats puts a notification in the place of the newest block when both say
// why the same request is made again.
func (c *conversation) repeats(b *block) bool {
	if len(c.blocks) == 0 {
		return false
	}
	last := c.blocks[len(c.blocks)-1]
	now := repetition.FindStringSubmatch(b.text)
	if now == nil || last.kind != kindNotice {
		return false
	}
	if before := repetition.FindStringSubmatch(last.text); before == nil || before[1] != now[1] {
		return false
	}
	last.text, last.cut = b.text, b.cut
	last.changed()
	return true
}

// placeWaiting places those that waited for older entries, which are there
// now.
func (c *conversation) placeWaiting() {
	waiting := c.waiting
	c.waiting = nil
	for _, b := range waiting {
		c.place(b)
	}
	c.foldNotices()
}

// foldNotices makes one block of each row of notifications but for their
// newest.
func (c *conversation) foldNotices() {
	for i := 0; i < len(c.blocks); i++ {
		end := i
		for end < len(c.blocks) && c.blocks[end].kind == kindNotice {
			end++
		}
		old := end - i - newNotices
		if old <= 0 {
			i = max(i, end-1)
			continue
		}
		var text []string
		for _, b := range c.blocks[i : i+old] {
			text = append(text, b.text)
		}
		first := c.blocks[i]
		c.blocks = slices.Replace(c.blocks, i, i+old, &block{
			kind: kindSystem, from: plural(old, "earlier notification"), text: strings.Join(text, "\n"), at: first.at, epoch: first.epoch,
		})
		i += newNotices
	}
}
