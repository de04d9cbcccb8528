package store

import (
	"context"
	"strings"

	"github.com/ncruces/go-sqlite3"

	"podium.local/session"
)

// invocationColumns are the columns of an invocation under the alias i, the
// project of the child that was updated last, and what the schedule that fired
// it says.
func (f *facts) invocationColumns() string {
	child := func(column string) string {
		return "(SELECT s." + column + " FROM sessions s WHERE s.invocation_id = i.id ORDER BY coalesce(s.updated_at, 0) DESC, coalesce(s.created_at, 0) DESC, s.id DESC LIMIT 1)"
	}
	schedule := func(column string) string {
		if !f.has("schedule_runs") {
			return "NULL"
		}
		return "(SELECT r." + column + " FROM schedule_runs r WHERE r.invocation_id = i.id ORDER BY coalesce(r.created_at, 0) DESC, r.id DESC LIMIT 1)"
	}
	return `i.id, i.skill, i.plugin, i.prompt, i.started_at, i.ended_at, i.status, i.status_reason_code, i.status_reason_summary,
	i.status_evidence_refs, i.session_count, i.created_at, i.updated_at, i.node_metadata, ` +
		strings.Join([]string{child("project"), child("project_source"), schedule("exit_code"), schedule("error_detail")}, ", ")
}

func scanInvocation(stmt *sqlite3.Stmt) session.Invocation {
	return session.Invocation{
		ID: stmt.ColumnText(0), Skill: stmt.ColumnText(1), Plugin: optionalText(stmt, 2), Prompt: optionalText(stmt, 3),
		StartedAt: stmt.ColumnFloat(4), EndedAt: optionalNumber(stmt, 5), Status: stmt.ColumnText(6), ReasonCode: optionalText(stmt, 7),
		ReasonSummary: optionalText(stmt, 8), EvidenceRefs: optionalText(stmt, 9), SessionCount: stmt.ColumnInt64(10),
		CreatedAt: stmt.ColumnFloat(11), UpdatedAt: stmt.ColumnFloat(12), NodeMetadata: optionalText(stmt, 13),
		Project: optionalText(stmt, 14), ProjectSource: optionalText(stmt, 15),
		ScheduleExitCode: optionalWhole(stmt, 16), ScheduleErrorDetail: optionalText(stmt, 17),
	}
}

// ListInvocations reads one page of invocations with their sessions and both
// counts, from one snapshot.
func (v *View) ListInvocations(ctx context.Context, q session.InvocationQuery) (page session.InvocationPage, err error) {
	_, err = v.read(ctx, large, "list invocations", func(s *snap) error {
		if !s.facts.has("invocations") {
			return nil
		}
		where := func(status string) (string, []any) {
			var parts []string
			var args []any
			for _, f := range []struct{ column, value string }{{"skill", q.Skill}, {"plugin", q.Plugin}, {"status", status}} {
				if f.value != "" {
					parts, args = append(parts, "i."+f.column+" = ?"), append(args, f.value)
				}
			}
			if parts == nil {
				return "", nil
			}
			return " WHERE " + strings.Join(parts, " AND "), args
		}
		clause, args := where(q.Status)
		if page.Total, err = s.integer("SELECT count(*) FROM invocations i"+clause, args...); err != nil {
			return err
		}
		completed, completedArgs := where(string(session.StatusCompleted))
		if page.CompletedTotal, err = s.integer("SELECT count(*) FROM invocations i"+completed, completedArgs...); err != nil {
			return err
		}
		err = s.each("SELECT "+s.facts.invocationColumns()+" FROM invocations i"+clause+" ORDER BY i.updated_at DESC, i.rowid LIMIT ? OFFSET ?", func(stmt *sqlite3.Stmt) error {
			page.Invocations = append(page.Invocations, scanInvocation(stmt))
			return nil
		}, append(args, q.Limit, q.Offset)...)
		if err != nil {
			return err
		}
		return s.children(page.Invocations)
	})
	if err != nil {
		return session.InvocationPage{}, err
	}
	return page, nil
}

// children fills the sessions of invocations, oldest first.
func (s *snap) children(invocations []session.Invocation) error {
	at := make(map[string]int, len(invocations))
	ids := make([]string, len(invocations))
	for i := range invocations {
		at[invocations[i].ID], ids[i] = i, invocations[i].ID
	}
	param, err := list(ids)
	if err != nil {
		return err
	}
	return s.each("SELECT "+s.facts.rowList()+", "+s.facts.counts()+` FROM sessions s
		WHERE s.invocation_id IN (SELECT value FROM json_each(?)) ORDER BY s.created_at, s.id`, func(stmt *sqlite3.Stmt) error {
		r := scanRow(stmt)
		r.BranchCount, r.MessageCount = stmt.ColumnInt64(rowWidth), stmt.ColumnInt64(rowWidth+1)
		i := at[*r.InvocationID]
		invocations[i].Children = append(invocations[i].Children, r)
		return nil
	}, param)
}

// GetInvocation reads one invocation with its sessions and artifacts.
func (v *View) GetInvocation(ctx context.Context, id string) (in session.Invocation, err error) {
	found := false
	_, err = v.read(ctx, bounded, "read invocation "+id, func(s *snap) error {
		if !s.facts.has("invocations") {
			return nil
		}
		found, err = s.row("SELECT "+s.facts.invocationColumns()+" FROM invocations i WHERE i.id = ?", func(stmt *sqlite3.Stmt) error {
			in = scanInvocation(stmt)
			return nil
		}, id)
		if err != nil || !found {
			return err
		}
		one := []session.Invocation{in}
		if err := s.children(one); err != nil {
			return err
		}
		in = one[0]
		if !s.facts.has("artifacts") {
			return nil
		}
		return s.each(`SELECT id, invocation_id, session_id, kind, name, created_at, content, file_path FROM artifacts
			WHERE invocation_id = ? ORDER BY created_at, id`, func(stmt *sqlite3.Stmt) error {
			in.Artifacts = append(in.Artifacts, session.Artifact{
				ID: stmt.ColumnText(0), InvocationID: optionalText(stmt, 1), SessionID: optionalText(stmt, 2), Kind: stmt.ColumnText(3),
				Name: stmt.ColumnText(4), CreatedAt: stmt.ColumnFloat(5), Content: optionalText(stmt, 6), FilePath: optionalText(stmt, 7),
			})
			return nil
		}, id)
	})
	return in, orNotFound(err, found, "invocation", id)
}
