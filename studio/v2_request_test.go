package studio_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"podium.local/store"
	"podium.local/studio"
)

// recordedLane serves the store whose version 1 answers are recorded, adopted.
func recordedLane(t *testing.T) *lane {
	t.Helper()
	path := lionagiStore(t)
	if _, err := store.Migrate(t.Context(), path, store.MigrateOptions{}); err != nil {
		t.Fatal(err)
	}
	return laneOver(t, path)
}

func sameAsRecorded(t *testing.T, also string) {
	l := recordedLane(t)
	for _, r := range recorded {
		if !strings.HasPrefix(r.name, "sessions") && !strings.HasPrefix(r.name, "runs") || r.name == "runs_projects" {
			continue
		}
		target := r.target
		if also != "" {
			if target += "?"; strings.Contains(r.target, "?") {
				target = r.target + "&"
			}
			target += also
		}
		want, err := os.ReadFile(filepath.Join("testdata", "golden", r.name+".json"))
		if err != nil {
			t.Fatal(err)
		}
		rec := l.call(target)
		if got := append(rec.Body.Bytes(), '\n'); !bytes.Equal(got, want) {
			t.Errorf("%s: %d %s", target, rec.Code, got)
		}
		if rec.Header().Get("Podium-Listing-Work") != "" || rec.Header().Get("Cache-Control") != "" {
			t.Errorf("%s: %v", target, rec.Header())
		}
	}
}

func v1WithoutSelector(t *testing.T) { sameAsRecorded(t, "") }

func v1WithSelector(t *testing.T) { sameAsRecorded(t, "listing_version=1") }

func v1RefusesReservedControls(t *testing.T) {
	l := newLane(t, numbered(3))
	for _, path := range []string{"/api/runs/?", "/api/sessions/?", "/api/runs/?listing_version=1&", "/api/sessions/?listing_version=1&", "/api/runs/?page=0&"} {
		for _, control := range []string{"cursor=x", "cursor=", "cursor", "exact_total=true", "exact_total=false", "exact%5Ftotal=0"} {
			l.refused(path+control, http.StatusUnprocessableEntity, invalidRequest)
		}
	}
}

func v1UnknownParameters(t *testing.T) {
	l := newLane(t, numbered(3))
	for _, selector := range []string{"", "&listing_version=1"} {
		l.refused("/api/runs/?anything=x"+selector, http.StatusUnprocessableEntity,
			`{"detail":[{"type":"extra_forbidden","loc":["query","anything"],"msg":"Extra inputs are not permitted","input":"x"}]}`)
		if rec := l.call("/api/sessions/?anything=x" + selector); rec.Code != http.StatusOK {
			t.Errorf("%d %s", rec.Code, rec.Body)
		}
	}
}

func v1DeepOffsets(t *testing.T) {
	l := newLane(t, numbered(3))
	for target, want := range map[string]string{
		"/api/sessions/?offset=20000":     `{"sessions":[],"total":3,"limit":500,"offset":20000,"truncated":false}`,
		"/api/runs/?page=9000&per_page=5": `{"runs":[],"page":9000,"per_page":5,"total":3,"total_pages":1,"has_next":false,"has_prev":true,"status_ended_at_mismatches":0}`,
	} {
		l.refused(target, http.StatusOK, want)
	}
	// Far more rows than a window: version 1 matches the whole store before it
	// pages, with a total.
	l = newLane(t, numbered(5*smallWindow))
	body := object(t, l.server, "/api/runs/?search=number+49&listing_version=1")
	if body["total"] != 1.0 || ids(list(t, l.server, "/api/runs/?search=number+49", "runs")) != "s0049" {
		t.Errorf("%v", body)
	}
}

func otherVersionsRefused(t *testing.T) {
	l := newLane(t, numbered(3))
	for _, path := range []string{"/api/runs/?", "/api/sessions/?"} {
		for _, selector := range []string{"0", "3", "two", "", "02", "+2", "2.0", "2%20", "1&listing_version=1", "2&listing_version=2", "1&listing_version=2", "2&listing_version=1"} {
			l.refused(path+"listing_version="+selector, http.StatusUnprocessableEntity, invalidRequest)
		}
	}
}

func requestErrorsAreStructured(t *testing.T) {
	l := newLane(t, numbered(3))
	var targets []string
	for _, bad := range []string{
		"per_page=0", "per_page=501", "per_page=abc", "per_page=", "per_page=1.0", "per_page=+5", "per_page=%205", "per_page=05", "per_page=-1", "per_page=1_0", "per_page=99999999999999999999",
		"page=0", "page=-1", "page=x", "page=", "exact_total=yes", "exact_total=", "exact_total=True", "project_null=maybe", "project_null=on", "project_null=",
		"sort=name", "sort=", "sort=Recent", "kind=bogus", "kind=engine", "kind=", "kind=play&kind=bogus", "search=%zz", "search=%ff", "tag=%ff", "status=a;b",
		"search=" + strings.Repeat("x", 1025), "tag=" + strings.Repeat("x", 1025), strings.Repeat("&status=x", 65), strings.Repeat("&tag=x", 65),
	} {
		targets = append(targets, runsV2+"&"+bad)
	}
	for _, bad := range []string{"limit=0", "limit=501", "limit=abc", "offset=-1", "offset=x", "offset=", "offset=1.0", "exact_total=2", "sort=age"} {
		targets = append(targets, sessionsV2+"&"+bad)
	}
	l.refusedAll(http.StatusUnprocessableEntity, invalidRequest, targets...)
	rec := l.call(runsV2 + "&per_page=0")
	if got := rec.Header().Get("Content-Type") + " " + rec.Header().Get("Cache-Control"); got != "application/json no-store" {
		t.Errorf("%s", got)
	}
	// At the bounds there is nothing to refuse.
	l.window(runsV2 + "&search=" + strings.Repeat("x", 1024) + strings.Repeat("&tag=x", 64))
}

func unknownParametersRefused(t *testing.T) {
	l := newLane(t, numbered(3))
	l.refusedAll(http.StatusUnprocessableEntity, invalidRequest,
		runsV2+"&anything=x", runsV2+"&limit=5", runsV2+"&offset=0", runsV2+"&candidate_limit=5", runsV2+"&=x", runsV2+"&Page=1",
		sessionsV2+"&anything=x", sessionsV2+"&status=failed", sessionsV2+"&kind=agent", sessionsV2+"&tag=x", sessionsV2+"&search=x",
		sessionsV2+"&playbook=x", sessionsV2+"&project=x", sessionsV2+"&project_null=true", sessionsV2+"&page=1", sessionsV2+"&per_page=5")
}

func repeatedScalarsRefused(t *testing.T) {
	l := newLane(t, numbered(30))
	cursor := *l.window(runsV2).page.NextCursor
	for _, twice := range []string{
		"per_page=5&per_page=5", "page=1&page=1", "sort=recent&sort=recent", "search=a&search=b", "playbook=a&playbook=a", "project=a&project=b",
		"project_null=true&project_null=true", "exact_total=true&exact_total=true", "cursor=" + cursor + "&cursor=" + cursor, "search=a&search=",
	} {
		l.refused(runsV2+"&"+twice, http.StatusUnprocessableEntity, invalidRequest)
	}
	l.refusedAll(http.StatusUnprocessableEntity, invalidRequest, sessionsV2+"&limit=5&limit=5", sessionsV2+"&offset=0&offset=0", sessionsV2+"&listing_version=2")
}

func repeatedFiltersAccepted(t *testing.T) {
	l := newLane(t, numbered(4)+`; UPDATE sessions SET status = 'failed', invocation_kind = 'play' WHERE id = 's0001'; UPDATE sessions SET status = 'running' WHERE id = 's0002';
		UPDATE sessions SET status = '' WHERE id = 's0003'; INSERT INTO run_tags VALUES ('s0001', 'a', 1), ('s0001', 'b', 1), ('s0002', 'a', 1), ('s0000', '', 1)`)
	for query, want := range map[string]string{
		"&status=failed&status=running&status=failed": "s0001 s0002",
		"&kind=play&kind=flow&kind=play":              "s0001",
		"&tag=a&tag=b&tag=a":                          "s0001",
		"&tag=a":                                      "s0001 s0002",
		"&search=&playbook=&project=&project_null=0":  "s0000 s0001 s0002 s0003",
		"&status=": "s0003", "&tag=": "s0000", "&status=none": "",
	} {
		if got := l.window(runsV2 + query).ids(); got != want {
			t.Errorf("%s: %s", query, got)
		}
	}
}

func emptyCursorRefused(t *testing.T) {
	l := newLane(t, numbered(3))
	l.refusedAll(http.StatusUnprocessableEntity, invalidRequest, runsV2+"&cursor=", sessionsV2+"&cursor", runsV2+"&cursor=&page=2")
}

func cursorExcludesOffset(t *testing.T) {
	l := newLane(t, numbered(30))
	runs, sessions := l.window(runsV2), l.window(sessionsV2)
	l.refusedAll(http.StatusUnprocessableEntity, invalidRequest, runs.next(runsV2)+"&page=2", sessions.next(sessionsV2)+"&offset=1",
		sessions.next(sessionsV2)+"&offset=20000", runsV2+"&cursor=garbage&page=2")
	l.window(runs.next(runsV2) + "&page=1")
	l.window(sessions.next(sessionsV2) + "&offset=0")
}

func offsetCap(t *testing.T) {
	l := newLane(t, numbered(3))
	l.refusedAll(http.StatusUnprocessableEntity, cursorRequired, sessionsV2+"&offset=10001", sessionsV2+"&offset=99999999999999999999999",
		runsV2+"&page=502", runsV2+"&page=10002&per_page=1", runsV2+"&page=9223372036854775807&per_page=500", runsV2+"&page=99999999999999999999")
	for _, target := range []string{sessionsV2 + "&offset=10000", runsV2 + "&page=501", runsV2 + "&page=10001&per_page=1"} {
		if w := l.window(target); len(w.rows) != 0 || w.page.StopReason != "exhausted" || w.work.SkippedKeys != 3 {
			t.Errorf("%s: %+v", target, w.page)
		}
	}
}

func filteredOffsetRefused(t *testing.T) {
	l := newLane(t, numbered(30))
	for _, filter := range []string{"search=x", "playbook=x", "project=x", "project_null=true", "status=failed", "status=", "kind=play", "tag=x", "tag="} {
		l.refusedAll(http.StatusUnprocessableEntity, filteredOffset, runsV2+"&page=2&"+filter, runsV2+"&page=9999&"+filter)
		l.window(runsV2 + "&page=1&" + filter)
	}
	if w := l.window(runsV2 + "&page=2&per_page=5&search=&playbook=&project=&project_null=false"); w.ids() != "s0005 s0006 s0007 s0008 s0009" {
		t.Errorf("filters without an effect: %s", w.ids())
	}
}

func rowLimits(t *testing.T) {
	l := newLane(t, numbered(520))
	l.lister.Policy.CandidateLimit = 1000
	for target, want := range map[string]int{
		runsV2: 20, sessionsV2: 500, runsV2 + "&per_page=500": 500, sessionsV2 + "&limit=500": 500, runsV2 + "&per_page=1": 1, sessionsV2 + "&limit=1": 1,
	} {
		w := l.window(target)
		limit := w.raw["limit"]
		if limit == nil {
			limit = w.raw["per_page"]
		}
		if len(w.rows) != want || limit != float64(want) {
			t.Errorf("%s: %d rows, says %v", target, len(w.rows), limit)
		}
	}
}

func rowsEqualV1(t *testing.T) {
	l := recordedLane(t)
	l.lister.Policy.CandidateLimit = 1000
	for member, targets := range map[string][2]string{
		"runs": {"/api/runs/?per_page=500", runsV2 + "&per_page=500"}, "sessions": {"/api/sessions/?limit=500", sessionsV2 + "&limit=500"},
	} {
		var v1, v2 map[string]json.RawMessage
		for target, into := range map[string]*map[string]json.RawMessage{targets[0]: &v1, targets[1]: &v2} {
			if err := json.Unmarshal(l.call(target).Body.Bytes(), into); err != nil {
				t.Fatal(err)
			}
		}
		// Byte for byte, numbers and member order included.
		if diff := cmp.Diff(string(v1[member]), string(v2[member])); diff != "" {
			t.Errorf("%s: %s", member, diff)
		}
	}
}

func documentsAreSeparate(t *testing.T) {
	l := newLane(t, "")
	rec := l.call("/openapi-listing-v2.json")
	golden(t, "openapi-listing-v2.json", rec.Body.Bytes())
	var v1, v2 struct {
		Paths map[string]map[string]struct {
			OperationID string
			Parameters  []struct{ Name string }
			Responses   map[string]json.RawMessage
		}
		Components struct{ Schemas map[string]json.RawMessage }
	}
	if err := json.Unmarshal(rec.Body.Bytes(), &v2); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(l.server.OpenAPI(), &v1); err != nil {
		t.Fatal(err)
	}
	for path, ids := range map[string][2]string{"/api/runs/": {"listRuns", "listRunsV2"}, "/api/sessions/": {"listSessions", "listSessionsV2"}} {
		a, b := v1.Paths[path]["get"], v2.Paths[path]["get"]
		if a.OperationID != ids[0] || b.OperationID != ids[1] || bytes.Equal(a.Responses["200"], b.Responses["200"]) {
			t.Errorf("%s: %s and %s", path, a.OperationID, b.OperationID)
		}
		for _, p := range a.Parameters {
			if p.Name == "cursor" || p.Name == "listing_version" || p.Name == "exact_total" {
				t.Errorf("version 1 of %s has %s", path, p.Name)
			}
		}
		for _, status := range []string{"200", "400", "401", "409", "422", "501", "503"} {
			if b.Responses[status] == nil {
				t.Errorf("version 2 of %s says nothing of %s", path, status)
			}
		}
	}
	if len(v2.Paths) != 2 || v2.Components.Schemas["RunsBody"] != nil || v1.Components.Schemas["RunsWindow"] != nil {
		t.Errorf("the versions share envelopes")
	}
	// The parameters of the document are those that are read.
	for path, op := range v2.Paths {
		for _, p := range op["get"].Parameters {
			target := fmt.Sprintf("%s?listing_version=2&%s=1&%s=1", path, p.Name, p.Name)
			if set := p.Name == "status" || p.Name == "tag" || p.Name == "kind"; !set {
				l.refused(target, http.StatusUnprocessableEntity, invalidRequest)
			}
		}
	}
}

func boundaryBeforeCursor(t *testing.T) {
	l := newLane(t, numbered(3))
	s := open(t, l.path, func(c *studio.Config) {
		c.Token = "configured"
		c.Sources.Windows = l.lister
	})
	for _, target := range []string{runsV2 + "&cursor=garbage", runsV2 + "&per_page=0", runsV2, "/openapi-listing-v2.json"} {
		want(t, call(t, s.Handler(), http.MethodGet, target, ""), http.StatusUnauthorized, `{"detail":"Unauthorized"}`)
		want(t, call(t, s.Handler(), http.MethodGet, target, "", "Authorization", "Bearer wrong"), http.StatusUnauthorized, `{"detail":"Unauthorized"}`)
		want(t, call(t, s.Handler(), http.MethodGet, target, "", "Host", "evil.example"), http.StatusBadRequest, `{"detail":"Invalid Host header: 'evil.example'"}`)
	}
	want(t, call(t, s.Handler(), http.MethodGet, runsV2+"&cursor=garbage", "", "Authorization", "Bearer configured"), http.StatusBadRequest, cursorInvalid)
	l.refused(runsV2+"&cursor=garbage&per_page=0", http.StatusUnprocessableEntity, invalidRequest)
}
