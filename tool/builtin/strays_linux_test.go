package builtin_test

import (
	"os"
	"os/exec"
	"slices"
	"testing"

	"podium.local/tool/builtin"
)

// stray starts a process with a pod's tag, which says that it is there before
// stray returns, and gives what is closed when it has ended.
func stray(t *testing.T, tag, script string) <-chan struct{} {
	t.Helper()
	cmd := exec.Command("/bin/sh", "-c", script+"; echo ready; read forever")
	cmd.Env = append(os.Environ(), "PODIUM_POD="+tag)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	if _, err := out.Read(make([]byte, len("ready\n"))); err != nil {
		t.Fatal(err)
	}
	go func() {
		_ = cmd.Wait() // killed, as it should be
		close(ended)
	}()
	t.Cleanup(func() {
		in.Close()
		_ = cmd.Process.Kill() // it may have ended
		<-ended
	})
	return ended
}

func TestEndStrays_EndsThoseOfThePodAndNoOthers(t *testing.T) {
	yields := stray(t, "w@1", "true")
	holds := stray(t, "w@1", "trap '' TERM")
	stray(t, "w@2", "true")
	stray(t, "w@11", "true")
	if n := builtin.EndStrays("w@1", func() bool { return true }); n != 2 {
		t.Errorf("ended %d, want 2", n)
	}
	<-yields
	<-holds
	if len(builtin.Strays("w@2")) != 1 || len(builtin.Strays("w@11")) != 1 {
		t.Error("processes of another pod were ended")
	}
}

func TestEndStrays_LeavesALivePodsAlone(t *testing.T) {
	stray(t, "w@3", "true")
	before := builtin.Strays("w@3")
	if n := builtin.EndStrays("w@3", func() bool { return false }); n != 0 {
		t.Errorf("ended %d", n)
	}
	if now := builtin.Strays("w@3"); len(now) != 1 || !slices.Equal(now, before) {
		t.Errorf("had %v, now %v", before, now)
	}
}

func TestEndStrays_IsNotEndedByItself(t *testing.T) {
	t.Setenv("PODIUM_POD", "w@4")
	stray(t, "w@4", "true")
	if n := builtin.EndStrays("w@4", func() bool { return true }); n != 0 {
		t.Errorf("ended %d", n)
	}
}
