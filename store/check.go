package store

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/ncruces/go-sqlite3"

	"podium.local/session"
)

// Problem is something that Check found wrong.
type Problem struct {
	// Code is one word: damaged, foreign_key, ordinals, messages, events, usage,
	// status, rollup.
	Code string `json:"code"`
	// Subject names the table, session, pod or quarter.
	Subject string `json:"subject"`
	Text    string `json:"text"`
}

// Report is what Check looked at and found.
type Report struct {
	Tables   int   `json:"tables"`
	Sessions int64 `json:"sessions"`
	// Pods counts those that were not forgotten; the others are checked too.
	Pods     int       `json:"pods"`
	Problems []Problem `json:"problems"`
	// Rebuilt counts the rollup's rows that were put right.
	Rebuilt int `json:"rebuilt"`
}

// CheckOptions are what Check does beyond looking.
type CheckOptions struct {
	// RebuildRollup puts the usage rollup right where it differs from the ledger.
	RebuildRollup bool
	// Progress is called now and then with the sessions checked so far.
	Progress func(done, total int64)
}

// maxProblems bounds the report of a store that is broken all over.
const maxProblems = 1000

// Check examines the file's structure and everything the store promises about
// its own rows: counters, ordinals and event numbers without gaps, totals and
// rollup equal to the ledger. It reads in many short transactions, so pods go
// on meanwhile; what changes between two of them is not taken for a fault.
func (s *Store) Check(ctx context.Context, opts CheckOptions) (Report, error) {
	r := Report{Problems: []Problem{}}
	err := s.check(ctx, &r, opts)
	return r, explain("check store "+s.given, err)
}

func (s *Store) check(ctx context.Context, r *Report, opts CheckOptions) error {
	if err := s.checkStructure(ctx, r); err != nil || s.kind != KindPodium {
		return err
	}
	if err := s.checkLogs(ctx, r, opts.Progress); err != nil {
		return err
	}
	if err := s.checkPods(ctx, r); err != nil {
		return err
	}
	drift, err := s.rollupDrift(ctx)
	if err != nil {
		return err
	}
	if opts.RebuildRollup {
		r.Rebuilt = len(drift)
		return s.correctRollup(ctx, drift)
	}
	for _, d := range drift {
		r.found("rollup", d.key.String(), "differs from the ledger by %+g USD, %+d priced, %+d unpriced, %+d started; "+
			"`podium store check --rebuild-rollup` puts it right", d.usd, d.priced, d.unpriced, d.started)
	}
	return nil
}

func (r *Report) found(code, subject, format string, args ...any) {
	if len(r.Problems) < maxProblems {
		r.Problems = append(r.Problems, Problem{Code: code, Subject: subject, Text: fmt.Sprintf(format, args...)})
	}
}

// checkStructure runs SQLite's own checks, a table at a time to keep each
// reading transaction short.
func (s *Store) checkStructure(ctx context.Context, r *Report) error {
	tables := []string{"sqlite_schema"}
	err := s.read(ctx, func(c *conn) error {
		return c.each("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite~_%' ESCAPE '~' ORDER BY name",
			func(stmt *sqlite3.Stmt) error {
				tables = append(tables, stmt.ColumnText(0))
				return nil
			})
	})
	if err != nil {
		return err
	}
	for _, table := range tables {
		err := s.read(ctx, func(c *conn) error {
			err := c.each("PRAGMA quick_check("+sqlite3.Quote(table)+")", func(stmt *sqlite3.Stmt) error {
				if text := stmt.ColumnText(0); text != "ok" {
					r.found("damaged", table, "%s", text)
				}
				return nil
			})
			if err != nil || table == "sqlite_schema" {
				return err
			}
			return c.each("PRAGMA foreign_key_check("+sqlite3.Quote(table)+")", func(stmt *sqlite3.Stmt) error {
				r.found("foreign_key", table, "row %d points at no row of %s", stmt.ColumnInt64(1), stmt.ColumnText(2))
				return nil
			})
		})
		// A page that cannot be read ends its table, not the check.
		if errors.Is(classify(err), session.ErrCorrupt) {
			r.found("damaged", table, "cannot be read: %v", err)
		} else if err != nil {
			return err
		}
	}
	r.Tables = len(tables) - 1 // the schema is none
	return nil
}

// chunk is how many sessions one reading transaction of Check covers.
const chunk = 200

// checkLogs compares every log's counters and totals with its rows.
func (s *Store) checkLogs(ctx context.Context, r *Report, progress func(done, total int64)) error {
	var total, last int64
	err := s.read(ctx, func(c *conn) (err error) {
		total, err = c.integer("SELECT count(*) FROM logs")
		return err
	})
	if err != nil {
		return err
	}
	for {
		n := 0
		err := s.read(ctx, func(c *conn) error {
			var logs []logCounts
			err := c.each(logsSQL, func(stmt *sqlite3.Stmt) error {
				logs = append(logs, scanLogCounts(stmt))
				return nil
			}, last, chunk)
			if err != nil {
				return err
			}
			for _, l := range logs {
				if err := l.check(c, r); err != nil {
					return err
				}
				last = l.key
			}
			n = len(logs)
			return nil
		})
		if err != nil {
			return err
		}
		r.Sessions += int64(n)
		if progress != nil {
			progress(r.Sessions, total)
		}
		if n < chunk {
			return nil
		}
	}
}

// logsSQL and scanLogCounts belong together.
const logsSQL = `SELECT log_key, session_id, entries, messages, priced_requests, unpriced_requests, cache_read_tokens, cache_write_tokens,
	reasoning_tokens, input_tokens, output_tokens, total_cost_usd, coalesce(status, 'completed'), ended_at,
	(SELECT count(*) FROM pods WHERE pods.session_id = logs.session_id AND ended_at IS NULL)
	FROM logs JOIN sessions ON sessions.id = logs.session_id WHERE log_key > ? ORDER BY log_key LIMIT ?`

type logCounts struct {
	key               int64
	session           string
	entries, messages int64
	priced, unpriced  int64
	cached            [3]int64 // read, write, reasoning
	input, output     *int64
	cost              *float64
	status            string
	ended             bool
	holders           int64
}

func scanLogCounts(stmt *sqlite3.Stmt) logCounts {
	return logCounts{
		key: stmt.ColumnInt64(0), session: stmt.ColumnText(1), entries: stmt.ColumnInt64(2), messages: stmt.ColumnInt64(3),
		priced: stmt.ColumnInt64(4), unpriced: stmt.ColumnInt64(5),
		cached: [3]int64{stmt.ColumnInt64(6), stmt.ColumnInt64(7), stmt.ColumnInt64(8)},
		input:  optionalInt(stmt, 9), output: optionalInt(stmt, 10), cost: optionalFloat(stmt, 11),
		status: stmt.ColumnText(12), ended: stmt.ColumnType(13) != sqlite3.NULL, holders: stmt.ColumnInt64(14),
	}
}

func (l logCounts) check(c *conn, r *Report) error {
	var n, highest, messages int64
	_, err := c.row(`SELECT count(*), coalesce(max(ordinal), -1), coalesce(sum(kind IN ('input', 'system', 'text', 'reasoning', 'tool_call', 'tool_result')), 0)
		FROM entries WHERE log_key = ?`, func(stmt *sqlite3.Stmt) error {
		n, highest, messages = stmt.ColumnInt64(0), stmt.ColumnInt64(1), stmt.ColumnInt64(2)
		return nil
	}, l.key)
	if err != nil {
		return err
	}
	// Ordinals are unique and not negative, so this says that there is no gap.
	if n != highest+1 || n != l.entries {
		r.found("ordinals", l.session, "%d entries up to ordinal %d, the row counts %d", n, highest, l.entries)
	}
	if messages != l.messages {
		r.found("messages", l.session, "%d messages, the row counts %d", messages, l.messages)
	}
	switch {
	case l.status == string(session.StatusRunning) && l.ended:
		r.found("status", l.session, "is running and has ended")
	case l.status != string(session.StatusRunning) && !l.ended:
		r.found("status", l.session, "is %s and has no end", l.status)
	case l.status != string(session.StatusRunning) && l.holders > 0:
		r.found("status", l.session, "is %s and held by a pod", l.status)
	}
	return l.checkUsage(c, r)
}

func (l logCounts) checkUsage(c *conn, r *Report) error {
	var priced, unpriced int64
	var cached [3]int64
	var input, output *int64
	var cost *float64
	_, err := c.row(`SELECT count(cost_usd), count(*) - count(cost_usd), coalesce(sum(cache_read_tokens), 0), coalesce(sum(cache_write_tokens), 0),
		coalesce(sum(reasoning_tokens), 0), sum(input_tokens), sum(output_tokens), sum(cost_usd) FROM usage_records WHERE log_key = ?`,
		func(stmt *sqlite3.Stmt) error {
			priced, unpriced = stmt.ColumnInt64(0), stmt.ColumnInt64(1)
			cached = [3]int64{stmt.ColumnInt64(2), stmt.ColumnInt64(3), stmt.ColumnInt64(4)}
			input, output, cost = optionalInt(stmt, 5), optionalInt(stmt, 6), optionalFloat(stmt, 7)
			return nil
		}, l.key)
	if err != nil {
		return err
	}
	if priced != l.priced || unpriced != l.unpriced || cached != l.cached {
		r.found("usage", l.session, "%d priced and %d unpriced requests, the row counts %d and %d", priced, unpriced, l.priced, l.unpriced)
	}
	// An imported session brings totals without the requests they come from.
	if priced+unpriced == 0 {
		return nil
	}
	if !equalInt(input, l.input) || !equalInt(output, l.output) || !equalCost(cost, l.cost) {
		r.found("usage", l.session, "the row's totals are not the sums of its %d requests", priced+unpriced)
	}
	return nil
}

func equalInt(a, b *int64) bool {
	return a == nil && b == nil || a != nil && b != nil && *a == *b
}

// equalCost allows for sums taken in another order.
func equalCost(a, b *float64) bool {
	return a == nil && b == nil || a != nil && b != nil && math.Abs(*a-*b) <= 1e-9*max(1, math.Abs(*a))
}

// checkPods compares every pod's event counter with its entries. Numbers are
// only missing where a session was deleted, restored or not, and never above the
// counter.
func (s *Store) checkPods(ctx context.Context, r *Report) error {
	return s.read(ctx, func(c *conn) error {
		deleted, err := c.integer("SELECT (SELECT count(*) FROM tombstones) + (SELECT count(*) FROM status_transitions WHERE reason_code = ?)", reasonRestored)
		if err != nil {
			return err
		}
		return c.each(`SELECT pod_id, seq, (SELECT count(seq) FROM entries WHERE entries.pod_key = pods.pod_key AND seq IS NOT NULL),
			(SELECT coalesce(max(seq), 0) FROM entries WHERE entries.pod_key = pods.pod_key AND seq IS NOT NULL),
			name IS NOT NULL FROM pods`,
			func(stmt *sqlite3.Stmt) error {
				counter, n, highest := stmt.ColumnInt64(1), stmt.ColumnInt64(2), stmt.ColumnInt64(3)
				if highest > counter || deleted == 0 && (n != highest || highest != counter) {
					r.found("events", stmt.ColumnText(0), "%d events up to number %d, the row counts %d", n, highest, counter)
				}
				if stmt.ColumnBool(4) {
					r.Pods++
				}
				return nil
			})
	})
}
