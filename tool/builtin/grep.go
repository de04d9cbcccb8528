package builtin

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"podium.local/tool"
)

const grepName = "Grep"

//go:embed grep.md
var grepDescription string

var grepSignature = newSignature(grepName, grepDescription, `{
	"type": "object",
	"properties": {
		"pattern": {"type": "string", "description": "Regular expression (RE2)"},
		"path": {"type": "string", "description": "Absolute path of the folder or file to search; the working folder when left out"},
		"glob": {"type": "string", "description": "Search only files that match, such as *.ts or !*_test.go"},
		"type": {"type": "string", "description": "Search only files of this kind, such as go, py, js, rust"},
		"output_mode": {"type": "string", "enum": ["files_with_matches", "content", "count"], "default": "files_with_matches"},
		"-n": {"type": "boolean", "default": true, "description": "Number the lines (content mode)"},
		"-i": {"type": "boolean", "default": false, "description": "Ignore case"},
		"-A": {"type": "integer", "minimum": 0, "maximum": 1000, "description": "Lines to show after each match (content mode)"},
		"-B": {"type": "integer", "minimum": 0, "maximum": 1000, "description": "Lines to show before each match (content mode)"},
		"-C": {"type": "integer", "minimum": 0, "maximum": 1000, "description": "Lines to show on both sides, where -A or -B says nothing else"},
		"multiline": {"type": "boolean", "default": false, "description": "Let the expression span lines"},
		"head_limit": {"type": "integer", "minimum": 1, "default": 250, "description": "Entries to return at most"},
		"offset": {"type": "integer", "minimum": 0, "default": 0, "description": "Entries to skip first"}
	},
	"required": ["pattern"],
	"additionalProperties": false
}`)

// grep searches what files contain.
type grep struct {
	scope *tool.Scope
	dir   string
	limit int
}

type grepArgs struct {
	Pattern   string `json:"pattern"`
	Path      string `json:"path"`
	Glob      string `json:"glob"`
	Type      string `json:"type"`
	Mode      string `json:"output_mode"`
	Numbers   bool   `json:"-n"`
	FoldCase  bool   `json:"-i"`
	After     *int   `json:"-A"`
	Before    *int   `json:"-B"`
	Context   int    `json:"-C"`
	Multiline bool   `json:"multiline"`
	HeadLimit int    `json:"head_limit"`
	Offset    int    `json:"offset"`
}

// The output modes.
const (
	modeFiles   = "files_with_matches"
	modeContent = "content"
	modeCount   = "count"
)

func (*grep) Spec() tool.Spec { return grepSignature.spec }

func (g *grep) Run(ctx context.Context, args json.RawMessage) tool.Result {
	a := grepArgs{Mode: modeFiles, Numbers: true, HeadLimit: 250}
	if err := grepSignature.decode(args, &a); err != nil {
		return tool.InvalidArgument(err)
	}
	if a.Path == "" {
		a.Path = g.dir
	}
	re, err := a.regexp()
	if err != nil {
		return tool.InvalidArgument(err)
	}
	wanted, err := a.filter()
	if err != nil {
		return tool.InvalidArgument(err)
	}
	place, err := g.scope.Readable(a.Path)
	if err != nil {
		return tool.Failed(err)
	}
	out := newFindings(a, tool.NewClip(g.limit))
	s := newSearch(ctx, re, a.Multiline, out)
	if err := g.search(ctx, place, s, wanted); err != nil && !errors.Is(err, errStop) {
		return tool.Failed(err)
	}
	return tool.Result{Summary: out.summary() + s.notes(), Content: out.text.String(), Full: out.text.Len()}
}

// search goes through the file or folder asked for. Filters and ignore files
// are for what a folder holds, not for a file that was named.
func (g *grep) search(ctx context.Context, place tool.Place, s *search, wanted func(rel string) bool) error {
	f, err := g.scope.OpenFile(place)
	if err == nil {
		defer f.Close()
		s.named = true
		return s.file(f, place.Real())
	} else if !errors.Is(err, tool.ErrDirectory) {
		return err
	}
	d, err := g.scope.OpenDir(place)
	if err != nil {
		return err
	}
	defer d.Close()
	w := walk{search: true, file: func(dir *tool.Dir, name, rel string) error {
		if !wanted(rel) {
			return nil
		}
		f, err := dir.OpenFile(name)
		if err != nil {
			return s.failed(err)
		}
		defer f.Close()
		return s.file(f, filepath.Join(dir.Path(), name))
	}}
	err = w.run(ctx, d, ignoresAbove(g.scope, place.Real()))
	s.unread += w.unread
	if err != nil {
		return fmt.Errorf("search %s: %w", place, err)
	}
	return nil
}

// regexp compiles the pattern so that ^ and $ are the ends of a line.
func (a grepArgs) regexp() (*regexp.Regexp, error) {
	flags := "(?m)"
	if a.Multiline {
		flags = "(?ms)"
	}
	if a.FoldCase {
		flags += "(?i)"
	}
	if _, err := regexp.Compile(a.Pattern); err != nil {
		return nil, fmt.Errorf("pattern is not a regular expression that RE2 knows: %s",
			strings.TrimPrefix(err.Error(), "error parsing regexp: "))
	}
	return regexp.Compile(flags + a.Pattern)
}

// filter makes one question of glob and type.
func (a grepArgs) filter() (func(rel string) bool, error) {
	pattern, leaveOut := strings.CutPrefix(a.Glob, "!")
	if !doublestar.ValidatePattern(pattern) {
		return nil, fmt.Errorf("glob %q is not valid", a.Glob)
	}
	names, ok := fileTypes[a.Type]
	if a.Type != "" && !ok {
		return nil, fmt.Errorf("unknown type %q; known are %s", a.Type, strings.Join(slices.Sorted(maps.Keys(fileTypes)), ", "))
	}
	anywhere := !strings.Contains(pattern, "/")
	pattern = strings.TrimPrefix(pattern, "/")
	return func(rel string) bool {
		base := path.Base(rel)
		if names != nil && !slices.ContainsFunc(names, func(n string) bool { return doublestar.MatchUnvalidated(n, base) }) {
			return false
		}
		if pattern == "" {
			return true
		}
		name := rel
		if anywhere {
			name = base
		}
		return doublestar.MatchUnvalidated(pattern, name) != leaveOut
	}, nil
}
