package builtin_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"podium.local/tool/builtin"
)

func TestHeadTail_KeepsBothEndsWithinTheLimit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.IntRange(0, 400).Draw(t, "limit")
		part := rapid.OneOf(rapid.SliceOf(rapid.Byte()), rapid.Map(rapid.String(), func(s string) []byte { return []byte(s) }))
		parts := rapid.SliceOf(part).Draw(t, "parts")
		var all []byte
		for _, p := range parts {
			all = append(all, p...)
		}
		text, full := builtin.HeadTail(limit, parts)
		if !utf8.ValidString(text) {
			t.Fatalf("%q is no text", text)
		}
		head, rest, cut := strings.Cut(text, "\n\n[truncated: ")
		if !cut {
			if want := strings.ToValidUTF8(string(all), "\uFFFD"); text != want || full != len(want) || full > limit {
				t.Fatalf("%q (%d), want %q", text, full, want)
			}
			return
		}
		if full <= limit || len(text) > max(limit, builtin.NoteRoom) {
			t.Fatalf("%d bytes of %d with a limit of %d", len(text), full, limit)
		}
		_, tail, ok := strings.Cut(rest, " bytes dropped from the middle]\n\n")
		if !ok || utf8.Valid(all) && !(strings.HasPrefix(string(all), head) && strings.HasSuffix(string(all), tail)) {
			t.Fatalf("ends %q and %q", head, tail)
		}
	})
}
