package store

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"

	"github.com/google/uuid"
	"github.com/ncruces/go-sqlite3"

	"podium.local/protocol"
	"podium.local/session"
)

// Commit appends entries and changes the session's row in one transaction.
// It returns the entries as Log will. session.ErrLost means that the pod is no
// longer ours and nothing was written.
func (s *Store) Commit(ctx context.Context, commit session.Commit) (entries []session.Entry, err error) {
	err = s.writePodium(ctx, "commit to session "+commit.SessionID, func(c *conn) error {
		entries, err = s.commit(c, commit)
		return err
	})
	if err != nil {
		return nil, err
	}
	return entries, nil
}

func (s *Store) commit(c *conn, commit session.Commit) ([]session.Entry, error) {
	h, err := s.holdingSession(c, commit.PodID, commit.SessionID)
	if err != nil {
		return nil, err
	}
	if err := take(c, h, commit.Taken); err != nil {
		return nil, err
	}
	at := seconds(s.orNow(commit.At))
	a, err := appendTo(c, h, commit.PodID, at)
	if err != nil {
		return nil, err
	}
	for _, e := range commit.Entries {
		if err := a.add(e, e.Kind.Durable()); err != nil {
			return nil, err
		}
	}
	if err := a.finish(); err != nil {
		return nil, err
	}
	if commit.Usage != nil {
		if err := book(c, h, at, "turn", *commit.Usage); err != nil {
			return nil, err
		}
	}
	news := touch{at: at, spoken: len(commit.Entries) > 0, turns: commit.Turns, phase: commit.Phase, name: commit.Name, usage: commit.Usage}
	if err := news.apply(c, h.session); err != nil {
		return nil, err
	}
	if commit.Phase != "" || commit.Bookmark != nil {
		err := c.run("UPDATE pods SET phase = coalesce(?, phase), bookmark = coalesce(?, bookmark) WHERE pod_key = ?",
			orNull(string(commit.Phase)), commit.Bookmark, h.podKey)
		if err != nil {
			return nil, err
		}
	}
	return a.entries, nil
}

// touch is what a step of a pod's life changes on the session's row.
type touch struct {
	at     float64
	spoken bool // something was said: last_message_at moves
	turns  int
	phase  session.Phase
	name   string // kept if the session has one
	usage  *session.Usage
}

// apply changes the row in one statement. A total that was never reported is
// NULL and stays so until a request reports it.
func (t touch) apply(c *conn, sessionID string) error {
	var spoken any
	if t.spoken {
		spoken = t.at
	}
	var u session.Usage
	if t.usage != nil {
		u = *t.usage
	}
	return c.run(`UPDATE sessions SET updated_at = ?1, last_message_at = coalesce(?2, last_message_at),
		num_turns      = CASE WHEN ?3 = 0     THEN num_turns      ELSE coalesce(num_turns, 0)      + ?3 END,
		input_tokens   = CASE WHEN ?4 IS NULL THEN input_tokens   ELSE coalesce(input_tokens, 0)   + ?4 END,
		output_tokens  = CASE WHEN ?5 IS NULL THEN output_tokens  ELSE coalesce(output_tokens, 0)  + ?5 END,
		total_cost_usd = CASE WHEN ?6 IS NULL THEN total_cost_usd ELSE coalesce(total_cost_usd, 0) + ?6 END,
		current_phase = coalesce(?7, current_phase), name = coalesce(name, ?8) WHERE id = ?9`,
		t.at, spoken, t.turns, u.InputTokens, u.OutputTokens, u.CostUSD, orNull(string(t.phase)), orNull(session.Clip(t.name, maxName)), sessionID)
}

// appender adds entries to one log within a transaction.
type appender struct {
	c        *conn
	h        hold
	pod      protocol.PodID
	at       float64
	ordinal  int64
	seq      int64
	messages int64
	events   int64
	entries  []session.Entry
}

// appendTo reads where the log and the pod's events end.
func appendTo(c *conn, h hold, pod protocol.PodID, at float64) (*appender, error) {
	a := &appender{c: c, h: h, pod: pod, at: at}
	found, err := c.row("SELECT entries, (SELECT seq FROM pods WHERE pod_key = ?1) FROM logs WHERE log_key = ?2", func(stmt *sqlite3.Stmt) error {
		a.ordinal, a.seq = stmt.ColumnInt64(0), stmt.ColumnInt64(1)
		return nil
	}, h.podKey, h.logKey)
	if err == nil && !found {
		err = fmt.Errorf("log of session %s: %w", h.session, session.ErrNotFound)
	}
	return a, err
}

// add appends one entry; event gives it the pod's next sequence number.
func (a *appender) add(e session.NewEntry, event bool) error {
	payload, err := encode(e.Payload)
	if err != nil {
		return fmt.Errorf("payload of %s entry %s: %w", e.Kind, e.ID, err)
	}
	if e.ID == "" {
		return fmt.Errorf("%s entry needs an id", e.Kind)
	}
	var podKey, seq any
	entry := session.Entry{SessionID: a.h.session, Ordinal: a.ordinal, ID: e.ID, Kind: e.Kind, CreatedAt: moment(a.at), Payload: payload}
	if event {
		a.seq++
		a.events++
		podKey, seq = a.h.podKey, a.seq
		entry.PodID, entry.Seq = a.pod, uint64(a.seq)
	}
	err = a.c.run("INSERT INTO entries (log_key, ordinal, entry_id, kind, created_at, pod_key, seq, payload) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
		a.h.logKey, a.ordinal, entryKey(e.ID), string(e.Kind), a.at, podKey, seq, payload)
	if err != nil {
		return err
	}
	a.ordinal++
	if session.RoleOf(e.Kind) != "" {
		a.messages++
	}
	a.entries = append(a.entries, entry)
	return nil
}

// finish writes the counters that the added entries changed.
func (a *appender) finish() error {
	if len(a.entries) == 0 {
		return nil
	}
	if err := a.c.run("UPDATE logs SET entries = ?, messages = messages + ? WHERE log_key = ?", a.ordinal, a.messages, a.h.logKey); err != nil {
		return err
	}
	if a.events == 0 {
		return nil
	}
	return a.c.run("UPDATE pods SET seq = ? WHERE pod_key = ?", a.seq, a.h.podKey)
}

// encode writes a payload without the escapes that only HTML needs.
func encode(payload any) (json.RawMessage, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(payload); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n")), nil
}

// entryKey is how an entry id is stored: sixteen bytes where the text is a
// UUID as we write them, else the text itself.
func entryKey(id string) any {
	if u, err := uuid.Parse(id); err == nil && u.String() == id {
		return u[:]
	}
	return id
}

// columnEntryID is the inverse of entryKey.
func columnEntryID(stmt *sqlite3.Stmt, col int) string {
	if stmt.ColumnType(col) == sqlite3.BLOB {
		if u, err := uuid.FromBytes(stmt.ColumnBlob(col, nil)); err == nil {
			return u.String()
		}
	}
	return stmt.ColumnText(col)
}

const entryColumns = `ordinal, entry_id, kind, created_at, payload, (SELECT pod_id FROM pods WHERE pods.pod_key = entries.pod_key), seq`

func scanEntry(stmt *sqlite3.Stmt, sessionID string) (session.Entry, error) {
	e := session.Entry{
		SessionID: sessionID, Ordinal: stmt.ColumnInt64(0), ID: columnEntryID(stmt, 1), Kind: session.Kind(stmt.ColumnText(2)),
		CreatedAt: columnTime(stmt, 3), Payload: json.RawMessage(stmt.ColumnText(4)), Seq: uint64(stmt.ColumnInt64(6)),
	}
	if stmt.ColumnType(5) == sqlite3.NULL {
		return e, nil
	}
	id, err := protocol.ParsePodID(stmt.ColumnText(5))
	if err != nil {
		return e, fmt.Errorf("pod id of entry %s: %w", e.ID, err)
	}
	e.PodID = id
	return e, nil
}

// Log reads a session's entries with from <= ordinal < to in order; to < 0
// means to the end, limit 0 no limit. A session without a log gives none.
func (s *Store) Log(ctx context.Context, sessionID string, from, to int64, limit int) (entries []session.Entry, err error) {
	if to < 0 {
		to = math.MaxInt64
	}
	if limit <= 0 {
		limit = -1
	}
	if s.kind != KindPodium {
		return nil, nil
	}
	err = s.read(ctx, func(c *conn) error {
		return c.each("SELECT "+entryColumns+` FROM entries WHERE log_key = (SELECT log_key FROM logs WHERE session_id = ?)
			AND ordinal >= ? AND ordinal < ? ORDER BY ordinal LIMIT ?`,
			func(stmt *sqlite3.Stmt) error {
				e, err := scanEntry(stmt, sessionID)
				entries = append(entries, e)
				return err
			}, sessionID, from, to, limit)
	})
	return entries, explain("read log of session "+sessionID, err)
}

// Since reads a pod's durable entries with seq > after in order, over all the
// sessions it held; limit 0 means no limit.
func (s *Store) Since(ctx context.Context, pod protocol.PodID, after uint64, limit int) (entries []session.Entry, err error) {
	if limit <= 0 {
		limit = -1
	}
	if s.kind != KindPodium || after >= math.MaxInt64 {
		return nil, nil
	}
	err = s.read(ctx, func(c *conn) error {
		return c.each("SELECT "+entryColumns+`, (SELECT session_id FROM logs WHERE logs.log_key = entries.log_key) FROM entries
			WHERE pod_key = (SELECT pod_key FROM pods WHERE pod_id = ?) AND seq > ? ORDER BY seq LIMIT ?`,
			func(stmt *sqlite3.Stmt) error {
				e, err := scanEntry(stmt, stmt.ColumnText(7))
				entries = append(entries, e)
				return err
			}, pod.String(), int64(after), limit)
	})
	return entries, explain("read events of pod "+pod.String(), err)
}

// Ordinal is the position of an entry in a session's log, or
// session.ErrNotFound.
func (s *Store) Ordinal(ctx context.Context, sessionID, entryID string) (ordinal int64, err error) {
	found := false
	if s.kind == KindPodium {
		err = s.read(ctx, func(c *conn) error {
			found, err = c.row("SELECT ordinal FROM entries WHERE entry_id = ? AND log_key = (SELECT log_key FROM logs WHERE session_id = ?)",
				func(stmt *sqlite3.Stmt) error {
					ordinal = stmt.ColumnInt64(0)
					return nil
				}, entryKey(entryID), sessionID)
			return err
		})
	}
	if err == nil && !found {
		err = session.ErrNotFound
	}
	return ordinal, explain("find entry "+entryID+" of session "+sessionID, err)
}
