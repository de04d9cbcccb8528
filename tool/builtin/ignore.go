package builtin

import (
	"bytes"
	"io"
	"path"
	"regexp"
	"strings"

	"podium.local/tool"
)

const (
	// maxIgnoreFile is how much of an ignore file counts, in bytes.
	maxIgnoreFile = 1 << 20
	// maxIgnoreLine is the longest line that counts, in bytes: longer than any
	// path.
	maxIgnoreLine = 4096
)

// ignores is what the ignore files of a folder and of those above it say. Nil
// is a folder without any.
//
// An .ignore file anywhere above a path beats every .gitignore, a deeper file
// beats a higher one, a later line an earlier one. Rules of .gitignore and
// .git/info/exclude end at the repository's root.
type ignores struct {
	up  *ignores
	dir string
	// repository is set where .git lies.
	repository            bool
	own, git, gitFallback []ignoreRule
}

// enter adds what lies in d; has says whether d holds a name.
func (g *ignores) enter(d *tool.Dir, has func(name string) bool) *ignores {
	n := &ignores{up: g, dir: d.Path()}
	if has(".ignore") {
		n.own = readIgnoreFile(d, ".ignore")
	}
	if has(".gitignore") {
		n.git = readIgnoreFile(d, ".gitignore")
	}
	if has(".git") {
		n.repository = true
		n.gitFallback = readExclude(d)
	}
	if n.own == nil && n.git == nil && !n.repository {
		return g
	}
	return n
}

// ignoresAbove reads the ignore files of the folders above dir that s lets be
// read.
func ignoresAbove(s *tool.Scope, dir string) *ignores {
	if dir == "/" {
		return nil
	}
	up := path.Dir(dir)
	place, err := s.Readable(up)
	if err != nil {
		return nil
	}
	d, err := s.OpenDir(place)
	if err != nil {
		return nil
	}
	defer d.Close()
	return ignoresAbove(s, up).enter(d, d.Has)
}

func readIgnoreFile(d *tool.Dir, name string) []ignoreRule {
	f, err := d.OpenFile(name)
	if err != nil {
		return nil
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxIgnoreFile))
	if err != nil {
		return nil
	}
	return parseIgnore(text)
}

func readExclude(d *tool.Dir) []ignoreRule {
	git, err := d.OpenDir(".git")
	if err != nil {
		return nil
	}
	defer git.Close()
	info, err := git.OpenDir("info")
	if err != nil {
		return nil
	}
	defer info.Close()
	return readIgnoreFile(info, "exclude")
}

// match says whether an entry, by absolute path, is ignored. The folders above
// it are not judged again: a walk that got here was not kept out of them.
func (g *ignores) match(name string, dir bool) bool {
	for n := g; n != nil; n = n.up {
		if v := decide(n.own, n.rel(name), dir); v != undecided {
			return v == ignored
		}
	}
	fallback := undecided
	for n := g; n != nil; n = n.up {
		rel := n.rel(name)
		if v := decide(n.git, rel, dir); v != undecided {
			return v == ignored
		}
		if n.repository {
			fallback = decide(n.gitFallback, rel, dir)
			break
		}
	}
	return fallback == ignored
}

func (g *ignores) rel(name string) string {
	return strings.TrimPrefix(name[len(g.dir):], "/")
}

type verdict int

const (
	undecided verdict = iota
	ignored
	kept
)

// decide asks the last rule that matches rel, a path below the rules' folder.
func decide(rules []ignoreRule, rel string, dir bool) verdict {
	for i := len(rules) - 1; i >= 0; i-- {
		if r := &rules[i]; r.match(rel, dir) {
			if r.negated {
				return kept
			}
			return ignored
		}
	}
	return undecided
}

// ignoreRule is one line of an ignore file.
type ignoreRule struct {
	negated, dirOnly bool
	// anchored rules are matched against the whole path, others against the last
	// name.
	anchored bool
	// literal is the pattern when it has no wildcard, else re is it.
	literal string
	re      *regexp.Regexp
}

func (r *ignoreRule) match(rel string, dir bool) bool {
	if r.dirOnly && !dir {
		return false
	}
	if !r.anchored {
		rel = path.Base(rel)
	}
	if r.re != nil {
		return r.re.MatchString(rel)
	}
	return rel == r.literal
}

// parseIgnore reads the lines of an ignore file. As in git a line that is no
// valid pattern matches nothing.
func parseIgnore(text []byte) []ignoreRule {
	text = bytes.TrimPrefix(text, []byte("\uFEFF"))
	var rules []ignoreRule
	for line := range strings.SplitSeq(string(text), "\n") {
		if r, ok := parseIgnoreLine(line); ok {
			rules = append(rules, r)
		}
	}
	return rules
}

func parseIgnoreLine(line string) (r ignoreRule, ok bool) {
	line = strings.TrimSuffix(line, "\r")
	if strings.HasPrefix(line, "#") || len(line) > maxIgnoreLine {
		return r, false
	}
	line = trimSpaces(line)
	line, r.negated = strings.CutPrefix(line, "!")
	line, r.dirOnly = strings.CutSuffix(line, "/")
	r.anchored = strings.Contains(line, "/")
	line = strings.TrimPrefix(line, "/")
	if line == "" {
		return r, false
	}
	if !strings.ContainsAny(line, `*?[\`) {
		r.literal = line
		return r, true
	}
	expr, ok := wildmatch(line)
	if !ok {
		return r, false
	}
	re, err := regexp.Compile(expr)
	r.re = re
	return r, err == nil
}

// trimSpaces drops spaces at the end that no backslash quotes.
func trimSpaces(line string) string {
	trimmed := strings.TrimRight(line, " ")
	if trimmed == line {
		return line
	}
	quotes := len(trimmed) - len(strings.TrimRight(trimmed, `\`))
	if quotes%2 == 1 {
		return trimmed + " "
	}
	return trimmed
}
