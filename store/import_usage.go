package store

import (
	"cmp"

	"github.com/ncruces/go-sqlite3"

	"podium.local/session"
)

// count books the requests of a part. Of several snapshots of one request the
// largest counts, whichever comes first.
func (i *importing) count(row importRow, p session.ImportPart) error {
	var booked sum
	for _, r := range p.Requests {
		if err := checkUsage(r.Usage); err != nil {
			return err
		}
		owner, number, err := i.counter(r)
		if err != nil {
			return err
		}
		switch owner {
		case "":
			err = i.book(row, p, row.requests+int64(booked.turns), r)
			booked.add(r.Usage)
		case row.session:
			// It may sum what is booked.
			if err = booked.flush(i.c, &row); err == nil {
				err = i.grow(row, p, number, r)
			}
		default:
			err = i.notAfter(owner)
		}
		if err != nil {
			return err
		}
	}
	return booked.flush(i.c, &row)
}

// sum is what was booked and does not stand in the session's totals yet.
type sum struct {
	turns int
	usage session.Usage
}

func (s *sum) add(u session.Usage) {
	s.turns++
	s.usage.InputTokens = plus(s.usage.InputTokens, u.InputTokens)
	s.usage.OutputTokens = plus(s.usage.OutputTokens, u.OutputTokens)
	s.usage.CostUSD = plus(s.usage.CostUSD, u.CostUSD)
}

// plus adds two numbers of which nil is unknown and counts nothing.
func plus[N int64 | float64](a, b *N) *N {
	if a == nil || b == nil {
		return cmp.Or(a, b)
	}
	c := *a + *b
	return &c
}

// flush adds it to the totals.
func (s *sum) flush(c *conn, row *importRow) error {
	if s.turns == 0 {
		return nil
	}
	err := addTotals(c, row.session, s.turns, s.usage)
	row.requests += int64(s.turns)
	*s = sum{}
	return err
}

// book counts a request for the first time, as a session's number-th.
func (i *importing) book(row importRow, p session.ImportPart, number int64, r session.ImportRequest) error {
	h := hold{session: row.session, logKey: row.logKey, provider: p.Facts.Provider, model: r.Model, project: r.Project}
	if err := book(i.c, h, seconds(r.At), "turn", r.Usage); err != nil {
		return err
	}
	return i.c.run("INSERT INTO import_requests (request, log_key, number) VALUES (?, ?, ?)", r.Key[:], row.logKey, number)
}

// addTotals adds requests to a session's totals.
func addTotals(c *conn, id string, turns int, u session.Usage) error {
	return c.run(`UPDATE sessions SET
		num_turns      = coalesce(num_turns, 0) + ?1,
		input_tokens   = CASE WHEN ?2 IS NULL THEN input_tokens   ELSE coalesce(input_tokens, 0)   + ?2 END,
		output_tokens  = CASE WHEN ?3 IS NULL THEN output_tokens  ELSE coalesce(output_tokens, 0)  + ?3 END,
		total_cost_usd = CASE WHEN ?4 IS NULL THEN total_cost_usd ELSE coalesce(total_cost_usd, 0) + ?4 END
		WHERE id = ?5`, turns, u.InputTokens, u.OutputTokens, u.CostUSD, id)
}

// grow puts a larger snapshot in the place of a smaller one.
func (i *importing) grow(row importRow, p session.ImportPart, number int64, r session.ImportRequest) error {
	var old usageRecord
	found, err := i.c.row(usageRecordSQL, func(stmt *sqlite3.Stmt) error {
		old = scanUsageRecord(stmt)
		return nil
	}, row.logKey, number)
	if err != nil || !found || !r.Usage.Exceeds(old.usage) {
		return err
	}
	next := usageRecord{number: number, key: rollupKey{quarterOf(seconds(r.At)), r.Project, p.Facts.Provider, r.Model}, usage: r.Usage}
	if err := replaceUsage(i.c, row.logKey, old, &next, seconds(r.At)); err != nil {
		return err
	}
	return shiftTotals(i.c, row, old.usage, r.Usage)
}

// shiftTotals puts a request's larger usage into a session's totals. Only where
// something became known or unknown is everything summed again.
func shiftTotals(c *conn, row importRow, old, next session.Usage) error {
	if (old.InputTokens == nil) != (next.InputTokens == nil) || (old.OutputTokens == nil) != (next.OutputTokens == nil) ||
		(old.CostUSD == nil) != (next.CostUSD == nil) {
		return sumTotals(c, row.session, row.logKey)
	}
	return c.run(`UPDATE sessions SET input_tokens = input_tokens - coalesce(?1, 0) + coalesce(?2, 0),
		output_tokens = output_tokens - coalesce(?3, 0) + coalesce(?4, 0),
		total_cost_usd = total_cost_usd - coalesce(?5, 0) + coalesce(?6, 0) WHERE id = ?7`,
		old.InputTokens, next.InputTokens, old.OutputTokens, next.OutputTokens, old.CostUSD, next.CostUSD, row.session)
}

// usageRecord is a row of usage_records and where the rollup counts it.
type usageRecord struct {
	number int64
	key    rollupKey
	usage  session.Usage
}

// usageRecordSQL and scanUsageRecord belong together.
const usageRecordSQL = `SELECT number, created_at, project, provider, model, input_tokens, output_tokens, cache_read_tokens, cache_write_tokens,
	reasoning_tokens, cost_usd, coalesce(price_source, '') FROM usage_records WHERE log_key = ? AND number = ?`

func scanUsageRecord(stmt *sqlite3.Stmt) usageRecord {
	return usageRecord{
		number: stmt.ColumnInt64(0),
		key:    rollupKey{quarterOf(stmt.ColumnFloat(1)), stmt.ColumnText(2), stmt.ColumnText(3), stmt.ColumnText(4)},
		usage: session.Usage{
			InputTokens: optionalInt(stmt, 5), OutputTokens: optionalInt(stmt, 6), CacheReadTokens: stmt.ColumnInt64(7),
			CacheWriteTokens: stmt.ColumnInt64(8), ReasoningTokens: stmt.ColumnInt64(9),
			CostUSD: optionalFloat(stmt, 10), PriceSource: stmt.ColumnText(11),
		},
	}
}

// replaceUsage takes a request's usage out of ledger, rollup and log and puts
// next, if there is one, in its place. The session's totals are the caller's.
func replaceUsage(c *conn, logKey int64, old usageRecord, next *usageRecord, at float64) error {
	d := drift{key: old.key, unpriced: 1}
	if old.usage.CostUSD != nil {
		d = drift{key: old.key, usd: *old.usage.CostUSD, priced: 1}
	}
	if err := subtract(c, d); err != nil {
		return err
	}
	err := c.run(`UPDATE logs SET priced_requests = priced_requests - ?, unpriced_requests = unpriced_requests - ?, cache_read_tokens = cache_read_tokens - ?,
		cache_write_tokens = cache_write_tokens - ?, reasoning_tokens = reasoning_tokens - ? WHERE log_key = ?`,
		d.priced, d.unpriced, old.usage.CacheReadTokens, old.usage.CacheWriteTokens, old.usage.ReasoningTokens, logKey)
	if err != nil {
		return err
	}
	if next == nil {
		return c.run("DELETE FROM usage_records WHERE log_key = ? AND number = ?", logKey, old.number)
	}
	u := next.usage
	cost, priced, unpriced := 0.0, 0, 1
	if u.CostUSD != nil {
		cost, priced, unpriced = *u.CostUSD, 1, 0
	}
	err = c.run(`UPDATE usage_records SET created_at = ?, provider = ?, model = ?, project = ?, input_tokens = ?, output_tokens = ?, cache_read_tokens = ?,
		cache_write_tokens = ?, reasoning_tokens = ?, cost_usd = ?, price_source = ? WHERE log_key = ? AND number = ?`,
		at, next.key.provider, next.key.model, next.key.project, u.InputTokens, u.OutputTokens, u.CacheReadTokens,
		u.CacheWriteTokens, u.ReasoningTokens, u.CostUSD, orNull(u.PriceSource), logKey, old.number)
	if err != nil {
		return err
	}
	err = c.run(`UPDATE logs SET priced_requests = priced_requests + ?, unpriced_requests = unpriced_requests + ?, cache_read_tokens = cache_read_tokens + ?,
		cache_write_tokens = cache_write_tokens + ?, reasoning_tokens = reasoning_tokens + ? WHERE log_key = ?`,
		priced, unpriced, u.CacheReadTokens, u.CacheWriteTokens, u.ReasoningTokens, logKey)
	if err != nil {
		return err
	}
	return c.run(`INSERT INTO usage_quarter (quarter_utc, project, provider, model, priced_usd, priced_n, unpriced_n) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
		ON CONFLICT (quarter_utc, project, provider, model) DO UPDATE SET
		priced_usd = priced_usd + ?5, priced_n = priced_n + ?6, unpriced_n = unpriced_n + ?7`,
		next.key.quarter, next.key.project, next.key.provider, next.key.model, cost, priced, unpriced)
}

// sumTotals makes a session's totals the sums of its requests, NULL where there
// are none.
func sumTotals(c *conn, sessionID string, logKey int64) error {
	return c.run(`UPDATE sessions SET (num_turns, input_tokens, output_tokens, total_cost_usd) =
		(SELECT nullif(count(*), 0), sum(input_tokens), sum(output_tokens), sum(cost_usd) FROM usage_records WHERE log_key = ?) WHERE id = ?`, logKey, sessionID)
}
