package store

import (
	"context"
	"fmt"

	"github.com/ncruces/go-sqlite3"

	"podium.local/session"
)

// SessionRow reads one row with its tags; its counts are not filled.
func (v *View) SessionRow(ctx context.Context, id string) (r session.Row, err error) {
	found := false
	_, err = v.read(ctx, bounded, "read session "+id, func(s *snap) error {
		found, err = s.row("SELECT "+s.facts.rowList()+" FROM sessions s WHERE s.id = ?", func(stmt *sqlite3.Stmt) error {
			r = scanRow(stmt)
			return nil
		}, id)
		if err != nil || !found {
			return err
		}
		one := []session.Row{r}
		err = s.hydrateTags(one)
		r = one[0]
		return err
	})
	return r, orNotFound(err, found, "session", id)
}

func orNotFound(err error, found bool, what, id string) error {
	if err == nil && !found {
		return fmt.Errorf("%s %s: %w", what, id, session.ErrNotFound)
	}
	return err
}

// SessionDetail reads one session with a window of the messages of each of its
// branches.
func (v *View) SessionDetail(ctx context.Context, id string, w session.Window) (d session.Detail, err error) {
	found := false
	_, err = v.read(ctx, bounded, "read session "+id, func(s *snap) error {
		if found, err = s.detailRow(id, &d); err != nil || !found {
			return err
		}
		one := []session.Row{d.Row}
		if err := s.hydrateTags(one); err != nil {
			return err
		}
		d.Row = one[0]
		if d.Show, err = s.show(id); err != nil {
			return err
		}
		if d.PauseHeld, err = s.pauseHeld(id); err != nil {
			return err
		}
		branches, err := s.branches(id)
		if err != nil {
			return err
		}
		d.Branches = branches.stored
		log, own, err := s.logOf(id)
		if err != nil {
			return err
		}
		if own && len(d.Branches) > 0 {
			return s.logDetail(&d, log, w)
		}
		return s.progressionDetail(&d, branches.progressions, w)
	})
	return d, orNotFound(err, found, "session", id)
}

// detailRow reads the row with the columns that only the detail shows.
func (s *snap) detailRow(id string, d *session.Detail) (found bool, err error) {
	f := s.facts
	sql := "SELECT " + f.rowList() + ", " + f.column("sessions", "s", "run_id") + ", " + f.column("sessions", "s", "status_evidence_refs") +
		", " + f.column("sessions", "s", "duration_ms") + " FROM sessions s WHERE s.id = ?"
	return s.row(sql, func(stmt *sqlite3.Stmt) error {
		d.Row = scanRow(stmt)
		d.RunID, d.EvidenceRefs, d.DurationMS = optionalText(stmt, rowWidth), optionalText(stmt, rowWidth+1), optionalNumber(stmt, rowWidth+2)
		return nil
	}, id)
}

// show is the show that a session played in, nil for none.
func (s *snap) show(id string) (ref *session.ShowRef, err error) {
	if !s.facts.has("plays") || !s.facts.has("shows") {
		return nil, nil
	}
	_, err = s.row("SELECT sh.topic, coalesce(p.name, '') FROM plays p JOIN shows sh ON sh.id = p.show_id WHERE p.session_id = ?", func(stmt *sqlite3.Stmt) error {
		ref = &session.ShowRef{Topic: stmt.ColumnText(0), PlayName: stmt.ColumnText(1)}
		return nil
	}, id)
	return ref, err
}

// pauseHeld reads which of pause and resume was asked for last and not
// refused.
func (s *snap) pauseHeld(id string) (held bool, err error) {
	if !s.facts.has("session_controls") {
		return false, nil
	}
	_, err = s.row(`SELECT verb = 'pause' FROM session_controls WHERE session_id = ? AND verb IN ('pause', 'resume')
		AND (result IS NULL OR result = 'applied') ORDER BY created_at DESC, id DESC`, func(stmt *sqlite3.Stmt) error {
		held = stmt.ColumnBool(0)
		return nil
	}, id)
	return held, err
}

// branchRows are a session's branches and, beside each, its progression.
type branchRows struct {
	stored       []session.Branch
	progressions []string
}

func (s *snap) branches(id string) (rows branchRows, err error) {
	f := s.facts
	sql := "SELECT b.id, " + f.column("branches", "b", "name") + ", b.created_at, b.progression_id, " + f.column("branches", "b", "model") + ", " +
		f.column("branches", "b", "provider") + ", " + f.column("branches", "b", "agent_name") + ", " + f.column("branches", "b", "status") + ", " +
		f.column("branches", "b", "started_at") + ", " + f.column("branches", "b", "ended_at") +
		" FROM branches b WHERE b.session_id = ? ORDER BY b.created_at, b.rowid"
	err = s.each(sql, func(stmt *sqlite3.Stmt) error {
		rows.stored = append(rows.stored, session.Branch{
			ID: stmt.ColumnText(0), Name: optionalText(stmt, 1), CreatedAt: stmt.ColumnFloat(2), Model: optionalText(stmt, 4),
			Provider: optionalText(stmt, 5), AgentName: optionalText(stmt, 6), Status: optionalText(stmt, 7),
			StartedAt: optionalNumber(stmt, 8), EndedAt: optionalNumber(stmt, 9), Roles: map[string]int64{},
		})
		rows.progressions = append(rows.progressions, stmt.ColumnText(3))
		return nil
	}, id)
	return rows, err
}

// StreamState reads what decides whether a session can still grow.
func (v *View) StreamState(ctx context.Context, id string) (state session.StreamState, err error) {
	found := false
	_, err = v.read(ctx, bounded, "read session "+id, func(s *snap) error {
		found, err = s.row("SELECT status, updated_at FROM sessions WHERE id = ?", func(stmt *sqlite3.Stmt) error {
			state = session.StreamState{Status: optionalText(stmt, 0), UpdatedAt: optionalNumber(stmt, 1)}
			return nil
		}, id)
		return err
	})
	return state, orNotFound(err, found, "session", id)
}
