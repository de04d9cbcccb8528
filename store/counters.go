package store

import (
	"context"

	"github.com/ncruces/go-sqlite3"

	"podium.local/session"
)

// Counters reads the counters of a session that has its log here;
// session.ErrNotFound if it has not.
func (s *Store) Counters(ctx context.Context, sessionID string) (t session.Counters, err error) {
	found := false
	if s.kind == KindPodium {
		err = s.read(ctx, func(c *conn) error {
			found, err = c.row(countersSQL, func(stmt *sqlite3.Stmt) error {
				t = scanCounters(stmt)
				return nil
			}, sessionID)
			return err
		})
	}
	if err == nil && !found {
		err = session.ErrNotFound
	}
	return t, explain("read counters of session "+sessionID, err)
}

// PartialCosts names those of the sessions that made a request without a known
// price: their cost is what the others cost. Of a session without a log here
// nobody knows.
func (v *View) PartialCosts(ctx context.Context, ids []string) (partial map[string]bool, err error) {
	partial = make(map[string]bool)
	_, err = v.read(ctx, bounded, "read which costs are partial", func(s *snap) error {
		clear(partial)
		if !s.facts.has("logs") {
			return nil
		}
		param, err := list(ids)
		if err != nil {
			return err
		}
		return s.each("SELECT session_id FROM logs WHERE session_id IN (SELECT value FROM json_each(?)) AND unpriced_requests > 0",
			func(stmt *sqlite3.Stmt) error {
				partial[stmt.ColumnText(0)] = true
				return nil
			}, param)
	})
	return partial, err
}

// countersSQL and scanCounters belong together.
const countersSQL = `SELECT id, coalesce(name, ''), coalesce(status, 'completed'), coalesce(current_phase, ''), started_at, updated_at,
	entries, messages, coalesce(num_turns, 0), input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, reasoning_tokens,
	total_cost_usd, priced_requests, unpriced_requests
	FROM sessions JOIN logs ON logs.session_id = sessions.id WHERE sessions.id = ?`

func scanCounters(stmt *sqlite3.Stmt) session.Counters {
	return session.Counters{
		SessionID: stmt.ColumnText(0), Name: stmt.ColumnText(1), Status: session.Status(stmt.ColumnText(2)),
		Phase: session.Phase(stmt.ColumnText(3)), StartedAt: columnTime(stmt, 4), UpdatedAt: columnTime(stmt, 5),
		Entries: stmt.ColumnInt64(6), Messages: stmt.ColumnInt64(7), Turns: stmt.ColumnInt64(8),
		InputTokens: optionalInt(stmt, 9), OutputTokens: optionalInt(stmt, 10),
		CacheReadTokens: stmt.ColumnInt64(11), CacheWriteTokens: stmt.ColumnInt64(12), ReasoningTokens: stmt.ColumnInt64(13),
		CostUSD: optionalFloat(stmt, 14), Priced: stmt.ColumnInt64(15), Unpriced: stmt.ColumnInt64(16),
	}
}
