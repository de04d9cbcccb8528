package tui_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	tea "charm.land/bubbletea/v2"

	"podium.local/protocol"
	"podium.local/tui"
)

// wide draws an answer on a screen of 120 columns.
func wide(t *testing.T, text string) string {
	t.Helper()
	m := tui.NewModel(t.Context(), tui.Options{})
	m.Update(tea.WindowSizeMsg{Width: 120, Height: 60})
	m.Event(protocol.TextDone{Text: text})
	return plainScreen(m.View().Content)
}

func TestMarkdown_WhatLooksLikeHTMLIsShownAsWritten(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"A Vec<String> and a Map<K, V>.", "<thinking>\nwell\n</thinking>", "<details>x</details>", "before <system> after",
		"<script>x</script>", "<!-- a comment -->", "<?php x ?>", "a &amp; b &lt;c&gt; &#65; &copy 2026", "`&amp;` and `<b>`",
		"```html\n<b>&amp;</b>\n```", "- <li>\n- &nbsp;x", "| <a> | &amp; |\n|---|---|\n| Vec<u8> | &lt; |", "~~<s> &amp;~~", "## <h1> &amp;",
		"> quoted <b> &amp;", "**<b>**", "[a &amp; <b>](http://x/?a=1&amp;b=2)",
	} {
		screen := wide(t, text)
		for word := range strings.FieldsSeq(strings.NewReplacer("```html", "", "```", "", "`", "", "|---|---|", "", "|", " ", "~~", "", "##", "", "**", "", "[", "", "](", " ", "2)", "2", "- <", " <", "- &", " &", "> quoted", "quoted").Replace(text)) {
			if !strings.Contains(screen, word) {
				t.Errorf("%q does not show %q:\n%s", text, word, strings.TrimSpace(screen))
			}
		}
	}
	if screen := wide(t, "see <https://example.com/x>."); !strings.Contains(screen, "see https://example.com/x.") {
		t.Errorf("an address in angle brackets is a link:\n%s", screen)
	}
}

func TestMarkdown_CodeAndTablesUseTheWidthTextDoesNot(t *testing.T) {
	t.Parallel()
	code := strings.Repeat("abcdefgh ", 12) + "end"
	screen := wide(t, "```\n"+code+"\n```\n\n| a | b |\n|---|---|\n| "+code+" | y |\n\n"+strings.Repeat("text ", 40))
	if n := strings.Count(screen, code); n != 2 {
		t.Errorf("%d of the code and the cell are on one line:\n%s", n, screen)
	}
	for l := range strings.SplitSeq(screen, "\n") {
		if strings.Contains(l, "text") && len(l) > 80 {
			t.Errorf("running text is %d columns long", len(l))
		}
	}
	if screen := wide(t, "| a | b |\n|---|---|\n| x | y |"); !strings.Contains(screen, "   x │ y\n") {
		t.Errorf("a small table is not small:\n%s", screen)
	}
}

func TestMarkdown_ALongLineOfCodeGoesOnBelowItsBeginning(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("word ", 80)
	for name, c := range map[string]struct{ text, begins string }{
		"at the margin": {"```go\n    " + long + "\n```", "        "},
		"in a list":     {"- a\n\n  ```go\n    " + long + "\n  ```", "      "},
		"猫":             {"```\n    " + strings.Repeat("猫", 100) + "\n```", "        "},
	} {
		t.Run(name, func(t *testing.T) {
			n, screen := 0, wide(t, c.text)
			for _, word := range []string{"word", "猫"} {
				if got, want := strings.Count(strings.Join(strings.Fields(screen), ""), word), strings.Count(c.text, word); got != want {
					t.Errorf("%d of %d are shown:\n%s", got, want, screen)
				}
			}
			for l := range strings.SplitSeq(screen, "\n") {
				if strings.Contains(l, "word") || strings.Contains(l, "猫") {
					if n++; !strings.HasPrefix(l, c.begins) {
						t.Errorf("the line %q begins left of its beginning", l)
					}
				}
			}
			if n < 2 {
				t.Errorf("%d lines", n)
			}
		})
	}
}

// story is an answer with a bit of everything that a model writes.
const story = answer + "\n\n> A quote of **some** words.\n\n- one `code`\n- two\n  - three <b>\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```go\nfunc main() {\n\tprintln(\"a long line that is wrapped where the screen ends, wherever that may be, of course\")\n}\n```\n\nThe end."

// What is drawn does not move when more arrives: a line that stood on the
// screen once stays where it is, but for the last one or two.
func TestMarkdown_NothingJumpsWhileAnAnswerStreams(t *testing.T) {
	for _, width := range []int{40, 80, 120} {
		t.Run(fmt.Sprint(width), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := tui.NewModel(t.Context(), tui.Options{Now: fixed})
				m.Update(tea.WindowSizeMsg{Width: width, Height: 100})
				var before []string
				for i, r := range story {
					m.Event(protocol.TextDelta{Text: string(r)})
					now := drawnLines(m)
					// A table is laid out anew with each row, a paragraph becomes its head.
					for n := 0; n < len(before)-1 && !strings.ContainsAny(before[n], "|│─"); n++ {
						if n >= len(now) || now[n] != before[n] && n < len(before)-2 {
							t.Fatalf("after %q line %d was\n%q and is\n%q", story[max(0, i-20):i+1], n, before[n], now[min(n, len(now)-1)])
						}
					}
					before = now
				}
				m.Event(protocol.TextDone{Text: story})
				if got := drawnLines(m); strings.Join(got, "\n") != strings.Join(before, "\n") {
					t.Errorf("it jumps when it is complete:\n%s\nwas\n%s", strings.Join(got, "\n"), strings.Join(before, "\n"))
				}
			})
		})
	}
}

func drawnLines(m *tui.Model) []string {
	text := plainScreen(m.View().Content)
	at := strings.Index(text, "\n›")
	return strings.Split(strings.TrimRight(text[:max(at, 0)], "\n "), "\n")
}

func TestMarkdown_OpenEmphasisAndCodeAreDrawnClosed(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Hello **the": "Hello the", "Hello **the*": "Hello the", "Hello **": "Hello", "run `go te": "run go te", "run `": "run", "**a `b": "a b",
		"one\n-": "one", "one\n\n##": "one", "one\n\n12.": "one", "2 ** 3": "2 ** 3", "text\n\n```go\nx := `a\n``": "text\n\n    x := `a",
	} {
		m := tui.NewModel(t.Context(), tui.Options{})
		m.Event(protocol.TextDelta{Text: text})
		if got := strings.TrimSpace(strings.Join(drawnLines(m), "\n")); got != want {
			t.Errorf("%q is drawn as %q, want %q", text, got, want)
		}
	}
}

func TestMarkdown_ALongListStaysOneList(t *testing.T) {
	t.Parallel()
	var text, want strings.Builder
	for i := range 100 {
		fmt.Fprintf(&text, "%d. the item number %d of many\n", i+1, i+1)
		fmt.Fprintf(&want, "  %d. the item number %d of many\n", i+1, i+1)
	}
	if n := len(tui.Segments([]string{text.String()})); n < 3 {
		t.Errorf("%d segments: a list that grows is laid out anew as a whole", n)
	}
	m := tui.NewModel(t.Context(), tui.Options{})
	m.Update(tea.WindowSizeMsg{Width: 80, Height: 110})
	m.Event(protocol.TextDone{Text: text.String()})
	if got := strings.Join(drawnLines(m), "\n") + "\n"; got != want.String() {
		t.Errorf("the list is\n%s", got)
	}
}

// Colours of code that grows come in portions; the text is there at once.
func TestMarkdown_CodeThatGrowsIsWholeAtEveryMoment(t *testing.T) {
	t.Parallel()
	m := tui.NewModel(t.Context(), tui.Options{})
	m.Update(tea.WindowSizeMsg{Width: 80, Height: 300})
	m.Event(protocol.TextDelta{Text: "```go\n"})
	for i := range 200 {
		m.Event(protocol.TextDelta{Text: fmt.Sprintf("x%d := 1", i)})
		if lines := drawnLines(m); len(lines) != i+1 || lines[i] != fmt.Sprintf("    x%d := 1", i) {
			t.Fatalf("%d lines, the last is %q", len(lines), lines[len(lines)-1])
		}
		m.Event(protocol.TextDelta{Text: "\n"})
	}
}
