package main

import (
	"strings"
	"sync"

	"github.com/charmbracelet/x/ansi"
)

// pane is one column of text that grows at its end.
type pane struct {
	title string
	text  strings.Builder
}

// columns shows several growing texts side by side: the newest lines of each.
// It is safe for concurrent use; drawing is the caller's, so that many small
// writes cost one frame.
type columns struct {
	mu    sync.Mutex
	panes []*pane
	dirty bool
}

func newColumns(titles ...string) *columns {
	c := &columns{dirty: true}
	for _, t := range titles {
		c.panes = append(c.panes, &pane{title: t})
	}
	return c
}

// append adds text to the column i.
func (c *columns) append(i int, text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.panes[i].text.WriteString(text)
	c.dirty = true
}

// frame renders the columns into exactly height lines of at most width cells,
// title row and rule included. changed is false when nothing was added since
// the last frame.
func (c *columns) frame(width, height int) (lines []string, changed bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	const gap = " │ "
	n := len(c.panes)
	cell := (width - (n-1)*ansi.StringWidth(gap)) / n
	cell = max(cell, 8)
	rows := make([][]string, n)
	for i, p := range c.panes {
		rows[i] = append([]string{p.title, strings.Repeat("─", cell)}, tail(wrap(p.text.String(), cell), height-2)...)
	}
	for y := range height {
		var b strings.Builder
		for i := range c.panes {
			text := ""
			if y < len(rows[i]) {
				text = ansi.Truncate(rows[i][y], cell, "…")
			}
			b.WriteString(text)
			if i < n-1 {
				b.WriteString(strings.Repeat(" ", max(0, cell-ansi.StringWidth(text))))
				b.WriteString(gap)
			}
		}
		lines = append(lines, strings.TrimRight(ansi.Truncate(b.String(), width, ""), " "))
	}
	changed, c.dirty = c.dirty, false
	return lines, changed
}

// wrap breaks text at blanks where it can and inside words where it must.
func wrap(text string, width int) []string {
	text = strings.TrimRight(text, "\n")
	if text == "" {
		return nil
	}
	return strings.Split(ansi.Wrap(strings.ReplaceAll(text, "\t", "    "), width, ""), "\n")
}

// tail is the last n lines.
func tail(lines []string, n int) []string {
	if n < 0 {
		n = 0
	}
	return lines[max(0, len(lines)-n):]
}
