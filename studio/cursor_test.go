package studio_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"podium.local/session"
	"podium.local/studio"
)

func TestCursors_RoundTripAnyIds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		id, branch, message := rapid.StringN(0, 50, -1).Draw(t, "id"), rapid.StringN(1, 50, -1).Draw(t, "branch"), rapid.StringN(1, 50, -1).Draw(t, "message")
		limit := rapid.Int64Range(1, 1000).Draw(t, "limit")
		anchors := map[string]string{branch: message, branch + "2": session.NewestAnchor}
		got, err := studio.DecodeMessageCursor(studio.MessageCursor(id, limit, anchors), id, limit)
		if diff := cmp.Diff(anchors, got); err != nil || diff != "" {
			t.Errorf("%v %s", err, diff)
		}
		at := rapid.Float64().Draw(t, "at")
		if math.IsInf(at, 0) || math.IsNaN(at) {
			return
		}
		position := session.StreamPosition{At: at, MessageID: message, BranchID: branch}
		back, err := studio.DecodeStreamCursor(studio.StreamCursor(id, position), id)
		if diff := cmp.Diff(position, back); err != nil || diff != "" {
			t.Errorf("%v %s", err, diff)
		}
	})
}

func FuzzDecodeMessageCursor(f *testing.F) {
	f.Add(studio.MessageCursor("s", 200, map[string]string{"b": "m"}))
	f.Add("eyJ2IjoxfQ==")
	f.Add("%%%")
	f.Fuzz(func(t *testing.T, token string) {
		anchors, err := studio.DecodeMessageCursor(token, "s", 200)
		if (anchors == nil) != (err != nil) {
			t.Errorf("%q: %v %v", token, anchors, err)
		}
	})
}

func FuzzDecodeStreamCursor(f *testing.F) {
	f.Add(studio.StreamCursor("s", session.StreamPosition{At: 1.5, MessageID: "m", BranchID: "b"}))
	f.Add("eyJ2IjoxLCJjcmVhdGVkX2F0IjoxZTk5OX0")
	f.Fuzz(func(t *testing.T, token string) {
		at, err := studio.DecodeStreamCursor(token, "s")
		if err == nil && (at.MessageID == "" || at.BranchID == "" || math.IsInf(at.At, 0) || math.IsNaN(at.At)) {
			t.Errorf("%q: %+v", token, at)
		}
	})
}
