package tui_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/google/go-cmp/cmp"

	"podium.local/client"
	"podium.local/protocol"
	"podium.local/tui"
)

var update = flag.Bool("update", false, "write the golden screens anew")

var sizes = [][2]int{{80, 24}, {120, 40}, {40, 15}}

const answer = `## The cause

The clock is read **twice**, see ` + "`login_test.go`" + `:

1. once in the handler,
2. once in the *test*.

` + "```go\nif time.Now().After(deadline) { // 期限\n\treturn errExpired\n}\n```" + `

| where | what |
|---|---|
| handler | reads the clock |

So I pass the time in.`

// worked is a conversation with a bit of everything.
func worked(s *screen) {
	summary, fine := "214 lines", "exit 0"
	cost := 0.42
	s.press("fix the flaky login test", "enter")
	s.event(status(protocol.StateRunning), protocol.UserInput{Text: "fix the flaky login test", Kind: protocol.InputText, Client: us, EntryID: "e-1"},
		protocol.TurnStart{}, protocol.ReasoningDone{Text: "The person wants the test fixed.\nI should read it first.", EntryID: "r"},
		protocol.TextDone{Text: "I look at the test.", EntryID: "t"},
		protocol.ToolCallDone{ID: "a", Name: "Read", Arguments: `{"file_path":"/src/shop/login_test.go"}`, EntryID: "a"},
		protocol.ToolCallDone{ID: "b", Name: "Edit", Arguments: `{"file_path":"/src/shop/login.go","new_string":"now := clock()\nif now.After(deadline) {","old_string":"if time.Now().After(deadline) {"}`, EntryID: "b"},
		usage(84_000, 1_200, 60_000, &cost), protocol.TurnEnd{})
	s.event(protocol.ToolResult{ID: "a", Output: "package login", Summary: &summary, EntryID: "ar"}, protocol.ToolResult{ID: "b", Output: "Edited /src/shop/login.go (1 replacement)", EntryID: "br"},
		protocol.TurnStart{Turn: 1}, protocol.ToolCallDone{ID: "c", Name: "Bash", Arguments: `{"command":"go test ./login -run Flaky -count 100"}`, EntryID: "c"}, protocol.TurnEnd{Turn: 1})
	s.wait(4200 * time.Millisecond)
	s.event(protocol.ToolResult{ID: "c", Output: "ok", Summary: &fine, EntryID: "cr"}, protocol.TurnStart{Turn: 2})
}

func finished(s *screen) {
	worked(s)
	s.event(protocol.TextDone{Text: answer, EntryID: "t2"}, usage(86_000, 300, 84_000, nil), protocol.TurnEnd{Turn: 2}, protocol.RunEnd{Result: protocol.RunFinished}, status(protocol.StateIdle))
}

// states are the screens that a person can come to see.
var states = []struct {
	name string
	show func(t *testing.T, s *screen)
}{
	{"empty", func(*testing.T, *screen) {}},
	{"streaming", func(_ *testing.T, s *screen) {
		worked(s)
		s.event(protocol.TextDelta{Text: answer[:150]})
	}},
	{"thinking", func(_ *testing.T, s *screen) {
		worked(s)
		s.event(protocol.ReasoningDelta{Text: "The test passes a hundred times now, which was the point. I should say what the cause was, and name the file."})
	}},
	{"arguments", func(_ *testing.T, s *screen) {
		worked(s)
		s.event(protocol.ToolCallStart{ID: "d", Name: "Write"}, protocol.ToolCallArgsDelta{ID: "d", JSON: `{"file_path":"/src/shop/NOTES.md","content":"# No`})
	}},
	{"tool-running", func(_ *testing.T, s *screen) {
		worked(s)
		s.event(protocol.ToolCallDone{ID: "d", Name: "Bash", Arguments: `{"command":"make race"}`}, protocol.TurnEnd{})
		s.wait(2500 * time.Millisecond)
	}},
	{"tool-failed", func(_ *testing.T, s *screen) {
		worked(s)
		s.event(protocol.ToolCallDone{ID: "d", Name: "Bash", Arguments: `{"command":"make race"}`}, protocol.TurnEnd{}, protocol.ToolResult{ID: "d", Output: "Tool execution failed: exit 2\nmake: no rule", IsError: true})
	}},
	{"finished", func(_ *testing.T, s *screen) { finished(s) }},
	{"unfolded", func(_ *testing.T, s *screen) { worked(s); s.press("ctrl+o") }},
	{"selected", func(_ *testing.T, s *screen) { worked(s); s.press("tab", "up", "enter") }},
	{"scrolled", func(_ *testing.T, s *screen) { finished(s); s.press("pgup") }},
	{"queued", func(_ *testing.T, s *screen) {
		worked(s)
		s.press("and then the signup test", "enter", "and commit", "enter", "more to sa")
	}},
	{"held", func(_ *testing.T, s *screen) {
		worked(s)
		s.press("and then the signup test", "enter")
		s.event(protocol.Error{Code: protocol.CodeProviderError, Message: "API error (status 529): overloaded"}, protocol.RunEnd{Result: protocol.RunFailed, Error: "API error (status 529): overloaded"}, status(protocol.StateIdle))
	}},
	{"retry", func(_ *testing.T, s *screen) {
		worked(s)
		s.event(protocol.Notification{Level: protocol.LevelWarn, Source: protocol.SourceWorker, Message: "the model is overloaded; trying again in 4 s"}, protocol.Status{State: protocol.StateRunning, Clients: 2, Retry: &protocol.Retry{Attempt: 2}})
	}},
	{"paused", func(_ *testing.T, s *screen) {
		worked(s)
		s.event(protocol.RunEnd{Result: protocol.RunPaused}, status(protocol.StatePaused))
	}},
	{"cancelled", func(_ *testing.T, s *screen) {
		worked(s)
		s.event(protocol.Error{Code: protocol.CodeInternal, Message: "Cancelled"}, protocol.RunEnd{Result: protocol.RunCancelled}, status(protocol.StateIdle))
	}},
	{"compacting", func(_ *testing.T, s *screen) {
		finished(s)
		s.event(status(protocol.StateCompacting), protocol.CompactStart{})
		s.wait(3500 * time.Millisecond)
	}},
	{"compacted", func(_ *testing.T, s *screen) {
		finished(s)
		next, _ := protocol.ParseSessionID(nextID)
		idle := status(protocol.StateIdle)
		idle.SessionID = next
		s.event(protocol.CompactStart{}, protocol.CompactDone{NewSessionID: next}, idle)
	}},
	{"compact-failed", func(_ *testing.T, s *screen) {
		finished(s)
		s.event(protocol.CompactStart{}, protocol.CompactFailed{Error: "nothing left to compact"}, protocol.Notification{Level: protocol.LevelWarn, Source: protocol.SourceCompactor, Message: "post-run compaction failed: nothing left to compact"}, status(protocol.StateIdle))
	}},
	{"disconnected", func(_ *testing.T, s *screen) {
		worked(s)
		for i := range 5 {
			s.fail(lost(i + 1))
		}
	}},
	{"ended", func(_ *testing.T, s *screen) {
		finished(s)
		s.event(protocol.ShutdownEvent{})
		s.fail(errEnd)
	}},
	{"help", func(_ *testing.T, s *screen) { finished(s); s.press("?") }},
	{"sending", func(_ *testing.T, s *screen) {
		finished(s)
		s.pod.answer = func(protocol.Method) (protocol.Event, error) { select {} }
		s.pod.answer = func(m protocol.Method) (protocol.Event, error) {
			return protocol.Event{Data: protocol.Accepted{Method: m.Params.MethodName()}}, nil
		}
		s.press("thank you", "enter")
	}},
	{"warned", func(_ *testing.T, s *screen) { finished(s); s.press("ctrl+c") }},
	{"refused", func(_ *testing.T, s *screen) {
		finished(s)
		s.pod.answer = func(protocol.Method) (protocol.Event, error) {
			return protocol.Event{}, &client.PodError{Method: "run", Code: protocol.CodeAlreadyRunning, Message: "Pod is already executing a turn"}
		}
		s.press("one more thing", "enter")
	}},
	{"others", func(_ *testing.T, s *screen) {
		finished(s)
		s.event(protocol.UserInput{Text: "I am here, too", Kind: protocol.InputText, Client: "studio/1"}, protocol.UserInput{Text: "CI is red", Kind: protocol.InputNotification, Client: "ci/2"})
	}},
	{"multi-line", func(_ *testing.T, s *screen) {
		finished(s)
		s.press("the first line", "alt+enter", "そして日本語の二行目はもっと長いので、折り返されることになります。👩‍👩‍👧 e\u0301", "alt+enter")
		s.send(tea.PasteMsg{Content: strings.Repeat("a pasted line\n", 400)})
		s.press(" and the end")
	}},
	{"completion", func(_ *testing.T, s *screen) { finished(s); s.press("look at @log") }},
	{"base", func(_ *testing.T, s *screen) {
		s.event(protocol.History{Greeting: protocol.Greeting{PodName: "rusty", Model: "gpt-5-mini", Cwd: "/src/shop"}}, protocol.TurnStart{}, protocol.TextDelta{Text: "An older pod answers."})
	}},
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", "golden", name+".txt")
	if *update {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(got+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got+"\n"); diff != "" {
		t.Errorf("%s differs (go test ./tui -update writes it anew):\n%s", file, diff)
	}
}

func TestGolden_Screens(t *testing.T) {
	for _, size := range sizes {
		for _, state := range states {
			name := fmt.Sprintf("%s-%dx%d", state.name, size[0], size[1])
			t.Run(name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					begin := open
					if state.name != "base" {
						begin = attached
					}
					s := begin(t, func(o *tui.Options) {
						o.Files = func(context.Context) ([]string, error) {
							return []string{"login_test.go", "login.go", "docs/login.md"}, nil
						}
						o.Start = func(context.Context) error { return errors.New("no") }
					})
					s.send(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
					state.show(t, s)
					golden(t, name, s.text())
				})
			})
		}
	}
}

func TestGolden_ASCII(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := attached(t, func(o *tui.Options) { o.ASCII = true })
		finished(s)
		s.send(tea.WindowSizeMsg{Width: 80, Height: 40})
		golden(t, "ascii-80x40", s.text())
	})
}

// entries is what a picker has to choose from.
func entries() []tui.Entry {
	cost, small := 1.5, 0.004
	at := func(d time.Duration) time.Time { return time.Now().Add(-d) }
	return []tui.Entry{
		{Pod: "librarian", Live: true, State: "idle", Session: nextID, Model: "heron-coder-9b", Last: "NOTES.md is written.", At: at(3 * time.Hour)},
		{Pod: "implementer", Live: true, State: "running", Session: sessionID, Model: "claude-sonnet-5", Last: "I look at the test.", At: at(12 * time.Second), CostUSD: &cost},
		{Pod: "reviewer", Live: true, State: "paused", Session: sessionID, Model: "gpt-5-mini", At: at(90 * time.Second), CostUSD: &small, CostPartial: true},
		{Pod: "crashed", State: "dead", Session: nextID, At: at(26 * time.Hour)},
		{State: "completed", Session: sessionID, Title: "migrate billing to the new tables", Model: "claude-sonnet-5", At: at(5 * 24 * time.Hour), CostUSD: &cost},
		{State: "failed", Session: nextID, Title: "nightly docs", At: at(9 * 24 * time.Hour)},
	}
}

func TestGolden_Picker(t *testing.T) {
	for _, size := range sizes {
		for name, press := range map[string][]string{"picker": nil, "picker-filtered": {"billing"}, "picker-nothing": {"zzz"}, "picker-empty": nil} {
			name := fmt.Sprintf("%s-%dx%d", name, size[0], size[1])
			t.Run(name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					p := openPicker(t, func(context.Context) ([]tui.Entry, error) {
						if strings.HasPrefix(name, "picker-empty") {
							return nil, nil
						}
						return entries(), nil
					})
					p.send(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
					p.press(press...)
					golden(t, name, plainScreen(p.m.View().Content))
				})
			})
		}
	}
}

// The README shows what the program shows.
func TestGolden_ReadmeCapture(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const file, begin, end = "../README.md", "-update writes it -->\n```text\n", "```\n<!-- end of capture -->"
		s := attached(t)
		s.send(tea.WindowSizeMsg{Width: 100, Height: 24})
		worked(s)
		s.event(protocol.TextDelta{Text: "The clock is read **twice**, once in the handler and once in the test.\n\nSo I pass the time in"})
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		head, rest, ok := strings.Cut(string(text), begin)
		was, tail, ok2 := strings.Cut(rest, end)
		if !ok || !ok2 {
			t.Fatalf("%s has no place for the capture", file)
		}
		got := s.text() + "\n"
		if *update {
			if err := os.WriteFile(file, []byte(head+begin+got+end+tail), 0o644); err != nil {
				t.Fatal(err)
			}
			return
		}
		if diff := cmp.Diff(was, got); diff != "" {
			t.Errorf("the capture in %s is not what the program shows:\n%s", file, diff)
		}
	})
}
