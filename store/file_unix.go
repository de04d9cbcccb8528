//go:build unix

package store

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

func identify(info fs.FileInfo) fileID {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return fileID{}
	}
	return fileID{device: uint64(st.Dev), inode: uint64(st.Ino)}
}

// checkOwner wants the file to be ours or root's: anybody else could swap its
// content while we rely on it.
func checkOwner(info fs.FileInfo) error {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return nil
	}
	if uid := os.Geteuid(); st.Uid != 0 && int(st.Uid) != uid {
		return fmt.Errorf("%w: it belongs to user %d and you are user %d; use a store of your own", ErrUnsafe, st.Uid, uid)
	}
	return nil
}
