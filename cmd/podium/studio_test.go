package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"podium.local/pod"
	"podium.local/store"
	"podium.local/store/storetest"
)

// studioProcess is a daemon that a test runs within itself.
type studioProcess struct {
	base, code string
	stop       func() int // interrupts it and returns its exit code
}

// startStudio runs podium studio on a port of the system's choosing.
func startStudio(t *testing.T, home string, args ...string) studioProcess {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	reader, writer := io.Pipe()
	a := &app{in: strings.NewReader(""), out: io.Discard, err: writer, environ: []string{"PODIUM_HOME=" + home, "HOME=" + home}}
	exit := make(chan int, 1)
	go func() {
		exit <- a.run(ctx, append([]string{"studio", "--listen", "127.0.0.1:0"}, args...))
		_ = writer.Close()
	}()
	var p studioProcess
	lines := bufio.NewScanner(reader)
	drained := make(chan struct{})
	drain := func() { // what it still has to say
		defer close(drained)
		for lines.Scan() {
		}
	}
	p.stop = func() int {
		cancel()
		<-drained
		code := <-exit
		exit <- code
		return code
	}
	t.Cleanup(func() {
		p.stop()
		http.DefaultClient.CloseIdleConnections()
	})
	for lines.Scan() {
		if _, address, found := strings.Cut(lines.Text(), "studio is at "); found {
			u, err := url.Parse(address)
			go drain()
			if err != nil {
				t.Fatal(err)
			}
			p.base, p.code = "http://"+u.Host, strings.TrimPrefix(u.Fragment, "code=")
			return p
		}
		t.Log(lines.Text())
	}
	go drain()
	t.Fatal("the daemon printed no address")
	return p
}

// request sends JSON and returns status, header and text of the answer.
func request(t *testing.T, method, address, body string, headers ...string) (int, http.Header, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, address, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, resp.Header, string(text)
}

func TestStudio_PrintsALinkThatSignsThePageInAndServesTheStore(t *testing.T) {
	home := t.TempDir()
	path := filepath.Join(home, "state.db")
	if _, err := store.Migrate(t.Context(), path, store.MigrateOptions{}); err != nil {
		t.Fatal(err)
	}
	storetest.Fill(t, path, storetest.Rows{Sessions: 3})
	p := startStudio(t, home)
	status, header, page := request(t, http.MethodGet, p.base+"/", "")
	if status != http.StatusOK || !strings.Contains(page, "/assets/") || header.Get("Cache-Control") != "no-cache" {
		t.Errorf("the page: %d %v", status, header)
	}
	script := page[strings.Index(page, "/assets/"):]
	script = script[:strings.IndexByte(script, '"')]
	if status, header, _ := request(t, http.MethodGet, p.base+script, ""); status != http.StatusOK || !strings.Contains(header.Get("Cache-Control"), "immutable") {
		t.Errorf("%s: %d %v", script, status, header)
	}
	status, _, body := request(t, http.MethodGet, p.base+"/api/runs/", "")
	if status != http.StatusOK || !strings.Contains(body, `"total":3`) {
		t.Errorf("%d %s", status, body)
	}
	tags := p.base + "/api/sessions/s0000001/tags"
	if status, _, _ := request(t, http.MethodPost, tags, `{"tag":"keep"}`); status != http.StatusUnauthorized {
		t.Errorf("a change without a token: %d", status)
	}
	_, _, body = request(t, http.MethodPost, p.base+"/api/token", `{"code":"`+p.code+`"}`)
	var got struct{ Token string }
	if err := json.Unmarshal([]byte(body), &got); err != nil || got.Token == "" {
		t.Fatalf("%s %v", body, err)
	}
	if status, _, body := request(t, http.MethodPost, tags, `{"tag":"keep"}`, "Authorization", "Bearer "+got.Token); status != http.StatusOK || body != `{"session_id":"s0000001","tags":["keep"]}` {
		t.Errorf("%d %s", status, body)
	}
	if text, err := os.ReadFile(filepath.Join(home, "studio.token")); err != nil || strings.TrimSpace(string(text)) != got.Token {
		t.Errorf("the file holds another token (%v)", err)
	}
	if code := p.stop(); code != exitOK {
		t.Errorf("interrupted, it exits with %d", code)
	}
}

func TestStudio_APortInUseIsAClearError(t *testing.T) {
	home := t.TempDir()
	p := startStudio(t, home)
	address := strings.TrimPrefix(p.base, "http://")
	var errs strings.Builder
	a := &app{in: strings.NewReader(""), out: io.Discard, err: &errs, environ: []string{"PODIUM_HOME=" + home, "HOME=" + home}}
	code := a.run(t.Context(), []string{"studio", "--listen", address})
	want := "podium: listen on " + address + ": another program has it, perhaps another podium studio; stop that one or choose another address with --listen\n"
	if code != exitFailure || !strings.HasSuffix(errs.String(), want) {
		t.Errorf("%d %q", code, errs.String())
	}
}

func TestStudio_AServerStoreAnswers501WithoutItsSecret(t *testing.T) {
	p := startStudio(t, t.TempDir(), "--store", "postgresql+asyncpg://user:topsecret@db.example/lion")
	status, _, body := request(t, http.MethodGet, p.base+"/api/runs/", "")
	want := `{"detail":"/api/runs/ cannot answer: the configured store is postgresql-backed, and this route can only read from a local SQLite file.","route":"/api/runs/","backend":"postgresql"}`
	if status != http.StatusNotImplemented || body != want {
		t.Errorf("%d %s", status, body)
	}
	if status, _, body := request(t, http.MethodGet, p.base+"/api/admin/readiness", ""); status != http.StatusOK || strings.Contains(body, "topsecret") {
		t.Errorf("%d %s", status, body)
	}
}

// TestStudio_RunningRowsAreJudgedByTheRealProcesses lists rows of this
// process, of one that has exited and of one whose pid was used again.
func TestStudio_RunningRowsAreJudgedByTheRealProcesses(t *testing.T) {
	home := t.TempDir()
	path := filepath.Join(home, "state.db")
	if _, err := store.Migrate(t.Context(), path, store.MigrateOptions{}); err != nil {
		t.Fatal(err)
	}
	me, err := pod.ThisProcess()
	if err != nil {
		t.Fatal(err)
	}
	child := exec.Command(os.Args[0], "-test.run=^$")
	if err := child.Run(); err != nil {
		t.Fatal(err)
	}
	row := func(id, metadata string) string {
		return fmt.Sprintf(`INSERT INTO sessions (id, created_at, updated_at, last_message_at, progression_id, status, invocation_kind, artifacts_path, node_metadata)
			VALUES ('%s', 1, unixepoch(), unixepoch(), 'p', 'running', 'agent', '/nowhere', '%s');`, id, metadata)
	}
	storetest.SQL(t, path, "INSERT INTO progressions (id, created_at) VALUES ('p', 1);"+
		row("mine", fmt.Sprintf(`{"process_identity_mode":"local","pid":%d,"pid_create_time":%f,"pid_host":"%s","pid_boot_time":%f}`, me.PID, me.CreateTime, me.Host, me.BootTime))+
		row("exited", fmt.Sprintf(`{"pid":%d}`, child.Process.Pid))+
		row("recycled", fmt.Sprintf(`{"pid":%d,"pid_create_time":%f}`, me.PID, me.CreateTime-100))+
		row("elsewhere", fmt.Sprintf(`{"pid":%d,"pid_host":"another machine"}`, me.PID))+
		row("no-identity-of-any-process", `{}`))
	p := startStudio(t, home)
	_, _, body := request(t, http.MethodGet, p.base+"/api/runs/", "")
	var listing struct {
		Runs []struct {
			ID     string
			Health string `json:"effective_health"`
		}
	}
	if err := json.Unmarshal([]byte(body), &listing); err != nil {
		t.Fatal(err)
	}
	got := make(map[string]string)
	for _, r := range listing.Runs {
		got[r.ID] = r.Health
	}
	for id, want := range map[string]string{
		"mine": "healthy", "exited": "stale", "recycled": "stale", "elsewhere": "healthy", "no-identity-of-any-process": "healthy",
	} {
		if got[id] != want {
			t.Errorf("%s is %s, want %s", id, got[id], want)
		}
	}
}

func TestHostTable_ListsTheCommandOfThisProcess(t *testing.T) {
	lines, err := hostTable{}.Commands(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Base(os.Args[0])
	for _, line := range lines {
		if strings.Contains(line, name) {
			return
		}
	}
	t.Errorf("none of %d lines names %s", len(lines), name)
}
