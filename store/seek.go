package store

import (
	"iter"
	"strings"

	"github.com/ncruces/go-sqlite3"

	"podium.local/listing"
)

// seekIndex is the index that has a branch's rows next to each other, in
// order.
func seekIndex(b listing.Branch) string {
	switch {
	case b.Order == listing.Recent:
		return "idx_sessions_listing_recent"
	case b.Cost.Op == listing.Null:
		return "idx_sessions_listing_cost_unknown"
	default:
		return "idx_sessions_listing_cost_reported"
	}
}

// keyList are the columns that scanKey reads. In the branches that know the
// cost to be NULL it is not asked for: their index does not hold it.
func keyList(b listing.Branch) string {
	if b.Cost.Op == listing.Any || b.Cost.Op == listing.Null {
		return "s.id, s.updated_at, NULL"
	}
	return "s.id, s.updated_at, s.total_cost_usd"
}

// seekSQL reads a branch in order. The index is named, so that statistics that
// another program left in the file cannot make the planner read and sort the
// store; readiness has seen to it that the index is there.
func seekSQL(b listing.Branch, columns string) (sql string, args []any) {
	var where []string
	bound := func(column string, op listing.Op, value any) {
		switch op {
		case listing.Equal:
			where, args = append(where, column+" = ?"), append(args, value)
		case listing.Less:
			where, args = append(where, column+" < ?"), append(args, value)
		case listing.Present:
			where, args = append(where, column+" >= ?"), append(args, value)
		case listing.Null:
			where = append(where, column+" IS NULL")
		}
	}
	bound("s.total_cost_usd", b.Cost.Op, number(b.Cost.Value))
	bound("s.updated_at", b.Time.Op, number(b.Time.Value))
	bound("s.id", b.ID.Op, b.ID.Value)
	by := "s.updated_at DESC, s.id DESC"
	if seekIndex(b) == "idx_sessions_listing_cost_reported" {
		by = "s.total_cost_usd DESC, " + by
	}
	return "SELECT " + columns + " FROM sessions s INDEXED BY " + seekIndex(b) +
		" WHERE " + strings.Join(where, " AND ") + " ORDER BY " + by + " LIMIT ?", args
}

// number is a key's value as it is bound: the type it was stored with.
func number(v listing.Value) any {
	switch v.Kind() {
	case listing.KindInt:
		return v.Int()
	case listing.KindFloat:
		return v.Float()
	default:
		return nil
	}
}

// scanKey reads what keyList selects. An id that is no text is the empty one,
// which no listing takes.
func scanKey(stmt *sqlite3.Stmt) (k listing.Key) {
	if stmt.ColumnType(0) == sqlite3.TEXT {
		k.ID = stmt.ColumnText(0)
	}
	k.Time, k.Cost = scanValue(stmt, 1), scanValue(stmt, 2)
	return k
}

func scanValue(stmt *sqlite3.Stmt, col int) listing.Value {
	switch stmt.ColumnType(col) {
	case sqlite3.NULL:
		return listing.Value{}
	case sqlite3.INTEGER:
		return listing.Int(stmt.ColumnInt64(col))
	case sqlite3.FLOAT:
		return listing.Float(stmt.ColumnFloat(col))
	default:
		return listing.Other()
	}
}

// Keys reads keys alone, from the index where that holds them.
func (s listingSnap) Keys(b listing.Branch, limit int) iter.Seq2[listing.Key, error] {
	sql, args := seekSQL(b, keyList(b))
	return rows(s.conn, sql, append(args, limit), scanKey)
}

// Candidates reads keys and, for each, how the filter judges the row.
func (s listingSnap) Candidates(b listing.Branch, f listing.Filter, limit int) iter.Seq2[listing.Candidate, error] {
	r, err := s.residual(f)
	if err != nil {
		return func(yield func(listing.Candidate, error) bool) { yield(listing.Candidate{}, err) }
	}
	sql, args := seekSQL(b, keyList(b)+", s.rowid, "+r.flag)
	all := append(append(r.args, args...), limit)
	return rows(s.conn, r.with+sql, all, func(stmt *sqlite3.Stmt) listing.Candidate {
		flag := stmt.ColumnInt(4)
		c := listing.Candidate{Key: scanKey(stmt), Handle: stmt.ColumnInt64(3), Matched: flag == r.tags}
		if flag >= 0 {
			c.TagProbes = r.tags
		}
		return c
	})
}

// rows yields what scan makes of each row and stops reading with the caller.
func rows[T any](c *conn, sql string, args []any, scan func(*sqlite3.Stmt) T) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		err := c.each(sql, func(stmt *sqlite3.Stmt) error {
			if !yield(scan(stmt), nil) {
				return errStop
			}
			return nil
		}, args...)
		if err != nil {
			var none T
			yield(none, err)
		}
	}
}
