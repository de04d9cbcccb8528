package builtin

import (
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// EndStrays ends the processes that commands of an earlier process of a pod
// left running, by the tag in their environment: it asks them first, then
// kills, and says how many there were. On systems without /proc it finds none.
//
// ended reports that no process of that pod runs. It is asked each time after
// the processes were listed and before any of them is told: one that was there
// while the pod was not is nobody's any more, whoever takes the pod up
// meanwhile.
func EndStrays(pod string, ended func() bool) int {
	if os.Getenv(podVariable) == pod {
		return 0 // we are one of them
	}
	all := map[int]bool{}
	for _, round := range []struct {
		signal unix.Signal
		wait   time.Duration
	}{{unix.SIGTERM, grace}, {unix.SIGKILL, killWait}} {
		told := map[int]bool{}
		for deadline := time.Now().Add(round.wait); time.Now().Before(deadline); time.Sleep(pollInterval) {
			left := Strays(pod)
			if len(left) == 0 || !ended() {
				return len(all)
			}
			for _, pid := range left {
				if !told[pid] {
					told[pid], all[pid] = true, true
					signalLeft(pid, 0, podVariable+"="+pod, round.signal)
				}
			}
		}
	}
	return len(all)
}
