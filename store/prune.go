package store

import (
	"context"
	"time"

	"github.com/ncruces/go-sqlite3"
)

// OldSession is a session as pruning sees it.
type OldSession struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	// UpdatedAt is in Unix seconds.
	UpdatedAt float64 `json:"updated_at"`
	Messages  int64   `json:"messages"`
}

// OldSessions gives up to limit sessions that were last updated before a time,
// oldest first, from the one after last on; nil begins.
func (v *View) OldSessions(ctx context.Context, before time.Time, last *OldSession, limit int) (old []OldSession, err error) {
	from := OldSession{UpdatedAt: -1}
	if last != nil {
		from = *last
	}
	_, err = v.read(ctx, bounded, "list old sessions", func(s *snap) error {
		messages := "0"
		if s.facts.has("logs") {
			messages = "coalesce((SELECT messages FROM logs WHERE logs.session_id = sessions.id), 0)"
		}
		return s.each("SELECT id, coalesce(name, ''), updated_at, "+messages+` FROM sessions
			WHERE updated_at < ?1 AND (updated_at, id) > (?2, ?3) ORDER BY updated_at, id LIMIT ?4`, func(stmt *sqlite3.Stmt) error {
			old = append(old, OldSession{ID: stmt.ColumnText(0), Name: stmt.ColumnText(1), UpdatedAt: stmt.ColumnFloat(2), Messages: stmt.ColumnInt64(3)})
			return nil
		}, seconds(before), from.UpdatedAt, from.ID, limit)
	})
	return old, err
}
