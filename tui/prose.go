package tui

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// look is how a piece of running text looks.
type look struct {
	bold, italic, struck, underlined bool
	colour                           colour
}

type colour int

const (
	plainColour colour = iota
	softColour
	linkColour
)

// span is a piece of text of one look; a newline in it is kept.
type span struct {
	text string
	look look
}

var markdownParser = goldmark.New(goldmark.WithExtensions(extension.GFM)).Parser()

// prose lays out Markdown in the given width: what is in lists and quotes
// stands below its own beginning.
type prose struct {
	r      *renderer
	source []byte
}

// proseLines renders what is no code block at the margin.
func (r *renderer) proseLines(markdown string, width int) []string {
	source := strings.Join(literalLines(strings.Split(markdown, "\n")), "\n")
	p := &prose{r, []byte(source)}
	return p.blocks(markdownParser.Parse(text.NewReader(p.source)), width, look{})
}

// blocks are the blocks below a node, a blank line between two of them.
func (p *prose) blocks(parent ast.Node, width int, base look) []string {
	var out []string
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		lines := p.block(n, width, base)
		if len(out) > 0 && len(lines) > 0 && !p.joined(n) {
			out = append(out, "")
		}
		out = append(out, lines...)
	}
	return out
}

// joined reports whether a block follows the one before without a blank line:
// what is right below its heading, and a list below the text of its item.
func (p *prose) joined(n ast.Node) bool {
	before := n.PreviousSibling()
	switch {
	case before == nil:
		return true
	case before.Kind() == ast.KindHeading:
		return !n.HasBlankPreviousLines()
	default:
		return n.Kind() == ast.KindList && n.Parent().Kind() == ast.KindListItem
	}
}

func (p *prose) block(n ast.Node, width int, base look) []string {
	switch n := n.(type) {
	case *ast.Heading:
		base.bold, base.underlined, base.italic = true, n.Level == 1, n.Level == 3
		return p.paragraph(n, width, base)
	case *ast.Paragraph, *ast.TextBlock:
		return p.paragraph(n, width, base)
	case *ast.List:
		return p.list(n, width, base)
	case *ast.Blockquote:
		base.colour = softColour
		return prefixed(p.blocks(n, width-2, base), p.r.soft.Render(p.r.bar), p.r.soft.Render(p.r.bar))
	case *ast.FencedCodeBlock:
		return p.code(n, string(n.Language(p.source)), width)
	case *ast.CodeBlock:
		return p.code(n, "", width)
	case *ast.ThematicBreak:
		return []string{p.r.theme.rule.Render(strings.Repeat(p.r.shapes.rule, 3))}
	case *extast.Table:
		return p.table(n, width)
	default:
		// HTML is made text before; whatever else comes is shown as it was written.
		return p.r.wrapAll(strings.TrimRight(marked.Replace(p.written(n)), "\n"), width)
	}
}

func prefixed(lines []string, first, others string) []string {
	for i, l := range lines {
		switch {
		case i == 0:
			lines[i] = first + l
		case l == "":
			lines[i] = strings.TrimRight(others, " ")
		default:
			lines[i] = others + l
		}
	}
	return lines
}

func (p *prose) list(l *ast.List, width int, base look) []string {
	var out []string
	number, long := l.Start, false
	for n := l.FirstChild(); n != nil; n = n.NextSibling() {
		mark := p.r.bullet
		if l.IsOrdered() {
			mark = strconv.Itoa(number) + string(l.Marker) + " "
			number++
		}
		if box, ok := firstInline(n).(*extast.TaskCheckBox); ok && !l.IsOrdered() {
			mark = "[ ] "
			if box.IsChecked {
				mark = "[x] "
			}
		}
		lines := prefixed(p.blocks(n, width-len([]rune(mark)), base), mark, strings.Repeat(" ", len([]rune(mark))))
		if len(lines) == 0 {
			lines = []string{strings.TrimRight(mark, " ")}
		}
		if long {
			out = append(out, "")
		}
		out = append(out, lines...)
		// An item of several blocks is set apart from the next one.
		long = n.FirstChild() != nil && n.LastChild() != n.FirstChild() && n.LastChild().Kind() != ast.KindList
	}
	return out
}

// firstInline is the first piece of an item's text.
func firstInline(item ast.Node) ast.Node {
	if item.FirstChild() == nil {
		return nil
	}
	return item.FirstChild().FirstChild()
}

func (p *prose) code(n ast.Node, language string, width int) []string {
	inner := *p.r
	// Code may be wider than text.
	inner.width = max(1, p.r.width-(p.r.textWidth()-width))
	return inner.codeLines(language, strings.TrimSuffix(p.written(n), "\n"))
}

// written is a block as it stands in the source.
func (p *prose) written(n ast.Node) string {
	var b strings.Builder
	for i := range n.Lines().Len() {
		line := n.Lines().At(i)
		b.Write(line.Value(p.source))
	}
	return b.String()
}

// table hands the rows on, without the marks of the lists and quotes around.
func (p *prose) table(n *extast.Table, width int) []string {
	from, to := -1, -1
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering && n.Kind() == extast.KindTableCell && n.Lines().Len() > 0 {
			at := n.Lines().At(0)
			if from < 0 {
				from = at.Start
			}
			to = at.Stop
		}
		return ast.WalkContinue, nil
	})
	if from < 0 {
		return nil
	}
	source := string(p.source)
	from = strings.LastIndexByte(source[:from], '\n') + 1
	if rest := strings.IndexByte(source[to:], '\n'); rest >= 0 {
		to += rest
	} else {
		to = len(source)
	}
	rows := strings.Split(source[from:to], "\n")
	for i, row := range rows {
		rows[i] = strings.TrimLeft(row, " \t>")
	}
	return p.r.tableLines(strings.Join(rows, "\n"), min(width, p.r.width))
}

// paragraph is running text.
func (p *prose) paragraph(n ast.Node, width int, base look) []string {
	f := &flow{r: p.r, width: max(1, width)}
	for _, s := range p.inline(nil, n, base) {
		f.add(s)
	}
	return f.end()
}

// inline gives the text below a node.
func (p *prose) inline(out []span, parent ast.Node, l look) []span {
	add := func(text string, l look) { out = append(out, span{marked.Replace(text), l}) }
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		switch n := n.(type) {
		case *ast.Text:
			text := n.Segment.Value(p.source)
			if !n.IsRaw() {
				text = util.UnescapePunctuations(text)
			}
			add(string(text), l)
			switch {
			case n.HardLineBreak():
				add("\n", l)
			case n.SoftLineBreak():
				add(" ", l)
			}
		case *ast.String:
			add(string(n.Value), l)
		case *ast.CodeSpan:
			inner := l
			inner.colour = linkColour
			for _, s := range p.inline(nil, n, inner) {
				out = append(out, span{strings.ReplaceAll(s.text, "\n", " "), s.look})
			}
		case *ast.Emphasis:
			inner := l
			inner.bold, inner.italic = l.bold || n.Level == 2, l.italic || n.Level == 1
			out = p.inline(out, n, inner)
		case *extast.Strikethrough:
			inner := l
			inner.struck = true
			out = p.inline(out, n, inner)
		case *ast.Link:
			out = p.link(out, n, n.Destination, "", l)
		case *ast.Image:
			out = p.link(out, n, n.Destination, "image: ", l)
		case *ast.AutoLink:
			inner := l
			inner.colour, inner.underlined = linkColour, true
			add(string(n.Label(p.source)), inner)
		case *ast.RawHTML:
			for i := range n.Segments.Len() {
				at := n.Segments.At(i)
				add(string(at.Value(p.source)), l)
			}
		case *extast.TaskCheckBox:
			if l, ok := n.Parent().Parent().Parent().(*ast.List); ok && !l.IsOrdered() {
				continue // the item's mark
			}
			add(map[bool]string{true: "[x] ", false: "[ ] "}[n.IsChecked], l)
		default:
			out = p.inline(out, n, l)
		}
	}
	return out
}

// link gives a link's text and where it leads.
func (p *prose) link(out []span, n ast.Node, destination []byte, before string, l look) []span {
	text, address := l, l
	text.colour, address.colour, address.underlined = linkColour, linkColour, true
	if before != "" {
		text.colour = softColour
		out = append(out, span{before, text})
	}
	from := len(out)
	out = p.inline(out, n, text)
	var shown strings.Builder
	for _, s := range out[from:] {
		shown.WriteString(s.text)
	}
	to := marked.Replace(string(util.UnescapePunctuations(destination)))
	if to == "" || to == shown.String() || to == "mailto:"+shown.String() {
		return out
	}
	if shown.Len() > 0 {
		out = append(out, span{" ", l})
	}
	return append(out, span{to, address})
}

// flow fills lines with words. In scripts that are written without spaces a
// line may end between any two characters.
type flow struct {
	r     *renderer
	width int
	lines []string
	// line and word are what stands on the open line and what comes next, with
	// their widths; space goes between them.
	line, word     []span
	lineIs, wordIs int
	space          span
}

// add takes the next piece of text.
func (f *flow) add(s span) {
	opening := false // the character before goes with the next one
	for rest, state := s.text, byte(0); len(rest) > 0; {
		seq, _, n, next := ansi.DecodeSequence(rest, state, nil)
		room := max(1, f.width-f.wordIs)
		if run := plainRun(rest[:min(len(rest), room+1)]); run > 1 && state == 0 {
			// What follows may combine with the last character.
			n = run - 1
			seq, next = rest[:n], 0
		}
		rest, state = rest[n:], next
		switch seq {
		case "\n":
			f.flush()
			f.newLine()
			continue
		case " ", "\t":
			f.flush()
			f.space = span{f.space.text + " ", s.look}
			continue
		}
		first, _ := utf8.DecodeRuneInString(seq)
		width := f.r.method.StringWidth(seq)
		opens := width == 2 && unicode.In(first, unicode.Ps, unicode.Pi)
		if opens || !opening && unicode.In(first, unicode.Han, unicode.Hiragana, unicode.Katakana) {
			f.flush()
		}
		opening = opens
		if f.wordIs > 0 && f.wordIs+width > f.width { // longer than a line
			f.flush()
			f.newLine()
		}
		f.word, f.wordIs = appendSpan(f.word, span{seq, s.look}), f.wordIs+width
	}
}

// plainRun is how many characters of a word at the start of s are ASCII.
func plainRun(s string) (n int) {
	for n < len(s) && s[n] > ' ' && s[n] < 0x7f {
		n++
	}
	return n
}

// flush puts the word on the line, or on the next one.
func (f *flow) flush() {
	if len(f.word) == 0 {
		return
	}
	space := len(f.space.text)
	switch {
	case len(f.line) == 0:
	case f.lineIs+space+f.wordIs > f.width:
		f.newLine()
	case space > 0:
		f.line, f.lineIs = appendSpan(f.line, f.space), f.lineIs+space
	}
	for _, s := range f.word {
		f.line = appendSpan(f.line, s)
	}
	f.lineIs, f.space, f.word, f.wordIs = f.lineIs+f.wordIs, span{}, nil, 0
}

func (f *flow) newLine() {
	var b strings.Builder
	for _, s := range f.line {
		b.WriteString(f.r.render(s))
	}
	f.lines = append(f.lines, b.String())
	f.line, f.lineIs, f.space = nil, 0, span{}
}

// end gives the lines.
func (f *flow) end() []string {
	f.flush()
	if len(f.line) > 0 {
		f.newLine()
	}
	return f.lines
}

// appendSpan joins a piece with one of the same look before it.
func appendSpan(spans []span, s span) []span {
	if n := len(spans); n > 0 && spans[n-1].look == s.look {
		spans[n-1].text += s.text
		return spans
	}
	return append(spans, s)
}

// render draws a piece.
func (r *renderer) render(s span) string {
	if s.look == (look{}) {
		return s.text
	}
	style := lipgloss.NewStyle()
	switch s.look.colour {
	case softColour:
		style = r.soft
	case linkColour:
		style = r.link
	}
	return style.Bold(s.look.bold).Italic(s.look.italic).Strikethrough(s.look.struck).Underline(s.look.underlined).UnderlineSpaces(true).Render(s.text)
}
