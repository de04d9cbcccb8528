package store_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"podium.local/listing"
	"podium.local/session"
	"podium.local/store/storetest"
)

// TestListing_TextsMatchAsInTheNumberedOne stores random text, bytes and
// numbers as names and looks for random texts in them in both versions, which
// compare by different expressions.
func TestListing_TextsMatchAsInTheNumberedOne(t *testing.T) {
	path := adopted(t, false)
	v := newView(t, path)
	l := newLister(t, v, 0)
	c := storetest.Dial(t, path)
	defer func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}()
	if err := c.Exec("PRAGMA synchronous = OFF; PRAGMA foreign_keys = OFF"); err != nil {
		t.Fatal(err)
	}
	m := &model{c: c}
	pieces := []string{"a", "A", "b", "ab", "%", "_", `\`, " ", "é", "É", "ſ", "K", "日", "\x00", "\xff", "\xc3", "z\u0301", "İ", "1", "."}
	rapid.Check(t, func(t *rapid.T) {
		word := func(label string, most int, words []string) string {
			return strings.Join(rapid.SliceOfN(rapid.SampledFrom(words), 0, most).Draw(t, label), "")
		}
		value := func(label string) any {
			text := word(label, 4, pieces)
			switch rapid.IntRange(0, 5).Draw(t, label) {
			case 0:
				return nil
			case 1:
				return []byte(text)
			case 2:
				return int64(rapid.IntRange(-2, 12).Draw(t, label))
			default:
				return text
			}
		}
		m.exec(t, "DELETE FROM sessions")
		for i := range 8 {
			m.exec(t, "INSERT INTO sessions (id, created_at, updated_at, progression_id, name, agent_name, playbook_name) VALUES (?, 1, ?, 'p', ?, ?, ?)",
				string(rune('a'+i)), float64(i), value("name"), value("agent"), value("playbook"))
		}
		for range 1 + 7/slowdown {
			// A client's text is UTF-8.
			wanted := slices.DeleteFunc(slices.Clone(pieces), func(p string) bool { return p == "\xff" || p == "\xc3" })
			s := listing.Selection{Search: word("search", 2, wanted), Playbook: word("playbook", 1, wanted)}
			f := filterOf(t, s)
			page, err := v.ListPage(t.Context(), session.PageQuery{Order: session.OrderRecent, Limit: 500, Filter: session.Filter{Search: f.Search, Playbook: f.Playbook}})
			if err != nil {
				t.Fatal(err)
			}
			a, err := l.List(t.Context(), listing.Request{Endpoint: listing.Runs, Order: listing.Recent, Filter: f, Rows: 500, ExactTotal: true})
			if err != nil {
				t.Fatal(err)
			}
			names := func(rows []session.Row) (ids []string) {
				for _, r := range rows {
					ids = append(ids, r.ID)
				}
				return ids
			}
			if !slices.Equal(names(page.Rows), names(a.Rows)) || page.Total != *a.Total.Value {
				t.Fatalf("%q in names, %q in playbooks: version 1 finds %v, version 2 %v", s.Search, s.Playbook, names(page.Rows), names(a.Rows))
			}
		}
	})
}
