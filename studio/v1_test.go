package studio_test

import (
	_ "embed"
	"encoding/json"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"podium.local/session"
	"podium.local/store"
	"podium.local/store/storetest"
	"podium.local/studio"
)

//go:embed testdata/lionagi_rows.sql
var lionagiRows string

// clock is the time of the fixture's readers: ten minutes after its newest
// message.
var clock = time.Unix(1767278000, 0).UTC()

// processes knows the one process of the fixture that lives.
type processes struct{ noProcesses }

func (processes) Probe(p session.Process) studio.Liveness {
	if p.PID == 4242 {
		return studio.Alive
	}
	return studio.Dead
}

// lionagiStore makes lionagi's store with the fixture's rows.
func lionagiStore(t testing.TB) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "state.db")
	storetest.Lionagi(t, path)
	storetest.SQL(t, path, lionagiRows)
	return path
}

// viewFleet is a view as the fleet asks for it.
type viewFleet struct{ *store.View }

func (v viewFleet) Watch() studio.Changes { return v.View.Watch() }

// open makes a daemon over the store at path.
func open(t testing.TB, path string, change func(*studio.Config)) *studio.Server {
	t.Helper()
	v := store.NewView(path, "local", store.Options{Now: func() time.Time { return clock }})
	t.Cleanup(func() {
		if err := v.Close(); err != nil {
			t.Error(err)
		}
	})
	cfg := studio.Config{
		Version: "test", BindHost: "127.0.0.1", LocalToken: localToken, Processes: processes{},
		Now: func() time.Time { return clock }, Poll: time.Millisecond, Home: "/nowhere",
		Sources: studio.Sources{Presence: v, Listings: v, Sessions: v, Logs: v, Tags: v, Projects: v, Invocations: v, Usage: v, Edits: v, Imports: v, Fleet: viewFleet{v}},
	}
	if change != nil {
		change(&cfg)
	}
	s, err := studio.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// recorded are the requests whose answers are kept byte for byte.
var recorded = []struct{ name, target string }{
	{"sessions", "/api/sessions/"},
	{"sessions_page", "/api/sessions/?limit=3&offset=2"},
	{"sessions_cost", "/api/sessions/?sort=cost&limit=5"},
	{"sessions_past_the_end", "/api/sessions/?offset=1000"},
	{"sessions_ignores_unknown", "/api/sessions/?limit=1&status=failed&anything=x"},
	{"runs", "/api/runs/"},
	{"runs_page_2", "/api/runs/?page=2&per_page=5"},
	{"runs_past_the_end", "/api/runs/?page=9"},
	{"runs_cost", "/api/runs/?sort=cost"},
	{"runs_filtered", "/api/runs/?status=done&status=running&project=org%2Falpha"},
	{"runs_search", "/api/runs/?search=50%25"},
	{"runs_tags", "/api/runs/?tag=keep&tag=needs-followup&tag=keep"},
	{"runs_kind", "/api/runs/?kind=agent&kind=show"},
	{"runs_none", "/api/runs/?status="},
	{"runs_projects", "/api/runs/projects"},
	{"session", "/api/sessions/5f0c-implementer"},
	{"session_window", "/api/sessions/ten?message_limit=3"},
	{"session_old", "/api/sessions/old-null"},
	{"run", "/api/runs/5f0c-implementer?message_limit=2"},
	{"run_running", "/api/runs/run-good"},
	{"run_mirror", "/api/runs/child"},
	{"projects", "/api/projects/"},
	{"project", "/api/projects/org%2Falpha"},
	{"invocations", "/api/invocations/"},
	{"invocation", "/api/invocations/inv-1"},
	{"entries", "/api/sessions/5f0c-implementer/entries"},
	{"search", "/api/sessions/ten/search?q=MESSAGE+3"},
	{"lineage", "/api/sessions/ten/lineage"},
	{"usage", "/api/usage?days=2&tz=Europe/Berlin"},
}

func TestV1_AnswersAsRecordedForAStoreOfLionagis(t *testing.T) {
	path := lionagiStore(t)
	s := open(t, path, nil)
	for _, r := range recorded {
		t.Run(r.name, func(t *testing.T) {
			w := call(t, s.Handler(), http.MethodGet, r.target, "")
			if w.Code != http.StatusOK {
				t.Fatalf("%d %s", w.Code, w.Body)
			}
			golden(t, "golden/"+r.name+".json", append(w.Body.Bytes(), '\n'))
		})
	}
}

// TestV1_AnswersStayTheSameAfterAdoption wants every recorded byte from the
// same store once it carries the listing's indexes and identity.
func TestV1_AnswersStayTheSameAfterAdoption(t *testing.T) {
	path := lionagiStore(t)
	const tables = "SELECT group_concat(name || coalesce(sql, ''), char(10)) FROM (SELECT name, sql FROM sqlite_schema WHERE name NOT LIKE '%listing%' AND name <> 'podium_meta' ORDER BY name)"
	before := storetest.Value(t, path, tables)
	if _, err := store.Migrate(t.Context(), path, store.MigrateOptions{}); err != nil {
		t.Fatal(err)
	}
	if after := storetest.Value(t, path, tables); after != before {
		t.Error("adoption changed a table or an index of lionagi's")
	}
	s := open(t, path, nil)
	for _, r := range recorded {
		w := call(t, s.Handler(), http.MethodGet, r.target, "")
		golden(t, "golden/"+r.name+".json", append(w.Body.Bytes(), '\n'))
	}
	w := call(t, s.Handler(), http.MethodGet, "/api/admin/readiness", "")
	var ready struct {
		Status       string
		StoreContext string `json:"store_context"`
	}
	if err := json.Unmarshal(w.Body.Bytes(), &ready); err != nil || ready.Status != "healthy" || len(ready.StoreContext) != 16 {
		t.Errorf("%s %v", w.Body, err)
	}
}

// TestV1_ReadsALegacySchema wants the listing from a store whose updated_at may
// be NULL and that lacks columns and tables of later versions.
func TestV1_ReadsALegacySchema(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	storetest.LegacyLionagi(t, path)
	storetest.SQL(t, path, lionagiRows+`
		UPDATE sessions SET updated_at = NULL WHERE id = 'old-null';
		DROP INDEX idx_sessions_terminal_missing_end;
		ALTER TABLE sessions DROP COLUMN ended_at_is_approximate;
		ALTER TABLE branches DROP COLUMN status; ALTER TABLE branches DROP COLUMN started_at; ALTER TABLE branches DROP COLUMN ended_at;
		DROP TABLE run_tags; DROP TABLE session_controls; DROP TABLE plays; DROP TABLE shows; DROP TABLE projects;`)
	s := open(t, path, nil)
	rows := list(t, s, "/api/sessions/", "sessions")
	if last := rows[len(rows)-1]; last["id"] != "old-null" || last["updated_at"] != 0.0 {
		t.Errorf("a missing time comes last and reads 0: %v", last["id"])
	}
	for _, row := range rows {
		if row["ended_at_is_approximate"] != false {
			t.Errorf("%v: ended_at_is_approximate is %v", row["id"], row["ended_at_is_approximate"])
		}
	}
	for _, target := range []string{"/api/sessions/5f0c-implementer", "/api/runs/5f0c-implementer", "/api/runs/?tag=keep", "/api/projects/"} {
		if w := call(t, s.Handler(), http.MethodGet, target, ""); w.Code != http.StatusOK {
			t.Errorf("%s: %d %s", target, w.Code, w.Body)
		}
	}
	if got := list(t, s, "/api/runs/?tag=keep", "runs"); len(got) != 0 {
		t.Errorf("a tag without a table of tags matched %d rows", len(got))
	}
	detail := object(t, s, "/api/sessions/old-null")
	if detail["updated_at"] != nil {
		t.Errorf("the detail shows the time as stored, got %v", detail["updated_at"])
	}
}

// list is the rows of a listing's answer.
func list(t testing.TB, s *studio.Server, target, member string) []map[string]any {
	t.Helper()
	var rows []map[string]any
	for _, r := range object(t, s, target)[member].([]any) {
		rows = append(rows, r.(map[string]any))
	}
	return rows
}

// object is an answer that must be a JSON object and 200.
func object(t testing.TB, s *studio.Server, target string) map[string]any {
	t.Helper()
	w := call(t, s.Handler(), http.MethodGet, target, "")
	var out map[string]any
	if err := json.Unmarshal(w.Body.Bytes(), &out); err != nil || w.Code != http.StatusOK {
		t.Fatalf("%s: %d %s", target, w.Code, w.Body)
	}
	return out
}

func ids(rows []map[string]any) string {
	var out []string
	for _, r := range rows {
		out = append(out, r["id"].(string))
	}
	return strings.Join(out, " ")
}

func TestV1_FiltersSelectBeforeThePage(t *testing.T) {
	s := open(t, lionagiStore(t), nil)
	tests := []struct{ name, query, want string }{
		{"no filter hides mirrors", "", "run-good run-ended 5f0c-implementer ten flow-row play-row show-row codex-row run-foreign ties-b ties-a old-null"},
		{"several statuses are any of them", "status=running&status=failed", "run-good run-ended 5f0c-implementer run-foreign"},
		{"completed takes rows without a status", "status=completed", "show-row codex-row old-null"},
		{"done takes its aliases and rows without a status", "status=done", "play-row show-row codex-row old-null"},
		{"cancelled in both spellings", "status=canceled", "ties-b ties-a"},
		{"unknown status matches nothing", "status=nonsense", ""},
		{"status is case-sensitive", "status=Failed", ""},
		{"empty status matches nothing", "status=", ""},
		{"playbook contains", "playbook=RELEASE", "play-row"},
		{"percent in playbook is itself", "playbook=50%25", "play-row"},
		{"underscore in playbook is itself", "playbook=e_5", "play-row"},
		{"empty playbook has no effect", "playbook=&status=failed", "5f0c-implementer"},
		{"search looks at names", "search=FLAKY", "run-good"},
		{"search looks at agent names", "search=implementer", "5f0c-implementer"},
		{"search does not look at playbooks", "search=release", ""},
		{"percent in search is itself", "search=50%25", "flow-row"},
		{"underscore in search is itself", "search=job_1", "ties-a"},
		{"backslash in search is itself", "search=%5C", ""},
		{"search folds ASCII only", "search=%C3%84", ""},
		{"search keeps blanks", "search=+flaky+", "run-good"},
		{"project is exact", "project=org/alpha", "run-good 5f0c-implementer play-row codex-row"},
		{"project is case-sensitive", "project=ORG/alpha", ""},
		{"no project", "project_null=true", "run-ended flow-row show-row ties-b ties-a old-null"},
		{"no project wins", "project_null=yes&project=org/alpha", "run-ended flow-row show-row ties-b ties-a old-null"},
		{"project_null off", "project_null=off&project=org/beta", "ten run-foreign"},
		{"tag", "tag=keep", "5f0c-implementer play-row"},
		{"tags are all of them", "tag=keep&tag=needs-followup", "5f0c-implementer"},
		{"empty tag matches nothing", "tag=", ""},
		{"kind play", "kind=play", "play-row"},
		{"kind show takes both spellings", "kind=show", "show-row"},
		{"kind agent takes rows without a kind", "kind=agent", "run-good run-ended 5f0c-implementer ten codex-row old-null"},
		{"kinds are any of them", "kind=play&kind=flow", "flow-row play-row run-foreign"},
		{"parts are all of them", "kind=agent&project=org/alpha&status=failed", "5f0c-implementer"},
		{"cost puts unreported last", "sort=cost", "codex-row show-row ten play-row 5f0c-implementer run-foreign old-null flow-row run-good run-ended ties-b ties-a"},
		{"the last of repeated scalars counts", "sort=recent&page=9&page=1&search=zzz&search=flaky", "run-good"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			body := object(t, s, "/api/runs/?"+tt.query)
			rows := list(t, s, "/api/runs/?"+tt.query, "runs")
			if got := ids(rows); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
			if body["total"] != float64(len(rows)) {
				t.Errorf("total %v for %d rows", body["total"], len(rows))
			}
		})
	}
}

func TestV1_PagesAreHonest(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	storetest.Lionagi(t, path)
	storetest.Fill(t, path, storetest.Rows{Sessions: 25, Mirror: 0, Members: 3})
	s := open(t, path, nil)
	body := object(t, s, "/api/runs/")
	for name, want := range map[string]any{
		"page": 1.0, "per_page": 20.0, "total": 25.0, "total_pages": 2.0, "has_next": true, "has_prev": false, "status_ended_at_mismatches": 0.0,
	} {
		if body[name] != want {
			t.Errorf("%s is %v, want %v", name, body[name], want)
		}
	}
	body = object(t, s, "/api/runs/?page=2&per_page=20")
	if len(body["runs"].([]any)) != 5 || body["has_next"] != false || body["has_prev"] != true {
		t.Errorf("second page: %v", body)
	}
	body = object(t, s, "/api/runs/?page=2&per_page=10")
	if body["has_next"] != true || body["has_prev"] != true {
		t.Errorf("middle page: %v", body)
	}
	sessions := object(t, s, "/api/sessions/?limit=10")
	if len(sessions["sessions"].([]any)) != 10 || sessions["truncated"] != true || sessions["total"] != 25.0 {
		t.Errorf("%v", sessions)
	}
	keys := make([]string, 0, len(sessions))
	for k := range sessions {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	if got := strings.Join(keys, " "); got != "limit offset sessions total truncated" {
		t.Errorf("envelope has %s", got)
	}
	if all := object(t, s, "/api/sessions/?limit=100"); all["truncated"] != false {
		t.Error("a whole listing says that it is truncated")
	}
	first, second := list(t, s, "/api/sessions/?limit=5", "sessions"), list(t, s, "/api/sessions/?limit=5&offset=5", "sessions")
	seen := ids(first) + " " + ids(second)
	if want := "s0000024 s0000023 s0000022 s0000021 s0000020 s0000019 s0000018 s0000017 s0000016 s0000015"; seen != want {
		t.Errorf("two pages are %s", seen)
	}
	if n := first[0]["message_count"]; n != 3.0 {
		t.Errorf("message_count %v", n)
	}
}

// TestV1_RowsOutsideThePageAreNotLookedInto wants the page from a store whose
// older rows hold progressions that cannot be counted.
func TestV1_RowsOutsideThePageAreNotLookedInto(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	storetest.Lionagi(t, path)
	storetest.Fill(t, path, storetest.Rows{Sessions: 20, Members: 3})
	storetest.SQL(t, path, "UPDATE progressions SET collection = 'not json' WHERE id < 'p0000015'")
	s := open(t, path, nil)
	rows := list(t, s, "/api/sessions/?limit=5", "sessions")
	for _, r := range rows {
		if r["message_count"] != 3.0 {
			t.Errorf("%v has %v messages", r["id"], r["message_count"])
		}
	}
	// v1 fails as it always did when a row of the page cannot be counted.
	w := call(t, s.Handler(), http.MethodGet, "/api/sessions/?limit=6", "")
	want(t, w, http.StatusInternalServerError, "Internal Server Error")
	if got := w.Header().Get("Content-Type"); got != "text/plain; charset=utf-8" {
		t.Errorf("content type %q", got)
	}
}

func TestV1_MessageCountsKeepRepeatedAndMissingMembers(t *testing.T) {
	s := open(t, lionagiStore(t), nil)
	row := list(t, s, "/api/sessions/", "sessions")[2]
	if row["id"] != "5f0c-implementer" || row["branch_count"] != 2.0 || row["message_count"] != 12.0 {
		t.Errorf("%v: %v branches, %v messages", row["id"], row["branch_count"], row["message_count"])
	}
	detail := object(t, s, "/api/sessions/5f0c-implementer")
	branches := detail["branches"].([]any)
	side := branches[1].(map[string]any)
	if side["message_total"] != 3.0 || side["message_stats"].(map[string]any)["message_count"] != 2.0 {
		t.Errorf("side branch: %v members, %v", side["message_total"], side["message_stats"])
	}
}

func TestV1_CostsOfCodexAreHiddenAndStillOrder(t *testing.T) {
	s := open(t, lionagiStore(t), nil)
	first := list(t, s, "/api/runs/?sort=cost", "runs")[0]
	if first["id"] != "codex-row" || first["total_cost_usd"] != nil {
		t.Errorf("%v costs %v", first["id"], first["total_cost_usd"])
	}
	if d := object(t, s, "/api/sessions/codex-row"); d["total_cost_usd"] != nil {
		t.Errorf("the detail shows %v", d["total_cost_usd"])
	}
	if d := object(t, s, "/api/sessions/old-null"); d["total_cost_usd"] != 0.0 {
		t.Errorf("a free session costs %v", d["total_cost_usd"])
	}
	if d := object(t, s, "/api/sessions/ties-a"); d["total_cost_usd"] != nil {
		t.Errorf("an unreported cost is %v", d["total_cost_usd"])
	}
}

func TestV1_DetailPagesBackwardsAndStaysStableWhileMessagesCome(t *testing.T) {
	path := lionagiStore(t)
	s := open(t, path, nil)
	page := func(query string) (shown, next string) {
		body := object(t, s, "/api/sessions/ten?message_limit=3"+query)
		b := body["branches"].([]any)[0].(map[string]any)
		for _, m := range b["messages"].([]any) {
			shown += m.(map[string]any)["id"].(string) + " "
		}
		next, _ = body["message_next_cursor"].(string)
		return strings.TrimSpace(shown), next
	}
	shown, next := page("")
	if shown != "t7 t8 t9" {
		t.Errorf("the newest window is %s", shown)
	}
	storetest.SQL(t, path, `INSERT INTO messages (id, created_at, content, role, lion_class) VALUES ('t10', 1767276010.0, '1', 'user', 2), ('t11', 1767276011.0, '1', 'user', 2);
		UPDATE progressions SET collection = '["t0","t1","t2","t3","t4","t5","t6","t7","t8","t9","t10","t11"]' WHERE id = 'p-ten'`)
	for _, want := range []string{"t4 t5 t6", "t1 t2 t3", "t0"} {
		if shown, next = page("&message_cursor=" + next); shown != want {
			t.Errorf("the older window is %s, want %s", shown, want)
		}
	}
	if next != "" {
		t.Errorf("the beginning has the cursor %s", next)
	}
	if shown, _ := page("&message_offset=4"); shown != "t5 t6 t7" {
		t.Errorf("offset 4 gives %s", shown)
	}
	if shown, _ := page("&message_offset=400"); shown != "" {
		t.Errorf("an offset past the beginning gives %s", shown)
	}
}

func TestV1_CursorsOfOtherSessionsAndLimitsAreRefused(t *testing.T) {
	s := open(t, lionagiStore(t), nil)
	anchors := map[string]string{"b-ten": "t5"}
	tests := []struct{ name, cursor, detail string }{
		{"malformed", "%%%", "Malformed message_cursor: '%%%'"},
		{"not JSON", "bm90IGpzb24", "Malformed message_cursor: 'bm90IGpzb24'"},
		{"no object", "WzFd", "Unsupported message_cursor: 'WzFd'"},
		{"another session", studio.MessageCursor("x", 3, anchors), "message_cursor belongs to a different session"},
		{"another limit", studio.MessageCursor("ten", 4, anchors), "message_cursor does not match message_limit"},
		{"a message that is gone", studio.MessageCursor("ten", 3, map[string]string{"b-ten": "zz"}), "message_cursor anchor not found in branch 'b-ten' progression"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			body, err := json.Marshal(map[string]string{"detail": tt.detail})
			if err != nil {
				t.Fatal(err)
			}
			for _, base := range []string{"/api/sessions/ten", "/api/runs/ten"} {
				w := call(t, s.Handler(), http.MethodGet, base+"?message_limit=3&message_cursor="+url.QueryEscape(tt.cursor), "")
				want(t, w, http.StatusBadRequest, string(body))
			}
		})
	}
	if w := call(t, s.Handler(), http.MethodGet, "/api/sessions/ten?message_limit=3&message_cursor=", ""); w.Code != http.StatusOK {
		t.Errorf("an empty cursor is none: %d", w.Code)
	}
}

func TestV1_UnknownSessionsAreNamed(t *testing.T) {
	s := open(t, lionagiStore(t), nil)
	for target, detail := range map[string]string{
		"/api/sessions/no%2Fsuch%20one":            "Session 'no/such one' not found",
		"/api/runs/nope":                           "Run 'nope' not found",
		"/api/sessions/nope/stream":                "Session 'nope' not found",
		"/api/sessions/nope/entries":               "Session 'nope' not found",
		"/api/sessions/nope/search?q=x":            "Session 'nope' not found",
		"/api/sessions/nope/lineage":               "Session 'nope' not found",
		"/api/sessions/nope/export":                "Session 'nope' not found",
		"/api/projects/nope":                       "Project 'nope' not found",
		"/api/invocations/nope":                    "Invocation 'nope' not found",
		"/api/sessions/ten/entries?around=missing": "The entry is not in session 'ten'",
	} {
		want(t, call(t, s.Handler(), http.MethodGet, target, ""), http.StatusNotFound, `{"detail":"`+detail+`"}`)
	}
}
