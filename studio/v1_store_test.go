package studio_test

import (
	_ "embed"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"podium.local/store"
	"podium.local/store/storetest"
	"podium.local/studio"
)

func TestV1_AnAbsentStoreAnswersAsAnEmptyOneAndIsNotMade(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "state.db")
	s := open(t, path, nil)
	for target, body := range map[string]string{
		"/api/runs/":                         `{"runs":[],"page":1,"per_page":20,"total":0,"total_pages":0,"has_next":false,"has_prev":false,"status_ended_at_mismatches":0}`,
		"/api/runs/?page=7&per_page=3&tag=x": `{"runs":[],"page":7,"per_page":3,"total":0,"total_pages":0,"has_next":false,"has_prev":true,"status_ended_at_mismatches":0}`,
		"/api/sessions/?limit=9&offset=4":    `{"sessions":[],"total":0,"limit":9,"offset":4,"truncated":false}`,
		"/api/imports":                       `{"imports":[],"total":0,"limit":100,"offset":0}`,
		"/api/runs/projects":                 `{"projects":[],"total":0}`,
		"/api/projects/":                     `{"projects":[],"unassigned_count":0}`,
		"/api/invocations/":                  `{"invocations":[],"limit":50,"offset":0,"has_next":false,"total":0,"completed_total":0}`,
	} {
		want(t, call(t, s.Handler(), http.MethodGet, target, ""), http.StatusOK, body)
	}
	auth := []string{"Content-Type", "application/json", "Authorization", "Bearer " + localToken}
	want(t, call(t, s.Handler(), http.MethodDelete, "/api/sessions/x/tags/a", "", auth...), http.StatusOK, `{"session_id":"x","tags":[]}`)
	want(t, call(t, s.Handler(), http.MethodPost, "/api/sessions/x/tags", `{"tag":"a"}`, auth...), http.StatusNotFound, `{"detail":"Session 'x' not found"}`)
	want(t, call(t, s.Handler(), http.MethodGet, "/api/sessions/x", ""), http.StatusNotFound, `{"detail":"Session 'x' not found"}`)
	if w := call(t, s.Handler(), http.MethodGet, "/api/admin/readiness", ""); w.Code != 200 || !strings.Contains(w.Body.String(), `"status":"unavailable"`) || !strings.Contains(w.Body.String(), `"store_present":false`) {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	if entries, err := filepath.Glob(filepath.Join(dir, "*")); err != nil || len(entries) != 0 {
		t.Errorf("reading made %v (%v)", entries, err)
	}
}

func TestV1_AServerStoreIsRefusedByEveryRouteThatNeedsAFile(t *testing.T) {
	s := newServer(t, &fakeStore{}, func(c *studio.Config) { c.Backend = "postgresql" })
	auth := []string{"Content-Type", "application/json", "Authorization", "Bearer " + localToken}
	for _, target := range []string{
		"/api/runs/", "/api/sessions/", "/api/runs/projects", "/api/sessions/x", "/api/runs/x", "/api/projects/", "/api/projects/x", "/api/invocations/",
		"/api/invocations/x", "/api/sessions/x/stream", "/api/sessions/x/entries", "/api/sessions/x/search?q=a", "/api/sessions/x/lineage",
		"/api/sessions/x/export", "/api/usage", "/api/imports", "/api/runs/x/file?path=a",
	} {
		path, _, _ := strings.Cut(target, "?")
		want(t, call(t, s.Handler(), http.MethodGet, target, "", auth...), http.StatusNotImplemented, fmt.Sprintf(
			`{"detail":"%[1]s cannot answer: the configured store is postgresql-backed, and this route can only read from a local SQLite file.","route":"%[1]s","backend":"postgresql"}`, path))
	}
	for _, target := range []string{"/api/runs/?page=0", "/api/runs/?sort=x", "/api/runs/?kind=x", "/api/sessions/?limit=0"} {
		if w := call(t, s.Handler(), http.MethodGet, target, ""); w.Code != http.StatusUnprocessableEntity {
			t.Errorf("%s: %d, a bad parameter comes first", target, w.Code)
		}
	}
	if w := call(t, s.Handler(), http.MethodGet, "/api/admin/readiness", ""); w.Code != http.StatusOK || !strings.Contains(w.Body.String(), `"status":"unavailable"`) {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	want(t, call(t, s.Handler(), http.MethodGet, "/health", ""), http.StatusOK, `{"status":"ok"}`)
}

// TestV1_ASwappedStoreIsNoticedAtTheNextRequest replaces and removes the file
// under a running daemon.
func TestV1_ASwappedStoreIsNoticedAtTheNextRequest(t *testing.T) {
	dir := t.TempDir()
	path, other := filepath.Join(dir, "state.db"), filepath.Join(dir, "other.db")
	s := open(t, path, nil)
	total := func() any { return object(t, s, "/api/sessions/")["total"] }
	if n := total(); n != 0.0 {
		t.Errorf("before the store is there: %v", n)
	}
	storetest.Lionagi(t, path)
	storetest.Fill(t, path, storetest.Rows{Sessions: 4})
	if n := total(); n != 4.0 {
		t.Errorf("once it is there: %v", n)
	}
	storetest.Lionagi(t, other)
	storetest.Fill(t, other, storetest.Rows{Sessions: 7})
	rename(t, other, path)
	if n := total(); n != 7.0 {
		t.Errorf("after another took its place: %v", n)
	}
	remove(t, path)
	if n := total(); n != 0.0 {
		t.Errorf("after it was removed: %v", n)
	}
}

func TestV1_TagsGoRoundAndCascade(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	st, err := store.Create(t.Context(), path, store.Options{Now: func() time.Time { return clock }})
	if err != nil {
		t.Fatal(err)
	}
	pod, err := st.StartPod(t.Context(), storetest.PodStart("a"))
	if err != nil {
		t.Fatal(err)
	}
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
	s := open(t, path, nil)
	auth := []string{"Content-Type", "application/json", "Authorization", "Bearer " + localToken}
	base := "/api/sessions/" + pod.SessionID + "/tags"
	post := func(body string) (int, string) {
		w := call(t, s.Handler(), http.MethodPost, base, body, auth...)
		return w.Code, w.Body.String()
	}
	tagged := func(tags string) string { return `{"session_id":"` + pod.SessionID + `","tags":[` + tags + `]}` }
	for _, step := range []struct {
		body, want string
		status     int
	}{
		{`{"tag":"  team/backend  "}`, tagged(`"team/backend"`), 200},
		{`{"tag":"a"}`, tagged(`"a","team/backend"`), 200},
		{`{"tag":"a"}`, tagged(`"a","team/backend"`), 200},
		{`{"tag":"  "}`, `{"detail":"tag must not be empty"}`, 422},
		{`{}`, `{"detail":[{"type":"missing","loc":["body","tag"],"msg":"Field required","input":{}}]}`, 422},
		{`{"tag":1}`, `{"detail":[{"type":"string_type","loc":["body","tag"],"msg":"Input should be a valid string","input":1}]}`, 422},
		{`[1]`, `{"detail":[{"type":"model_attributes_type","loc":["body"],"msg":"Input should be a valid dictionary or object to extract fields from","input":[1]}]}`, 422},
		{`{"tag"`, `{"detail":[{"type":"json_invalid","loc":["body"],"msg":"JSON decode error","input":{},"ctx":{"error":"the text is not one JSON value"}}]}`, 422},
		{``, `{"detail":[{"type":"missing","loc":["body"],"msg":"Field required","input":null}]}`, 422},
	} {
		if status, body := post(step.body); status != step.status || body != step.want {
			t.Errorf("%s: got %d %s, want %d %s", step.body, status, body, step.status, step.want)
		}
	}
	if got := list(t, s, "/api/runs/?tag=team/backend", "runs"); len(got) != 1 || fmt.Sprint(got[0]["tags"]) != "[a team/backend]" {
		t.Errorf("%v", got)
	}
	want(t, call(t, s.Handler(), http.MethodDelete, base+"/team/backend", "", auth...), 200, tagged(`"a"`))
	want(t, call(t, s.Handler(), http.MethodDelete, base+"/team/backend", "", auth...), 200, tagged(`"a"`))
	storetest.SQL(t, path, "PRAGMA foreign_keys = ON; DELETE FROM sessions")
	if n := storetest.Value(t, path, "SELECT count(*) FROM run_tags"); n != "0" {
		t.Errorf("%s tags outlived their session", n)
	}
}

// TestV1_ManyTagsAreReadAtOnce has more sessions than a statement has
// variables in older engines.
func TestV1_ManyTagsAreReadAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	storetest.Lionagi(t, path)
	storetest.Fill(t, path, storetest.Rows{Sessions: 500, Tags: 2})
	for _, row := range list(t, open(t, path, nil), "/api/runs/?per_page=500", "runs") {
		if fmt.Sprint(row["tags"]) != "[t0 t1]" {
			t.Fatalf("%v has tags %v", row["id"], row["tags"])
		}
	}
}
