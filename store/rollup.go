package store

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/ncruces/go-sqlite3"
)

// rollupKey names one row of usage_quarter.
type rollupKey struct {
	quarter                  int64
	project, provider, model string
}

func (k rollupKey) String() string {
	return fmt.Sprintf("%s %s/%s/%s", time.Unix(k.quarter, 0).UTC().Format("2006-01-02T15:04"), k.project, k.provider, k.model)
}

// drift is what a row of the rollup lacks to be the sum of the ledger.
type drift struct {
	key                       rollupKey
	usd                       float64
	priced, unpriced, started int64
}

// rollupDrift compares rollup and ledger in one snapshot. A booking changes
// both alike, so what this returns stays true while pods go on.
func (s *Store) rollupDrift(ctx context.Context) ([]drift, error) {
	sums := make(map[rollupKey]*drift)
	add := func(stmt *sqlite3.Stmt, sign float64) {
		k := rollupKey{stmt.ColumnInt64(0), stmt.ColumnText(1), stmt.ColumnText(2), stmt.ColumnText(3)}
		d := sums[k]
		if d == nil {
			d = &drift{key: k}
			sums[k] = d
		}
		d.usd += sign * stmt.ColumnFloat(4)
		d.priced += int64(sign) * stmt.ColumnInt64(5)
		d.unpriced += int64(sign) * stmt.ColumnInt64(6)
		d.started += int64(sign) * stmt.ColumnInt64(7)
	}
	err := s.read(ctx, func(c *conn) error {
		for _, part := range []struct {
			sign float64
			sql  string
		}{
			{1, `SELECT cast(floor(created_at / 900) AS INTEGER) * 900, project, provider, model,
				coalesce(sum(cost_usd), 0), count(cost_usd), count(*) - count(cost_usd), 0 FROM usage_records GROUP BY 1, 2, 3, 4`},
			{1, `SELECT cast(floor(opened_at / 900) AS INTEGER) * 900, opened_project, opened_provider, opened_model,
				0, 0, 0, count(*) FROM logs GROUP BY 1, 2, 3, 4`},
			{-1, `SELECT quarter_utc, project, provider, model, priced_usd, priced_n, unpriced_n, sessions_started FROM usage_quarter`},
		} {
			err := c.each(part.sql, func(stmt *sqlite3.Stmt) error {
				add(stmt, part.sign)
				return nil
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	var wrong []drift
	for _, d := range sums {
		// Sums taken in another order differ in their last bits.
		if math.Abs(d.usd) > 1e-6 || d.priced != 0 || d.unpriced != 0 || d.started != 0 {
			wrong = append(wrong, *d)
		}
	}
	return wrong, nil
}

// correctRollup adds what is missing, a few rows a transaction so that no pod
// waits for it.
func (s *Store) correctRollup(ctx context.Context, wrong []drift) error {
	for len(wrong) > 0 {
		n := min(len(wrong), chunk)
		err := s.writePodium(ctx, "rebuild rollup", func(c *conn) error {
			for _, d := range wrong[:n] {
				err := c.run(`INSERT INTO usage_quarter (quarter_utc, project, provider, model, priced_usd, priced_n, unpriced_n, sessions_started)
					VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
					ON CONFLICT (quarter_utc, project, provider, model) DO UPDATE SET priced_usd = priced_usd + ?5,
					priced_n = priced_n + ?6, unpriced_n = unpriced_n + ?7, sessions_started = sessions_started + ?8`,
					d.key.quarter, d.key.project, d.key.provider, d.key.model, d.usd, d.priced, d.unpriced, d.started)
				if err != nil {
					return err
				}
				err = c.run(`DELETE FROM usage_quarter WHERE quarter_utc = ? AND project = ? AND provider = ? AND model = ?
					AND priced_n = 0 AND unpriced_n = 0 AND sessions_started = 0`, d.key.quarter, d.key.project, d.key.provider, d.key.model)
				if err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		wrong = wrong[n:]
	}
	return nil
}
