package store

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// listingObject is one of the things the bounded listing stands on. The text
// is that of migrations/0002_listing.sql.
type listingObject struct{ name, sql string }

var listingIndexes = []listingObject{
	{"idx_sessions_listing_recent", `CREATE INDEX idx_sessions_listing_recent
    ON sessions(updated_at DESC, id DESC)`},
	{"idx_sessions_listing_cost_reported", `CREATE INDEX idx_sessions_listing_cost_reported
    ON sessions(total_cost_usd DESC, updated_at DESC, id DESC)
    WHERE total_cost_usd IS NOT NULL`},
	{"idx_sessions_listing_cost_unknown", `CREATE INDEX idx_sessions_listing_cost_unknown
    ON sessions(updated_at DESC, id DESC)
    WHERE total_cost_usd IS NULL`},
}

const identityTable = `CREATE TABLE listing_store_identity (
    id          INTEGER PRIMARY KEY CHECK (id = 1),
    incarnation TEXT NOT NULL,
    created_at  REAL NOT NULL
)`

const metaTable = `CREATE TABLE podium_meta (
    id         INTEGER PRIMARY KEY CHECK (id = 1),
    origin     TEXT    NOT NULL CHECK (origin IN ('podium', 'adopted')),
    schema     INTEGER NOT NULL,
    created_at REAL    NOT NULL
)`

// adoptionSchema counts the forms of what we put into an adopted store; it has
// nothing to do with the numbers of our own migrations.
const adoptionSchema = 1

// manyRows is from where building an index keeps lionagi waiting longer than
// it waits for a lock.
const manyRows = 500_000

// adopt puts the listing into a store of lionagi's and nothing else: what is
// missing of the three indexes, each in a transaction of its own so that
// lionagi waits for one at a time, the incarnation, and our record.
func adopt(ctx context.Context, m Migration, sh shape, opts MigrateOptions) (_ Migration, err error) {
	m.Kind, m.To = KindAdopted, adoptionSchema
	missing, err := missingIndexes(ctx, m.Path)
	if err != nil {
		return m, err
	}
	recorded := sh.kind == KindAdopted && sh.schema == adoptionSchema && sh.objects["listing_store_identity"] == "table"
	if len(missing) == 0 && recorded {
		return m, nil
	}
	c, err := dialWriter(ctx, m.Path, opts.Options)
	if err != nil {
		return m, err
	}
	defer func() { err = errors.Join(err, c.close()) }()
	rows, err := c.integer("SELECT count(*) FROM sessions")
	if err != nil {
		return m, err
	}
	if rows > opts.ManyRows && len(missing) > 0 && opts.Notice != nil {
		opts.Notice(fmt.Sprintf("the store has %d sessions; stop lionagi meanwhile, it waits less long for a lock than an index takes", rows))
	}
	if err := buildIndexes(ctx, c, missing, opts.Step, &m); err != nil || recorded {
		return m, err
	}
	start, now := time.Now(), seconds(opts.Now())
	err = alone(ctx, c, func() error {
		sh, err := look(c)
		if err != nil {
			return err
		}
		if err := sh.checkTriggers(); err != nil {
			return err
		}
		if sh.objects["listing_store_identity"] == "" {
			if err := c.Exec(identityTable); err != nil {
				return err
			}
		}
		if sh.objects["podium_meta"] == "" {
			if err := c.Exec(metaTable); err != nil {
				return err
			}
		}
		if err := insertIdentity(c, now); err != nil {
			return err
		}
		return c.run(`INSERT INTO podium_meta (id, origin, schema, created_at) VALUES (1, 'adopted', ?, ?)
			ON CONFLICT (id) DO UPDATE SET schema = excluded.schema`, adoptionSchema, now)
	})
	if err != nil {
		return m, fmt.Errorf("record: %w", err)
	}
	m.did("recorded the adoption", start, opts.Step)
	return m, nil
}

// buildIndexes makes listing indexes, each in a transaction of its own. One of
// another shape under a name of ours goes first.
func buildIndexes(ctx context.Context, c *conn, indexes []listingObject, tell func(string, time.Duration), m *Migration) error {
	for _, index := range indexes {
		start := time.Now()
		err := alone(ctx, c, func() error {
			sh, err := look(c)
			if err != nil {
				return err
			}
			if err := sh.checkTriggers(); err != nil {
				return err
			}
			if err := c.Exec("DROP INDEX IF EXISTS " + index.name); err != nil {
				return err
			}
			return c.Exec(index.sql)
		})
		if err != nil {
			return fmt.Errorf("index %s: %w", index.name, err)
		}
		m.did("built index "+index.name, start, tell)
	}
	return nil
}

// missingIndexes looks, without opening the store for writing, which listing
// indexes are not there or not what they have to be.
func missingIndexes(ctx context.Context, path string) (missing []listingObject, err error) {
	c, _, _, err := dialChecked(ctx, path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, c.close()) }()
	states, err := listingIndexStatus(c)
	for i, state := range states {
		if state.State != IndexOK {
			missing = append(missing, listingIndexes[i])
		}
	}
	return missing, err
}
