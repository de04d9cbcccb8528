package transcript

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// found is a session file on disk.
type found struct {
	path     string
	size     int64
	modified int64 // Unix nanoseconds
}

func foundAt(path string, info fs.FileInfo) found {
	return found{path, info.Size(), info.ModTime().UnixNano()}
}

// Trouble is a file or folder that could not be read.
type Trouble struct {
	Path string `json:"path"`
	Text string `json:"text"`
}

// tree is what a look through the folders found.
type tree struct {
	files   []found
	folders []string
	// links and packed count the files that were passed over because they are
	// symbolic links, or compressed.
	links, packed int
	stats         int // files asked for size and time
	troubles      []Trouble
}

// look walks the folders of a tool below dir. Symbolic links are not followed,
// so no loop can hold it; dir itself may be one, also to a file.
func look(ctx context.Context, tool Tool, dir string) (tree, error) {
	var t tree
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return t, fmt.Errorf("look for %s sessions: %w; name their folder", tool, plainPath(err))
	}
	if real, err = filepath.Abs(real); err != nil {
		return t, err
	}
	if info, err := os.Stat(real); err == nil && !info.IsDir() {
		switch {
		case !info.Mode().IsRegular():
			return t, fmt.Errorf("look for %s sessions in %s: it is neither a folder nor a regular file; name their folder", tool, dir)
		case compressed(real):
			t.packed++
		default:
			t.files = append(t.files, foundAt(real, info))
			t.stats++
		}
		return t, nil
	}
	folders, err := tool.folders(real)
	if err != nil {
		return t, err
	}
	for _, folder := range folders {
		err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
			if cause := context.Cause(ctx); cause != nil {
				return cause
			}
			if err != nil {
				t.trouble(path, err)
				if d != nil && d.IsDir() {
					return fs.SkipDir
				}
				return nil
			}
			t.visit(tool, path, d)
			return nil
		})
		if err != nil {
			return t, err
		}
	}
	return t, nil
}

func (t *tree) visit(tool Tool, path string, d fs.DirEntry) {
	switch {
	case d.IsDir():
		t.folders = append(t.folders, path)
	case d.Type()&fs.ModeSymlink != 0:
		if tool.session(d.Name()) {
			t.links++
		}
	case compressed(d.Name()):
		t.packed++
	case d.Type().IsRegular() && tool.session(d.Name()):
		t.stats++
		info, err := d.Info()
		if errors.Is(err, fs.ErrNotExist) {
			return // it went meanwhile
		}
		if err != nil {
			t.trouble(path, err)
			return
		}
		t.files = append(t.files, foundAt(path, info))
	}
}

// maxTroubles bounds what is told of a tree that cannot be read at all.
const maxTroubles = 100

func (t *tree) trouble(path string, err error) {
	if len(t.troubles) < maxTroubles {
		t.troubles = append(t.troubles, Trouble{path, plainPath(err).Error()})
	}
}

// plainPath is an error without the path that the message around it has.
func plainPath(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

// stemOf is a file's name without its ending.
func stemOf(path string) string { return strings.TrimSuffix(filepath.Base(path), ".jsonl") }

// subagentOf is the subagent whose file this is, empty for none: Claude Code
// names such files agent-ID.jsonl.
func subagentOf(tool Tool, path string) string {
	if id, ok := strings.CutPrefix(stemOf(path), "agent-"); ok && tool == ClaudeCode {
		return id
	}
	return ""
}
