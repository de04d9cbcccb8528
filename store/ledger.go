package store

import (
	"fmt"
	"math"

	"podium.local/session"
)

// quarter is the length of a rollup's row in seconds: every time zone's
// offset is a multiple of it.
const quarter = 15 * 60

// quarterOf is the Unix second at which the quarter of an hour begins.
func quarterOf(at float64) int64 { return int64(math.Floor(at/quarter)) * quarter }

// bookStart counts a session into the rollup.
func bookStart(c *conn, at float64, project, provider, model string) error {
	return c.run(`INSERT INTO usage_quarter (quarter_utc, project, provider, model, sessions_started) VALUES (?, ?, ?, ?, 1)
		ON CONFLICT (quarter_utc, project, provider, model) DO UPDATE SET sessions_started = sessions_started + 1`,
		quarterOf(at), project, provider, model)
}

// book records what one request used in the ledger, in the log's counters and
// in the rollup; touch adds it to the session's totals. An unpriced request is
// counted as one: its cost is unknown, not 0.
func book(c *conn, h hold, at float64, purpose string, u session.Usage) error {
	if err := checkUsage(u); err != nil {
		return err
	}
	err := c.run(`INSERT INTO usage_records (log_key, number, created_at, purpose, provider, model, project, input_tokens, output_tokens,
		cache_read_tokens, cache_write_tokens, reasoning_tokens, cost_usd, price_source)
		SELECT log_key, priced_requests + unpriced_requests, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13 FROM logs WHERE log_key = ?1`,
		h.logKey, at, purpose, h.provider, h.model, h.project, u.InputTokens, u.OutputTokens,
		u.CacheReadTokens, u.CacheWriteTokens, u.ReasoningTokens, u.CostUSD, orNull(u.PriceSource))
	if err != nil {
		return err
	}
	priced, unpriced, cost := 0, 1, 0.0
	if u.CostUSD != nil {
		priced, unpriced, cost = 1, 0, *u.CostUSD
	}
	err = c.run(`UPDATE logs SET priced_requests = priced_requests + ?, unpriced_requests = unpriced_requests + ?,
		cache_read_tokens = cache_read_tokens + ?, cache_write_tokens = cache_write_tokens + ?, reasoning_tokens = reasoning_tokens + ?
		WHERE log_key = ?`,
		priced, unpriced, u.CacheReadTokens, u.CacheWriteTokens, u.ReasoningTokens, h.logKey)
	if err != nil {
		return err
	}
	return c.run(`INSERT INTO usage_quarter (quarter_utc, project, provider, model, priced_usd, priced_n, unpriced_n)
		VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
		ON CONFLICT (quarter_utc, project, provider, model) DO UPDATE SET
		priced_usd = priced_usd + ?5, priced_n = priced_n + ?6, unpriced_n = unpriced_n + ?7`,
		quarterOf(at), h.project, h.provider, h.model, cost, priced, unpriced)
}

// checkUsage refuses numbers that no request can have used; one of them would
// spoil every sum it enters.
func checkUsage(u session.Usage) error {
	for _, n := range []*int64{u.InputTokens, u.OutputTokens, &u.CacheReadTokens, &u.CacheWriteTokens, &u.ReasoningTokens} {
		if n != nil && *n < 0 {
			return fmt.Errorf("usage has a negative number of tokens (%d)", *n)
		}
	}
	if cost := u.CostUSD; cost != nil && (math.IsNaN(*cost) || math.IsInf(*cost, 0) || *cost < 0) {
		return fmt.Errorf("usage has no possible cost (%v)", *cost)
	}
	return nil
}
