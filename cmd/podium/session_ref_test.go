package main

import (
	"encoding/json"
	"strings"
	"testing"

	"podium.local/protocol"
	"podium.local/rehearsal"
)

func TestSessionRef_AnAmbiguousOneNamesTheCandidates(t *testing.T) {
	h := newHome(t)
	url := startModel(t, &rehearsal.Script{Replies: []rehearsal.Reply{{Default: true, Text: "Here."}}})
	var ids []string
	for _, name := range []string{"a", "b"} {
		h.startPod(name, url)
		if text, code := output(t, h.command("run", "-p", "Hello from "+name, name)); code != 0 {
			t.Fatal(text)
		}
	}
	out, code := output(t, h.command("sessions", "list"))
	for line := range strings.Lines(out) {
		if f := strings.Fields(line); len(f) > 0 && strings.Count(f[len(f)-1], "-") == 4 {
			ids = append(ids, f[len(f)-1])
		}
	}
	if code != 0 || len(ids) != 2 || ids[0][:6] != ids[1][:6] {
		t.Fatalf("exit %d: %s", code, out)
	}
	text, code := output(t, h.command("sessions", "show", ids[0][:6]))
	if code != 1 || !strings.Contains(text, ids[0]) || !strings.Contains(text, ids[1]) || !strings.Contains(text, "several session ids") {
		t.Errorf("exit %d: %s", code, text)
	}
	short := protocol.ShortID(ids[0])
	for _, args := range [][]string{{"sessions", "tag", short, "kept"}, {"sessions", "rename", short, "renamed"}, {"sessions", "export", short}, {"history", short}, {"sessions", "show", short}} {
		if text, code := output(t, h.command(args...)); code != 0 {
			t.Errorf("%q: exit %d: %s", args, code, text)
		}
	}
	if text, code := output(t, h.command("sessions", "show", "zzzzzzzz")); code != 1 || !strings.Contains(text, "podium sessions list shows the ids") {
		t.Errorf("exit %d: %s", code, text)
	}
}

func TestSessionRef_RunContinuesASessionByItsShortID(t *testing.T) {
	h := newHome(t)
	url := startModel(t, &rehearsal.Script{Replies: []rehearsal.Reply{{Default: true, Text: "Here."}}})
	model := []string{"run", "--provider", "openai-chat", "--model", "m", "--base-url", url}
	run := func(args ...string) (string, int) { return output(t, h.command(append(model, args...)...)) }
	for _, name := range []string{"a", "b"} {
		if text, code := run("-p", "Hello from "+name, name); code != 0 {
			t.Fatal(text)
		}
	}
	var list struct{ Sessions []struct{ ID, Name string } }
	if out := h.output("sessions", "list", "--json"); json.Unmarshal([]byte(out), &list) != nil || len(list.Sessions) != 2 {
		t.Fatal(out)
	}
	s := list.Sessions[1]
	if text, code := run("-p", "Hello again", "--session", protocol.ShortID(s.ID), "c"); code != 0 {
		t.Fatalf("exit %d: %s", code, text)
	}
	if text := h.output("history", s.ID); !strings.Contains(text, s.Name) || !strings.Contains(text, "Hello again") {
		t.Errorf("the session was not continued: %s", text)
	}
	for _, c := range []struct{ ref, want string }{
		{s.ID[:6], list.Sessions[0].ID}, {"zzzzzzzz", "podium sessions list shows the ids"}, {s.ID[len(s.ID)-3:], "at least 6 characters"},
	} {
		if text, code := run("-p", "Hello", "--session", c.ref, "d"); code == 0 || !strings.Contains(text, c.want) {
			t.Errorf("--session %s: exit %d: %s", c.ref, code, text)
		}
	}
	text, code := output(t, h.command("attach", protocol.ShortID(s.ID)))
	if code != exitFailure || !strings.Contains(text, "podium run --session "+protocol.ShortID(s.ID)+" continues it") {
		t.Errorf("attach to a session: exit %d: %s", code, text)
	}
	if out := h.output("ps", "--all"); strings.Contains(out, "\nd ") {
		t.Errorf("a pod was made for a session that is not: %s", out)
	}
}
