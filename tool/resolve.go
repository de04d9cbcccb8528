package tool

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// maxLinks is how many symbolic links one path may lead through; the kernel's
// own limit.
const maxLinks = 40

// resolve follows every symbolic link of an absolute path, dangling ones too.
// From the first name that does not exist on, the remaining names are taken as
// they are.
func resolve(path string) (string, error) {
	if strings.ContainsRune(path, 0) {
		return "", &fs.PathError{Op: "resolve", Path: path, Err: syscall.EINVAL}
	}
	done := "/"
	todo := names(filepath.Clean(path))
	for links := 0; len(todo) > 0; {
		name := todo[0]
		todo = todo[1:]
		if name == ".." {
			done = filepath.Dir(done)
			continue
		}
		next := filepath.Join(done, name)
		target, err := os.Readlink(next)
		switch {
		case err == nil:
			if links++; links > maxLinks {
				return "", &fs.PathError{Op: "resolve", Path: path, Err: syscall.ELOOP}
			}
			if filepath.IsAbs(target) {
				done = "/"
			}
			todo = append(names(target), todo...)
		case errors.Is(err, syscall.EINVAL), errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
			// Not a link, or nothing there: the name stands for itself.
			done = next
		default:
			return "", err
		}
	}
	return done, nil
}

// names splits a path, dropping empty names and ".". A ".." is kept: behind a
// link it means the parent of where the link leads.
func names(path string) []string {
	var ns []string
	for n := range strings.SplitSeq(path, "/") {
		if n != "" && n != "." {
			ns = append(ns, n)
		}
	}
	return ns
}
