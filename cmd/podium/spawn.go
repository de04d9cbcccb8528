package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// detached is a pod's process to be started on its own: it outlives the
// command that started it and the terminal that command ran in.
type detached struct {
	// name is the pod, dir its folder in the run folder.
	name, dir string
	// args are the arguments of this same executable.
	args []string
	// environ is the environment the pod gets.
	environ []string
	// answers reports whether the pod's socket takes connections.
	answers func() bool
}

// stopPatience is how long a pod that is starting may take to end.
const stopPatience = 5 * time.Second

// logTail is how much of a dead pod's log is shown.
const logTail = 4 << 10

// start starts the process and waits until the pod's socket answers. A process
// that dies before that is reported with the end of its log. When another
// process answers, somebody else started the pod first (own is false): ours is
// ended, so that it does not take the name once the other leaves.
//
// The process gets a session of its own (no terminal can hang it up), nothing
// on stdin, pod.log as stdout and stderr, and no other open file.
func (d detached) start(ctx context.Context) (own bool, err error) {
	exe, err := os.Executable()
	if err != nil {
		return false, fmt.Errorf("find the podium program to start pod %s: %w", d.name, err)
	}
	log, err := os.OpenFile(filepath.Join(d.dir, "pod.log"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return false, fmt.Errorf("open the log of pod %s: %w", d.name, err)
	}
	defer log.Close()
	begin, err := log.Seek(0, io.SeekEnd)
	if err != nil {
		return false, fmt.Errorf("open the log of pod %s: %w", d.name, err)
	}
	cmd := exec.Command(exe, d.args...)
	cmd.Stdout, cmd.Stderr = log, log
	cmd.Env = d.environ
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return false, fmt.Errorf("start pod %s: %w", d.name, err)
	}
	died := make(chan error, 1)
	go func() { died <- cmd.Wait() }()

	for {
		if d.answers() {
			if readPID(filepath.Join(d.dir, "pid")) == cmd.Process.Pid {
				return true, nil
			}
			endStarting(cmd.Process, died)
			return false, nil
		}
		select {
		case err := <-died:
			return false, &startError{pid: cmd.Process.Pid, error: d.failure(err, begin)}
		case <-ctx.Done():
			endStarting(cmd.Process, died)
			return false, fmt.Errorf("start pod %s: %w", d.name, context.Cause(ctx))
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// startError says why a process that this one started as a pod did not come up.
type startError struct {
	pid int
	error
}

// Unwrap gives the reason.
func (e *startError) Unwrap() error { return e.error }

// endStarting ends a pod's process that is starting: nothing of it is left behind.
func endStarting(p *os.Process, died <-chan error) {
	_ = p.Signal(syscall.SIGTERM) // one that has ended is what is wanted
	select {
	case <-died:
	case <-time.After(stopPatience):
		_ = p.Kill()
		<-died
	}
}

// failure says why a pod did not come up, in its own words.
func (d detached) failure(err error, begin int64) error {
	path := filepath.Join(d.dir, "pod.log")
	text := readFrom(path, begin, logTail)
	if unheard := canWrite(path); unheard != nil {
		// Its last words are lost, and most likely for the reason that it died of.
		return fmt.Errorf("start pod %s: it ended at once and its log cannot be written: %w; free some space on that disk and start it again", d.name, unheard)
	}
	if text == "" {
		if err == nil {
			err = errors.New("it ended without a word")
		}
		return fmt.Errorf("start pod %s: %w", d.name, err)
	}
	// The pod's own last line is the reason; a prefix of the command adds nothing.
	return fmt.Errorf("start pod %s: %s", d.name, strings.TrimPrefix(text, "podium: "))
}

// canWrite tries to add a line to a file.
func canWrite(path string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString("\n")
	return errors.Join(err, f.Close())
}

// readFrom reads the end of a file, at most n bytes and nothing before begin.
func readFrom(path string, begin int64, n int64) string {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil {
		begin = max(begin, info.Size()-n)
	}
	b, err := io.ReadAll(io.NewSectionReader(f, begin, n))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(printable(string(b)))
}
