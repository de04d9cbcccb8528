package transcript_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/ncruces/go-sqlite3"

	"podium.local/session"
	"podium.local/store"
	"podium.local/store/storetest"
	"podium.local/transcript"
)

// fields is a JSON object of a fixture.
type fields = map[string]any

// line is one line of a session file.
func line(f fields) string {
	text, err := json.Marshal(f)
	if err != nil {
		panic(err)
	}
	return string(text) + "\n"
}

// with is base with more fields over it.
func with(base, more fields) fields {
	all := fields{}
	for _, f := range []fields{base, more} {
		for k, v := range f {
			all[k] = v
		}
	}
	return all
}

// uuidOf makes a UUID that can be told apart from others by its number.
func uuidOf(n int) string { return fmt.Sprintf("%08x-0000-4000-8000-%012x", n, n) }

// clockAt is the n-th second of the fixtures' day.
func clockAt(n int) string {
	return time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC).Add(time.Duration(n) * time.Second).Format("2006-01-02T15:04:05.000Z")
}

// said, answer and result are lines of a Claude Code session at second n.
func said(sid string, n int, text string) fields {
	return fields{
		"type": "user", "uuid": uuidOf(n), "sessionId": sid, "timestamp": clockAt(n), "cwd": "/src/web", "gitBranch": "main",
		"message": fields{"role": "user", "content": text},
	}
}

func answer(sid string, n int, message string, output int, block fields) fields {
	return fields{
		"type": "assistant", "uuid": uuidOf(n), "sessionId": sid, "timestamp": clockAt(n), "requestId": "req_" + message,
		"message": fields{
			"id": "msg_" + message, "role": "assistant", "model": "claude-sonnet-4-5-20250929", "content": []any{block},
			"usage": fields{"input_tokens": 100, "output_tokens": output, "cache_creation_input_tokens": 200, "cache_read_input_tokens": 300},
		},
	}
}

func textBlock(text string) fields { return fields{"type": "text", "text": text} }

func result(sid string, n int, call, output string) fields {
	return fields{
		"type": "user", "uuid": uuidOf(n), "sessionId": sid, "timestamp": clockAt(n),
		"message": fields{"role": "user", "content": []any{fields{"type": "tool_result", "tool_use_id": call, "content": output}}},
	}
}

// tree is a vendor's folder in a temporary folder.
type tree struct {
	t   testing.TB
	dir string
}

func newTree(t testing.TB) tree {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return tree{t, dir}
}

func (tr tree) path(name string) string { return filepath.Join(tr.dir, filepath.FromSlash(name)) }

// write makes a file of lines: texts as they are, fields as JSON.
func (tr tree) write(name string, lines ...any) string {
	tr.t.Helper()
	var b strings.Builder
	for _, l := range lines {
		if f, ok := l.(fields); ok {
			b.WriteString(line(f))
		} else {
			b.WriteString(l.(string))
		}
	}
	return tr.put(name, b.String())
}

func (tr tree) put(name, text string) string {
	tr.t.Helper()
	path := tr.path(name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		tr.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		tr.t.Fatal(err)
	}
	return path
}

// touch makes a file look as if it had been written at the n-th second.
func (tr tree) touch(name string, n int) {
	tr.t.Helper()
	at := storetest.Epoch.Add(time.Duration(n)*time.Second - 24*time.Hour)
	if err := os.Chtimes(tr.path(name), at, at); err != nil {
		tr.t.Fatal(err)
	}
}

// price is the price of the fixtures: a hundredth of a dollar an output token
// for models that are no secret.
func price(provider, model string, u session.Usage) (float64, string, bool) {
	if u.OutputTokens == nil || strings.Contains(model, "unpriced") {
		return 0, "", false
	}
	return float64(*u.OutputTokens) / 100, "catalog", true
}

func options(tool transcript.Tool, dir string) transcript.Options {
	return transcript.Options{Tool: tool, Dir: dir, Price: price, Now: func() time.Time { return storetest.Epoch }}
}

// importInto imports and fails the test on an error.
func importInto(t testing.TB, s transcript.Sink, tool transcript.Tool, dir string) transcript.Report {
	t.Helper()
	r, err := transcript.Import(context.Background(), s, options(tool, dir))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// claude imports one Claude Code session that has these lines and gives its
// entries.
func claude(t testing.TB, lines ...any) (*store.Store, []session.Entry, transcript.Report) {
	t.Helper()
	s := storetest.New(t, store.Options{})
	tr := newTree(t)
	tr.write("projects/-src-web/"+sid+".jsonl", lines...)
	r := importInto(t, s, transcript.ClaudeCode, tr.dir)
	return s, log(t, s, claudeID(sid)), r
}

const sid = "11111111-1111-4111-8111-111111111111"

func claudeID(vendor string) string { return transcript.SessionID(transcript.ClaudeCode, vendor, "") }

func log(t testing.TB, s *store.Store, id string) []session.Entry {
	t.Helper()
	entries, err := s.Log(t.Context(), id, 0, -1, 0)
	if err != nil {
		t.Fatal(err)
	}
	return entries
}

// brief is a log in short: kind and payload of every entry.
func brief(entries []session.Entry) []string {
	out := []string{}
	for _, e := range entries {
		out = append(out, string(e.Kind)+" "+string(e.Payload))
	}
	return out
}

// column is a query's first column of the first row.
func column(t testing.TB, s *store.Store, query string) string {
	t.Helper()
	return storetest.Value(t, s.Path(), query)
}

// dump is everything that an import wrote, in an order of its own and without
// what only counts how often files were looked at.
func dump(t testing.TB, s *store.Store) []string {
	t.Helper()
	return append(dumpSessions(t, s), rows(t, s,
		"SELECT name, source, path, created_at, updated_at FROM projects ORDER BY name", // last_seen_at only grows
		"SELECT tool, path, size, cursor, lines, damaged, raw, clamped, skipped, problems, last_error, gone_at FROM import_files ORDER BY tool, path")...)
}

// dumpSessions is dump without the ledger of files and the projects, which stay
// when their sessions go.
func dumpSessions(t testing.TB, s *store.Store) []string {
	t.Helper()
	return rows(t, s,
		`SELECT id, cc_session_id, round(created_at, 6), node_metadata, name, round(updated_at, 6), source_kind, status, round(started_at, 6), round(ended_at, 6),
			ended_at_is_approximate, round(last_message_at, 6), model, provider, effort, project, project_source, input_tokens, output_tokens,
			num_turns, round(total_cost_usd, 9), duration_ms, artifacts_path, agent_name FROM sessions ORDER BY id`,
		`SELECT session_id, opened_at, opened_project, opened_provider, opened_model, entries, messages, priced_requests, unpriced_requests,
			cache_read_tokens, cache_write_tokens FROM logs ORDER BY session_id`,
		`SELECT session_id, ordinal, hex(entry_id), kind, created_at, payload FROM entries JOIN logs USING (log_key) ORDER BY session_id, ordinal`,
		`SELECT session_id, u.created_at, provider, model, project, input_tokens, output_tokens, u.cache_read_tokens, u.cache_write_tokens,
			round(cost_usd, 9), price_source FROM usage_records u JOIN logs USING (log_key) ORDER BY 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11`,
		`SELECT quarter_utc, project, provider, model, round(priced_usd, 9), priced_n, unpriced_n, sessions_started FROM usage_quarter ORDER BY 1, 2, 3, 4`,
		`SELECT * FROM import_sessions ORDER BY session_id`,
		`SELECT * FROM branches ORDER BY id`,
		`SELECT id, entity_id, status, reason_code, source, actor FROM status_transitions ORDER BY id`,
	)
}

// rows are those of several queries, as texts.
func rows(t testing.TB, s *store.Store, queries ...string) []string {
	t.Helper()
	c := storetest.Dial(t, s.Path())
	defer c.Close()
	var out []string
	for _, query := range queries {
		stmt, _, err := c.Prepare(query)
		if err != nil {
			t.Fatal(err)
		}
		for stmt.Step() {
			row := ""
			for i := range stmt.ColumnCount() {
				if stmt.ColumnType(i) == sqlite3.NULL {
					row += "NULL|"
				} else {
					row += stmt.ColumnText(i) + "|"
				}
			}
			out = append(out, row)
		}
		if err := stmt.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// sound fails the test when counters, totals or the rollup do not agree.
func sound(t testing.TB, s *store.Store) {
	t.Helper()
	r, err := s.Check(t.Context(), store.CheckOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range r.Problems {
		t.Errorf("%s: %s: %s", p.Code, p.Subject, p.Text)
	}
}

// same fails the test when two stores do not hold the same.
func same(t testing.TB, a, b *store.Store) {
	t.Helper()
	if diff := cmp.Diff(dump(t, a), dump(t, b)); diff != "" {
		t.Error(diff)
	}
}
