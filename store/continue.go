package store

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/ncruces/go-sqlite3"

	"podium.local/session"
)

// Continue moves a pod to a new session in one transaction (compaction): the
// new row, its lineage and entries, the old row completed, both transitions,
// the pod's session. It returns the new session's entries. When the old log is
// longer than the caller saw, nothing changes and the error is
// session.ErrLost.
func (s *Store) Continue(ctx context.Context, next session.Continuation) (entries []session.Entry, err error) {
	var moved hold
	err = s.writePodium(ctx, "compact session "+next.FromSession, func(c *conn) error {
		entries, moved, err = s.continueIn(c, next)
		return err
	})
	if err != nil {
		return nil, err
	}
	s.remember(next.PodID, moved)
	return entries, nil
}

func (s *Store) continueIn(c *conn, next session.Continuation) ([]session.Entry, hold, error) {
	fail := func(err error) ([]session.Entry, hold, error) { return nil, hold{}, err }
	h, err := s.holdingSession(c, next.PodID, next.FromSession)
	if err != nil {
		return fail(err)
	}
	done, err := compactionOf(next)
	if err != nil {
		return fail(err)
	}
	length, err := c.integer("SELECT entries FROM logs WHERE log_key = ?", h.logKey)
	if err != nil {
		return fail(err)
	}
	if length != next.Head {
		return fail(fmt.Errorf("its log has %d entries and the summary covers %d: %w", length, next.Head, session.ErrLost))
	}
	at, actor := seconds(s.orNow(next.At)), "pod:"+h.name
	if next.Usage != nil {
		if err := book(c, h, at, "summary", *next.Usage); err != nil {
			return fail(err)
		}
		if err := (touch{at: at, usage: next.Usage}).apply(c, h.session); err != nil {
			return fail(err)
		}
	}
	err = transition{
		session: next.FromSession, to: session.StatusCompleted, code: reasonCompacted, text: "continued in " + next.NewSession,
		source: "executor", actor: actor, at: at,
	}.end(c)
	if err != nil {
		return fail(err)
	}
	moved := h
	moved.session = next.NewSession
	b := birth{
		id: next.NewSession, start: h.start, name: next.Name, phase: next.Phase, at: at,
		code: reasonCompacted, actor: actor, podID: next.PodID, project: h.project,
	}
	if b.phase == "" {
		b.phase = session.PhaseIdle
	}
	if _, err := c.row("SELECT project_source FROM sessions WHERE id = ?", func(stmt *sqlite3.Stmt) error {
		b.projectBy = stmt.ColumnText(0)
		return nil
	}, next.FromSession); err != nil {
		return fail(err)
	}
	if moved.logKey, err = b.insert(c); err != nil {
		return fail(err)
	}
	a, err := appendTo(c, moved, next.PodID, at)
	if err != nil {
		return fail(err)
	}
	for _, e := range next.Entries {
		if err := a.add(e, false); err != nil {
			return fail(err)
		}
	}
	if err := a.add(next.Done, true); err != nil {
		return fail(err)
	}
	if err := a.finish(); err != nil {
		return fail(err)
	}
	err = c.run("INSERT INTO lineage (session_id, compacted_from, created_at, tokens_before, tokens_after, cost_usd) VALUES (?, ?, ?, ?, ?, ?)",
		next.NewSession, next.FromSession, at, done.TokensBefore, done.TokensAfter, done.CostUSD)
	if err != nil {
		return fail(err)
	}
	err = c.run("UPDATE pods SET session_id = ?, phase = ?, bookmark = ? WHERE pod_key = ?",
		next.NewSession, string(b.phase), next.Bookmark, h.podKey)
	return a.entries, moved, err
}

// compactionOf reads the payload that closes a continuation; it must speak of
// the sessions that the continuation names.
func compactionOf(next session.Continuation) (done session.Compaction, err error) {
	if next.Done.Kind != session.KindCompaction {
		return done, fmt.Errorf("a continuation ends with a compaction entry, not %q", next.Done.Kind)
	}
	text, err := encode(next.Done.Payload)
	if err == nil {
		err = json.Unmarshal(text, &done)
	}
	if err != nil {
		return done, fmt.Errorf("payload of compaction entry %s: %w", next.Done.ID, err)
	}
	if done.FromSession != next.FromSession || done.NewSession != next.NewSession {
		return done, fmt.Errorf("compaction entry %s speaks of sessions %s and %s", next.Done.ID, done.FromSession, done.NewSession)
	}
	return done, nil
}
