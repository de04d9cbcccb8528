package store

import (
	"context"
	"runtime"

	"github.com/ncruces/go-sqlite3"

	"podium.local/session"
)

// HeavyQueue is how many heavy reads may wait.
const HeavyQueue = heavyQueue

// ListingStatements are the texts of a page and of its count.
func ListingStatements(ctx context.Context, v *View, q session.PageQuery) (page, count string, err error) {
	_, err = v.read(ctx, bounded, "statements", func(s *snap) error {
		clause, _, err := s.facts.where(q.Filter)
		page, count = s.facts.pageSQL(clause, q.Order), countSQL(clause)
		return err
	})
	return page, count, err
}

// PageSteps counts the steps that the page takes, its count left out.
func PageSteps(ctx context.Context, v *View, q session.PageQuery) (steps int, err error) {
	_, err = v.read(ctx, bounded, "steps", func(s *snap) error {
		clause, args, err := s.facts.where(q.Filter)
		if err != nil {
			return err
		}
		sql := s.facts.pageSQL(clause, q.Order)
		if stmt, ok := s.stmts[sql]; ok {
			stmt.Status(sqlite3.STMTSTATUS_VM_STEP, true)
		}
		if err := s.each(sql, func(*sqlite3.Stmt) error { return nil }, append(args, q.Limit, q.Offset)...); err != nil {
			return err
		}
		steps = s.stmts[sql].Status(sqlite3.STMTSTATUS_VM_STEP, false)
		return nil
	})
	return steps, err
}

// HoldHeavy takes every heavy place until release is called.
func HoldHeavy(v *View) (release func()) {
	for range cap(v.heavy) {
		v.heavy <- struct{}{}
	}
	return func() {
		for range cap(v.heavy) {
			<-v.heavy
		}
	}
}

// AwaitQueue returns once n heavy reads wait.
func AwaitQueue(v *View, n int) {
	for len(v.waiting) < n {
		runtime.Gosched()
	}
}

// AwaitActivity returns once no reading of usage runs.
func AwaitActivity(v *View) { v.background.Wait() }

// CancelDuring calls cancel once a heavy read runs.
func CancelDuring(v *View, ctx context.Context, cancel func()) {
	go func() {
		for len(v.heavy) == 0 && ctx.Err() == nil {
			runtime.Gosched()
		}
		cancel()
	}()
}

// SetRowBudget makes every read pay for n rows from the next opening on.
func SetRowBudget(v *View, n int64) { v.rows = n }

// ForgetTolls makes the next detail count its log anew.
func ForgetTolls(v *View) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.current != nil {
		v.current.mu.Lock()
		clear(v.current.toll)
		v.current.mu.Unlock()
	}
}

// FleetSQL is the statement that finds the sessions of one status.
func FleetSQL(indexed, since bool) string { return fleetSQL(indexed, since) }

// PodEventsSQL is the statement that walks back through a pod's events.
const PodEventsSQL = podEventsSQL

// FleetSteps counts the steps of one look at the fleet.
func FleetSteps(ctx context.Context, v *View, q session.FleetQuery) (steps, scanned int64, err error) {
	_, err = v.read(ctx, bounded, "fleet", func(s *snap) error {
		var f session.Fleet
		if err := s.fleet(q, &f); err != nil {
			return err
		}
		steps, scanned = s.spent.steps, s.spent.scanned
		return nil
	})
	return steps, scanned, err
}

// PathOf is the path of a view.
func PathOf(v *View) string { return v.path }
