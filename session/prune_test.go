package session_test

import (
	"fmt"
	"strings"
	"testing"

	"podium.local/session"
)

func TestPrune_TakesTheContentOfOldResultsOnly(t *testing.T) {
	var l log
	for n := range 4 {
		l.input(fmt.Sprint("q", n))
		l.call("c")
		l.turnEnd(uint64(n))
		l.add(session.KindToolResult, session.ToolResult{CallID: "c", Summary: "read", Content: strings.Repeat("x", 4000)})
	}
	items := fold(t, l).Conversation()
	contents := func(items []session.Item) (n int) {
		for _, i := range items {
			if i.Result.Content != "" {
				n++
			}
		}
		return n
	}
	for _, c := range []struct {
		protected, min, want int
	}{
		{3, 1000, 3}, {2, 1000, 2}, {1, 1000, 1}, {0, 1000, 0}, {9, 1000, 4},
		{3, 1001, 4}, // too little to be worth it
		{3, 0, 4},    // off
	} {
		got := session.Prune(items, c.protected, int64(c.min))
		if n := contents(got); n != c.want {
			t.Errorf("%d protected requests, at least %d tokens: %d contents are left, want %d", c.protected, c.min, n, c.want)
		}
		if len(got) != len(items) || contents(items) != 4 {
			t.Fatal("the conversation itself changed")
		}
	}
}
