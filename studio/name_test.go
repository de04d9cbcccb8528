package studio_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"podium.local/session"
	"podium.local/studio"
)

func TestDisplayName_TheFirstThingThatSaysSomethingWins(t *testing.T) {
	started := ptr(1767277320.0)
	tests := []struct {
		name string
		row  session.Row
		want string
	}{
		{"show before playbook", session.Row{ID: "i", ShowPlayName: ptr(" act "), PlaybookName: ptr("pb"), AgentName: ptr("ag")}, "act"},
		{"playbook before agent", session.Row{ID: "i", ShowPlayName: ptr("  "), PlaybookName: ptr("pb"), AgentName: ptr("ag")}, "pb"},
		{"agent with id and start", session.Row{ID: "1167abcd", AgentName: ptr("claude-code"), StartedAt: started}, "claude-code · 1167 · 14:22"},
		{"agent without id", session.Row{AgentName: ptr("implementer"), StartedAt: started}, "implementer · 14:22"},
		{"agent without start", session.Row{ID: "1167abcd", AgentName: ptr("implementer")}, "implementer · 1167"},
		{"agent with an absurd start", session.Row{ID: "1167", AgentName: ptr("a"), StartedAt: ptr(1e300)}, "a · 1167"},
		{"agent before name", session.Row{ID: "x", AgentName: ptr("a"), Name: ptr("hello")}, "a · x"},
		{"name", session.Row{ID: "i", Name: ptr("fix the build")}, "fix the build"},
		{"placeholder", session.Row{ID: "aaaabbbbccccddddeeee", Name: ptr("agent")}, "ccccddddeeee"},
		{"placeholder in capitals and blanks", session.Row{ID: "aaaabbbbccccddddeeee", Name: ptr("  Codex SESSION ")}, "ccccddddeeee"},
		{"nothing but an id", session.Row{ID: "0123456789abcdef"}, "456789abcdef"},
		{"short id", session.Row{ID: "ab"}, "ab"},
		{"no id", session.Row{}, ""},
		{"block indicator and heading", session.Row{Name: ptr("| # TASK - grade two answers to one question")}, "TASK - grade two answers to one question"},
		{"block indicator with a dash", session.Row{Name: ptr("|- do it")}, "do it"},
		{"bar inside prose", session.Row{Name: ptr("a | b")}, "a | b"},
		{"banner, rule, label", session.Row{Name: ptr("lion_system_message: --- # Guidance: be brief")}, "be brief"},
		{"banner alone falls through", session.Row{ID: "the-id", Name: ptr("LION_SYSTEM_MESSAGE")}, "the-id"},
		{"only six passes", session.Row{Name: ptr("a: b: c: d: e: f: g: h")}, "g: h"},
		{"white space in runs", session.Row{Name: ptr("a\n\n  b\tc\x1fd")}, "a b c d"},
		{"a label of thirty letters stays", session.Row{Name: ptr("abcdefghijklmnopqrstuvwxyzabcd: x")}, "abcdefghijklmnopqrstuvwxyzabcd: x"},
		{"markup stays text", session.Row{Name: ptr("<script>x</script>")}, "<script>x</script>"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := studio.DisplayName(&tt.row); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
	long := studio.DisplayName(&session.Row{Name: ptr(strings.Repeat("x", 300))})
	if n := utf8.RuneCountInString(long); n != 80 || !strings.HasSuffix(long, "…") {
		t.Errorf("a long name became %q", long)
	}
}

func TestDisplayName_IsShortOneLineAndStable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.String().Draw(t, "name")
		row := session.Row{ID: "0123456789abcdef", Name: &name}
		got := studio.DisplayName(&row)
		if n := utf8.RuneCountInString(got); n == 0 || n > 80 || strings.ContainsAny(got, "\n\r\t") {
			t.Errorf("%q became %q", name, got)
		}
	})
}
