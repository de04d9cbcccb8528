package store

import (
	"errors"
	"fmt"
	"slices"

	"github.com/google/uuid"
	"github.com/ncruces/go-sqlite3"

	"podium.local/session"
)

// Reason codes of the transitions that Podium writes by itself.
const (
	reasonStarted   = "session.started"
	reasonContinued = "session.continued"
	reasonCompacted = "session.compacted"
	reasonLost      = "session.process_lost"
)

// terminal are the statuses that end a session.
var terminal = []session.Status{
	session.StatusCompleted, session.StatusCompletedEmpty, session.StatusFailed,
	session.StatusTimedOut, session.StatusAborted, session.StatusCancelled,
}

// transition is one change of a session's status: the row, its reason and the
// audit row, written together.
type transition struct {
	session    string
	to         session.Status
	code, text string
	source     string // executor, agent, admin or system
	actor      string
	at         float64
	// override leaves a terminal status; without it a terminal status stays and
	// the change is refused. Who does so is in actor, why in code and text.
	override bool
}

// errFinal refuses to leave a terminal status.
var errFinal = errors.New("that status is final")

// end is apply for a change that only matters if the session has not ended
// yet: a terminal status that somebody else gave it stays.
func (t transition) end(c *conn) error {
	_, err := t.apply(c)
	if errors.Is(err, errFinal) {
		return nil
	}
	return err
}

// apply writes the change and returns the status before it.
func (t transition) apply(c *conn) (previous session.Status, err error) {
	found, err := c.row("SELECT coalesce(status, 'completed') FROM sessions WHERE id = ?", func(stmt *sqlite3.Stmt) error {
		previous = session.Status(stmt.ColumnText(0))
		return nil
	}, t.session)
	if err != nil {
		return "", err
	}
	if !found {
		return "", fmt.Errorf("session %s: %w", t.session, session.ErrNotFound)
	}
	ending := slices.Contains(terminal, t.to)
	if slices.Contains(terminal, previous) && !t.override {
		return previous, fmt.Errorf("session %s is %s: %w", t.session, previous, errFinal)
	}
	if ending {
		err = c.run(`UPDATE sessions SET status = ?1, status_reason_code = ?2, status_reason_summary = ?3, updated_at = ?4,
			current_phase = NULL, ended_at = ?4, ended_at_is_approximate = 0,
			duration_ms = max(0, (?4 - coalesce(started_at, created_at)) * 1000) WHERE id = ?5`,
			string(t.to), t.code, orNull(t.text), t.at, t.session)
	} else {
		err = c.run(`UPDATE sessions SET status = ?1, status_reason_code = ?2, status_reason_summary = ?3, updated_at = ?4,
			ended_at = NULL, ended_at_is_approximate = 0, duration_ms = NULL WHERE id = ?5`,
			string(t.to), t.code, orNull(t.text), t.at, t.session)
	}
	if err != nil {
		return previous, err
	}
	return previous, t.record(c, string(previous))
}

// record writes only the audit row, for a session that is born with t.to.
func (t transition) record(c *conn, previous string) error {
	var metadata any
	if t.override {
		metadata = `{"override":true}`
	}
	return c.run(`INSERT INTO status_transitions (id, entity_type, entity_id, previous_status, status, reason_code,
		reason_summary, source, actor, created_at, metadata) VALUES (?, 'session', ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		uuid.NewString(), t.session, orNull(previous), string(t.to), t.code, orNull(t.text), t.source, orNull(t.actor), t.at, metadata)
}
