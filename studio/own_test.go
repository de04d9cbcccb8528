package studio_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"podium.local/protocol"
	"podium.local/session"
	"podium.local/store"
	"podium.local/store/storetest"
	"podium.local/studio"
)

// talk is a session of a pod with every kind of entry, and the session it was
// compacted into.
type talk struct {
	store *store.Store
	pod   session.Pod
	old   string // the session that was compacted
	new   string
	ids   map[string]string // entry ids by what the entry is
}

// podStore makes a Podium store with one talk in it.
func podStore(t testing.TB) talk {
	t.Helper()
	st, err := store.Create(t.Context(), filepath.Join(t.TempDir(), "state.db"), store.Options{Now: func() time.Time { return clock }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := st.Close(); err != nil {
			t.Error(err)
		}
	})
	pod, err := st.StartPod(t.Context(), storetest.PodStart("worker"))
	if err != nil {
		t.Fatal(err)
	}
	k := talk{store: st, pod: pod, old: pod.SessionID, new: protocol.NewSessionID().String(), ids: map[string]string{}}
	entry := func(name string, kind session.Kind, payload any) session.NewEntry {
		id := protocol.NewEntryID()
		k.ids[name] = id
		return session.NewEntry{ID: id, Kind: kind, Payload: payload}
	}
	in, out, cost := int64(1000), int64(200), 0.25
	commit := func(c session.Commit) {
		t.Helper()
		c.PodID, c.SessionID = pod.ID, k.old
		if _, err := st.Commit(t.Context(), c); err != nil {
			t.Fatal(err)
		}
	}
	commit(session.Commit{At: clock.Add(-50 * time.Second), Name: "fix the <flaky> test", Entries: []session.NewEntry{
		entry("system", session.KindSystem, session.System{Text: "rules"}),
		entry("input", session.KindInput, session.Input{Text: "fix the <flaky> test", Kind: protocol.InputText, Client: "tui/1"}),
	}})
	commit(session.Commit{At: clock.Add(-40 * time.Second), Turns: 1, Usage: &session.Usage{InputTokens: &in, OutputTokens: &out, CostUSD: &cost}, Entries: []session.NewEntry{
		entry("reasoning", session.KindReasoning, session.Reasoning{Text: "think", Opaque: json.RawMessage(`{"sig":"x"}`)}),
		entry("text", session.KindText, session.Text{Text: "Reading it."}),
		entry("call", session.KindToolCall, session.ToolCall{CallID: "c1", Name: "Read", Arguments: json.RawMessage(`{"file_path":"/src/login_test.go"}`)}),
		entry("turn", session.KindTurnEnd, session.TurnEnd{Turn: 0, Model: "opus"}),
	}})
	commit(session.Commit{At: clock.Add(-30 * time.Second), Usage: &session.Usage{InputTokens: &in}, Turns: 1, Entries: []session.NewEntry{
		entry("result", session.KindToolResult, session.ToolResult{CallID: "c1", Summary: "no such file", IsError: true}),
		entry("answer", session.KindText, session.Text{Text: "It is gone. ÄÖ"}),
		entry("turn2", session.KindTurnEnd, session.TurnEnd{Turn: 1}),
		entry("end", session.KindRunEnd, session.RunEnd{Result: protocol.RunFinished}),
	}})
	_, err = st.Continue(t.Context(), session.Continuation{
		PodID: pod.ID, FromSession: k.old, NewSession: k.new, At: clock.Add(-20 * time.Second), Head: 10, Name: "fix the <flaky> test",
		Entries: []session.NewEntry{entry("summary", session.KindSystem, session.System{Text: "summary"})},
		Done:    entry("compaction", session.KindCompaction, session.Compaction{FromSession: k.old, NewSession: k.new, TokensBefore: 9000, TokensAfter: 800, CostUSD: &cost}),
		Usage:   &session.Usage{InputTokens: &in, CostUSD: &cost},
	})
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func TestOwn_CountsComeFromTheLogAndV1ReadsOn(t *testing.T) {
	k := podStore(t)
	s := open(t, k.store.Path(), nil)
	rows := list(t, s, "/api/runs/", "runs")
	if len(rows) != 2 || rows[0]["id"] != k.new || rows[1]["id"] != k.old {
		t.Fatalf("%v", rows)
	}
	old := rows[1]
	for name, want := range map[string]any{
		"name": "fix the <flaky> test", "status": "completed", "message_count": 7.0, "branch_count": 1.0, "total_cost_usd": 0.5,
		"input_tokens": 3000.0, "output_tokens": 200.0, "invocation_kind": "agent", "source_kind": "live", "effective_health": nil,
		"status_reason_code": "session.compacted",
	} {
		if diff := cmp.Diff(want, old[name]); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	if rows[0]["total_cost_usd"] != nil {
		t.Errorf("a session without a request costs %v", rows[0]["total_cost_usd"])
	}
	d := object(t, s, "/api/sessions/"+k.old)
	if len(d) != 43 {
		t.Errorf("the detail has %d members", len(d))
	}
	b := d["branches"].([]any)[0].(map[string]any)
	var shown []string
	for _, m := range b["messages"].([]any) {
		m := m.(map[string]any)
		content, err := json.Marshal(m["content"])
		if err != nil {
			t.Fatal(err)
		}
		shown = append(shown, fmt.Sprintf("%s %s %s", m["role"], m["lion_class"], content))
	}
	want := []string{
		`system System {"system_message":"rules"}`,
		`user Instruction {"instruction":"fix the \u003cflaky\u003e test","kind":"input"}`,
		`assistant Reasoning {"reasoning":"think"}`,
		`assistant AssistantResponse {"assistant_response":"Reading it."}`,
		`action ActionRequest {"action_response_id":"` + k.ids["result"] + `","arguments":{"file_path":"/src/login_test.go"},"call_id":"c1","function":"Read"}`,
		`action ActionResponse {"action_request_id":"` + k.ids["call"] + `","call_id":"c1","is_error":true,"output":"no such file","summary":"no such file"}`,
		`assistant AssistantResponse {"assistant_response":"It is gone. ÄÖ"}`,
	}
	if diff := cmp.Diff(want, shown); diff != "" {
		t.Error(diff)
	}
	stats := d["message_stats"].(map[string]any)
	if stats["message_count"] != 7.0 || stats["tool_call_count"] != 1.0 || stats["error_count"] != 1.0 || fmt.Sprint(stats["files"]) != "[/src/login_test.go]" ||
		fmt.Sprint(stats["roles"]) != "map[action:2 assistant:3 system:1 user:1]" || stats["bounded"] != false {
		t.Errorf("%v", stats)
	}
	failed := stats["errors"].([]any)[0].(map[string]any)
	if failed["function"] != "Read" || failed["output"] != "no such file" {
		t.Errorf("%v", failed)
	}
}

func TestOwn_WindowsWalkBackOverTheWholeLogOnce(t *testing.T) {
	k := podStore(t)
	s := open(t, k.store.Path(), nil)
	var seen []string
	cursor := ""
	for range 10 {
		d := object(t, s, "/api/runs/"+k.old+"?message_limit=3&message_cursor="+cursor)
		b := d["branches"].([]any)[0].(map[string]any)
		var page []string
		for _, m := range b["messages"].([]any) {
			page = append(page, m.(map[string]any)["id"].(string))
		}
		seen = append(page, seen...)
		next, more := d["message_next_cursor"].(string)
		if b["message_has_older"] != more {
			t.Errorf("has_older %v with cursor %v", b["message_has_older"], d["message_next_cursor"])
		}
		if !more {
			break
		}
		cursor = next
	}
	var want []string
	for _, name := range []string{"system", "input", "reasoning", "text", "call", "result", "answer"} {
		want = append(want, k.ids[name])
	}
	if diff := cmp.Diff(want, seen); diff != "" {
		t.Error(diff)
	}
}

func TestOwn_EntryWindowsMeetAtTheirEnds(t *testing.T) {
	k := podStore(t)
	s := open(t, k.store.Path(), nil)
	window := func(query string) (kinds, before, after string) {
		t.Helper()
		body := object(t, s, "/api/sessions/"+k.old+"/entries?"+query)
		if body["total"] != 10.0 {
			t.Errorf("total %v", body["total"])
		}
		for _, e := range body["entries"].([]any) {
			kinds += e.(map[string]any)["kind"].(string) + " "
		}
		before, _ = body["before"].(string)
		after, _ = body["after"].(string)
		return strings.TrimSpace(kinds), before, after
	}
	kinds, before, after := window("limit=4")
	if kinds != "tool_result text turn_end run_end" || before != k.ids["result"] || after != "" {
		t.Errorf("newest: %s, before %s, after %s", kinds, before, after)
	}
	kinds, before, after = window("limit=4&before=" + before)
	if kinds != "reasoning text tool_call turn_end" || before != k.ids["reasoning"] || after != k.ids["turn"] {
		t.Errorf("older: %s, before %s, after %s", kinds, before, after)
	}
	if kinds, before, _ = window("limit=4&before=" + before); kinds != "system input" || before != "" {
		t.Errorf("oldest: %s, before %s", kinds, before)
	}
	if kinds, _, after = window("limit=4&after=" + k.ids["input"]); kinds != "reasoning text tool_call turn_end" || after != k.ids["turn"] {
		t.Errorf("after: %s", kinds)
	}
	if kinds, _, _ = window("limit=3&around=" + k.ids["text"]); kinds != "reasoning text tool_call" {
		t.Errorf("around: %s", kinds)
	}
	if kinds, before, _ = window("limit=3&around=" + k.ids["system"]); kinds != "system input reasoning" || before != "" {
		t.Errorf("around the first: %s", kinds)
	}
	if kinds, before, after = window("from=2&limit=3"); kinds != "reasoning text tool_call" || before != k.ids["reasoning"] || after != k.ids["call"] {
		t.Errorf("from a place: %s, before %s, after %s", kinds, before, after)
	}
	if kinds, before, _ = window("from=0&limit=2"); kinds != "system input" || before != "" {
		t.Errorf("from the beginning: %s, before %s", kinds, before)
	}
	if kinds, before, after = window("from=99"); kinds != "" || before != "" || after != "" {
		t.Errorf("from behind the end: %s, before %s, after %s", kinds, before, after)
	}
	last := object(t, s, "/api/sessions/"+k.old+"/entries?limit=1")["entries"].([]any)[0].(map[string]any)["id"].(string)
	if kinds, before, after = window("after=" + last); kinds != "" || before != last || after != "" {
		t.Errorf("behind the last: %s, before %s, after %s", kinds, before, after)
	}
	if kinds, before, after = window("before=" + k.ids["system"]); kinds != "" || before != "" || after != k.ids["system"] {
		t.Errorf("in front of the first: %s, before %s, after %s", kinds, before, after)
	}
	body := object(t, s, "/api/sessions/"+k.old+"/entries?limit=1&around="+k.ids["reasoning"])
	got, err := json.Marshal(body["entries"].([]any)[0])
	if err != nil {
		t.Fatal(err)
	}
	wanted := `{"created_at":1767277960,"id":"` + k.ids["reasoning"] + `","kind":"reasoning","ordinal":2,"payload":{"opaque":{"sig":"x"},"text":"think"},"pod_id":"` + k.pod.ID.String() + `","seq":2}`
	if string(got) != wanted {
		t.Errorf("got  %s\nwant %s", got, wanted)
	}
}

func TestOwn_EntriesSayWhatTheSessionUsedAndWhoHoldsIt(t *testing.T) {
	k := podStore(t)
	s := open(t, k.store.Path(), nil)
	body := object(t, s, "/api/sessions/"+k.old+"/entries?limit=1")
	want := map[string]any{
		"input_tokens": 3000.0, "output_tokens": 200.0, "cache_read_tokens": 0.0, "cache_write_tokens": 0.0, "reasoning_tokens": 0.0,
		"cost_usd": 0.5, "priced": 2.0, "unpriced": 1.0,
	}
	if diff := cmp.Diff(want, body["usage"]); diff != "" {
		t.Error(diff)
	}
	if body["pod"] != nil {
		t.Errorf("a pod that went on elsewhere holds the old session: %v", body["pod"])
	}
	if now := object(t, s, "/api/sessions/"+k.new+"/entries?limit=1"); now["pod"] != "worker" {
		t.Errorf("the new session is held by %v", now["pod"])
	}
}

func TestOwn_AResultTooLargeForAWindowStillNamesItsCall(t *testing.T) {
	k := podStore(t)
	_, err := k.store.Commit(t.Context(), session.Commit{PodID: k.pod.ID, SessionID: k.new, At: clock, Phase: session.PhaseRunning, Entries: []session.NewEntry{
		{ID: protocol.NewEntryID(), Kind: session.KindToolResult, Payload: session.ToolResult{CallID: "big", Content: strings.Repeat("x", 1<<20)}},
		{ID: protocol.NewEntryID(), Kind: session.KindText, Payload: session.Text{Text: strings.Repeat("x", 1<<20)}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	entries := object(t, open(t, k.store.Path(), nil), "/api/sessions/"+k.new+"/entries?limit=2")["entries"].([]any)
	got := []any{entries[0].(map[string]any)["payload"], entries[1].(map[string]any)["payload"]}
	size := func(v any) any { return v.(map[string]any)["size"] }
	want := []any{
		map[string]any{"withheld": true, "size": size(got[0]), "call_id": "big"},
		map[string]any{"withheld": true, "size": size(got[1])},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestOwn_SearchSaysHowFarItLooked(t *testing.T) {
	k := podStore(t)
	s := open(t, k.store.Path(), nil)
	search := func(q string) (string, map[string]any) {
		body := object(t, s, "/api/sessions/"+k.old+"/search?q="+q)
		var kinds []string
		for _, m := range body["matches"].([]any) {
			kinds = append(kinds, m.(map[string]any)["kind"].(string))
		}
		return strings.Join(kinds, " "), body["pagination"].(map[string]any)
	}
	for q, want := range map[string]string{
		"FLAKY": "input", "%3Cflaky%3E": "input", "login_test": "tool_call", "gone": "text", "%C3%A4%C3%B6": "text", "sig": "", "c1": "", "\"file_path\"": "tool_call", "zzz": "",
	} {
		got, p := search(q)
		if got != want || p["examined_candidates"] != 10.0 || p["stop_reason"] != "exhausted" || p["next_cursor"] != nil || p["has_more_candidates"] != false {
			t.Errorf("%s: %q, %v", q, got, p)
		}
	}
}

func TestOwn_LineageGoesBothWays(t *testing.T) {
	k := podStore(t)
	s := open(t, k.store.Path(), nil)
	step := func(id string) string {
		return `{"session_id":"` + id + `","name":"fix the <flaky> test","compacted_at":1767277980.0,"tokens_before":9000,"tokens_after":800,"cost_usd":0.25}`
	}
	want(t, call(t, s.Handler(), http.MethodGet, "/api/sessions/"+k.new+"/lineage", ""), 200,
		`{"session_id":"`+k.new+`","compacted_from":[`+step(k.old)+`],"continued_in":[]}`)
	want(t, call(t, s.Handler(), http.MethodGet, "/api/sessions/"+k.old+"/lineage", ""), 200,
		`{"session_id":"`+k.old+`","compacted_from":[],"continued_in":[`+step(k.new)+`]}`)
}

func TestOwn_RenameAndDelete(t *testing.T) {
	k := podStore(t)
	auth := []string{"Content-Type", "application/json", "Authorization", "Bearer " + localToken}
	v := store.NewView(k.store.Path(), "local", store.Options{Now: func() time.Time { return clock }, Alive: func(p session.Process) bool { return p.PID == 4711 }})
	t.Cleanup(func() {
		if err := v.Close(); err != nil {
			t.Error(err)
		}
	})
	s := open(t, k.store.Path(), func(c *studio.Config) { c.Sources.Edits = v })
	patch := func(id, body string) (int, string) {
		w := call(t, s.Handler(), http.MethodPatch, "/api/sessions/"+id, body, auth...)
		return w.Code, w.Body.String()
	}
	for _, tt := range []struct {
		id, body, want string
		status         int
	}{
		{k.old, `{"name":"  login: fixed "}`, `{"session_id":"` + k.old + `","name":"fixed"}`, 200},
		{k.old, `{"name":"a new name"}`, `{"session_id":"` + k.old + `","name":"a new name"}`, 200},
		{k.old, `{"name":" "}`, `{"detail":"name must not be empty"}`, 422},
		{k.old, `{"name":"` + strings.Repeat("x", 201) + `"}`, `{"detail":"name must have at most 200 bytes"}`, 422},
		{"nope", `{"name":"x"}`, `{"detail":"Session 'nope' not found"}`, 404},
	} {
		if status, body := patch(tt.id, tt.body); status != tt.status || body != tt.want {
			t.Errorf("%s: got %d %s, want %d %s", tt.body, status, body, tt.status, tt.want)
		}
	}
	drop := func(id string) (int, string) {
		w := call(t, s.Handler(), http.MethodDelete, "/api/sessions/"+id, "", auth...)
		return w.Code, w.Body.String()
	}
	if status, body := drop(k.new); status != http.StatusConflict || body != `{"detail":"A live pod holds this session; stop it first."}` {
		t.Errorf("a held session: %d %s", status, body)
	}
	if status, body := drop("nope"); status != http.StatusNotFound || body != `{"detail":"Session 'nope' not found"}` {
		t.Errorf("an unknown session: %d %s", status, body)
	}
	before := object(t, s, "/api/usage?days=1")["groups"].([]any)[0].(map[string]any)
	if before["priced_usd"] != 0.5 || before["priced_n"] != 2.0 || before["unpriced_n"] != 1.0 || before["sessions"] != 2.0 {
		t.Errorf("usage before: %v", before)
	}
	if status, body := drop(k.old); status != http.StatusNoContent || body != "" {
		t.Errorf("%d %s", status, body)
	}
	if status, _ := drop(k.old); status != http.StatusNotFound {
		t.Errorf("the second time: %d", status)
	}
	if rows := list(t, s, "/api/runs/", "runs"); len(rows) != 1 || rows[0]["id"] != k.new {
		t.Errorf("%v", rows)
	}
	after := object(t, s, "/api/usage?days=1")["groups"].([]any)[0].(map[string]any)
	if after["priced_usd"] != 0.0 || after["priced_n"] != 0.0 || after["unpriced_n"] != 0.0 || after["sessions"] != 1.0 {
		t.Errorf("usage after: %v", after)
	}
	for query, want := range map[string]string{
		"SELECT count(*) FROM tombstones WHERE session_id = '" + k.old + "'": "1",
		"SELECT count(*) FROM entries":                                       "2",
		"SELECT count(*) FROM progressions":                                  "1",
		"SELECT count(*) FROM usage_records":                                 "0",
		"SELECT count(*) FROM pragma_foreign_key_check":                      "0",
	} {
		if got := storetest.Value(t, k.store.Path(), query); got != want {
			t.Errorf("%s: %s, want %s", query, got, want)
		}
	}
	if report, err := k.store.Check(t.Context(), store.CheckOptions{}); err != nil || len(report.Problems) != 0 {
		t.Errorf("%+v %v", report, err)
	}
}

func TestOwn_ALargeSessionIsDeletedInSteps(t *testing.T) {
	k := podStore(t)
	path := k.store.Path()
	storetest.FillLog(t, path, k.new, 1200, 100)
	v := store.NewView(path, "local", store.Options{Now: func() time.Time { return clock }})
	t.Cleanup(func() {
		if err := v.Close(); err != nil {
			t.Error(err)
		}
	})
	if err := v.DeleteSession(t.Context(), k.new, clock); err != nil {
		t.Fatal(err)
	}
	if n := storetest.Value(t, path, "SELECT count(*) FROM entries"); n != "10" {
		t.Errorf("%s entries are left", n)
	}
	if report, err := k.store.Check(t.Context(), store.CheckOptions{}); err != nil || len(report.Problems) != 0 {
		t.Errorf("%+v %v", report, err)
	}
}

func TestAdopted_IsReadAndTaggedAndNothingElse(t *testing.T) {
	path := lionagiStore(t)
	auth := []string{"Content-Type", "application/json", "Authorization", "Bearer " + localToken}
	const adopted = `{"detail":"This store was adopted and is for reading; sessions in it are renamed and deleted by the program that owns it."}`
	const before = `{"detail":"This store belongs to lionagi and takes no tags from podium before it is adopted; run ` + "`podium store migrate`" + `, then tag again."}`
	s := open(t, path, nil)
	want(t, call(t, s.Handler(), http.MethodPost, "/api/sessions/ten/tags", `{"tag":"x"}`, auth...), http.StatusConflict, before)
	want(t, call(t, s.Handler(), http.MethodDelete, "/api/sessions/ten/tags/x", "", auth...), http.StatusConflict, before)
	want(t, call(t, s.Handler(), http.MethodPatch, "/api/sessions/ten", `{"name":"x"}`, auth...), http.StatusConflict, adopted)
	if _, err := store.Migrate(t.Context(), path, store.MigrateOptions{}); err != nil {
		t.Fatal(err)
	}
	// The daemon has the file open since before it was adopted.
	want(t, call(t, s.Handler(), http.MethodPost, "/api/sessions/ten/tags", `{"tag":"x"}`, auth...), http.StatusOK, `{"session_id":"ten","tags":["x"]}`)
	want(t, call(t, s.Handler(), http.MethodPatch, "/api/sessions/ten", `{"name":"x"}`, auth...), http.StatusConflict, adopted)
	want(t, call(t, s.Handler(), http.MethodDelete, "/api/sessions/ten", "", auth...), http.StatusConflict, adopted)
}

func TestOwn_UsageSumsByDayProjectAndModel(t *testing.T) {
	k := podStore(t)
	s := open(t, k.store.Path(), nil)
	for target, want := range map[string]string{
		"/api/usage?days=2":                       `"groups":[{"key":"2025-12-31","sessions":0,"priced_usd":0.0,"priced_n":0,"unpriced_n":0},{"key":"2026-01-01","sessions":2,"priced_usd":0.5,"priced_n":2,"unpriced_n":1}]}`,
		"/api/usage?days=1&tz=Pacific/Kiritimati": `"groups":[{"key":"2026-01-02","sessions":2,"priced_usd":0.5,"priced_n":2,"unpriced_n":1}]}`,
		"/api/usage?by=project":                   `"groups":[{"key":"podium","sessions":2,"priced_usd":0.5,"priced_n":2,"unpriced_n":1}]}`,
		"/api/usage?by=model":                     `"groups":[{"key":"opus","sessions":2,"priced_usd":0.5,"priced_n":2,"unpriced_n":1}]}`,
	} {
		w := call(t, s.Handler(), http.MethodGet, target, "")
		if w.Code != http.StatusOK || !strings.HasSuffix(w.Body.String(), want) || !strings.Contains(w.Body.String(), `"basis":"usage"`) {
			t.Errorf("%s: %d %s", target, w.Code, w.Body)
		}
	}
	// Over a change of clocks a month has as many days as the calendar says.
	if days := object(t, s, "/api/usage?days=366&tz=Europe/Berlin")["groups"].([]any); len(days) != 366 {
		t.Errorf("%d days", len(days))
	}
	// 7 September 2025 began at one o'clock in Chile.
	days := object(t, s, "/api/usage?days=117&tz=America/Santiago")["groups"].([]any)
	if first := days[0].(map[string]any)["key"]; len(days) != 117 || first != "2025-09-07" {
		t.Errorf("%d days from %v on", len(days), first)
	}
}

func TestOwn_ImportsShowWhatBecameOfEveryFile(t *testing.T) {
	k := podStore(t)
	storetest.SQL(t, k.store.Path(), `INSERT INTO import_files (tool, path, size, mod_time, cursor, lines, kept, known, damaged, raw, clamped, skipped, problems, last_error, read_at, gone_at) VALUES
		('codex', '/c/a.jsonl', 10, 1, 10, 2, 1, 1, 0, 0, 0, NULL, NULL, NULL, 5.5, NULL),
		('claude-code', '/p/b.jsonl', 900, 1, 800, 9, 5, 0, 1, 1, 1, '{"meta":2}', '[{"line":3,"offset":40,"length":7,"text":"{bad"}]', 'permission denied', 7.0, 8.0)`)
	s := open(t, k.store.Path(), nil)
	const first = `{"tool":"claude-code","path":"/p/b.jsonl","size":900,"cursor":800,"lines":9,"kept":5,"known":0,"damaged":1,"raw":1,"clamped":1,"skipped":{"meta":2},` +
		`"problems":[{"line":3,"offset":40,"length":7,"text":"{bad","sha256":null}],"last_error":"permission denied","read_at":7.0,"gone_at":8.0}`
	const second = `{"tool":"codex","path":"/c/a.jsonl","size":10,"cursor":10,"lines":2,"kept":1,"known":1,"damaged":0,"raw":0,"clamped":0,"skipped":{},"problems":[],"last_error":null,"read_at":5.5,"gone_at":null}`
	for target, want := range map[string]string{
		"/api/imports":                  `{"imports":[` + first + `,` + second + `],"total":2,"limit":100,"offset":0}`,
		"/api/imports?tool=codex":       `{"imports":[` + second + `],"total":1,"limit":100,"offset":0}`,
		"/api/imports?limit=1&offset=1": `{"imports":[` + second + `],"total":2,"limit":1,"offset":1}`,
		"/api/imports?tool=other":       `{"imports":[],"total":0,"limit":100,"offset":0}`,
	} {
		if w := call(t, s.Handler(), http.MethodGet, target, ""); w.Code != http.StatusOK || w.Body.String() != want {
			t.Errorf("%s: got %d %s\nwant %s", target, w.Code, w.Body, want)
		}
	}
}
