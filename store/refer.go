package store

import (
	"context"

	"github.com/ncruces/go-sqlite3"
)

// Bounds of MatchSessions.
const (
	// matchesMost is how many candidates are named.
	matchesMost = 6
	// endingsMost is how many of the newest sessions are looked at for an ending.
	endingsMost = 10_000
)

// MatchSessions gives the ids that ref is, begins or ends, at most six, without
// order; an id that it is comes alone. Beginnings are found by the index,
// endings among the 10,000 sessions that were updated last.
func (v *View) MatchSessions(ctx context.Context, ref string) (ids []string, err error) {
	take := func(stmt *sqlite3.Stmt) error {
		ids = append(ids, stmt.ColumnText(0))
		return nil
	}
	_, err = v.read(ctx, bounded, "find session "+ref, func(s *snap) error {
		found, err := s.row("SELECT id FROM sessions WHERE id = ?", take, ref)
		if err != nil || found || ref == "" {
			return err
		}
		return s.each(`SELECT id FROM sessions WHERE id >= ?1 AND id < ?1 || char(0x10FFFF)
			UNION SELECT id FROM (SELECT id FROM sessions ORDER BY updated_at DESC, id DESC LIMIT ?2) WHERE substr(id, -length(?1)) = ?1
			LIMIT ?3`, take, ref, endingsMost, matchesMost)
	})
	return ids, err
}
