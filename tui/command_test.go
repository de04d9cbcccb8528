package tui_test

import (
	"testing"
	"testing/synctest"

	tea "charm.land/bubbletea/v2"

	"podium.local/tui"
)

func TestCommand_ATypoIsRefusedAndASpaceSendsIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := attached(t)
		write := func(text string) {
			for _, r := range text {
				s.press(string(r))
			}
		}
		write("/cancle")
		s.press("enter")
		s.shows("/cancle: no such command; a space before it sends it to the pod as text.", "› /cancle")
		if got := s.pod.told(); len(got) != 0 {
			t.Errorf("the pod was told %q", got)
		}
		s.press("home")
		s.press(" ", "enter")
		if got := s.pod.told(); len(got) != 1 || got[0] != "run /cancle" {
			t.Errorf("the pod was told %q", got)
		}
	})
}

func TestCommand_ASlashOffersThemAndTabTakesOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := attached(t)
		s.press("/")
		s.shows("/compact  summarise the conversation", "/quit")
		s.press("pa")
		s.shows("/pause    pause the run")
		s.hides("/compact", "/quit")
		s.press("tab")
		s.shows("› /pause")
		s.hides("pause the run")
		s.press("enter")
		if got := s.pod.told(); len(got) != 1 || got[0] != "pause" {
			t.Errorf("the pod was told %q", got)
		}
		// A path is no command, and a whole one needs no choosing.
		s.press("/etc")
		s.hides("/compact")
		s.press("ctrl+u", "/c", "esc")
		s.hides("summarise")
		s.press("ancel")
		s.hides("clear the queue")
	})
}

func TestCommand_WhatIsSaidOfATextGoesWithIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := attached(t)
		s.press("/bogus", "enter")
		s.shows("no such command")
		s.press("x")
		s.hides("no such command")
	})
}

func TestHelp_SaysThatThereIsMore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := attached(t)
		s.press("?")
		s.shows("PgUp and PgDn scroll · Esc closes")
		s.send(tea.WindowSizeMsg{Width: 120, Height: 60})
		s.shows("Esc closes")
		s.hides("scroll · Esc")
	})
}

func TestIsCommand_APathIsNone(t *testing.T) {
	for line, want := range map[string]bool{
		"/cancel": true, "/compact now": true, "/x-y": true, "/help\nme": true,
		"": false, "/": false, "// note": false, "/etc/passwd": false, " /cancel": false, "/*": false, "a /b": false, "/2": false,
	} {
		if got := tui.IsCommand(line); got != want {
			t.Errorf("IsCommand(%q) = %v", line, got)
		}
	}
}
