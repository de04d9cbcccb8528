package store

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/gofrs/flock"

	"podium.local/session"
)

//go:embed migrations/*.sql
var migrationFiles embed.FS

// migration is one numbered step of the schema.
type migration struct {
	version   int
	name      string
	sql       string
	exclusive bool // not while a pod of an older build is alive
}

// migrations are the embedded steps in order. A file that breaks the naming
// rules stops the program: it could only be a mistake in the build.
var migrations = sync.OnceValue(func() []migration {
	names, err := fs.Glob(migrationFiles, "migrations/*.sql")
	if err != nil {
		panic(err)
	}
	steps := make([]migration, 0, len(names))
	for i, name := range names {
		text, err := fs.ReadFile(migrationFiles, name)
		if err != nil {
			panic(err)
		}
		base := filepath.Base(name)
		number, _, _ := strings.Cut(base, "_")
		version, err := strconv.Atoi(number)
		mode, _, _ := strings.Cut(string(text), "\n")
		if err != nil || version != i+1 || (mode != "-- additive" && mode != "-- exclusive") {
			panic("store: migration " + base + " is not numbered or not marked")
		}
		steps = append(steps, migration{version: version, name: base, sql: string(text), exclusive: mode == "-- exclusive"})
	}
	return steps
})

func newestSchema() int { return len(migrations()) }

// MigrateOptions are Options plus what only migration needs.
type MigrateOptions struct {
	Options
	// OnlyPodium refuses a store of lionagi's instead of adopting it.
	OnlyPodium bool
	// ManyRows is from how many sessions on Notice says to stop lionagi while its
	// store is indexed; 0 is 500,000.
	ManyRows int64
	// Step is called after each step with what was done and how long it took.
	Step func(done string, took time.Duration)
	// Notice is called with what the user should know before long work.
	Notice func(text string)
}

// Migration is what Migrate did.
type Migration struct {
	Path string `json:"path"`
	Kind Kind   `json:"kind"` // after
	// Created says that the file was made; From and To are schema numbers.
	Created bool `json:"created"`
	From    int  `json:"from"`
	To      int  `json:"to"`
	// Steps name what was done, in order; empty when nothing was to do.
	Steps []string `json:"steps"`
}

// Migrate makes the store at path, brings it forward or adopts it, whichever
// it needs, under a lock beside the file. A store that is current is not
// written to.
func Migrate(ctx context.Context, path string, opts MigrateOptions) (Migration, error) {
	opts.Options = opts.withDefaults()
	if opts.ManyRows == 0 {
		opts.ManyRows = manyRows
	}
	m, err := migrate(ctx, path, opts)
	return m, explain("migrate store "+path, err)
}

func migrate(ctx context.Context, path string, opts MigrateOptions) (_ Migration, err error) {
	abs, err := absolute(path)
	if err != nil {
		return Migration{}, err
	}
	m := Migration{Path: abs, Steps: []string{}}
	if _, err := os.Stat(filepath.Dir(abs)); errors.Is(err, fs.ErrNotExist) {
		return m, fmt.Errorf("its folder %s does not exist; make it first", filepath.Dir(abs))
	} else if err != nil {
		return m, fmt.Errorf("its folder: %w", plainErrno(err))
	}
	if err := refuse(ctx, abs, opts.OnlyPodium); err != nil {
		return m, err
	}
	release, err := lockFile(ctx, abs, opts.BusyTimeout)
	if err != nil {
		return m, err
	}
	defer func() { err = errors.Join(err, release()) }()

	c, sh, _, err := dialChecked(ctx, abs)
	switch {
	case errors.Is(err, ErrAbsent):
		return create(ctx, m, opts)
	case err != nil:
		return m, err
	}
	if err := c.close(); err != nil {
		return m, err
	}
	m.Kind, m.From, m.To = sh.kind, sh.schema, newestSchema()
	switch sh.kind {
	case KindPodium:
		return forward(ctx, m, sh, opts)
	case KindAdopted, KindLionagi:
		if opts.OnlyPodium {
			return m, errAdopted
		}
		return adopt(ctx, m, sh, opts)
	default:
		return m, usable(sh, false)
	}
}

// refuse looks, before anything is made beside the file, whether it is one that
// stays as it is. What can change meanwhile is looked at again under the lock.
func refuse(ctx context.Context, abs string, onlyPodium bool) error {
	c, sh, _, err := dialChecked(ctx, abs)
	switch {
	case errors.Is(err, ErrAbsent), temporary(err):
		return nil
	case err != nil:
		return err
	}
	if err := c.close(); err != nil {
		return err
	}
	switch sh.kind {
	case KindForeign, KindNewer:
		return usable(sh, false)
	case KindAdopted, KindLionagi:
		if onlyPodium {
			return errAdopted
		}
	}
	return nil
}

// lockFile takes the lock beside the store, waiting at most wait. Whoever has
// it leaves its process id in it.
func lockFile(ctx context.Context, path string, wait time.Duration) (release func() error, err error) {
	name := path + ".lock"
	lock := flock.New(name, flock.SetPermissions(0o600))
	waiting, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	_, err = lock.TryLockContext(waiting, 20*time.Millisecond)
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		return nil, fmt.Errorf("%w: %s is making or migrating it (%s); try again when that has ended", session.ErrBusy, holderOf(name), name)
	}
	if err != nil {
		return nil, fmt.Errorf("lock %s: %w", name, err)
	}
	if err := os.WriteFile(name, strconv.AppendInt(nil, int64(os.Getpid()), 10), 0o600); err != nil {
		return nil, errors.Join(fmt.Errorf("lock %s: %w", name, plainErrno(err)), lock.Unlock())
	}
	return lock.Unlock, nil
}

// holderOf names the process that left its id in a lock file.
func holderOf(name string) string {
	f, err := os.Open(name)
	if err != nil {
		return "another process"
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, 20))
	pid, parseErr := strconv.Atoi(string(text))
	if err != nil || parseErr != nil {
		return "another process"
	}
	return fmt.Sprintf("process %d", pid)
}

// create makes a Podium store. Until its last statement the file is empty or
// an SQLite file without a table, which everybody takes for absent.
func create(ctx context.Context, m Migration, opts MigrateOptions) (_ Migration, err error) {
	m.Kind, m.Created, m.From, m.To = KindPodium, true, 0, newestSchema()
	f, err := os.OpenFile(m.Path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return m, err
	}
	if err := errors.Join(f.Chmod(0o600), f.Close()); err != nil {
		return m, err
	}
	if name := networkFS(m.Path); name != "" {
		return m, fmt.Errorf("%w: it would be on a network file system (%s); name a file on a local disk", ErrUnsafe, name)
	}
	c, err := dialWriter(ctx, m.Path, opts.Options)
	if err != nil {
		return m, err
	}
	defer func() { err = errors.Join(err, c.close()) }()
	// Pages of 8 KiB hold seven entries of 1 KiB, pages of 4 KiB only three. The
	// size can only be chosen before the first page is written.
	if err := c.run("PRAGMA page_size = 8192"); err != nil {
		return m, err
	}
	if err := wantWAL(c); err != nil {
		return m, err
	}
	now := seconds(opts.Now())
	for _, step := range migrations() {
		if err := apply(ctx, c, step, now, opts.Step, &m); err != nil {
			return m, err
		}
	}
	return m, nil
}

// forward applies what a Podium store lacks: later steps, and listing indexes
// that somebody dropped.
func forward(ctx context.Context, m Migration, sh shape, opts MigrateOptions) (_ Migration, err error) {
	pending := migrations()[sh.schema:]
	var missing []listingObject
	if sh.schema >= listingMigration {
		if missing, err = missingIndexes(ctx, m.Path); err != nil {
			return m, err
		}
	}
	if len(pending) == 0 && len(missing) == 0 {
		return m, nil
	}
	c, err := dialWriter(ctx, m.Path, opts.Options)
	if err != nil {
		return m, err
	}
	defer func() { err = errors.Join(err, c.close()) }()
	now := seconds(opts.Now())
	for _, step := range pending {
		if step.exclusive {
			if err := refuseWhileAlive(c, opts.Alive); err != nil {
				return m, fmt.Errorf("migration %s: %w", step.name, err)
			}
		}
		if err := apply(ctx, c, step, now, opts.Step, &m); err != nil {
			return m, err
		}
	}
	return m, buildIndexes(ctx, c, missing, opts.Step, &m)
}

// refuseWhileAlive names the pods that an exclusive migration would break.
func refuseWhileAlive(c *conn, alive func(session.Process) bool) error {
	pods, err := listPods(c)
	if err != nil {
		return err
	}
	var names []string
	for _, p := range pods {
		if p.EndedAt.IsZero() && alive(p.Process) {
			names = append(names, p.Name)
		}
	}
	if len(names) > 0 {
		return fmt.Errorf("%w: pods of an older podium are alive: %s; stop them first", session.ErrBusy, strings.Join(names, ", "))
	}
	return nil
}

// apply runs one step in one transaction with its record.
func apply(ctx context.Context, c *conn, step migration, now float64, tell func(string, time.Duration), m *Migration) error {
	start := time.Now()
	err := alone(ctx, c, func() error {
		if err := c.Exec(step.sql); err != nil {
			return err
		}
		if err := c.run("INSERT INTO podium_migrations (version, name, applied_at) VALUES (?, ?, ?)", step.version, step.name, now); err != nil {
			return err
		}
		if step.version == 1 {
			if err := c.Exec("PRAGMA application_id = " + strconv.Itoa(applicationID)); err != nil {
				return err
			}
		}
		err := c.run(`INSERT INTO podium_meta (id, origin, schema, created_at) VALUES (1, 'podium', ?, ?)
			ON CONFLICT (id) DO UPDATE SET schema = excluded.schema`, step.version, now)
		if err != nil {
			return err
		}
		if step.version == listingMigration {
			return insertIdentity(c, now)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("migration %s: %w", step.name, err)
	}
	m.did("applied "+step.name, start, tell)
	return nil
}

func (m *Migration) did(what string, start time.Time, tell func(string, time.Duration)) {
	m.Steps = append(m.Steps, what)
	if tell != nil {
		tell(what, time.Since(start))
	}
}

// The steps that bring listing_store_identity and the logs.
const (
	listingMigration = 2
	logMigration     = 3
)

// alone runs change in an immediate transaction of c. It relies on c waiting
// for other writers by itself.
func alone(ctx context.Context, c *conn, change func() error) (err error) {
	c.SetInterrupt(ctx)
	defer func() {
		c.SetInterrupt(context.Background())
		if !c.GetAutocommit() {
			err = errors.Join(err, c.Exec("ROLLBACK"))
		}
	}()
	if err := c.BusyTimeout(30 * time.Second); err != nil {
		return err
	}
	if err := c.Exec("BEGIN IMMEDIATE"); err != nil {
		return err
	}
	if err := change(); err != nil {
		return err
	}
	return c.Exec("COMMIT")
}
