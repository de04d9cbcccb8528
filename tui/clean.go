package tui

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

const tabWidth = 4

// clean makes foreign text harmless: escape sequences, control characters and
// the marks that turn the direction of writing are removed, tabs become
// blanks, line ends are LF.
func clean(s string) string {
	if plain(s) {
		return s
	}
	s = strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\r\n", "\n")
	s = ansi.Strip(s)
	var b strings.Builder
	b.Grow(len(s))
	column := 0
	for _, r := range s {
		switch {
		case r == '\n':
			column = 0
		case r == '\t':
			for n := tabWidth - column%tabWidth; n > 0; n-- {
				b.WriteByte(' ')
				column++
			}
			continue
		case unicode.IsControl(r), turnsDirection(r):
			continue
		default:
			column++
		}
		b.WriteRune(r)
	}
	return b.String()
}

// plain reports whether there is nothing to clean, which is the usual case.
func plain(s string) bool {
	for i := 0; i < len(s); i++ {
		if c := s[i]; c != '\n' && (c < ' ' || c == 0x7f || c >= utf8.RuneSelf) {
			return false
		}
	}
	return true
}

// turnsDirection reports whether r can make a line read other than it is
// stored.
func turnsDirection(r rune) bool {
	return r >= '\u202a' && r <= '\u202e' || r >= '\u2066' && r <= '\u2069'
}

// cleanLine is clean for what must stay on one line.
func cleanLine(s string) string {
	return strings.TrimSpace(strings.Join(strings.Fields(clean(s)), " "))
}

// firstLine is the first line that says something, marked when there is more.
func firstLine(s string) string {
	s = strings.TrimSpace(s)
	first, rest, more := strings.Cut(s, "\n")
	first = cleanLine(first)
	if more && strings.TrimSpace(rest) != "" {
		first += " …"
	}
	return first
}

// onlyStyles keeps text, line breaks and SGR sequences (colour, weight) of
// what a renderer made, and nothing that does more.
func onlyStyles(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	var state byte
	for len(s) > 0 {
		seq, _, n, next := ansi.DecodeSequence(s, state, nil)
		switch {
		case seq == "\n", isSGR(seq):
			b.WriteString(seq)
		case !strings.ContainsFunc(seq, func(r rune) bool { return unicode.IsControl(r) || turnsDirection(r) }):
			b.WriteString(seq)
		}
		state, s = next, s[n:]
	}
	return b.String()
}

// isSGR reports whether a sequence sets colours and weight alone.
func isSGR(seq string) bool {
	middle, ok := strings.CutPrefix(seq, "\x1b[")
	middle, end := strings.CutSuffix(middle, "m")
	return ok && end && strings.Trim(middle, "0123456789;:") == ""
}
