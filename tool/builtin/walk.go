package builtin

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"podium.local/tool"
)

// maxDepth is how many folders deep a walk goes; each level holds a descriptor
// open.
const maxDepth = 256

// walk visits the regular files below a folder that the scope lets be read, in
// the order of their paths.
type walk struct {
	// file is called with a file's folder, its name and its path below the start.
	// errStop ends the walk without error.
	file func(dir *tool.Dir, name, rel string) error
	// depth limits the levels of folders, the start being the first; 0 does not.
	depth int
	// search leaves out what a search leaves out: hidden names and what ignore
	// files say.
	search bool
	// unread counts the files and folders that could not be read.
	unread int
}

var errStop = errors.New("stop")

type entry struct {
	name string
	dir  bool
}

// run walks down from d. ignored is what ignore files above d say.
func (w *walk) run(ctx context.Context, d *tool.Dir, ignored *ignores) error {
	if err := w.visit(ctx, d, "", 1, ignored); !errors.Is(err, errStop) {
		return err
	}
	return nil
}

func (w *walk) visit(ctx context.Context, d *tool.Dir, rel string, depth int, ignored *ignores) error {
	entries, err := w.entries(ctx, d)
	if err != nil {
		return err
	}
	if w.search {
		ignored = ignored.enter(d, func(name string) bool {
			return slices.ContainsFunc(entries, func(e entry) bool { return e.name == name })
		})
	}
	for _, e := range entries {
		if err := ctx.Err(); err != nil {
			return err
		}
		if w.search && (e.name[0] == '.' || ignored.match(path.Join(d.Path(), e.name), e.dir)) {
			continue
		}
		if d.Level(e.name) < tool.LevelRead {
			continue
		}
		below := path.Join(rel, e.name)
		if !e.dir {
			if err := w.file(d, e.name, below); err != nil {
				return err
			}
			continue
		}
		if w.depth > 0 && depth >= w.depth {
			continue
		}
		if err := w.descend(ctx, d, e.name, below, depth, ignored); err != nil {
			return err
		}
	}
	return nil
}

func (w *walk) descend(ctx context.Context, d *tool.Dir, name, rel string, depth int, ignored *ignores) error {
	if depth >= maxDepth {
		w.unread++
		return nil
	}
	sub, err := d.OpenDir(name)
	if err != nil {
		// A folder that vanished or became something else is no concern.
		var pe *tool.PathError
		if !errors.As(err, &pe) {
			w.unread++
		}
		return nil
	}
	defer sub.Close()
	return w.visit(ctx, sub, rel, depth+1, ignored)
}

// entries lists the folders and regular files of d in the order of their
// paths: "a.txt" comes before "a/b".
func (w *walk) entries(ctx context.Context, d *tool.Dir) ([]entry, error) {
	var es []entry
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		some, err := d.ReadNames(1024)
		for _, e := range some {
			if t := e.Type(); t.IsDir() || t.IsRegular() {
				es = append(es, entry{e.Name(), t.IsDir()})
			}
		}
		if err != nil {
			if !errors.Is(err, io.EOF) {
				w.unread++
			}
			slices.SortFunc(es, func(a, b entry) int { return strings.Compare(a.key(), b.key()) })
			return es, nil
		}
	}
}

func (e entry) key() string {
	if e.dir {
		return e.name + "/"
	}
	return e.name
}

// unreadNote says that a result may lack something.
func unreadNote(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(" (%d file(s) or folder(s) could not be read)", n)
}
