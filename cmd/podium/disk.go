package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"podium.local/config"
)

// Free bytes of a file system: with less than spaceNeeded a pod cannot save
// what it does, with less than spaceWanted it soon may not.
const (
	spaceNeeded = 16 << 20
	spaceWanted = 256 << 20
)

// freeSpace is how many bytes this user may still write where path lies, or
// will lie; 0 also when no further file can be made there. at is the file
// system it speaks of.
func freeSpace(path string) (bytes int64, at syscall.Fsid, err error) {
	var st syscall.Statfs_t
	for {
		err = syscall.Statfs(path, &st)
		parent := filepath.Dir(path)
		if !errors.Is(err, fs.ErrNotExist) || parent == path {
			break
		}
		path = parent
	}
	if err != nil {
		return 0, at, &os.PathError{Op: "look at the file system of", Path: path, Err: err}
	}
	if st.Files > 0 && st.Ffree == 0 {
		return 0, st.Fsid, nil
	}
	return int64(st.Bavail) * int64(st.Bsize), st.Fsid, nil
}

// disks says how much room is left where the pods write.
func (d *doctor) disks(paths config.Paths, storePath string) {
	seen := map[syscall.Fsid]bool{}
	places := []string{paths.Data, paths.Run}
	if storePath != "" {
		places = append(places, filepath.Dir(storePath))
	}
	for _, path := range places {
		free, at, err := freeSpace(path)
		if err != nil {
			d.warn("disk", "", "%v", err)
			continue
		}
		if !seen[at] || at == (syscall.Fsid{}) { // some tell no identity
			d.disk(path, free)
		}
		seen[at] = true
	}
}

func (d *doctor) disk(path string, free int64) {
	const next = "free some space on that disk, or put everything on another one with PODIUM_HOME"
	switch {
	case free < spaceNeeded:
		d.fail("disk", next, "%s free where %s lies: inputs and answers cannot be saved with less than %s", byteCount(free), path, byteCount(spaceNeeded))
	case free < spaceWanted:
		d.warn("disk", next, "%s free where %s lies: runs fail when nothing is left", byteCount(free), path)
	default:
		d.ok("disk", "%s free where %s lies", byteCount(free), path)
	}
}
