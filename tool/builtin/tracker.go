package builtin

import (
	"crypto/sha256"
	"slices"
	"sync"
)

// recentPaths is how many touched files a Tracker remembers in order.
const recentPaths = 20

// Tracker remembers which files the model has seen, and as what: a file may be
// changed only when its bytes are still those. It also knows the files touched
// last. Paths are real ones. It is safe for concurrent use and starts empty
// with each process.
type Tracker struct {
	// files is held for reading while a file is read and noted, for writing from
	// the check of a file to the note of its new content, so that calls running
	// side by side change a file one after the other. Taken before mu.
	files sync.RWMutex

	mu     sync.Mutex
	seen   map[string]sum
	recent []string // oldest first
}

type sum [sha256.Size]byte

func newTracker() *Tracker { return &Tracker{seen: map[string]sum{}} }

// Recent lists the files that Read, Write and Edit touched last, newest first,
// at most 20.
func (t *Tracker) Recent() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	r := slices.Clone(t.recent)
	slices.Reverse(r)
	return r
}

// note records what a file holds now, as far as the model knows.
func (t *Tracker) note(path string, s sum) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.seen[path] = s
	t.recent = slices.DeleteFunc(t.recent, func(p string) bool { return p == path })
	t.recent = append(t.recent, path)
	if len(t.recent) > recentPaths {
		t.recent = slices.Delete(t.recent, 0, 1)
	}
}

// last is what the model saw of a file.
func (t *Tracker) last(path string) (sum, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	s, ok := t.seen[path]
	return s, ok
}
