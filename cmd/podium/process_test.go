package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"podium.local/protocol"
	"podium.local/rehearsal"
)

// home is a Podium of a test's own: its folder, a work folder in it, and the
// program as processes.
type home struct {
	t    testing.TB
	dir  string
	work string
}

func newHome(t testing.TB) *home {
	t.Helper()
	// t.TempDir is too long a path for a socket on some systems.
	dir, err := os.MkdirTemp("", "podium")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	h := &home{t: t, dir: dir, work: filepath.Join(dir, "work")}
	if err := os.Mkdir(h.work, 0o700); err != nil {
		t.Fatal(err)
	}
	return h
}

func (h *home) socket(pod string) string { return filepath.Join(h.dir, "run", pod, "sock") }
func (h *home) store() string            { return filepath.Join(h.dir, "state.db") }

// command is the program with args, in the work folder.
func (h *home) command(args ...string) *exec.Cmd {
	h.t.Helper()
	exe, err := os.Executable()
	if err != nil {
		h.t.Fatal(err)
	}
	cmd := exec.Command(exe, args...)
	cmd.Dir = h.work
	cmd.Env = append(without(os.Environ(), "PODIUM_"), asPodium+"=1", "PODIUM_HOME="+h.dir, "GORACE=halt_on_error=1")
	return cmd
}

// process is a pod's process in the foreground.
type process struct {
	cmd  *exec.Cmd
	log  *syncBuffer
	done chan struct{}
}

// startPod starts a pod and waits until its socket answers.
func (h *home) startPod(name, url string, args ...string) *process {
	h.t.Helper()
	p := h.spawnPod(name, url, args...)
	for !socketAnswers(h.t.Context(), h.socket(name)) {
		select {
		case <-p.done:
			h.t.Fatalf("pod %s ended before it answered:\n%s", name, p.log)
		case <-time.After(time.Millisecond):
		}
	}
	return p
}

func (h *home) spawnPod(name, url string, args ...string) *process {
	h.t.Helper()
	args = append([]string{"pod", "--name", name, "--provider", "openai-chat", "--model", "m", "--base-url", url}, args...)
	p := &process{cmd: h.command(args...), log: &syncBuffer{}, done: make(chan struct{})}
	p.cmd.Stdout, p.cmd.Stderr = p.log, p.log
	if err := p.cmd.Start(); err != nil {
		h.t.Fatal(err)
	}
	go func() { _ = p.cmd.Wait(); close(p.done) }()
	h.t.Cleanup(p.kill)
	return p
}

// kill ends the process as a crash would, and waits for it.
func (p *process) kill() {
	_ = p.cmd.Process.Kill() // it may have ended already
	<-p.done
}

// syncBuffer is a process's output while it runs.
type syncBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

// Write appends.
func (b *syncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

// String is the output so far.
func (b *syncBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

// startModel serves a script until the test ends.
func startModel(t testing.TB, s *rehearsal.Script) string {
	t.Helper()
	return rehearsal.New(s, rehearsal.Options{}).Start(t) + "/v1"
}

// busyScript is an agent that works without end: two calls a turn, then words.
func busyScript() *rehearsal.Script {
	glob := rehearsal.Call{Name: "Glob", Args: rehearsal.Args{"pattern": "*"}}
	return &rehearsal.Script{
		Pace:   rehearsal.Pace{Delay: 300 * time.Microsecond},
		Repeat: true,
		Replies: []rehearsal.Reply{
			{Reasoning: "I should look around first.", Text: "Looking around.", Calls: []rehearsal.Call{glob, glob}},
			{Text: "Once more, to be sure.", Calls: []rehearsal.Call{glob}},
			{Text: strings.Repeat("It is all there. ", 8)},
		},
	}
}

// durable reports whether an event stands for an entry of the log, and which.
func durable(e protocol.Event) (entryID string, ok bool) {
	switch d := e.Data.(type) {
	case protocol.UserInput:
		entryID = d.EntryID
	case protocol.TextDone:
		entryID = d.EntryID
	case protocol.ReasoningDone:
		entryID = d.EntryID
	case protocol.ToolCallDone:
		entryID = d.EntryID
	case protocol.ToolResult:
		entryID = d.EntryID
	case protocol.TurnEnd:
		entryID = d.EntryID
	case protocol.RunEnd:
		entryID = d.EntryID
	}
	return entryID, e.Seq != 0 && entryID != ""
}
