package session_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"podium.local/session"
)

func TestClip_GivesTheLongestBeginningThatFitsAndIsWhole(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		text, size := rapid.String().Draw(rt, "text"), rapid.IntRange(0, 40).Draw(rt, "size")
		got := session.Clip(text, size)
		if len(got) > size || !strings.HasPrefix(text, got) || !utf8.ValidString(got) {
			rt.Fatalf("%q", got)
		}
		if _, next := utf8.DecodeRuneInString(text[len(got):]); got != text && len(got)+next <= size {
			rt.Fatalf("%q leaves room for the next character", got)
		}
	})
}
