package studio

import (
	"strconv"
	"strings"
)

// Bounds of what a reconnecting client may have missed.
const (
	ringEvents = 1024
	ringBytes  = 16 << 20
)

// maxEventID is the longest id that is looked at.
const maxEventID = 64

// ring holds the newest events of the fleet, numbered from 1 in the life of a
// daemon.
type ring struct {
	start  string // the daemon's
	events [][]byte
	bytes  int
	last   uint64 // the number of the newest event, 0 for none
}

// add numbers an event and gives up the oldest where there are too many.
func (r *ring) add(data []byte) (id string) {
	r.last++
	r.events = append(r.events, data)
	r.bytes += len(data)
	for len(r.events) > ringEvents || r.bytes > ringBytes && len(r.events) > 1 {
		r.bytes -= len(r.events[0])
		r.events[0] = nil
		r.events = r.events[1:]
	}
	return r.id(r.last)
}

// id is the id of event n; 0 is the state before the first.
func (r *ring) id(n uint64) string { return r.start + "." + strconv.FormatUint(n, 10) }

// after are the events behind id, with the number of the first. ok is false for
// an id of another daemon, of an event that was given up, and for what is no id.
func (r *ring) after(id string) (first uint64, events [][]byte, ok bool) {
	if len(id) > maxEventID {
		return 0, nil, false
	}
	start, text, found := strings.Cut(id, ".")
	if !found || start != r.start {
		return 0, nil, false
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil || r.id(n) != id || n > r.last {
		return 0, nil, false
	}
	oldest := r.last - uint64(len(r.events)) // the number before the first that is kept
	if n < oldest {
		return 0, nil, false
	}
	return n + 1, append([][]byte(nil), r.events[n-oldest:]...), true
}
