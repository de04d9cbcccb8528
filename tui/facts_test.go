package tui_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"

	"podium.local/protocol"
	"podium.local/tui"
)

func looked() protocol.Snapshot {
	return snapshot(protocol.StateIdle, nil,
		message(protocol.RoleUser, "u", "look"),
		protocol.Item{Data: protocol.ToolCallItem{CallID: "c", Name: "Bash", Arguments: `{"command":"ls"}`}, EntryID: "k"},
		protocol.Item{Data: protocol.ToolResultItem{CallID: "c", Summary: "3 files"}, EntryID: "r"},
		message(protocol.RoleSystem, "n", "[Notification]\nthe build is green\n\nThis is not a blocking request."),
		message(protocol.RoleAssistant, "a", "Good."))
}

func TestLog_TellsALaterTerminalWhatAnEarlierOneSaw(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cost := 0.5
		s := open(t, func(o *tui.Options) {
			o.Log = func(_ context.Context, _, first, last string) ([]tui.Fact, error) {
				if first != "u" || last != "" {
					t.Errorf("asked for %q to %q", first, last)
				}
				return []tui.Fact{
					{EntryID: "u", Input: &tui.InputFact{Text: "look", Kind: protocol.InputText, Client: "podium-studio/1"}},
					{EntryID: "r", After: "k", Result: &tui.ResultFact{CallID: "c", Took: 2500 * time.Millisecond}},
					{EntryID: "e", After: "k", End: &tui.EndFact{Result: protocol.RunFailed, Code: protocol.CodeProviderError, Error: "no more", Whole: true, Requests: 3, In: 10, Out: 5, CostUSD: &cost, CostPartial: true, Took: 65 * time.Second}},
					{EntryID: "n", After: "k", Input: &tui.InputFact{Text: "the build is green", Kind: protocol.InputNotification, Client: "ci/2"}},
					{EntryID: "x", After: "a", Seq: 1 << 40, End: &tui.EndFact{Result: protocol.RunCancelled}},
				}, nil
			}
		})
		s.event(hello(protocol.StateIdle), looked())
		s.settle()
		s.shows("» from podium-studio/1", "2.5 s", "✗ [provider_error] no more", "── failed · 3 requests · ↑10 ↓5 · ≥$0.50 · 01:05", "note from ci/2")
		s.hides("[Notification]", "cancelled")
		text := s.text()
		if end, note := strings.Index(text, "── failed"), strings.Index(text, "note from"); end > note {
			t.Errorf("the end of the run is not in its place:\n%s", text)
		}
	})
}

func TestLog_AnImportedInputIsNotOfAnotherClient(t *testing.T) {
	for seq, shows := range map[uint64]string{0: "› look", 1: "» from another client"} {
		synctest.Test(t, func(t *testing.T) {
			s := open(t, func(o *tui.Options) {
				o.Log = func(context.Context, string, string, string) ([]tui.Fact, error) {
					return []tui.Fact{{EntryID: "u", Seq: seq, Input: &tui.InputFact{Text: "look", Kind: protocol.InputText}}}, nil
				}
			})
			d := looked()
			d.Seq = 1
			s.event(hello(protocol.StateIdle), d)
			s.settle()
			s.shows(shows)
		})
	}
}

func TestLog_ThatCannotBeReadLeavesTheItems(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := open(t, func(o *tui.Options) {
			o.Log = func(context.Context, string, string, string) ([]tui.Fact, error) { return nil, errors.New("locked") }
		})
		s.event(hello(protocol.StateIdle), looked())
		s.settle()
		s.shows("› look", "3 files", "Good.")
		s.hides("locked")
	})
}

func TestSpent_GoesOnThroughACompaction(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cost := 1.5
		known := false
		s := attached(t, func(o *tui.Options) {
			o.Spent = func(_ context.Context, session string) (tui.Spent, error) {
				if !known {
					return tui.Spent{}, errors.New("locked")
				}
				return tui.Spent{In: 100_000, Out: 2000, CostUSD: &cost}, nil
			}
		})
		s.send(tea.WindowSizeMsg{Width: 120, Height: 24})
		quarter := 0.25
		s.event(status(protocol.StateRunning), protocol.TurnStart{}, usage(1000, 10, 0, &quarter), protocol.TurnEnd{})
		s.shows("↑1.0k ↓10 · $0.25")
		s.event(protocol.CompactDone{NewSessionID: protocol.SessionID{15: 2}})
		s.settle()
		s.shows("↑1.0k ↓10 · $0.25")
		// The store knows of the requests that nobody watched, the compaction's too.
		known = true
		s.event(protocol.CompactDone{NewSessionID: protocol.SessionID{15: 3}})
		s.settle()
		s.shows("↑100.0k ↓2.0k · $1.50")
	})
}
