package tui

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// A chip is a paste that is shown as one mark. In the text it is a single rune
// of a range that nobody can type.
const (
	firstChip = rune(0x100000)
	lastChip  = rune(0x10fffd)
	// A paste longer than this becomes a chip.
	chipBytes = 1000
	chipLines = 10
)

// editor is the text being written, with a cursor between two characters as
// a person counts them.
type editor struct {
	text  string
	at    int // byte offset
	chips []string
	// column is where moving up and down wants to be; -1 is where the cursor is.
	column int
	killed string
}

func newEditor() editor { return editor{column: -1} }

func isChip(r rune) bool { return r >= firstChip && r <= lastChip }

// set replaces everything and puts the cursor at the end.
func (e *editor) set(text string) {
	*e = editor{column: -1, killed: e.killed}
	e.insert(text)
}

// empty reports whether there is nothing but white space.
func (e *editor) empty() bool { return strings.TrimSpace(e.text) == "" }

// value is the text with its pastes in full.
func (e *editor) value() string {
	var b strings.Builder
	for _, r := range e.text {
		if isChip(r) && int(r-firstChip) < len(e.chips) {
			b.WriteString(e.chips[r-firstChip])
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

// typed drops what must not get into the text by a key.
func typed(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' || r == '\u200d' || !unicode.IsControl(r) && !isChip(r) {
			return r
		}
		return -1
	}, s)
}

// insert puts text at the cursor.
func (e *editor) insert(s string) {
	s = typed(s)
	e.text = e.text[:e.at] + s + e.text[e.at:]
	e.at += len(s)
	e.column = -1
}

// paste puts pasted text at the cursor, a long one as a chip.
func (e *editor) paste(s string) {
	s = strings.ReplaceAll(strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\r\n", "\n"), "\r", "\n")
	if len(s) <= chipBytes && strings.Count(s, "\n") < chipLines || len(e.chips) >= int(lastChip-firstChip) {
		e.insert(ansi.Strip(s))
		return
	}
	e.chips = append(e.chips, s)
	mark := string(firstChip + rune(len(e.chips)-1))
	e.text = e.text[:e.at] + mark + e.text[e.at:]
	e.at += len(mark)
	e.column = -1
}

// chipWords is what a chip looks like.
func (e *editor) chipWords(r rune) string {
	i := int(r - firstChip)
	if i >= len(e.chips) {
		return ""
	}
	words := "[paste " + bytesWords(len(e.chips[i]))
	if n := strings.Count(strings.TrimSuffix(e.chips[i], "\n"), "\n"); n > 0 {
		words += fmt.Sprintf(", %d lines", n+1)
	}
	return words + "]"
}

// next and prev are the cursor's neighbours, grapheme clusters being one.
func (e *editor) next(at int) int {
	if at >= len(e.text) {
		return at
	}
	cluster, _ := ansi.FirstGraphemeCluster(e.text[at:], ansi.GraphemeWidth)
	return at + max(1, len(cluster))
}

func (e *editor) prev(at int) int {
	if at <= 0 {
		return 0
	}
	// Clusters are found forward only; a line's start is always a border.
	begin := strings.LastIndexByte(e.text[:at-1], '\n') + 1
	if at-begin > 4096 {
		begin = at - 4096
		for begin < at && !utf8.RuneStart(e.text[begin]) {
			begin++
		}
	}
	for {
		n := e.next(begin)
		if n >= at {
			return begin
		}
		begin = n
	}
}

func (e *editor) left()  { e.at, e.column = e.prev(e.at), -1 }
func (e *editor) right() { e.at, e.column = e.next(e.at), -1 }

// lineStart and lineEnd border the cursor's logical line.
func (e *editor) lineStart() int { return strings.LastIndexByte(e.text[:e.at], '\n') + 1 }

func (e *editor) lineEnd() int {
	if i := strings.IndexByte(e.text[e.at:], '\n'); i >= 0 {
		return e.at + i
	}
	return len(e.text)
}

func (e *editor) home() { e.at, e.column = e.lineStart(), -1 }
func (e *editor) end()  { e.at, e.column = e.lineEnd(), -1 }

// wordLeft and wordRight are the borders of words around the cursor.
func (e *editor) wordLeft() int {
	at := len(strings.TrimRightFunc(e.text[:e.at], unicode.IsSpace))
	for at > 0 {
		r, n := utf8.DecodeLastRuneInString(e.text[:at])
		if unicode.IsSpace(r) {
			break
		}
		at -= n
	}
	return at
}

func (e *editor) wordRight() int {
	rest := e.text[e.at:]
	at := e.at + len(rest) - len(strings.TrimLeftFunc(rest, unicode.IsSpace))
	for at < len(e.text) {
		r, n := utf8.DecodeRuneInString(e.text[at:])
		if unicode.IsSpace(r) {
			break
		}
		at += n
	}
	return at
}

// cut removes text and puts the cursor there.
func (e *editor) cut(from, to int) string {
	removed := e.text[from:to]
	e.text = e.text[:from] + e.text[to:]
	e.at, e.column = from, -1
	return removed
}

func (e *editor) backspace() { e.cut(e.prev(e.at), e.at) }
func (e *editor) delete()    { e.cut(e.at, e.next(e.at)) }

// kill removes text and keeps it for yank.
func (e *editor) kill(from, to int) {
	if from < to {
		e.killed = e.cut(from, to)
	}
}

func (e *editor) yank() {
	e.text = e.text[:e.at] + e.killed + e.text[e.at:]
	e.at += len(e.killed)
	e.column = -1
}

// editorRow is one line of the editor on the screen: text[from:to].
type editorRow struct {
	from, to int
	text     string
	// wrapped says that the next row continues the same line.
	wrapped bool
}

// rows lays the text out for a width and says where the cursor is.
func (e *editor) rows(width int, method ansi.Method) (rows []editorRow, x, y int) {
	width = max(2, width)
	row := editorRow{}
	var b strings.Builder
	column := 0
	flush := func(at int, wrapped bool) {
		row.to, row.text, row.wrapped = at, b.String(), wrapped
		rows = append(rows, row)
		row = editorRow{from: at}
		b.Reset()
		column = 0
	}
	for at := 0; at < len(e.text); {
		next := e.next(at)
		shown, w := e.shown(e.text[at:next], width, column, method)
		if e.text[at] != '\n' && column+w > width {
			flush(at, true)
		}
		if at == e.at {
			x, y = column, len(rows)
		}
		if e.text[at] == '\n' {
			flush(at, false)
			row.from = next
		} else {
			b.WriteString(shown)
			column += w
		}
		at = next
	}
	if column >= width {
		flush(len(e.text), true)
	}
	if e.at >= len(e.text) {
		x, y = column, len(rows)
	}
	flush(len(e.text), false)
	return rows, x, y
}

// shown is how one character looks, and its width.
func (e *editor) shown(cluster string, width, column int, method ansi.Method) (string, int) {
	r, _ := utf8.DecodeRuneInString(cluster)
	switch {
	case cluster == "\t":
		n := tabWidth - column%tabWidth
		return strings.Repeat(" ", n), n
	case isChip(r):
		cluster = method.Truncate(e.chipWords(r), width, "…]")
	}
	return cluster, method.StringWidth(cluster)
}

// vertical moves the cursor by rows and reports whether there was a row to
// move to.
func (e *editor) vertical(by, width int, method ansi.Method) bool {
	rows, x, y := e.rows(width, method)
	if y+by < 0 || y+by >= len(rows) {
		return false
	}
	if e.column < 0 {
		e.column = x
	}
	want, target := e.column, rows[y+by]
	at, column := target.from, 0
	for at < target.to {
		next := e.next(at)
		_, w := e.shown(e.text[at:next], width, column, method)
		if column+w > want {
			break
		}
		at, column = next, column+w
	}
	if target.wrapped && at == target.to && at > target.from {
		at = e.prev(at)
	}
	e.at, e.column = at, want
	return true
}
