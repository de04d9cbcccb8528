package client

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// maxPath is the longest path that fits in a socket address, without the NUL
// that ends it.
const maxPath = len(syscall.RawSockaddrUnix{}.Path) - 1

// connect opens the socket. A full queue of connections is waited for, as the
// pod is there.
func connect(ctx context.Context, path, pod string) (net.Conn, error) {
	if len(path) > maxPath {
		return nil, fmt.Errorf("connect to pod %s: %w: %d bytes, the limit is %d: %s; "+
			"put the run folder in a shorter place", pod, ErrPathTooLong, len(path), maxPath, path)
	}
	for full := false; ; {
		conn, err := new(net.Dialer).DialContext(ctx, "unix", path)
		switch {
		case err == nil:
			return conn, nil
		case errors.Is(err, syscall.EAGAIN):
			full = true
		case !full || ctx.Err() == nil:
			return nil, explain(err, path, pod)
		}
		if !sleep(ctx, 5*time.Millisecond+rand.N(5*time.Millisecond)) {
			return nil, fmt.Errorf("connect to pod %s: it accepts no connection at %s: %w", pod, path, context.Cause(ctx))
		}
	}
}

// explain says what a failed connection means for a person.
func explain(err error, path, pod string) error {
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return fmt.Errorf("pod %s is %w: no socket at %s", pod, ErrNotRunning, path)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("connect to pod %s: no permission to use %s; pods answer only to the user who runs them: %w",
			pod, path, fs.ErrPermission)
	case errors.Is(err, syscall.ECONNREFUSED), errors.Is(err, syscall.ENOTSOCK), errors.Is(err, syscall.EPROTOTYPE):
		if info, statErr := os.Stat(path); statErr == nil && info.Mode().Type() != fs.ModeSocket {
			return fmt.Errorf("connect to pod %s: %w: %s is not a socket", pod, ErrNotAPod, path)
		}
		return fmt.Errorf("pod %s is %w: the socket at %s was left behind", pod, ErrNotRunning, path)
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded):
		return fmt.Errorf("connect to pod %s at %s: %w", pod, path, err)
	default:
		return fmt.Errorf("connect to pod %s: %w", pod, err)
	}
}

// podName is the name for errors: given, or the folder of the socket. A socket
// that is not called as pods call theirs tells no name.
func podName(o Options, path string) string {
	switch {
	case o.PodName != "":
		return o.PodName
	case filepath.Base(path) != "sock":
		return "at " + path
	}
	return filepath.Base(filepath.Dir(path))
}
