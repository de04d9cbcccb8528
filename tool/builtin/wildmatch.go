package builtin

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"
)

// wildmatch turns a git pattern into a regular expression. ok is false for one
// that can match nothing: a backslash at its end, a bracket left open.
func wildmatch(pattern string) (expr string, ok bool) {
	var b strings.Builder
	b.WriteString(`(?s)\A`)
	for i := 0; i < len(pattern); {
		switch c := pattern[i]; c {
		case '*':
			stars := len(pattern[i:]) - len(strings.TrimLeft(pattern[i:], "*"))
			end := i + stars
			atStart, atEnd := i == 0 || pattern[i-1] == '/', end == len(pattern)
			switch {
			case stars >= 2 && atStart && atEnd:
				b.WriteString(`.+`)
			case stars >= 2 && atStart && pattern[end] == '/':
				b.WriteString(`(?:.*/)?`)
				end++
			default:
				b.WriteString(`[^/]*`)
			}
			i = end
		case '?':
			b.WriteString(`[^/]`)
			i++
		case '[':
			class, n, ok := bracket(pattern[i:])
			if !ok {
				return "", false
			}
			b.WriteString(class)
			i += n
		case '\\':
			if i+1 == len(pattern) {
				return "", false
			}
			i++
			fallthrough
		default:
			_, size := utf8.DecodeRuneInString(pattern[i:])
			b.WriteString(regexp.QuoteMeta(pattern[i : i+size]))
			i += size
		}
	}
	b.WriteString(`\z`)
	return b.String(), true
}

// runes is a range of characters, both ends included.
type runes struct{ lo, hi rune }

// classes are the named classes of a bracket, which know ASCII only.
var classes = map[string][]runes{
	"alnum":  {{'0', '9'}, {'A', 'Z'}, {'a', 'z'}},
	"alpha":  {{'A', 'Z'}, {'a', 'z'}},
	"blank":  {{'\t', '\t'}, {' ', ' '}},
	"cntrl":  {{0, 31}, {127, 127}},
	"digit":  {{'0', '9'}},
	"graph":  {{'!', '~'}},
	"lower":  {{'a', 'z'}},
	"print":  {{' ', '~'}},
	"punct":  {{'!', '/'}, {':', '@'}, {'[', '`'}, {'{', '~'}},
	"space":  {{'\t', '\r'}, {' ', ' '}},
	"upper":  {{'A', 'Z'}},
	"xdigit": {{'0', '9'}, {'A', 'F'}, {'a', 'f'}},
}

// bracket turns the bracket that s begins with into a class of a regular
// expression that never takes a slash, and says how long it is.
func bracket(s string) (class string, length int, ok bool) {
	i := 1
	negated := strings.HasPrefix(s[i:], "!") || strings.HasPrefix(s[i:], "^")
	if negated {
		i++
	}
	next := func() (rune, bool) {
		if strings.HasPrefix(s[i:], `\`) {
			i++
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		i += size
		return r, size > 0
	}
	var set []runes
	// A bracket that closes at once is a character of the set.
	for first := true; first || !strings.HasPrefix(s[i:], "]"); first = false {
		if name, length, ok := classAt(s[i:]); ok {
			c, known := classes[name]
			if !known {
				return "", 0, false
			}
			set = append(set, c...)
			i += length
			continue
		}
		lo, ok := next()
		if !ok {
			return "", 0, false
		}
		set = append(set, runes{lo, lo})
		if strings.HasPrefix(s[i:], "-") && len(s) > i+1 && s[i+1] != ']' {
			i++
			hi, ok := next()
			if !ok {
				return "", 0, false
			}
			// The wrong way round it is empty.
			set = append(set, runes{lo, hi})
		}
	}
	return classExpr(set, negated), i + 1, true
}

// classAt reads a named class such as [:alpha:] that s begins with.
func classAt(s string) (name string, length int, ok bool) {
	const longest = len("[:xdigit:]")
	rest, ok := strings.CutPrefix(s[:min(len(s), longest)], "[:")
	if !ok {
		return "", 0, false
	}
	name, _, ok = strings.Cut(rest, ":]")
	return name, len("[::]") + len(name), ok && !strings.Contains(name, "]")
}

func classExpr(set []runes, negated bool) string {
	var b strings.Builder
	add := func(lo, hi rune) {
		if lo <= hi {
			fmt.Fprintf(&b, `\x{%x}-\x{%x}`, lo, hi)
		}
	}
	for _, r := range set {
		if !negated && r.lo <= '/' && '/' <= r.hi {
			add(r.lo, '/'-1)
			add('/'+1, r.hi)
			continue
		}
		add(r.lo, r.hi)
	}
	switch {
	case negated:
		return `[^/` + b.String() + `]`
	case b.Len() == 0:
		return `[^\x{0}-\x{10ffff}]`
	default:
		return `[` + b.String() + `]`
	}
}
