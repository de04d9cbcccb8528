package tool

import (
	"fmt"
	"unicode/utf8"
)

// DefaultCap is the cap of a tool's content in bytes where nothing else is
// configured.
const DefaultCap = 16384

// Caps are the limits of tool content, in bytes.
type Caps struct {
	// Default is for tools without a limit of their own; 0 means DefaultCap.
	Default int
	// PerTool holds the others by tool name.
	PerTool map[string]int
}

// Limit is the cap of the named tool.
func (c Caps) Limit(name string) int {
	if n, ok := c.PerTool[name]; ok {
		return n
	}
	if c.Default > 0 {
		return c.Default
	}
	return DefaultCap
}

// capReserve is what Cap leaves of the limit for its own note.
const capReserve = 68

// Cap cuts content that is longer than limit bytes at a character border and
// says at its end how much is missing; shorter content comes back as it is.
func Cap(content string, limit int) string { return clipped(content, len(content), limit) }

// clipped is Cap for content of which at least the first limit bytes are held.
func clipped(held string, total, limit int) string {
	if total <= limit {
		return held
	}
	keep := held[:border(held, limit-capReserve)]
	return fmt.Sprintf("%s\n\n[truncated: %d bytes dropped, refine your query]", keep, total-len(keep))
}

// border is the largest character border of s at or below n, at least 0. In
// bytes that are no UTF-8 any place is as good as another.
func border(s string, n int) int {
	n = min(max(n, 0), len(s))
	for b := n; b > n-utf8.UTFMax; b-- {
		if b <= 0 || b == len(s) || utf8.RuneStart(s[b]) {
			return max(b, 0)
		}
	}
	return n
}

// Clip collects a call's content without holding more of it than the cap lets
// through. What String returns is what Cap would make of all that was written.
type Clip struct {
	limit, total int
	held         []byte
}

// NewClip makes an empty Clip of a cap in bytes.
func NewClip(limit int) *Clip { return &Clip{limit: limit} }

// Write takes all of p; it never fails.
func (c *Clip) Write(p []byte) (int, error) {
	c.total += len(p)
	c.held = append(c.held, p[:min(len(p), max(c.limit-len(c.held), 0))]...)
	return len(p), nil
}

// WriteString is Write of a string.
func (c *Clip) WriteString(s string) (int, error) {
	c.total += len(s)
	c.held = append(c.held, s[:min(len(s), max(c.limit-len(c.held), 0))]...)
	return len(s), nil
}

// Skip counts n bytes as written that are sure to be cut.
func (c *Clip) Skip(n int) { c.total += n }

// Len is how many bytes were written.
func (c *Clip) Len() int { return c.total }

// String is the content, cut and marked when it was longer than the cap.
func (c *Clip) String() string { return clipped(string(c.held), c.total, c.limit) }

// Truncation says that a call's content was cut to fit.
type Truncation struct {
	Tool string
	// From and To are the bytes of content before and after; Limit is the cap.
	From, To, Limit int
}

// String is the text for a person.
func (t Truncation) String() string {
	return fmt.Sprintf("tool `%s` output truncated from %d to %d bytes (limit %d)", t.Tool, t.From, t.To, t.Limit)
}
