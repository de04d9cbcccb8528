package transcript_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"podium.local/session"
	"podium.local/store"
	"podium.local/store/storetest"
	"podium.local/transcript"
)

// cx is a line of a Codex rollout at second n.
func cx(n int, kind string, payload fields) fields {
	return fields{"timestamp": clockAt(n), "type": kind, "payload": payload}
}

func cxMeta(n int, id string, more fields) fields {
	return cx(n, "session_meta", with(fields{"id": id, "cwd": "/src/api", "originator": "codex_cli_rs", "cli_version": "0.50.0",
		"source": "cli", "git": fields{"branch": "dev"}}, more))
}

func cxTurn(n int, id string) fields {
	return cx(n, "turn_context", fields{"turn_id": id, "model": "gpt-5-codex", "cwd": "/src/api", "effort": "high"})
}

func cxMessage(n int, role, text string) fields {
	kind := "input_text"
	if role == "assistant" {
		kind = "output_text"
	}
	return cx(n, "response_item", fields{"type": "message", "role": role, "content": []any{fields{"type": kind, "text": text}}})
}

func cxTokens(n, input, cached, output, total int) fields {
	return cx(n, "event_msg", fields{"type": "token_count", "info": fields{
		"total_token_usage": fields{"total_tokens": total},
		"last_token_usage":  fields{"input_tokens": input, "cached_input_tokens": cached, "output_tokens": output, "reasoning_output_tokens": 1},
	}})
}

const rollout = "sessions/2026/03/01/rollout-2026-03-01T10-00-00-"

func codexID(vendor string) string { return transcript.SessionID(transcript.Codex, vendor, "") }

func codex(t testing.TB, lines ...any) (*store.Store, []session.Entry, transcript.Report) {
	t.Helper()
	s := storetest.New(t, store.Options{})
	tr := newTree(t)
	tr.write(rollout+sid+".jsonl", lines...)
	r := importInto(t, s, transcript.Codex, tr.dir)
	return s, log(t, s, codexID(sid)), r
}

func TestCodex_ItemsBecomeEntriesInOrder(t *testing.T) {
	s, entries, r := codex(t,
		cxMeta(0, sid, nil),
		cxMessage(1, "developer", "Be brief."),
		cxMessage(2, "user", "<environment_context><cwd>/src/api</cwd></environment_context>"),
		cx(3, "event_msg", fields{"type": "task_started", "turn_id": "t1"}),
		cxTurn(3, "t1"),
		cxMessage(4, "user", "Fix the query"),
		cx(4, "event_msg", fields{"type": "user_message", "message": "Fix the query"}),
		cx(5, "response_item", fields{"type": "reasoning", "summary": []any{fields{"type": "summary_text", "text": "Think."}}, "encrypted_content": "…"}),
		cx(6, "response_item", fields{"type": "function_call", "call_id": "c1", "name": "shell", "arguments": `{"command":["ls"]}`}),
		cx(7, "response_item", fields{"type": "function_call_output", "call_id": "c1", "output": `{"output":"go.mod\n","metadata":{"exit_code":1}}`}),
		cx(7, "response_item", fields{"type": "custom_tool_call", "call_id": "c2", "name": "apply_patch", "input": "*** Begin"}),
		cx(7, "response_item", fields{"type": "custom_tool_call_output", "call_id": "c2", "output": "done"}),
		cxMessage(8, "assistant", "Fixed."),
		cxTokens(9, 1000, 600, 50, 1050),
		cxTokens(10, 1000, 600, 50, 1050),
		cxTokens(11, 1100, 600, 20, 2170),
	)
	want := []string{
		`system {"text":"Be brief."}`,
		`system {"text":"<environment_context><cwd>/src/api</cwd></environment_context>"}`,
		`input {"text":"Fix the query","kind":"input"}`,
		`reasoning {"text":"Think."}`,
		`tool_call {"call_id":"c1","name":"shell","arguments":{"command":["ls"]}}`,
		`tool_result {"call_id":"c1","summary":"go.mod\n","is_error":true}`,
		`tool_call {"call_id":"c2","name":"apply_patch","arguments":{"input":"*** Begin"}}`,
		`tool_result {"call_id":"c2","summary":"done"}`,
		`text {"text":"Fixed."}`,
	}
	if diff := cmp.Diff(want, brief(entries)); diff != "" {
		t.Error(diff)
	}
	// Input counts what was cached; a count that is sent again counts once.
	got := column(t, s, `SELECT concat_ws('|', source_kind, provider, model, effort, name, project, node_metadata ->> '$.git_branch', num_turns, input_tokens,
		output_tokens, round(total_cost_usd, 6), (SELECT cache_read_tokens FROM logs)) FROM sessions`)
	if got != "imported_codex|openai|gpt-5-codex|high|Fix the query|api|dev|2|2100|70|0.7|1200" {
		t.Error(got)
	}
	if r.Raw != 0 || r.Damaged != 0 {
		t.Errorf("%+v", r)
	}
	sound(t, s)
}

func TestCodex_ForksLeaveOutWhatTheyCopied(t *testing.T) {
	const (
		parent = "019a0000-0000-7000-8000-000000000001" // ids of version 7 hold the time
		fork   = "019cd000-0000-7000-8000-000000000002"
	)
	for name, turns := range map[string][3]string{
		"words that the parent's file has": {"t1", "t2", "t3"},
		"ids of version 7":                 {"019a0000-0001-7000-8000-000000000001", "019a0000-0002-7000-8000-000000000001", "019cd000-0001-7000-8000-000000000001"},
	} {
		turn := func(n, k int) []any {
			return []any{cxTurn(n, turns[k]), cxMessage(n+1, "user", "prompt "+turns[k]), cxMessage(n+2, "assistant", "answer"), cxTokens(n+3, 10, 0, 5, 100+k)}
		}
		s := storetest.New(t, store.Options{})
		tr := newTree(t)
		if name != "ids of version 7" { // those tell without it
			tr.write(rollout+parent+".jsonl", append(append([]any{cxMeta(0, parent, nil)}, turn(1, 0)...), turn(10, 1)...)...)
		}
		lines := append([]any{cxMeta(50, fork, fields{"forked_from_id": parent}), cxMeta(50, parent, nil)}, append(turn(50, 0), turn(50, 1)...)...)
		tr.write(rollout+fork+".jsonl", append(lines, turn(60, 2)...)...)
		r := importInto(t, s, transcript.Codex, tr.dir)
		want := []string{`input {"text":"prompt ` + turns[2] + `","kind":"input"}`, `text {"text":"answer"}`}
		if diff := cmp.Diff(want, brief(log(t, s, codexID(fork)))); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		got := column(t, s, "SELECT output_tokens || '|' || (SELECT forked_from FROM import_sessions WHERE session_id = id) FROM sessions WHERE id = '"+codexID(fork)+"'")
		if got != "5|"+codexID(parent) {
			t.Errorf("%s: %s", name, got)
		}
		if r.Skipped["copied from the session it was forked from"] != 8 {
			t.Errorf("%s: %v", name, r.Skipped)
		}
		sound(t, s)
	}
}

func TestCodex_AForkThatCameBeforeItsParentGivesBackWhatItCopied(t *testing.T) {
	const (
		parent = "019a0000-0000-4000-8000-00000000000a"
		fork   = "019a0000-0000-4000-8000-00000000000b"
		again  = "019a0000-0000-4000-8000-00000000000c"
	)
	turn := func(n int, id string) []any {
		return []any{cxTurn(n, id), cxMessage(n+1, "user", "prompt "+id), cxMessage(n+2, "assistant", "answer"), cxTokens(n+3, 10, 0, 5, 100+n)}
	}
	join := func(parts ...[]any) []any { return slices.Concat(parts...) }
	s := storetest.New(t, store.Options{})
	tr := newTree(t)
	first, second := turn(1, "t1"), turn(10, "t2")
	forked := join([]any{cxMeta(50, fork, fields{"forked_from_id": parent}), cxMeta(50, parent, nil)}, first, second, turn(60, "t3"))
	steps := []struct {
		name  string
		lines []any
		want  string // sessions and their messages, output tokens of all
	}{
		// A fork of the fork, the fork, and what both come from.
		{again, join([]any{cxMeta(90, again, fields{"forked_from_id": fork}), cxMeta(90, fork, nil)}, first, second, turn(60, "t3"), turn(99, "t4")), "8|20"},
		{fork, forked, "8|20"},
		{parent, join([]any{cxMeta(0, parent, nil)}, first, second), "8|20"},
	}
	for _, step := range steps {
		tr.write(rollout+step.name+".jsonl", step.lines...)
		importInto(t, s, transcript.Codex, tr.dir)
		if got := column(t, s, "SELECT sum(messages) || '|' || (SELECT sum(output_tokens) FROM sessions) FROM logs"); got != step.want {
			t.Errorf("after %s: %s, want %s", step.name, got, step.want)
		}
		sound(t, s)
	}
	got := column(t, s, "SELECT group_concat(messages, ' ') FROM (SELECT messages FROM logs JOIN import_sessions USING (session_id) ORDER BY vendor_id)")
	if got != "4 2 2" {
		t.Errorf("messages of the parent, the fork and its fork: %s", got)
	}
	if r := importInto(t, s, transcript.Codex, tr.dir); r.Kept != 0 || r.Read != 0 {
		t.Errorf("again: %+v", r)
	}
}

func TestCodex_AForkInWhichNothingWasSaidNamesItsParentInAnyOrder(t *testing.T) {
	const (
		parent = "019a0000-0000-4000-8000-00000000000a"
		fork   = "019a0000-0000-4000-8000-00000000000b"
	)
	whole := []any{cxMeta(0, parent, nil), cxTurn(1, "t1"), cxMessage(2, "user", "one"), cxTokens(3, 10, 0, 5, 15)}
	files := map[string][]any{parent: whole, fork: slices.Concat([]any{cxMeta(50, fork, fields{"forked_from_id": parent})}, whole)}
	for _, order := range [][]string{{parent, fork}, {fork, parent}} {
		s := storetest.New(t, store.Options{})
		tr := newTree(t)
		sessions := 0
		for _, name := range order {
			tr.write(rollout+name+".jsonl", files[name]...)
			dry, real := importInto(t, transcript.DryRun(s), transcript.Codex, tr.dir), importInto(t, s, transcript.Codex, tr.dir)
			if dry.Sessions != real.Sessions {
				t.Errorf("%v: a dry run tells of %d new sessions, the import of %d", order, dry.Sessions, real.Sessions)
			}
			sessions += real.Sessions
		}
		got := column(t, s, "SELECT group_concat(entries || ' ' || coalesce(num_turns, 0) || ' ' || coalesce(forked_from, '-'), ', ') FROM (SELECT * FROM sessions JOIN logs ON session_id = id JOIN import_sessions USING (session_id) ORDER BY vendor_id)")
		if want := "1 1 -, 0 0 " + codexID(parent); got != want || sessions != 2 {
			t.Errorf("%v: %d sessions with entries, requests and parents %s, want %s", order, sessions, got, want)
		}
		sound(t, s)
	}
}

func TestCodex_AForkThatCameBeforeSomeOfItsParentsTurnsGivesThemBack(t *testing.T) {
	const (
		parent = "019a0000-0000-4000-8000-00000000000a"
		fork   = "019a0000-0000-4000-8000-00000000000b"
	)
	s := storetest.New(t, store.Options{})
	tr := newTree(t)
	whole := []any{
		cxMeta(0, parent, nil), cxTurn(1, "t1"), cxMessage(2, "user", "one"), cxTokens(3, 10, 0, 5, 15),
		cxTurn(4, "t2"), cxMessage(5, "user", "two"), cxTokens(6, 10, 0, 5, 30),
	}
	forked := slices.Concat([]any{cxMeta(50, fork, fields{"forked_from_id": parent})}, whole,
		[]any{cxTurn(60, "t3"), cxMessage(61, "user", "three"), cxTokens(62, 10, 0, 5, 45)})
	tr.write(rollout+fork+".jsonl", forked...)
	for _, lines := range []int{4, len(whole)} {
		tr.write(rollout+parent+".jsonl", whole[:lines]...)
		importInto(t, s, transcript.Codex, tr.dir)
		sound(t, s)
	}
	got := column(t, s, "SELECT group_concat(messages || ' ' || output_tokens, ', ') FROM (SELECT messages, output_tokens FROM sessions JOIN logs ON session_id = id ORDER BY cc_session_id)")
	if got != "2 10, 1 5" {
		t.Errorf("messages and output tokens of the parent and the fork: %s", got)
	}
}

func TestCodex_SubagentsNameTheirParent(t *testing.T) {
	s, _, _ := codex(t, cxMeta(0, sid, fields{"source": fields{"subagent": fields{"thread_spawn": fields{"parent_thread_id": "p", "depth": 1}}}}),
		cxMessage(1, "user", "hi"))
	if got := column(t, s, "SELECT parent FROM import_sessions"); got != codexID("p") {
		t.Error(got)
	}
}

func TestCodex_OldRolloutsWithoutEnvelopeAreRead(t *testing.T) {
	s, entries, _ := codex(t,
		fields{"id": sid, "timestamp": clockAt(0), "instructions": nil, "git": fields{"branch": "x"}},
		fields{"type": "message", "role": "user", "content": []any{fields{"type": "input_text", "text": "hi"}}},
		fields{"record_type": "state", "type": "state"},
	)
	if diff := cmp.Diff([]string{`input {"text":"hi","kind":"input"}`, `foreign {"type":"response_item/state","record":{"record_type":"state","type":"state"}}`}, brief(entries)); diff != "" {
		t.Error(diff)
	}
	if got := column(t, s, "SELECT cc_session_id FROM sessions"); got != sid {
		t.Error(got)
	}
}

func TestCodex_CompactionAndTitle(t *testing.T) {
	s, entries, _ := codex(t, cxMeta(0, sid, nil), cxMessage(1, "user", "hi"), cx(2, "compacted", fields{"message": "So far: hi."}),
		cx(3, "event_msg", fields{"type": "thread_name_updated", "thread_name": "Greetings"}))
	if len(entries) != 3 || entries[1].Kind != session.KindCompaction || entries[2].Kind != session.KindSystem {
		t.Error(brief(entries))
	}
	if got := column(t, s, "SELECT name FROM sessions"); got != "Greetings" {
		t.Error(got)
	}
}
