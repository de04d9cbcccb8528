package pod

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"syscall"

	"podium.local/session"
)

// Tolerances, in seconds, within which two measurements are the same time.
const (
	sameBoot  = 5
	sameStart = 1
)

// ThisProcess identifies the running process well enough that a later one
// with the same pid is not taken for it.
func ThisProcess() (session.Process, error) {
	return identify(os.Getpid())
}

func identify(pid int) (session.Process, error) {
	host, err := os.Hostname()
	if err != nil {
		return session.Process{}, fmt.Errorf("identify process %d: %w", pid, err)
	}
	boot, err := bootTime()
	if err != nil {
		return session.Process{}, fmt.Errorf("identify process %d: %w", pid, err)
	}
	st, err := processState(pid)
	if err != nil {
		return session.Process{}, fmt.Errorf("identify process %d: %w", pid, err)
	}
	return session.Process{PID: pid, CreateTime: st.created, BootTime: boot, Host: host}, nil
}

// Liveness says whether a process still runs.
type Liveness string

// The answers: Unknown is for processes of other machines and for those this
// one cannot look at.
const (
	Alive   Liveness = "alive"
	Dead    Liveness = "dead"
	Unknown Liveness = "unknown"
)

// Probe reports whether the process that was identified as p still runs.
func Probe(p session.Process) Liveness {
	host, err := os.Hostname()
	if p.PID <= 0 || err != nil || p.Host != "" && p.Host != host {
		return Unknown
	}
	if boot, err := bootTime(); err == nil && p.BootTime != 0 && math.Abs(boot-p.BootTime) > sameBoot {
		return Dead
	}
	if err := syscall.Kill(p.PID, 0); errors.Is(err, syscall.ESRCH) {
		return Dead
	}
	st, err := processState(p.PID)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Dead
	case err != nil:
		return Unknown
	case st.zombie:
		return Dead
	case p.CreateTime != 0 && math.Abs(st.created-p.CreateTime) > sameStart:
		return Dead
	}
	return Alive
}

// procState is what the system says of a process; created is in Unix seconds.
type procState struct {
	created float64
	zombie  bool
}
