package transcript_test

import (
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"podium.local/session"
	"podium.local/store"
	"podium.local/store/storetest"
	"podium.local/transcript"
)

func TestClaude_MessagesBecomeEntriesInOrder(t *testing.T) {
	s, entries, r := claude(t,
		fields{"type": "queue-operation", "operation": "enqueue", "sessionId": sid, "timestamp": clockAt(0)},
		said(sid, 1, "Why does the login test flake?"),
		answer(sid, 2, "a", 5, fields{"type": "thinking", "thinking": "Let me look.", "signature": "x"}),
		answer(sid, 3, "a", 9, textBlock("I look.")),
		answer(sid, 4, "a", 20, fields{"type": "tool_use", "id": "toolu_1", "name": "Read", "input": fields{"file_path": "/src/web/login.go"}}),
		result(sid, 5, "toolu_1", "first\nsecond\n"),
		answer(sid, 6, "b", 7, textBlock("The clock.")),
	)
	want := []string{
		`input {"text":"Why does the login test flake?","kind":"input"}`,
		`reasoning {"text":"Let me look."}`,
		`text {"text":"I look."}`,
		`tool_call {"call_id":"toolu_1","name":"Read","arguments":{"file_path":"/src/web/login.go"}}`,
		`tool_result {"call_id":"toolu_1","summary":"first","content":"second\n"}`,
		`text {"text":"The clock."}`,
	}
	if diff := cmp.Diff(want, brief(entries)); diff != "" {
		t.Error(diff)
	}
	if entries[0].ID != uuidOf(1) {
		t.Errorf("the vendor's id became %s", entries[0].ID)
	}
	if _, err := session.Fold(entries); err != nil {
		t.Error(err)
	}
	got := column(t, s, `SELECT concat_ws('|', source_kind, provider, coalesce(agent_name, 'none'), model, name, status, project, cc_session_id,
		num_turns, input_tokens, output_tokens, total_cost_usd, coalesce(duration_ms, 'unknown'), ended_at_is_approximate,
		updated_at - started_at, node_metadata ->> '$.process_identity_mode', node_metadata ->> '$.git_branch') FROM sessions`)
	if got != "imported_fs|anthropic|none|claude-sonnet-4-5-20250929|Why does the login test flake?|completed|web|"+sid+
		"|2|1200|27|0.27|unknown|1|5.0|external|main" {
		t.Error(got)
	}
	if r.Sessions != 1 || r.Kept != 6 || r.Lines != 7 || r.Skipped["queue-operation"] != 1 {
		t.Errorf("%+v", r)
	}
	sound(t, s)
}

func TestClaude_NameIsTitleElseSummaryElseFirstPrompt(t *testing.T) {
	wrapper := said(sid, 1, "<command-name>/clear</command-name>")
	meta := with(said(sid, 2, "Caveat: …"), fields{"isMeta": true})
	prompt := said(sid, 3, "  fix\nthe   build ")
	summary := fields{"type": "summary", "summary": "Build fixed", "leafUuid": uuidOf(3)}
	title := fields{"type": "custom-title", "customTitle": "The build", "sessionId": sid}
	for _, tt := range []struct {
		want  string
		lines []any
	}{
		{"", []any{wrapper, meta}},
		{"fix the build", []any{wrapper, meta, prompt, said(sid, 4, "again")}},
		{"Build fixed", []any{prompt, summary}},
		{"The build", []any{title, prompt, summary}},
		{"newer", []any{title, prompt, with(title, fields{"customTitle": "newer"})}},
		{"By the program", []any{prompt, fields{"type": "ai-title", "aiTitle": "By the program", "sessionId": sid}}},
	} {
		s, _, _ := claude(t, tt.lines...)
		if got := column(t, s, "SELECT name FROM sessions"); got != tt.want {
			t.Errorf("%q, want %q", got, tt.want)
		}
	}
}

func TestClaude_OneRequestWrittenSeveralTimesCountsOnceAndAtItsLargest(t *testing.T) {
	lines := []any{
		said(sid, 1, "hi"),
		answer(sid, 2, "a", 40, textBlock("x")),
		answer(sid, 3, "a", 7, textBlock("y")),
		answer(sid, 4, "b", 3, textBlock("z")),
		with(answer(sid, 5, "c", 5, textBlock("w")), fields{"requestId": "req_b"}),
	}
	s, _, _ := claude(t, lines...)
	if got := column(t, s, "SELECT concat_ws('|', num_turns, output_tokens, round(total_cost_usd, 6)) FROM sessions"); got != "3|48|0.48" {
		t.Error(got)
	}
	sound(t, s)
}

func TestClaude_UnknownCostStaysUnknown(t *testing.T) {
	a := answer(sid, 2, "a", 40, textBlock("x"))
	a["message"].(fields)["model"] = "unpriced"
	s, _, _ := claude(t, said(sid, 1, "hi"), a)
	if got := column(t, s, "SELECT coalesce(total_cost_usd, 'NULL') || '|' || output_tokens || '|' || (SELECT unpriced_requests FROM logs) FROM sessions"); got != "NULL|40|1" {
		t.Error(got)
	}
	sound(t, s)
}

func TestClaude_AnswersOfNoModelHaveNoModelAndNoUsage(t *testing.T) {
	a := answer(sid, 3, "e", 0, textBlock("API Error: 529"))
	a["message"].(fields)["model"] = "<synthetic>"
	s, entries, _ := claude(t, said(sid, 1, "hi"), answer(sid, 2, "a", 4, textBlock("x")), a)
	if len(entries) != 3 {
		t.Error(brief(entries))
	}
	if got := column(t, s, "SELECT model || '|' || num_turns FROM sessions"); got != "claude-sonnet-4-5-20250929|1" {
		t.Error(got)
	}
}

func TestClaude_UnknownKindsAreKeptRawAndCounted(t *testing.T) {
	odd := fields{"type": "hologram", "uuid": uuidOf(2), "sessionId": sid, "timestamp": clockAt(2), "beam": []int{1, 2}}
	_, entries, r := claude(t, said(sid, 1, "hi"), odd,
		answer(sid, 3, "a", 1, fields{"type": "hologram_block", "x": 1}))
	if len(entries) != 3 || entries[1].Kind != session.KindForeign || entries[2].Kind != session.KindForeign || r.Raw != 2 {
		t.Fatal(brief(entries), r.Raw)
	}
	if got := strings.TrimSuffix(line(fields{"type": "hologram", "record": odd}), "\n"); cmp.Diff(string(entries[1].Payload), got) != "" && !strings.Contains(string(entries[1].Payload), `"beam":[1,2]`) {
		t.Error(string(entries[1].Payload))
	}
}

func TestClaude_CompactionIsABoundaryAndItsSummaryIsNoPrompt(t *testing.T) {
	s, entries, _ := claude(t,
		fields{"type": "system", "subtype": "compact_boundary", "content": "Conversation compacted", "uuid": uuidOf(1), "sessionId": sid,
			"timestamp": clockAt(1), "compactMetadata": fields{"trigger": "auto", "preTokens": 155000}},
		with(said(sid, 2, "This session is being continued…"), fields{"isCompactSummary": true}),
		said(sid, 3, "go on"))
	id := claudeID(sid)
	want := []string{
		`compaction {"new_session":"` + id + `","tokens_before":155000}`,
		`system {"text":"This session is being continued…"}`,
		`input {"text":"go on","kind":"input"}`,
	}
	if diff := cmp.Diff(want, brief(entries)); diff != "" {
		t.Error(diff)
	}
	if got := column(t, s, "SELECT name FROM sessions"); got != "go on" {
		t.Error(got)
	}
}

func TestClaude_SubagentsAreRowsOfTheirOwn(t *testing.T) {
	s := storetest.New(t, store.Options{})
	tr := newTree(t)
	dir := "projects/-src-web/"
	tr.write(dir+sid+".jsonl", said(sid, 1, "hi"), answer(sid, 2, "a", 10, textBlock("x")),
		with(said(sid, 7, "inside"), fields{"isSidechain": true, "agentId": "old"}))
	agent := with(said(sid, 3, "look around"), fields{"isSidechain": true, "agentId": "abc"})
	tr.write(dir+sid+"/subagents/agent-abc.jsonl", agent, with(answer(sid, 4, "s", 5, textBlock("seen")), fields{"isSidechain": true, "agentId": "abc"}))
	tr.put(dir+sid+"/subagents/agent-abc.meta.json", `{"agentType":"Explore","description":"Look around the tests"}`)
	importInto(t, s, transcript.ClaudeCode, tr.dir)
	child := transcript.SessionID(transcript.ClaudeCode, sid, "abc")
	if n := len(log(t, s, claudeID(sid))); n != 2 {
		t.Errorf("the session has %d entries", n)
	}
	if n := len(log(t, s, child)); n != 2 {
		t.Errorf("the subagent has %d entries", n)
	}
	got := column(t, s, `SELECT concat_ws('|', name, cc_session_id, node_metadata ->> '$.parent_session_id', output_tokens, node_metadata ->> '$.engine_parent_run_id')
		FROM sessions WHERE id = '`+child+"'")
	if got != "Look around the tests|"+sid+"|"+claudeID(sid)+"|5" {
		t.Error(got)
	}
	if got := column(t, s, "SELECT sum(output_tokens) || '|' || count(*) FROM sessions"); got != "15|3" {
		t.Error(got)
	}
	sound(t, s)
}

func TestClaude_ForksShareWhatTheyCopied(t *testing.T) {
	const fork = "22222222-2222-4222-8222-222222222222"
	parent := []any{said(sid, 1, "hi"), answer(sid, 2, "a", 10, textBlock("x"))}
	copied := func(f any) fields { return with(f.(fields), fields{"sessionId": fork}) }
	marked := func(f any, n int) fields {
		original := f.(fields)["uuid"]
		return with(copied(f), fields{"uuid": uuidOf(1000 + n), "forkedFrom": fields{"sessionId": sid, "messageUuid": original}})
	}
	for name, chain := range map[string][]any{
		"with the old ids":    {copied(parent[0]), copied(parent[1])},
		"with the old in new": {marked(parent[0], 1), marked(parent[1], 2)},
	} {
		s := storetest.New(t, store.Options{})
		tr := newTree(t)
		// The fork's file comes first by name.
		tr.write("projects/p/zz.jsonl", append(parent[:2:2], said(sid, 5, "later"))...)
		tr.write("projects/p/"+fork+".jsonl", append(chain, said(fork, 6, "elsewhere"), answer(fork, 7, "f", 3, textBlock("y")))...)
		importInto(t, s, transcript.ClaudeCode, tr.dir)
		if got := column(t, s, "SELECT sum(output_tokens) || '|' || sum(num_turns) || '|' || (SELECT count(*) FROM entries) FROM sessions"); got != "13|2|5" {
			t.Errorf("%s: %s", name, got)
		}
		if got := column(t, s, "SELECT count(*) FROM import_sessions WHERE forked_from IS NOT NULL"); got != "1" {
			t.Errorf("%s: %s forks", name, got)
		}
		sound(t, s)
	}
}

func TestClaude_AForkOfAForkNamesTheSameParentInAnyOrderOfItsCopies(t *testing.T) {
	const fork, again = "00000002-1111-4111-8111-111111111111", "00000003-1111-4111-8111-111111111111"
	as := func(id string, f fields) fields { return with(f, fields{"sessionId": id}) }
	first, second := said(sid, 1, "one"), said(fork, 2, "two")
	files := map[string][]any{
		"projects/a/" + sid + ".jsonl":   {first},
		"projects/b/" + fork + ".jsonl":  {as(fork, first), second},
		"projects/c/" + again + ".jsonl": {as(again, first)}, // a backup
		"projects/d/" + again + ".jsonl": {as(again, first), as(again, second), said(again, 3, "three")},
	}
	names := slices.Sorted(maps.Keys(files))
	for _, order := range [][]string{names, {names[0], names[1], names[3], names[2]}, {names[3], names[2], names[1], names[0]}} {
		s := storetest.New(t, store.Options{})
		tr := newTree(t)
		for _, name := range order {
			tr.write(name, files[name]...)
			importInto(t, s, transcript.ClaudeCode, tr.dir)
		}
		if got := column(t, s, "SELECT forked_from FROM import_sessions WHERE vendor_id = '"+again+"'"); got != claudeID(fork) {
			t.Errorf("%v: forked from %q, want %s", order, got, claudeID(fork))
		}
		sound(t, s)
	}
}

func TestClaude_IDsThatTwoSessionsUseForDifferentThingsLoseNothing(t *testing.T) {
	const other = "33333333-3333-4333-8333-333333333333"
	s := storetest.New(t, store.Options{})
	tr := newTree(t)
	tr.write("projects/p/"+sid+".jsonl", said(sid, 1, "hi"))
	tr.write("projects/p/"+other+".jsonl", with(said(other, 2, "ho"), fields{"uuid": uuidOf(1)}))
	importInto(t, s, transcript.ClaudeCode, tr.dir)
	if a, b := log(t, s, claudeID(sid)), log(t, s, claudeID(other)); len(a) != 1 || len(b) != 1 {
		t.Error(brief(a), brief(b))
	}
	if got := column(t, s, "SELECT count(*) FROM import_sessions WHERE forked_from IS NOT NULL"); got != "0" {
		t.Errorf("%s forks", got)
	}
}

func TestClaude_QueuedPromptsAreInputs(t *testing.T) {
	_, entries, _ := claude(t, fields{"type": "attachment", "uuid": uuidOf(1), "sessionId": sid, "timestamp": clockAt(1),
		"attachment": fields{"type": "queued_command", "prompt": "and the docs"}})
	if diff := cmp.Diff([]string{`input {"text":"and the docs","kind":"input"}`}, brief(entries)); diff != "" {
		t.Error(diff)
	}
}

func TestClaude_AForksBackupThatSortsFirstLeavesTheParentItsOwn(t *testing.T) {
	const fork = "00000002-1111-4111-8111-111111111111"
	first, own := []any{said(sid, 1, "one"), said(sid, 2, "two")}, said(fork, 9, "three")
	copies := []any{with(said(sid, 1, "one"), fields{"sessionId": fork}), with(said(sid, 2, "two"), fields{"sessionId": fork})}
	dir := newTree(t).dir
	read := func(order ...string) string {
		tr := tree{t, dir}
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
		s := storetest.New(t, store.Options{})
		files := map[string][]any{
			"projects/backup/" + fork + ".jsonl": copies[:1],
			"projects/p/" + sid + ".jsonl":       first,
			"projects/q/" + fork + ".jsonl":      append(slices.Clone(copies), own),
		}
		for _, name := range order {
			importInto(t, s, transcript.ClaudeCode, tr.write(name, files[name]...))
		}
		sound(t, s)
		return column(t, s, "SELECT group_concat(entries || ' ' || coalesce(forked_from, '-'), ', ') FROM (SELECT entries, forked_from FROM logs JOIN import_sessions USING (session_id) ORDER BY vendor_id)")
	}
	backup, p, q := "projects/backup/"+fork+".jsonl", "projects/p/"+sid+".jsonl", "projects/q/"+fork+".jsonl"
	want := read(backup, p, q)
	for _, order := range [][]string{{backup, q, p}, {p, q, backup}, {q, backup, p}, {q, p, backup}, {p, backup, q}} {
		if got := read(order...); got != want {
			t.Errorf("%v: entries and forks are %s, want %s", order, got, want)
		}
	}
}

func TestClaude_AWholeLastLineWithoutItsEndGivesAFileItsPlace(t *testing.T) {
	const fork = "00000002-1111-4111-8111-111111111111"
	s := storetest.New(t, store.Options{})
	tr := newTree(t)
	tr.put("projects/p/"+sid+".jsonl", strings.TrimSuffix(line(said(sid, 1, "one")), "\n"))
	path := tr.path("projects/p/" + sid + ".jsonl")
	importInto(t, s, transcript.ClaudeCode, tr.dir)
	tr.write("projects/q/"+fork+".jsonl", with(said(sid, 1, "one"), fields{"sessionId": fork, "timestamp": clockAt(1)}), said(fork, 9, "two"))
	importInto(t, s, transcript.ClaudeCode, tr.dir)
	sound(t, s)
	if got := ledger(t, s, path); got.Rank == "" || strings.HasPrefix(got.Rank, "~") {
		t.Errorf("rank %q", got.Rank)
	}
	if got := column(t, s, "SELECT entries FROM logs WHERE session_id = '"+claudeID(sid)+"'"); got != "1" {
		t.Errorf("%s entries of the parent", got)
	}
}

func TestClaude_AFileThatIsReadAgainHasTheRankOfWhatItHoldsByThen(t *testing.T) {
	const fork = "00000002-1111-4111-8111-111111111111"
	title := func(text string) fields {
		return fields{"type": "custom-title", "customTitle": text, "sessionId": fork}
	}
	copied := with(said(sid, 1, "one"), fields{"sessionId": fork})
	s := storetest.New(t, store.Options{})
	tr := newTree(t)
	tr.write("projects/q/"+fork+".jsonl", title("new"), copied, said(fork, 9, "two"))
	tr.write("projects/backup/"+fork+".jsonl", title("old"))
	importInto(t, s, transcript.ClaudeCode, tr.dir)
	tr.write("projects/backup/"+fork+".jsonl", title("old"), copied)
	tr.write("projects/a/"+sid+".jsonl", said(sid, 1, "one"))
	importInto(t, s, transcript.ClaudeCode, tr.dir)
	sound(t, s)
	if got := column(t, s, "SELECT name FROM sessions WHERE id = '"+claudeID(fork)+"'"); got != "new" {
		t.Errorf("the name is %q", got)
	}
}

func TestClaude_WhatAPodSaidInASessionStaysWhenItsParentComesLater(t *testing.T) {
	const fork = "00000002-1111-4111-8111-111111111111"
	s := storetest.New(t, store.Options{})
	tr := newTree(t)
	tr.write("projects/q/"+fork+".jsonl", with(said(sid, 1, "one"), fields{"sessionId": fork}), said(fork, 9, "two"))
	importInto(t, s, transcript.ClaudeCode, tr.dir)
	start := storetest.PodStart("heir")
	start.SessionID = claudeID(fork)
	storetest.Commit(t, s, storetest.Start(t, s, start), storetest.Text("three"))
	tr.write("projects/a/"+sid+".jsonl", said(sid, 1, "one"), said(sid, 2, "else"))
	importInto(t, s, transcript.ClaudeCode, tr.dir)
	sound(t, s)
	if got := column(t, s, "SELECT entries FROM logs WHERE session_id = '"+claudeID(fork)+"'"); got != "3" {
		t.Errorf("%s entries in the session that the pod holds", got)
	}
	if got := column(t, s, "SELECT entries FROM logs WHERE session_id = '"+claudeID(sid)+"'"); got != "1" {
		t.Errorf("%s entries in the parent, which the fork does not give back", got)
	}
}

func TestClaude_ASessionThatAPodHoldsStaysWhatThePodMadeOfIt(t *testing.T) {
	s := storetest.New(t, store.Options{})
	tr := newTree(t)
	const name = "projects/p/" + sid + ".jsonl"
	before := []any{said(sid, 1, "one"), answer(sid, 2, "a", 5, textBlock("x"))}
	tr.write(name, before...)
	importInto(t, s, transcript.ClaudeCode, tr.dir)
	start := storetest.PodStart("heir")
	start.SessionID, start.Model = claudeID(sid), "another"
	p := storetest.Start(t, s, start)
	storetest.Commit(t, s, p, storetest.Text("two"))
	row := "SELECT concat_ws('|', model, provider, node_metadata) FROM sessions"
	want := column(t, s, row)
	tr.write(name, append(before, answer(sid, 3, "b", 5, textBlock("y")))...)
	importInto(t, s, transcript.ClaudeCode, tr.dir)
	if got := column(t, s, row); got != want || !strings.HasPrefix(got, "another|") {
		t.Errorf("%s, was %s", got, want)
	}
	if got := column(t, s, "SELECT entries FROM logs"); got != "4" {
		t.Errorf("%s entries", got)
	}
}

func TestClaude_ASessionThatAPodWentOnWithIsRestoredAsItsFilesHaveIt(t *testing.T) {
	sc := &scene{t, newTree(t), storetest.New(t, store.Options{})}
	sc.tree.write("projects/p/"+sid+".jsonl", said(sid, 1, "one"), answer(sid, 2, "a", 5, textBlock("x")))
	sc.importAll(transcript.ClaudeCode)
	row := "SELECT concat_ws('|', model, provider, node_metadata, entries) FROM sessions JOIN logs ON session_id = id"
	want := column(t, sc.s, row)
	start := storetest.PodStart("heir")
	start.SessionID, start.Model = claudeID(sid), "another"
	p := storetest.Start(t, sc.s, start)
	storetest.Commit(t, sc.s, p, storetest.Text("two"))
	err := sc.s.Leave(t.Context(), session.Leave{PodID: p.ID, SessionID: p.SessionID, At: storetest.Epoch, Status: session.StatusCompleted, ReasonCode: "session.completed"})
	if err != nil {
		t.Fatal(err)
	}
	sc.delete(claudeID(sid))
	o := options(transcript.ClaudeCode, sc.tree.dir)
	o.Restore = true
	if _, err := transcript.Import(t.Context(), sc.s, o); err != nil {
		t.Fatal(err)
	}
	sound(t, sc.s)
	if got := column(t, sc.s, row); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
