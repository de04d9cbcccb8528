package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"podium.local/rehearsal"
)

// podProcesses are the pids of the pods that run below the home, whether or
// not they hold their name.
func (h *home) podProcesses(name string) (pids []int) {
	h.t.Helper()
	all, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		h.t.Fatal(err)
	}
	for _, dir := range all {
		// A process may end while it is looked at.
		args, _ := os.ReadFile(filepath.Join(dir, "cmdline"))
		environ, _ := os.ReadFile(filepath.Join(dir, "environ"))
		if bytes.Contains(args, []byte("\x00pod\x00--name\x00"+name+"\x00")) && bytes.Contains(environ, []byte("PODIUM_HOME="+h.dir+"\x00")) {
			if pid, err := strconv.Atoi(filepath.Base(dir)); err == nil {
				pids = append(pids, pid)
			}
		}
	}
	return pids
}

// TestRun_OfTwoStartersOnlyOneProcessIsLeftAndAStoppedPodStaysStopped starts
// one name twice at once. The process that came too late is gone when its
// command is, so nothing waits for the name when the pod is stopped.
func TestRun_OfTwoStartersOnlyOneProcessIsLeftAndAStoppedPodStaysStopped(t *testing.T) {
	h := newHome(t)
	url := startModel(t, &rehearsal.Script{Repeat: true, Replies: []rehearsal.Reply{{Text: "Here."}}})
	for round := range 3 {
		name := fmt.Sprintf("race%d", round)
		var both sync.WaitGroup
		for range 2 {
			cmd := h.command("run", "--keep", "-p", "hi", "--provider", "openai-chat", "--model", "m", "--base-url", url, name)
			both.Go(func() {
				// One of two inputs may be refused, as the other's run goes on.
				_ = cmd.Run()
			})
		}
		both.Wait()
		if pids := h.podProcesses(name); len(pids) != 1 {
			t.Errorf("processes of pod %s while it lives: %v", name, pids)
		}
		if out, err := h.command("stop", name).CombinedOutput(); err != nil {
			t.Errorf("%v: %s", err, out)
		}
		if pids := h.podProcesses(name); len(pids) != 0 {
			t.Errorf("processes of pod %s once it was stopped: %v", name, pids)
		}
	}
}

// TestRun_SaysThatTheDiskIsFullWhereThePodCannot lets a pod die at its start
// whose log is on a full disk: what it says of it is lost.
func TestRun_SaysThatTheDiskIsFullWhereThePodCannot(t *testing.T) {
	h := newHome(t)
	folder := filepath.Join(h.dir, "run", "p")
	err := errors.Join(
		os.MkdirAll(folder, 0o700),
		os.Symlink("/dev/full", filepath.Join(folder, "pod.log")),
		os.WriteFile(filepath.Join(h.dir, "state.db"), []byte("this is not a store, and a pod says so in its log"), 0o600))
	if err != nil {
		t.Fatal(err)
	}
	out, err := h.command("run", "-p", "hi", "--provider", "openai-chat", "--model", "m", "--base-url", "http://127.0.0.1:1", "p").CombinedOutput()
	if err == nil || !strings.Contains(string(out), "no space left on device; free some space") {
		t.Errorf("%v: %s", err, out)
	}
}
