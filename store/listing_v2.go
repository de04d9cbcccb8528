package store

import (
	"context"
	"errors"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/ncruces/go-sqlite3"

	"podium.local/listing"
	"podium.local/session"
)

// listingSnap is one snapshot as the bounded listing reads it.
type listingSnap struct{ *snap }

// ListingSnapshot runs use in one reading transaction. A window takes one of
// the bounded connections; a request that counts the store takes a heavy one
// for all of its answer, so that both come from the same snapshot.
func (v *View) ListingSnapshot(ctx context.Context, counting bool, use func(listing.Snapshot[session.Row]) error) (present bool, err error) {
	w := bounded
	if counting {
		w = large
	}
	present, err = v.read(ctx, w, "list sessions", func(s *snap) error { return use(listingSnap{s}) })
	// A file that is no store of ours, or not yet, has no listing to offer.
	if errors.Is(err, session.ErrNotReady) {
		err = listing.Unready(listing.LacksStructure, err)
	}
	return present, err
}

// The listing reads a View.
var _ listing.Store[session.Row] = (*View)(nil)

// isVisible is v1's rule of visibility for rows whose metadata may be broken:
// what cannot be read names no run that it mirrors. Malformed metadata does
// not fail a window, where one row would take all others with it.
const isVisible = "CASE WHEN json_valid(s.node_metadata, 10) THEN json_extract(s.node_metadata, '$.engine_parent_run_id') IS NULL ELSE 1 END"

// soundMembers is branchMembers for progressions that may be broken: those
// count as empty.
var soundMembers = strings.Replace(branchMembers, "json_array_length(p.collection)",
	"CASE WHEN json_valid(p.collection, 10) THEN json_array_length(p.collection) ELSE 0 END", 1)

// residual is what a filter asks of a row, as an expression over sessions s:
// -1 for a row that is rejected, else how many of the wanted tags it has.
type residual struct {
	with, flag string
	args       []any
	tags       int
}

// residual writes a filter's predicate. Its parts are tried one after the
// other, cheap ones first, and none after one that fails: text before JSON,
// which costs most. Its text depends on which parts are set, hardly on their
// values, so that a connection keeps few statements.
func (s listingSnap) residual(q listing.Filter) (r residual, err error) {
	var tests []string
	var args []any
	test := func(sql string, values []any) {
		tests, args = append(tests, sql), append(args, values...)
	}
	switch {
	case q.ProjectNull:
		test("s.project IS NULL", nil)
	case q.Project != "":
		test("s.project = ?", []any{q.Project})
	}
	for _, set := range []struct {
		column, alsoNull string
		values           []string
	}{{"s.status", "completed", q.Statuses}, {"s.invocation_kind", "agent", q.Kinds}} {
		if len(set.values) == 0 {
			continue
		}
		values, err := list(set.values)
		if err != nil {
			return r, err
		}
		sql := set.column + " IN (SELECT value FROM json_each(?))"
		if slices.Contains(set.values, set.alsoNull) {
			sql = set.column + " IS NULL OR " + sql
		}
		test(sql, []any{values})
	}
	if q.Playbook != "" {
		test(contains(q.Playbook, "s.playbook_name"))
	}
	if q.Search != "" {
		test(contains(q.Search, "s.name", "s.agent_name"))
	}
	test(isVisible, nil)
	found := "0"
	if len(q.Tags) > 0 {
		r.tags = len(q.Tags)
		if s.facts.has("run_tags") {
			tags, err := list(q.Tags)
			if err != nil {
				return r, err
			}
			r.with, r.args = "WITH wanted AS MATERIALIZED (SELECT value AS tag FROM json_each(?)) ", []any{tags}
			found = "(SELECT count(*) FROM wanted CROSS JOIN run_tags t ON t.session_id = s.id AND t.tag = wanted.tag)"
		} else {
			found = "-1"
		}
	}
	r.args = append(r.args, args...)
	r.flag = "CASE WHEN (" + strings.Join(tests, ") IS NOT TRUE THEN -1 WHEN (") + ") IS NOT TRUE THEN -1 ELSE " + found + " END"
	return r, nil
}

// contains finds a text in any of the columns exactly where v1's
// lower(coalesce(column, ”)) LIKE '%' || lower(text) || '%' does, in fewer
// steps: LIKE folds ASCII by itself, so that lowering first only matters for
// bytes, which LIKE never matches and which alone are not below x”. A text
// with a zero byte ends there for LIKE and may match what is missing too; it is
// compared in v1's words.
func contains(text string, columns ...string) (test string, args []any) {
	pattern := "%" + escapeLike(text) + "%"
	var tests []string
	for _, c := range columns {
		if strings.ContainsRune(text, 0) {
			tests = append(tests, "lower(coalesce("+c+", '')) LIKE ? ESCAPE '\\'")
			args = append(args, pattern)
			continue
		}
		tests = append(tests, c+" LIKE ? ESCAPE '\\' OR "+c+" >= x'' AND lower("+c+") LIKE ? ESCAPE '\\'")
		args = append(args, pattern, pattern)
	}
	return strings.Join(tests, " OR "), args
}

// resultOrders order the rows that are returned, at most a page of them.
var resultOrders = map[listing.Order]string{
	listing.Recent: "s.updated_at DESC, s.id DESC",
	listing.Cost:   "s.total_cost_usd IS NULL, s.total_cost_usd DESC, s.updated_at DESC, s.id DESC",
}

// Hydrate reads rows by their rowids, with tags.
func (s listingSnap) Hydrate(o listing.Order, handles []int64) (rows []session.Row, err error) {
	if len(handles) == 0 {
		return nil, nil
	}
	keys, err := list(handles)
	if err != nil {
		return nil, err
	}
	sql := s.facts.hydrateSQL("SELECT value AS key FROM json_each(?)", s.facts.countsFrom(soundMembers), resultOrders[o])
	err = s.each(sql, func(stmt *sqlite3.Stmt) error {
		rows = append(rows, scanCounted(stmt))
		return nil
	}, keys)
	if err != nil {
		return nil, err
	}
	if err := s.hydrateTags(rows); err != nil || !s.facts.has("run_tags") {
		return rows, err
	}
	for i := range rows {
		// JSON, in which hydrateTags names its rows, cannot say every id.
		if !utf8.ValidString(rows[i].ID) {
			if rows[i].Tags, err = tagsOf(s.conn, rows[i].ID); err != nil {
				return nil, err
			}
		}
	}
	return rows, nil
}

// Count counts every row of the store that the filter selects, by the same
// predicate as the windows.
func (s listingSnap) Count(f listing.Filter) (int64, error) {
	r, err := s.residual(f)
	if err != nil {
		return 0, err
	}
	return s.integer(r.with+"SELECT count(*) FROM sessions s WHERE "+r.flag+" = ?", append(slices.Clone(r.args), r.tags)...)
}

// Cost is what the snapshot's statements did so far.
func (s listingSnap) Cost() listing.Work {
	return listing.Work{
		Statements: s.spent.statements, VMSteps: s.spent.steps, FullScanSteps: s.spent.scanned, Sorts: s.spent.sorted,
	}
}
