package main

import (
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
