package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"net/url"
	"time"

	"github.com/ncruces/go-sqlite3"
)

// row is one session of the listing, as the statements below read it.
type row struct {
	ID       string   `json:"id"`
	Name     string   `json:"name"`
	Agent    *string  `json:"agent"`
	Playbook *string  `json:"playbook"`
	Kind     string   `json:"kind"`
	Source   string   `json:"source"`
	Status   string   `json:"status"`
	Reason   *string  `json:"reason"`
	Started  float64  `json:"started"`
	Ended    *float64 `json:"ended"`
	Updated  float64  `json:"updated"`
	Model    string   `json:"model"`
	Provider string   `json:"provider"`
	Project  *string  `json:"project"`
	Input    int      `json:"input"`
	Output   int      `json:"output"`
	Turns    int      `json:"turns"`
	Cost     *float64 `json:"cost"`
	Tags     []string `json:"tags"`
}

var (
	verbs = []string{
		"fix", "explain", "speed up", "write tests for", "remove", "rename", "document", "port", "review", "split",
		"trace", "simplify", "migrate", "bisect", "harden", "measure", "log", "cache", "undo", "compare",
	}
	objects = []string{
		"the flaky login test", "the invoice rounding", "the export of receipts", "the retry loop", "the session cookie",
		"the nightly import", "the cart total", "the search index", "the webhook signature", "the settings page",
		"the rate limiter", "the image resizer", "the audit trail", "the currency table", "the deploy script",
		"the onboarding mail", "the feature flags", "the address parser", "the stock counter", "the password reset",
	}
	places = []string{"", "", "", " in staging", " on ARM", " for the release", " after the upgrade", " behind the proxy", " for accountants", " once more"}

	projects = []string{"shop", "ledger", "atlas", "courier", "website", "infra", "mobile", "notes"}
	models   = []struct {
		name, provider string
		usd            float64 // a million input tokens; 0 is unpriced
	}{
		{"claude-sonnet-5", "anthropic", 3}, {"claude-haiku-5", "anthropic", 0.8}, {"gpt-5-mini", "openai_responses", 0.25},
		{"gpt-5", "openai_responses", 1.25}, {"heron-coder-9b", "openai_chat", 0},
	}
	tags = []string{"release", "flaky", "docs", "security", "customer", "spike"}
)

// fillRows adds n sessions, newest first at now and thinning out over fourteen
// months.
func fillRows(path string, n int, now time.Time) (err error) {
	c, err := sqlite3.OpenFlags((&url.URL{Scheme: "file", OmitHost: true, Path: path}).String(), sqlite3.OPEN_READWRITE|sqlite3.OPEN_URI)
	if err != nil {
		return fmt.Errorf("open %s: %w", path, err)
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	if err := c.Exec("PRAGMA synchronous = OFF; BEGIN IMMEDIATE"); err != nil {
		return err
	}
	rng := rand.New(rand.NewPCG(7, 11))
	const chunk = 1000
	for from := 0; from < n; from += chunk {
		part := make([]row, 0, chunk)
		for i := from; i < min(n, from+chunk); i++ {
			part = append(part, makeRow(rng, i, n, now))
		}
		if err := insert(c, part); err != nil {
			return fmt.Errorf("insert rows %d to %d: %w", from, from+len(part), err)
		}
	}
	return c.Exec("COMMIT; PRAGMA wal_checkpoint(TRUNCATE)")
}

// makeRow is the i-th newest of n sessions.
func makeRow(rng *rand.Rand, i, n int, now time.Time) row {
	const oldest = 420 * 24 * time.Hour
	ago := time.Duration(math.Pow(float64(i+1)/float64(n), 1.6)*float64(oldest)) + time.Duration(3600+rng.IntN(600))*time.Second
	ended := seconds(now.Add(-ago))
	m := models[weighted(rng, 45, 20, 15, 8, 12)]
	r := row{
		ID:   sessionID(now.Add(-ago), rng),
		Name: pick(rng, verbs) + " " + pick(rng, objects) + pick(rng, places),
		Kind: []string{"agent", "play", "flow", "fanout"}[weighted(rng, 78, 9, 8, 5)], Source: "live",
		Status: []string{"completed", "failed", "cancelled", "timed_out", "aborted", "running"}[weighted(rng, 830, 90, 45, 15, 15, 5)],
		Model:  m.name, Provider: m.provider,
		Input: 2_000 + int(math.Exp(rng.NormFloat64()*1.3+10.5)), Turns: 1 + rng.IntN(40),
		Updated: ended, Started: ended - 20 - rng.Float64()*3000,
	}
	r.Output = r.Input/12 + rng.IntN(400)
	if r.Status != "running" {
		r.Ended = &ended
	}
	if i%17 == 0 {
		r.Source = "imported_codex"
	}
	if i == n*3/4 {
		// Found nowhere near the top.
		r.Kind, r.Name = "agent", "lay the first stone"
	}
	switch r.Kind {
	case "play", "flow":
		r.Playbook = new(pick(rng, []string{"nightly-docs", "release-notes", "triage", "dependency-sweep"}))
	case "fanout":
		r.Agent = new(pick(rng, []string{"reviewer", "implementer", "tester"}))
	}
	switch r.Status {
	case "failed":
		r.Reason = new(pick(rng, []string{"the provider answered 529 five times", "worker exited with code 1", "the context limit was reached"}))
	case "timed_out":
		r.Reason = new("no answer for 600 seconds")
	case "aborted":
		r.Reason = new("its process was lost")
	}
	if rng.IntN(12) > 0 {
		r.Project = new(projects[weighted(rng, 30, 18, 14, 12, 10, 8, 5, 3)])
	}
	if m.usd > 0 {
		cost := math.Round(float64(r.Input+5*r.Output)*m.usd/1e6*1e6) / 1e6
		r.Cost = &cost
	}
	if rng.IntN(9) == 0 {
		r.Tags = []string{pick(rng, tags)}
	}
	return r
}

// insert adds sessions with the rows that their foreign keys want.
func insert(c *sqlite3.Conn, rows []row) error {
	text, err := json.Marshal(rows)
	if err != nil {
		return err
	}
	for _, sql := range []string{
		`INSERT INTO progressions (id, created_at) SELECT 'p-' || (value ->> 'id'), value ->> 'started' FROM json_each(?)`,
		// A process on another machine cannot be asked about, so that what runs is
		// judged by its last activity alone.
		`INSERT INTO sessions (id, created_at, updated_at, started_at, ended_at, last_message_at, status, status_reason_summary, name, agent_name, playbook_name,
			invocation_kind, source_kind, model, provider, project, project_source, progression_id, node_metadata, input_tokens, output_tokens, num_turns, total_cost_usd)
		SELECT value ->> 'id', value ->> 'started', value ->> 'updated', value ->> 'started', value ->> 'ended', value ->> 'updated', value ->> 'status',
			value ->> 'reason', value ->> 'name', value ->> 'agent', value ->> 'playbook', value ->> 'kind', value ->> 'source', value ->> 'model',
			value ->> 'provider', value ->> 'project', 'pod', 'p-' || (value ->> 'id'), '{"process_identity_mode":"elsewhere"}', value ->> 'input',
			value ->> 'output', value ->> 'turns', value ->> 'cost' FROM json_each(?)`,
		`INSERT INTO branches (id, created_at, session_id, progression_id, model, provider, started_at)
		SELECT 'b-' || (value ->> 'id'), value ->> 'started', value ->> 'id', 'p-' || (value ->> 'id'), value ->> 'model', value ->> 'provider', value ->> 'started'
		FROM json_each(?)`,
		`INSERT INTO run_tags (session_id, tag, created_at)
		SELECT r.value ->> 'id', t.value, r.value ->> 'updated' FROM json_each(?) AS r, json_each(r.value -> 'tags') AS t WHERE t.value IS NOT NULL`,
		// What pods would have booked: a start, and one request at the end.
		`INSERT INTO usage_quarter (quarter_utc, project, provider, model, sessions_started)
		SELECT cast(floor((value ->> 'started') / 900) AS INTEGER) * 900, coalesce(value ->> 'project', ''), value ->> 'provider', value ->> 'model', count(*) FROM json_each(?) GROUP BY 1, 2, 3, 4
		ON CONFLICT DO UPDATE SET sessions_started = sessions_started + excluded.sessions_started`,
		`INSERT INTO usage_quarter (quarter_utc, project, provider, model, priced_usd, priced_n, unpriced_n)
		SELECT cast(floor((value ->> 'updated') / 900) AS INTEGER) * 900, coalesce(value ->> 'project', ''), value ->> 'provider', value ->> 'model',
			coalesce(sum(value ->> 'cost'), 0), count(value ->> 'cost'), count(*) - count(value ->> 'cost') FROM json_each(?) GROUP BY 1, 2, 3, 4
		ON CONFLICT DO UPDATE SET priced_usd = priced_usd + excluded.priced_usd, priced_n = priced_n + excluded.priced_n, unpriced_n = unpriced_n + excluded.unpriced_n`,
	} {
		stmt, _, err := c.Prepare(sql)
		if err != nil {
			return err
		}
		if err := stmt.BindRawText(1, text); err != nil {
			return errors.Join(err, stmt.Close())
		}
		if err := errors.Join(stmt.Exec(), stmt.Close()); err != nil {
			return err
		}
	}
	return nil
}

// sessionID is a version 7 UUID of the given time.
func sessionID(at time.Time, rng *rand.Rand) string {
	ms := at.UnixMilli()
	a, b := rng.Uint64(), rng.Uint64()
	return fmt.Sprintf("%08x-%04x-7%03x-%04x-%012x", ms>>16, ms&0xffff, a&0xfff, 0x8000|a>>16&0x3fff, b&0xffffffffffff)
}

// weighted picks an index, each as often as its weight says.
func weighted(rng *rand.Rand, weights ...int) int {
	sum := 0
	for _, w := range weights {
		sum += w
	}
	at := rng.IntN(sum)
	for i, w := range weights {
		if at -= w; at < 0 {
			return i
		}
	}
	return len(weights) - 1
}

func pick(rng *rand.Rand, from []string) string { return from[rng.IntN(len(from))] }

// seconds is a time as the store has it.
func seconds(t time.Time) float64 { return float64(t.UnixMilli()) / 1000 }
