package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/ncruces/go-sqlite3"
)

// Backup writes a copy of the store to target, a new file of mode 0600: one
// snapshot, defragmented, one file without side files. It carries no listing
// identity, so that two stores never continue each other's listings; restoring
// gives it one. An existing target is refused with ErrExists. Until the copy
// is complete and on disk, target does not exist.
func (s *Store) Backup(ctx context.Context, target string) error {
	return explain(fmt.Sprintf("back up store %s to %s", s.given, target), s.backup(ctx, target))
}

func (s *Store) backup(ctx context.Context, target string) (err error) {
	abs, err := absolute(target)
	if err != nil {
		return err
	}
	if _, err := os.Lstat(abs); err == nil {
		return fmt.Errorf("%w; name another one", ErrExists)
	} else if !errors.Is(err, fs.ErrNotExist) {
		return plainErrno(err)
	}
	// SQLite fills an empty file that is there; so its mode is ours from the start.
	part, err := os.CreateTemp(filepath.Dir(abs), "."+filepath.Base(abs)+".part-*")
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("folder %s: %w; make it, or name another one", filepath.Dir(abs), plainErrno(err))
	}
	if err != nil {
		return plainErrno(err)
	}
	defer func() {
		if removeErr := os.Remove(part.Name()); removeErr != nil && !errors.Is(removeErr, fs.ErrNotExist) {
			err = errors.Join(err, removeErr)
		}
	}()
	if err := part.Close(); err != nil {
		return err
	}
	if err := s.vacuumInto(ctx, part.Name()); err != nil {
		return err
	}
	if err := stripIdentity(ctx, part.Name()); err != nil {
		return err
	}
	if err := syncPath(part.Name()); err != nil {
		return err
	}
	// A link fails where a rename would replace what came into being meanwhile.
	if err := os.Link(part.Name(), abs); err != nil {
		if errors.Is(err, fs.ErrExist) {
			return fmt.Errorf("%w; name another one", ErrExists)
		}
		return err
	}
	return syncPath(filepath.Dir(abs))
}

// vacuumInto copies a snapshot. It needs a connection of its own: VACUUM runs
// in no transaction, and its reading one lasts as long as the copy.
func (s *Store) vacuumInto(ctx context.Context, target string) (err error) {
	if err := s.checkSame(); err != nil {
		return err
	}
	return vacuumInto(ctx, s.path, target)
}

func vacuumInto(ctx context.Context, from, target string) (err error) {
	c, err := dial(ctx, from, readOnly, "PRAGMA busy_timeout = 5000")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.close()) }()
	c.SetInterrupt(ctx)
	defer c.SetInterrupt(context.Background())
	return c.run("VACUUM INTO ?", target)
}

// stripIdentity makes the copy one that is not ready until it is restored.
func stripIdentity(ctx context.Context, path string) (err error) {
	c, err := dial(ctx, path, readWrite, "PRAGMA synchronous = FULL; PRAGMA secure_delete = ON")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.close()) }()
	there := false
	if _, err := c.row("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'listing_store_identity'", func(*sqlite3.Stmt) error {
		there = true
		return nil
	}); err != nil || !there {
		return err
	}
	return c.run("DELETE FROM listing_store_identity")
}

// syncPath makes a file's content, or a folder's names, durable.
func syncPath(path string) (err error) {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return f.Sync()
}
