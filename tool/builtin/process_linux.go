package builtin

import (
	"bytes"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

func processAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
}

// Strays lists the processes that commands of a pod left running, by the tag
// in their environment; only those that we may look into. On systems without
// /proc there is no telling.
func Strays(pod string) []int { return leftOf(0, podVariable+"="+pod) }

// leftOf lists the living processes of a session, and those with the tag, if
// one is given, in their environment.
func leftOf(session int, tag string) []int {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return nil
	}
	var pids []int
	for _, name := range names {
		if pid, err := strconv.Atoi(name); err == nil && pid != os.Getpid() && belongs(pid, session, tag) {
			pids = append(pids, pid)
		}
	}
	slices.Sort(pids)
	return pids
}

func belongs(pid, session int, tag string) bool {
	proc := "/proc/" + strconv.Itoa(pid)
	stat, err := os.ReadFile(proc + "/stat")
	if err != nil {
		return false
	}
	// The name in parentheses may hold anything; behind it come state, parent,
	// process group and session.
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	if len(fields) < 4 || fields[0] == "Z" || fields[0] == "X" {
		return false
	}
	if session != 0 && fields[3] == strconv.Itoa(session) {
		return true
	}
	if tag == "" {
		return false
	}
	env, err := os.ReadFile(proc + "/environ")
	return err == nil && slices.Contains(strings.Split(string(env), "\x00"), tag)
}

// signalLeft signals a process that leftOf named. The process is held fast
// first and then asked again whether it belongs, so that a number that has
// changed hands is never hit.
func signalLeft(pid, session int, tag string, sig syscall.Signal) {
	p, err := os.FindProcess(pid)
	if err != nil {
		return
	}
	defer p.Release()
	if belongs(pid, session, tag) {
		_ = p.Signal(sig) // gone is as good
	}
}
