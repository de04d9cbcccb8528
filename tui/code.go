package tui

import (
	"image/color"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/lexers"
	"github.com/alecthomas/chroma/v2/styles"
	"github.com/charmbracelet/x/ansi"
)

// codeMargin is how far code stands to the right of the text around it.
const codeMargin = 2

// part is a piece of a segment that is laid out in one way.
type part struct {
	kind partKind
	// language is the first word behind a code block's opening fence.
	language string
	text     string
}

type partKind int

const (
	partProse partKind = iota
	partCode
	partTable
)

// delimiterRow is the line below a table's head.
var delimiterRow = regexp.MustCompile(`^\|?[ \t]*:?-+:?[ \t]*(\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$`)

// partsOf takes the code blocks and tables that begin at the left margin out
// of a segment: they may be wider than text. A code block may lack its end.
func partsOf(text string) []part {
	var parts []part
	add := func(kind partKind, line string) {
		if n := len(parts); n > 0 && parts[n-1].kind == kind && kind != partCode {
			parts[n-1].text += "\n" + line
			return
		}
		parts = append(parts, part{kind: kind, text: line})
	}
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	for i := 0; i < len(lines); i++ {
		line := lines[i]
		fence := ""
		if line != "" && line[0] != ' ' {
			fence = fenceAfter("", line)
		}
		switch {
		case fence != "":
			from := i + 1
			for i++; i < len(lines) && fenceAfter(fence, lines[i]) != ""; i++ {
			}
			language, _, _ := strings.Cut(strings.TrimSpace(strings.TrimPrefix(fence, fenceMark(fence))), " ")
			parts = append(parts, part{kind: partCode, language: language, text: strings.Join(lines[min(from, len(lines)):min(i, len(lines))], "\n")})
		case i+1 < len(lines) && tableHead(line, lines[i+1]):
			add(partTable, line)
			for ; i+1 < len(lines) && strings.Contains(lines[i+1], "|"); i++ {
				add(partTable, lines[i+1])
			}
		default:
			add(partProse, line)
		}
	}
	return parts
}

func tableHead(head, below string) bool {
	return head != "" && head[0] != ' ' && strings.Contains(head, "|") && strings.Contains(below, "|") && delimiterRow.MatchString(below)
}

// tableWidth is the room that a table would take in columns, at most the given
// one.
func (r *renderer) tableWidth(text string, most int) int {
	var columns []int
	for line := range strings.SplitSeq(text, "\n") {
		if delimiterRow.MatchString(line) {
			continue
		}
		line = strings.ReplaceAll(line, `\|`, " ")
		for i, cell := range strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|") {
			if i == len(columns) {
				columns = append(columns, 0)
			}
			columns[i] = max(columns[i], r.method.StringWidth(strings.TrimSpace(cell)))
		}
	}
	width := len(columns) - 1
	for _, w := range columns {
		width += w + 2
	}
	return max(1, min(width, most))
}

// openCode is a code block that grows. Colours follow in portions, as finding
// them takes time in the length of the whole block; the text never waits.
type openCode struct {
	language, text string
	lines          []string
	// slow says that finding the colours takes too long.
	slow bool
}

// draw gives the lines of the block as far as it has come.
func (o *openCode) draw(r *renderer, language, text string) []string {
	const often = 512 // bytes
	if o.language != language || !strings.HasPrefix(text, o.text) {
		*o = openCode{}
	}
	if end := strings.LastIndexByte(text, '\n') + 1; !o.slow && end > len(o.text) && end-len(o.text) >= min(often, len(o.text)/8) {
		o.language, o.text = language, text[:end]
		o.lines, o.slow = r.coloured(language, o.text)
	}
	lines := slices.Clone(o.lines)
	if rest := text[len(o.text):]; rest != "" {
		for line := range strings.SplitSeq(rest, "\n") {
			lines = append(lines, r.codeLine([]chroma.Token{{Type: chroma.Text, Value: line}}, styles.Get(r.code))...)
		}
	}
	return withoutBlankEnd(lines)
}

// codeLines lays out a code block over the whole width. A line that is too
// long goes on below its own beginning.
func (r *renderer) codeLines(language, text string) []string {
	lines, _ := r.coloured(language, text+"\n")
	return withoutBlankEnd(lines)
}

func withoutBlankEnd(lines []string) []string {
	for len(lines) > 0 && lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// colourTime is how long one block may be looked at for its colours: some
// texts would take minutes.
const colourTime = 250 * time.Millisecond

// coloured lays out whole lines. What is behind the place where the time was
// over stays without colours.
func (r *renderer) coloured(language, text string) (out []string, slow bool) {
	lexer := lexers.Get(language)
	if lexer == nil {
		lexer = lexers.Fallback
	}
	var tokens []chroma.Token
	at, end := 0, time.Now().Add(colourTime)
	if next, err := lexer.Tokenise(nil, text); err == nil {
		for t := next(); t != chroma.EOF && !slow; t = next() {
			tokens = append(tokens, t)
			at += len(t.Value)
			slow = time.Now().After(end)
		}
	}
	if at < len(text) {
		tokens = append(tokens, chroma.Token{Type: chroma.Text, Value: text[at:]})
	}
	look := styles.Get(r.code)
	for _, line := range chroma.SplitTokensIntoLines(tokens) {
		out = append(out, r.codeLine(line, look)...)
	}
	return out, slow
}

// codeLine colours the tokens of one line and breaks it where it is too long.
func (r *renderer) codeLine(tokens []chroma.Token, look *chroma.Style) []string {
	plain := strings.TrimRight(chroma.Stringify(tokens...), "\n")
	if strings.TrimSpace(plain) == "" {
		return []string{""}
	}
	indent := min(codeMargin+len(plain)-len(strings.TrimLeft(plain, " ")), max(0, r.width/2))
	var out []string
	var b strings.Builder
	b.WriteString(strings.Repeat(" ", min(codeMargin, max(0, r.width-1))))
	column := b.Len()
	for _, t := range tokens {
		style := codeStyle(look.Get(t.Type))
		piece := strings.TrimRight(t.Value, "\n")
		for piece != "" {
			fits := r.method.Truncate(piece, max(0, r.width-column), "")
			if fits == "" && column <= indent {
				fits, _ = ansi.FirstGraphemeCluster(piece, ansi.GraphemeWidth) // wider than the screen
			}
			if fits != "" {
				b.WriteString(style.Styled(fits))
				column += r.method.StringWidth(fits)
				piece = piece[len(fits):]
			}
			if piece != "" {
				out = append(out, b.String())
				b.Reset()
				b.WriteString(strings.Repeat(" ", indent))
				column = indent
			}
		}
	}
	return append(out, b.String())
}

func codeStyle(e chroma.StyleEntry) ansi.Style {
	var s ansi.Style
	if e.Colour.IsSet() {
		s = s.ForegroundColor(color.RGBA{R: e.Colour.Red(), G: e.Colour.Green(), B: e.Colour.Blue(), A: 0xff})
	}
	if e.Bold == chroma.Yes {
		s = s.Bold()
	}
	if e.Italic == chroma.Yes {
		s = s.Italic(true)
	}
	if e.Underline == chroma.Yes {
		s = s.Underline(true)
	}
	return s
}

// Marks that stand for characters which Markdown would take for HTML. They are
// no characters and so in no text that came over the wire as one.
const (
	markAnd  = '\ufdd0'
	markLess = '\ufdd1'
)

var (
	maybeEntity = regexp.MustCompile(`&#?[0-9a-zA-Z]+;?`)
	maybeTag    = regexp.MustCompile(`<[a-zA-Z/!?]`)
	autolink    = regexp.MustCompile(`^<[a-zA-Z][a-zA-Z0-9+.-]{1,31}:[^\s<>]*>`)
	marked      = strings.NewReplacer(string(markAnd), "&", string(markLess), "<", "%EF%B7%90", "&", "%EF%B7%91", "<")
)

// literal keeps Markdown from reading HTML in a line: what the model wrote is
// what is shown.
func literal(line string) string {
	line = strings.Map(func(r rune) rune {
		if r == markAnd || r == markLess {
			return -1
		}
		return r
	}, line)
	line = maybeEntity.ReplaceAllStringFunc(line, func(s string) string { return string(markAnd) + s[1:] })
	tags := maybeTag.FindAllStringIndex(line, -1)
	for _, at := range slices.Backward(tags) {
		if !autolink.MatchString(line[at[0]:]) {
			line = line[:at[0]] + string(markLess) + line[at[0]+1:]
		}
	}
	return line
}

// literalLines does so for all lines outside of code blocks, which take every
// character as it is.
func literalLines(lines []string) []string {
	fence := ""
	for i, line := range lines {
		was := fence
		fence = fenceAfter(fence, line)
		if was == "" && fence == "" {
			lines[i] = literal(line)
		}
	}
	return lines
}
