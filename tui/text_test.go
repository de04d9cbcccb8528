package tui_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"unicode"

	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"podium.local/protocol"
	"podium.local/tui"
)

// hostile are texts that try to command the terminal.
var hostile = []string{
	"\x1b[2J\x1b[Hgone", "\x1b]52;c;ZXZpbA==\x07", "\x1b]0;title\x1b\\", "\x1bP+q544e\x1b\\", "\u009b2J", "\u009d52;c;x\u009c",
	"a\rb", "a\bb", "\x07", "\x00", "\x7f", "\u202egnp.exe", "\u2066x", "\x1b", "\x1b[", "\x1b]8;;http://evil\x1b\\click\x1b]8;;\x1b\\",
	"&#27;[2J", "&#x1b;]52;c;x&#7;", "&#155;2J", "[x](http://a/&#27;]52;c;y&#7;)", "![x](&#x9b;2J)", "`\x1b[2J`", "```\n\x1b]52;c;x\x07\n```\n", "<b\x1b[2J>",
	"\xff\xfe\x1b[2J",
}

// commands are what must never be in a screen: everything but text, line
// breaks and SGR.
func commands(screen string) []string {
	var found []string
	var state byte
	for len(screen) > 0 {
		seq, _, n, next := ansi.DecodeSequence(screen, state, nil)
		if r := []rune(seq); !(strings.HasPrefix(seq, "\x1b[") && strings.HasSuffix(seq, "m")) && seq != "\n" &&
			(strings.ContainsFunc(seq, unicode.IsControl) || r[0] >= 0x202a && r[0] <= 0x202e || r[0] >= 0x2066 && r[0] <= 0x2069) {
			found = append(found, seq)
		}
		state, screen = next, screen[n:]
	}
	return found
}

func TestHostile_NothingThePodSaysCommandsTheTerminal(t *testing.T) {
	next, _ := protocol.ParseSessionID(nextID)
	for _, h := range hostile {
		t.Run(strings.ToValidUTF8(h, "?"), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := open(t)
				name := hello(protocol.StateRunning)
				name.PodName = h
				s.event(name, snapshot(protocol.StateRunning, nil, message(protocol.RoleUser, "u", strings.ToValidUTF8(h, "?"))),
					protocol.UserInput{Text: h, Client: h, Kind: protocol.InputNotification}, protocol.TextDelta{Text: h}, protocol.TextDelta{Text: h})
				check := func() {
					t.Helper()
					v := s.m.View()
					if found := commands(v.Content); len(found) > 0 {
						t.Errorf("the screen holds %q", found)
					}
					if found := commands(v.WindowTitle); len(found) > 0 {
						t.Errorf("the title holds %q", found)
					}
				}
				check()
				s.event(protocol.TextDone{Text: h + "\n\n" + h}, protocol.ReasoningDelta{Text: h}, protocol.ReasoningDone{Text: h},
					protocol.ToolCallStart{ID: "c", Name: h}, protocol.ToolCallArgsDelta{ID: "c", JSON: `{"command":"` + h}, protocol.ToolCallDone{ID: "c", Name: h, Arguments: `{"` + h + `":1}`},
					protocol.ToolResult{ID: "c", Output: h, Summary: &h}, protocol.ToolCallDone{ID: "d", Name: "Write", Arguments: `{"content":"\u001b[2J\u009b2J","file_path":"\u001b]0;x\u0007"}`},
					protocol.Notification{Source: protocol.NotificationSource(h), Level: protocol.NotificationLevel(h), Message: h}, protocol.CompactFailed{Error: h}, protocol.CompactDone{NewSessionID: next},
					protocol.Unknown{Name: h}, protocol.Error{Code: protocol.ErrorCode(h), Message: h}, protocol.RunEnd{Result: protocol.RunResult(h), Error: h},
					protocol.Status{State: protocol.PodState(h)})
				s.press("ctrl+o")
				check()
				for range 10 {
					s.press("pgup")
					check()
				}
			})
		})
	}
}

func TestClean_LeavesNothingThatCommands(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOf(rapid.OneOf(rapid.String(), rapid.SampledFrom(hostile), rapid.StringOf(rapid.RuneFrom([]rune("\x1b[]\\;0123mJ\u009b\u009c\r\n\t"))))).Draw(t, "parts")
		got := tui.Clean(strings.Join(parts, ""))
		for _, r := range got {
			if r != '\n' && unicode.IsControl(r) {
				t.Fatalf("%q is left in %q", r, got)
			}
		}
		if tui.Clean(got) != got {
			t.Fatalf("%q changes when cleaned again", got)
		}
	})
}

func FuzzOnlyStyles(f *testing.F) {
	for _, h := range hostile {
		f.Add(h)
	}
	f.Fuzz(func(t *testing.T, s string) {
		s = strings.ToValidUTF8(s, "?")
		if found := commands(tui.OnlyStyles(s)); len(found) > 0 && strings.ContainsFunc(strings.Join(found, ""), func(r rune) bool { return unicode.IsControl(r) }) {
			t.Errorf("%q is left of %q", found, s)
		}
	})
}

// FuzzScreen puts foreign text in every place that a pod can fill.
func FuzzScreen(f *testing.F) {
	for _, h := range hostile {
		f.Add(h, `{"file_path":"`+h+`","content":1,"old_string":"a`)
	}
	f.Add(answer, `{"file_path":"a.go","new_string":"x\ny","old_string":"x"}`)
	f.Fuzz(func(t *testing.T, text, arguments string) {
		m := tui.NewModel(t.Context(), tui.Options{Name: text, Client: us})
		for _, d := range []protocol.EventData{
			protocol.UserInput{Text: text, Client: text}, protocol.TurnStart{}, protocol.TextDelta{Text: text}, protocol.TextDelta{Text: arguments}, protocol.TextDone{Text: text + arguments},
			protocol.ReasoningDelta{Text: text}, protocol.ToolCallStart{ID: "c", Name: "Edit"}, protocol.ToolCallArgsDelta{ID: "c", JSON: arguments},
		} {
			m.Event(d)
			check(t, m.View().Content)
		}
		for _, d := range []protocol.EventData{
			protocol.ReasoningDone{Text: text}, protocol.ToolCallDone{ID: "c", Name: "Edit", Arguments: arguments}, protocol.ToolResult{ID: "c", Output: text},
			protocol.ToolResult{ID: text, Output: text, IsError: true, Summary: &text}, protocol.Notification{Message: text}, protocol.CompactFailed{Error: text},
			protocol.Error{Message: text, Code: protocol.ErrorCode(text)}, protocol.RunEnd{Error: text, Result: protocol.RunResult(text)},
		} {
			m.Event(d)
		}
		check(t, m.View().Content)
	})
}

// check reports what commands the terminal on a screen.
func check(t *testing.T, content string) {
	t.Helper()
	if found := commands(content); len(found) > 0 {
		t.Errorf("the screen holds %q", found)
	}
}

func TestDiff_GivesBothSidesBack(t *testing.T) {
	t.Parallel()
	lines := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c", ""}), 1, 12)
	rapid.Check(t, func(t *rapid.T) {
		before, after := lines.Draw(t, "before"), lines.Draw(t, "after")
		var old, new []string
		for _, row := range tui.Diff(strings.Join(before, "\n")+"\n", strings.Join(after, "\n")+"\n") {
			if row[0] != '+' {
				old = append(old, row[1:])
			}
			if row[0] != '-' {
				new = append(new, row[1:])
			}
		}
		if d := cmp.Diff(before, old); d != "" {
			t.Fatal(d)
		}
		if d := cmp.Diff(after, new); d != "" {
			t.Fatal(d)
		}
	})
}

// However a text is cut into deltas, it ends up in the same segments: what was
// drawn while it streamed does not move when it is complete.
func TestMarkdown_SegmentsDoNotDependOnTheDeltas(t *testing.T) {
	t.Parallel()
	words := rapid.SampledFrom([]string{"word ", "\n", "\n\n", "- item\n", "```go\n", "```\n", "1. one\n", "  more\n", "# Head\n", "~~~\n", "> quote\n", "猫\n"})
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOf(words).Draw(t, "words"), "")
		var parts []string
		for rest := text; rest != ""; {
			n := rapid.IntRange(1, len(rest)).Draw(t, "cut")
			parts, rest = append(parts, rest[:n]), rest[n:]
		}
		if len(parts) == 0 {
			return
		}
		if d := cmp.Diff(tui.Segments([]string{text}), tui.Segments(parts)); d != "" {
			t.Fatalf("%q in %q: %s", text, parts, d)
		}
	})
}

func TestMarkdown_ALongCodeBlockIsCutIntoWholeOnes(t *testing.T) {
	t.Parallel()
	text := "```go\n" + strings.Repeat("x := 1\n", 5000) + "```\n\nafter"
	segments := tui.Segments([]string{text})
	if len(segments) < 3 {
		t.Fatalf("%d segments", len(segments))
	}
	lines := 0
	for _, s := range segments[:len(segments)-1] {
		if !strings.HasPrefix(s, "```go\n") || !strings.HasSuffix(strings.TrimSpace(s), "\n```") {
			t.Errorf("a segment is no code block: %.20q … %q", s, s[len(s)-10:])
		}
		lines += strings.Count(s, "x := 1\n")
	}
	if lines != 5000 || segments[len(segments)-1] != "after" {
		t.Errorf("%d lines of code, then %q", lines, segments[len(segments)-1])
	}
}
