package tool

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
)

// Level is how far file access goes; a higher level includes the lower ones.
type Level int

// The levels.
const (
	LevelNone Level = iota
	LevelRead
	LevelWrite
)

// String is the level's word: none, read or write.
func (l Level) String() string {
	switch l {
	case LevelRead:
		return "read"
	case LevelWrite:
		return "write"
	default:
		return "none"
	}
}

// ParseLevel reads the words read and write, the two a rule may name.
func ParseLevel(word string) (Level, error) {
	switch word {
	case "read":
		return LevelRead, nil
	case "write":
		return LevelWrite, nil
	default:
		return LevelNone, fmt.Errorf("unknown permission %q: use read or write", word)
	}
}

// Rule is one rule of a Scope.
type Rule struct {
	// Target is an absolute path of a folder or file, which need not exist.
	Target string
	// Level is LevelRead or LevelWrite. Allowing write includes read; denying
	// write leaves read, denying read leaves nothing.
	Level Level
	// Recursive covers Target and everything below it; otherwise Target and its
	// direct children.
	Recursive bool
}

// Scope says which files may be read and written. A path's level is the
// highest of the allow rules that cover it, capped strictly below the level of
// each deny rule that covers it. It never changes and is safe for concurrent
// use.
//
// Rules and questions are judged by real path: symbolic links are resolved
// before anything is compared, and the Dir and file handles a Scope gives out
// were reached without following one.
type Scope struct {
	allow, deny []area
}

// area is a rule with its target resolved. Besides "everything below" and
// "direct children" narrowing needs "the target alone": depth is how many
// levels below target are covered.
type area struct {
	target string
	level  Level
	depth  int
}

const unlimited = math.MaxInt

// NewScope makes a scope of at least one allow rule. Targets are resolved now;
// a link that changes later makes the scope smaller, never wider.
func NewScope(allow, deny []Rule) (*Scope, error) {
	if len(allow) == 0 {
		return nil, errors.New("scope.allow needs at least one rule")
	}
	a, err := areas("scope.allow", allow)
	if err != nil {
		return nil, err
	}
	d, err := areas("scope.deny", deny)
	if err != nil {
		return nil, err
	}
	return &Scope{allow: a, deny: d}, nil
}

func areas(key string, rules []Rule) ([]area, error) {
	var as []area
	for _, r := range rules {
		if !filepath.IsAbs(r.Target) {
			return nil, fmt.Errorf("path must be absolute (%s.target): %s", key, r.Target)
		}
		if r.Level != LevelRead && r.Level != LevelWrite {
			return nil, fmt.Errorf("%s.permission of %s must be read or write", key, r.Target)
		}
		real, err := resolve(r.Target)
		if err != nil {
			return nil, fmt.Errorf("%s.target %s: %w", key, r.Target, err)
		}
		depth := 1
		if r.Recursive {
			depth = unlimited
		}
		as = append(as, area{target: real, level: r.Level, depth: depth})
	}
	return as, nil
}

// Level is what may be done with the file that path leads to; relative paths
// and paths that cannot be resolved have none.
func (s *Scope) Level(path string) Level {
	p, err := s.locate(path)
	if err != nil {
		return LevelNone
	}
	return p.level
}

// level judges a path that is already real.
func (s *Scope) level(real string) Level {
	l := LevelNone
	for _, a := range s.allow {
		if a.level > l && a.covers(real) {
			l = a.level
		}
	}
	for _, d := range s.deny {
		if d.level <= l && d.covers(real) {
			l = d.level - 1
		}
	}
	return l
}

func (a area) covers(real string) bool {
	d, ok := below(a.target, real)
	return ok && d <= a.depth
}

// contains says whether every path that b covers is covered by a.
func (a area) contains(b area) bool {
	d, ok := below(a.target, b.target)
	return ok && (a.depth == unlimited || b.depth != unlimited && d+b.depth <= a.depth)
}

// below counts the names from dir down to path; ok is false when path is not
// dir or below it. Both are clean and absolute.
func below(dir, path string) (depth int, ok bool) {
	if path == dir {
		return 0, true
	}
	if dir != "/" {
		rest, found := strings.CutPrefix(path, dir)
		if !found || rest[0] != '/' {
			return 0, false
		}
		path = rest
	}
	return strings.Count(path, "/"), true
}

// Summary is the scope as a person and the model read it: every allow target,
// then those that may be written. Deny rules are not shown.
func (s *Scope) Summary() string {
	var b strings.Builder
	b.WriteString("Readable:")
	s.list(&b, LevelRead)
	b.WriteString("\nWritable:")
	s.list(&b, LevelWrite)
	return b.String()
}

func (s *Scope) list(b *strings.Builder, atLeast Level) {
	for _, a := range s.allow {
		if a.level < atLeast {
			continue
		}
		b.WriteString("\n  - " + a.target)
		if a.depth != unlimited {
			b.WriteString(" [non-recursive]")
		}
	}
}

// Narrow is what both scopes allow: the level of every path is the lower of
// its two levels. The result may allow nothing at all.
func (s *Scope) Narrow(other *Scope) *Scope {
	n := &Scope{deny: slices.Concat(s.deny, other.deny)}
	for _, a := range s.allow {
		for _, b := range other.allow {
			if c, ok := a.intersect(b); ok {
				n.allow = append(n.allow, c)
			}
		}
	}
	n.allow = withoutRedundant(n.allow)
	return n
}

// intersect keeps the deeper target with what both depths leave of it.
func (a area) intersect(b area) (area, bool) {
	if _, ok := below(a.target, b.target); !ok {
		a, b = b, a
	}
	d, ok := below(a.target, b.target)
	if !ok || d > a.depth {
		return area{}, false
	}
	depth := b.depth
	if a.depth != unlimited {
		depth = min(depth, a.depth-d)
	}
	return area{target: b.target, level: min(a.level, b.level), depth: depth}, true
}

// withoutRedundant drops areas that another one contains at no lower level.
func withoutRedundant(as []area) []area {
	var kept []area
	for i, a := range as {
		redundant := slices.ContainsFunc(kept, func(k area) bool { return k.level >= a.level && k.contains(a) }) ||
			slices.ContainsFunc(as[i+1:], func(k area) bool { return k != a && k.level >= a.level && k.contains(a) })
		if !redundant {
			kept = append(kept, a)
		}
	}
	return kept
}
