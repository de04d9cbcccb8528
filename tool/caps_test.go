package tool_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"podium.local/tool"
)

func TestCap_KeepsTheBeginningAndSaysWhatIsMissing(t *testing.T) {
	for _, c := range []struct {
		name, content string
		limit         int
		want          string
	}{
		{"fits", "hello", 5, "hello"},
		{"empty", "", 0, ""},
		{"cut", strings.Repeat("x", 40000), 16384, strings.Repeat("x", 16316) + "\n\n[truncated: 23684 bytes dropped, refine your query]"},
		{"one byte over", strings.Repeat("x", 101), 100, strings.Repeat("x", 32) + "\n\n[truncated: 69 bytes dropped, refine your query]"},
		{"limit below the note", strings.Repeat("x", 60), 50, "\n\n[truncated: 60 bytes dropped, refine your query]"},
		{"no room at all", "abc", 0, "\n\n[truncated: 3 bytes dropped, refine your query]"},
		{"inside a character", strings.Repeat("é", 100), 101, strings.Repeat("é", 16) + "\n\n[truncated: 168 bytes dropped, refine your query]"},
		{"inside the first character", strings.Repeat("€", 30), 69, "\n\n[truncated: 90 bytes dropped, refine your query]"},
		{"no characters at all", strings.Repeat("\x80", 100), 90, strings.Repeat("\x80", 22) + "\n\n[truncated: 78 bytes dropped, refine your query]"},
	} {
		if got := tool.Cap(c.content, c.limit); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestClip_GivesWhatCapGives(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.IntRange(0, 300).Draw(t, "limit")
		clip, all := tool.NewClip(limit), ""
		for i, part := range rapid.SliceOf(rapid.String()).Draw(t, "parts") {
			all += part
			if i%2 == 0 {
				clip.WriteString(part)
			} else {
				clip.Write([]byte(part))
			}
		}
		got, want := clip.String(), tool.Cap(all, limit)
		if got != want || clip.Len() != len(all) {
			t.Fatalf("%q (%d), want %q (%d)", got, clip.Len(), want, len(all))
		}
		if !utf8.ValidString(got) {
			t.Fatalf("%q is cut inside a character", got)
		}
		if len(all) > limit && limit >= 68 && len(got) > limit {
			t.Fatalf("%d bytes with a limit of %d", len(got), limit)
		}
	})
}

func TestClip_SkippedBytesCountAsDropped(t *testing.T) {
	clip := tool.NewClip(100)
	clip.WriteString(strings.Repeat("x", 150))
	clip.Skip(1000)
	if want := strings.Repeat("x", 32) + "\n\n[truncated: 1118 bytes dropped, refine your query]"; clip.String() != want {
		t.Errorf("%q, want %q", clip.String(), want)
	}
}

func TestCaps_PerToolBeatsDefault(t *testing.T) {
	c := tool.Caps{Default: 100, PerTool: map[string]int{"Read": 5}}
	for name, want := range map[string]int{"Read": 5, "Grep": 100} {
		if got := c.Limit(name); got != want {
			t.Errorf("%s: %d, want %d", name, got, want)
		}
	}
	if got := (tool.Caps{}).Limit("Read"); got != 16384 {
		t.Errorf("default %d, want 16384", got)
	}
}

func TestTruncation_ReadsAsASentence(t *testing.T) {
	got := tool.Truncation{Tool: "Glob", From: 40000, To: 16369, Limit: 16384}.String()
	if want := "tool `Glob` output truncated from 40000 to 16369 bytes (limit 16384)"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
