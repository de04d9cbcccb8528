package tui_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"podium.local/protocol"
	"podium.local/tui"
)

// laidOut draws an answer on a screen of the given width, without the margin.
func laidOut(t testing.TB, width int, text string) string {
	t.Helper()
	m := tui.NewModel(t.Context(), tui.Options{})
	m.Update(tea.WindowSizeMsg{Width: width, Height: 400})
	m.Event(protocol.TextDone{Text: text})
	var lines []string
	for _, l := range drawnLines(m) {
		lines = append(lines, strings.TrimRight(strings.TrimPrefix(l, "  "), " "))
	}
	return strings.Trim(strings.Join(lines, "\n"), "\n")
}

func TestProse_StandsBelowItsOwnBeginning(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ text, want string }{
		"an item goes on below its text":  {"- one two three four five\n- six", "• one two three\n  four five\n• six"},
		"as wide as its number":           {"9. one two three four\n10. one two three four", "9. one two three\n   four\n10. one two three\n    four"},
		"nested lists":                    {"1. one\n   - two three four five six\n2. seven", "1. one\n   • two three\n     four five six\n2. seven"},
		"tasks":                           {"- [x] done and more of it\n- [ ] open", "[x] done and more\n    of it\n[ ] open"},
		"paragraphs of an item":           {"1. one\n   two\n\n   three\n2. four", "1. one two\n\n   three\n\n2. four"},
		"code of an item":                 {"- one:\n\n  ```\n  x := 1\n  ```\n- two", "• one:\n\n    x := 1\n\n• two"},
		"a table in an item":              {"- one:\n\n  | a | b |\n  |---|---|\n  | c | d |", "• one:\n\n   a │ b\n  ───┼───\n   c │ d"},
		"a quote":                         {"> one two three four five\n>\n> - six", "│ one two three\n│ four five\n│\n│ • six"},
		"a line that ends where it is to": {"one  \ntwo\\\nthree", "one\ntwo\nthree"},
		"lines of a paragraph":            {"one\ntwo", "one two"},
		"a heading and its text":          {"## One\ntwo", "One\ntwo"},
		"escapes and marks":               {"\\*one\\* *two* **three** ~~four~~ _fi_ `s\\*x`", "*one* two three\nfour fi s\\*x"},
		"links":                           {"[a](http://b) <http://c> http://d [e](f)", "a http://b\nhttp://c http://d\ne f"},
		"spaces in code":                  {"`a   b`", "a   b"},
		"an image":                        {"![a](b.png)", "image: a b.png"},
		"a rule":                          {"one\n\n---\n\ntwo", "one\n\n───\n\ntwo"},
		"scripts without spaces":          {"ab 日本語のテキスト、です。「はい」", "ab 日本語のテキス\nト、です。「はい」"},
		"marks stay with their character": {"日本語のテキスト日。本", "日本語のテキスト\n日。本"},
		"longer than a line":              {"x " + strings.Repeat("y", 40), "x\n" + strings.Repeat("y", 18) + "\n" + strings.Repeat("y", 18) + "\nyyyy"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := laidOut(t, 20, c.text); got != c.want {
				t.Errorf("%q is drawn as\n%s\nwant\n%s", c.text, got, c.want)
			}
		})
	}
}

// Whatever is in a text, all of it is on the screen and no line is wider, also
// where the terminal counts the parts of an emoji one by one.
func TestProse_LosesNothing(t *testing.T) {
	word := rapid.SampledFrom([]string{
		"word", "👩‍👩‍👧‍👦", "👍🏽", "🇩🇪", "e\u0301", "日本語", "。", "עברית", "a-b", strings.Repeat("long", 30), "`code`", "**bold**", "(x)", "x_y_z", "ǅ", "̈",
	})
	line := rapid.Custom(func(t *rapid.T) string {
		mark := rapid.SampledFrom([]string{"", "- ", "1. ", "> ", "  - ", "## "}).Draw(t, "mark")
		return mark + "w" + strings.Join(rapid.SliceOfN(word, 1, 20).Draw(t, "words"), rapid.SampledFrom([]string{" ", ""}).Draw(t, "between"))
	})
	rapid.Check(t, func(rt *rapid.T) {
		text := strings.Join(rapid.SliceOfN(line, 1, 5).Draw(rt, "lines"), rapid.SampledFrom([]string{"\n", "\n\n"}).Draw(rt, "end"))
		width := rapid.IntRange(24, 90).Draw(rt, "width")
		m := tui.NewModel(t.Context(), tui.Options{})
		m.Update(tea.WindowSizeMsg{Width: width, Height: 400})
		m.Event(protocol.TextDone{Text: text})
		got := drawnLines(m)
		for _, l := range got {
			if n := ansi.StringWidthWc(l); n > width {
				rt.Fatalf("a line is %d of %d columns wide: %q", n, width, l)
			}
		}
		if a, b := letters(text), letters(strings.Join(got, "")); a != b {
			rt.Fatalf("%q is drawn as %q", a, b)
		}
	})
}

// letters are what no layout may change.
func letters(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsMark(r) || r > 0x1f000 {
			return r
		}
		return -1
	}, s)
}

func BenchmarkProse(b *testing.B) {
	var text strings.Builder
	for i := range 60 {
		fmt.Fprintf(&text, "- an item with `code`, **strong** and [a link](http://x/%d) and some more words so that it wraps\n", i)
	}
	for b.Loop() {
		laidOut(b, 80, text.String())
	}
}
