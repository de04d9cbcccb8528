package main

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"podium.local/client"
	"podium.local/protocol"
	"podium.local/rehearsal"
	"podium.local/tool/builtin"
)

// TestStrays_AKilledPodsCommandsEndWhenItStartsAgain kills one of two pods of
// the same name, below homes of their own, while each runs a command: the next
// process of that pod ends what was left, says so, and the other pod's command
// goes on.
func TestStrays_AKilledPodsCommandsEndWhenItStartsAgain(t *testing.T) {
	url := startModel(t, &rehearsal.Script{Replies: []rehearsal.Reply{{Calls: []rehearsal.Call{
		{Name: "Bash", Args: rehearsal.Args{"command": "sleep 1000 & wait"}},
	}}}, Repeat: true})
	mine, other := newHome(t), newHome(t)
	killed := mine.startPod("w", url, "--allow-bash")
	other.startPod("w", url, "--allow-bash")
	var tags []string
	for _, h := range []*home{mine, other} {
		tag, err := podTag(filepath.Join(h.dir, "run"), "w")
		if err != nil {
			t.Fatal(err)
		}
		tags = append(tags, tag)
		t.Cleanup(func() {
			for _, pid := range builtin.Strays(tag) {
				_ = unix.Kill(pid, unix.SIGKILL) // it may have ended
			}
		})
		startCommand(t, h, tag)
	}
	killed.kill()
	if len(builtin.Strays(tags[0])) == 0 {
		t.Fatal("nothing was left: the test proves nothing")
	}
	mine.startPod("w", url, "--allow-bash")
	if left := builtin.Strays(tags[0]); len(left) > 0 {
		t.Errorf("still there: %v", left)
	}
	if left := builtin.Strays(tags[1]); len(left) != 2 {
		t.Errorf("the other pod has %v, want its shell and its sleep", left)
	}
	if text := noticeOf(t, mine); !strings.Contains(text, "when the pod was killed") {
		t.Errorf("notice %q", text)
	}
}

// startCommand asks the pod for a run and waits until its command has started
// a process of its own.
func startCommand(t *testing.T, h *home, tag string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	conn, err := client.Dial(ctx, h.socket("w"), client.Options{Mode: client.ModeExtended})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := conn.Send(ctx, protocol.Method{Params: protocol.Run{Input: "go"}, RequestID: "r"}); err != nil {
		t.Fatal(err)
	}
	for len(builtin.Strays(tag)) < 2 {
		select {
		case <-ctx.Done():
			t.Fatal("the command did not start")
		case <-time.After(time.Millisecond):
		}
	}
}

// noticeOf is the first notification that the pod tells.
func noticeOf(t *testing.T, h *home) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	conn, err := client.Dial(ctx, h.socket("w"), client.Options{Mode: client.ModeExtended})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	for {
		e, err := conn.Recv(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if n, ok := e.Data.(protocol.Notification); ok {
			return n.Message
		}
	}
}
