package studio_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files instead of comparing with them")

// golden compares got with a file below testdata, or writes it with -update.
func golden(t testing.TB, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v; run go test -update ./studio to record it", err)
	}
	if !bytes.Equal(want, got) {
		t.Errorf("%s differs; if the change is meant, run go test -update ./studio\n%s", path, cmp.Diff(string(want), string(got)))
	}
}

func TestRoutes_TheWholeListIsPinned(t *testing.T) {
	want := []string{
		"DELETE /api/sessions/{id} deleteSession token",
		"DELETE /api/sessions/{id}/tags/{tag} removeTag token",
		"GET /api/admin/readiness getReadiness read",
		"GET /api/fleet/stream streamFleet token",
		"GET /api/imports listImports read",
		"GET /api/invocations/ listInvocations read",
		"GET /api/invocations/{id} getInvocation read",
		"GET /api/pods listPods token",
		"GET /api/projects/ listProjects read",
		"GET /api/projects/{name} getProject read",
		"GET /api/runs/ listRuns read",
		"GET /api/runs/projects listRunProjects read",
		"GET /api/runs/{id} getRun read",
		"GET /api/runs/{id}/file getRunFile token",
		"GET /api/sessions/ listSessions read",
		"GET /api/sessions/{id} getSession read",
		"GET /api/sessions/{id}/entries getEntries read",
		"GET /api/sessions/{id}/export exportSession read",
		"GET /api/sessions/{id}/lineage getLineage read",
		"GET /api/sessions/{id}/search searchSession read",
		"GET /api/sessions/{id}/stream streamSession read",
		"GET /api/usage getUsage read",
		"GET /health health open",
		"GET /metrics metrics read",
		"GET /openapi-listing-v2.json openapiListingV2 read",
		"GET /openapi.json openapi read",
		"PATCH /api/sessions/{id} renameSession token",
		"POST /api/pods/{name}/cancel cancelPod token",
		"POST /api/pods/{name}/compact compactPod token",
		"POST /api/pods/{name}/notify notifyPod token",
		"POST /api/pods/{name}/pause pausePod token",
		"POST /api/pods/{name}/resume resumePod token",
		"POST /api/pods/{name}/run runPod token",
		"POST /api/sessions/{id}/tags addTag token",
		"POST /api/token exchangeCode open",
	}
	got := newServer(t, &fakeStore{}, nil).RouteTable()
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestRoutes_EveryChangeNeedsATokenButTheExchange(t *testing.T) {
	for _, line := range newServer(t, &fakeStore{}, nil).RouteTable() {
		f := strings.Fields(line)
		if f[0] != http.MethodGet && f[3] != "token" && f[1] != "/api/token" {
			t.Errorf("%s changes something without a token", line)
		}
	}
}

func TestRoutes_MethodsPathsAndSlashesAreExact(t *testing.T) {
	s := newServer(t, &fakeStore{}, nil)
	tests := []struct {
		name, method, target string
		status               int
		body, header, value  string
	}{
		{"slash is added with the query kept", "GET", "/api/runs?page=2&status=a%20b", 307, "", "Location", "http://localhost:8765/api/runs/?page=2&status=a%20b"},
		{"slash is added for sessions", "GET", "/api/sessions", 307, "", "Location", "http://localhost:8765/api/sessions/"},
		{"HEAD is no read", "HEAD", "/api/runs/", 405, `{"detail":"Method Not Allowed"}`, "Allow", "GET"},
		{"HEAD of health", "HEAD", "/health", 405, `{"detail":"Method Not Allowed"}`, "Allow", "GET"},
		{"POST to a listing", "POST", "/api/runs/", 405, `{"detail":"Method Not Allowed"}`, "Allow", "GET"},
		{"two methods on one path", "POST", "/api/sessions/x", 405, `{"detail":"Method Not Allowed"}`, "Allow", "DELETE, GET, PATCH"},
		{"unknown path", "GET", "/api/nowhere", 404, `{"detail":"Not Found"}`, "", ""},
		{"an empty step", "GET", "/api/runs//?page=1", 404, `{"detail":"Not Found"}`, "", ""},
		{"a step up", "GET", "/api/runs/../sessions/", 404, `{"detail":"Not Found"}`, "", ""},
		{"path below a listing", "GET", "/api/projects/a/b", 404, `{"detail":"Not Found"}`, "", ""},
		{"api without a slash", "GET", "/api", 307, "", "", ""},
		{"no docs page", "GET", "/docs", 404, "", "", ""},
		{"word before variable", "GET", "/api/runs/projects", 200, `{"projects":[],"total":0}`, "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := call(t, s.Handler(), tt.method, tt.target, "", "Content-Type", "application/json")
			if w.Code != tt.status || tt.body != "" && w.Body.String() != tt.body {
				t.Errorf("got %d %s", w.Code, w.Body)
			}
			if tt.header != "" && w.Header().Get(tt.header) != tt.value {
				t.Errorf("%s is %q, want %q", tt.header, w.Header().Get(tt.header), tt.value)
			}
		})
	}
}

func TestOpenAPI_IsMadeFromTheRoutes(t *testing.T) {
	s := newServer(t, &fakeStore{}, nil)
	golden(t, "openapi.json", s.OpenAPI())
	w := call(t, s.Handler(), http.MethodGet, "/openapi.json", "")
	if w.Code != http.StatusOK || !bytes.Equal(w.Body.Bytes(), s.OpenAPI()) || w.Header().Get("Content-Type") != "application/json" {
		t.Errorf("%d %s", w.Code, w.Header())
	}
	var doc struct {
		OpenAPI string
		Paths   map[string]map[string]struct {
			OperationID string
			Responses   map[string]any
		}
	}
	if err := json.Unmarshal(s.OpenAPI(), &doc); err != nil {
		t.Fatal(err)
	}
	if doc.OpenAPI != "3.1.0" {
		t.Errorf("version %q", doc.OpenAPI)
	}
	for _, line := range s.RouteTable() {
		f := strings.Fields(line)
		if op := doc.Paths[f[1]][strings.ToLower(f[0])]; op.OperationID != f[2] || len(op.Responses) == 0 {
			t.Errorf("%s is documented as %+v", line, op)
		}
	}
	if bytes.Contains(s.OpenAPI(), []byte(`"$schema"`)) {
		t.Error("the document names a schema property that no answer has")
	}
}
