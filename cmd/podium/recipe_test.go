package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"podium.local/rehearsal"
)

// output runs a command and gives what it said, and its exit code.
func output(t *testing.T, cmd *exec.Cmd) (text string, code int) {
	t.Helper()
	b, err := cmd.CombinedOutput()
	if _, exited := err.(*exec.ExitError); err != nil && !exited {
		t.Fatal(err)
	}
	return string(b), cmd.ProcessState.ExitCode()
}

func TestRecipe_ADeadPodIsStartedAgainTheWayItWas(t *testing.T) {
	h := newHome(t)
	url := startModel(t, &rehearsal.Script{Replies: []rehearsal.Reply{{Default: true, Text: "Here."}}})
	h.startPod("k", url, "--max-turns", "7", "--allow-bash").kill()
	elsewhere := t.TempDir()
	cmd := h.command("run", "-p", "Where are you?", "--keep", "k")
	cmd.Dir = elsewhere
	if text, code := output(t, cmd); code != 0 || !strings.Contains(text, "Here.") {
		t.Fatalf("exit %d: %s", code, text)
	}
	t.Cleanup(func() { _ = h.command("stop", "k").Run() })
	file := filepath.Join(h.dir, "pods", "k.json")
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{`"max_turns": 7`, `"allow_bash": true`, `"dir": "` + h.work + `"`, url} {
		if !strings.Contains(string(b), part) {
			t.Errorf("the recipe lacks %s: %s", part, b)
		}
	}

	// What it was started with may be said again, something else may not.
	if text, code := output(t, h.command("run", "-p", "And now?", "--provider", "openai-chat", "--model", "m", "--base-url", url, "--max-turns", "7", "k")); code != 0 {
		t.Errorf("the same flags: exit %d: %s", code, text)
	}
	if text, code := output(t, h.command("run", "-p", "And now?", "--model", "other", "k")); code != 2 || !strings.Contains(text, "--model has no effect") {
		t.Errorf("another model: exit %d: %s", code, text)
	}

	if text, code := output(t, h.command("stop", "k")); code != 0 {
		t.Fatalf("stop: exit %d: %s", code, text)
	}
	if text, code := output(t, h.command("rm", "k")); code != 0 {
		t.Fatalf("rm: exit %d: %s", code, text)
	}
	if _, err := os.Stat(file); err == nil {
		t.Error("a forgotten pod's recipe is still there")
	}
}

func TestRecipe_APodOfOnePromptIsContinuedTheWayItWasStarted(t *testing.T) {
	h := newHome(t)
	url := startModel(t, &rehearsal.Script{Replies: []rehearsal.Reply{{Default: true, Text: "Here."}}})
	if text, code := output(t, h.command("run", "-p", "One.", "--provider", "openai-chat", "--model", "m", "--base-url", url, "k")); code != 0 {
		t.Fatalf("exit %d: %s", code, text)
	}
	if text, code := output(t, h.command("run", "-p", "Two.", "k")); code != 0 || !strings.Contains(text, "Here.") {
		t.Fatalf("exit %d: %s", code, text)
	}
	if text, _ := output(t, h.command("history", "k")); !strings.Contains(text, "One.") || !strings.Contains(text, "Two.") {
		t.Errorf("the session was not continued: %s", text)
	}
}

func TestFlags_AValueThatCannotBeIsAUsageError(t *testing.T) {
	h := newHome(t)
	for _, args := range [][]string{
		{"run", "-p", "x", "--provider", "nope"},
		{"run", "-p", "x", "--max-turns", "0"},
		{"run", "-p", "x", "--provider", "ollama", "--base-url", "no url"},
	} {
		if text, code := output(t, h.command(args...)); code != 2 || !strings.HasPrefix(text, "podium: ") {
			t.Errorf("%q: exit %d: %s", args, code, text)
		}
	}
}
