package pod

import (
	"runtime"
	"runtime/debug"
	"time"
)

// After this long without large lines and ends of runs a pod gives memory back
// to the system, if it holds more than trimAbove bytes. An idle one needs about
// 10 MB; without this what one large input took would stay for minutes.
const (
	trimWait  = time.Second
	trimAbove = 24 << 20
)

// newTrimmer gives a timer that trims each time it runs out; it does not run yet.
func newTrimmer() *time.Timer {
	t := time.AfterFunc(time.Hour, trim)
	t.Stop()
	return t
}

// trimSoon is called when something that may have been large is over.
func (p *Pod) trimSoon() { p.trimmer.Reset(trimWait) }

func trim() {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	if m.HeapSys-m.HeapReleased > trimAbove {
		debug.FreeOSMemory()
	}
}
