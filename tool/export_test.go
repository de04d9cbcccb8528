package tool

import (
	"path/filepath"
	"slices"
)

// Covers says whether other allows nothing that s does not: for every path
// there is, the level in other is at most the level in s.
func (s *Scope) Covers(other *Scope) bool {
	for _, p := range samples(s, other) {
		if other.level(p) > s.level(p) {
			return false
		}
	}
	return true
}

// samples holds one path of every kind that rules can tell apart. Rules see
// only which targets are above a path and how far, and count no further than
// two; so every name on the way to a target, and fresh names one and two levels
// below each, stand for all paths.
func samples(scopes ...*Scope) []string {
	nodes := map[string]bool{}
	for _, s := range scopes {
		for _, a := range slices.Concat(s.allow, s.deny) {
			for p := a.target; !nodes[p]; p = filepath.Dir(p) {
				nodes[p] = true
			}
		}
	}
	var paths []string
	// No file can have a name with a NUL byte, so none is a target.
	const fresh = "\x00"
	for p := range nodes {
		paths = append(paths, p, filepath.Join(p, fresh), filepath.Join(p, fresh, fresh))
	}
	return paths
}
