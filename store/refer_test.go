package store_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"podium.local/store/storetest"
)

func TestMatchSessions_TakesTheBeginningAndTheEnd(t *testing.T) {
	path := adopted(t, false)
	v := newView(t, path)
	c := storetest.Dial(t, path)
	if err := c.Exec("PRAGMA foreign_keys = OFF; DELETE FROM sessions"); err != nil {
		t.Fatal(err)
	}
	for i, id := range []string{"01a22ee0-1111-aaaa", "01a22ee0-2222-bbbb", "01a22ee1-3333-aaaa", "aaaa", "%_x"} {
		if err := c.Exec(fmt.Sprintf("INSERT INTO sessions (id, created_at, updated_at, progression_id) VALUES ('%s', 1, %d, 'p')", id, i)); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	for ref, want := range map[string][]string{
		"01a22ee0-1111-aaaa": {"01a22ee0-1111-aaaa"},
		"01a22ee0":           {"01a22ee0-1111-aaaa", "01a22ee0-2222-bbbb"},
		"2222-bbbb":          {"01a22ee0-2222-bbbb"},
		"aaaa":               {"aaaa"}, // what it is comes alone
		"-aaaa":              {"01a22ee0-1111-aaaa", "01a22ee1-3333-aaaa"},
		"22ee0":              nil, // in the middle
		"%":                  {"%_x"},
		"_":                  nil,
		"":                   nil,
	} {
		got, err := v.MatchSessions(t.Context(), ref)
		slices.Sort(got)
		if err != nil || !cmp.Equal(got, want) {
			t.Errorf("MatchSessions(%q) = %q, %v, want %q", ref, got, err, want)
		}
	}
}
