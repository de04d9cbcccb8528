package store

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/ncruces/go-sqlite3"

	"podium.local/session"
)

// upsertImportFile writes the ledger's row of a file, all but what was kept of
// it, and returns its key.
func upsertImportFile(c *conn, f session.ImportFile, at float64) (key int64, err error) {
	skipped, err := jsonOrNull(f.Skipped, len(f.Skipped))
	if err != nil {
		return 0, err
	}
	problems, err := jsonOrNull(f.Problems, len(f.Problems))
	if err != nil {
		return 0, err
	}
	_, err = c.row(`INSERT INTO import_files (tool, path, size, mod_time, cursor, lines, damaged, raw, clamped, skipped, problems, last_error, read_at,
			rank, anchor, state) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (tool, path) DO UPDATE SET size = excluded.size, mod_time = excluded.mod_time, cursor = excluded.cursor, lines = excluded.lines,
			damaged = excluded.damaged, raw = excluded.raw, clamped = excluded.clamped, skipped = excluded.skipped, problems = excluded.problems,
			last_error = excluded.last_error, read_at = excluded.read_at, gone_at = NULL, rank = excluded.rank, anchor = excluded.anchor,
			state = excluded.state
		RETURNING file_key`, func(stmt *sqlite3.Stmt) error {
		key = stmt.ColumnInt64(0)
		return nil
	}, f.Tool, f.Path, f.Size, f.ModTime.UnixNano(), f.Cursor, f.Lines, f.Damaged, f.Raw, f.Clamped, skipped, problems, orNull(f.LastError), at,
		f.Rank, f.Anchor, f.State)
	return key, err
}

func jsonOrNull(v any, n int) (json.RawMessage, error) {
	if n == 0 {
		return nil, nil
	}
	return encode(v)
}

const (
	importFileSummary = `tool, path, size, mod_time, cursor, lines, kept, known, damaged, raw, clamped, skipped, problems, coalesce(last_error, ''),
	read_at, gone_at, rank`
	importFileColumns = importFileSummary + ", anchor, state"
)

func scanImportFile(stmt *sqlite3.Stmt) (session.ImportFile, error) {
	f := session.ImportFile{
		Tool: stmt.ColumnText(0), Path: stmt.ColumnText(1), Size: stmt.ColumnInt64(2), ModTime: time.Unix(0, stmt.ColumnInt64(3)).UTC(),
		Cursor: stmt.ColumnInt64(4), Lines: stmt.ColumnInt64(5), Kept: stmt.ColumnInt64(6), Known: stmt.ColumnInt64(7), Damaged: stmt.ColumnInt64(8),
		Raw: stmt.ColumnInt64(9), Clamped: stmt.ColumnInt64(10), LastError: stmt.ColumnText(13), ReadAt: columnTime(stmt, 14), GoneAt: columnTime(stmt, 15),
		Rank: stmt.ColumnText(16), Anchor: stmt.ColumnBlob(17, nil),
	}
	if stmt.ColumnType(18) != sqlite3.NULL {
		f.State = json.RawMessage(stmt.ColumnText(18))
	}
	for col, to := range map[int]any{11: &f.Skipped, 12: &f.Problems} {
		if stmt.ColumnType(col) == sqlite3.NULL {
			continue
		}
		if err := json.Unmarshal(stmt.ColumnRawText(col), to); err != nil {
			return f, fmt.Errorf("ledger of %s: %w", f.Path, err)
		}
	}
	return f, nil
}

// ImportFiles gives the ledger's rows of some of a tool's files, in the order
// of paths; files without a row are left out.
func (s *Store) ImportFiles(ctx context.Context, tool string, paths []string) (files []session.ImportFile, err error) {
	if s.kind != KindPodium {
		return nil, explain("read import ledger", errAdopted)
	}
	err = s.read(ctx, func(c *conn) error {
		for _, path := range paths {
			_, err := c.row("SELECT "+importFileColumns+" FROM import_files WHERE tool = ? AND path = ?", func(stmt *sqlite3.Stmt) error {
				f, err := scanImportFile(stmt)
				files = append(files, f)
				return err
			}, tool, path)
			if err != nil {
				return err
			}
		}
		return nil
	})
	return files, explain("read import ledger", err)
}

// ImportFilesAfter gives up to limit of the ledger's rows of a tool in order of
// path, those whose path comes after the given one. What the parser left there
// (Anchor and State) is left out.
func (s *Store) ImportFilesAfter(ctx context.Context, tool, path string, limit int) (files []session.ImportFile, err error) {
	if s.kind != KindPodium {
		return nil, explain("read import ledger", errAdopted)
	}
	err = s.read(ctx, func(c *conn) error {
		return c.each("SELECT "+importFileSummary+", NULL, NULL FROM import_files WHERE tool = ? AND path > ? ORDER BY path LIMIT ?", func(stmt *sqlite3.Stmt) error {
			f, err := scanImportFile(stmt)
			files = append(files, f)
			return err
		}, tool, path, limit)
	})
	return files, explain("read import ledger", err)
}

// ImportFilesOf gives the paths of the files that a session was read from, in
// order of rank.
func (s *Store) ImportFilesOf(ctx context.Context, sessionID string) (paths []string, err error) {
	if s.kind != KindPodium {
		return nil, explain("read import ledger", errAdopted)
	}
	err = s.read(ctx, func(c *conn) error {
		return c.each("SELECT path FROM import_session_files JOIN import_files USING (file_key) WHERE session_id = ? ORDER BY rank", func(stmt *sqlite3.Stmt) error {
			paths = append(paths, stmt.ColumnText(0))
			return nil
		}, sessionID)
	})
	return paths, explain("read import ledger", err)
}

// ImportHas says what is there of a session and of these entries of it, which
// may be another session's, one that was deleted here included.
func (s *Store) ImportHas(ctx context.Context, sessionID string, entries []session.ImportEntry) (has session.ImportPresence, err error) {
	if s.kind != KindPodium {
		return has, explain("look for session "+sessionID, errAdopted)
	}
	err = s.read(ctx, func(c *conn) error {
		has = session.ImportPresence{Entries: make([]bool, len(entries))}
		for query, found := range map[string]*bool{
			"SELECT count(*) FROM sessions WHERE id = ?":           &has.Session,
			"SELECT count(*) FROM tombstones WHERE session_id = ?": &has.Deleted,
		} {
			n, err := c.integer(query, sessionID)
			if err != nil {
				return err
			}
			*found = n > 0
		}
		for n, e := range entries {
			owner, another, err := ownerOf(c, e)
			if err != nil {
				return err
			}
			switch {
			case owner == sessionID:
				has.Entries[n] = !has.Deleted // remembered, not there
			case another:
				there, err := c.integer("SELECT count(*) FROM entries WHERE entry_id = ?", entryKey(derivedID(sessionID, e.ID)))
				if err != nil {
					return err
				}
				has.Entries[n] = there > 0
			default:
				has.Entries[n] = owner != ""
			}
		}
		return nil
	})
	return has, explain("look for session "+sessionID, err)
}

// unreadFiles empties the ledger's rows of the files of a session.
const unreadFiles = `UPDATE import_files SET size = -1, cursor = 0, lines = 0, kept = 0, known = 0, damaged = 0, raw = 0, clamped = 0,
	skipped = NULL, problems = NULL, anchor = NULL, state = NULL
	WHERE file_key IN (SELECT file_key FROM import_session_files WHERE session_id = ?)`

// ImportReset makes the files of a session be read again from the beginning
// and takes what was read of them out of it, a step a transaction. The
// session's row, its tags and its name stay. The files of its forks are read
// again too, to find whom they share with now. It returns all these paths, none
// when a pod has gone on with the session: what it wrote stands in no file.
func (s *Store) ImportReset(ctx context.Context, sessionID string) (paths []string, err error) {
	tried := "read session " + sessionID + " again"
	err = s.writePodium(ctx, tried, func(c *conn) error {
		paths = nil
		if continued, err := wasContinued(c, sessionID); err != nil || continued {
			return err
		}
		ids := []string{sessionID}
		err := c.each("SELECT session_id FROM import_sessions WHERE forked_from = ?", func(stmt *sqlite3.Stmt) error {
			ids = append(ids, stmt.ColumnText(0))
			return nil
		}, sessionID)
		if err != nil {
			return err
		}
		for _, id := range ids {
			err := c.each("SELECT path FROM import_files JOIN import_session_files USING (file_key) WHERE session_id = ? AND gone_at IS NULL", func(stmt *sqlite3.Stmt) error {
				paths = append(paths, stmt.ColumnText(0))
				return nil
			}, id)
			if err != nil {
				return err
			}
			if err := c.run(unreadFiles+" AND gone_at IS NULL", id); err != nil {
				return err
			}
			if err := c.run("UPDATE import_session_files SET copied_from = NULL WHERE session_id = ?", id); err != nil {
				return err
			}
		}
		// What a deleted session claims is claimed again, in the order of its files.
		if err := c.run("DELETE FROM import_deleted WHERE session_id = ?", sessionID); err != nil {
			return err
		}
		// A fork that its own file calls one stays one: noForkOf has to find it.
		if err := c.run("UPDATE import_sessions SET forked_from = NULL WHERE session_id = ?1 OR forked_from = ?1 AND tool <> 'codex'", sessionID); err != nil {
			return err
		}
		err = c.run("UPDATE sessions SET updated_at = created_at, ended_at = min(ended_at, created_at), last_message_at = NULL WHERE id = ?", sessionID)
		if err != nil {
			return err
		}
		return c.run("UPDATE import_session_files SET kept = 0 WHERE session_id = ?", sessionID)
	})
	for more := err == nil; more && err == nil; {
		err = s.writePodium(ctx, tried, func(c *conn) error {
			continued, err := wasContinued(c, sessionID)
			if more = !continued; err == nil && more {
				more, err = unread(c, sessionID)
			}
			return err
		})
	}
	return paths, err
}

// unread removes a step's worth of an imported session's usage and entries.
// Counters, totals and the rollup stay true.
func unread(c *conn, sessionID string) (more bool, err error) {
	var logKey int64
	found, err := c.row("SELECT log_key FROM logs WHERE session_id = ?", func(stmt *sqlite3.Stmt) error {
		logKey = stmt.ColumnInt64(0)
		return nil
	}, sessionID)
	if err != nil || !found {
		return false, err
	}
	var used []int64
	err = c.each("SELECT number FROM usage_records WHERE log_key = ? ORDER BY number DESC LIMIT ?", func(stmt *sqlite3.Stmt) error {
		used = append(used, stmt.ColumnInt64(0))
		return nil
	}, logKey, deleteStep)
	if err != nil {
		return false, err
	}
	for _, number := range used {
		var old usageRecord
		if _, err := c.row(usageRecordSQL, func(stmt *sqlite3.Stmt) error {
			old = scanUsageRecord(stmt)
			return nil
		}, logKey, number); err != nil {
			return false, err
		}
		if err := c.run("DELETE FROM import_requests WHERE log_key = ? AND number = ?", logKey, number); err != nil {
			return false, err
		}
		if err := replaceUsage(c, logKey, old, nil, 0); err != nil {
			return false, err
		}
	}
	if len(used) > 0 {
		return true, sumTotals(c, sessionID, logKey)
	}
	return shorten(c, logKey)
}

// ImportGone marks files of a tool that are no longer there. Nothing that was
// read from them changes.
func (s *Store) ImportGone(ctx context.Context, tool string, paths []string) error {
	at := seconds(s.opts.Now())
	for len(paths) > 0 {
		n := min(len(paths), deleteStep)
		err := s.writePodium(ctx, "mark vanished files", func(c *conn) error {
			for _, path := range paths[:n] {
				if err := c.run("UPDATE import_files SET gone_at = coalesce(gone_at, ?) WHERE tool = ? AND path = ?", at, tool, path); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		paths = paths[n:]
	}
	return nil
}

// ImportForget takes a file, or all files below a folder, out of the ledger.
// The sessions that were read from them stay. It returns how many files there
// were.
func (s *Store) ImportForget(ctx context.Context, path string) (n int64, err error) {
	for {
		var gone int64
		err := s.writePodium(ctx, "forget "+path, func(c *conn) error {
			below := path + "/"
			err := c.run(`DELETE FROM import_files WHERE file_key IN (SELECT file_key FROM import_files
				WHERE path = ?1 OR substr(path, 1, ?2) = ?3 LIMIT ?4)`, path, len([]rune(below)), below, deleteStep)
			gone = c.Changes()
			return err
		})
		n += gone
		if err != nil || gone < deleteStep {
			return n, err
		}
	}
}
