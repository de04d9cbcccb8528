package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"podium.local/rehearsal"
)

// A terminal that comes back shows what one that stayed has seen.
func TestScreen_AReattachedTerminalShowsTheSame(t *testing.T) {
	h := newHome(t)
	priced := "[catalog.m]\ninput_usd = 100.0\noutput_usd = 100.0\n"
	if err := os.WriteFile(filepath.Join(h.dir, "config.toml"), []byte(priced), 0o600); err != nil {
		t.Fatal(err)
	}
	x := newTerminals(t, h)
	until := make(chan struct{})
	t.Cleanup(func() { close(until) })
	summary := rehearsal.Call{Name: "write_summary", Args: rehearsal.Args{"text": "Nothing much happened."}}
	url := startModel(t, &rehearsal.Script{Replies: []rehearsal.Reply{
		{When: rehearsal.When{Offers: "write_summary"}, Times: 1, Calls: []rehearsal.Call{summary}},
		{When: rehearsal.When{Offers: "write_summary"}, Text: "Written."},
		{Text: "I look.", Calls: []rehearsal.Call{{Name: "Glob", Args: rehearsal.Args{"pattern": "*.nothing"}}}},
		{Text: "There is nothing. " + strings.Repeat("Nothing at all. ", 1000), Pace: rehearsal.Pace{Chunk: "whole"}},
		{Fault: &rehearsal.Fault{Kind: "status", Status: 400, Message: "not today"}},
		{Text: "Slow words that never end.", Hold: &rehearsal.Hold{After: 2, Until: until}},
		{Default: true, Text: "Noted."},
	}})
	h.startPod("k", url)
	a := x.start(120, 45, nil, "attach", "k")
	a.awaits("k · idle")
	say := func(text string, parts ...string) {
		a.typed(text)
		a.keys("Enter")
		a.awaits(parts...)
	}
	say("Look.", "── 2 requests", "k · idle")
	say("/compact", "[compact] done", "k · idle")
	say("Fail.", "not today", "── failed", "k · idle")
	say("Never end.", "Slow words")
	a.keys("C-x")
	a.awaits("── cancelled", "k · idle")
	if text, code := output(t, h.command("notify", "k", "the build is green")); code != 0 {
		t.Fatalf("notify: %s", text)
	}
	stayed := a.awaits("note from", "Noted.", "k · idle")
	b := x.start(120, 45, nil, "attach", "k")
	for _, part := range []string{"[provider_error]", "── failed", "── cancelled", "[compact] done"} {
		line := lineWith(stayed, part)
		if line == "" {
			t.Fatalf("who stayed does not show %q:\n%s", part, stayed)
		}
		b.awaits(line)
	}
	// What both say of tokens and cost is the pod's, through the compaction. The
	// request that was cancelled has no price that anybody knows.
	status := strings.Split(lineWith(stayed, "k · idle"), " · ")
	b.awaits(" · " + status[5] + " · " + status[6] + " · ")
	if !strings.HasPrefix(status[5], "↑") || strings.HasPrefix(status[5], "↑1.6k") {
		t.Errorf("tokens of the pod: %q", status)
	}
	if !strings.HasPrefix(status[6], "≥$") {
		t.Errorf("the cost after a cancel: %q", status)
	}
	if text, _ := output(t, h.command("history", "k")); !strings.Contains(text, "cost ≥ $") {
		t.Errorf("the cost after a cancel:\n%s", text)
	}
	if ps, _ := output(t, h.command("ps")); !strings.Contains(ps, "≥ $") {
		t.Errorf("the cost after a cancel:\n%s", ps)
	}
	text := b.awaits("note from", "the build is green", "» from podium/")
	if strings.Contains(text, "[Notification]") {
		t.Errorf("a note in the model's words:\n%s", text)
	}
	if strings.Count(text, "not today") != 1 {
		t.Errorf("the error is there more than once:\n%s", text)
	}
}
