package studio_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"podium.local/protocol"
	"podium.local/session"
	"podium.local/studio"
)

func TestExport_IsTheWholeLog(t *testing.T) {
	k := podStore(t)
	s := open(t, k.store.Path(), nil)
	w := call(t, s.Handler(), http.MethodGet, "/api/sessions/"+k.old+"/export", "")
	lines := strings.Split(strings.TrimSuffix(w.Body.String(), "\n"), "\n")
	if w.Code != http.StatusOK || len(lines) != 10 || w.Header().Get("Content-Disposition") != `attachment; filename="session-`+k.old+`.jsonl"` {
		t.Errorf("%d, %d lines, %v", w.Code, len(lines), w.Header())
	}
	entries := object(t, s, "/api/sessions/"+k.old+"/entries")["entries"].([]any)
	for i, line := range lines {
		var got any
		if err := json.Unmarshal([]byte(line), &got); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(entries[i], got); diff != "" {
			t.Errorf("line %d differs from the entry: %s", i, diff)
		}
	}
	w = call(t, s.Handler(), http.MethodGet, "/api/sessions/"+k.old+"/export?format=md", "")
	for _, part := range []string{
		"# fix the <flaky> test\n", "## You · 2026-01-01T14:32:30Z\n\nfix the <flaky> test\n", "### Read · 2026-01-01T14:32:40Z\n\n```\n{\"file_path\":\"/src/login_test.go\"}\n```",
		"Error:\n\n```\nno such file\n```", "## Agent · 2026-01-01T14:32:50Z\n\nIt is gone. ÄÖ\n", "Run finished",
	} {
		if !strings.Contains(w.Body.String(), part) {
			t.Errorf("the Markdown lacks %q:\n%s", part, w.Body)
		}
	}
}

// TestExport_BreaksTheConnectionWhenTheLogDoes wants no whole-looking answer
// from half a log.
func TestExport_BreaksTheConnectionWhenTheLogDoes(t *testing.T) {
	f := &fakeStore{rows: []session.Row{{ID: "s"}}, log: map[string][]session.Entry{"s": {{ID: "e", Kind: session.KindText, Payload: []byte(`{"text":"a"}`)}}}}
	base := serve(t, newServer(t, f, nil))
	f.err = errors.New("the disk went away")
	f.rows = []session.Row{{ID: "s"}}
	resp, err := http.Get(base + "/api/sessions/s/export")
	if err == nil {
		defer resp.Body.Close()
		buf := make([]byte, 1<<20)
		for err == nil {
			_, err = resp.Body.Read(buf)
		}
		if err.Error() == "EOF" && resp.StatusCode == http.StatusOK {
			t.Error("a broken export ended like a whole one")
		}
	}
}

func TestExport_UnknownTokensOfACompactionAreADash(t *testing.T) {
	for want, done := range map[string]session.Compaction{
		"Continued from `a`, 9000 to 800 tokens": {FromSession: "a", NewSession: "b", TokensBefore: 9000, TokensAfter: 800},
		"Compacted, 1234 to — tokens":            {NewSession: "b", TokensBefore: 1234},
		"Compacted, — to — tokens":               {FromSession: "b", NewSession: "b"}, // of an earlier import
	} {
		if got := studio.Compacted(done); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestExport_MarkdownSaysWhyARunEnded keeps a vendor's words from becoming
// Markdown.
func TestExport_MarkdownSaysWhyARunEnded(t *testing.T) {
	for _, tt := range []struct {
		end  session.RunEnd
		want string
	}{
		{session.RunEnd{Result: protocol.RunFinished}, "\n---\n\nRun finished · 2026-01-01T14:33:20Z\n"},
		{session.RunEnd{Result: protocol.RunFailed, Error: "400: # no ``` such model", Reason: "x"},
			"\n---\n\nRun failed · 2026-01-01T14:33:20Z\n\n````\n400: # no ``` such model\n````\n"},
		{session.RunEnd{Result: protocol.RunFailed, Reason: session.ReasonThrash},
			"\n---\n\nRun failed · 2026-01-01T14:33:20Z\n\n```\n" + session.ReasonThrash + "\n```\n"},
	} {
		payload, err := json.Marshal(tt.end)
		if err != nil {
			t.Fatal(err)
		}
		var out strings.Builder
		err = studio.Export(&out, "md", &session.Row{ID: "s"}, func(yield func(session.Entry, error) bool) {
			yield(session.Entry{ID: "e", Kind: session.KindRunEnd, CreatedAt: clock, Payload: payload}, nil)
		})
		if err != nil || !strings.HasSuffix(out.String(), tt.want) {
			t.Errorf("%+v: %v\n%s", tt.end, err, out.String())
		}
	}
}
