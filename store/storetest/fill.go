package storetest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ncruces/go-sqlite3"
)

// Rows says what Fill adds. Counts are exact; everything about a session
// follows from its number n, so that two fills of the same Rows are equal.
type Rows struct {
	// Sessions to add, numbered from First. Session n has the id "s%07d", and is
	// a second newer than n-1; the last one stands at Epoch.
	Sessions int
	First    int
	// Branches a session, 0 means 1; each with a progression of Members ids (0
	// means 3).
	Branches int
	Members  int
	// UnknownCost leaves the cost of every so-manieth session NULL: 0 none, 1
	// all, 3 every third.
	UnknownCost int
	// Mirror makes every so-manieth session a mirrored transcript: 0 none.
	Mirror int
	// Tags a session: "t0" up to "t<Tags-1>".
	Tags int
}

// Fill adds sessions to the store at path by set-based SQL. The store may be
// ours or lionagi's; nobody may be writing to it.
func Fill(t testing.TB, path string, rows Rows) {
	t.Helper()
	if rows.Branches == 0 {
		rows.Branches = 1
	}
	if rows.Members == 0 {
		rows.Members = 3
	}
	c := Dial(t, path)
	indexes := sessionIndexes(t, c)
	var b strings.Builder
	// Building an index at the end sorts once; keeping it current sorts per row.
	b.WriteString("PRAGMA foreign_keys = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -65536; BEGIN IMMEDIATE;\n")
	for name := range indexes {
		fmt.Fprintf(&b, "DROP INDEX %s;\n", name)
	}
	last, epoch := rows.First+rows.Sessions-1, Epoch.Unix()
	fmt.Fprintf(&b, `CREATE TEMP TABLE fill AS WITH RECURSIVE n(n) AS (SELECT %d UNION ALL SELECT n + 1 FROM n WHERE n < %d)
		SELECT n, printf('s%%07d', n) AS id, %d.0 - (%d - n) AS at FROM n;
	`, rows.First, last, epoch, last)
	members := make([]string, rows.Members)
	for i := range members {
		members[i] = fmt.Sprintf("m%d", i)
	}
	collection := `["` + strings.Join(members, `","`) + `"]`
	fmt.Fprintf(&b, "CREATE TEMP TABLE fill_branch AS WITH RECURSIVE b(b) AS (SELECT 0 UNION ALL SELECT b + 1 FROM b WHERE b < %d) SELECT b FROM b;\n", rows.Branches-1)
	fmt.Fprintf(&b, `INSERT INTO progressions (id, created_at, collection)
		SELECT printf('p%%07d-%%d', n, b), at, '%s' FROM fill, fill_branch;
	`, collection)
	fmt.Fprintf(&b, `INSERT INTO sessions (id, created_at, updated_at, started_at, ended_at, last_message_at, duration_ms, status, name, agent_name,
		playbook_name, invocation_kind, source_kind, model, provider, project, progression_id, node_metadata, input_tokens, output_tokens,
		num_turns, total_cost_usd)
		SELECT id, at - 60, at, at - 60, CASE WHEN n %% 50 = 0 THEN NULL ELSE at END, at, CASE WHEN n %% 50 = 0 THEN NULL ELSE 60000.0 END,
		CASE n %% 50 WHEN 0 THEN 'running' WHEN 1 THEN 'failed' WHEN 2 THEN 'cancelled' ELSE 'completed' END,
		'session ' || n || ' about topic ' || (n %% 97), 'agent-' || (n %% 7), CASE WHEN n %% 5 = 0 THEN 'playbook-' || (n %% 11) END,
		CASE n %% 4 WHEN 0 THEN 'play' WHEN 1 THEN 'flow' ELSE 'agent' END, 'live', 'model-' || (n %% 3), 'anthropic',
		CASE WHEN n %% 6 <> 0 THEN 'project-' || (n %% 13) END, printf('p%%07d-0', n),
		CASE WHEN %s THEN json_object('engine_parent_run_id', 'r' || n) ELSE json_object('pid', 1000 + n %% 5000, 'note', 'a session of a fixture, number ' || n) END,
		1000 + n %% 1000, 100 + n %% 100, 1 + n %% 20, CASE WHEN %s THEN NULL ELSE (n * 37 %% 10007) / 1000.0 END FROM fill;
	`, every(rows.Mirror), every(rows.UnknownCost))
	b.WriteString(`INSERT INTO branches (id, created_at, session_id, progression_id, name, model, provider, status, started_at)
		SELECT printf('b%07d-%d', n, b), at - 60 + b, id, printf('p%07d-%d', n, b), 'branch ' || b, 'model-' || (n % 3), 'anthropic', NULL, at - 60
		FROM fill, fill_branch;
	`)
	for tag := range rows.Tags {
		fmt.Fprintf(&b, "INSERT INTO run_tags (session_id, tag, created_at) SELECT id, 't%d', at FROM fill;\n", tag)
	}
	b.WriteString("DROP TABLE fill; DROP TABLE fill_branch;\n")
	for _, sql := range indexes {
		b.WriteString(sql + ";\n")
	}
	b.WriteString("COMMIT; PRAGMA wal_checkpoint(TRUNCATE);")
	if err := c.Exec(b.String()); err != nil {
		t.Fatal(err)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
}

// every is true for every step-th session.
func every(step int) string {
	if step == 0 {
		return "0"
	}
	return fmt.Sprintf("n %% %d = 0", step)
}

// sessionIndexes are the indexes of the filled tables that are not part of
// their definition, by name.
func sessionIndexes(t testing.TB, c *sqlite3.Conn) map[string]string {
	t.Helper()
	stmt, _, err := c.Prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL AND tbl_name IN ('sessions', 'branches', 'run_tags')")
	if err != nil {
		t.Fatal(err)
	}
	indexes := make(map[string]string)
	for stmt.Step() {
		indexes[stmt.ColumnText(0)] = stmt.ColumnText(1)
	}
	if err := stmt.Close(); err != nil {
		t.Fatal(err)
	}
	return indexes
}

// FillLog appends entries, size bytes of payload each, to the log of a pod's
// session by set-based SQL, as that many commits of the pod would have. The
// counters follow.
func FillLog(t testing.TB, path, sessionID string, entries, size int) {
	t.Helper()
	const frame = len(`{"text":""}`)
	if size < frame {
		t.Fatalf("a payload has at least %d bytes", frame)
	}
	SQL(t, path, fmt.Sprintf(`PRAGMA synchronous = OFF; BEGIN IMMEDIATE;
		INSERT INTO entries (log_key, ordinal, entry_id, kind, created_at, pod_key, seq, payload)
		WITH RECURSIVE n(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM n WHERE n < %[1]d - 1)
		SELECT log_key, entries + n, unhex(printf('019ad000%%08x7000800000000000', entries + n)), 'text', %[2]d.0, pod_key, seq + 1 + n,
			'{"text":"' || printf('%%.*c', %[3]d, 'x') || '"}'
		FROM n, logs JOIN pods USING (session_id) WHERE session_id = '%[4]s' ORDER BY n;
		UPDATE pods SET seq = seq + %[1]d WHERE session_id = '%[4]s';
		UPDATE logs SET entries = entries + %[1]d, messages = messages + %[1]d WHERE session_id = '%[4]s';
		COMMIT; PRAGMA wal_checkpoint(TRUNCATE);`, entries, Epoch.Unix(), size-frame, sessionID))
}
