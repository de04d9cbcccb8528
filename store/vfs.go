package store

import (
	"errors"
	"io/fs"
	"os"
	"sync"
	"syscall"

	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/vfs"
)

// vfsName is what our connections open files through.
const vfsName = "podium"

var registerVFS = sync.OnceFunc(func() {
	if disk, ok := vfs.Find("").(vfs.VFSFilename); ok {
		vfs.Register(vfsName, diskVFS{disk})
	}
})

// diskVFS is the driver's own file access with two things put right: the side
// files of a store get the store's mode, where the driver lets everybody read
// them, and a disk that is full says so, where the driver reports an input or
// output error and forgets its cause.
type diskVFS struct{ vfs.VFSFilename }

// OpenFilename opens a database or one of its side files.
func (v diskVFS) OpenFilename(name *vfs.Filename, flags vfs.OpenFlag) (vfs.File, vfs.OpenFlag, error) {
	const side = vfs.OPEN_WAL | vfs.OPEN_MAIN_JOURNAL
	if flags&side != 0 && flags&vfs.OPEN_CREATE != 0 {
		names := []string{name.String()}
		if flags&vfs.OPEN_WAL != 0 {
			names = append(names, name.Database()+"-shm")
		}
		for _, side := range names {
			if err := makeLike(side, name.Database()); err != nil {
				break // the driver's own attempt says what is wrong
			}
		}
	}
	file, flags, err := v.VFSFilename.OpenFilename(name, flags)
	if disk, ok := file.(diskFile); ok && err == nil {
		return fullFile{disk}, flags, nil
	}
	return file, flags, err
}

// makeLike makes an empty file with another's mode, unless it is there. To
// SQLite an empty side file is the same as none.
func makeLike(path, model string) error {
	info, err := os.Lstat(model)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, info.Mode().Perm())
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return f.Close()
}

// diskFile is what the driver's file can do beyond the plain interface and
// SQLite asks it for.
type diskFile interface {
	vfs.FileLockState
	vfs.FileHasMoved
	vfs.FileSizeHint
	vfs.FilePersistWAL
	vfs.FilePowersafeOverwrite
	vfs.FileSharedMemory
}

// fullFile gives the cause of a failed write its own code.
type fullFile struct{ diskFile }

func (f fullFile) WriteAt(p []byte, off int64) (int, error) {
	n, err := f.diskFile.WriteAt(p, off)
	return n, full(err)
}

func (f fullFile) Truncate(size int64) error     { return full(f.diskFile.Truncate(size)) }
func (f fullFile) SizeHint(size int64) error     { return full(f.diskFile.SizeHint(size)) }
func (f fullFile) Sync(flags vfs.SyncFlag) error { return full(f.diskFile.Sync(flags)) }
func (f fullFile) Unwrap() vfs.File              { return f.diskFile }

// DeviceCharacteristics leaves out batches of writes, which this wrapper does
// not pass on.
func (f fullFile) DeviceCharacteristics() vfs.DeviceCharacteristic {
	return f.diskFile.DeviceCharacteristics() &^ vfs.IOCAP_BATCH_ATOMIC
}

// full turns the errors of a disk, a quota or a size limit that is used up
// into SQLite's code for it.
func full(err error) error {
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || errors.Is(err, syscall.EFBIG) {
		return vfs.SystemError(err, sqlite3.FULL)
	}
	return err
}
