package main

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"
)

func TestColumns_FrameShowsTheNewestLinesOfEveryPaneSideBySide(t *testing.T) {
	c := newColumns("left", "right")
	c.append(0, "one\ntwo\nthree\n")
	c.append(1, "a long sentence that has to be wrapped")
	lines, changed := c.frame(40, 4)
	if !changed {
		t.Error("the first frame must count as changed")
	}
	want := []string{
		"left               │ right",
		"────────────────── │ ──────────────────",
		"two                │ that has to be",
		"three              │ wrapped",
	}
	if got := strings.Join(lines, "\n"); got != strings.Join(want, "\n") {
		t.Errorf("frame:\n%s\nwant:\n%s", got, strings.Join(want, "\n"))
	}
	if _, changed := c.frame(40, 4); changed {
		t.Error("a frame without new text must not count as changed")
	}
}

func TestColumns_AnyTextFitsTheFrame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := newColumns("a", "b", "c")
		for range rapid.IntRange(0, 6).Draw(t, "writes") {
			c.append(rapid.IntRange(0, 2).Draw(t, "pane"), rapid.String().Draw(t, "text"))
		}
		width, height := rapid.IntRange(30, 160).Draw(t, "width"), rapid.IntRange(3, 30).Draw(t, "height")
		lines, _ := c.frame(width, height)
		if len(lines) != height {
			t.Fatalf("%d lines, want %d", len(lines), height)
		}
		for _, l := range lines {
			if w := ansi.StringWidth(l); w > width {
				t.Fatalf("line of %d cells in a frame of %d: %q", w, width, l)
			}
		}
	})
}
