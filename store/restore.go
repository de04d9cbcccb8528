package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/ncruces/go-sqlite3"

	"podium.local/session"
)

// Replacement is what Restore or Reset put in a store's place.
type Replacement struct {
	Path string `json:"path"`
	Kind Kind   `json:"kind"`
	// Sessions in the new store, and its incarnation: listings that were begun
	// before start over.
	Sessions    int64  `json:"sessions"`
	Incarnation string `json:"incarnation"`
	// Kept is where the store that was there lies now, empty when there was none.
	Kept string `json:"kept,omitempty"`
}

// replaceStep is called after each step of a replacement; tests end the
// process there.
var replaceStep = func(string) {}

// Restore puts a copy of the backup in the store's place, checked, brought to
// this program's schema, and with an incarnation of its own. It is refused
// while anybody has the store open. What was there is kept beside it. A process
// that is killed meanwhile leaves the old store or the new one, whole.
func Restore(ctx context.Context, backup, target string, opts Options) (Replacement, error) {
	r, err := restore(ctx, backup, target, opts.withDefaults())
	return r, explain(fmt.Sprintf("restore store %s from %s", target, backup), err)
}

// Reset puts an empty store in the store's place, in the same way.
func Reset(ctx context.Context, target string, opts Options) (Replacement, error) {
	r, err := replaceWith(ctx, target, opts.withDefaults(), KindPodium, func(part string, opts MigrateOptions) error {
		_, err := create(ctx, Migration{Path: part, Steps: []string{}}, opts)
		return err
	})
	return r, explain("reset store "+target, err)
}

func restore(ctx context.Context, backup, target string, opts Options) (Replacement, error) {
	from, err := absolute(backup)
	if err != nil {
		return Replacement{}, fmt.Errorf("the backup: %w", err)
	}
	c, sh, id, err := dialChecked(ctx, from)
	if errors.Is(err, ErrAbsent) {
		return Replacement{}, fmt.Errorf("the backup: %w; name a file that `podium store backup` wrote", fs.ErrNotExist)
	}
	if err != nil {
		return Replacement{}, fmt.Errorf("the backup: %w", err)
	}
	err = usable(sh, true)
	if err := errors.Join(err, c.close()); err != nil && !errors.Is(err, ErrOutdated) {
		return Replacement{}, fmt.Errorf("the backup: %w", err)
	}
	if to, err := absolute(target); err != nil {
		return Replacement{}, err
	} else if there, err := checkFile(to); err == nil && there == id {
		return Replacement{}, errors.New("the backup is the store itself; name another file")
	}
	return replaceWith(ctx, target, opts, sh.kind, func(part string, opts MigrateOptions) error {
		if err := vacuumInto(ctx, from, part); err != nil {
			return err
		}
		if err := quickCheck(ctx, part); err != nil {
			return fmt.Errorf("the backup: %w", err)
		}
		m := Migration{Path: part, Steps: []string{}}
		var err error
		if sh.kind == KindPodium {
			_, err = forward(ctx, m, sh, opts)
		} else {
			_, err = adopt(ctx, m, sh, opts)
		}
		return err
	})
}

// replaceWith has fill make a store in a file beside the target and swaps the
// two.
func replaceWith(ctx context.Context, target string, opts Options, kind Kind, fill func(part string, opts MigrateOptions) error) (r Replacement, err error) {
	abs, err := absolute(target)
	if err != nil {
		return r, err
	}
	if _, err := checkFile(abs); err != nil && !errors.Is(err, ErrAbsent) {
		return r, err
	}
	if name := networkFS(filepath.Dir(abs)); name != "" {
		return r, fmt.Errorf("%w: it is on a network file system (%s); name a file on a local disk", ErrUnsafe, name)
	}
	// Asked again under the lock; here it spares the work.
	if err := unheld(ctx, abs, kind, opts); err != nil {
		return r, err
	}
	// CreateTemp makes it with mode 0600.
	f, err := os.CreateTemp(filepath.Dir(abs), "."+filepath.Base(abs)+".part-*")
	if err != nil {
		return r, plainErrno(err)
	}
	part := f.Name()
	defer func() {
		for _, name := range []string{part, part + "-wal", part + "-shm", part + "-journal"} {
			if removeErr := os.Remove(name); removeErr != nil && !errors.Is(removeErr, fs.ErrNotExist) {
				err = errors.Join(err, removeErr)
			}
		}
	}()
	if err := f.Close(); err != nil {
		return r, err
	}
	// Nobody holds what is being made, whatever its rows say of pods.
	making := MigrateOptions{Options: opts, ManyRows: manyRows}
	making.Alive = func(session.Process) bool { return false }
	if err := fill(part, making); err != nil {
		return r, err
	}
	r = Replacement{Path: abs, Incarnation: uuid.NewString()}
	if r.Kind, r.Sessions, err = finishPart(ctx, part, r.Incarnation, opts); err != nil {
		return r, err
	}
	replaceStep("prepared")
	release, err := lockFile(ctx, abs, opts.BusyTimeout)
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, release()) }()
	r.Kept, err = swap(ctx, part, abs, kind, opts)
	return r, err
}

// finishPart gives the new store its incarnation and makes one file of it.
func finishPart(ctx context.Context, part, incarnation string, opts Options) (kind Kind, sessions int64, err error) {
	c, err := dialWriter(ctx, part, opts)
	if err != nil {
		return "", 0, err
	}
	defer func() { err = errors.Join(err, c.close()) }()
	err = alone(ctx, c, func() error {
		sh, err := look(c)
		if err != nil {
			return err
		}
		kind = sh.kind
		if sessions, err = c.integer("SELECT count(*) FROM sessions"); err != nil {
			return err
		}
		return replaceIdentity(c, incarnation, seconds(opts.Now()))
	})
	if err != nil {
		return kind, sessions, err
	}
	if err := oneFile(c); err != nil {
		return kind, sessions, err
	}
	return kind, sessions, syncPath(part)
}

// oneFile takes a database out of WAL mode, which nobody else may have open:
// afterwards it has no side files.
func oneFile(c *conn) error {
	mode := ""
	if _, err := c.row("PRAGMA journal_mode = DELETE", func(stmt *sqlite3.Stmt) error {
		mode = stmt.ColumnText(0)
		return nil
	}); err != nil {
		return err
	}
	if mode != "delete" {
		return fmt.Errorf("its journal mode stays %s: %w", mode, session.ErrBusy)
	}
	return nil
}

// quickCheck refuses a damaged copy. What is damaged is said, nothing of what
// it holds.
func quickCheck(ctx context.Context, path string) (err error) {
	c, err := dial(ctx, path, readOnly, readerPragmas)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.close()) }()
	c.SetInterrupt(ctx)
	defer c.SetInterrupt(context.Background())
	return c.each("PRAGMA quick_check(1)", func(stmt *sqlite3.Stmt) error {
		if text := stmt.ColumnText(0); text != "ok" {
			return fmt.Errorf("%w: %s", session.ErrCorrupt, text)
		}
		return nil
	})
}

// swap puts part in the target's place. The caller holds the store's lock. The
// old store is drained first and then kept locked until its name is another's,
// so that whoever opens it meanwhile finds the new one or waits.
func swap(ctx context.Context, part, target string, kind Kind, opts Options) (kept string, err error) {
	if err := unheld(ctx, target, kind, opts); err != nil {
		return "", err
	}
	old, err := drain(ctx, target, opts)
	if err != nil {
		return "", err
	}
	if old != nil {
		defer func() { err = errors.Join(err, old.close()) }()
	}
	replaceStep("drained")
	// Nothing that was there is lost: it gets another name. A log that a damaged
	// store left goes with it, as it would be taken for the new one's.
	aside := fmt.Sprintf("%s.replaced-%s", target, opts.Now().UTC().Format("20060102T150405.000"))
	if err := os.Link(target, aside); err == nil {
		kept = aside
	} else if !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	replaceStep("kept")
	for _, side := range []string{"-wal", "-shm", "-journal"} {
		if err := os.Rename(target+side, aside+side); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return kept, err
		}
	}
	replaceStep("cleared")
	if err := os.Rename(part, target); err != nil {
		return kept, err
	}
	replaceStep("renamed")
	return kept, syncPath(filepath.Dir(target))
}

// drain empties the old store's log into its file and locks everybody out of
// it. It gives nil for a store that is not there or is no database any more.
func drain(ctx context.Context, target string, opts Options) (_ *conn, err error) {
	if err := checkHeader(target); errors.Is(err, ErrAbsent) || errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	c, err := dialWriter(ctx, target, opts)
	if errors.Is(classify(err), session.ErrCorrupt) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	err = func() error {
		if err := c.BusyTimeout(time.Second); err != nil {
			return err
		}
		// This fails while anybody has the store open, reading or not.
		if err := oneFile(c); err != nil {
			return err
		}
		return c.Exec("BEGIN EXCLUSIVE")
	}()
	switch {
	case err == nil:
		return c, nil
	case errors.Is(classify(err), session.ErrCorrupt):
		return nil, c.close()
	case temporary(err), errors.Is(err, session.ErrBusy):
		return nil, errors.Join(heldBy(target, nil), c.close())
	default:
		return nil, errors.Join(err, c.close())
	}
}

// unheld refuses to replace a store that somebody holds, or one of another
// kind. A damaged one says nothing of its holders, so that only processes are
// asked.
func unheld(ctx context.Context, target string, kind Kind, opts Options) error {
	var pods []string
	st, err := Examine(ctx, target)
	if err == nil {
		theirs := st.Kind == KindAdopted || st.Kind == KindLionagi
		switch {
		case st.Kind == KindForeign:
			return fmt.Errorf("%w: move the file away first: %s", ErrForeign, st.Why)
		case st.Kind == KindNewer:
			return fmt.Errorf("%w: %s", ErrNewer, st.Why)
		case theirs && kind == KindPodium:
			return errAdopted
		case st.Kind == KindPodium && kind != KindPodium:
			return errors.New("it holds pods' sessions and the backup is lionagi's; name another file with --store")
		}
		for _, p := range st.Holders {
			if opts.Alive(p.Process) {
				pods = append(pods, fmt.Sprintf("pod %s (process %d)", p.Name, p.Process.PID))
			}
		}
	}
	if len(pods) > 0 || len(openers(target)) > 0 {
		return heldBy(target, pods)
	}
	return nil
}

// heldBy names who has a store open.
func heldBy(target string, pods []string) error {
	who := append(pods, openers(target)...)
	if len(who) == 0 {
		who = []string{"another program"}
	}
	return fmt.Errorf("%w: held by %s; stop that first", session.ErrBusy, strings.Join(who, ", "))
}
