package store

import (
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

// claim remembers what a file brings to a session that was deleted here, so
// that a copy of it in another file stays this session's. What another session
// has already stays that one's, in the same order of files as ever.
func (i *importing) claim(p session.ImportPart) error {
	i.out.Deleted += len(p.Entries)
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
	return i.note(p, claimed)
}

// counter is the session that counts a request, or counted it before it was
// deleted here, and the request's number there; empty for none.
func (i *importing) counter(r session.ImportRequest) (sessionID string, number int64, err error) {
	_, err = i.c.row(`SELECT session_id, number FROM import_requests JOIN logs USING (log_key) WHERE request = ?1
		UNION ALL SELECT session_id, -1 FROM import_deleted_requests JOIN import_deleted USING (deleted_key) WHERE request = ?1`,
		func(stmt *sqlite3.Stmt) error {
			sessionID, number = stmt.ColumnText(0), stmt.ColumnInt64(1)
			return nil
		}, r.Key[:])
	return sessionID, number, err
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
