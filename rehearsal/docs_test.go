package rehearsal_test

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"

	"podium.local/rehearsal"
)

var fence = regexp.MustCompile("(?ms)^```(\\w*)\n(.*?)^```$")

// TestDocs_ScriptsAreGoodAndTheConversationIsTrue parses every script of
// docs/rehearsal.md and plays the conversation printed below the first one, on
// every wire.
func TestDocs_ScriptsAreGoodAndTheConversationIsTrue(t *testing.T) {
	doc, err := os.ReadFile("../docs/rehearsal.md")
	if err != nil {
		t.Fatal(err)
	}
	var scripts, talks []string
	for _, m := range fence.FindAllStringSubmatch(string(doc), -1) {
		switch m[1] {
		case "toml":
			scripts = append(scripts, m[2])
		case "text":
			talks = append(talks, m[2])
		}
	}
	if len(scripts) < 3 || len(talks) != 1 {
		t.Fatalf("found %d scripts and %d conversations", len(scripts), len(talks))
	}
	for _, s := range scripts {
		if _, err := rehearsal.Parse("docs/rehearsal.md", []byte(s)); err != nil {
			t.Errorf("%v\nin\n%s", err, s)
		}
	}
	for _, w := range wires {
		t.Run(string(w.wire), func(t *testing.T) {
			_, url := start(t, parse(t, scripts[0]), rehearsal.Options{Rush: true})
			play(t, newAgent(w.wire, url, "m", "Working directory: /src/shop"), talks[0])
		})
	}
}

// play holds an agent's conversation against a transcript: > the user, < the
// model, = a tool result, ! an error.
func play(t *testing.T, a *agent, transcript string) {
	t.Helper()
	var heard []string
	ask := func() { heard = append(heard, a.ask(t)...) }
	for line := range strings.SplitSeq(strings.TrimSpace(transcript), "\n") {
		mark, text := line[:1], line[2:]
		switch mark {
		case ">":
			a.user(text)
			heard = nil
		case "=":
			var result string
			if err := json.Unmarshal([]byte(`"`+text+`"`), &result); err != nil {
				t.Fatalf("%s: %v", line, err)
			}
			a.result(a.pending[0].id, result)
			a.pending = a.pending[1:]
		default:
			if len(heard) == 0 {
				ask()
			}
			if heard[0] != line {
				t.Errorf("heard %q, want %q", heard[0], line)
			}
			heard = heard[1:]
		}
	}
}
