package pod

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"github.com/gofrs/flock"
)

// Files in a pod's folder.
const (
	socketFile = "sock"
	pidFile    = "pid"
	statusFile = "status.json"
	lockFile   = "lock"
)

// SocketPath is where the pod of that name listens. The system limits the
// length of a socket's path; a longer one is an error that says so.
func SocketPath(runDir, name string) (string, error) {
	path := filepath.Join(runDir, name, socketFile)
	if most := maxSocketPath(); len(path) > most {
		return "", fmt.Errorf("socket path %s is %d bytes long, this system allows %d: "+
			"choose a shorter pod name, or a shorter folder with PODIUM_HOME or XDG_RUNTIME_DIR", path, len(path), most)
	}
	return path, nil
}

// maxSocketPath is the most bytes of a socket's path; the last byte of the
// system's field ends it.
func maxSocketPath() int { return len(syscall.RawSockaddrUnix{}.Path) - 1 }

// folder is a pod's own folder, held by its lock.
type folder struct {
	dir        string
	lock       *flock.Flock
	pidWritten bool
}

// openFolder makes the folder, private to the user, and takes its lock: one
// process a name.
func openFolder(ctx context.Context, runDir, name string) (*folder, error) {
	dir := filepath.Join(runDir, name)
	for _, d := range []string{runDir, dir} {
		if err := privateDir(d); err != nil {
			return nil, err
		}
	}
	// A reader looks whether the lock is held by taking it for a moment, a pod
	// that ends may remove the folder, and a killed one takes a moment to be gone:
	// all three pass. A pod that held the name and gave it up in order was ended on
	// purpose; who waited for the name meanwhile must not bring it back.
	deadline := time.Now().Add(lockPatience)
	seen := false
	for {
		f, err := tryLock(dir)
		if err != nil {
			return nil, fmt.Errorf("lock pod %s: %w", name, err)
		}
		if f != nil && seen && !f.crashed() {
			return nil, errors.Join(fmt.Errorf("pod %s was running and has just ended: start it again if it should live on", name), f.lock.Close())
		}
		if f != nil {
			return f, nil
		}
		if time.Now().After(deadline) {
			return nil, fmt.Errorf("pod %s is running already%s: attach to it, end it with podium stop %s, or choose another name", name, heldBy(dir), name)
		}
		seen = seen || held(dir)
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// lockPatience is how long a pod that starts waits for its name.
const lockPatience = 500 * time.Millisecond

// crashed reports that the process that held the name before did not end in
// order: its pid is still there.
func (f *folder) crashed() bool {
	_, err := os.Lstat(filepath.Join(f.dir, pidFile))
	return err == nil
}

// tryLock gives nil when somebody else holds the lock or just removed it.
func tryLock(dir string) (*folder, error) {
	path := filepath.Join(dir, lockFile)
	l := flock.New(path, flock.SetPermissions(0o600))
	ok, err := l.TryLock()
	if errors.Is(err, fs.ErrNotExist) {
		return nil, privateDir(dir)
	}
	if err != nil || !ok {
		return nil, err
	}
	// The file may have been removed between opening and locking it; then the
	// lock is on nothing.
	if f := (&folder{dir: dir, lock: l}); f.ours() {
		return f, nil
	}
	return nil, l.Close()
}

// Held reports whether a process holds the name of a pod whose folder is dir.
// The lock is the kernel's: it tells also of a process that this one cannot
// look at, or that runs under another host name on the same machine.
func Held(dir string) (held bool, err error) {
	if _, err := os.Stat(filepath.Join(dir, lockFile)); errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	f, err := tryLock(dir)
	if err != nil {
		return false, fmt.Errorf("look at the lock in %s: %w", dir, err)
	}
	if f == nil {
		return true, nil
	}
	return false, f.lock.Close()
}

// privateDir makes a folder that only the user can enter.
func privateDir(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("make folder %s: %w", dir, err)
	}
	info, err := os.Stat(dir)
	if err != nil {
		return fmt.Errorf("look at folder %s: %w", dir, err)
	}
	if st, ok := info.Sys().(*syscall.Stat_t); ok && int(st.Uid) != os.Geteuid() {
		return fmt.Errorf("folder %s belongs to user %d, not to you: remove it or choose another place with PODIUM_HOME", dir, st.Uid)
	}
	if info.Mode().Perm() != 0o700 {
		if err := os.Chmod(dir, 0o700); err != nil {
			return fmt.Errorf("make folder %s private: %w", dir, err)
		}
	}
	return nil
}

func heldBy(dir string) string {
	pid, err := os.ReadFile(filepath.Join(dir, pidFile))
	if err != nil {
		return ""
	}
	return " (pid " + string(pid) + ")"
}

// listen binds the socket, for the user alone.
func listen(path string) (*net.UnixListener, error) {
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		return nil, fmt.Errorf("listen on %s: %w", path, err)
	}
	// Nobody but the user can have come in between: the folder is private.
	if err := os.Chmod(path, 0o600); err != nil {
		l.Close()
		return nil, fmt.Errorf("make socket %s private: %w", path, err)
	}
	return l, nil
}

// clearSocket makes room for the socket. One that is left of a dead process is
// removed; one that answers is never taken over. A process that was killed
// takes connections for a moment longer than it holds the lock.
func clearSocket(path string) error {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("look at socket %s: %w", path, err)
	case info.Mode().Type() != fs.ModeSocket:
		return fmt.Errorf("%s is in the way and is not a socket: move it away", path)
	}
	conn, err := net.DialTimeout("unix", path, time.Second)
	for deadline := time.Now().Add(lockPatience); err == nil; {
		if !hangsUp(conn) || time.Now().After(deadline) {
			return fmt.Errorf("another program answers at %s: stop it, or choose another pod name", path)
		}
		conn, err = net.DialTimeout("unix", path, time.Second)
	}
	if !errors.Is(err, syscall.ECONNREFUSED) {
		return fmt.Errorf("probe socket %s: %w", path, err)
	}
	if err := os.Remove(path); err != nil {
		return fmt.Errorf("remove the socket of a dead pod: %w", err)
	}
	return nil
}

// hangsUp reports whether the other side ends the connection at once, and ends
// it.
func hangsUp(conn net.Conn) bool {
	defer conn.Close()
	conn.SetReadDeadline(time.Now().Add(lockPatience / 5))
	n, err := conn.Read(make([]byte, 1))
	return n == 0 && !errors.Is(err, os.ErrDeadlineExceeded)
}

func (f *folder) writePID() error {
	f.pidWritten = true
	return f.write(pidFile, []byte(strconv.Itoa(os.Getpid())))
}

// savedStatus is status.json, its keys sorted.
type savedStatus struct {
	PodName   string `json:"pod_name"`
	SessionID string `json:"session_id"`
	State     string `json:"state"`
}

func (f *folder) writeStatus(s savedStatus) error {
	b, err := json.Marshal(s)
	if err != nil {
		return fmt.Errorf("write %s: %w", statusFile, err)
	}
	return f.write(statusFile, b)
}

// write replaces a file of the folder as a whole.
func (f *folder) write(name string, content []byte) error {
	path := filepath.Join(f.dir, name)
	if err := os.WriteFile(path+".tmp", content, 0o600); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	if err := os.Rename(path+".tmp", path); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}

// close ends the hold: pid goes, as the socket did with its listener; the
// folder stays, unless the pod was meant for one run.
func (f *folder) close(remove bool) error {
	var err error
	// A program that took the place without the lock keeps its own.
	if f.pidWritten {
		err = ifThere(os.Remove(filepath.Join(f.dir, pidFile)))
	}
	if remove {
		err = errors.Join(err, os.RemoveAll(f.dir))
	}
	return errors.Join(err, f.lock.Close())
}

func ifThere(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
