package main

import (
	"errors"
	"fmt"
	"net/url"

	"github.com/ncruces/go-sqlite3"
)

// copyRows repeats every session of a filled store n times, each copy half a
// second before the one that it was made of, without conversations. It makes a
// large store in seconds: nothing leaves the database.
func copyRows(path string, n int) (err error) {
	c, err := sqlite3.OpenFlags((&url.URL{Scheme: "file", OmitHost: true, Path: path}).String(), sqlite3.OPEN_READWRITE|sqlite3.OPEN_URI)
	if err != nil {
		return fmt.Errorf("open %s: %w", path, err)
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	// Ids are UUIDs: another first part makes another id.
	err = c.Exec(fmt.Sprintf(`PRAGMA synchronous = OFF; PRAGMA cache_size = -200000; BEGIN IMMEDIATE;
		CREATE TEMP TABLE copy AS WITH RECURSIVE k(k) AS (SELECT 1 UNION ALL SELECT k + 1 FROM k WHERE k < %d)
		SELECT id AS old, printf('%%08x', k) || substr(id, 9) AS new, k * 0.5 AS ago FROM k, sessions;
		INSERT INTO progressions (id, created_at) SELECT 'p-' || new, 1 FROM copy;
		INSERT INTO sessions (id, created_at, updated_at, started_at, ended_at, last_message_at, status, status_reason_summary, name, agent_name, playbook_name,
			invocation_kind, source_kind, model, provider, project, project_source, progression_id, node_metadata, input_tokens, output_tokens, num_turns, total_cost_usd)
		SELECT new, created_at - ago, updated_at - ago, started_at - ago, ended_at - ago, last_message_at - ago, status, status_reason_summary, name, agent_name, playbook_name,
			invocation_kind, source_kind, model, provider, project, project_source, 'p-' || new, node_metadata, input_tokens, output_tokens, num_turns, total_cost_usd
		FROM copy JOIN sessions ON sessions.id = old ORDER BY new;
		INSERT INTO run_tags (session_id, tag, created_at) SELECT new, tag, created_at FROM copy JOIN run_tags ON session_id = old;
		COMMIT; PRAGMA wal_checkpoint(TRUNCATE)`, n))
	if err != nil {
		return fmt.Errorf("copy the sessions %d times: %w", n, err)
	}
	return nil
}
