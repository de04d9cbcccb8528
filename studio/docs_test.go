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
