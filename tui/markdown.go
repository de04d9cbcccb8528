package tui

import (
	"regexp"
	"strings"
	"time"
	"unicode/utf8"

	"charm.land/glamour/v2"
	"github.com/charmbracelet/x/ansi"
)

const (
	// lineLength is the longest line of running text, in columns.
	lineLength = 78
	// segmentLimit is the most bytes of one segment: what is still growing is
	// laid out anew for each frame.
	segmentLimit = 16 << 10
	// listLimit is how long a list may be before it is cut between two items.
	listLimit = 1 << 10
)

// segment is a piece of Markdown that stands on its own.
type segment struct {
	text string
	// joined says that it continues the one before without a blank line.
	joined bool
	lines  []string
}

// markdown lays out a text that may still grow. Finished segments are laid out
// once and never change, so that nothing on the screen moves when more
// arrives; the open rest is laid out for each frame as if it were complete.
type markdown struct {
	segments []segment
	// taken is how many bytes of the text the segments hold.
	taken int
	// fence is the line that opened the code block in which the rest begins.
	fence string
	// joined says that the rest continues the last segment.
	joined bool
	// made is the renderer's generation for which segments are laid out.
	made int
	// code is the code block at the open end.
	code openCode
	rest openRest
}

// openRest are the lines of the open rest. Where it is so long that laying it
// out takes long, that is done for a part of the time only: what has arrived
// meanwhile waits for a moment.
type openRest struct {
	lines []string
	made  time.Time
	took  time.Duration
	// stale says that the lines lack what has arrived.
	stale bool
}

// What is shorter than patientBytes is always laid out at once; longer texts
// may take one part in restShare of the time.
const (
	patientBytes = 4 << 10
	restShare    = 4
)

func (o *openRest) draw(bytes int, layout func() []string) []string {
	begin := time.Now()
	o.stale = bytes > patientBytes && o.lines != nil && begin.Sub(o.made) < restShare*o.took
	if !o.stale {
		o.lines = layout()
		o.made = time.Now()
		o.took = o.made.Sub(begin)
	}
	return o.lines
}

// extend takes more finished segments from text, all of it when closed.
func (m *markdown) extend(text string, closed bool) {
	for {
		rest := text[m.taken:]
		n, fence, joined := cut(rest, m.fence, closed)
		if n == 0 {
			return
		}
		m.add(rest[:n], fence)
		m.taken += n
		m.fence, m.joined = fence, joined
	}
}

// add appends a segment; within a code block it gets the fences it lacks.
func (m *markdown) add(text, openFence string) {
	if m.fence != "" {
		text = m.fence + "\n" + text
	}
	if openFence != "" {
		text = strings.TrimSuffix(text, "\n") + "\n" + closing(openFence)
	}
	if strings.TrimSpace(text) != "" {
		m.segments = append(m.segments, segment{text: text, joined: m.joined})
	}
}

// cut finds the end of the first finished segment of text, 0 if there is
// none yet. fence is the code block in which text begins; outside of one a
// segment ends at a blank line before something that starts anew.
func cut(text, fence string, closed bool) (n int, openFence string, joined bool) {
	open, blank := fence, false
	list := fence == "" && marker(text) > 0
	pos := 0
	for pos < len(text) {
		line, _, whole := strings.Cut(text[pos:], "\n")
		if blank && open == "" && startsAnew(line) {
			return pos, "", false
		}
		if n := marker(line); pos >= listLimit && list && !blank && open == "" && n > 0 && n < len(line) && line[0] != '>' {
			return pos, "", true
		}
		if !whole {
			break
		}
		open = fenceAfter(open, line)
		blank = open == "" && strings.TrimSpace(line) == ""
		pos += len(line) + 1
		if pos >= segmentLimit {
			return pos, open, true
		}
	}
	if len(text) >= segmentLimit {
		return softEnd(text), open, true
	}
	if closed && len(text) > 0 {
		return len(text), "", false
	}
	return 0, "", false
}

// softEnd is a place near the limit at which a text without line breaks may
// be cut.
func softEnd(text string) int {
	n := segmentLimit
	if i := strings.LastIndexAny(text[:n], "\n "); i > 0 {
		return i + 1
	}
	for n < len(text) && !utf8.RuneStart(text[n]) {
		n++
	}
	return n
}

// startsAnew reports whether a line after a blank one cannot belong to the
// list or paragraph before it.
func startsAnew(line string) bool {
	return line != "" && !strings.ContainsRune(" \t-*+0123456789", rune(line[0]))
}

// fenceAfter is the opening line of the code block that is open after line.
func fenceAfter(open, line string) string {
	trimmed := strings.TrimLeft(line, " ")
	if open == "" {
		if mark := fenceMark(trimmed); mark != "" && !(mark[0] == '`' && strings.Contains(trimmed[len(mark):], "`")) {
			return trimmed
		}
		return ""
	}
	mark := fenceMark(trimmed)
	if mark != "" && mark[0] == open[0] && len(mark) >= len(fenceMark(open)) && strings.TrimSpace(trimmed[len(mark):]) == "" {
		return ""
	}
	return open
}

// fenceMark is the run of three or more backquotes or tildes at the start.
func fenceMark(line string) string {
	if line == "" || line[0] != '`' && line[0] != '~' {
		return ""
	}
	n := len(line) - len(strings.TrimLeft(line, line[:1]))
	if n < 3 {
		return ""
	}
	return line[:n]
}

func closing(fence string) string { return fenceMark(fence) }

// lines lays the text out.
func (m *markdown) lines(r *renderer, text string, closed bool) []string {
	taken := m.taken
	m.extend(text, closed)
	if m.taken != taken {
		m.rest = openRest{}
	}
	if m.made != r.generation {
		for i := range m.segments {
			m.segments[i].lines = nil
		}
		m.made, m.code, m.rest = r.generation, openCode{}, openRest{}
	}
	var out []string
	for i := range m.segments {
		s := &m.segments[i]
		if s.lines == nil {
			s.lines = r.markdown(s.text, nil)
		}
		if len(out) > 0 && len(s.lines) > 0 && !s.joined {
			out = append(out, "")
		}
		out = append(out, s.lines...)
	}
	if rest := text[m.taken:]; strings.TrimSpace(rest) != "" {
		if m.fence != "" {
			rest = m.fence + "\n" + rest
		}
		open := m.rest.draw(len(rest), func() []string { return r.markdown(soFar(rest), &m.code) })
		if len(out) > 0 && len(open) > 0 && !m.joined {
			out = append(out, "")
		}
		out = append(out, open...)
	}
	return out
}

// unsaid is a line that does not say yet what it will be: the beginning of a
// fence, a list item, a heading, a rule or the second row of a table.
var unsaid = regexp.MustCompile("^[ \t]*([-=*+_#>|`~: ]+|[0-9]{1,9}[.)]?)$")

// soFar makes a text that still grows look as it will when it is complete:
// what its last line will be is awaited, and emphasis and code that are open
// there are closed.
func soFar(text string) string {
	at := strings.LastIndexByte(text, '\n') + 1
	last, fence := text[at:], ""
	for line := range strings.SplitSeq(text[:at], "\n") {
		fence = fenceAfter(fence, line)
	}
	switch {
	case fence != "":
		if fenceMark(strings.TrimLeft(last, " ")) != "" || last != "" && strings.Trim(last, "`~") == "" {
			return text[:at]
		}
		return text
	case unsaid.MatchString(last), fenceMark(strings.TrimLeft(last, " ")) != "":
		return text[:at]
	}
	return text[:at] + closeMarks(strings.TrimRight(last, " "))
}

// closeMarks closes code and strong emphasis that are open at the end of a
// line; marks with nothing behind them are left out.
func closeMarks(line string) string {
	if strings.Count(line, "`")%2 == 1 {
		if strings.HasSuffix(line, "`") {
			line = strings.TrimRight(line, "`")
		} else {
			line += "`"
		}
	}
	const strong = "**"
	if strings.Count(codeSpan.ReplaceAllString(line, ""), strong)%2 == 0 {
		return line
	}
	line = strings.TrimRight(line, "*")
	if behind := line[strings.LastIndex(line, strong)+len(strong):]; strings.Contains(line, strong) && behind != "" && behind[0] != ' ' {
		line += strong
	}
	return line
}

var codeSpan = regexp.MustCompile("`[^`]*`")

// renderer lays out text for a width.
type renderer struct {
	*theme
	// width is the room for text in columns, margin not counted.
	width  int
	method ansi.Method
	// dir is the agent's folder, left out of paths; empty when unknown.
	dir string
	// detail folds all tool results and reasoning open.
	detail bool
	// generation changes with everything that makes a layout stale.
	generation int
	// tableRenderers are the renderers of tables by the width they fill.
	tableRenderers map[int]*glamour.TermRenderer
}

func (r *renderer) textWidth() int { return max(1, min(lineLength, r.width)) }

// Beyond these a segment is shown as it was written: what lays Markdown out
// takes time exponential in the depth of quotes and lists, and much for each
// heading, row of a table and block of code.
const (
	deepest     = 6
	mostHeads   = 60
	mostRows    = 200
	mostFences  = 40
	indentLevel = 2
)

// costly reports whether a segment would take too long to lay out.
func costly(text string) bool {
	heads, rows, fences := 0, 0, 0
	for line := range strings.SplitSeq(text, "\n") {
		rest := strings.TrimLeft(line, " \t")
		switch {
		case strings.HasPrefix(rest, "#"):
			heads++
		case strings.Contains(rest, "|"):
			rows++
		case fenceMark(rest) != "":
			fences++
		}
		markers := 0
		for n := marker(rest); n > 0; n = marker(rest) {
			rest = strings.TrimLeft(rest[n:], " \t")
			markers++
		}
		indent := len(line) - len(strings.TrimLeft(line, " \t")) + 3*strings.Count(line[:len(line)-len(strings.TrimLeft(line, " \t"))], "\t")
		if markers > 0 && markers+indent/indentLevel > deepest || heads > mostHeads || rows > mostRows || fences > mostFences {
			return true
		}
	}
	return false
}

// marker is the length of the quote or list mark at the start of a line, 0
// without one.
func marker(line string) int {
	if line == "" {
		return 0
	}
	if line[0] == '>' {
		return 1
	}
	n := len(line) - len(strings.TrimLeft(line, "0123456789"))
	if n == 0 && strings.ContainsRune("-*+", rune(line[0])) || n > 0 && n < len(line) && strings.ContainsRune(".)", rune(line[n])) {
		if n++; n == len(line) || line[n] == ' ' || line[n] == '\t' {
			return n
		}
	}
	return 0
}

// markdown renders a segment. One that grows has the memory of the code block
// at its end.
func (r *renderer) markdown(text string, growing *openCode) []string {
	if costly(text) {
		return r.wrapAll(text, r.textWidth())
	}
	var out []string
	parts := partsOf(text)
	for i, p := range parts {
		var lines []string
		switch {
		case p.kind == partCode && growing != nil && i == len(parts)-1:
			lines = growing.draw(r, p.language, p.text)
		case p.kind == partCode:
			lines = r.codeLines(p.language, p.text)
		case p.kind == partTable:
			lines = r.tableLines(p.text, r.width)
		default:
			lines = r.proseLines(p.text, r.textWidth())
		}
		if len(out) > 0 && len(lines) > 0 {
			out = append(out, "")
		}
		out = append(out, lines...)
	}
	return out
}

// tableLines lays out a table in its own width, at most the given one.
func (r *renderer) tableLines(text string, most int) []string {
	width := r.tableWidth(text, most)
	g := r.tableRenderers[width]
	if g == nil {
		var err error
		g, err = glamour.NewTermRenderer(glamour.WithStyles(r.theme.tables), glamour.WithWordWrap(width))
		if err != nil {
			return r.wrapAll(text, width)
		}
		if r.tableRenderers == nil {
			r.tableRenderers = map[int]*glamour.TermRenderer{}
		}
		r.tableRenderers[width] = g
	}
	out, err := g.Render(strings.Join(literalLines(strings.Split(text, "\n")), "\n"))
	if err != nil {
		return r.wrapAll(text, width)
	}
	lines := strings.Split(marked.Replace(onlyStyles(out)), "\n")
	for i, l := range lines {
		lines[i] = trimRightStyled(l)
	}
	for len(lines) > 0 && ansi.Strip(lines[0]) == "" {
		lines = lines[1:]
	}
	for len(lines) > 0 && ansi.Strip(lines[len(lines)-1]) == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// trimRightStyled removes the padding that a renderer puts behind a line.
func trimRightStyled(line string) string {
	plain := strings.TrimRight(ansi.Strip(line), " ")
	return ansi.Truncate(line, ansi.StringWidth(plain), "")
}

// wrap breaks a line that is too long; it gives at least one line.
func (r *renderer) wrap(line string, width int) []string {
	width = max(1, width)
	if len(line) <= width {
		return []string{line}
	}
	return strings.Split(r.method.Wrap(line, width, ""), "\n")
}

func (r *renderer) wrapAll(text string, width int) []string {
	var out []string
	for line := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
		out = append(out, r.wrap(line, width)...)
	}
	return out
}

// fit cuts a line to the width, marking the cut.
func (r *renderer) fit(line string, width int) string {
	return r.method.Truncate(line, max(0, width), r.ellipsis)
}
