package store

import (
	"context"

	"github.com/ncruces/go-sqlite3"

	"podium.local/session"
)

// Repricing is what Reprice found and did.
type Repricing struct {
	// Requests were looked at, Changed ones got another price, Unknown ones have
	// none.
	Requests int64 `json:"requests"`
	Changed  int64 `json:"changed"`
	Unknown  int64 `json:"unknown"`
	// BeforeUSD and AfterUSD are the sums of what is priced.
	BeforeUSD float64 `json:"before_usd"`
	AfterUSD  float64 `json:"after_usd"`
}

// repriceStep is how many requests one transaction looks at.
const repriceStep = 200

// Reprice prices the requests of imported sessions anew. A request whose price
// nobody knows now keeps the one that it has. Requests of pods are left: they
// were priced for the server that answered them. dry changes nothing.
func (s *Store) Reprice(ctx context.Context, price session.Pricer, dry bool) (Repricing, error) {
	var sum Repricing
	var log, number int64 = -1, -1
	for {
		var part Repricing
		more := false
		step := func(c *conn) error {
			part, more = Repricing{}, false
			r := repricer{c: c, price: price, dry: dry, sum: &part}
			nextLog, nextNumber, n, err := r.run(log, number)
			if err != nil || n == 0 {
				return err
			}
			more, log, number = n == repriceStep, nextLog, nextNumber
			return nil
		}
		var err error
		if dry {
			err = explain("look at prices", s.read(ctx, step))
		} else {
			err = s.writePodium(ctx, "reprice", step)
		}
		if err != nil {
			return sum, err
		}
		sum.Requests += part.Requests
		sum.Changed += part.Changed
		sum.Unknown += part.Unknown
		sum.BeforeUSD += part.BeforeUSD
		sum.AfterUSD += part.AfterUSD
		if !more {
			return sum, nil
		}
	}
}

// repricer is one step of Reprice.
type repricer struct {
	c     *conn
	price session.Pricer
	dry   bool
	sum   *Repricing
}

// priced is one request with where it belongs.
type priced struct {
	session string
	log     int64
	at      float64
	usageRecord
}

// run looks at the requests after the given one.
func (r *repricer) run(log, number int64) (lastLog, lastNumber int64, n int, err error) {
	var found []priced
	err = r.c.each(`SELECT number, u.created_at, project, provider, model, u.input_tokens, u.output_tokens, u.cache_read_tokens, u.cache_write_tokens,
		u.reasoning_tokens, cost_usd, coalesce(price_source, ''), log_key, session_id FROM usage_records u JOIN logs USING (log_key)
		JOIN import_sessions USING (session_id) WHERE (log_key, number) > (?, ?) ORDER BY log_key, number LIMIT ?`, func(stmt *sqlite3.Stmt) error {
		found = append(found, priced{stmt.ColumnText(13), stmt.ColumnInt64(12), stmt.ColumnFloat(1), scanUsageRecord(stmt)})
		return nil
	}, log, number, repriceStep)
	if err != nil {
		return 0, 0, 0, err
	}
	touched := map[string]int64{}
	for _, p := range found {
		lastLog, lastNumber = p.log, p.number
		changed, err := r.one(p)
		if err != nil {
			return 0, 0, 0, err
		}
		if changed {
			touched[p.session] = p.log
		}
	}
	for id, log := range touched {
		if err := sumTotals(r.c, id, log); err != nil {
			return 0, 0, 0, err
		}
	}
	return lastLog, lastNumber, len(found), nil
}

// one prices a request and reports whether the store changed.
func (r *repricer) one(p priced) (changed bool, err error) {
	r.sum.Requests++
	next := p.usageRecord
	if p.usage.CostUSD != nil {
		r.sum.BeforeUSD += *p.usage.CostUSD
	}
	if usd, source, ok := r.price(p.key.provider, p.key.model, p.usage); ok {
		next.usage.CostUSD, next.usage.PriceSource = &usd, source
	}
	if next.usage.CostUSD == nil {
		r.sum.Unknown++
		return false, nil
	}
	r.sum.AfterUSD += *next.usage.CostUSD
	if p.usage.CostUSD != nil && *p.usage.CostUSD == *next.usage.CostUSD && p.usage.PriceSource == next.usage.PriceSource {
		return false, nil
	}
	r.sum.Changed++
	if r.dry {
		return false, nil
	}
	return true, replaceUsage(r.c, p.log, p.usageRecord, &next, p.at)
}
