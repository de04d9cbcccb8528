package main

import (
	"bufio"
	"strings"
	"testing"

	"podium.local/rehearsal"
	"podium.local/store/storetest"
)

// runOnce runs a command that is to fail and gives what it said, ending it when
// it tries again.
func (h *home) runOnce(stdin string, args ...string) string {
	h.t.Helper()
	cmd := h.command(args...)
	cmd.Stdin = strings.NewReader(stdin)
	r, err := cmd.StderrPipe()
	if err != nil {
		h.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		h.t.Fatal(err)
	}
	var said strings.Builder
	for lines := bufio.NewScanner(r); lines.Scan(); {
		said.WriteString(lines.Text() + "\n")
		if strings.Contains(lines.Text(), "trying again") {
			_ = cmd.Process.Kill()
		}
	}
	if err := cmd.Wait(); err == nil {
		h.t.Errorf("podium %v succeeded", args)
	}
	return said.String()
}

func TestRun_APodThatCannotTakeItsSessionUpIsNotStartedAgain(t *testing.T) {
	h := newHome(t)
	url := startModel(t, &rehearsal.Script{Replies: []rehearsal.Reply{{Default: true, Text: "Here."}}})
	if text, code := output(t, h.command("run", "-p", "One.", "--provider", "openai-chat", "--model", "m", "--base-url", url, "k")); code != 0 {
		t.Fatalf("exit %d: %s", code, text)
	}
	storetest.SQL(t, h.store(), `UPDATE entries SET payload = '{'; UPDATE pods SET bookmark = NULL`)
	if said := h.runOnce("", "run", "-p", "Two.", "k"); strings.Contains(said, "trying again") || !strings.Contains(said, "take up session") {
		t.Errorf("said: %s", said)
	}
}

func TestRun_APromptThatThePodRefusesIsNotGivenAgain(t *testing.T) {
	h := newHome(t)
	url := startModel(t, &rehearsal.Script{Replies: []rehearsal.Reply{{Default: true, Text: "Here."}}})
	said := h.runOnce(strings.Repeat("long ", 7<<20), "run", "-p", "-", "--provider", "openai-chat", "--model", "m", "--base-url", url, "k")
	if strings.Contains(said, "trying again") || !strings.Contains(said, "32 MiB") {
		t.Errorf("said: %s", said)
	}
	output(t, h.command("stop", "k"))
}
