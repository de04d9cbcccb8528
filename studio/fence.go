package studio

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// fence keeps file reads inside the folders that the configuration names.
type fence struct {
	// roots are absolute, cleaned and resolved.
	roots []string
}

// Reasons why a file is not read; texts for clients are made at the route.
var (
	errOutside = errors.New("outside the folders that may be read")
	errAccess  = errors.New("not a regular file that can be opened")
)

// Bounds of pid files.
const (
	pidFileBytes = 64
	pidFiles     = 16
)

// newFence resolves the roots once; a root that does not exist yet is kept as
// it is given.
func newFence(roots []string) *fence {
	f := &fence{}
	for _, root := range roots {
		abs, err := filepath.Abs(root)
		if err != nil {
			continue
		}
		if resolved, err := filepath.EvalSymlinks(abs); err == nil {
			abs = resolved
		}
		f.roots = append(f.roots, abs)
	}
	return f
}

// openRoot opens an artifact folder that lies in the fence. The folder itself
// is resolved before it is compared, so a link does not lead out.
func (f *fence) openRoot(dir string) (*os.Root, string, error) {
	if !filepath.IsAbs(dir) {
		return nil, "", errOutside
	}
	resolved, err := filepath.EvalSymlinks(dir)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, "", err
		}
		return nil, "", errAccess
	}
	if !slices.ContainsFunc(f.roots, func(root string) bool { return within(root, resolved) }) {
		return nil, "", errOutside
	}
	root, err := os.OpenRoot(resolved)
	if err != nil {
		return nil, "", fmt.Errorf("opening the artifact folder: %w", err)
	}
	return root, resolved, nil
}

// within reports whether path is root or lies below it; both are cleaned.
func within(root, path string) bool {
	rel, err := filepath.Rel(root, path)
	return err == nil && filepath.IsLocal(rel)
}

// openRegular opens a file below root for reading. No component may be a
// symbolic link, and only a regular file is opened; opening never waits, so a
// FIFO cannot hold the caller.
func openRegular(root *os.Root, name string) (*os.File, fs.FileInfo, error) {
	var seen fs.FileInfo
	parts := strings.Split(filepath.ToSlash(name), "/")
	for i := range parts {
		info, err := root.Lstat(filepath.Join(parts[:i+1]...))
		if err != nil {
			if errors.Is(err, fs.ErrNotExist) {
				return nil, nil, err
			}
			return nil, nil, errAccess
		}
		last := i == len(parts)-1
		if last && !info.Mode().IsRegular() || !last && !info.IsDir() {
			return nil, nil, errAccess
		}
		seen = info
	}
	file, err := root.OpenFile(filepath.Join(parts...), os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil, err
		}
		return nil, nil, errAccess
	}
	info, err := file.Stat()
	if err != nil || !info.Mode().IsRegular() || !os.SameFile(info, seen) {
		file.Close()
		return nil, nil, errAccess
	}
	return file, info, nil
}

// recordedPID finds a pid that a session left in its artifact folder: in
// session.pid, run.pid, .pid, then any other .pid file; 0 for none.
func (f *fence) recordedPID(dir string) int {
	if dir == "" {
		return 0
	}
	root, _, err := f.openRoot(dir)
	if err != nil {
		return 0
	}
	defer root.Close()
	names := []string{"session.pid", "run.pid", ".pid"}
	names = append(names, otherPIDFiles(root, names)...)
	for _, name := range names[:min(len(names), pidFiles)] {
		if pid := readPID(root, name); pid != 0 {
			return pid
		}
	}
	return 0
}

// otherPIDFiles lists further .pid files by name, looking at a bounded number
// of folder entries.
func otherPIDFiles(root *os.Root, known []string) []string {
	dir, err := root.Open(".")
	if err != nil {
		return nil
	}
	defer dir.Close()
	entries, err := dir.ReadDir(1024)
	if err != nil {
		return nil
	}
	var names []string
	for _, e := range entries {
		if name := e.Name(); strings.HasSuffix(name, ".pid") && e.Type().IsRegular() && !slices.Contains(known, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

func readPID(root *os.Root, name string) int {
	file, info, err := openRegular(root, name)
	if err != nil {
		return 0
	}
	defer file.Close()
	if info.Size() > pidFileBytes {
		return 0
	}
	text, err := io.ReadAll(io.LimitReader(file, pidFileBytes))
	if err != nil {
		return 0
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil || pid <= 0 {
		return 0
	}
	return pid
}
