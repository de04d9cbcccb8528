package listing

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/gofrs/flock"
)

// keepRetired is how much longer than a chain an old key verifies.
const keepRetired = 5 * time.Minute

// maxKeyringFile bounds the file, in bytes.
const maxKeyringFile = 64 << 10

// lockWait is how long a change of the keyring waits for another one.
const lockWait = 10 * time.Second

// Keyring is the file that holds a store's signing keys, of mode 0600 and the
// user's own. It never holds a bearer token, lies beside no store, and is
// never made by a request.
//
// It is safe for use by many goroutines and processes: the file is only ever
// replaced as a whole.
type Keyring struct {
	path  string
	chain time.Duration

	mu    sync.Mutex // guards what follows
	keys  *Keys
	stamp stamp
}

// stamp tells one state of the file from another without reading it.
type stamp struct {
	file    fileID
	size    int64
	changed time.Time
	mode    fs.FileMode
}

// NewKeyring names the keyring file at path; its folder must exist before
// something is written. Nothing is opened. Retired keys verify as long as a
// chain of the policy can last.
func NewKeyring(path string, p Policy) *Keyring { return &Keyring{path: path, chain: p.ChainLifetime} }

// Path is the file's path.
func (k *Keyring) Path() string { return k.path }

// Keys gives the keys as the file has them now. It looks at the file's state
// each time and reads it only when that changed. Any failure is an Unready
// error: a listing never makes keys of its own.
func (k *Keyring) Keys() (*Keys, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	now, err := k.look()
	if err == nil && k.keys != nil && now == k.stamp {
		return k.keys, nil
	}
	k.keys = nil
	if err != nil {
		return nil, Unready(LacksKeyring, k.explain("use", err))
	}
	keys, stamp, err := k.read()
	if err != nil {
		return nil, Unready(LacksKeyring, k.explain("use", err))
	}
	k.keys, k.stamp = keys, stamp
	return keys, nil
}

// Ensure makes the keyring with its first key if there is none. When several
// processes try, one makes it and the others take that one.
func (k *Keyring) Ensure(now time.Time) (created bool, err error) {
	if _, err := k.look(); !errors.Is(err, fs.ErrNotExist) {
		if err == nil {
			_, _, err = k.read()
		}
		return false, k.explain("use", err)
	}
	temp, err := k.writeTemp(newKeys(now))
	if err != nil {
		return false, k.explain("make", err)
	}
	defer func() { err = errors.Join(err, k.explain("make", removeTemp(temp))) }()
	// A link fails where a rename would replace what another process just made.
	if err := os.Link(temp, k.path); errors.Is(err, fs.ErrExist) {
		_, _, err := k.read()
		return false, k.explain("use", err)
	} else if err != nil {
		return false, k.explain("make", err)
	}
	return true, k.explain("make", syncFolder(k.path))
}

// Rotate makes a new active key; the old one verifies until every cursor that
// it signed has expired. Without a keyring it makes one. It returns the keys
// afterwards.
func (k *Keyring) Rotate(ctx context.Context, now time.Time) (*Keys, error) {
	created, err := k.Ensure(now)
	if err != nil {
		return nil, err
	}
	if created {
		return k.current("rotate")
	}
	return k.change(ctx, "rotate", func(old *Keys) (*Keys, error) { return old.rotated(now, k.chain+keepRetired), nil })
}

// Revoke removes a key at once: cursors that it signed end now. A revoked
// active key is replaced by a new one in the same step.
func (k *Keyring) Revoke(ctx context.Context, id string, now time.Time) (*Keys, error) {
	return k.change(ctx, "revoke a key of", func(old *Keys) (*Keys, error) { return old.revoked(id, now) })
}

// Inspect reads the keys for a person. Without a file the error is
// fs.ErrNotExist.
func (k *Keyring) Inspect() (*Keys, error) { return k.current("read") }

func (k *Keyring) current(tried string) (*Keys, error) {
	keys, _, err := k.read()
	return keys, k.explain(tried, err)
}

// change replaces the file under a lock beside it.
func (k *Keyring) change(ctx context.Context, tried string, edit func(*Keys) (*Keys, error)) (keys *Keys, err error) {
	defer func() { err = k.explain(tried, err) }()
	if _, err := k.look(); err != nil {
		return nil, err
	}
	unlock, err := k.lock(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	old, _, err := k.read()
	if err != nil {
		return nil, err
	}
	if keys, err = edit(old); err != nil {
		return nil, err
	}
	if len(keys.keys) > maxKeys {
		return nil, fmt.Errorf("it would have more than %d keys; wait until old ones retire, or revoke some", maxKeys)
	}
	temp, err := k.writeTemp(keys)
	if err != nil {
		return nil, err
	}
	if err := os.Rename(temp, k.path); err != nil {
		return nil, errors.Join(err, removeTemp(temp))
	}
	return keys, syncFolder(k.path)
}

// lock keeps other processes from changing the keyring until unlock.
func (k *Keyring) lock(ctx context.Context) (unlock func() error, err error) {
	lock := flock.New(k.path+".lock", flock.SetPermissions(0o600))
	ctx, cancel := context.WithTimeout(ctx, lockWait)
	defer cancel()
	if _, err := lock.TryLockContext(ctx, 10*time.Millisecond); err != nil {
		return nil, fmt.Errorf("another process is changing it (%s.lock); try again: %w", k.path, err)
	}
	return lock.Close, nil
}

// look checks what can be seen from outside: a plain file that is ours and
// that nobody else can read.
func (k *Keyring) look() (stamp, error) {
	info, err := os.Lstat(k.path)
	if err != nil {
		return stamp{}, withoutPath(err)
	}
	return checkKeyringFile(info)
}

func checkKeyringFile(info fs.FileInfo) (stamp, error) {
	id, owner, known := identify(info)
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		return stamp{}, errors.New("it is a symbolic link; put the file itself there, or move the link away")
	case !info.Mode().IsRegular():
		return stamp{}, errors.New("it is not a regular file; move it away")
	case known && owner != os.Geteuid():
		return stamp{}, fmt.Errorf("it belongs to user %d and you are user %d; move it away", owner, os.Geteuid())
	case info.Mode().Perm()&0o077 != 0:
		return stamp{}, &damage{fmt.Sprintf("other users can read it (mode %04o), so its keys are known", info.Mode().Perm())}
	case info.Size() > maxKeyringFile:
		return stamp{}, &damage{"it is too large for a keyring"}
	}
	return stamp{file: id, size: info.Size(), changed: info.ModTime(), mode: info.Mode()}, nil
}

// read opens the file without following a link and checks what it opened.
func (k *Keyring) read() (keys *Keys, s stamp, err error) {
	f, err := os.OpenFile(k.path, os.O_RDONLY|openFlags, 0)
	if err != nil {
		return nil, stamp{}, withoutPath(err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	info, err := f.Stat()
	if err != nil {
		return nil, stamp{}, withoutPath(err)
	}
	if s, err = checkKeyringFile(info); err != nil {
		return nil, stamp{}, err
	}
	text, err := io.ReadAll(io.LimitReader(f, maxKeyringFile+1))
	if err != nil {
		return nil, stamp{}, withoutPath(err)
	}
	if len(text) > maxKeyringFile {
		return nil, stamp{}, &damage{"it is too large for a keyring"}
	}
	keys, err = parseKeys(text)
	return keys, s, err
}

// writeTemp writes the keys to a file beside the keyring, on disk.
func (k *Keyring) writeTemp(keys *Keys) (name string, err error) {
	// CreateTemp makes it with mode 0600.
	f, err := os.CreateTemp(filepath.Dir(k.path), "."+filepath.Base(k.path)+".part-*")
	if err != nil {
		return "", withoutPath(err)
	}
	_, err = f.Write(keys.encode())
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return "", errors.Join(err, removeTemp(f.Name()))
	}
	return f.Name(), nil
}

func removeTemp(name string) error {
	if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// syncFolder makes a new name durable.
func syncFolder(path string) (err error) {
	d, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	return d.Sync()
}

// withoutPath drops the path, which explain says.
func withoutPath(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}

func (k *Keyring) explain(tried string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s keyring %s: %w", tried, k.path, err)
}
