package store

import (
	"context"
	"fmt"
	"time"

	"github.com/ncruces/go-sqlite3"

	"podium.local/session"
)

// deleteStep is how many rows one transaction of a deletion removes, so that
// no pod waits for a long one.
const deleteStep = 500

// RenameSession sets a session's stored name. It is no activity: the session
// keeps its place in the listing.
func (v *View) RenameSession(ctx context.Context, id, name string) error {
	return v.change(ctx, func(o *opened) error {
		return o.writePodium(ctx, "rename session "+id, func(c *conn) error {
			if err := c.run("UPDATE sessions SET name = ? WHERE id = ?", session.Clip(name, maxName), id); err != nil {
				return err
			}
			return wantChange(c, id)
		})
	})
}

// wantChange reports a session that the statement before did not find.
func wantChange(c *conn, id string) error {
	if c.Changes() == 0 {
		return fmt.Errorf("session %s: %w", id, session.ErrNotFound)
	}
	return nil
}

// DeleteSession removes a session, its log and what it used, and remembers its
// id. A large one goes in steps; when it is interrupted the session stays, is
// listed with what is left of it, and can be deleted again.
func (v *View) DeleteSession(ctx context.Context, id string, at time.Time) error {
	return v.change(ctx, func(o *opened) error {
		tried := "delete session " + id
		if err := o.writePodium(ctx, tried, func(c *conn) error { return o.bury(c, id, seconds(at)) }); err != nil {
			return err
		}
		for more := true; more; {
			err := o.writePodium(ctx, tried, func(c *conn) (err error) {
				if err := o.free(c, id); err != nil {
					return err
				}
				more, err = thin(c, id)
				return err
			})
			if err != nil {
				return err
			}
		}
		return o.writePodium(ctx, tried, func(c *conn) error {
			if err := o.free(c, id); err != nil {
				return err
			}
			return remove(c, id)
		})
	})
}

// bury checks that the session can go and remembers it as gone.
func (o *opened) bury(c *conn, id string, at float64) error {
	found, err := c.row("SELECT 1 FROM sessions WHERE id = ?", func(*sqlite3.Stmt) error { return nil }, id)
	if err != nil {
		return err
	}
	if !found {
		return fmt.Errorf("session %s: %w", id, session.ErrNotFound)
	}
	if err := o.free(c, id); err != nil {
		return err
	}
	if err := c.run("INSERT INTO tombstones (session_id, deleted_at) VALUES (?, ?) ON CONFLICT DO NOTHING", id, at); err != nil {
		return err
	}
	return keepID(c, id)
}

// free refuses a session that a living process holds. A pod may have taken it
// since the step before.
func (o *opened) free(c *conn, id string) error {
	var holders []session.Process
	err := c.each("SELECT pid, pid_create_time, pid_host, pid_boot_time FROM pods WHERE session_id = ? AND ended_at IS NULL", func(stmt *sqlite3.Stmt) error {
		holders = append(holders, session.Process{
			PID: stmt.ColumnInt(0), CreateTime: stmt.ColumnFloat(1), Host: stmt.ColumnText(2), BootTime: stmt.ColumnFloat(3),
		})
		return nil
	}, id)
	if err != nil {
		return err
	}
	for _, p := range holders {
		if o.opts.Alive(p) {
			return fmt.Errorf("process %d: %w", p.PID, session.ErrHeld)
		}
	}
	return nil
}

// thin removes a step's worth of a session's usage and entries, newest first.
// What the usage added to the rollup leaves it in the same transaction. The ids
// of an imported session's are remembered.
func thin(c *conn, id string) (more bool, err error) {
	var logKey int64
	found, err := c.row("SELECT log_key FROM logs WHERE session_id = ?", func(stmt *sqlite3.Stmt) error {
		logKey = stmt.ColumnInt64(0)
		return nil
	}, id)
	if err != nil || !found {
		return false, err
	}
	type usage struct {
		key    rollupKey
		cost   *float64
		number int64
	}
	var used []usage
	err = c.each("SELECT number, created_at, project, provider, model, cost_usd FROM usage_records WHERE log_key = ? LIMIT ?", func(stmt *sqlite3.Stmt) error {
		used = append(used, usage{
			key:  rollupKey{quarterOf(stmt.ColumnFloat(1)), stmt.ColumnText(2), stmt.ColumnText(3), stmt.ColumnText(4)},
			cost: optionalFloat(stmt, 5), number: stmt.ColumnInt64(0),
		})
		return nil
	}, logKey, deleteStep)
	if err != nil {
		return false, err
	}
	for _, u := range used {
		d := drift{key: u.key, unpriced: 1}
		if u.cost != nil {
			d.usd, d.priced, d.unpriced = *u.cost, 1, 0
		}
		if err := subtract(c, d); err != nil {
			return false, err
		}
		if err := c.run("DELETE FROM usage_records WHERE log_key = ? AND number = ?", logKey, u.number); err != nil {
			return false, err
		}
	}
	if len(used) == deleteStep {
		return true, nil
	}
	if more, err := keepRequests(c, id, logKey); err != nil || more {
		return more, err
	}
	if err := keepEntryIDs(c, id, logKey); err != nil {
		return false, err
	}
	return shorten(c, logKey)
}

// shorten removes a step's worth of the newest entries of a log. It reports
// whether there were any. What is left is not counted again.
func shorten(c *conn, logKey int64) (more bool, err error) {
	const newest = "FROM entries WHERE log_key = ?1 ORDER BY ordinal DESC LIMIT ?2)"
	messages, err := c.integer("SELECT count(*) FROM (SELECT kind "+newest+" WHERE kind IN "+messageKinds, logKey, deleteStep)
	if err != nil {
		return false, err
	}
	if err := c.run("DELETE FROM entries WHERE entry_key IN (SELECT entry_key "+newest, logKey, deleteStep); err != nil {
		return false, err
	}
	gone := c.Changes()
	if gone == 0 {
		return false, nil
	}
	return true, c.run("UPDATE logs SET entries = entries - ?, messages = messages - ? WHERE log_key = ?", gone, messages, logKey)
}

// subtract takes a booking out of the rollup; a row that counts nothing any
// more goes.
func subtract(c *conn, d drift) error {
	k := d.key
	err := c.run(`UPDATE usage_quarter SET priced_usd = priced_usd - ?5, priced_n = priced_n - ?6, unpriced_n = unpriced_n - ?7,
		sessions_started = sessions_started - ?8 WHERE quarter_utc = ?1 AND project = ?2 AND provider = ?3 AND model = ?4`,
		k.quarter, k.project, k.provider, k.model, d.usd, d.priced, d.unpriced, d.started)
	if err != nil {
		return err
	}
	return c.run(`DELETE FROM usage_quarter WHERE quarter_utc = ? AND project = ? AND provider = ? AND model = ?
		AND priced_n = 0 AND unpriced_n = 0 AND sessions_started = 0`, k.quarter, k.project, k.provider, k.model)
}

// remove takes the row away, and with it what hangs on it; its progressions,
// which nothing hangs on any more, go too.
func remove(c *conn, id string) error {
	_, err := c.row("SELECT opened_at, opened_project, opened_provider, opened_model FROM logs WHERE session_id = ?", func(stmt *sqlite3.Stmt) error {
		return subtract(c, drift{
			key:     rollupKey{quarterOf(stmt.ColumnFloat(0)), stmt.ColumnText(1), stmt.ColumnText(2), stmt.ColumnText(3)},
			started: 1,
		})
	}, id)
	if err != nil {
		return err
	}
	var progressions []string
	err = c.each("SELECT progression_id FROM sessions WHERE id = ?1 UNION SELECT progression_id FROM branches WHERE session_id = ?1", func(stmt *sqlite3.Stmt) error {
		progressions = append(progressions, stmt.ColumnText(0))
		return nil
	}, id)
	if err != nil {
		return err
	}
	if err := c.run("DELETE FROM sessions WHERE id = ?", id); err != nil {
		return err
	}
	for _, p := range progressions {
		err := c.run(`DELETE FROM progressions WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM sessions WHERE progression_id = ?1)
			AND NOT EXISTS (SELECT 1 FROM branches WHERE progression_id = ?1)`, p)
		if err != nil {
			return err
		}
	}
	return nil
}
