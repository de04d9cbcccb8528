package tui

import "slices"

// History keeps what was sent, for the next time somebody works on the same
// project.
type History interface {
	// Load gives the inputs, oldest first.
	Load() ([]string, error)
	// Append adds one.
	Append(text string) error
}

// recallMost is how many inputs can be reached with the arrow keys, and
// recallBytes how long one may be to be kept.
const (
	recallMost  = 500
	recallBytes = 32 << 10
)

// recall goes through earlier inputs. The text that was being written when it
// began comes back at the end.
type recall struct {
	inputs []string
	// at is the input shown; len(inputs) is the draft.
	at    int
	draft editor
}

func (r *recall) load(inputs []string) {
	r.inputs = slices.Concat(inputs, r.inputs)
	if n := len(r.inputs) - recallMost; n > 0 {
		r.inputs = r.inputs[n:]
	}
	r.at = len(r.inputs)
}

// add remembers an input and reports whether it is to be kept.
func (r *recall) add(text string) bool {
	fresh := len(text) <= recallBytes && (len(r.inputs) == 0 || r.inputs[len(r.inputs)-1] != text)
	if fresh {
		r.inputs = append(r.inputs, text)
		if n := len(r.inputs) - recallMost; n > 0 {
			r.inputs = r.inputs[n:]
		}
	}
	r.at = len(r.inputs)
	return fresh
}

// move goes by steps and puts the input into e.
func (r *recall) move(by int, e *editor) {
	to := r.at + by
	if to < 0 || to > len(r.inputs) {
		return
	}
	if r.at == len(r.inputs) {
		r.draft = *e
	}
	r.at = to
	if to == len(r.inputs) {
		*e = r.draft
		return
	}
	e.set(r.inputs[to])
}
