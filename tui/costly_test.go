package tui_test

import (
	"strings"
	"testing"
	"time"

	"podium.local/protocol"
	"podium.local/tui"
)

func drawn(t *testing.T, text string) string {
	t.Helper()
	m := tui.NewModel(t.Context(), tui.Options{})
	m.Event(protocol.TextDone{Text: text})
	return plainScreen(m.View().Content)
}

// Laying out deep quotes and lists takes time exponential in their depth, so
// a text that would never be finished is shown as it was written.
func TestMarkdown_WhatWouldTakeTooLongIsShownAsWritten(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ text, shows string }{
		"quotes":          {strings.Repeat("> ", 200) + "deep", "> > >"},
		"lists":           {strings.Repeat("- ", 200) + "deep", "- - -"},
		"quotes of lists": {strings.Repeat("> - ", 4000) + "deep", "> - > -"},
		"indented lists":  {"- a\n" + strings.Repeat(" ", 40) + "- deep", "- deep"},
		"headings":        {strings.Repeat("# h\n", 100), "# h"},
		"tables":          {strings.Repeat("|a|b\n", 400), "|a|b"},
		"code blocks":     {strings.Repeat("```x\n```\n", 400), "```x"},
	} {
		t.Run(name, func(t *testing.T) {
			if screen := drawn(t, c.text); !strings.Contains(screen, c.shows) {
				t.Errorf("%q is not shown as it was written:\n%s", c.shows, screen)
			}
		})
	}
	if screen := drawn(t, "> - quoted **item**"); strings.Contains(screen, "**") || strings.Contains(screen, "> -") {
		t.Errorf("what is shallow is not laid out:\n%s", screen)
	}
}

// Every kind of mark, many times over, is laid out in the end.
func TestMarkdown_ManyMarksEnd(t *testing.T) {
	t.Parallel()
	for _, unit := range []string{">", "[", "*", "**a", "`", "`a``b", "- ", "[a](", "![", "_a", "<", "&", "|a", "|a|b\n|-|-\n", " - a\n  ", "# a\n", "```\n", "~~a", "\\*", "<a href='x'>", "1. ", "> - "} {
		if screen := drawn(t, strings.Repeat(unit, 6000/len(unit))+"\n\nthe very end"); !strings.Contains(screen, "the very end") {
			t.Errorf("many %q lack their end:\n%s", unit, screen)
		}
	}
}

// Finding the colours of some texts takes minutes. They stay without, and are
// whole.
func TestMarkdown_CodeWhoseColoursTakeTooLongIsShownWithoutThem(t *testing.T) {
	t.Parallel()
	for _, unit := range []string{"```html\n<script>", "```go\n/*"} {
		text := strings.Repeat(unit, 40_000/len(unit)) + "\nthe very end"
		if screen := drawn(t, text); !strings.Contains(screen, "the very end") {
			t.Errorf("%q lacks its end:\n%s", unit, screen)
		}
	}
}

// An open text that takes long to lay out is behind for a moment only.
func TestMarkdown_ALongOpenTextIsShownInTheEnd(t *testing.T) {
	t.Parallel()
	now := fixed()
	m := tui.NewModel(t.Context(), tui.Options{Now: func() time.Time { now = now.Add(time.Second); return now }})
	m.Event(protocol.TextDelta{Text: strings.Repeat("[a](", 3000)})
	m.View()
	m.Event(protocol.TextDelta{Text: " the end"})
	for end := time.Now().Add(time.Minute); !strings.Contains(plainScreen(m.View().Content), "the end"); m.Update(nil) {
		if time.Now().After(end) {
			t.Fatal("the end of the text is never shown")
		}
	}
}
