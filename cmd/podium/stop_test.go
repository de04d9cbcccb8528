package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"podium.local/rehearsal"
	"podium.local/store"
)

func talkScript() *rehearsal.Script {
	return &rehearsal.Script{Repeat: true, Replies: []rehearsal.Reply{{Text: "Here."}}}
}

// output is what a command says on both streams; it has to succeed.
func (h *home) output(args ...string) string {
	h.t.Helper()
	out, err := h.command(args...).CombinedOutput()
	if err != nil {
		h.t.Fatalf("podium %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// endedInOrder reports whether the pod left its session itself.
func (h *home) endedInOrder(name string) bool {
	h.t.Helper()
	st, err := store.Open(h.t.Context(), h.store(), store.Options{})
	if err != nil {
		h.t.Fatal(err)
	}
	defer st.Close()
	row, err := st.PodByName(h.t.Context(), name)
	if err != nil {
		h.t.Fatal(err)
	}
	return !row.EndedAt.IsZero()
}

func TestStop_EndsAHaltedPodInOrderAndSaysHow(t *testing.T) {
	h := newHome(t)
	p := h.startPod("halted", startModel(t, talkScript()))
	if err := p.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	var seen struct {
		State string
		PID   int
	}
	if out := h.output("ps", "--json"); json.Unmarshal([]byte(out), &seen) != nil || seen.State != "unresponsive" || seen.PID != p.cmd.Process.Pid {
		t.Errorf("ps of a halted pod: %s", out)
	}
	if out := h.output("ps"); !strings.Contains(out, "unresponsive (pid ") {
		t.Errorf("ps of a halted pod: %s", out)
	}
	if out := h.output("stop", "halted"); !strings.Contains(out, "SIGTERM was sent to its process") {
		t.Errorf("stop says %q", out)
	}
	<-p.done
	if !h.endedInOrder("halted") {
		t.Error("the halted pod did not leave its session")
	}
}

func TestStop_KillsAPodThatTakesLongerThanItsGrace(t *testing.T) {
	h := newHome(t)
	p := h.startPod("slow", startModel(t, talkScript()))
	if err := p.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	h.output("stop", "--grace", "1ns", "slow")
	<-p.done
	if out, err := h.command("stop", "slow").CombinedOutput(); err == nil || !strings.Contains(string(out), "has ended") {
		t.Errorf("stop of an ended pod: %v, %s", err, out)
	}
}

func TestStop_EndsAPodWhoseSocketIsGone(t *testing.T) {
	h := newHome(t)
	p := h.startPod("hidden", startModel(t, talkScript()))
	if err := os.Remove(h.socket("hidden")); err != nil {
		t.Fatal(err)
	}
	h.output("stop", "hidden")
	<-p.done
	if !h.endedInOrder("hidden") {
		t.Error("the pod did not leave its session")
	}
}

// TestStop_TakesAProcessNobodyWaitedForAsEnded leaves the pod's process as a
// zombie, as a parent does that never waits.
func TestStop_TakesAProcessNobodyWaitedForAsEnded(t *testing.T) {
	h := newHome(t)
	cmd := h.command("pod", "--name", "z", "--provider", "openai-chat", "--model", "m", "--base-url", startModel(t, talkScript()))
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	stop := make(chan string, 1)
	deadline := time.Now().Add(fleetPatience)
	for !socketAnswers(h.t.Context(), h.socket("z")) {
		if time.Now().After(deadline) {
			t.Fatal("the pod does not answer")
		}
	}
	c := h.command("stop", "z")
	go func() { stop <- runStop(c) }()
	select {
	case failure := <-stop:
		if failure != "" {
			t.Error(failure)
		}
	case <-time.After(fleetPatience):
		t.Error("stop waits for a zombie")
		_ = c.Process.Kill()
	}
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}

func runStop(c *exec.Cmd) string {
	if out, err := c.CombinedOutput(); err != nil {
		return err.Error() + ": " + string(out)
	}
	return ""
}

func TestPod_MakesItsSocketAgainWhenItsFileWasRemoved(t *testing.T) {
	h := newHome(t)
	h.startPod("again", startModel(t, talkScript()))
	for range 2 {
		if err := os.Remove(h.socket("again")); err != nil {
			t.Fatal(err)
		}
		for deadline := time.Now().Add(fleetPatience); !socketAnswers(h.t.Context(), h.socket("again")); time.Sleep(time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatal("the socket was not made again")
			}
		}
	}
	if info, err := os.Stat(h.socket("again")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the new socket: %v, %v", info, err)
	}
	h.output("stop", "again")
	if _, err := os.Stat(h.socket("again")); !os.IsNotExist(err) {
		t.Errorf("an ended pod leaves its socket: %v", err)
	}
}
