package tui_test

import (
	"testing"
	"testing/synctest"

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
