package main

import (
	"path/filepath"
	"strings"
	"testing"

	"podium.local/store/storetest"
)

func TestSessionsPrune_SaysHowManyAPodHolds(t *testing.T) {
	home, _ := foreign(t) // nobody here can say that its pod is dead
	storetest.SQL(t, filepath.Join(home, "state.db"), "UPDATE sessions SET updated_at = 1")
	code, out, errs := runIn(t.Context(), home, "sessions", "prune", "--older-than", "24h")
	if code != exitOK || out != "deleted 0 sessions; 1 session held by a pod: left\n" || !strings.Contains(errs, "stays: a pod holds it") {
		t.Errorf("%d %q %q", code, out, errs)
	}
}

func TestSessionsPrune_ADayThatHasNotComeIsRefused(t *testing.T) {
	for _, args := range [][]string{{"sessions", "prune", "--older-than", "2999-01-01"}, {"import", "codex", "--since", "2999-01-01"}} {
		code, out, errs := runIn(t.Context(), t.TempDir(), args...)
		if code != exitUsage || out != "" || !strings.Contains(errs, "2999-01-01: that day has not come yet") {
			t.Errorf("%v: %d %q %q", args, code, out, errs)
		}
	}
}

// TestJSON_SaysWhenItPrintsOneObjectEach compares the help of what prints many
// things with what it prints.
func TestJSON_SaysWhenItPrintsOneObjectEach(t *testing.T) {
	home := listed(t, 2)
	for _, tt := range []struct {
		args  []string
		help  string
		lines int
	}{
		{[]string{"sessions", "prune", "--older-than", "1h", "--json", "--dry-run"}, "print one JSON object a session", 2},
		{[]string{"import", "status", "--json"}, "print one JSON object a file", 0},
		{[]string{"ps", "--json"}, "print one JSON object a pod", 0},
	} {
		code, out, errs := runIn(t.Context(), home, tt.args...)
		if code != exitOK || strings.Count(out, "\n") != tt.lines || strings.Count(out, "{") != tt.lines {
			t.Errorf("%v: %d %s%s", tt.args, code, out, errs)
		}
		if _, help, _ := runIn(t.Context(), home, append(tt.args, "--help")...); !strings.Contains(help, tt.help) {
			t.Errorf("%v: the help lacks %q", tt.args, tt.help)
		}
	}
}
