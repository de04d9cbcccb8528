package pod

import (
	"io/fs"

	"golang.org/x/sys/unix"
)

// zombieStat is SZOMB, the state of a process that has ended and was not
// waited for.
const zombieStat = 5

// bootTime is when the system started, in Unix seconds.
func bootTime() (float64, error) {
	tv, err := unix.SysctlTimeval("kern.boottime")
	if err != nil {
		return 0, err
	}
	return float64(tv.Sec) + float64(tv.Usec)/1e6, nil
}

func processState(pid int) (procState, error) {
	info, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil {
		return procState{}, err
	}
	if int(info.Proc.P_pid) != pid {
		return procState{}, fs.ErrNotExist
	}
	start := info.Proc.P_starttime
	return procState{
		created: float64(start.Sec) + float64(start.Usec)/1e6,
		zombie:  info.Proc.P_stat == zombieStat,
	}, nil
}
