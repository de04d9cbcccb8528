package tui_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/google/go-cmp/cmp"

	"podium.local/protocol"
	"podium.local/tui"
)

// keyCase says what a key does: what the pod is told, what stands in the
// input, what the screen shows.
type keyCase struct {
	name  string
	begin func(t *testing.T, s *screen)
	press []string
	told  []string
	text  string
	shows []string
	quits bool
}

func with(events ...protocol.EventData) func(*testing.T, *screen) {
	return func(_ *testing.T, s *screen) { s.event(events...) }
}

func typedFirst(names ...string) func(*testing.T, *screen) {
	return func(_ *testing.T, s *screen) { s.press(names...) }
}

var keyCases = []keyCase{
	{name: "Enter sends", press: []string{"hi", "enter"}, told: []string{"run hi"}, shows: []string{"sending  hi"}},
	{name: "Enter trims", press: []string{"  hi  ", "enter"}, told: []string{"run hi"}},
	{name: "Enter on nothing does nothing", press: []string{"enter", "  ", "enter"}, text: "  "},
	{name: "Enter on nothing while paused resumes", begin: with(status(protocol.StatePaused)), press: []string{"enter"}, told: []string{"resume"}},
	{name: "Enter with a text while paused starts a turn", begin: with(status(protocol.StatePaused)), press: []string{"x", "enter"}, told: []string{"run x"}},
	{name: "Enter while running queues", begin: with(status(protocol.StateRunning)), press: []string{"a", "enter", "b", "enter"}, shows: []string{"queued  a", "queued  b"}},
	{name: "Enter after a backslash breaks the line", press: []string{`a\`, "enter", "b"}, text: "a\nb"},
	{name: "Alt-Enter breaks the line", press: []string{"a", "alt+enter", "b", "shift+enter", "c", "ctrl+j", "d"}, text: "a\nb\nc\nd"},
	{name: "Ctrl-C while running pauses", begin: with(status(protocol.StateRunning)), press: []string{"ctrl+c"}, told: []string{"pause"}},
	{name: "Ctrl-C while running pauses once", begin: with(status(protocol.StateRunning)), press: []string{"ctrl+c"}, told: []string{"pause"}},
	{name: "Ctrl-C warns", press: []string{"ctrl+c"}, shows: []string{"Press Ctrl-C again within 3 s to exit the TUI (the Pod keeps running)."}},
	{name: "Ctrl-C twice leaves", press: []string{"ctrl+c", "ctrl+c"}, quits: true},
	{name: "Ctrl-C, another key, Ctrl-C stays", press: []string{"ctrl+c", "x", "ctrl+c"}, text: "x"},
	{name: "Ctrl-X cancels", begin: with(status(protocol.StateRunning)), press: []string{"ctrl+x"}, told: []string{"cancel"}},
	{name: "Ctrl-X discards what is paused", begin: with(status(protocol.StatePaused)), press: []string{"ctrl+x"}, told: []string{"cancel"}},
	{name: "Ctrl-X ends a compaction", begin: with(status(protocol.StateCompacting)), press: []string{"ctrl+x"}, told: []string{"cancel"}},
	{name: "Ctrl-X on nothing says so", press: []string{"ctrl+x"}, shows: []string{"Nothing to cancel (Pod is not running)."}},
	{name: "Ctrl-D shuts down", press: []string{"ctrl+d"}, told: []string{"shutdown"}},
	{name: "Ctrl-D while running warns", begin: with(status(protocol.StateRunning)), press: []string{"ctrl+d"}, shows: []string{"Turn is running. Press Ctrl-D again to cancel and shut down."}},
	{name: "Ctrl-D twice while running shuts down", begin: with(status(protocol.StateRunning)), press: []string{"ctrl+d", "ctrl+d"}, told: []string{"shutdown"}},
	{name: "/compact", press: []string{"/compact", "enter"}, told: []string{"compact"}},
	{name: "/cancel", begin: with(status(protocol.StateRunning)), press: []string{"/cancel", "enter"}, told: []string{"cancel"}},
	{name: "/pause", press: []string{"/pause", "enter"}, told: []string{"pause"}},
	{name: "/resume", press: []string{"/resume", "enter"}, told: []string{"resume"}},
	{name: "/quit", press: []string{"/quit", "enter"}, quits: true},
	{name: "/help", press: []string{"/help", "enter"}, shows: []string{"Ctrl-X", "Esc closes"}},
	{name: "? lists the keys", press: []string{"?"}, shows: []string{"The run", "Ctrl-X", "Esc closes"}},
	{name: "? in a text is a character", press: []string{"a?"}, text: "a?"},
	{name: "F1 lists the keys in mid-text", press: []string{"a", "f1"}, text: "a", shows: []string{"Ctrl-X"}},
	{name: "Left Right Backspace Delete", press: []string{"abcd", "left", "left", "backspace", "delete", "right", "e"}, text: "ade"},
	{name: "Home End", press: []string{"bc", "home", "a", "end", "d"}, text: "abcd"},
	{name: "Ctrl-A Ctrl-E", press: []string{"bc", "ctrl+a", "a", "ctrl+e", "d"}, text: "abcd"},
	{name: "Alt-B Alt-F", press: []string{"one two three", "alt+b", "alt+b", "X", "alt+f", "Y"}, text: "one XtwoY three"},
	{name: "Ctrl-Left Ctrl-Right", press: []string{"one two", "ctrl+left", "X", "ctrl+right", "Y"}, text: "one XtwoY"},
	{name: "Ctrl-W Ctrl-V", press: []string{"one two", "ctrl+w", "ctrl+a", "ctrl+v"}, text: "twoone "},
	{name: "Alt-D", press: []string{"one two", "home", "alt+d"}, text: " two"},
	{name: "Ctrl-U Ctrl-K", press: []string{"abc", "alt+enter", "defg", "left", "ctrl+u", "up", "home", "ctrl+k"}, text: "\ng"},
	{name: "Up recalls and Down comes back", begin: typedFirst("first", "enter"), press: []string{"draft", "up", "down", "!"}, text: "draft!", told: []string{"run first"}},
	{name: "Up recalls", begin: typedFirst("first", "enter"), press: []string{"up"}, text: "first", told: []string{"run first"}},
	{name: "Up moves within a text first", press: []string{"ab", "alt+enter", "cd", "up", "X"}, text: "abX\ncd"},
	{name: "unbound Ctrl and Alt characters are ignored", press: []string{"a", "ctrl+q", "alt+x", "b"}, text: "ab"},
	{name: "wide and combined characters are one each", press: []string{"日本", "e\u0301", "👩‍👩‍👧", "backspace", "backspace", "left", "backspace"}, text: "本"},
	{name: "Ctrl-G without an editor says how to have one", press: []string{"ctrl+g"}, shows: []string{"set VISUAL or EDITOR"}},
}

func TestKey_EachOneDoesWhatItSays(t *testing.T) {
	for _, c := range keyCases {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := attached(t)
				if c.begin != nil {
					c.begin(t, s)
				}
				s.press(c.press...)
				if diff := cmp.Diff(c.told, s.pod.told()); diff != "" {
					t.Errorf("the pod was told (-want +got):\n%s", diff)
				}
				if got := s.m.Text(); got != c.text {
					t.Errorf("the input holds %q, want %q", got, c.text)
				}
				if s.quit != c.quits {
					t.Errorf("quit is %v, want %v", s.quit, c.quits)
				}
				s.shows(c.shows...)
			})
		})
	}
}

// What ? promises is tested here or where it is named.
func TestKey_HelpNamesOnlyWhatIsTested(t *testing.T) {
	t.Parallel()
	elsewhere := []string{"@", "PgUp", "PgDn", "Ctrl-Home", "Ctrl-End", "Tab", "Ctrl-O", "Ctrl-Y", "Ctrl-L", "Ctrl-Z"}
	var names strings.Builder
	for _, c := range keyCases {
		names.WriteString(c.name + "\n")
	}
	for _, k := range tui.KeyHelp() {
		for _, key := range strings.Fields(k[0]) {
			if !strings.Contains(names.String(), key) && !slices.Contains(elsewhere, key) {
				t.Errorf("no test presses %s", key)
			}
		}
	}
}

func TestKey_TwoPressesMustBeWithinThreeSeconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := attached(t)
		s.press("ctrl+c")
		s.wait(3100 * time.Millisecond)
		s.press("ctrl+c")
		if s.quit {
			t.Error("left although the second press came too late")
		}
	})
}

func TestKey_APressWhileTheSameWaitsForItsAnswerDoesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := running(t)
		release := make(chan struct{})
		s.pod.answer = func(m protocol.Method) (protocol.Event, error) {
			<-release
			return protocol.Event{Data: protocol.Accepted{Method: m.Params.MethodName()}}, nil
		}
		s.press("ctrl+x", "ctrl+x", "ctrl+x")
		close(release)
		s.settle()
		if diff := cmp.Diff([]string{"cancel"}, s.pod.told()); diff != "" {
			t.Error(diff)
		}
	})
}

func TestQueue_IsSentWhenTheRunFinishesAndClearedByCancel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := running(t)
		s.press("one", "enter", "two", "enter")
		s.event(protocol.RunEnd{Result: protocol.RunFinished}, status(protocol.StateIdle))
		if diff := cmp.Diff([]string{"run one"}, s.pod.told()); diff != "" {
			t.Errorf("after the run: %s", diff)
		}
		s.event(protocol.UserInput{Text: "one", Client: us, EntryID: "e-1"}, status(protocol.StateRunning))
		s.shows("queued  two")
		s.press("ctrl+x")
		s.hides("queued  two")
		s.event(protocol.RunEnd{Result: protocol.RunCancelled}, status(protocol.StateIdle))
		if diff := cmp.Diff([]string{"cancel"}, s.pod.told()); diff != "" {
			t.Errorf("after the cancel: %s", diff)
		}
		s.press("up")
		if got := s.m.Text(); got != "two" {
			t.Errorf("Up brings %q, want what the cancel cleared", got)
		}
	})
}

func TestQueue_WaitsForThePersonAfterAFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := running(t)
		s.press("next", "enter")
		s.event(protocol.Error{Code: protocol.CodeProviderError, Message: "x"}, protocol.RunEnd{Result: protocol.RunFailed, Error: "x"}, status(protocol.StateIdle))
		s.shows("held    next", "Enter sends what is held")
		if told := s.pod.told(); len(told) > 0 {
			t.Errorf("the pod was told %q", told)
		}
		s.press("enter")
		if diff := cmp.Diff([]string{"run next"}, s.pod.told()); diff != "" {
			t.Error(diff)
		}
	})
}

func TestPaste_OneMegabyteIsAChipAndIsSentWhole(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := attached(t)
		big := strings.Repeat("0123456789abcde\r", 1<<16)
		s.press("see ")
		s.send(tea.PasteMsg{Content: big})
		s.press(" please")
		s.shows("› see [paste 1.0 MB, 65536 lines] please")
		s.press("backspace", "left", "left", "left", "left", "left", "left", "backspace")
		if got := s.m.Text(); got != "see  pleas" {
			t.Errorf("one backspace left %q of the chip", got[:min(40, len(got))])
		}
		s.send(tea.PasteMsg{Content: big})
		s.press("enter")
		told := s.pod.told()
		want := "run see " + strings.ReplaceAll(big, "\r", "\n") + " pleas"
		if len(told) != 1 || told[0] != want {
			t.Errorf("%d methods, the paste did not arrive whole", len(told))
		}
	})
}

func TestPaste_AShortOneIsPlainTextWithoutEscapes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := attached(t)
		s.send(tea.PasteMsg{Content: "a\x1b[31mb\r\nc"})
		if got := s.m.Text(); got != "ab\nc" {
			t.Errorf("the input holds %q", got)
		}
	})
}

func TestComplete_AtSignOffersFiles(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		listed := 0
		s := attached(t, func(o *tui.Options) {
			o.Files = func(context.Context) ([]string, error) {
				listed++
				return []string{"cmd/main.go", "login_test.go", "docs/login.md", "README.md"}, nil
			}
		})
		s.press("see @log")
		s.shows("  login_test.go", "  docs/login.md")
		s.press("down", "up", "tab", "ok")
		if got := s.m.Text(); got != "see @docs/login.md ok" {
			t.Errorf("the input holds %q", got)
		}
		s.press(" @mg", "enter")
		if got := s.m.Text(); got != "see @docs/login.md ok @cmd/main.go " {
			t.Errorf("the input holds %q", got)
		}
		s.press("@READ", "esc", "enter")
		if diff := cmp.Diff([]string{"run see @docs/login.md ok @cmd/main.go @READ"}, s.pod.told()); diff != "" {
			t.Error(diff)
		}
		if listed != 1 {
			t.Errorf("the files were listed %d times", listed)
		}
	})
}

func TestHistory_ComesFromTheProjectAndGoesBackThere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := &history{old: []string{"yesterday"}}
		s := attached(t, func(o *tui.Options) { o.History = h })
		s.press("today", "enter", "up", "up")
		if got := s.m.Text(); got != "yesterday" {
			t.Errorf("Up twice brings %q", got)
		}
		if diff := cmp.Diff([]string{"today"}, h.added); diff != "" {
			t.Error(diff)
		}
	})
}

type history struct{ old, added []string }

func (h *history) Load() ([]string, error)  { return h.old, nil }
func (h *history) Append(text string) error { h.added = append(h.added, text); return nil }

func TestScroll_HoldsItsPlaceWhileMoreArrives(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := attached(t)
		for i := range 40 {
			s.event(protocol.TextDone{Text: fmt.Sprintf("answer %d.", i), EntryID: fmt.Sprint("t", i)})
		}
		s.shows("answer 39.")
		for _, up := range []func(){func() { s.press("pgup") }, func() { s.send(tea.MouseWheelMsg{Button: tea.MouseWheelUp}) }, func() { s.press("shift+up") }, func() { s.press("ctrl+home") }} {
			s.press("ctrl+end")
			s.hides("more below")
			up()
			s.shows("more below")
			before, _, _ := strings.Cut(s.text(), "\n")
			s.event(protocol.TextDone{Text: "later", EntryID: "l"})
			if after, _, _ := strings.Cut(s.text(), "\n"); after != before {
				t.Errorf("the first line was %q and is %q", before, after)
			}
		}
		s.press("pgdown", "pgdown", "pgdown", "pgdown", "pgdown", "pgdown", "pgdown")
		s.shows("later")
		s.hides("more below")
	})
}

func TestCopy_PutsTheTextOnTheClipboard(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := attached(t)
		s.event(protocol.TextDone{Text: "**copy** me", EntryID: "t"})
		s.press("ctrl+y")
		clipboard := func() (n int) {
			for _, msg := range s.seen {
				if fmt.Sprint(msg) == "**copy** me" {
					n++
				}
			}
			return n
		}
		if clipboard() != 1 {
			t.Error("Ctrl-Y did not copy the newest answer")
		}
		s.press("tab", "y")
		if clipboard() != 2 {
			t.Error("y did not copy the selected block")
		}
		s.press("esc", "x")
		if got := s.m.Text(); got != "x" {
			t.Errorf("after Esc the input holds %q", got)
		}
	})
}

func TestResize_AtAnyMomentFitsTheScreen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := running(t)
		s.event(protocol.TextDelta{Text: strings.Repeat("words 猫 and more ", 80)}, protocol.ToolCallDone{ID: "a", Name: "Write", Arguments: `{"file_path":"x","content":"a\nb"}`})
		s.press("input ", strings.Repeat("long ", 60))
		for w := 1; w < 140; w += 7 {
			for h := 1; h < 50; h += 6 {
				s.send(tea.WindowSizeMsg{Width: w, Height: h})
				lines := strings.Split(s.text(), "\n")
				if len(lines) > h {
					t.Fatalf("%dx%d: %d lines", w, h, len(lines))
				}
			}
		}
	})
}
