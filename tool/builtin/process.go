package builtin

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

const (
	// grace is what processes get between SIGTERM and SIGKILL.
	grace = time.Second
	// killWait is how long we wait for the system to carry SIGKILL out.
	killWait = 2 * time.Second
	// pollInterval is how often we look whether they are gone.
	pollInterval = 10 * time.Millisecond
	// lastOutput is how much we take, in bytes, of what is still in the pipe when
	// the command is over: more than a pipe holds.
	lastOutput = 1 << 20
)

// process is a command with all it started: a session of its own, so that it
// has no terminal and its processes can be told from others.
type process struct {
	cmd *exec.Cmd
	// tag is a variable in the environment of everything it started.
	tag string
	// exited is closed when the command itself has ended and is reaped.
	exited chan struct{}
	pipe   *os.File
	// drained is closed when no more output will be taken.
	drained chan struct{}
}

// start runs a command whose standard output and error go to out, in the order
// they are written.
func start(dir string, argv, env []string, tag string, out io.Writer) (*process, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	p := &process{cmd: exec.Command(argv[0], argv[1:]...), tag: tag, pipe: r,
		exited: make(chan struct{}), drained: make(chan struct{})}
	p.cmd.Dir, p.cmd.Env = dir, env
	p.cmd.Stdout, p.cmd.Stderr = w, w
	p.cmd.SysProcAttr = processAttr()
	started := make(chan error)
	go func() {
		// The command is to die when we do, and Linux takes the thread that started
		// it for us: it has to live as long as the command.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := p.cmd.Start()
		started <- err
		if err == nil {
			_ = p.cmd.Wait() // the state says it all
			close(p.exited)
		}
	}()
	err = <-started
	w.Close()
	if err != nil {
		r.Close()
		return nil, err
	}
	go p.copy(out)
	return p, nil
}

// copy takes the output until it ends or finish is called. A process that got
// away may hold the pipe open for ever: the end of the pipe is not waited for
// then, but what is already in it is taken.
func (p *process) copy(out io.Writer) {
	defer close(p.drained)
	buf := make([]byte, 32<<10)
	for {
		n, err := p.pipe.Read(buf)
		out.Write(buf[:n])
		if errors.Is(err, os.ErrDeadlineExceeded) {
			break
		} else if err != nil {
			return
		}
	}
	raw, err := p.pipe.SyscallConn()
	if err != nil || p.pipe.SetReadDeadline(time.Time{}) != nil {
		return
	}
	for taken := 0; taken < lastOutput; {
		n := 0
		err := raw.Read(func(fd uintptr) bool {
			n, _ = unix.Read(int(fd), buf)
			return true
		})
		if err != nil || n <= 0 {
			return
		}
		out.Write(buf[:n])
		taken += n
	}
}

// finish takes what output is left. Nothing is written to out after it.
func (p *process) finish() {
	_ = p.pipe.SetReadDeadline(time.Now())
	<-p.drained
	p.pipe.Close()
}

// outcome tells how the command ended; failed is false for exit code 0 only.
func (p *process) outcome() (text string, failed bool) {
	state := p.cmd.ProcessState
	if ws, ok := state.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return fmt.Sprintf("Killed by signal: %s", ws.Signal()), true
	}
	return fmt.Sprintf("Exit code %d", state.ExitCode()), !state.Success()
}

// end ends what is left of the command, first asking, then not, and says how
// many processes that were. With tagged it includes those that left the
// session. It returns when they are gone, or when they could not be made to go.
func (p *process) end(tagged bool) int {
	tag := ""
	if tagged {
		tag = p.tag
	}
	ended := map[int]bool{}
	if !p.tell(unix.SIGTERM, grace, tag, ended) {
		p.tell(unix.SIGKILL, killWait, tag, ended)
	}
	return len(ended)
}

// tell sends a signal to each process that is left, once, and waits for all of
// them to go. Processes may come up while it looks, so it looks again.
func (p *process) tell(signal syscall.Signal, wait time.Duration, tag string, ended map[int]bool) (gone bool) {
	session := p.cmd.Process.Pid
	told := map[int]bool{}
	for deadline := time.Now().Add(wait); time.Now().Before(deadline); time.Sleep(pollInterval) {
		left := leftOf(session, tag)
		if len(left) == 0 {
			select {
			case <-p.exited:
				return true
			default:
				// About to be reaped, or hidden from us: its group is not.
				_ = unix.Kill(-session, signal)
			}
		}
		for _, pid := range left {
			if !told[pid] {
				told[pid], ended[pid] = true, true
				signalLeft(pid, session, tag, signal)
			}
		}
	}
	return false
}
