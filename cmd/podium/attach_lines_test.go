package main

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"podium.local/rehearsal"
)

// lineClient is podium attach in a pipe.
type lineClient struct {
	t    *testing.T
	in   io.WriteCloser
	out  *syncBuffer
	done chan error
}

func attachByLines(t *testing.T, h *home, args ...string) *lineClient {
	t.Helper()
	cmd := h.command(append([]string{"attach"}, args...)...)
	c := &lineClient{t: t, out: &syncBuffer{}, done: make(chan error, 1)}
	cmd.Stdout, cmd.Stderr = c.out, c.out
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	c.in = in
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { c.done <- cmd.Wait(); close(c.done) }()
	t.Cleanup(func() { _ = cmd.Process.Kill(); <-c.done })
	return c
}

func (c *lineClient) types(lines ...string) {
	c.t.Helper()
	for _, l := range lines {
		if _, err := fmt.Fprintln(c.in, l); err != nil {
			c.t.Fatal(err)
		}
	}
}

// awaits waits until what was printed holds the parts, in order.
func (c *lineClient) awaits(parts ...string) {
	c.t.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(5 * time.Millisecond) {
		rest, ok := c.out.String(), true
		for _, p := range parts {
			if ok {
				_, rest, ok = strings.Cut(rest, p)
			}
		}
		if ok {
			return
		}
		if time.Now().After(end) {
			c.t.Fatalf("never printed %q:\n%s", parts, c.out)
		}
	}
}

func TestLines_QueueRefuseAndMark(t *testing.T) {
	h := newHome(t)
	until := make(chan struct{})
	url := startModel(t, &rehearsal.Script{Replies: []rehearsal.Reply{
		{Text: "It begins and it ends.", Hold: &rehearsal.Hold{After: 2, Until: until}},
		{Text: "The second answer."},
		{Default: true, Text: "Another."},
	}})
	h.startPod("k", url)
	c := attachByLines(t, h, "k")
	c.awaits("attached to k; /quit leaves")
	c.types("/cancle", "First.")
	c.awaits("/cancle: no such command; a space before it sends it to the pod as text")
	c.awaits("you    First.", "agent  It")
	c.types("Second.", "/quite")
	c.awaits("[queued] it is sent when the run ends")
	close(until)
	c.awaits(" and it ends.\n", "you    Second.", "agent  The second answer.\n")
	c.types(" /etc is a folder")
	c.awaits("you    /etc is a folder", "agent  Another.")
	if text := c.out.String(); strings.Contains(text, "already_running") {
		t.Errorf("an input was refused:\n%s", text)
	}
}

func TestLines_EndOfInputLeavesOnlyAfterWhatWaits(t *testing.T) {
	h := newHome(t)
	until := make(chan struct{})
	url := startModel(t, &rehearsal.Script{Replies: []rehearsal.Reply{
		{Text: "Slow words.", Hold: &rehearsal.Hold{After: 1, Until: until}}, {Default: true, Text: "Quick."},
	}})
	h.startPod("k", url)
	c := attachByLines(t, h, "k")
	c.types("One.", "Two.")
	c.in.Close()
	c.awaits("you    One.", "agent  Slow")
	close(until)
	c.awaits("you    Two.")
	if err := <-c.done; err != nil {
		t.Errorf("leaving: %v\n%s", err, c.out)
	}
}

func TestLines_OnesOwnCancelIsNoError(t *testing.T) {
	h := newHome(t)
	until := make(chan struct{})
	t.Cleanup(func() { close(until) })
	url := startModel(t, &rehearsal.Script{Replies: []rehearsal.Reply{{Text: "It begins and never ends.", Hold: &rehearsal.Hold{After: 2, Until: until}}}})
	h.startPod("k", url)
	c := attachByLines(t, h, "k")
	c.types("Go.")
	c.awaits("agent  It")
	c.types("/cancel")
	c.awaits("[run] cancelled")
	c.types("/cancel")
	c.awaits("[error] no run is on, the pod is idle")
	if text := c.out.String(); strings.Contains(text, "internal") {
		t.Errorf("a cancel is said as an error:\n%s", text)
	}
}

func TestLines_ALongMessageIsCutAndSaysWhereTheRestIs(t *testing.T) {
	h := newHome(t)
	url := startModel(t, &rehearsal.Script{Replies: []rehearsal.Reply{{Default: true, Text: "Read."}}})
	h.startPod("k", url)
	if text, code := output(t, h.command("run", "-p", strings.Repeat("line\n", 5000)+"last", "k")); code != 0 {
		t.Fatalf("exit %d: %s", code, text)
	}
	c := attachByLines(t, h, "k")
	c.awaits("… 4801 more lines; podium history k has all of it", "agent  Read.")
	if n := strings.Count(c.out.String(), "\n"); n > 250 {
		t.Errorf("%d lines were printed", n)
	}
}

func TestAttach_SaysWhatHasBecomeOfAPod(t *testing.T) {
	h := newHome(t)
	url := startModel(t, &rehearsal.Script{})
	h.startPod("k", url).kill()
	for want, args := range map[string][]string{
		"podium: pod k has ended; podium run k continues its session, podium history k shows it\n": {"attach", "k"},
		"podium: pod nobody: no such pod is alive; podium ps lists the pods\n":                     {"attach", "nobody"},
		"podium: attach to /nonexistent: no pod listens there; podium ps lists the pods\n":         {"attach", "--socket", "/nonexistent"},
	} {
		if text, code := output(t, h.command(args...)); code != 1 || text != want {
			t.Errorf("%q: exit %d: %q, want %q", args, code, text, want)
		}
	}
	if text, _ := output(t, h.command("attach", "--socket", h.socket("k"))); strings.Contains(text, "attached to ;") {
		t.Errorf("no name: %q", text)
	}
}

func TestHistory_ANotificationIsNotTheirWords(t *testing.T) {
	h := newHome(t)
	url := startModel(t, &rehearsal.Script{Replies: []rehearsal.Reply{{Default: true, Text: "Noted."}}})
	h.startPod("k", url)
	for _, args := range [][]string{{"notify", "k", "the build is green"}, {"run", "-p", "Hello.", "k"}} {
		if text, code := output(t, h.command(args...)); code != 0 {
			t.Fatalf("%q: exit %d: %s", args, code, text)
		}
	}
	text, _ := output(t, h.command("history", "k"))
	if !strings.Contains(text, "note   the build is green") || !strings.Contains(text, "you    Hello.") {
		t.Errorf("history:\n%s", text)
	}
}
