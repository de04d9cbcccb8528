//go:build unix && !linux

package builtin

import (
	"syscall"

	"golang.org/x/sys/unix"
)

func processAttr() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// Strays lists the processes that commands of a pod left running, by the tag
// in their environment; only those that we may look into. On systems without
// /proc there is no telling.
func Strays(string) []int { return nil }

// leftOf stands for the process group that the session's leader began with, by
// its negative number, while anybody is in it.
func leftOf(session int, _ string) []int {
	if unix.Kill(-session, 0) != nil {
		return nil
	}
	return []int{-session}
}

func signalLeft(pid, _ int, _ string, sig syscall.Signal) { _ = unix.Kill(pid, sig) }
