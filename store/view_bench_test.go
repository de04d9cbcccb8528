package store_test

import (
	"fmt"
	"testing"

	"podium.local/session"
	"podium.local/store"
	"podium.local/store/storetest"
)

// sizes are the numbers of sessions that the listing is measured at.
var sizes = []int{20_000, 200_000}

// large makes a store of n sessions with two branches of 30 members and two
// tags each; every third cost is unknown, every hundredth session a mirror.
func large(b *testing.B, n int) *store.View {
	b.Helper()
	path := storetest.New(b, store.Options{}).Path()
	storetest.Fill(b, path, storetest.Rows{Sessions: n, Branches: 2, Members: 30, UnknownCost: 3, Mirror: 100, Tags: 2})
	return newView(b, path)
}

// BenchmarkListPage is the numbered listing with its exact count, as both
// routes ask for it: the baseline of the bounded one.
func BenchmarkListPage(b *testing.B) {
	for _, n := range sizes {
		v := large(b, n)
		for _, bm := range []struct {
			name string
			q    session.PageQuery
		}{
			{"first", session.PageQuery{Order: session.OrderRecent, Limit: 20, WithTags: true}},
			{"deep", session.PageQuery{Order: session.OrderRecent, Limit: 20, Offset: int64(n / 2), WithTags: true}},
			{"cost", session.PageQuery{Order: session.OrderCost, Limit: 20, WithTags: true}},
			{"no-match", session.PageQuery{Order: session.OrderRecent, Limit: 20, WithTags: true, Filter: session.Filter{Search: "no session is called so"}}},
			{"tag", session.PageQuery{Order: session.OrderRecent, Limit: 20, WithTags: true, Filter: session.Filter{Tags: []string{"t0", "t1"}}}},
			{"500", session.PageQuery{Order: session.OrderRecent, Limit: 500, WithTags: true}},
		} {
			b.Run(fmt.Sprintf("%s/%d", bm.name, n), func(b *testing.B) {
				for b.Loop() {
					if _, err := v.ListPage(b.Context(), bm.q); err != nil {
						b.Fatal(err)
					}
				}
				steps, err := store.PageSteps(b.Context(), v, bm.q)
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(steps), "page-steps")
			})
		}
		b.Run(fmt.Sprintf("projects/%d", n), func(b *testing.B) {
			for b.Loop() {
				if _, err := v.ProjectCounts(b.Context()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkSession reads a session of 50,000 entries of 1 KB: the first window
// (its statistics new and known), an older one, and windows of the log.
func BenchmarkSession(b *testing.B) {
	s := storetest.New(b, store.Options{})
	p := storetest.Start(b, s, storetest.PodStart("a"))
	first := storetest.Commit(b, s, p, storetest.Text("first"))[0]
	storetest.FillLog(b, s.Path(), p.SessionID, 50_000, 1024)
	v := newView(b, s.Path())
	id := p.SessionID
	detail := func(b *testing.B, w session.Window) session.Detail {
		b.Helper()
		d, err := v.SessionDetail(b.Context(), id, w)
		if err != nil {
			b.Fatal(err)
		}
		return d
	}
	b.Run("detail-first", func(b *testing.B) {
		for b.Loop() {
			store.ForgetTolls(v)
			detail(b, session.Window{Limit: 200})
		}
	})
	b.Run("detail-known", func(b *testing.B) {
		for b.Loop() {
			detail(b, session.Window{Limit: 200})
		}
	})
	b.Run("detail-older", func(b *testing.B) {
		anchors := detail(b, session.Window{Limit: 200}).NextAnchors
		for b.Loop() {
			detail(b, session.Window{Limit: 200, Anchors: anchors})
		}
	})
	b.Run("entries-newest", func(b *testing.B) {
		for b.Loop() {
			if _, err := v.EntryWindow(b.Context(), id, session.EntryQuery{Limit: 200}); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("entries-first", func(b *testing.B) {
		for b.Loop() {
			if _, err := v.EntryWindow(b.Context(), id, session.EntryQuery{Around: first.ID, Limit: 200}); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("search-window", func(b *testing.B) {
		for b.Loop() {
			if _, err := v.SearchEntries(b.Context(), id, session.SearchQuery{Text: "not there", Rows: 100, Candidates: 10_000}); err != nil {
				b.Fatal(err)
			}
		}
	})
}
