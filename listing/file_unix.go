//go:build unix

package listing

import (
	"io/fs"
	"syscall"
)

// openFlags keep an open from following a link or waiting for a pipe.
const openFlags = syscall.O_NOFOLLOW | syscall.O_NONBLOCK | syscall.O_CLOEXEC

// fileID tells one file from another that took its name.
type fileID struct{ device, inode uint64 }

// identify says which file it is and whose.
func identify(info fs.FileInfo) (id fileID, owner int, known bool) {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return fileID{}, 0, false
	}
	return fileID{device: uint64(st.Dev), inode: uint64(st.Ino)}, int(st.Uid), true
}
