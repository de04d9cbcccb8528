package tui_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/go-json-experiment/json/jsontext"

	"podium.local/client"
	"podium.local/protocol"
	"podium.local/tui"
)

// Every event of the protocol shows on the screen what it says.
func TestEvent_EachOneShows(t *testing.T) {
	next, _ := protocol.ParseSessionID(nextID)
	edit := `{"file_path":"/src/shop/login.go","new_string":"two\nthree","old_string":"two"}`
	summary := "exit 1"
	cost := 0.42
	cases := map[string]struct {
		events []protocol.EventData
		shows  []string
		hides  []string
	}{
		protocol.EventTurnStart:         {[]protocol.EventData{protocol.TurnStart{}}, []string{"running"}, nil},
		protocol.EventTextDelta:         {[]protocol.EventData{protocol.TextDelta{Text: "Hel"}, protocol.TextDelta{Text: "lo **the"}}, []string{"  Hello the"}, []string{"**"}},
		protocol.EventTextDone:          {[]protocol.EventData{protocol.TextDelta{Text: "Hel"}, protocol.TextDone{Text: "Hello **there**"}}, []string{"  Hello there"}, []string{"**"}},
		protocol.EventToolCallStart:     {[]protocol.EventData{protocol.ToolCallStart{ID: "c", Name: "Bash"}}, []string{"Bash · arguments 0 bytes"}, nil},
		protocol.EventToolCallArgsDelta: {[]protocol.EventData{protocol.ToolCallStart{ID: "c", Name: "Bash"}, protocol.ToolCallArgsDelta{ID: "c", JSON: `{"command":"go test ./...","x`}}, []string{"Bash go test ./... · arguments 29 bytes"}, nil},
		protocol.EventToolCallDone:      {[]protocol.EventData{protocol.ToolCallDone{ID: "c", Name: "Edit", Arguments: edit}}, []string{"Edit login.go · waiting", "  two", "+ three"}, []string{"/src/shop/"}},
		protocol.EventToolResult: {[]protocol.EventData{protocol.ToolCallDone{ID: "c", Name: "Bash", Arguments: `{"command":"go test"}`},
			protocol.ToolResult{ID: "c", Output: "FAIL\nmore", IsError: true, Summary: &summary}}, []string{"✗ Bash go test", "failed: exit 1 ▸"}, []string{"more"}},
		protocol.EventUsage:          {[]protocol.EventData{usage(84_000, 1_200, 80_000, &cost)}, []string{"↑4.0k ↓1.2k", "ctx 42%", "$0.42"}, nil},
		protocol.EventTurnEnd:        {[]protocol.EventData{protocol.TextDelta{Text: "not confirmed"}, protocol.TurnEnd{}}, nil, []string{"not confirmed"}},
		protocol.EventRunEnd:         {[]protocol.EventData{usage(4_000, 100, 0, nil), protocol.RunEnd{Result: protocol.RunFinished}}, []string{"── 1 request · ↑4.0k ↓100 · 00:0", "· shop · idle"}, nil},
		protocol.EventError:          {[]protocol.EventData{protocol.TextDelta{Text: "half"}, protocol.Error{Code: protocol.CodeProviderError, Message: "status 500"}, protocol.RunEnd{Result: protocol.RunFailed, Error: "status 500"}}, []string{"– half\n  interrupted\n\n✗ [provider_error] status 500", "── failed"}, []string{"[error]"}},
		protocol.EventHistory:        {[]protocol.EventData{protocol.History{Items: []jsontext.Value{jsontext.Value(`{"type":"message","role":"user","content":[{"type":"text","text":"from the past"}]}`)}, Greeting: protocol.Greeting{PodName: "old", Model: "gpt-0"}}}, []string{"› from the past", "old · ", "gpt-0"}, nil},
		protocol.EventNotification:   {[]protocol.EventData{protocol.Notification{Level: protocol.LevelWarn, Source: protocol.SourceAgentsMD, Message: "too long"}, protocol.Notification{Level: protocol.LevelError, Source: protocol.SourcePod, Message: "disk full"}}, []string{"! [notice] AGENTS.md: too long", "✗ [notice error] pod: disk full"}, nil},
		protocol.EventCompactStart:   {[]protocol.EventData{protocol.CompactStart{}}, []string{"◒ [compact] starting  00:0"}, nil},
		protocol.EventCompactDone:    {[]protocol.EventData{protocol.CompactStart{}, protocol.CompactDone{NewSessionID: next}}, []string{"✓ [compact] done (new session 0192f0e9)", "shop · running · 00000002"}, []string{"starting"}},
		protocol.EventCompactFailed:  {[]protocol.EventData{protocol.CompactStart{}, protocol.CompactFailed{Error: "nothing left to compact"}}, []string{"✗ [compact error] nothing left to compact"}, []string{"starting"}},
		protocol.EventShutdown:       {[]protocol.EventData{protocol.ShutdownEvent{}}, []string{"fix the flaky"}, nil},
		protocol.EventHello:          {[]protocol.EventData{hello(protocol.StatePaused)}, []string{"‖ shop · paused · 7f02d9e4"}, nil},
		protocol.EventSnapshot:       {[]protocol.EventData{snapshot(protocol.StateIdle, nil, message(protocol.RoleUser, "a", "replaced"))}, []string{"› replaced"}, []string{"flaky"}},
		protocol.EventEntries:        {[]protocol.EventData{protocol.Entries{}}, []string{"fix the flaky"}, nil},
		protocol.EventStatus:         {[]protocol.EventData{protocol.Status{State: protocol.StateCompacting, Clients: 3, SinceMS: 61_000}}, []string{"◒ shop · compacting", "3 clients", "01:01"}, nil},
		protocol.EventUserInput:      {[]protocol.EventData{protocol.UserInput{Text: "me too", Kind: protocol.InputText, Client: "web/2"}, protocol.UserInput{Text: "CI is red", Kind: protocol.InputNotification, Client: "ci/1"}}, []string{"» from web/2", "  me too", "» note from ci/1", "  CI is red"}, nil},
		protocol.EventReasoningDelta: {[]protocol.EventData{protocol.ReasoningDelta{Text: "first I must look"}}, []string{"∴ thinking  first I must look"}, nil},
		protocol.EventReasoningDone:  {[]protocol.EventData{protocol.ReasoningDelta{Text: "x"}, protocol.ReasoningDone{Text: "line one\nline two"}}, []string{"∴ thought  line one …"}, []string{"line two"}},
		protocol.EventAccepted:       {[]protocol.EventData{protocol.Accepted{Method: "pause"}}, []string{"fix the flaky"}, nil},
		"unknown":                    {[]protocol.EventData{protocol.Unknown{Name: "fancy", Data: jsontext.Value(`{"a":1}`)}}, []string{`[fancy] {"a":1}`}, nil},
	}
	for _, tag := range strings.Fields("turn_start turn_end text_delta text_done tool_call_start tool_call_args_delta tool_call_done tool_result usage run_end error history notification compact_start compact_done compact_failed shutdown hello snapshot entries status user_input reasoning_delta reasoning_done accepted unknown") {
		c, ok := cases[tag]
		if !ok {
			t.Errorf("no case for %s", tag)
			continue
		}
		t.Run(tag, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := running(t)
				s.send(tea.WindowSizeMsg{Width: 120, Height: 24})
				s.event(c.events...)
				s.shows(c.shows...)
				s.hides(c.hides...)
			})
		})
	}
}

func TestCompact_LinesAreByteForByteAndOneBlock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		next, _ := protocol.ParseSessionID(nextID)
		s := attached(t)
		line := func() string {
			for l := range strings.SplitSeq(s.text(), "\n") {
				if strings.Contains(l, "[compact") {
					return l
				}
			}
			return ""
		}
		s.event(status(protocol.StateCompacting), protocol.CompactStart{})
		s.wait(5500 * time.Millisecond)
		if got := line(); got != "◒ [compact] starting  00:05" {
			t.Errorf("while it runs: %q", got)
		}
		s.event(protocol.CompactDone{NewSessionID: next}, status(protocol.StateIdle))
		if got := line(); got != "✓ [compact] done (new session 0192f0e9)" {
			t.Errorf("done: %q", got)
		}
		s = attached(t)
		s.event(protocol.CompactStart{}, protocol.CompactFailed{Error: "summary too long"})
		if got := line(); got != "✗ [compact error] summary too long" {
			t.Errorf("failed: %q", got)
		}
	})
}

func TestCompact_ALostPodEndsTheLiveBlock(t *testing.T) {
	for name, err := range map[string]error{"lost": lost(1), "ended": errEnd} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := attached(t)
				s.event(protocol.CompactStart{})
				s.fail(err)
				s.hides("starting")
				s.shows("[compact error]")
			})
		})
	}
}

func TestRun_OwnInputIsDrawnOnlyOnceThePodShowsIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := attached(t)
		s.press("hello pod", "enter")
		s.shows("sending  hello pod")
		s.hides("› hello pod")
		s.event(protocol.UserInput{Text: "hello pod", Kind: protocol.InputText, Client: us, EntryID: "e-1"})
		s.shows("› hello pod")
		s.hides("sending", "from podium/test")
	})
}

func TestRun_ASecondTerminalOfTheSameProgramIsMarked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := attached(t)
		s.event(protocol.UserInput{Text: "not mine", Kind: protocol.InputText, Client: us, EntryID: "e-99"})
		s.shows("» from podium/test", "not mine")
	})
}

func TestRun_ARejectedInputComesBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := attached(t)
		s.pod.answer = func(m protocol.Method) (protocol.Event, error) {
			return protocol.Event{}, &client.PodError{Method: "run", Code: protocol.CodeAlreadyRunning, Message: "Pod is already executing a turn"}
		}
		s.press("mine", "enter")
		s.shows("[already_running] Pod is already executing a turn", "› mine")
		if got := s.m.Text(); got != "mine" {
			t.Errorf("the input line holds %q, want the rejected text", got)
		}
	})
}

func TestRun_ARejectedInputNeverOverwritesWhatIsBeingWritten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := attached(t)
		release := make(chan struct{})
		s.pod.answer = func(protocol.Method) (protocol.Event, error) {
			<-release
			return protocol.Event{}, &client.PodError{Method: "run", Code: protocol.CodeInternal, Message: "refused: full"}
		}
		s.press("first", "enter", "second")
		close(release)
		s.settle()
		if got := s.m.Text(); got != "second" {
			t.Errorf("the input line holds %q, want what was being written", got)
		}
		s.shows("held    first")
	})
}

func TestRun_TakenBackReturnsTheText(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := attached(t)
		s.press("fix the flaky login test", "enter")
		s.event(status(protocol.StateRunning), protocol.UserInput{Text: "fix the flaky login test", Kind: protocol.InputText, Client: us, EntryID: "e-1"}, protocol.TurnStart{})
		s.event(protocol.Error{Code: protocol.CodeInternal, Message: "Cancelled"}, protocol.RunEnd{Result: protocol.RunRolledBack})
		if got := s.m.Text(); got != "fix the flaky login test" {
			t.Errorf("the input line holds %q", got)
		}
		s.shows("── taken back", "Taken back before anything answered it; the text is in the input again.")
	})
}

func TestRun_TakenBackFromAnotherClientIsNotPutIntoThisInput(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := attached(t)
		s.event(status(protocol.StateRunning), protocol.UserInput{Text: "not mine", Kind: protocol.InputText, Client: "web/1", EntryID: "o"}, protocol.TurnStart{},
			protocol.Error{Code: protocol.CodeInternal, Message: "Cancelled"}, protocol.RunEnd{Result: protocol.RunRolledBack})
		if got := s.m.Text(); got != "" {
			t.Errorf("the input line holds %q", got)
		}
		s.hides("not mine")
	})
}

func TestRun_AnEndThatIsSavedLateIsShownOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := running(t)
		end := protocol.RunEnd{Result: protocol.RunFailed, Error: "the disk is full", EntryID: "end-1"}
		s.event(protocol.Error{Code: protocol.CodeInternal, Message: end.Error}, end)
		before := s.text()
		s.event(end)
		if after := s.text(); after != before || !strings.Contains(before, "── failed") {
			t.Errorf("shown again:\n%s\nbefore:\n%s", after, before)
		}
	})
}

func TestRun_ErrorsStayWhenASnapshotReplacesTheView(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := running(t)
		s.event(protocol.Error{Code: protocol.CodeProviderError, Message: "status 529"}, protocol.RunEnd{Result: protocol.RunFailed, Error: "status 529"})
		s.event(hello(protocol.StateIdle), snapshot(protocol.StateIdle, nil, message(protocol.RoleUser, "u-1", "fix the flaky login test")))
		s.shows("› fix the flaky login test", "[provider_error] status 529")
	})
}

func TestState_ComesFromThePodAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := open(t)
		s.event(hello(protocol.StateRunning), snapshot(protocol.StateRunning, nil, message(protocol.RoleUser, "u", "work")))
		s.shows("shop · running")
		s.event(status(protocol.StatePaused))
		s.shows("shop · paused", "paused — Enter to resume, type to start new turn")
		s.event(protocol.Status{State: protocol.StateRunning, Retry: &protocol.Retry{Attempt: 2}})
		s.shows("retry 2")
	})
}

func TestSnapshot_ShowsTheBlocksInFlight(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := open(t)
		d := snapshot(protocol.StateRunning, nil, message(protocol.RoleUser, "u", "work"))
		d.Live.InFlight = []protocol.OpenBlock{{Kind: protocol.BlockReasoning, Text: "hmm"}, {Kind: protocol.BlockText, Text: "I beg"}, {Kind: protocol.BlockToolCall, ID: "c", Name: "Grep", Text: `{"pattern":"x",`}}
		s.event(hello(protocol.StateRunning), d, protocol.TextDelta{Text: "in here"})
		s.shows("thinking  hmm", "  I begin here", "Grep x · arguments")
	})
}

func TestReconnect_ReplayedEventsComeBeforeWhatIsInFlight(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := running(t)
		s.event(protocol.TextDelta{Text: "first ans"})
		s.fail(lost(1))
		s.shows("connection lost; trying again, attempt 1", "△ shop · connection lost, attempt 1")
		h := hello(protocol.StateRunning)
		h.Resumed, h.Seq = true, 7
		h.Live = &protocol.Live{InFlight: []protocol.OpenBlock{{Kind: protocol.BlockText, Text: "second begins"}}}
		s.event(h)
		s.hides("first ans", "connection lost")
		s.pod.stream <- protocol.Event{Data: protocol.TextDone{Text: "first answer"}, Seq: 7}
		s.settle()
		s.event(protocol.TextDelta{Text: " and goes on"})
		s.shows("  first answer\n\n  second begins and goes on")
	})
}

func TestTools_UpdateInPlaceAndOpen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := running(t)
		s.event(protocol.ToolCallStart{ID: "a", Name: "Read"}, protocol.ToolCallStart{ID: "b", Name: "Bash"},
			protocol.ToolCallDone{ID: "a", Name: "Read", Arguments: `{"file_path":"/src/shop/a.go"}`},
			protocol.ToolCallDone{ID: "b", Name: "Bash", Arguments: `{"command":"go vet"}`}, protocol.TurnEnd{})
		s.wait(3500 * time.Millisecond)
		s.shows("Read a.go · running · 00:03", "Bash go vet · running · 00:03")
		s.event(protocol.ToolResult{ID: "b", Output: "all\nfine"}, protocol.ToolResult{ID: "a", Output: "package a"})
		s.shows("✓ Read a.go", "✓ Bash go vet")
		s.hides("fine", "· running · 00:03")
		s.press("ctrl+o")
		s.shows("    all\n    fine", "    package a")
		s.press("ctrl+o", "tab", "enter")
		s.shows("▌   all\n▌   fine")
		s.hides("    package a")
	})
}

func TestTools_ACallWithoutResultIsClosedAtTheEndOfTheRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := running(t)
		s.event(protocol.ToolCallDone{ID: "a", Name: "Bash", Arguments: `{"command":"sleep"}`}, protocol.TurnEnd{}, protocol.Error{Code: protocol.CodeInternal, Message: "Cancelled"}, protocol.RunEnd{Result: protocol.RunCancelled})
		s.shows("– Bash sleep · no result", "── cancelled")
		s.hides("[internal]")
	})
}

func TestEnd_SaysHowToContinueAndTheProgramStays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := running(t)
		s.event(protocol.ShutdownEvent{})
		s.fail(errEnd)
		s.shows("The pod has ended. podium run shop continues its session.", "– shop · ended")
		if s.quit {
			t.Error("the program left by itself")
		}
		s.press("ctrl+c")
		if !s.quit || !strings.Contains(s.m.Farewell(), "podium run shop") {
			t.Errorf("quit %v, farewell %q", s.quit, s.m.Farewell())
		}
		if told := s.pod.told(); len(told) > 0 {
			t.Errorf("leaving told the pod %q", told)
		}
	})
}

func TestKilled_EnterStartsThePodAgainAndKeepsWhatWasWritten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		started := 0
		s := running(t, func(o *tui.Options) { o.Start = func(context.Context) error { started++; return nil } })
		s.fail(lost(1))
		s.press("enter")
		if started != 0 {
			t.Error("a pod that may be alive was started")
		}
		s.fail(&client.Disconnected{Cause: client.ErrNotRunning, Attempt: 2, Next: time.Now()})
		s.shows("The pod is dead. Enter starts it again")
		s.press("enter")
		if started != 1 {
			t.Errorf("started %d times", started)
		}
		s.event(hello(protocol.StateIdle), snapshot(protocol.StateIdle, nil))
		s.shows("shop · idle")
		s.hides("dead")
	})
}

func TestEnd_EnterStartsThePodAgainAndAFailureIsSaid(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fail := errors.New("start pod shop: no model")
		s := running(t, func(o *tui.Options) { o.Start = func(context.Context) error { return fail } })
		s.fail(errEnd)
		s.shows("Enter starts the pod again")
		s.press("enter")
		s.shows("[error] start pod shop: no model", "shop · ended")
		fail = nil
		s.press("enter")
		s.event(hello(protocol.StateIdle), snapshot(protocol.StateIdle, nil))
		s.shows("shop · idle")
	})
}

func TestNotice_IsToldOnceAndOldOnesAreFolded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := open(t)
		var told []protocol.EventData
		for i := range 8 {
			told = append(told, protocol.Notification{Level: protocol.LevelWarn, Source: protocol.SourcePod, Message: fmt.Sprintf("warning %d", i), TimestampMS: int64(1000 + i)})
		}
		s.event(told...)
		s.event(hello(protocol.StateIdle), snapshot(protocol.StateIdle, nil, message(protocol.RoleUser, "u", "work")))
		s.shows("› work", "∴ 5 earlier notifications  [notice] pod: warning 0 …", "warning 7")
		s.hides("warning 1")
		s.event(told...)
		if n := strings.Count(s.text(), "warning 7"); n != 1 {
			t.Errorf("a notification is shown %d times", n)
		}
	})
}

func TestBase_StateIsReadOffTheEvents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := open(t)
		s.pod.answer = func(protocol.Method) (protocol.Event, error) { return protocol.Event{}, client.ErrBaseOnly }
		s.event(protocol.History{Greeting: protocol.Greeting{PodName: "rusty", Model: "m-1", Cwd: "/src"}})
		s.shows("· rusty · idle", "base")
		s.press("go", "enter")
		s.hides("› go")
		s.event(protocol.TurnStart{})
		s.shows("› go", "rusty · running")
		s.event(protocol.TextDelta{Text: "a"}, protocol.Error{Code: protocol.CodeAlreadyRunning, Message: "no"})
		s.shows("rusty · running", "[already_running] no")
		s.event(protocol.Error{Code: protocol.CodeInternal, Message: "Cancelled"})
		s.shows("rusty · idle", "── cancelled")
		s.event(protocol.TurnStart{}, protocol.RunEnd{Result: protocol.RunPaused})
		s.shows("rusty · paused")
		s.event(protocol.TurnStart{}, protocol.CompactStart{})
		s.shows("rusty · compacting")
		s.event(protocol.CompactFailed{Error: "x"})
		s.shows("rusty · running")
	})
}

func TestStream_WhatIsNoEventIsShownAndPassed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := attached(t)
		s.fail(&client.BadLineError{Err: client.ErrNotAPod, Line: []byte("{\x1b[2J garbage")})
		s.fail(&client.GapError{After: 3, Got: 9})
		s.event(protocol.TextDelta{Text: "still here"})
		s.shows("[unreadable line]", "garbage", "[notice]", "still here")
	})
}
