package store

import (
	"cmp"
	"encoding/json"
	"fmt"
	"time"

	"github.com/ncruces/go-sqlite3"

	"podium.local/session"
)

// describe writes the session's row as its files describe it together. A name
// that a person gave stays.
func (i *importing) describe(row importRow) error {
	f, err := mergedFacts(i.c, row.session)
	if err != nil {
		return err
	}
	metadata, err := i.metadata(row.session, f)
	if err != nil {
		return err
	}
	name := session.Clip(cmp.Or(f.Title, f.Summary, f.Prompt), maxName)
	first, last := row.openedAt, seconds(f.Last)
	if !f.First.IsZero() {
		first = min(first, seconds(f.First))
	}
	var spoke any
	if !f.Spoke.IsZero() {
		spoke = seconds(f.Spoke)
	}
	var projectSource any
	if f.Project != "" {
		projectSource = importActor
		if err := seeImported(i.c, f.Project, f.Cwd, first, last); err != nil {
			return err
		}
	}
	// No bound moves inward: what is in the log stays although its file was
	// replaced, and a pod may have added to it.
	err = i.c.run(`UPDATE sessions SET created_at = ?1, started_at = ?1, updated_at = max(updated_at, ?2), ended_at = max(ended_at, ?2),
		last_message_at = coalesce(max(last_message_at, ?3), last_message_at, ?3),
		name = CASE WHEN name IS (SELECT given_name FROM import_sessions WHERE session_id = ?5) THEN ?4 ELSE name END WHERE id = ?5`,
		first, last, spoke, orNull(name), row.session)
	if err != nil {
		return err
	}
	if err := i.c.run("UPDATE import_sessions SET given_name = ? WHERE session_id = ?", orNull(name), row.session); err != nil {
		return err
	}
	// A pod that went on with the session has said by itself what it is like.
	continued, err := wasContinued(i.c, row.session)
	if err != nil {
		return err
	}
	if !continued {
		err = i.c.run("UPDATE sessions SET model = ?, provider = ?, effort = ?, project = ?, project_source = ?, node_metadata = ? WHERE id = ?",
			orNull(f.Model), orNull(f.Provider), orNull(f.Effort), orNull(f.Project), projectSource, metadata, row.session)
		if err != nil {
			return err
		}
	}
	err = i.c.run(`UPDATE branches SET created_at = ?1, started_at = ?1, (model, provider, ended_at) =
		(SELECT model, provider, coalesce(ended_at, updated_at) FROM sessions WHERE id = ?2) WHERE session_id = ?2`, first, row.session)
	if err != nil {
		return err
	}
	if row.openedAt == first && row.openedProject == f.Project && row.openedVendor == f.Provider && row.opened == f.FirstModel {
		return nil
	}
	err = subtract(i.c, drift{key: rollupKey{quarterOf(row.openedAt), row.openedProject, row.openedVendor, row.opened}, started: 1})
	if err != nil {
		return err
	}
	if err := bookStart(i.c, first, f.Project, f.Provider, f.FirstModel); err != nil {
		return err
	}
	return i.c.run("UPDATE logs SET opened_at = ?, opened_project = ?, opened_provider = ?, opened_model = ? WHERE log_key = ?",
		first, f.Project, f.Provider, f.FirstModel, row.logKey)
}

// seeImported registers the project of an imported session.
func seeImported(c *conn, name, path string, first, last float64) error {
	return c.run(`INSERT INTO projects (name, source, path, created_at, updated_at, last_seen_at) VALUES (?1, 'import', ?2, ?3, ?3, ?4)
		ON CONFLICT (name) DO UPDATE SET last_seen_at = max(coalesce(last_seen_at, 0), ?4),
		created_at = CASE source WHEN 'import' THEN min(created_at, ?3) ELSE created_at END,
		updated_at = CASE source WHEN 'import' THEN min(updated_at, ?3) ELSE updated_at END,
		path       = CASE source WHEN 'import' THEN min(coalesce(path, ?2), ?2) ELSE path END`, name, path, first, last)
}

// metadata is the session's node_metadata.
func (i *importing) metadata(id string, f session.ImportFacts) (json.RawMessage, error) {
	fields := map[string]string{"process_identity_mode": "external"}
	_, err := i.c.row("SELECT tool, subagent_id, coalesce(parent, ''), coalesce(forked_from, '') FROM import_sessions WHERE session_id = ?",
		func(stmt *sqlite3.Stmt) error {
			for n, name := range []string{"imported_from", "subagent_id", "parent_session_id", "forked_from"} {
				fields[name] = stmt.ColumnText(n)
			}
			return nil
		}, id)
	if err != nil {
		return nil, err
	}
	fields["cwd"], fields["git_branch"] = f.Cwd, f.Branch
	for name, value := range fields {
		if value == "" {
			delete(fields, name)
		}
	}
	return encode(fields)
}

// mergedFacts joins what the files of a session say of it, in order of rank.
func mergedFacts(c *conn, id string) (all session.ImportFacts, err error) {
	err = c.each("SELECT facts FROM import_session_files JOIN import_files USING (file_key) WHERE session_id = ? ORDER BY rank", func(stmt *sqlite3.Stmt) error {
		var f session.ImportFacts
		if err := json.Unmarshal(stmt.ColumnRawText(0), &f); err != nil {
			return fmt.Errorf("facts of session %s: %w", id, err)
		}
		all = mergeFacts(all, f)
		return nil
	}, id)
	return all, err
}

// mergeFacts puts what a later file says over what an earlier one said.
func mergeFacts(a, b session.ImportFacts) session.ImportFacts {
	later := !b.Last.Before(a.Last)
	if a.First.IsZero() || !b.First.IsZero() && b.First.Before(a.First) {
		a.First = b.First
	}
	a.Last, a.Spoke = latest(a.Last, b.Last), latest(a.Spoke, b.Spoke)
	a.Title, a.Summary, a.Prompt = cmp.Or(b.Title, a.Title), cmp.Or(b.Summary, a.Summary), cmp.Or(a.Prompt, b.Prompt)
	a.FirstModel = cmp.Or(a.FirstModel, b.FirstModel)
	if later {
		a.Model, a.Effort = cmp.Or(b.Model, a.Model), cmp.Or(b.Effort, a.Effort)
	} else {
		a.Model, a.Effort = cmp.Or(a.Model, b.Model), cmp.Or(a.Effort, b.Effort)
	}
	a.Provider, a.Cwd, a.Project, a.Branch = cmp.Or(a.Provider, b.Provider), cmp.Or(a.Cwd, b.Cwd), cmp.Or(a.Project, b.Project), cmp.Or(a.Branch, b.Branch)
	return a
}

func latest(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
