package studio_test

import (
	"fmt"
	"strings"
	"testing"
)

// onlyMatch makes n sessions of which only number i is called needle.
func onlyMatch(n, i int) string {
	return numbered(n) + fmt.Sprintf("; UPDATE sessions SET name = 'needle' WHERE id = 's%04d'", i)
}

func boundBeforeMatch(t *testing.T) {
	l := newLane(t, onlyMatch(15, smallWindow))
	first := l.window(runsV2 + "&search=needle")
	if first.page.ExaminedCandidates != smallWindow || len(first.rows) != 0 || first.page.StopReason != "candidate_limit" || first.page.NextCursor == nil {
		t.Fatalf("%+v", first.page)
	}
	second := l.window(first.next(runsV2 + "&search=needle"))
	if second.ids() != "s0010" || second.page.ExaminedCandidates != 5 || second.page.StopReason != "exhausted" {
		t.Errorf("%s %+v", second.ids(), second.page)
	}
}

func candidateBasis(t *testing.T) {
	l := newLane(t, onlyMatch(25, 3)+`; UPDATE sessions SET node_metadata = '{"engine_parent_run_id":"r"}' WHERE id = 's0009'; INSERT INTO run_tags VALUES ('s0001', 'x', 1)`)
	frontier := ""
	for _, filter := range []string{"&search=needle", "&status=failed", "&kind=play", "&tag=x", "&project=none", "&project_null=true", "&playbook=x", ""} {
		w := l.window(runsV2 + "&per_page=500" + filter)
		payload := l.payload(*w.page.NextCursor)
		key := payload[strings.Index(payload, `"key"`):strings.Index(payload, `,"row"`)]
		if frontier == "" {
			frontier = key
		}
		if key != frontier || w.page.ExaminedCandidates != smallWindow {
			t.Errorf("%s: %d examined up to %s, not %s", filter, w.page.ExaminedCandidates, key, frontier)
		}
	}
}

func mirrorsConsumeBudget(t *testing.T) {
	l := newLane(t, numbered(25)+`; UPDATE sessions SET node_metadata = '{"engine_parent_run_id":"r"}' WHERE id < 's0020'`)
	rows, windows := l.all(runsV2)
	if ids(rows) != "s0020 s0021 s0022 s0023 s0024" || len(windows) != 3 {
		t.Errorf("%s in %d windows", ids(rows), len(windows))
	}
	for _, w := range windows[:2] {
		if w.page.ExaminedCandidates != smallWindow || len(w.rows) != 0 || w.page.StopReason != "candidate_limit" {
			t.Errorf("%+v", w.page)
		}
	}
	if got := l.window(runsV2 + "&exact_total=true").total; *got.Value != 5 {
		t.Errorf("%d", *got.Value)
	}
	// Metadata that cannot be read makes no mirror and fails nothing here.
	l = newLane(t, numbered(3)+`; UPDATE sessions SET node_metadata = '{"engine_parent_run_id":' WHERE id = 's0001'`)
	if w := l.window(runsV2 + "&exact_total=true"); w.ids() != "s0000 s0001 s0002" || *w.total.Value != 3 {
		t.Errorf("%s %v", w.ids(), w.total)
	}
}

func lookaheadIsOneKey(t *testing.T) {
	l := newLane(t, numbered(25))
	for _, query := range []string{"&per_page=3", "&search=nothing", "", "&per_page=500"} {
		w := l.window(runsV2 + query)
		if w.work.LookaheadKeys != 1 || w.work.ResidualEvaluations != w.page.ExaminedCandidates || w.work.ResidualEvaluations > smallWindow || w.work.KeysVisited != w.work.ResidualEvaluations+1 {
			t.Errorf("%s: %+v", query, w.work)
		}
	}
	// Every candidate was examined, so there is nothing to look ahead at.
	l = newLane(t, numbered(5))
	if w := l.window(runsV2); w.work.LookaheadKeys != 0 || w.work.KeysVisited != 5 {
		t.Errorf("%+v", w.work)
	}
}

func emptyWindowAdvances(t *testing.T) {
	l := newLane(t, numbered(45))
	rows, windows := l.all(runsV2 + "&search=nothing")
	if len(rows) != 0 || len(windows) != 5 {
		t.Fatalf("%d rows in %d windows", len(rows), len(windows))
	}
	seen := map[string]bool{}
	for i, w := range windows[:4] {
		payload := l.payload(*w.page.NextCursor)
		if want := fmt.Sprintf(`"id":"s%04d"`, 10*i+9); !strings.Contains(payload, want) || seen[payload] {
			t.Errorf("window %d ends at %s", i, payload)
		}
		seen[payload] = true
	}
}

func rowLimitSkipsNothing(t *testing.T) {
	l := newLane(t, numbered(30))
	rows, windows := l.all(runsV2 + "&per_page=4")
	if ids(rows) != ids(listed(30)) {
		t.Errorf("%s", ids(rows))
	}
	for i, w := range windows[:7] {
		if w.page.StopReason != "row_limit" || w.page.ExaminedCandidates != 4 {
			t.Errorf("window %d: %+v", i, w.page)
		}
	}
}

func exactEnds(t *testing.T) {
	l := newLane(t, numbered(smallWindow))
	for _, query := range []string{"", "&per_page=10", "&search=nothing", "&per_page=500"} {
		if w := l.window(runsV2 + query); w.page.StopReason != "exhausted" || w.page.NextCursor != nil || w.page.ExaminedCandidates != smallWindow {
			t.Errorf("%s: %+v", query, w.page)
		}
	}
	w := l.window(runsV2 + "&per_page=5")
	if w = l.window(w.next(runsV2 + "&per_page=5")); w.page.StopReason != "exhausted" || len(w.rows) != 5 {
		t.Errorf("the second half: %+v", w.page)
	}
}

func lastExaminedNotLastMatch(t *testing.T) {
	l := newLane(t, onlyMatch(25, 2))
	w := l.window(runsV2 + "&search=needle")
	if w.ids() != "s0002" || !strings.Contains(l.payload(*w.page.NextCursor), `"id":"s0009"`) {
		t.Errorf("%s, %s", w.ids(), l.payload(*w.page.NextCursor))
	}
	if w := l.window(w.next(runsV2 + "&search=needle")); len(w.rows) != 0 {
		t.Errorf("the match again: %s", w.ids())
	}
}

func containsSemantics(t *testing.T) {
	l := newLane(t, numbered(8)+`; UPDATE sessions SET name = 'hit 50% of it' WHERE id = 's0000'; UPDATE sessions SET name = 'job_1' WHERE id = 's0001'; UPDATE sessions SET name = 'jobX1' WHERE id = 's0002';
		UPDATE sessions SET name = 'a\b' WHERE id = 's0003'; UPDATE sessions SET name = 'Äpfel' WHERE id = 's0004'; UPDATE sessions SET name = NULL, agent_name = 'Fixer' WHERE id = 's0005';
		UPDATE sessions SET name = NULL, playbook_name = 'Release_50%' WHERE id = 's0006'; UPDATE sessions SET name = x'6a6f62' WHERE id = 's0007'`)
	for query, want := range map[string]string{
		"search=50%25": "s0000", "search=job_1": "s0001", "search=JOB": "s0001 s0002 s0007", "search=%5C": "s0003", "search=%C3%84": "s0004", "search=%C3%A4": "",
		"search=PFEL": "s0004", "search=fixer": "s0005", "search=release": "", "playbook=RELEASE": "s0006", "playbook=e_5": "s0006", "playbook=e%255": "", "search=of%20it": "s0000", "search=+job": "", "search=job_": "s0001",
		// SQLite reads a pattern to its first NUL, and what follows the text with it.
		"search=fixer%00zz": "s0005", "playbook=e_5%00zz": "", "playbook=e_50%25%00zz": "s0006", "search=%00": "s0000 s0001 s0002 s0003 s0004 s0005 s0006 s0007",
	} {
		w := l.window(runsV2 + "&" + query)
		if w.ids() != want {
			t.Errorf("%s: %s, want %s", query, w.ids(), want)
		}
		if v1 := ids(list(t, l.server, "/api/runs/?"+query, "runs")); v1 != w.ids() {
			t.Errorf("%s: version 1 finds %s", query, v1)
		}
	}
}

func searchMode(t *testing.T) {
	l := newLane(t, numbered(3))
	for query, want := range map[string]string{
		"": "none", "&search=": "none", "&playbook=": "none", "&project=x": "none", "&tag=x": "none", "&status=x": "none", "&search=x": "bounded_contains", "&playbook=x": "bounded_contains",
	} {
		if got := l.window(runsV2 + query).page.SearchMode; string(got) != want {
			t.Errorf("%s: %s", query, got)
		}
	}
	if got := l.window(sessionsV2).page.SearchMode; got != "none" {
		t.Errorf("sessions: %s", got)
	}
}

func tagPointProbes(t *testing.T) {
	l := newLane(t, numbered(25)+"; INSERT INTO run_tags SELECT id, 'x', 1 FROM sessions")
	w := l.window(runsV2 + "&tag=x&tag=y&tag=z")
	if w.work.TagProbes != 3*smallWindow || len(w.rows) != 0 {
		t.Errorf("%+v", w.work)
	}
	// Tags of other rows, and other tags of these, change nothing.
	before := w.work.VMSteps
	l.sql("WITH RECURSIVE n(n) AS (VALUES (0) UNION ALL SELECT n + 1 FROM n WHERE n < 300) INSERT INTO run_tags SELECT id, 'other' || n, 1 FROM sessions, n")
	l.window(runsV2 + "&tag=x&tag=y&tag=z") // the first after a change reads the schema anew
	if after := l.window(runsV2 + "&tag=x&tag=y&tag=z").work.VMSteps; after > before {
		t.Errorf("%d steps became %d", before, after)
	}
	if w := l.window(runsV2 + "&tag=x&per_page=2"); w.ids() != "s0000 s0001" || len(w.rows[0]["tags"].([]any)) != 302 {
		t.Errorf("%s", w.ids())
	}
}

func hydrationOfReturnedRows(t *testing.T) {
	l := newLane(t, numbered(25))
	small := l.window(runsV2 + "&per_page=3&search=number")
	l.sql(`WITH RECURSIVE n(n) AS (VALUES (0) UNION ALL SELECT n + 1 FROM n WHERE n < 20000) INSERT INTO progressions (id, created_at, collection) SELECT 'long', 1, json_group_array('m' || n) FROM n;
		UPDATE branches SET progression_id = 'long' WHERE session_id > 's0002'; UPDATE progressions SET collection = collection || 'broken' WHERE id = 'long'`)
	l.window(runsV2 + "&per_page=3&search=number")
	w := l.window(runsV2 + "&per_page=3&search=number")
	if w.work.HydratedRows != 3 || w.work.VMSteps > small.work.VMSteps || w.rows[2]["message_count"] != 3.0 {
		t.Errorf("%+v, before %+v", w.work, small.work)
	}
	if w := l.window(runsV2 + "&search=nothing"); w.work.HydratedRows != 0 {
		t.Errorf("%+v", w.work)
	}
}

func countsKeepMembers(t *testing.T) {
	l := newLane(t, numbered(2)+`; INSERT INTO branches (id, created_at, session_id, progression_id) VALUES ('more', 1, 's0000', 'p'); INSERT INTO progressions (id, created_at, collection) VALUES ('bad', 1, 'no json'), ('map', 1, '{"a":1}');
		INSERT INTO branches (id, created_at, session_id, progression_id) VALUES ('bad', 1, 's0001', 'bad'), ('map', 1, 's0001', 'map')`)
	w := l.window(runsV2)
	for i, want := range [][2]float64{{2, 6}, {3, 3}} {
		if w.rows[i]["branch_count"] != want[0] || w.rows[i]["message_count"] != want[1] {
			t.Errorf("row %d: %v branches, %v messages", i, w.rows[i]["branch_count"], w.rows[i]["message_count"])
		}
	}
}

func messagesNeverRead(t *testing.T) {
	l := newLane(t, numbered(25)+"; DROP TABLE messages; DROP TABLE message_types")
	if rows, _ := l.all(runsV2 + "&per_page=4&search=number&sort=cost&exact_total=true"); len(rows) != 25 {
		t.Errorf("%d rows", len(rows))
	}
}
