package builtin_test

import (
	"io"
	"os"
	"os/exec"
	"testing"

	"golang.org/x/sys/unix"

	"podium.local/tool/builtin"
)

func TestBash_CancelEndsWhatLeftTheGroup(t *testing.T) {
	for name, script := range map[string]string{
		"group of its own":      `set -m; ` + holdFast,
		"session of its own":    `setsid bash -c 'sleep 1000 & echo ready >&9; wait' & sleep 1000`,
		"session, keeps output": `setsid bash -c 'echo ready >&9; while echo x; do :; done' & sleep 1000`,
	} {
		t.Run(name, func(t *testing.T) { cancelEndsAll(t, script) })
	}
}

// TestBash_DetachedProcessStaysAndCanBeFound: setsid is how a command leaves
// something running on purpose; that it holds the output open does not hold
// the call.
func TestBash_DetachedProcessStaysAndCanBeFound(t *testing.T) {
	l := newLeash(newShell(t))
	l.want(l.call("Bash", args{"command": `exec 9>leash
		setsid bash -c 'echo >up; exec sleep 1000' &
		until [ -e up ]; do sleep 0.01; done; echo started`}), "Exit code 0")
	pids := builtin.Strays(t.Name())
	if len(pids) != 1 || l.gone() {
		t.Fatalf("strays %v, gone %v", pids, l.gone())
	}
	l.must(unix.Kill(pids[0], unix.SIGKILL))
	if _, err := io.ReadAll(l.end); err != nil {
		t.Error(err)
	}
	if pids := builtin.Strays(t.Name()); len(pids) != 0 {
		t.Errorf("still there: %v", pids)
	}
}

func TestBash_CommandDiesWithThePod(t *testing.T) {
	l := newLeash(newShell(t))
	pod := exec.Command(os.Args[0])
	pod.Env = append(os.Environ(), doomedVariable+"="+l.in)
	l.must(pod.Start())
	l.ready()
	l.must(pod.Process.Kill())
	_ = pod.Wait() // killed, as it should be
	// Ends only when the command is gone too.
	if _, err := io.ReadAll(l.end); err != nil {
		t.Error(err)
	}
}
