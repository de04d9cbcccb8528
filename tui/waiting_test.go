package tui_test

import (
	"context"
	"errors"
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

const (
	leave   = "Press Ctrl-C again within 3 s to exit the TUI (the Pod keeps running)."
	nothing = "Nothing to cancel (Pod is not running)."
	paused  = "paused — Enter to resume, type to start new turn"
)

func TestFlash_GoesWithTheStateItSpeaksOf(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := attached(t)
		s.press("ctrl+x")
		s.shows(nothing)
		s.event(status(protocol.StateRunning), protocol.RunEnd{Result: protocol.RunPaused}, status(protocol.StatePaused))
		s.hides(nothing)
		s.shows(paused)
	})
}

func TestFlash_StandsAsLongAsItSays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := attached(t)
		s.wait(500 * time.Millisecond) // between two ticks of the clock
		s.press("ctrl+c")
		s.wait(2700 * time.Millisecond)
		s.shows(leave)
		s.wait(200 * time.Millisecond)
		s.hides(leave)
		s.press("ctrl+c", "x")
		s.hides(leave)
	})
}

func TestFlash_StandsBesideWhatLasts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := attached(t)
		s.send(tea.WindowSizeMsg{Width: 120, Height: 24})
		s.event(protocol.TextDone{Text: "**copy** me", EntryID: "t"})
		s.press("tab", "y")
		s.shows("Copied 11 bytes", "selected: j k move")
	})
}

func TestFlash_StartingIsSaidUntilThePodIsThereOrIsNot(t *testing.T) {
	for name, failure := range map[string]error{"there": nil, "not": errors.New("no model")} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				release := make(chan struct{})
				s := attached(t, func(o *tui.Options) {
					o.Start = func(context.Context) error { <-release; return failure }
				})
				s.fail(&client.Disconnected{Cause: client.ErrNotRunning, Attempt: 2, Next: time.Now()})
				s.press("enter")
				s.wait(10 * time.Second)
				s.shows("Starting the pod again.")
				close(release)
				s.settle()
				if failure == nil {
					s.event(hello(protocol.StateIdle), snapshot(protocol.StateIdle, nil))
				}
				s.hides("Starting the pod again.")
			})
		})
	}
}

func TestWords_APodWithoutARunIsNotCalledDead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := attached(t)
		s.pod.answer = func(m protocol.Method) (protocol.Event, error) {
			return protocol.Event{}, &client.PodError{Method: "pause", Code: protocol.CodeNotRunning, Message: "Pod is not running"}
		}
		s.press("/pause", "enter")
		s.shows("[not_running] no run is on, the pod is idle")
		s.hides("Pod is not running")
	})
}

func TestSending_IsShownUntilThePodAnswersWhateverIsPressed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := attached(t)
		release := make(chan struct{})
		s.pod.answer = func(m protocol.Method) (protocol.Event, error) {
			<-release
			id := "e-1"
			return protocol.Event{Data: protocol.Accepted{Method: m.Params.MethodName(), EntryID: &id}}, nil
		}
		s.press("do it", "enter", "ctrl+x")
		s.shows("sending  do it", "on its way")
		s.hides("Nothing to cancel", "not answer")
		s.wait(6 * time.Second)
		s.shows("sending 00:06  do it", "the pod has not answered for 00:06", "△ shop · not answering")
		s.hides("· idle")
		if diff := cmp.Diff([]string{"run do it"}, s.pod.told()); diff != "" {
			t.Error(diff)
		}
		close(release)
		s.settle()
		s.event(protocol.UserInput{Text: "do it", Client: us, EntryID: "e-1"}, status(protocol.StateRunning))
		s.shows("› do it", "shop · running")
		s.hides("sending", "not answer")
	})
}

func TestQueue_SaysWhatWillBecomeOfIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := running(t)
		s.press("next", "enter")
		s.event(protocol.RunEnd{Result: protocol.RunPaused}, status(protocol.StatePaused))
		s.shows("held    next", paused)
		s.press("enter")
		s.event(status(protocol.StateRunning))
		s.shows("queued  next", "(sent when the run ends)")
		s.hides("held", "Enter sends")
		s.event(protocol.RunEnd{Result: protocol.RunFinished}, status(protocol.StateIdle))
		if diff := cmp.Diff([]string{"resume", "run next"}, s.pod.told()); diff != "" {
			t.Error(diff)
		}
	})
}

func TestQueue_HeldWhileAnotherClientRunsIsReleasedByEnter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := running(t)
		s.press("next", "enter")
		s.event(protocol.RunEnd{Result: protocol.RunLimitReached}, status(protocol.StateIdle))
		s.shows("held    next", "Enter sends what is held")
		s.event(protocol.UserInput{Text: "other", Client: "web/1", EntryID: "o"}, status(protocol.StateRunning))
		s.shows("held    next", "held: Enter sends it when the run ends")
		s.press("enter")
		s.shows("queued  next")
	})
}

func TestQueue_ATextTypedWhileItIsHeldGoesFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := running(t)
		s.press("later", "enter")
		s.event(protocol.RunEnd{Result: protocol.RunPaused}, status(protocol.StatePaused))
		s.press("new turn", "enter")
		if diff := cmp.Diff([]string{"run new turn"}, s.pod.told()); diff != "" {
			t.Error(diff)
		}
		s.shows("held    later")
	})
}

func TestQueue_ACancelByAnotherClientClearsItToo(t *testing.T) {
	for name, events := range map[string][]protocol.EventData{
		"running": {protocol.Error{Code: protocol.CodeInternal, Message: "Cancelled"}, protocol.RunEnd{Result: protocol.RunCancelled}, status(protocol.StateIdle)},
		"paused":  {protocol.RunEnd{Result: protocol.RunPaused}, status(protocol.StatePaused), protocol.Error{Code: protocol.CodeInternal, Message: "Cancelled"}, status(protocol.StateIdle)},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := running(t)
				s.press("next", "enter")
				s.event(events...)
				s.shows("── cancelled", "shop · idle")
				s.hides("held", "queued")
				s.press("up")
				if got := s.m.Text(); got != "next" {
					t.Errorf("Up brings %q", got)
				}
			})
		})
	}
}

func TestKey_CtrlCThreeTimesFastLeavesARun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := running(t)
		silent := make(chan struct{})
		defer close(silent)
		s.pod.answer = func(protocol.Method) (protocol.Event, error) { <-silent; return protocol.Event{}, nil }
		s.press("ctrl+c", "ctrl+c")
		s.shows(leave)
		if s.quit {
			t.Error("the second press left")
		}
		s.press("ctrl+c")
		if !s.quit {
			t.Error("the third press did not leave")
		}
	})
}

func TestSelect_WhoWritesOnWritesToThePod(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := attached(t)
		s.event(protocol.TextDone{Text: "an answer", EntryID: "t"})
		s.press("abc", "tab", "hello", "tab")
		s.shows("selected")
		s.press("backspace")
		if got := s.m.Text(); got != "abchell" {
			t.Errorf("the input holds %q", got)
		}
		s.hides("selected")
	})
}

func TestScroll_SendingGoesToTheNewestLineAndOneWheelUpOneDownIsWhereItWas(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &log{n: 100}
		s := l.open(t)
		s.send(tea.MouseWheelMsg{Button: tea.MouseWheelUp})
		s.shows("more above, more below")
		s.send(tea.MouseWheelMsg{Button: tea.MouseWheelDown})
		s.hides("more below")
		s.press("pgup", "/compact", "enter")
		s.hides("more below")
		s.event(status(protocol.StateRunning))
		s.press("pgup", "queued one", "enter")
		s.hides("more below")
		// What is sent by itself moves nothing under the eyes of who reads.
		s.press("pgup")
		s.event(protocol.RunEnd{Result: protocol.RunFinished}, status(protocol.StateIdle))
		s.shows("more below", "sending  queued one")
	})
}

func TestScroll_CtrlHomeGoesToTheVeryBeginning(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &log{n: 2_400}
		s := l.open(t)
		s.press("ctrl+home")
		s.wait(time.Second)
		if !strings.HasPrefix(s.text(), "› entry 0.") {
			t.Errorf("at the top stands\n%s", s.text())
		}
		s.shows("more below · Ctrl-End")
		s.press("pgdown")
		s.shows("more above, more below")
	})
}

func TestComplete_AFileWithABlankIsQuoted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := attached(t, func(o *tui.Options) {
			o.Files = func(context.Context) ([]string, error) { return []string{"with space.txt"}, nil }
		})
		s.press("see @wi")
		s.press("tab", "ok")
		if got := s.m.Text(); got != `see @"with space.txt" ok` {
			t.Errorf("the input holds %q", got)
		}
	})
}

func TestPaste_AChipCountsLines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := attached(t)
		s.send(tea.PasteMsg{Content: strings.Repeat("x\n", 20_000)})
		s.shows("20000 lines]")
		s.press("ctrl+u")
		s.send(tea.PasteMsg{Content: strings.Repeat("x\n", 19_999) + "x"})
		s.shows("20000 lines]")
	})
}
