package studio_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestDocs_NameEveryRouteAndNoOther compares docs/http-api.md with the route
// table.
func TestDocs_NameEveryRouteAndNoOther(t *testing.T) {
	text, err := os.ReadFile("../docs/http-api.md")
	if err != nil {
		t.Fatal(err)
	}
	var routes []string
	for _, line := range newServer(t, &fakeStore{}, nil).RouteTable() {
		f := strings.Fields(line)
		routes = append(routes, f[0]+" "+f[1])
	}
	var named []string
	for _, m := range regexp.MustCompile("`(GET|POST|PATCH|PUT|DELETE) (/[^?` ]*)").FindAllStringSubmatch(string(text), -1) {
		named = append(named, m[1]+" "+m[2])
	}
	for _, r := range routes {
		if !slices.Contains(named, r) {
			t.Errorf("docs/http-api.md does not name %s", r)
		}
	}
	for _, n := range named {
		if !slices.Contains(routes, n) {
			t.Errorf("docs/http-api.md names %s, which is no route", n)
		}
	}
}

// TestDocs_114_CoverWhatAListingMeans wants the operational meaning of the
// bounded listing said where people look for it, in the words of the page.
func TestDocs_114_CoverWhatAListingMeans(t *testing.T) {
	for file, topics := range map[string]map[string][]string{
		"../docs/http-api.md": {
			"contains looks in the window": {"search_mode: bounded_contains", "*no match in this window*", "not that there is none"},
			"offsets are of candidates":    {"skip candidates, not matches, at most 10,000, and only without a filter"},
			"expiry and restart":           {"ends 24 hours after its first one", "`listing_cursor_restart_required` | begin anew"},
			"what a count costs":           {"costs as much as version 1 does", "Unknown is not 0"},
			"another life of the store":    {"the store is another or was restored"},
			"changes between requests":     {"may be left out or come twice", "appear when the listing begins anew"},
		},
		"../docs/operations.md": {
			"contains looks in the window": {"A search is of the window", "*No matches in this window*", "*No matches found in this traversal*"},
			"offsets are of candidates":    {"Offsets are of candidates"},
			"expiry and restart":           {"Cursors last 24 hours", "Nothing retries it and nothing falls back to version 1", "*Start again*"},
			"what a count costs":           {"*Count all matches* reads the whole store once and can be cancelled", "unknown, which is not zero"},
			"another life of the store":    {"podium store rotate-identity", "a copy without an identity"},
			"changes between requests":     {"may come twice or not at all"},
			"keyboard":                     {"Enter or Space is one window, and the focus stays"},
		},
	} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		flat := strings.Join(strings.Fields(string(text)), " ")
		for topic, phrases := range topics {
			for _, phrase := range phrases {
				if !strings.Contains(flat, phrase) {
					t.Errorf("%s, %s: %q is not said", file, topic, phrase)
				}
			}
		}
	}
}
