package studio_test

import (
	"fmt"
	"net/http"
	"os"
	"testing"
)

func TestListingV2_SaysHowFarBackAWindowCame(t *testing.T) {
	l := newLane(t, numbered(30))
	for _, path := range []string{runsV2, sessionsV2} {
		rec := l.call(path + "&" + map[string]string{runsV2: "per_page", sessionsV2: "limit"}[path] + "=7")
		want := l.value("SELECT cast(updated_at AS INTEGER) FROM sessions ORDER BY updated_at DESC, id DESC LIMIT 1 OFFSET 6")
		if got := rec.Header().Get("Podium-Listing-Reached"); rec.Code != http.StatusOK || got != want {
			t.Errorf("%s: %d %q, want %q", path, rec.Code, got, want)
		}
	}
	// A window without a row came as far as its last candidate.
	empty := l.window(runsV2 + "&search=zzz")
	want := l.value(fmt.Sprintf("SELECT cast(updated_at AS INTEGER) FROM sessions ORDER BY updated_at DESC, id DESC LIMIT 1 OFFSET %d", empty.page.ExaminedCandidates-1))
	if got := l.call(runsV2 + "&search=zzz").Header().Get("Podium-Listing-Reached"); len(empty.rows) != 0 || got != want {
		t.Errorf("without a row: %q, want %q", got, want)
	}
	for name, target := range map[string]string{"by cost a time says nothing": runsV2 + "&sort=cost", "version 1 has no window": "/api/runs/"} {
		if got := l.call(target).Header().Get("Podium-Listing-Reached"); got != "" {
			t.Errorf("%s: %q", name, got)
		}
	}
}

func TestListingV2_SaysWhatAStoreLacks(t *testing.T) {
	l := newLane(t, numbered(3))
	lacks := func(want string) {
		t.Helper()
		rec := l.call(runsV2)
		if got := rec.Header().Get("Podium-Listing-Lacks"); got != want || (want != "") != (rec.Code == http.StatusServiceUnavailable) {
			t.Errorf("%d %q, want %q", rec.Code, got, want)
		}
	}
	lacks("")
	l.sql("DELETE FROM listing_store_identity")
	lacks("identity")
	l.sql("DROP INDEX idx_sessions_listing_recent")
	lacks("structure")
	if err := os.Remove(l.lister.Keyring.Path()); err != nil {
		t.Fatal(err)
	}
	lacks("keyring")
}
