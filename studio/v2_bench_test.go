package studio_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"podium.local/listing"
	"podium.local/store/storetest"
)

// BenchmarkListingV2 asks the whole daemon for windows of 20,000 sessions, and
// for the numbered page beside them.
func BenchmarkListingV2(b *testing.B) {
	l := newLane(b, "")
	storetest.Fill(b, l.path, storetest.Rows{Sessions: 20_000, UnknownCost: 3})
	l.lister.Policy = listing.DefaultPolicy()
	for _, bm := range []struct{ name, target string }{
		{"v1-page-and-count", "/api/runs/"},
		{"page", runsV2}, {"page-by-cost", runsV2 + "&sort=cost"}, {"500-rows", runsV2 + "&per_page=500"},
		{"empty-window", runsV2 + "&search=zzz"}, {"exact-count", runsV2 + "&exact_total=true"},
	} {
		b.Run(bm.name, func(b *testing.B) {
			for b.Loop() {
				w := httptest.NewRecorder()
				l.server.Handler().ServeHTTP(w, httptest.NewRequestWithContext(b.Context(), http.MethodGet, "http://localhost"+bm.target, nil))
				if w.Code != http.StatusOK {
					b.Fatalf("%d %s", w.Code, w.Body)
				}
			}
		})
	}
}
