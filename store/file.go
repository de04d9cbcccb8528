package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// fileID tells one file from another that took its name.
type fileID struct{ device, inode uint64 }

// checkFile refuses to open what must not be opened and returns which file it
// looked at. Nothing is opened: a FIFO would block, a device might act.
func checkFile(path string) (fileID, error) {
	if strings.ContainsRune(path, 0) {
		return fileID{}, fmt.Errorf("%w: its path contains a zero byte", ErrUnsafe)
	}
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fileID{}, ErrAbsent
	case err != nil:
		return fileID{}, fmt.Errorf("%w: %w", ErrUnsafe, plainErrno(err))
	}
	switch mode := info.Mode(); {
	case mode.IsRegular():
	case mode&fs.ModeSymlink != 0:
		return fileID{}, fmt.Errorf("%w: it is a symbolic link; name the file it points to", ErrUnsafe)
	case mode.IsDir():
		return fileID{}, fmt.Errorf("%w: it is a folder; name a file in it", ErrUnsafe)
	default:
		return fileID{}, fmt.Errorf("%w: it is not a regular file but a %s", ErrUnsafe, nameOfType(mode))
	}
	if err := checkOwner(info); err != nil {
		return fileID{}, err
	}
	return identify(info), nil
}

func nameOfType(mode fs.FileMode) string {
	switch {
	case mode&fs.ModeNamedPipe != 0:
		return "named pipe"
	case mode&fs.ModeSocket != 0:
		return "socket"
	case mode&fs.ModeDevice != 0:
		return "device"
	default:
		return "special file"
	}
}

// plainErrno drops the path, which the caller has said already.
func plainErrno(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}

// absolute is the path under which the store is opened: the name the user
// gave, with the links in its folders followed but never the last one.
func absolute(path string) (string, error) {
	if path == "" {
		return "", fmt.Errorf("%w: its path is empty", ErrUnsafe)
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	dir, err := filepath.EvalSymlinks(filepath.Dir(abs))
	if errors.Is(err, fs.ErrNotExist) {
		return abs, nil
	}
	if err != nil {
		return "", fmt.Errorf("%w: its folder: %w", ErrUnsafe, plainErrno(err))
	}
	return filepath.Join(dir, filepath.Base(abs)), nil
}
