package store

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/ncruces/go-sqlite3"

	"podium.local/listing"
)

// paths are the access paths of a store under one schema: what each order of
// the bounded listing lacks, empty when it lacks nothing.
type paths struct {
	lacks map[listing.Order]string
}

// index is an index as the engine describes it, without its expressions.
type index struct {
	name    string
	unique  bool
	partial bool
	// columns are the key's columns, "-" in front of descending ones; others than
	// plain columns in binary order are "?".
	columns []string
	// where is the squeezed clause of a partial index.
	where string
}

// Ready wants an incarnation and the access paths that an order needs. What
// was found is kept for as long as the schema stays; the incarnation is read
// every time, so that a rotation is seen at once. No row of the store is
// looked at, so the work does not grow with it.
func (s listingSnap) Ready(o listing.Order) (incarnation string, err error) {
	found := s.facts.paths.Load()
	if found == nil {
		if found, err = lookForPaths(s.conn, s.facts); err != nil {
			return "", err
		}
		s.facts.paths.Store(found)
	}
	if lacks := found.lacks[o]; lacks != "" {
		return "", listing.Unready(listing.LacksStructure, fmt.Errorf("%s; run `podium store migrate`", lacks))
	}
	incarnation, err = s.incarnation()
	if err != nil {
		return "", err
	}
	if _, err := uuid.Parse(incarnation); err != nil {
		return "", listing.Unready(listing.LacksIdentity, errors.New("the store has no listing identity; run `podium store rotate-identity`"))
	}
	return incarnation, nil
}

// lookForPaths judges indexes by what they are, and the three of the listing
// by their names too: the statements name them.
func lookForPaths(c *conn, f *facts) (*paths, error) {
	p := &paths{lacks: map[listing.Order]string{}}
	common, err := lacksCommon(c, f)
	if err != nil {
		return nil, err
	}
	sessions, err := indexesOf(c, "sessions")
	if err != nil {
		return nil, err
	}
	need := func(name, where string, columns ...string) string {
		i := slices.IndexFunc(sessions, func(x index) bool { return x.name == name })
		switch {
		case i < 0:
			return "index " + name + " is missing"
		case !slices.Equal(sessions[i].columns, columns) || sessions[i].where != where || sessions[i].partial != (where != ""):
			return "index " + name + " is not the one that is needed"
		}
		return ""
	}
	first := func(lacks ...string) string {
		for _, l := range lacks {
			if l != "" {
				return l
			}
		}
		return ""
	}
	p.lacks[listing.Recent] = first(common, need("idx_sessions_listing_recent", "", "-updated_at", "-id"))
	p.lacks[listing.Cost] = first(common,
		need("idx_sessions_listing_cost_reported", "total_cost_usdisnotnull", "-total_cost_usd", "-updated_at", "-id"),
		need("idx_sessions_listing_cost_unknown", "total_cost_usdisnull", "-updated_at", "-id"))
	return p, nil
}

// lacksCommon checks what both orders need: point lookups for what a returned
// row is made of, and texts that compare as their bytes.
func lacksCommon(c *conn, f *facts) (lacks string, err error) {
	encoding := ""
	if _, err := c.row("PRAGMA encoding", func(stmt *sqlite3.Stmt) error {
		encoding = stmt.ColumnText(0)
		return nil
	}); err != nil {
		return "", err
	}
	if encoding != "UTF-8" {
		return "its texts are " + encoding + ", whose order is another", nil
	}
	n, err := c.integer("SELECT count(*) FROM pragma_table_list WHERE schema = 'main' AND name = 'sessions' AND type = 'table' AND NOT wr")
	if err != nil || n == 0 {
		return "sessions is no ordinary table", err
	}
	for _, want := range []struct {
		table, lacks string
		is           func(index) bool
	}{
		{"sessions", "sessions.id has no unique index in binary order", func(x index) bool { return x.unique && slices.Equal(x.plain(), []string{"id"}) }},
		{"progressions", "progressions.id has no unique index in binary order", func(x index) bool { return x.unique && slices.Equal(x.plain(), []string{"id"}) }},
		{"branches", "branches has no index that begins with session_id", func(x index) bool { return len(x.columns) > 0 && x.plain()[0] == "session_id" }},
		{"run_tags", "run_tags has no unique index on session_id and tag", func(x index) bool { return x.unique && slices.Equal(x.plain(), []string{"session_id", "tag"}) }},
	} {
		if want.table == "run_tags" && !f.has("run_tags") {
			continue // reads as empty
		}
		all, err := indexesOf(c, want.table)
		if err != nil {
			return "", err
		}
		if !slices.ContainsFunc(all, func(x index) bool { return !x.partial && want.is(x) }) {
			return want.lacks, nil
		}
	}
	return "", nil
}

// plain are the key's columns in either direction.
func (x index) plain() []string {
	names := make([]string, len(x.columns))
	for i, c := range x.columns {
		names[i] = strings.TrimPrefix(c, "-")
	}
	return names
}

// indexesOf lists the indexes of a table.
func indexesOf(c *conn, table string) (all []index, err error) {
	err = c.each(`SELECT l.name, l."unique", l.partial, coalesce(m.sql, '') FROM pragma_index_list(?) l LEFT JOIN sqlite_schema m ON m.type = 'index' AND m.name = l.name`,
		func(stmt *sqlite3.Stmt) error {
			x := index{name: stmt.ColumnText(0), unique: stmt.ColumnBool(1), partial: stmt.ColumnBool(2)}
			if x.partial {
				// No name in the definition before the clause holds this word.
				_, x.where, _ = strings.Cut(squeeze(stmt.ColumnText(3)), ")where")
			}
			all = append(all, x)
			return nil
		}, table)
	if err != nil {
		return nil, err
	}
	for i := range all {
		err := c.each(`SELECT name, "desc", coll FROM pragma_index_xinfo(?) WHERE key ORDER BY seqno`, func(stmt *sqlite3.Stmt) error {
			column := stmt.ColumnText(0)
			if column == "" || !strings.EqualFold(stmt.ColumnText(2), "BINARY") {
				column = "?"
			}
			if stmt.ColumnBool(1) {
				column = "-" + column
			}
			all[i].columns = append(all[i].columns, column)
			return nil
		}, all[i].name)
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}
