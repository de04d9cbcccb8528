package studio_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"podium.local/session"
	"podium.local/studio"
)

func TestFile_OnlyRegularTextInsideTheFenceIsRead(t *testing.T) {
	base := t.TempDir()
	fenced, outside := filepath.Join(base, "artifacts"), filepath.Join(base, "elsewhere")
	run := filepath.Join(fenced, "run")
	for _, dir := range []string{run + "/sub", outside, fenced + "/gone"} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	put := func(path, text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	put(run+"/report.md", "# <ä>\n")
	put(run+"/sub/a.txt", "deep")
	put(run+"/binary", "a\x00\xffb")
	put(run+"/big.txt", strings.Repeat("x", 2_000_000)+"y")
	put(run+"/exact.txt", strings.Repeat("x", 2_000_000))
	put(run+"/split.txt", strings.Repeat("x", 1_999_999)+"ä")
	put(run+"/bigbinary", strings.Repeat("\xff", 2_000_001))
	put(outside+"/secret", "secret")
	for link, to := range map[string]string{
		run + "/link": outside + "/secret", run + "/inner": run + "/report.md", run + "/dirlink": run + "/sub", fenced + "/runlink": run, fenced + "/out": outside,
	} {
		if err := os.Symlink(to, link); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo(run+"/fifo", 0o600); err != nil {
		t.Fatal(err)
	}
	row := func(id, dir string) session.Row {
		r := session.Row{ID: id}
		if dir != "" {
			r.ArtifactsPath = &dir
		}
		return r
	}
	f := &fakeStore{rows: []session.Row{
		row("run", run), row("none", ""), row("outside", outside), row("missing", fenced+"/nope"), row("linked", fenced+"/runlink"),
		row("linkout", fenced+"/out"), row("relative", "artifacts/run"), row("file", run+"/report.md"),
	}}
	s := newServer(t, f, func(c *studio.Config) { c.ArtifactRoots = []string{fenced} })
	get := func(id, path string) (int, string) {
		w := call(t, s.Handler(), http.MethodGet, "/api/runs/"+id+"/file?path="+url.QueryEscape(path), "", "Authorization", "Bearer "+localToken)
		return w.Code, w.Body.String()
	}
	const foreignFolder = `{"detail":"The artifact folder is outside the folders that may be read; name one of its parents in studio.artifact_roots"}`
	tests := []struct {
		name, id, path string
		status         int
		body           string
	}{
		{"a text", "run", "report.md", 200, `{"path":"report.md","content":"# <ä>\n","size":7,"truncated":false}`},
		{"a text below", "run", "sub/a.txt", 200, `{"path":"sub/a.txt","content":"deep","size":4,"truncated":false}`},
		{"a winding path", "run", "./sub/../report.md", 200, `{"path":"report.md","content":"# <ä>\n","size":7,"truncated":false}`},
		{"an absolute path inside", "run", run + "/sub/a.txt", 200, `{"path":"sub/a.txt","content":"deep","size":4,"truncated":false}`},
		{"a folder given by a link inside the fence", "linked", "sub/a.txt", 200, `{"path":"sub/a.txt","content":"deep","size":4,"truncated":false}`},
		{"climbing", "run", "../../elsewhere/secret", 403, `{"detail":"Path '../../elsewhere/secret' is outside the artifact folder"}`},
		{"an absolute path outside", "run", outside + "/secret", 403, `{"detail":"Path '` + outside + `/secret' is outside the artifact folder"}`},
		{"the folder itself", "run", ".", 403, `{"detail":"Path '.' is outside the artifact folder"}`},
		{"nothing", "run", "", 403, `{"detail":"Path '' is outside the artifact folder"}`},
		{"a zero byte", "run", "report.md\x00", 403, "{\"detail\":\"File 'report.md\\u0000' is not accessible\"}"},
		{"a folder", "run", "sub", 403, `{"detail":"File 'sub' is not accessible"}`},
		{"a link out", "run", "link", 403, `{"detail":"File 'link' is not accessible"}`},
		{"a link inside", "run", "inner", 403, `{"detail":"File 'inner' is not accessible"}`},
		{"a linked folder", "run", "dirlink/a.txt", 403, `{"detail":"File 'dirlink/a.txt' is not accessible"}`},
		{"a FIFO", "run", "fifo", 403, `{"detail":"File 'fifo' is not accessible"}`},
		{"a file as folder", "run", "report.md/x", 403, `{"detail":"File 'report.md/x' is not accessible"}`},
		{"missing", "run", "nope.txt", 404, `{"detail":"File 'nope.txt' not found"}`},
		{"binary", "run", "binary", 415, `{"detail":"File is not text/UTF-8"}`},
		{"large and binary", "run", "bigbinary", 415, `{"detail":"File is not text/UTF-8"}`},
		{"unknown run", "who", "report.md", 404, `{"detail":"Run 'who' not found"}`},
		{"run without artifacts", "none", "report.md", 404, `{"detail":"Run 'none' has no artifact root"}`},
		{"folder that is gone", "missing", "report.md", 404, `{"detail":"Run artifact root no longer exists"}`},
		{"folder outside the fence", "outside", "secret", 403, foreignFolder},
		{"folder that a link leads out", "linkout", "secret", 403, foreignFolder},
		{"relative folder", "relative", "report.md", 403, foreignFolder},
		{"file for a folder", "file", "x", 403, `{"detail":"The artifact folder is not accessible"}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			status, body := get(tt.id, tt.path)
			if status != tt.status || body != tt.body {
				t.Errorf("got %d %s\nwant %d %s", status, body, tt.status, tt.body)
			}
		})
	}
	for name, wantCut := range map[string]bool{"big.txt": true, "exact.txt": false, "split.txt": true} {
		status, body := get("run", name)
		var got struct {
			Content   string
			Size      int64
			Truncated bool
		}
		if err := json.Unmarshal([]byte(body), &got); err != nil || status != http.StatusOK {
			t.Fatalf("%s: %d %v", name, status, err)
		}
		if got.Truncated != wantCut || strings.Contains(got.Content, "y") {
			t.Errorf("%s: truncated %v, ends in %q", name, got.Truncated, got.Content[len(got.Content)-4:])
		}
		if name == "split.txt" && !strings.HasSuffix(got.Content, "x\uFFFD") {
			t.Errorf("a split character became %q", got.Content[len(got.Content)-4:])
		}
	}
	w := call(t, s.Handler(), http.MethodGet, "/api/runs/run/file", "", "Authorization", "Bearer "+localToken)
	want(t, w, http.StatusUnprocessableEntity, `{"detail":[{"type":"missing","loc":["query","path"],"msg":"Field required","input":null}]}`)
	w = call(t, s.Handler(), http.MethodGet, "/api/runs/run/file?path=report.md", "")
	want(t, w, http.StatusUnauthorized, `{"detail":"Unauthorized"}`)
}

func TestVerification_ListsNeverTouchTheDiskAndDetailsLook(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"done.md": "done", "empty.md": "", "same.md": "1234"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	contract := `{"expected":[{"id":"a","path":"done.md"},{"id":"b","path":"empty.md"},{"id":"c","path":"gone.md","required":false}]}`
	row := func(status, contract, stored string) session.Row {
		r := session.Row{ID: "s", Status: &status, ArtifactsPath: &dir}
		if contract != "" {
			r.ArtifactContract = &contract
		}
		if stored != "" {
			r.ArtifactVerification = &stored
		}
		return r
	}
	tests := []struct {
		name         string
		row          session.Row
		list, detail string
	}{
		{"nothing asked", row("completed", "", ""), `null`, `null`},
		{"empty contract", row("completed", "{}", ""), `null`, `null`},
		{"running with a contract", row("running", contract, ""), `null`,
			`{"status":"failed","checked_at":1767279600.0,"missing_required":[{"id":"b","path":"empty.md"}],"missing_optional":[{"id":"c","path":"gone.md","required":false}],"produced":[{"id":"a","path":"done.md","size":4,"present":true}],"provisional":true}`},
		{"contract as text", row("running", `"{\"expected\":[]}"`, ""), `null`,
			`{"status":"passed","checked_at":1767279600.0,"missing_required":[],"missing_optional":[],"produced":[],"provisional":true}`},
		{"contract that climbs", row("running", `{"expected":[{"id":"a","path":"../x"}]}`, ""), `null`, `null`},
		{"contract with wild cards", row("running", `{"expected":[{"id":"a","path":"*.md"}]}`, ""), `null`, `null`},
		{"contract with an id twice", row("running", `{"expected":[{"id":"a","path":"x"},{"id":"a","path":"y"}]}`, ""), `null`, `null`},
		{"contract of another shape", row("running", `{"expected":{}}`, ""), `null`, `null`},
		{"ended without a verdict", row("completed", contract, ""), `{"status":"not_recorded"}`, `{"status":"not_recorded"}`},
		{"odd status without a verdict", row("done", contract, ""), `null`, `null`},
		{"absence recorded", row("failed", contract, `{"status":"not_recorded"}`), `{"status":"not_recorded"}`, `{"status":"not_recorded"}`},
		{"a verdict that is no object", row("failed", contract, `"x"`), `"x"`, `"x"`},
		{"a verdict without what a look needs", row("completed", contract, `{"status":"passed"}`),
			`{"status":"passed","staleness_check":"unknown"}`, `{"status":"passed","staleness_check":"unknown"}`},
		{"a verdict compared with the disk", row("completed", contract, `{"status":"passed","checked_at":99999999999,"produced":[{"id":"same","path":"same.md","size":4},{"id":"grown","path":"done.md","size":3},{"id":"gone","path":"gone.md","size":1}]}`),
			`{"status":"passed","checked_at":99999999999,"produced":[{"id":"same","path":"same.md","size":4},{"id":"grown","path":"done.md","size":3},{"id":"gone","path":"gone.md","size":1}],"staleness_check":"unknown"}`,
			`{"status":"passed","checked_at":99999999999,"produced":[{"id":"same","path":"same.md","size":4},{"id":"grown","path":"done.md","size":3},{"id":"gone","path":"gone.md","size":1}],"staleness_check":"checked","changed_since_verification":["grown"],"absent_since_verification":["gone"]}`},
		{"files newer than the verdict", row("completed", contract, `{"status":"passed","checked_at":1,"produced":[{"id":"same","path":"same.md","size":4}]}`),
			`{"status":"passed","checked_at":1,"produced":[{"id":"same","path":"same.md","size":4}],"staleness_check":"unknown"}`,
			`{"status":"passed","checked_at":1,"produced":[{"id":"same","path":"same.md","size":4}],"staleness_check":"checked","changed_since_verification":["same"],"absent_since_verification":[]}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := &fakeStore{rows: []session.Row{tt.row}, details: map[string]session.Detail{"s": {Row: tt.row}}}
			s := newServer(t, f, func(c *studio.Config) { c.ArtifactRoots = []string{dir} })
			for target, want := range map[string]string{"/api/sessions/": tt.list, "/api/runs/": tt.list, "/api/sessions/s": tt.detail, "/api/runs/s": tt.detail} {
				var body struct {
					Sessions, Runs []struct {
						V json.RawMessage `json:"artifact_verification_json"`
					}
					V json.RawMessage `json:"artifact_verification_json"`
				}
				w := call(t, s.Handler(), http.MethodGet, target, "")
				if err := json.Unmarshal(w.Body.Bytes(), &body); err != nil {
					t.Fatalf("%s: %v", w.Body, err)
				}
				got := body.V
				for _, rows := range [][]struct {
					V json.RawMessage `json:"artifact_verification_json"`
				}{body.Sessions, body.Runs} {
					if len(rows) > 0 {
						got = rows[0].V
					}
				}
				if string(got) != want {
					t.Errorf("%s: got %s\nwant %s", target, got, want)
				}
			}
			// Outside the fence a detail sees no more than a list does.
			outside := newServer(t, f, nil)
			w := call(t, outside.Handler(), http.MethodGet, "/api/sessions/s", "")
			if strings.Contains(w.Body.String(), `"checked"`) || strings.Contains(w.Body.String(), `"present":true`) {
				t.Errorf("a folder outside the fence was looked into: %s", w.Body)
			}
		})
	}
}
