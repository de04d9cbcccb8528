package store

import (
	"context"
	"fmt"

	"github.com/ncruces/go-sqlite3"

	"podium.local/session"
)

// mostUsed is how many agents and playbooks of a project are named.
const mostUsed = 20

const projectColumns = `p.name, p.source, p.path, p.github, p.description, p.created_at, p.updated_at, p.last_seen_at,
	(SELECT count(*) FROM sessions s WHERE s.project = p.name),
	(SELECT count(*) FROM sessions s WHERE s.project = p.name AND s.status = 'running')`

func scanProject(stmt *sqlite3.Stmt) session.Project {
	return session.Project{
		Name: stmt.ColumnText(0), Source: stmt.ColumnText(1), Path: optionalText(stmt, 2), GitHub: optionalText(stmt, 3),
		Description: optionalText(stmt, 4), CreatedAt: stmt.ColumnFloat(5), UpdatedAt: stmt.ColumnFloat(6),
		LastSeenAt: optionalNumber(stmt, 7), Sessions: stmt.ColumnInt64(8), Running: stmt.ColumnInt64(9),
	}
}

// ListProjects reads the registered projects, last seen first. Mirrored
// transcripts count here.
func (v *View) ListProjects(ctx context.Context) (all session.Projects, err error) {
	_, err = v.read(ctx, large, "list projects", func(s *snap) error {
		if all.Unassigned, err = s.integer("SELECT count(*) FROM sessions WHERE project IS NULL"); err != nil {
			return err
		}
		if !s.facts.has("projects") {
			return nil
		}
		return s.each("SELECT "+projectColumns+" FROM projects p ORDER BY coalesce(p.last_seen_at, p.updated_at) DESC, p.rowid", func(stmt *sqlite3.Stmt) error {
			all.Projects = append(all.Projects, scanProject(stmt))
			return nil
		})
	})
	return all, err
}

// GetProject reads one registered project with its most used agents and
// playbooks.
func (v *View) GetProject(ctx context.Context, name string) (p session.Project, err error) {
	found := false
	_, err = v.read(ctx, large, "read project "+name, func(s *snap) error {
		if !s.facts.has("projects") {
			return nil
		}
		found, err = s.row("SELECT "+projectColumns+" FROM projects p WHERE p.name = ?", func(stmt *sqlite3.Stmt) error {
			p = scanProject(stmt)
			return nil
		}, name)
		if err != nil || !found {
			return err
		}
		if p.Agents, err = s.uses("agent_name", name); err != nil {
			return err
		}
		p.Playbooks, err = s.uses("playbook_name", name)
		return err
	})
	if err == nil && !found {
		err = fmt.Errorf("project %s: %w", name, session.ErrNotFound)
	}
	return p, err
}

// uses counts the sessions of a project by a column, most first.
func (s *snap) uses(column, project string) (uses []session.UseCount, err error) {
	err = s.each("SELECT "+column+", count(*) AS n FROM sessions WHERE project = ? AND "+column+" IS NOT NULL GROUP BY 1 ORDER BY n DESC, 1 LIMIT ?",
		func(stmt *sqlite3.Stmt) error {
			uses = append(uses, session.UseCount{Name: stmt.ColumnText(0), Runs: stmt.ColumnInt64(1)})
			return nil
		}, project, mostUsed)
	return uses, err
}
