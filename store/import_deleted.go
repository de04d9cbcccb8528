package store

import (
	"context"

	"github.com/ncruces/go-sqlite3"

	"podium.local/session"
)

// keepID begins to remember what belongs to a session that is being deleted. Of
// one that was not imported nothing is: no file holds a copy of it.
func keepID(c *conn, sessionID string) error {
	return c.run("INSERT INTO import_deleted (session_id) SELECT session_id FROM import_sessions WHERE session_id = ? ON CONFLICT DO NOTHING", sessionID)
}

// keepEntryIDs remembers the last of a deleted session's entries, a step's
// worth.
func keepEntryIDs(c *conn, sessionID string, logKey int64) error {
	return c.run(`INSERT INTO import_deleted_entries (entry_id, deleted_key, kind, created_at)
		SELECT entry_id, deleted_key, kind, created_at FROM import_deleted, entries WHERE session_id = ? AND log_key = ? ORDER BY ordinal DESC LIMIT ?
		ON CONFLICT DO NOTHING`, sessionID, logKey, deleteStep)
}

// keepRequests moves a step's worth of a deleted session's requests to where
// they are remembered. It reports whether there were any.
func keepRequests(c *conn, sessionID string, logKey int64) (more bool, err error) {
	err = c.run(`INSERT INTO import_deleted_requests (request, deleted_key)
		SELECT request, deleted_key FROM import_deleted, import_requests WHERE session_id = ? AND log_key = ? ORDER BY request LIMIT ?
		ON CONFLICT DO NOTHING`, sessionID, logKey, deleteStep)
	if err != nil {
		return false, err
	}
	err = c.run("DELETE FROM import_requests WHERE request IN (SELECT request FROM import_requests WHERE log_key = ? ORDER BY request LIMIT ?)", logKey, deleteStep)
	return c.Changes() > 0, err
}

// revive forgets that a session was deleted. What pods had added to it stands in
// no file; that their logs have gaps from now on is told in its transitions.
func revive(c *conn, sessionID string, at float64) error {
	if err := c.run("DELETE FROM tombstones WHERE session_id = ?", sessionID); err != nil {
		return err
	}
	continued, err := wasContinued(c, sessionID)
	if err == nil && continued {
		err = transition{session: sessionID, to: session.StatusCompleted, code: reasonRestored, source: "system", actor: importActor, at: at}.record(c, "")
	}
	if err != nil {
		return err
	}
	return c.run("UPDATE import_session_files SET kept = 0 WHERE session_id = ?", sessionID)
}

// claim remembers what a file brings to a session that was deleted here, so
// that a copy of it in another file stays this session's. What another session
// has already stays that one's, in the same order of files as ever.
func (i *importing) claim(p session.ImportPart) error {
	i.out.Deleted += len(p.Entries)
	i.deleted = true
	if err := i.c.run("INSERT INTO import_deleted (session_id) VALUES (?) ON CONFLICT DO NOTHING", p.SessionID); err != nil {
		return err
	}
	var claimed int64
	for _, e := range p.Entries {
		err := i.c.run(`INSERT INTO import_deleted_entries (entry_id, deleted_key, kind, created_at) SELECT ?1, deleted_key, ?3, ?4 FROM import_deleted
			WHERE session_id = ?2 AND NOT EXISTS (SELECT 1 FROM entries WHERE entry_id = ?1) ON CONFLICT DO NOTHING`,
			entryKey(e.ID), p.SessionID, string(e.Kind), seconds(e.At))
		if err != nil {
			return err
		}
		if i.c.Changes() > 0 {
			claimed++
			continue
		}
		if _, _, err := i.owner(p.SessionID, e); err != nil {
			return err
		}
	}
	for _, r := range p.Requests {
		err := i.c.run(`INSERT INTO import_deleted_requests (request, deleted_key) SELECT ?1, deleted_key FROM import_deleted
			WHERE session_id = ?2 AND NOT EXISTS (SELECT 1 FROM import_requests WHERE request = ?1) ON CONFLICT DO NOTHING`, r.Key[:], p.SessionID)
		if err != nil {
			return err
		}
		if i.c.Changes() > 0 {
			continue
		}
		owner, _, err := i.counter(r)
		if err == nil && owner != p.SessionID {
			err = i.notAfter(owner)
		}
		if err != nil {
			return err
		}
	}
	if claimed > 0 {
		if err := i.inOrder(p.SessionID); err != nil {
			return err
		}
	}
	return i.note(p, claimed, "")
}

// counter is the session that counts a request, or counted it before it was
// deleted here, and the request's number there; empty for none.
func (i *importing) counter(r session.ImportRequest) (sessionID string, number int64, err error) {
	found, err := i.c.row("SELECT session_id, number FROM import_requests JOIN logs USING (log_key) WHERE request = ?", func(stmt *sqlite3.Stmt) error {
		sessionID, number = stmt.ColumnText(0), stmt.ColumnInt64(1)
		return nil
	}, r.Key[:])
	if err != nil || found || !i.deleted {
		return sessionID, number, err
	}
	_, err = i.c.row("SELECT session_id FROM import_deleted_requests JOIN import_deleted USING (deleted_key) WHERE request = ?", func(stmt *sqlite3.Stmt) error {
		sessionID = stmt.ColumnText(0)
		return nil
	}, r.Key[:])
	return sessionID, 0, err
}

// ownerOf is the session that has an entry, or had it when it was deleted here;
// another says that its entry only has the same id and records something else.
func ownerOf(c *conn, e session.ImportEntry) (sessionID string, another bool, err error) {
	_, err = c.row(`SELECT session_id, kind, created_at FROM entries JOIN logs USING (log_key) WHERE entry_id = ?1
		UNION ALL SELECT session_id, kind, created_at FROM import_deleted_entries JOIN import_deleted USING (deleted_key) WHERE entry_id = ?1`,
		func(stmt *sqlite3.Stmt) error {
			sessionID, another = stmt.ColumnText(0), stmt.ColumnText(1) != string(e.Kind) || stmt.ColumnFloat(2) != seconds(e.At)
			return nil
		}, entryKey(e.ID))
	return sessionID, another, err
}

// filesOfDeleted are a tool's files of which a session was deleted here.
// Nothing ties it to one that an earlier podium read after the deletion first.
const filesOfDeleted = `tool = ? AND (EXISTS (SELECT 1 FROM import_session_files JOIN tombstones USING (session_id) WHERE import_session_files.file_key = import_files.file_key)
	OR json_extract(skipped, '$."` + session.SkippedDeleted + `"') > 0)`

// ImportDeleted gives the paths of those files of a tool of which a session was
// deleted here.
func (s *Store) ImportDeleted(ctx context.Context, tool string) (paths []string, err error) {
	if s.kind != KindPodium {
		return nil, explain("read import ledger", errAdopted)
	}
	err = s.read(ctx, func(c *conn) error {
		return c.each("SELECT path FROM import_files WHERE "+filesOfDeleted, func(stmt *sqlite3.Stmt) error {
			paths = append(paths, stmt.ColumnText(0))
			return nil
		}, tool)
	})
	return paths, explain("read import ledger", err)
}

// ImportRestore makes those files of a tool be read again of which a session
// was deleted here. It returns how many there are. A deletion that was
// interrupted is finished first, for what it left cannot be told from the rest.
func (s *Store) ImportRestore(ctx context.Context, tool string) (n int64, err error) {
	for left := true; left; {
		err := s.writePodium(ctx, "finish the deletion of sessions", func(c *conn) error {
			id := ""
			left, err = c.row("SELECT session_id FROM tombstones JOIN import_sessions USING (session_id) WHERE tool = ? LIMIT 1", func(stmt *sqlite3.Stmt) error {
				id = stmt.ColumnText(0)
				return nil
			}, tool)
			if err != nil || !left {
				return err
			}
			if more, err := thin(c, id); err != nil || more {
				return err
			}
			return remove(c, id)
		})
		if err != nil {
			return 0, err
		}
	}
	err = s.writePodium(ctx, "read files of deleted sessions again", func(c *conn) error {
		err := c.run(`UPDATE import_files SET size = -1, cursor = 0, lines = 0, kept = 0, known = 0, damaged = 0, raw = 0, clamped = 0, skipped = NULL,
			problems = NULL, anchor = NULL, state = NULL WHERE `+filesOfDeleted, tool)
		n = c.Changes()
		return err
	})
	return n, err
}
