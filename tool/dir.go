package tool

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Place is where a path leads; Readable and Writable make it.
type Place struct {
	given, real string
	level       Level
}

// Real is the path with every symbolic link resolved.
func (p Place) Real() string { return p.real }

// String is the path as it was asked for.
func (p Place) String() string { return p.given }

// Readable resolves a path that is to be read. The error is a *PathError
// (ErrNotAbsolute, ErrOutside) or what resolving gave.
func (s *Scope) Readable(path string) (Place, error) {
	p, err := s.locate(path)
	if err == nil {
		err = p.level.allows(LevelRead, path)
	}
	return p, err
}

// Writable resolves a path that is to be written. The error is a *PathError
// (ErrNotAbsolute, ErrOutside, ErrReadOnly) or what resolving gave.
func (s *Scope) Writable(path string) (Place, error) {
	p, err := s.locate(path)
	if err == nil {
		err = p.level.allows(LevelWrite, path)
	}
	return p, err
}

// allows is nil when l is enough, else the rule that a path of level l breaks.
func (l Level) allows(need Level, path string) error {
	switch {
	case l >= need:
		return nil
	case l == LevelNone:
		return &PathError{ErrOutside, path}
	default:
		return &PathError{ErrReadOnly, path}
	}
}

func (s *Scope) locate(path string) (Place, error) {
	if !filepath.IsAbs(path) {
		return Place{}, &PathError{ErrNotAbsolute, path}
	}
	real, err := resolve(path)
	if err != nil {
		return Place{}, err
	}
	return Place{given: path, real: real, level: s.level(real)}, nil
}

// Dir is an open folder. It was reached from an allowed target down without
// following a symbolic link, and so is what it opens, whatever is moved around
// on the disk meanwhile; each name is judged by the scope again. Close it.
type Dir struct {
	scope *Scope
	path  string
	f     *os.File
}

// OpenDir opens a folder that Readable or Writable returned. The error is a
// *PathError (ErrNotFound, ErrNotDirectory, ErrOutside) or the system's.
func (s *Scope) OpenDir(p Place) (*Dir, error) {
	if err := s.level(p.real).allows(LevelRead, p.given); err != nil {
		return nil, err
	}
	d, err := s.open(p.real, false)
	return d, asked(err, p.given)
}

// OpenFile opens a regular file that Readable or Writable returned, for
// reading. The error is a *PathError (ErrNotFound, ErrDirectory, ErrNotRegular,
// ErrOutside) or the system's. It never waits for a FIFO or device.
func (s *Scope) OpenFile(p Place) (*os.File, error) {
	d, err := s.OpenParent(p)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	f, err := d.OpenFile(filepath.Base(p.real))
	return f, asked(err, p.given)
}

// OpenParent opens the folder that holds a file. The error is as OpenFile's.
func (s *Scope) OpenParent(p Place) (*Dir, error) {
	d, err := s.open(filepath.Dir(p.real), false)
	if errors.Is(err, ErrNotDirectory) {
		err = &PathError{ErrNotFound, p.given}
	}
	return d, asked(err, p.given)
}

// MakeParent is OpenParent that makes the folders that are missing. A rule's
// error names the folder at fault.
func (s *Scope) MakeParent(p Place) (*Dir, error) {
	return s.open(filepath.Dir(p.real), true)
}

// asked puts the path as it was asked for into a rule's error.
func asked(err error, given string) error {
	var pe *PathError
	if errors.As(err, &pe) {
		return &PathError{pe.Err, given}
	}
	return err
}

// open walks from the outermost allowed target above real down to it. What
// lies above that target is outside the scope, so nobody confined to the scope
// can put a link there.
func (s *Scope) open(real string, create bool) (*Dir, error) {
	anchor := real
	for _, a := range s.allow {
		if _, ok := below(a.target, real); ok && len(a.target) < len(anchor) {
			anchor = a.target
		}
	}
	d, err := s.dirAt(unix.AT_FDCWD, anchor, anchor, create)
	if err != nil {
		return nil, err
	}
	for _, name := range names(real[len(anchor):]) {
		sub, err := s.dirAt(int(d.f.Fd()), name, filepath.Join(d.path, name), create)
		d.Close()
		if err != nil {
			return nil, err
		}
		d = sub
	}
	return d, nil
}

// dirAt opens one folder; when it is missing and create is set, it makes it if
// the scope lets it.
func (s *Scope) dirAt(at int, name, path string, create bool) (*Dir, error) {
	const flags = unix.O_RDONLY | unix.O_DIRECTORY
	fd, err := openat(at, name, flags)
	if errors.Is(err, unix.ENOENT) && create {
		if err := s.level(path).allows(LevelWrite, path); err != nil {
			return nil, err
		}
		if err := unix.Mkdirat(at, name, 0o777); err != nil && !errors.Is(err, unix.EEXIST) {
			return nil, &fs.PathError{Op: "mkdir", Path: path, Err: err}
		}
		fd, err = openat(at, name, flags)
	}
	switch {
	case err == nil:
		return &Dir{scope: s, path: path, f: os.NewFile(uintptr(fd), path)}, nil
	case errors.Is(err, unix.ENOTDIR) && isLink(at, name):
		// There was no link when the path was resolved.
		return nil, &PathError{ErrOutside, path}
	case errors.Is(err, unix.ENOTDIR):
		return nil, &PathError{ErrNotDirectory, path}
	default:
		return nil, fileError(err, path)
	}
}

// Close ends the use of the folder.
func (d *Dir) Close() error { return d.f.Close() }

// Path is the folder's real path.
func (d *Dir) Path() string { return d.path }

// ReadNames returns the next at most n entries, in the order of the file
// system, and io.EOF at the end, as os.File.ReadDir.
func (d *Dir) ReadNames(n int) ([]fs.DirEntry, error) { return d.f.ReadDir(n) }

// OpenDir opens a folder in d for reading.
func (d *Dir) OpenDir(name string) (*Dir, error) {
	path := filepath.Join(d.path, name)
	if err := d.scope.level(path).allows(LevelRead, path); err != nil {
		return nil, err
	}
	return d.scope.dirAt(int(d.f.Fd()), name, path, false)
}

// Has says whether there is anything in d by that name.
func (d *Dir) Has(name string) bool {
	var st unix.Stat_t
	return unix.Fstatat(int(d.f.Fd()), name, &st, unix.AT_SYMLINK_NOFOLLOW) == nil
}

// ModTime is when a name in d was last changed, links not followed.
func (d *Dir) ModTime(name string) (time.Time, error) {
	var st unix.Stat_t
	if err := unix.Fstatat(int(d.f.Fd()), name, &st, unix.AT_SYMLINK_NOFOLLOW); err != nil {
		return time.Time{}, fileError(err, filepath.Join(d.path, name))
	}
	return time.Unix(st.Mtim.Unix()), nil
}

// Level is what may be done with a name in d.
func (d *Dir) Level(name string) Level { return d.scope.level(filepath.Join(d.path, name)) }

// OpenFile opens a regular file in d for reading.
func (d *Dir) OpenFile(name string) (*os.File, error) {
	return d.openRegular(name, unix.O_RDONLY, LevelRead)
}

// OpenUpdate opens a regular file in d for reading, with proof that it may be
// written too.
func (d *Dir) OpenUpdate(name string) (*os.File, error) {
	return d.openRegular(name, unix.O_RDWR, LevelWrite)
}

func (d *Dir) openRegular(name string, flags int, need Level) (*os.File, error) {
	path := filepath.Join(d.path, name)
	if err := d.scope.level(path).allows(need, path); err != nil {
		return nil, err
	}
	at := int(d.f.Fd())
	// Asked before opening, because opening a device can act on it, and after,
	// because the name can change hands in between; O_NONBLOCK keeps a FIFO that
	// slipped in from holding us.
	var st unix.Stat_t
	if err := unix.Fstatat(at, name, &st, unix.AT_SYMLINK_NOFOLLOW); err != nil {
		return nil, fileError(err, path)
	}
	if err := regular(&st, path); err != nil {
		return nil, err
	}
	fd, err := openat(at, name, flags|unix.O_NONBLOCK|unix.O_NOCTTY)
	if err != nil {
		return nil, fileError(err, path)
	}
	if err = unix.Fstat(fd, &st); err == nil {
		if err = regular(&st, path); err == nil {
			err = unix.SetNonblock(fd, false)
		}
	}
	if err != nil {
		unix.Close(fd)
		return nil, fileError(err, path)
	}
	return os.NewFile(uintptr(fd), path), nil
}

func regular(st *unix.Stat_t, path string) error {
	switch st.Mode & unix.S_IFMT {
	case unix.S_IFREG:
		return nil
	case unix.S_IFDIR:
		return &PathError{ErrDirectory, path}
	case unix.S_IFLNK:
		return &PathError{ErrOutside, path}
	default:
		return &PathError{ErrNotRegular, path}
	}
}

func fileError(err error, path string) error {
	var pe *PathError
	switch {
	case errors.As(err, &pe):
		return err
	case errors.Is(err, unix.ENOENT), errors.Is(err, unix.ENOTDIR):
		return &PathError{ErrNotFound, path}
	case errors.Is(err, unix.ELOOP):
		return &PathError{ErrOutside, path}
	default:
		return &fs.PathError{Op: "open", Path: path, Err: err}
	}
}

// Replace writes a file of d as a whole: readers see the old content or the
// new, also after a crash. The new file takes mode and, where the system lets
// us, owner of old, which is nil for a file that was not there.
func (d *Dir) Replace(name string, content []byte, old fs.FileInfo) (err error) {
	path := filepath.Join(d.path, name)
	if err := d.scope.level(path).allows(LevelWrite, path); err != nil {
		return err
	}
	at := int(d.f.Fd())
	temp := ".podium-" + rand.Text() + ".tmp"
	mode := uint32(0o666)
	if old != nil {
		mode = 0o600
	}
	var fd int
	err = retry(func() (err error) {
		fd, err = unix.Openat(at, temp, unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL|unix.O_NOFOLLOW|unix.O_CLOEXEC, mode)
		return err
	})
	if err != nil {
		return &fs.PathError{Op: "write", Path: path, Err: err}
	}
	defer func() {
		if err != nil {
			unix.Unlinkat(at, temp, 0)
			err = fmt.Errorf("write %s: %w", path, cause(err))
		}
	}()
	f := os.NewFile(uintptr(fd), filepath.Join(d.path, temp))
	_, err = f.Write(content)
	if err == nil && old != nil {
		err = likeOld(f, old)
	}
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	// Renaming replaces a link that may have come up under the name; it does not
	// follow it.
	if err = unix.Renameat(at, temp, at, name); err != nil {
		return err
	}
	if err := d.f.Sync(); err != nil && !errors.Is(err, unix.EINVAL) {
		return fmt.Errorf("sync %s: %w", d.path, cause(err))
	}
	return nil
}

func likeOld(f *os.File, old fs.FileInfo) error {
	if st, ok := old.Sys().(*syscall.Stat_t); ok {
		if now, err := f.Stat(); err == nil {
			if mine := now.Sys().(*syscall.Stat_t); mine.Uid != st.Uid || mine.Gid != st.Gid {
				// Only root may give files away; for others the file becomes theirs,
				// as with any editor that saves by renaming.
				_ = f.Chown(int(st.Uid), int(st.Gid))
			}
		}
	}
	// After the owner: changing that clears setuid and setgid.
	return f.Chmod(old.Mode() & (fs.ModePerm | fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky))
}

// cause leaves the temporary name out of an error.
func cause(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}

func isLink(at int, name string) bool {
	var st unix.Stat_t
	err := unix.Fstatat(at, name, &st, unix.AT_SYMLINK_NOFOLLOW)
	return err == nil && st.Mode&unix.S_IFMT == unix.S_IFLNK
}

// openat opens without following a link at the last name.
func openat(at int, name string, flags int) (fd int, err error) {
	err = retry(func() (err error) {
		fd, err = unix.Openat(at, name, flags|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
		return err
	})
	return fd, err
}

func retry(f func() error) error {
	for {
		if err := f(); !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}
