package store

import (
	"context"
	"strings"

	"github.com/ncruces/go-sqlite3"

	"podium.local/session"
)

// rowColumns are the columns of a session.Row in the order scanRow reads
// them. Those in optionalColumns are missing from older stores.
var rowColumns = []string{
	"id", "created_at", "updated_at", "name", "playbook_name", "agent_name", "invocation_kind", "show_topic", "show_play_name",
	"source_kind", "status", "started_at", "ended_at", "ended_at_is_approximate", "last_message_at", "status_reason_code",
	"status_reason_summary", "invocation_id", "model", "provider", "effort", "agent_hash", "project", "project_source",
	"artifacts_path", "node_metadata", "artifact_contract_json", "artifact_verification_json", "total_cost_usd", "input_tokens", "output_tokens",
}

// rowList is the select list of rowColumns for a table under the alias s. A
// column that the store does not have reads as NULL.
func (f *facts) rowList() string {
	parts := make([]string, len(rowColumns))
	for i, name := range rowColumns {
		parts[i] = f.column("sessions", "s", name)
	}
	return strings.Join(parts, ", ")
}

// column names a column where the store has it.
func (f *facts) column(table, alias, name string) string {
	if f.columns[table+"."+name] {
		return alias + "." + name
	}
	return "NULL AS " + name
}

// scanRow reads what rowList selects.
func scanRow(stmt *sqlite3.Stmt) session.Row {
	r := session.Row{ID: stmt.ColumnText(0), UpdatedAt: optionalNumber(stmt, 2)}
	if at := optionalNumber(stmt, 1); at != nil {
		r.CreatedAt = *at
	}
	r.Name, r.PlaybookName, r.AgentName = optionalText(stmt, 3), optionalText(stmt, 4), optionalText(stmt, 5)
	r.InvocationKind, r.ShowTopic, r.ShowPlayName = optionalText(stmt, 6), optionalText(stmt, 7), optionalText(stmt, 8)
	r.SourceKind, r.Status = optionalText(stmt, 9), optionalText(stmt, 10)
	r.StartedAt, r.EndedAt = optionalNumber(stmt, 11), optionalNumber(stmt, 12)
	r.EndedAtApproximate = stmt.ColumnBool(13)
	r.LastMessageAt = optionalNumber(stmt, 14)
	r.ReasonCode, r.ReasonSummary, r.InvocationID = optionalText(stmt, 15), optionalText(stmt, 16), optionalText(stmt, 17)
	r.Model, r.Provider, r.Effort, r.AgentHash = optionalText(stmt, 18), optionalText(stmt, 19), optionalText(stmt, 20), optionalText(stmt, 21)
	r.Project, r.ProjectSource, r.ArtifactsPath = optionalText(stmt, 22), optionalText(stmt, 23), optionalText(stmt, 24)
	r.NodeMetadata, r.ArtifactContract, r.ArtifactVerification = optionalText(stmt, 25), optionalText(stmt, 26), optionalText(stmt, 27)
	r.TotalCostUSD, r.InputTokens, r.OutputTokens = optionalNumber(stmt, 28), optionalWhole(stmt, 29), optionalWhole(stmt, 30)
	return r
}

// rowWidth is the number of columns that scanRow reads.
var rowWidth = len(rowColumns)

// scanCounted reads what hydrateSQL selects.
func scanCounted(stmt *sqlite3.Stmt) session.Row {
	r := scanRow(stmt)
	r.BranchCount, r.MessageCount = stmt.ColumnInt64(rowWidth), stmt.ColumnInt64(rowWidth+1)
	return r
}

// branchMembers counts a session's messages from its progressions: every
// member counts, repeated and missing ones too.
const branchMembers = `(SELECT coalesce(sum(json_array_length(p.collection)), 0) FROM branches b JOIN progressions p ON p.id = b.progression_id WHERE b.session_id = s.id)`

// counts are the two counted columns of a row under the alias s. A session
// whose log is here has its messages counted there.
func (f *facts) counts() string { return f.countsFrom(branchMembers) }

// countsFrom takes the expression for sessions that have no log here.
func (f *facts) countsFrom(members string) string {
	messages := members
	if f.has("logs") {
		messages = "coalesce((SELECT l.messages FROM logs l WHERE l.session_id = s.id), " + members + ")"
	}
	return "(SELECT count(*) FROM branches b WHERE b.session_id = s.id), " + messages
}

// visible hides transcripts of what another run did: their metadata names
// that run. Malformed metadata fails the statement, as it always did.
const visible = "json_extract(s.node_metadata, '$.engine_parent_run_id') IS NULL"

// orders are the ORDER BY clauses of v1. Neither promises anything about ties;
// the younger row comes first, so that which indexes the store has does not
// show.
var orders = map[session.Order]string{
	session.OrderRecent: "s.updated_at DESC, s.rowid DESC",
	session.OrderCost:   "s.total_cost_usd IS NULL, s.total_cost_usd DESC, s.updated_at DESC, s.rowid DESC",
}

// where is the predicate of a filter with its arguments. Its text depends on
// which parts are set, never on their values.
func (f *facts) where(q session.Filter) (clause string, args []any, err error) {
	parts := []string{visible}
	add := func(part string, values ...any) {
		parts = append(parts, part)
		args = append(args, values...)
	}
	const contains = `'%' || lower(?) || '%' ESCAPE '\'`
	if q.Playbook != "" {
		add("lower(coalesce(s.playbook_name, '')) LIKE "+contains, escapeLike(q.Playbook))
	}
	if q.Search != "" {
		text := escapeLike(q.Search)
		add("(lower(coalesce(s.name, '')) LIKE "+contains+" OR lower(coalesce(s.agent_name, '')) LIKE "+contains+")", text, text)
	}
	for _, set := range []struct {
		column, alsoNull string
		values           []string
	}{{"s.status", "completed", q.Statuses}, {"s.invocation_kind", "agent", q.Kinds}} {
		if set.values == nil {
			continue
		}
		values, err := list(set.values)
		if err != nil {
			return "", nil, err
		}
		null := false
		for _, v := range set.values {
			null = null || v == set.alsoNull
		}
		part := set.column + " IN (SELECT value FROM json_each(?))"
		if null {
			part = "(" + part + " OR " + set.column + " IS NULL)"
		}
		add(part, values)
	}
	switch {
	case q.ProjectNull:
		add("s.project IS NULL")
	case q.Project != "":
		add("s.project = ?", q.Project)
	}
	if q.Tags != nil {
		if !f.has("run_tags") {
			add("0")
		} else {
			tags, err := list(q.Tags)
			if err != nil {
				return "", nil, err
			}
			add(`s.id IN (SELECT session_id FROM run_tags WHERE tag IN (SELECT value FROM json_each(?)) GROUP BY session_id HAVING count(DISTINCT tag) = ?)`,
				tags, len(q.Tags))
		}
	}
	return "WHERE " + strings.Join(parts, " AND "), args, nil
}

// escapeLike takes the special meaning from the characters of a LIKE pattern.
func escapeLike(text string) string {
	return strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(text)
}

// pageSQL chooses the page from sessions alone and reads everything else for
// its rows only. CROSS JOIN keeps the planner to that order.
func (f *facts) pageSQL(clause string, order session.Order) string {
	by := orders[order]
	return f.hydrateSQL("SELECT s.rowid AS key FROM sessions s "+clause+" ORDER BY "+by+" LIMIT ? OFFSET ?", f.counts(), by)
}

// hydrateSQL reads the rows whose keys the page selects, and nothing of others.
func (f *facts) hydrateSQL(page, counts, by string) string {
	return "WITH page AS MATERIALIZED (" + page + ")\n" +
		"SELECT " + f.rowList() + ", " + counts + "\n" +
		"FROM page CROSS JOIN sessions s ON s.rowid = page.key ORDER BY " + by
}

// countSQL counts what pageSQL pages through.
func countSQL(clause string) string { return "SELECT count(*) FROM sessions s " + clause }

// ListPage reads one page of the numbered listing with the count of all
// matching rows, from one snapshot.
func (v *View) ListPage(ctx context.Context, q session.PageQuery) (page session.Page, err error) {
	_, err = v.read(ctx, large, "list sessions", func(s *snap) error {
		page, err = s.listPage(q)
		return err
	})
	if err != nil {
		return session.Page{}, err
	}
	return page, nil
}

func (s *snap) listPage(q session.PageQuery) (page session.Page, err error) {
	clause, args, err := s.facts.where(q.Filter)
	if err != nil {
		return page, err
	}
	if page.Total, err = s.integer(countSQL(clause), args...); err != nil {
		return page, err
	}
	err = s.each(s.facts.pageSQL(clause, q.Order), func(stmt *sqlite3.Stmt) error {
		page.Rows = append(page.Rows, scanCounted(stmt))
		return nil
	}, append(args, q.Limit, q.Offset)...)
	if err != nil || !q.WithTags {
		return page, err
	}
	return page, s.hydrateTags(page.Rows)
}

// ProjectCounts counts visible sessions by project.
func (v *View) ProjectCounts(ctx context.Context) (counts []session.ProjectCount, err error) {
	_, err = v.read(ctx, large, "count projects", func(s *snap) error {
		return s.each("SELECT s.project, count(*), max(s.updated_at) FROM sessions s WHERE "+visible+" GROUP BY s.project", func(stmt *sqlite3.Stmt) error {
			counts = append(counts, session.ProjectCount{
				Project: optionalText(stmt, 0), Count: stmt.ColumnInt64(1), LastActivity: optionalNumber(stmt, 2),
			})
			return nil
		})
	})
	return counts, err
}
