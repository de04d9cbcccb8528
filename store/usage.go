package store

import (
	"cmp"
	"context"
	"math"
	"os"
	"slices"
	"time"

	"github.com/ncruces/go-sqlite3"

	"podium.local/session"
)

// Bounds of the usage of a store that keeps no rollup.
const (
	activityAge  = time.Minute
	activitySpan = 366 * 24 * time.Hour
	activityRows = 50_000
)

// usageQuarter is one quarter of an hour of one project and model.
type usageQuarter struct {
	quarter        int64
	project, model string
	sum            session.UsageSum
}

// UsageSince sums sessions and spend from a time on. A Podium store keeps them
// by quarter of an hour; of an adopted one the newest sessions are read, at
// most once a minute and never for one request alone.
func (v *View) UsageSince(ctx context.Context, q session.UsageQuery) (u session.Usages, err error) {
	var quarters []usageQuarter
	var lasting *opened
	present, err := v.read(ctx, large, "read usage", func(s *snap) error {
		if !s.facts.has("usage_quarter") {
			lasting = s.opened
			return nil
		}
		return s.each(`SELECT quarter_utc, project, model, sum(priced_usd), sum(priced_n), sum(unpriced_n), sum(sessions_started)
			FROM usage_quarter WHERE quarter_utc >= ? AND quarter_utc <= ? GROUP BY 1, 2, 3 ORDER BY 1, 2, 3`, func(stmt *sqlite3.Stmt) error {
			quarters = append(quarters, usageQuarter{
				quarter: stmt.ColumnInt64(0), project: stmt.ColumnText(1), model: stmt.ColumnText(2),
				sum: session.UsageSum{PricedUSD: stmt.ColumnFloat(3), Priced: stmt.ColumnInt64(4), Unpriced: stmt.ColumnInt64(5), Sessions: stmt.ColumnInt64(6)},
			})
			return nil
		}, quarterOf(seconds(q.Since)), quarterOf(seconds(q.Until)))
	})
	if err != nil || !present {
		return u, err
	}
	if lasting != nil {
		a, err := v.activity(ctx, lasting)
		if err != nil {
			return u, err
		}
		quarters, u.AsOf, u.ByActivity, u.Capped = a.quarters, a.asOf, true, a.capped && a.oldest > seconds(q.Since)
	}
	u.Groups = groupUsage(quarters, q)
	return u, nil
}

// groupUsage sums quarters: days in order and without gaps, the rest by spend.
func groupUsage(quarters []usageQuarter, q session.UsageQuery) []session.UsageSum {
	sums := make(map[string]*session.UsageSum)
	if q.By == session.UsageByDay {
		// Dates are counted in UTC, where each has its midnight.
		for day, last := dateOf(q.Since, q.Zone), dateOf(q.Until, q.Zone); !day.After(last); day = day.AddDate(0, 0, 1) {
			key := day.Format(time.DateOnly)
			sums[key] = &session.UsageSum{Key: &key}
		}
	}
	since, until := seconds(q.Since), seconds(q.Until)
	for i := range quarters {
		e := &quarters[i]
		if at := float64(e.quarter); at+quarter <= since || at > until {
			continue
		}
		key := e.project
		switch q.By {
		case session.UsageByDay:
			key = time.Unix(e.quarter, 0).In(q.Zone).Format(time.DateOnly)
		case session.UsageByModel:
			key = e.model
		}
		sum := sums[key]
		if sum == nil {
			sum = &session.UsageSum{}
			if key != "" {
				sum.Key = &key
			}
			sums[key] = sum
		}
		sum.Sessions += e.sum.Sessions
		sum.PricedUSD += e.sum.PricedUSD
		sum.Priced += e.sum.Priced
		sum.Unpriced += e.sum.Unpriced
	}
	keys := make([]string, 0, len(sums))
	for key := range sums {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, func(a, b string) int {
		if q.By == session.UsageByDay {
			return cmp.Compare(a, b)
		}
		return cmp.Or(cmp.Compare(sums[b].PricedUSD, sums[a].PricedUSD), cmp.Compare(sums[b].Sessions, sums[a].Sessions), cmp.Compare(a, b))
	})
	out := make([]session.UsageSum, 0, len(keys))
	for _, key := range keys {
		out = append(out, *sums[key])
	}
	return out
}

// dateOf is the midnight in UTC of the date that a time has in a zone.
func dateOf(t time.Time, zone *time.Location) time.Time {
	year, month, day := t.In(zone).Date()
	return time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
}

// activity is the usage of a store without a rollup, by each session's last
// activity.
type activity struct {
	asOf     time.Time
	files    fingerprint
	quarters []usageQuarter
	oldest   float64 // the update of the oldest session that was read
	capped   bool
	done     chan struct{} // closed when the rest is set
	err      error
}

// fingerprint changes when anything is committed to a store.
type fingerprint struct {
	size, walSize     int64
	changed, walTimes time.Time
}

func fingerprintOf(path string) (f fingerprint) {
	if info, err := os.Stat(path); err == nil {
		f.size, f.changed = info.Size(), info.ModTime()
	}
	if info, err := os.Stat(path + "-wal"); err == nil {
		f.walSize, f.walTimes = info.Size(), info.ModTime()
	}
	return f
}

// activity gives the newest usage, read at most once every activityAge and
// only after a change. Requests share one reading; while an old one is there
// nobody waits for the next.
func (v *View) activity(ctx context.Context, o *opened) (*activity, error) {
	now := v.opts.Now()
	o.mu.Lock()
	a := o.recent
	if (a == nil || now.Sub(a.asOf) >= activityAge) && o.pending == nil {
		o.pending = &activity{asOf: now, files: fingerprintOf(o.path), done: make(chan struct{})}
		if a != nil && a.files == o.pending.files {
			same := *a
			same.asOf = now
			o.recent, o.pending, a = &same, nil, &same
		} else {
			next := o.pending
			v.background.Go(func() { v.readActivity(o, next) })
		}
	}
	if a == nil {
		a = o.pending
	}
	o.mu.Unlock()
	select {
	case <-a.done:
		return a, a.err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// readActivity reads the newest sessions and sums them by quarter.
func (v *View) readActivity(o *opened, a *activity) {
	sums := make(map[usageQuarter]*session.UsageSum)
	since := seconds(a.asOf.Add(-activitySpan))
	rows := 0
	_, a.err = v.read(v.base, large, "read activity", func(s *snap) error {
		return s.each("SELECT updated_at, coalesce(project, ''), coalesce(model, ''), total_cost_usd, provider FROM sessions WHERE updated_at >= ? ORDER BY updated_at DESC LIMIT ?",
			func(stmt *sqlite3.Stmt) error {
				if rows++; rows > activityRows {
					a.capped = true
					return nil
				}
				at := stmt.ColumnFloat(0)
				if math.IsInf(at, 0) {
					return nil
				}
				a.oldest = at
				key := usageQuarter{quarter: quarterOf(at), project: stmt.ColumnText(1), model: stmt.ColumnText(2)}
				sum := sums[key]
				if sum == nil {
					sum = &session.UsageSum{}
					sums[key] = sum
				}
				sum.Sessions++
				// What codex stores as cost is known to be wrong and shown nowhere.
				if cost := optionalNumber(stmt, 3); cost != nil && stmt.ColumnText(4) != "codex" {
					sum.Priced++
					sum.PricedUSD += *cost
				} else {
					sum.Unpriced++
				}
				return nil
			}, since, activityRows+1)
	})
	for key, sum := range sums {
		key.sum = *sum
		a.quarters = append(a.quarters, key)
	}
	slices.SortFunc(a.quarters, func(x, y usageQuarter) int {
		return cmp.Or(cmp.Compare(x.quarter, y.quarter), cmp.Compare(x.project, y.project), cmp.Compare(x.model, y.model))
	})
	o.mu.Lock()
	o.pending = nil
	if a.err == nil {
		o.recent = a
	}
	o.mu.Unlock()
	close(a.done)
}
