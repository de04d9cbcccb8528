package builtin

import (
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/bmatcuk/doublestar/v4"

	"podium.local/tool"
)

const globName = "Glob"

// maxPaths is how many paths Glob shows.
const maxPaths = 1000

//go:embed glob.md
var globDescription string

var globSignature = newSignature(globName, globDescription, `{
	"type": "object",
	"properties": {
		"pattern": {"type": "string", "description": "Glob pattern, such as **/*.go"},
		"path": {"type": "string", "description": "Absolute path of the folder to look in; the working folder when left out"}
	},
	"required": ["pattern"],
	"additionalProperties": false
}`)

// glob lists files by name.
type glob struct {
	scope *tool.Scope
	dir   string
	limit int
}

func (*glob) Spec() tool.Spec { return globSignature.spec }

func (g *glob) Run(ctx context.Context, args json.RawMessage) tool.Result {
	var a struct {
		Pattern string `json:"pattern"`
		Path    string `json:"path"`
	}
	if err := globSignature.decode(args, &a); err != nil {
		return tool.InvalidArgument(err)
	}
	base, lead, pattern, err := splitGlob(a.Path, a.Pattern, g.dir)
	if err != nil {
		return tool.InvalidArgument(err)
	}
	folder := filepath.Join(base, lead)
	place, err := g.scope.Readable(folder)
	if err != nil {
		return tool.Failed(err)
	}
	d, err := g.scope.OpenDir(place)
	if missing := errors.Is(err, tool.ErrNotFound) || errors.Is(err, tool.ErrNotDirectory); missing && folder != base {
		return tool.Result{Summary: globSummary(a.Pattern, 0)}
	} else if err != nil {
		return tool.Failed(err)
	}
	defer d.Close()
	newest := newestFiles{max: maxPaths}
	w := walk{depth: globDepth(pattern), file: func(dir *tool.Dir, name, rel string) error {
		if !doublestar.MatchUnvalidated(pattern, rel) {
			return nil
		}
		if t, err := dir.ModTime(name); err == nil {
			newest.add(file{filepath.Join(dir.Path(), name), t})
		}
		return nil
	}}
	if err := w.run(ctx, d, nil); err != nil {
		return tool.ExecutionFailed(fmt.Errorf("list %s: %w", folder, err))
	}
	content := tool.NewClip(g.limit)
	for _, f := range newest.sorted() {
		content.WriteString(f.path + "\n")
	}
	return tool.Result{Summary: globSummary(a.Pattern, newest.total) + unreadNote(w.unread), Content: content.String(), Full: content.Len()}
}

// splitGlob finds the folder to walk and the pattern below it. The names that
// a pattern begins with lead into the folder, so that "src/**" does not walk
// the rest.
func splitGlob(path, pattern, cwd string) (base, lead, rest string, err error) {
	switch {
	case pattern == "" || !doublestar.ValidatePattern(pattern):
		return "", "", "", fmt.Errorf("pattern %q is not a valid glob", pattern)
	case slices.Contains(strings.Split(pattern, "/"), ".."):
		return "", "", "", errors.New("pattern must not contain ..; give the folder as path")
	case filepath.IsAbs(pattern) && path != "":
		return "", "", "", errors.New("pattern is absolute; leave out path or make the pattern relative to it")
	case filepath.IsAbs(pattern):
		base = "/"
	case path == "":
		base = cwd
	case !filepath.IsAbs(path):
		return "", "", "", &tool.PathError{Err: tool.ErrNotAbsolute, Path: path}
	default:
		base = filepath.Clean(path)
	}
	lead, rest = doublestar.SplitPattern(pattern)
	return base, lead, rest, nil
}

// globDepth is how many levels of folders a pattern can reach, 0 for no end.
func globDepth(pattern string) int {
	if strings.Contains(pattern, "**") || strings.Contains(pattern, "{") {
		return 0
	}
	return strings.Count(pattern, "/") + 1
}

func globSummary(pattern string, total int) string {
	switch {
	case total == 0:
		return "No files found matching " + pattern
	case total > maxPaths:
		return fmt.Sprintf("Found %d file(s) matching %s, the newest %d shown", total, pattern, maxPaths)
	default:
		return fmt.Sprintf("Found %d file(s) matching %s", total, pattern)
	}
}

type file struct {
	path    string
	changed time.Time
}

// newer orders files newest first, equally old ones by path.
func newer(a, b file) int {
	return cmp.Or(b.changed.Compare(a.changed), cmp.Compare(a.path, b.path))
}

// newestFiles keeps the newest max of the files added, and now and then up to
// as many again.
type newestFiles struct {
	files      []file
	max, total int
}

func (n *newestFiles) add(f file) {
	n.total++
	n.files = append(n.files, f)
	if len(n.files) == 2*n.max {
		n.sorted()
	}
}

// sorted drops all but the newest and returns them in order.
func (n *newestFiles) sorted() []file {
	slices.SortFunc(n.files, newer)
	n.files = n.files[:min(len(n.files), n.max)]
	return n.files
}
