package pod

import (
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// socketEvery is how often a pod looks whether its socket's file is there.
const socketEvery = 2 * time.Second

// listener is the pod's socket. Somebody who clears the folder of temporary
// files takes the file of a living pod away, and nobody could reach it again:
// so it is made anew for as long as the folder is this pod's.
type listener struct {
	path   string
	folder *folder

	mu      sync.Mutex // guards what follows
	current *net.UnixListener
	closed  bool
}

// get is the listener of this moment.
func (l *listener) get() *net.UnixListener {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.current
}

// close ends it and removes the socket.
func (l *listener) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	l.current.Close()
}

// mend makes the socket again when its file is gone; renewed says that it did.
func (l *listener) mend() (renewed bool, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return false, nil
	}
	if _, err := os.Lstat(l.path); !errors.Is(err, fs.ErrNotExist) || !l.folder.ours() {
		return false, nil
	}
	next, err := listen(l.path)
	if err != nil {
		return false, err
	}
	// What the old one would remove is the new one's by now.
	l.current.SetUnlinkOnClose(false)
	l.current.Close()
	l.current = next
	return true, nil
}

// ours reports that the lock is still the folder's: another process may hold a
// folder that was made anew.
func (f *folder) ours() bool {
	held, err := f.lock.Stat()
	if err != nil {
		return false
	}
	now, err := os.Stat(filepath.Join(f.dir, lockFile))
	return err == nil && os.SameFile(held, now)
}
