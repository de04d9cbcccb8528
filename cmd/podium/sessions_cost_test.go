package main

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"podium.local/store"
	"podium.local/store/storetest"
)

// TestSessions_ACostWithoutSomeRequestsIsALowerBound compares a session whose
// requests all have a price with one of which some have none.
func TestSessions_ACostWithoutSomeRequestsIsALowerBound(t *testing.T) {
	home := t.TempDir()
	path := filepath.Join(home, "state.db")
	s, err := store.Create(t.Context(), path, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	ids := map[string]string{}
	for _, name := range []string{"whole", "partial"} {
		ids[name] = storetest.Start(t, s, storetest.PodStart(name)).SessionID
		storetest.SQL(t, path, "UPDATE sessions SET total_cost_usd = 0.03 WHERE id = '"+ids[name]+"'")
	}
	storetest.SQL(t, path, "UPDATE logs SET priced_requests = 2, unpriced_requests = 1 WHERE session_id = '"+ids["partial"]+"'")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if code, _, errs := runIn(t.Context(), home, "keyring", "rotate"); code != exitOK {
		t.Fatal(errs)
	}
	type line struct {
		ID      string
		Partial *bool `json:"cost_partial"`
	}
	_, listed, _ := runIn(t.Context(), home, "sessions", "list")
	_, all, _ := runIn(t.Context(), home, "sessions", "list", "--json", "--all")
	for name, bound := range map[string]bool{"whole": false, "partial": true} {
		_, shown, _ := runIn(t.Context(), home, "sessions", "show", ids[name])
		_, document, _ := runIn(t.Context(), home, "sessions", "show", "--json", ids[name])
		for _, text := range []string{shown, lineWith(listed, ids[name])} {
			if !strings.Contains(text, "$0.03") || strings.Contains(text, "≥ $0.03") != bound {
				t.Errorf("%s: lower bound is %t, printed\n%s", name, bound, text)
			}
		}
		for _, text := range []string{document, lineWith(all, ids[name])} {
			var l line
			if err := json.Unmarshal([]byte(text), &l); err != nil || l.Partial == nil || *l.Partial != bound {
				t.Errorf("%s: %v %s", name, err, text)
			}
		}
	}
}
