package store

import (
	"context"
	"fmt"

	"github.com/ncruces/go-sqlite3"

	"podium.local/session"
)

// hydrateTags fills the tags of rows. A store that never had a tag may lack
// the table.
func (s *snap) hydrateTags(rows []session.Row) error {
	if !s.facts.has("run_tags") || len(rows) == 0 {
		return nil
	}
	at := make(map[string]int, len(rows))
	ids := make([]string, len(rows))
	for i := range rows {
		at[rows[i].ID], ids[i] = i, rows[i].ID
	}
	param, err := list(ids)
	if err != nil {
		return err
	}
	return s.each("SELECT session_id, tag FROM run_tags WHERE session_id IN (SELECT value FROM json_each(?)) ORDER BY session_id, tag",
		func(stmt *sqlite3.Stmt) error {
			if i, ok := at[stmt.ColumnText(0)]; ok {
				rows[i].Tags = append(rows[i].Tags, stmt.ColumnText(1))
			}
			return nil
		}, param)
}

// AddTag puts a tag on a session and returns all of its tags, sorted.
func (v *View) AddTag(ctx context.Context, id, tag string) (tags []string, err error) {
	err = v.change(ctx, func(o *opened) error {
		return o.write(ctx, "tag session "+id, func(c *conn) error {
			if found, err := c.row("SELECT 1 FROM sessions WHERE id = ?", func(*sqlite3.Stmt) error { return nil }, id); err != nil || !found {
				if err == nil {
					err = session.ErrNotFound
				}
				return err
			}
			// lionagi makes the table with its first tag, in this shape.
			if err := ensureTags(c); err != nil {
				return err
			}
			err := c.run("INSERT INTO run_tags (session_id, tag, created_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING", id, tag, seconds(o.opts.Now()))
			if err != nil {
				return err
			}
			tags, err = tagsOf(c, id)
			return err
		})
	})
	return tags, err
}

// RemoveTag takes a tag off a session and returns the remaining ones, sorted.
// It makes nothing: no store, no table.
func (v *View) RemoveTag(ctx context.Context, id, tag string) (tags []string, err error) {
	if !v.Present() {
		return nil, nil
	}
	err = v.change(ctx, func(o *opened) error {
		return o.write(ctx, "untag session "+id, func(c *conn) error {
			if n, err := c.integer("SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'run_tags'"); err != nil || n == 0 {
				return err
			}
			if err := c.run("DELETE FROM run_tags WHERE session_id = ? AND tag = ?", id, tag); err != nil {
				return err
			}
			tags, err = tagsOf(c, id)
			return err
		})
	})
	return tags, err
}

// ensureTags makes the table where an old store of lionagi's lacks it.
func ensureTags(c *conn) error {
	n, err := c.integer("SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'run_tags'")
	if err != nil || n == 1 {
		return err
	}
	err = c.Exec(`CREATE TABLE run_tags (
	session_id TEXT NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
	tag        TEXT NOT NULL,
	created_at REAL NOT NULL,
	PRIMARY KEY (session_id, tag)
); CREATE INDEX idx_run_tags_tag ON run_tags(tag)`)
	if err != nil {
		return fmt.Errorf("make the table of tags: %w", err)
	}
	return nil
}

func tagsOf(c *conn, id string) (tags []string, err error) {
	err = c.each("SELECT tag FROM run_tags WHERE session_id = ? ORDER BY tag", func(stmt *sqlite3.Stmt) error {
		tags = append(tags, stmt.ColumnText(0))
		return nil
	}, id)
	return tags, err
}
