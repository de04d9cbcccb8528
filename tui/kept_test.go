package tui_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"

	"podium.local/protocol"
)

// What somebody was reading does not vanish from under the eyes.
func TestInterrupted_WhatStreamedStaysAndIsMarked(t *testing.T) {
	cancelled := protocol.Error{Code: protocol.CodeInternal, Message: "Cancelled"}
	for name, events := range map[string][]protocol.EventData{
		"paused":    {protocol.RunEnd{Result: protocol.RunPaused}, status(protocol.StatePaused)},
		"cancelled": {cancelled, protocol.RunEnd{Result: protocol.RunCancelled}, status(protocol.StateIdle)},
		"failed":    {protocol.Error{Code: protocol.CodeProviderError, Message: "cut"}, protocol.RunEnd{Result: protocol.RunFailed, Error: "cut"}, status(protocol.StateIdle)},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := running(t)
				s.event(protocol.ReasoningDelta{Text: "I must think"}, protocol.TextDelta{Text: "The **answer** is"}, protocol.ToolCallStart{ID: "c", Name: "Bash"},
					protocol.ToolCallArgsDelta{ID: "c", JSON: `{"command":"go vet","x`})
				s.event(events...)
				s.shows("∴ thought, interrupted  I must think", "– The answer is\n  interrupted", "– Bash go vet · interrupted")
				s.event(status(protocol.StateRunning), protocol.TurnStart{Turn: 1}, protocol.TextDelta{Text: "Anew"})
				s.shows("– The answer is", "  Anew")
			})
		})
	}
}

func TestInterrupted_ARepeatedRequestShowsItsAnswerOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := running(t)
		s.event(protocol.TextDelta{Text: "first try"}, protocol.TurnStart{}, protocol.TextDelta{Text: "second try"})
		s.shows("second try")
		s.hides("first try", "interrupted")
	})
}

// A terminal that changed its size while lines were written for another one
// is left with lines in wrong places, and maybe with scrolling margins.
func TestResize_TheScreenIsDrawnAnewOnceItRests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := attached(t)
		s.wait(time.Second)
		drawn := func() (n int) {
			for i, msg := range s.seen {
				if i > 0 && msg == tea.ClearScreen() && fmt.Sprint(s.seen[i-1]) == "{\x1b[r}" {
					n++
				}
			}
			return n
		}
		before := drawn()
		for i := range 30 {
			s.send(tea.WindowSizeMsg{Width: 10 + i, Height: 30 - i})
		}
		s.wait(time.Second)
		if n := drawn() - before; n != 1 {
			t.Errorf("drawn anew %d times after the sizes rested", n)
		}
		s.press("ctrl+l")
		if n := drawn() - before; n != 2 {
			t.Errorf("Ctrl-L makes it %d times", n)
		}
	})
}

// entryAt is the id of an entry made at a time.
func entryAt(at time.Time) string {
	hex := fmt.Sprintf("%012x", at.UnixMilli())
	return hex[:8] + "-" + hex[8:] + "-7000-8000-000000000000"
}

func TestNotice_StandsWhereItBelongsInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		at := func(minute int) time.Time { return began.Add(time.Duration(minute) * time.Minute) }
		notice := func(minute int, text string) protocol.Notification {
			return protocol.Notification{Level: protocol.LevelWarn, Source: protocol.SourcePod, Message: text, TimestampMS: at(minute).UnixMilli()}
		}
		s := open(t)
		var old []protocol.EventData
		for i := range 5 {
			old = append(old, notice(3, fmt.Sprint("row ", i)))
		}
		s.event(append(old, notice(1, "before what is held"), notice(5, "between"), notice(9, "newest"))...)
		before := entryAt(at(2))
		s.pod.answer = func(m protocol.Method) (protocol.Event, error) {
			older := snapshot(protocol.StateIdle, nil, message(protocol.RoleUser, entryAt(at(0)), "zero"), message(protocol.RoleUser, entryAt(at(1)), "one"))
			return protocol.Event{Data: protocol.Entries{Items: older.Items}}, nil
		}
		s.event(hello(protocol.StateIdle), snapshot(protocol.StateIdle, &before,
			message(protocol.RoleUser, entryAt(at(2)), "two "+strings.Repeat("\n", 30)), message(protocol.RoleUser, entryAt(at(4)), "four"), message(protocol.RoleUser, entryAt(at(6)), "six"), message(protocol.RoleUser, entryAt(at(8)), "eight")))
		order := func(parts ...string) {
			t.Helper()
			text, last := s.text(), -1
			for _, p := range parts {
				i := strings.Index(text, p)
				if i <= last {
					t.Errorf("%q is not where it belongs:\n%s", p, text)
				}
				last = i
			}
		}
		order("2 earlier notifications", "row 2", "row 4", "› four", "pod: between", "› six", "› eight", "pod: newest")
		s.hides("row 1")
		s.event(notice(7, "told late"))
		order("› six", "told late", "› eight")
		s.press("ctrl+home")
		s.wait(time.Second)
		order("› zero", "› one", "before what is held", "› two")
	})
}

func TestCompact_AFailureIsSaidOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := attached(t)
		told := protocol.Notification{Level: protocol.LevelWarn, Source: protocol.SourceCompactor, Message: "compaction failed: nothing left to compact", TimestampMS: time.Now().UnixMilli()}
		s.event(protocol.CompactStart{}, protocol.CompactFailed{Error: "nothing left to compact"}, told)
		s.shows("✗ [compact error] nothing left to compact")
		s.hides("[notice]")
		// Connecting again brings the notification again and a new conversation.
		s.event(told, hello(protocol.StateIdle), snapshot(protocol.StateIdle, nil, message(protocol.RoleUser, "u", "work")))
		s.shows("✗ [compact error] nothing left to compact")
		s.hides("[notice]")
		other := told
		other.Message = "compaction failed: no money"
		s.event(other)
		s.shows("! [notice] compactor: compaction failed: no money")
	})
}

func TestCompact_ACancelIsNoFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := attached(t)
		s.event(protocol.CompactStart{}, protocol.CompactFailed{Error: "Cancelled"})
		s.shows("– [compact error] Cancelled")
		s.hides("✗")
	})
}

func TestInput_ALongOneSaysOnceHowMuchMoreThereIs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, lines := range []int{300, 100_000} {
			s := attached(t)
			s.event(protocol.UserInput{Text: strings.Repeat("123456789\n", lines), Kind: protocol.InputText, Client: us, EntryID: "e"})
			if n := strings.Count(s.text(), " more"); n != 1 {
				t.Errorf("%d lines: it is said %d times that there is more", lines, n)
			}
			s.shows(map[int]string{300: "… 1.0 kB more; podium history", 100_000: "… 998.0 kB more; podium history"}[lines])
		}
	})
}

func TestTools_OutcomesAreShort(t *testing.T) {
	for _, c := range []struct{ tool, summary, shows string }{
		{"Read", "Read 8 line(s) from /src/shop/a.go", "Read a.go · 8 lines"},
		{"Read", "Read 1 line(s) from /src/shop/a.go", "Read a.go · 1 line"},
		{"Read", "Exit code 0", "Read a.go · exit 0"},
		{"Grep", "Found 12 matching line(s) in 1 file(s)", "Found 12 matching lines in 1 file"},
		{"Read", "Tool execution failed: Execution failed: file not found", "failed: file not found"},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := attached(t)
			s.event(protocol.ToolCallDone{ID: "a", Name: c.tool, Arguments: `{"file_path":"/src/shop/a.go"}`},
				protocol.ToolResult{ID: "a", Summary: &c.summary, IsError: strings.Contains(c.summary, "failed")})
			s.shows(c.shows + " ▸")
		})
	}
}

func TestNotice_OfARepeatedRequestIsOneThatChanges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := running(t)
		tell := func(text string) {
			s.event(protocol.Notification{Level: protocol.LevelWarn, Source: protocol.SourceWorker, Message: text, TimestampMS: time.Now().UnixMilli()})
			s.wait(time.Second)
		}
		tell("the model request failed: no route; attempt 2 of 6 in 0.9 s")
		tell("the model request failed: no route; attempt 3 of 6 in 2.1 s")
		s.shows("no route; attempt 3 of 6")
		s.hides("attempt 2 of 6")
		tell("the model request failed: overloaded; attempt 4 of 6 in 4.0 s")
		s.shows("no route; attempt 3 of 6", "overloaded; attempt 4 of 6")
		s.event(protocol.TextDelta{Text: "At last."})
		tell("the model request failed: overloaded; attempt 2 of 6 in 1.0 s")
		s.shows("overloaded; attempt 4 of 6", "At last.", "overloaded; attempt 2 of 6")
	})
}
