package store

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/ncruces/go-sqlite3"

	"podium.local/session"
)

// Reason codes and actor of what an import writes.
const (
	reasonImported = "session.imported"
	reasonRestored = "session.restored"
	importActor    = "import"
)

// importTurn is how long ImportBatches goes on with further batches in one
// transaction. It keeps a full batch that comes last below the 50 ms that a
// writer may have the lock for.
const importTurn = 25 * time.Millisecond

// ImportBatches stores the first of several batches in one transaction, as
// many as there is time for and one at least, and returns what became of each
// of these. Of a batch all is stored or nothing: entries that are not there
// yet, requests, what the file says of its sessions, and how far it is read.
//
// An error is the first batch's, and nothing is stored; one that fails later
// ends the row before it. A *session.ImportOrderError says that the session it
// names has to be reset and its files read again after this one.
func (s *Store) ImportBatches(ctx context.Context, batches []session.ImportBatch) (outs []session.ImportOutcome, err error) {
	for len(batches) > 0 {
		failed := 0
		err = s.writePodium(ctx, "import "+batches[0].File.Path, func(c *conn) error {
			outs = nil
			for begun := s.opts.Now(); len(outs) < len(batches) && (len(outs) == 0 || s.opts.Now().Sub(begun) < importTurn); {
				out, err := s.importBatch(c, batches[len(outs)])
				if err != nil {
					failed = len(outs)
					return err
				}
				outs = append(outs, out)
			}
			return nil
		})
		if err == nil {
			return outs, nil
		}
		batches = batches[:failed] // those went well
	}
	return nil, err
}

func (s *Store) importBatch(c *conn, b session.ImportBatch) (out session.ImportOutcome, err error) {
	i := &importing{c: c, file: b.File, restore: b.Restore, at: seconds(s.orNow(b.File.ReadAt)), out: &out}
	deleted, err := c.integer("SELECT EXISTS (SELECT 1 FROM import_deleted)")
	if err != nil {
		return out, err
	}
	i.deleted = deleted > 0
	if i.fileKey, err = upsertImportFile(c, b.File, i.at); err != nil {
		return out, err
	}
	for _, p := range b.Parts {
		if err := i.part(p); err != nil {
			return out, err
		}
	}
	if out.Deleted > 0 {
		if err := i.skipDeleted(); err != nil {
			return out, err
		}
	}
	if out.Kept+out.Known == 0 {
		return out, nil
	}
	return out, c.run("UPDATE import_files SET kept = kept + ?, known = known + ? WHERE file_key = ?", out.Kept, out.Known, i.fileKey)
}

// skipDeleted says in the ledger what of the batch was left out.
func (i *importing) skipDeleted() error {
	skipped := map[string]int64{session.SkippedDeleted: int64(i.out.Deleted)}
	for reason, n := range i.file.Skipped {
		skipped[reason] += n
	}
	text, err := encode(skipped)
	if err != nil {
		return err
	}
	return i.c.run("UPDATE import_files SET skipped = ? WHERE file_key = ?", text, i.fileKey)
}

// importing is one batch on its way into the store.
type importing struct {
	c       *conn
	file    session.ImportFile
	fileKey int64
	restore bool
	at      float64 // when it was read
	// deleted says that something is remembered of sessions that were deleted here.
	deleted bool
	out     *session.ImportOutcome
}

// part stores what the batch brings to one session.
func (i *importing) part(p session.ImportPart) error {
	if err := i.noForkOf(p); err != nil {
		return err
	}
	gone, err := i.c.integer("SELECT count(*) FROM tombstones WHERE session_id = ?", p.SessionID)
	if err != nil {
		return err
	}
	switch {
	case gone > 0 && i.restore:
		if err := revive(i.c, p.SessionID, i.at); err != nil {
			return err
		}
	case gone > 0:
		return i.claim(p)
	}
	known, err := i.c.integer("SELECT count(*) FROM import_sessions WHERE session_id = ?", p.SessionID)
	if err != nil {
		return err
	}
	if known == 0 {
		if !p.Opens() {
			return i.note(p, 0, "")
		}
		if err := i.open(p); err != nil {
			return err
		}
	}
	row, err := i.load(p.SessionID)
	if err != nil {
		return err
	}
	stored, forkedFrom, err := i.append(row, p)
	if err != nil {
		return err
	}
	if err := i.count(row, p); err != nil {
		return err
	}
	if err := i.note(p, stored, forkedFrom); err != nil {
		return err
	}
	err = i.c.run(`UPDATE import_sessions SET parent = coalesce(parent, ?1), forked_from = coalesce((SELECT copied_from FROM import_session_files AS f
		JOIN import_files USING (file_key) WHERE f.session_id = ?2 AND copied_from IS NOT NULL ORDER BY rank DESC LIMIT 1), forked_from) WHERE session_id = ?2`,
		orNull(p.Parent), p.SessionID)
	if err != nil {
		return err
	}
	return i.describe(row)
}

// note keeps what the file says of a session; shared is the session that owns
// the last of those entries that are not this one's.
func (i *importing) note(p session.ImportPart, stored int64, shared string) error {
	facts, err := encode(p.Facts)
	if err != nil {
		return fmt.Errorf("facts of session %s: %w", p.SessionID, err)
	}
	return i.c.run(`INSERT INTO import_session_files (session_id, file_key, kept, facts, copied_from) VALUES (?1, ?2, ?3, ?4, ?5)
		ON CONFLICT (session_id, file_key) DO UPDATE SET kept = kept + ?3, facts = ?4, copied_from = coalesce(?5, copied_from)`,
		p.SessionID, i.fileKey, stored, facts, orNull(cmp.Or(p.ForkedFrom, shared)))
}

// open makes the rows of a session that was not imported before. What it is
// like is written by describe.
func (i *importing) open(p session.ImportPart) error {
	at := seconds(p.Facts.First)
	progression := derivedID(p.SessionID, "progression")
	kind := "imported_fs"
	if p.Tool == "codex" {
		kind = "imported_codex"
	}
	if err := i.c.run("INSERT INTO progressions (id, created_at) VALUES (?, ?)", progression, at); err != nil {
		return err
	}
	err := i.c.run(`INSERT INTO sessions (id, cc_session_id, created_at, progression_id, updated_at, invocation_kind, source_kind, status,
		status_reason_code, started_at, ended_at, ended_at_is_approximate) VALUES (?1, ?2, ?3, ?4, ?3, 'agent', ?5, 'completed', ?6, ?3, ?3, 1)`,
		p.SessionID, orNull(p.VendorID), at, progression, kind, reasonImported)
	if err != nil {
		return err
	}
	err = i.c.run("INSERT INTO branches (id, created_at, session_id, progression_id, started_at) VALUES (?1, ?2, ?3, ?4, ?2)",
		derivedID(p.SessionID, "branch"), at, p.SessionID, progression)
	if err != nil {
		return err
	}
	if err := i.c.run("INSERT INTO logs (session_id, opened_at) VALUES (?, ?)", p.SessionID, at); err != nil {
		return err
	}
	if err := bookStart(i.c, at, "", "", ""); err != nil {
		return err
	}
	err = i.c.run(`INSERT INTO status_transitions (id, entity_type, entity_id, status, reason_code, source, actor, created_at)
		VALUES (?, 'session', ?, 'completed', ?, 'system', ?, ?) ON CONFLICT DO NOTHING`, // it outlives a deleted session
		derivedID(p.SessionID, "transition"), p.SessionID, reasonImported, importActor, at)
	if err != nil {
		return err
	}
	i.out.NewSessions++
	return i.c.run("INSERT INTO import_sessions (session_id, tool, vendor_id, subagent_id) VALUES (?, ?, ?, ?)",
		p.SessionID, p.Tool, p.VendorID, p.SubagentID)
}

// derivedID names a row that belongs to an imported session, the same on every
// import.
func derivedID(sessionID, what string) string {
	return uuid.NewSHA1(uuid.Nil, []byte("podium-import/1\x00"+sessionID+"\x00"+what)).String()
}

// importRow is an imported session's log as it stands.
type importRow struct {
	session                             string
	logKey                              int64
	entries, requests                   int64
	openedAt                            float64
	openedProject, openedVendor, opened string
}

func (i *importing) load(id string) (row importRow, err error) {
	row.session = id
	found, err := i.c.row("SELECT log_key, entries, opened_at, opened_project, opened_provider, opened_model, priced_requests + unpriced_requests FROM logs WHERE session_id = ?",
		func(stmt *sqlite3.Stmt) error {
			row.logKey, row.entries, row.openedAt = stmt.ColumnInt64(0), stmt.ColumnInt64(1), stmt.ColumnFloat(2)
			row.openedProject, row.openedVendor, row.opened = stmt.ColumnText(3), stmt.ColumnText(4), stmt.ColumnText(5)
			row.requests = stmt.ColumnInt64(6)
			return nil
		}, id)
	if err == nil && !found {
		err = fmt.Errorf("log of session %s: %w", id, session.ErrNotFound)
	}
	return row, err
}

// append adds the entries that are new. forkedFrom is the session that owns
// the last one of the others, empty when they are all this session's.
func (i *importing) append(row importRow, p session.ImportPart) (stored int64, forkedFrom string, err error) {
	var messages int64
	ordinal := row.entries
	insert := "INSERT INTO entries (log_key, ordinal, entry_id, kind, created_at, payload) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (entry_id) DO NOTHING"
	unlessDeleted := insert
	if i.deleted {
		unlessDeleted = `INSERT INTO entries (log_key, ordinal, entry_id, kind, created_at, payload) SELECT ?1, ?2, ?3, ?4, ?5, ?6
			WHERE NOT EXISTS (SELECT 1 FROM import_deleted_entries WHERE entry_id = ?3) ON CONFLICT (entry_id) DO NOTHING`
	}
	for _, e := range p.Entries {
		payload, err := encode(e.Payload)
		if err != nil {
			return 0, "", fmt.Errorf("payload of %s entry %s: %w", e.Kind, e.ID, err)
		}
		err = i.c.run(unlessDeleted, row.logKey, ordinal, entryKey(e.ID), string(e.Kind), seconds(e.At), payload)
		if err != nil {
			return 0, "", err
		}
		if i.c.Changes() == 0 {
			owner, another, err := i.owner(row.session, e)
			if err != nil {
				return 0, "", err
			}
			if another {
				err = i.c.run(insert, row.logKey, ordinal, entryKey(derivedID(row.session, e.ID)), string(e.Kind), seconds(e.At), payload)
				if err != nil {
					return 0, "", err
				}
			}
			if !another || i.c.Changes() == 0 {
				i.out.Known++
				if owner != "" && !another {
					forkedFrom = owner
				}
				continue
			}
		}
		ordinal++
		stored++
		if session.RoleOf(e.Kind) != "" {
			messages++
		}
	}
	if stored == 0 {
		return 0, forkedFrom, nil
	}
	i.out.Kept += int(stored)
	if err := i.inOrder(row.session); err != nil {
		return 0, "", err
	}
	return stored, forkedFrom, i.c.run("UPDATE logs SET entries = ?, messages = messages + ? WHERE log_key = ?", ordinal, messages, row.logKey)
}

// owner is the other session that has an entry, or had it when it was deleted
// here, empty when it is this one's; another says that its entry only has the
// same id and records something else. It fails when that session was read from a
// file that comes after this one.
func (i *importing) owner(sessionID string, e session.ImportEntry) (owner string, another bool, err error) {
	owner, another, err = ownerOf(i.c, e)
	if err != nil || owner == sessionID {
		return "", false, err
	}
	return owner, another, i.notAfter(owner)
}

// rereadable is the condition that a session's entries may be taken out and read
// again from its files: all are there, and none of the entries is a pod's.
const rereadable = `AND NOT EXISTS (SELECT 1 FROM import_session_files AS other JOIN import_files AS f ON f.file_key = other.file_key
		WHERE other.session_id = import_session_files.session_id AND f.gone_at IS NOT NULL)
	AND NOT EXISTS (` + continuations + ` AND entity_id = import_session_files.session_id)`

// continuations are the times that a pod went on with a session, as far as what
// it said is there: of a session that was restored only what stands in files is.
const continuations = `SELECT 1 FROM status_transitions AS t WHERE entity_type = 'session' AND reason_code = '` + reasonContinued + `'
	AND NOT EXISTS (SELECT 1 FROM status_transitions AS later WHERE later.entity_type = 'session' AND later.entity_id = t.entity_id
		AND later.reason_code = '` + reasonRestored + `' AND later.created_at >= t.created_at)`

// wasContinued reports whether a pod went on with a session.
func wasContinued(c *conn, sessionID string) (bool, error) {
	n, err := c.integer("SELECT EXISTS ("+continuations+" AND entity_id = ?)", sessionID)
	return n > 0, err
}

// noForkOf fails when a fork took one of the batch's turns for its own because
// it was read before them. What it copied has other ids then; where entries keep
// their ids, owner finds the copies.
func (i *importing) noForkOf(p session.ImportPart) error {
	if len(p.Turns) == 0 {
		return nil
	}
	turns, err := encode(p.Turns)
	if err != nil {
		return fmt.Errorf("turns of session %s: %w", p.SessionID, err)
	}
	fork := ""
	_, err = i.c.row(`SELECT session_id FROM import_sessions JOIN import_session_files USING (session_id) JOIN import_files USING (file_key)
		WHERE forked_from = ?1 AND rank > ?2 AND json_extract(facts, '$.turn') IN (SELECT value FROM json_each(?3))
		`+rereadable+" LIMIT 1", func(stmt *sqlite3.Stmt) error {
		fork = stmt.ColumnText(0)
		return nil
	}, p.SessionID, i.file.Rank, turns)
	if err != nil || fork == "" {
		return err
	}
	return i.outOfOrder(fork)
}

// notAfter fails when something of a session was read from a file that comes
// after this one, and it may be read again. Of a session with several files, one
// that comes before may stand for what another holds as well.
func (i *importing) notAfter(id string) error {
	behind, err := i.c.integer(`SELECT count(*) FROM import_session_files JOIN import_files USING (file_key)
		WHERE session_id = ?1 AND rank > ?2 AND import_session_files.kept > 0
		`+rereadable, id, i.file.Rank)
	if err != nil || behind == 0 {
		return err
	}
	return i.outOfOrder(id)
}

// outOfOrder is the error that names a session and its files.
func (i *importing) outOfOrder(id string) error {
	e := &session.ImportOrderError{SessionID: id}
	err := i.c.each("SELECT path FROM import_session_files JOIN import_files USING (file_key) WHERE session_id = ? ORDER BY rank", func(stmt *sqlite3.Stmt) error {
		e.Files = append(e.Files, stmt.ColumnText(0))
		return nil
	}, id)
	if err != nil {
		return err
	}
	return e
}

// inOrder fails when new entries of this file would stand behind those of a
// file that comes after it.
func (i *importing) inOrder(id string) error {
	behind, err := i.c.integer(`SELECT count(*) FROM import_session_files JOIN import_files USING (file_key)
		WHERE session_id = ?1 AND file_key <> ?2 AND rank > ?3 AND import_session_files.kept > 0
		`+rereadable, id, i.fileKey, i.file.Rank)
	if err != nil || behind == 0 {
		return err
	}
	return i.outOfOrder(id)
}
