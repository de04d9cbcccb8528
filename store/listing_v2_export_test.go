package store

import (
	"context"
	"maps"
	"slices"

	"podium.local/listing"
	"podium.local/session"
)

// SeekSQL is the statement that reads the keys of a branch, with all of its
// arguments but the limit.
func SeekSQL(b listing.Branch) (string, []any) { return seekSQL(b, keyList(b)) }

// CandidateSQL is the statement that tries a filter on the rows of a branch.
func CandidateSQL(ctx context.Context, v *View, b listing.Branch, f listing.Filter) (sql string, args []any, err error) {
	_, err = v.read(ctx, bounded, "statement", func(s *snap) error {
		r, err := listingSnap{s}.residual(f)
		columns, where := seekSQL(b, keyList(b)+", s.rowid, "+r.flag)
		sql, args = r.with+columns, append(r.args, where...)
		return err
	})
	return sql, args, err
}

// HydrateSQL is the statement that reads the returned rows.
func HydrateSQL(ctx context.Context, v *View, o listing.Order) (sql string, err error) {
	_, err = v.read(ctx, bounded, "statement", func(s *snap) error {
		sql = s.facts.hydrateSQL("SELECT value AS key FROM json_each(?)", s.facts.countsFrom(soundMembers), resultOrders[o])
		return nil
	})
	return sql, err
}

// StatementsOf are the texts of everything that the view's connections ever
// ran.
func StatementsOf(v *View) []string {
	seen := map[string]bool{}
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.current == nil {
		return nil
	}
	for _, p := range []*pool{v.current.readers, v.current.heavy} {
		p.mu.Lock()
		for _, c := range p.idle {
			for sql := range c.stmts {
				seen[sql] = true
			}
		}
		p.mu.Unlock()
	}
	return slices.Sorted(maps.Keys(seen))
}

// Idle is how many connections of each kind wait to be used, all of them
// outside of a transaction.
func Idle(v *View) (boundedConns, heavyConns int, outside bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	outside = true
	for i, p := range []*pool{v.current.readers, v.current.heavy} {
		p.mu.Lock()
		for _, c := range p.idle {
			outside = outside && c.GetAutocommit()
		}
		if i == 0 {
			boundedConns = len(p.idle)
		} else {
			heavyConns = len(p.idle)
		}
		p.mu.Unlock()
	}
	return boundedConns, heavyConns, outside
}

// LastSteps are the steps of the snapshot that a connection of the kind read
// last.
func LastSteps(v *View, heavy bool) int64 {
	v.mu.Lock()
	defer v.mu.Unlock()
	p := v.current.readers
	if heavy {
		p = v.current.heavy
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.idle[len(p.idle)-1].spent.steps
}

// MaxStatements is how many statements a connection keeps.
const MaxStatements = maxStatements

var _ listing.Snapshot[session.Row] = listingSnap{}
