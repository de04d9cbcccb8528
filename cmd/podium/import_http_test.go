package main

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"podium.local/transcript"
)

// The vendors' ids of the sessions that importedHome imports.
const (
	vendorMain  = "11111111-1111-4111-8111-111111111111"
	vendorFork  = "22222222-2222-4222-8222-222222222222"
	vendorCodex = "33333333-3333-4333-8333-333333333333"
)

// said and answered are lines of a Claude Code session at minute n of a day.
func said(id string, n int, text string) string {
	return fmt.Sprintf(`{"type":"user","uuid":"%08d-0000-4000-8000-000000000000","sessionId":%q,"timestamp":"2026-11-%02dT10:%02d:00Z","cwd":"/src/web","gitBranch":"main","message":{"role":"user","content":%q}}`+"\n",
		n, id, 1+n/10, n%10, text)
}

func answered(id string, n int, output int, more string) string {
	return fmt.Sprintf(`{"type":"assistant","uuid":"%08d-0000-4000-8000-000000000000","sessionId":%q,"timestamp":"2026-11-%02dT10:%02d:00Z","requestId":"req_%d",%s`+
		`"message":{"id":"msg_%d","role":"assistant","model":"claude-sonnet-4-5-20250929","content":[{"type":"text","text":"answer %d"}],"usage":{"input_tokens":1000,"output_tokens":%d}}}`+"\n",
		n, id, 1+n/10, n%10, n, more, n, n, output)
}

// importedHome is a home whose store has a Claude Code session with a subagent
// and a fork, and a Codex session, imported by the command.
func importedHome(t *testing.T) string {
	t.Helper()
	home := t.TempDir()
	shared := said(vendorMain, 1, "why does the login test flake?") + answered(vendorMain, 2, 500, "")
	forked := said(vendorFork, 1, "why does the login test flake?") + answered(vendorFork, 2, 500, "")
	for name, text := range map[string]string{
		"claude/projects/-src-web/" + vendorMain + ".jsonl":                    shared + answered(vendorMain, 11, 700, "") + "{broken\n",
		"claude/projects/-src-web/" + vendorMain + "/subagents/agent-a1.jsonl": answered(vendorMain, 3, 90_000, `"isSidechain":true,"agentId":"a1",`),
		"claude/projects/-src-web/" + vendorFork + ".jsonl":                    forked + said(vendorFork, 21, "try the other way") + answered(vendorFork, 22, 100, ""),
		"codex/sessions/2026/11/04/rollout-2026-11-04T10-00-00-" + vendorCodex + ".jsonl": `{"timestamp":"2026-11-04T10:00:00Z","type":"session_meta","payload":{"id":"` + vendorCodex + `","cwd":"/src/api","cli_version":"0.50.0","source":"cli"}}` + "\n" +
			`{"timestamp":"2026-11-04T10:00:01Z","type":"turn_context","payload":{"turn_id":"t1","model":"a-model-nobody-prices","cwd":"/src/api"}}` + "\n" +
			`{"timestamp":"2026-11-04T10:00:02Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"fix the query"}]}}` + "\n" +
			`{"timestamp":"2026-11-04T10:00:03Z","type":"event_msg","payload":{"type":"token_count","info":{"last_token_usage":{"input_tokens":10,"cached_input_tokens":4,"output_tokens":5}}}}` + "\n",
	} {
		path := filepath.Join(home, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for tool, folder := range map[string]string{"claude-code": "claude", "codex": "codex"} {
		if code, _, errs := runIn(t.Context(), home, "import", tool, filepath.Join(home, folder)); code != exitOK {
			t.Fatal(errs)
		}
	}
	return home
}

// get asks a daemon and decodes its answer.
func get[T any](t *testing.T, p studioProcess, target string) (body T) {
	t.Helper()
	status, _, text := request(t, http.MethodGet, p.base+target, "")
	if err := json.Unmarshal([]byte(text), &body); err != nil || status != http.StatusOK {
		t.Fatalf("%s: %d %s %v", target, status, text, err)
	}
	return body
}

type importedRows struct {
	Runs, Sessions []struct {
		ID   string
		Name string
	}
	Total any
}

func (r importedRows) ids() []string {
	var ids []string
	for _, row := range append(r.Runs, r.Sessions...) {
		ids = append(ids, row.ID)
	}
	return ids
}

// importedIDs are the sessions of importedHome.
func importedIDs() (whole, sub, fork, codex string) {
	return transcript.SessionID(transcript.ClaudeCode, vendorMain, ""), transcript.SessionID(transcript.ClaudeCode, vendorMain, "a1"),
		transcript.SessionID(transcript.ClaudeCode, vendorFork, ""), transcript.SessionID(transcript.Codex, vendorCodex, "")
}

func TestImported_SessionsAreListedSearchedAndOrderedOverHTTP(t *testing.T) {
	p := startStudio(t, importedHome(t))
	whole, sub, fork, codex := importedIDs()
	byTime, byCost := []string{codex, fork, whole, sub}, []string{sub, whole, fork, codex}
	for target, want := range map[string][]string{
		"/api/runs/":                                               byTime,
		"/api/runs/?sort=cost":                                     byCost,
		"/api/runs/?search=flake":                                  {fork, whole},
		"/api/runs/?search=the+query":                              {codex},
		"/api/runs/?project=api":                                   {codex},
		"/api/sessions/":                                           byTime,
		"/api/sessions/?listing_version=2":                         byTime,
		"/api/runs/?listing_version=2&sort=cost":                   byCost,
		"/api/runs/?listing_version=2&search=flake":                {fork, whole},
		"/api/runs/?listing_version=2&search=the+query&per_page=5": {codex},
	} {
		if diff := cmp.Diff(want, get[importedRows](t, p, target).ids()); diff != "" {
			t.Errorf("%s: %s", target, diff)
		}
	}
	if total := get[importedRows](t, p, "/api/runs/?listing_version=2&exact_total=true").Total; !cmp.Equal(total, any(map[string]any{"kind": "exact", "value": 4.0})) {
		t.Errorf("total %v", total)
	}
}

func TestImported_ASessionShowsItsEntriesCostAndLineageOverHTTP(t *testing.T) {
	p := startStudio(t, importedHome(t))
	whole, sub, fork, codex := importedIDs()
	type detail struct {
		Name, Model, Provider, Status string
		Total                         *float64 `json:"total_cost_usd"`
		Source                        string   `json:"source_kind"`
		Stats                         struct {
			Count int `json:"message_count"`
		} `json:"message_stats"`
	}
	got := get[detail](t, p, "/api/sessions/"+whole)
	if got.Total == nil || *got.Total <= 0 {
		t.Fatalf("%+v", got)
	}
	got.Total = nil
	want := detail{Name: "why does the login test flake?", Model: "claude-sonnet-4-5-20250929", Provider: "anthropic", Status: "completed", Source: "imported_fs"}
	want.Stats.Count = 3
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if got := get[detail](t, p, "/api/runs/"+codex); got.Total != nil || got.Source != "imported_codex" || got.Provider != "openai" {
		t.Errorf("%+v", got)
	}
	type window struct {
		Entries []struct {
			Kind    string
			Payload struct{ Text string }
		}
		Total int
	}
	var texts []string
	w := get[window](t, p, "/api/sessions/"+fork+"/entries")
	for _, e := range w.Entries {
		texts = append(texts, e.Kind+" "+e.Payload.Text)
	}
	if diff := cmp.Diff([]string{"input try the other way", "text answer 22"}, texts); diff != "" || w.Total != 2 {
		t.Errorf("what a fork shares is its parent's: %s (%d)", diff, w.Total)
	}
	type link struct {
		ID   string `json:"session_id"`
		Name *string
	}
	type lineage struct {
		Imported *struct {
			From             *link `json:"forked_from"`
			Started          *link `json:"parent"`
			Forks, Subagents []link
		}
	}
	for id, want := range map[string]string{
		whole: "from - by - forks " + fork + " subagents " + sub,
		fork:  "from " + whole + " by - forks  subagents ",
		sub:   "from - by " + whole + " forks  subagents ",
		codex: "from - by - forks  subagents ",
	} {
		l := get[lineage](t, p, "/api/sessions/"+id+"/lineage").Imported
		name := func(l *link) string {
			if l == nil {
				return "-"
			}
			return l.ID
		}
		all := func(links []link) (text string) {
			for _, l := range links {
				text += l.ID
			}
			return text
		}
		if got := fmt.Sprintf("from %s by %s forks %s subagents %s", name(l.From), name(l.Started), all(l.Forks), all(l.Subagents)); got != want {
			t.Errorf("%s: %s, want %s", id, got, want)
		}
	}
}

func TestImported_DaysSumToTheSessionsOverHTTP(t *testing.T) {
	p := startStudio(t, importedHome(t))
	type sums struct {
		Groups []struct {
			Key      *string
			Priced   float64 `json:"priced_usd"`
			PricedN  int     `json:"priced_n"`
			Unpriced int     `json:"unpriced_n"`
			Sessions int
		}
	}
	type rows struct {
		Runs []struct {
			Cost *float64 `json:"total_cost_usd"`
		}
	}
	total := 0.0
	for _, r := range get[rows](t, p, "/api/runs/").Runs {
		if r.Cost != nil {
			total += *r.Cost
		}
	}
	for _, by := range []string{"day", "project", "model"} {
		spent, priced, unpriced, sessions := 0.0, 0, 0, 0
		for _, g := range get[sums](t, p, "/api/usage?days=366&by="+by).Groups {
			spent, priced, unpriced, sessions = spent+g.Priced, priced+g.PricedN, unpriced+g.Unpriced, sessions+g.Sessions
		}
		// Four requests and one that nobody prices: the fork shares one.
		if math.Abs(spent-total) > 1e-9 || total <= 0 || priced != 4 || unpriced != 1 || sessions != 4 {
			t.Errorf("by %s: $%g of $%g, %d priced, %d not, %d sessions", by, spent, total, priced, unpriced, sessions)
		}
	}
}

func TestImported_TheLedgerIsServed(t *testing.T) {
	home := importedHome(t)
	p := startStudio(t, home)
	type file struct {
		Path                               string
		Size, Cursor, Lines, Kept, Damaged int
		Problems                           []struct{ Line int }
	}
	type ledger struct {
		Imports []file
		Total   int
	}
	l := get[ledger](t, p, "/api/imports?tool=claude-code")
	at := slices.IndexFunc(l.Imports, func(f file) bool { return filepath.Base(f.Path) == vendorMain+".jsonl" })
	if l.Total != 3 || at < 0 {
		t.Fatalf("%+v", l)
	}
	if f := l.Imports[at]; f.Cursor != f.Size || f.Lines != 4 || f.Kept != 3 || f.Damaged != 1 || len(f.Problems) != 1 || f.Problems[0].Line != 4 {
		t.Errorf("%+v", f)
	}
	if all := get[ledger](t, p, "/api/imports?limit=2&offset=1"); all.Total != 4 || len(all.Imports) != 2 {
		t.Errorf("%+v", all)
	}
}
