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
