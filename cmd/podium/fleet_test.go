package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"podium.local/client"
	"podium.local/protocol"
	"podium.local/rehearsal"
	"podium.local/session"
)

// fleetPatience bounds every wait of these tests; what is waited for comes as
// soon as it is known.
const fleetPatience = 40 * time.Second

// shellScript is an agent that runs a command that does not end by itself.
func shellScript() *rehearsal.Script {
	return &rehearsal.Script{Repeat: true, Replies: []rehearsal.Reply{
		{Calls: []rehearsal.Call{{Name: "Bash", Args: rehearsal.Args{"command": "sleep 300"}}}},
	}}
}

// fleetPodSeen are the members of a pod that these tests look at.
type fleetPodSeen struct {
	Name      string
	State     string
	SessionID string `json:"session_id"`
	Tool      *string
	Since     *float64
	Clients   int
	Input     int64    `json:"input_tokens"`
	Output    int64    `json:"output_tokens"`
	Cost      *float64 `json:"cost_usd"`
	Partial   bool     `json:"cost_partial"`
	Attention *struct{ Kind string }
}

// fleetFrameSeen is one frame of the stream.
type fleetFrameSeen struct {
	id   string
	Type string
	Pods []fleetPodSeen
	Runs []struct {
		ID     string
		Health *string `json:"effective_health"`
	}
}

// fleetViewer reads a stream and keeps what it says of each pod.
type fleetViewer struct {
	t      *testing.T
	frames chan fleetFrameSeen
	close  func()
	pods   map[string]fleetPodSeen
	lastID string
}

// watchFleet opens the stream behind lastID.
func watchFleet(t *testing.T, base, token, lastID string) *fleetViewer {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, base+"/api/fleet/stream", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Last-Event-ID", lastID)
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	if resp.StatusCode != http.StatusOK {
		t.Fatalf("the stream answers %d", resp.StatusCode)
	}
	v := &fleetViewer{t: t, frames: make(chan fleetFrameSeen, 1000), pods: map[string]fleetPodSeen{}, close: cancel}
	t.Cleanup(cancel)
	go func() {
		defer close(v.frames)
		defer resp.Body.Close()
		lines := bufio.NewScanner(resp.Body)
		lines.Buffer(nil, 16<<20)
		var f fleetFrameSeen
		for lines.Scan() {
			name, value, _ := strings.Cut(lines.Text(), ": ")
			switch name {
			case "id":
				f.id = value
			case "data":
				if err := json.Unmarshal([]byte(value), &f); err != nil {
					t.Errorf("%v in %s", err, value)
				}
			case "":
				v.frames <- f
				f = fleetFrameSeen{}
			}
		}
	}()
	return v
}

// until reads frames until a pod is as wanted, and returns that frame.
func (v *fleetViewer) until(name string, wanted func(fleetPodSeen) bool) fleetFrameSeen {
	v.t.Helper()
	patience := time.After(fleetPatience)
	for {
		select {
		case f, open := <-v.frames:
			if !open {
				v.t.Fatalf("the stream ended; pod %s is %+v", name, v.pods[name])
			}
			if f.id != "" {
				v.lastID = f.id
			}
			for _, p := range f.Pods {
				v.pods[p.Name] = p
			}
			if wanted(v.pods[name]) {
				return f
			}
		case <-patience:
			v.t.Fatalf("pod %s stays %+v", name, v.pods[name])
		}
	}
}

// orZero is what p points to, or nothing.
func orZero[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}

func inState(state string) func(fleetPodSeen) bool {
	return func(p fleetPodSeen) bool { return p.State == state }
}

// signal sends a signal to a pod's process.
func (p *process) signal(t *testing.T, sig syscall.Signal) {
	t.Helper()
	if err := p.cmd.Process.Signal(sig); err != nil {
		t.Fatal(err)
	}
}

// agree waits until podium ps says the same of every pod as GET /api/pods: how
// many clients a pod has may be told a second late.
func agree(t *testing.T, h *home, base, token string) {
	t.Helper()
	for deadline := time.Now().Add(fleetPatience); ; {
		_, _, body := request(t, http.MethodGet, base+"/api/pods", "", "Authorization", "Bearer "+token)
		var fleet struct{ Pods []fleetPodSeen }
		if err := json.Unmarshal([]byte(body), &fleet); err != nil {
			t.Fatalf("%v in %s", err, body)
		}
		var page, ps strings.Builder
		for _, f := range fleet.Pods {
			fmt.Fprintln(&page, f.Name, f.State, f.SessionID, f.Input, f.Output, orZero(f.Cost), f.Partial, f.Clients)
		}
		var out bytes.Buffer
		a := &app{in: strings.NewReader(""), out: &out, err: &out, environ: []string{"PODIUM_HOME=" + h.dir, "HOME=" + h.dir}}
		if code := a.run(t.Context(), []string{"ps", "--json"}); code != exitOK {
			t.Fatalf("ps exits with %d: %s", code, &out)
		}
		for dec := json.NewDecoder(&out); dec.More(); {
			var p podReport
			if err := dec.Decode(&p); err != nil {
				t.Fatal(err)
			}
			fmt.Fprintln(&ps, p.Name, p.State, p.SessionID, orZero(p.InputTokens), orZero(p.OutputTokens), orZero(p.CostUSD), p.CostPartial, orZero(p.Clients))
		}
		if ps.String() == page.String() && ps.Len() > 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("ps says\n%s\nstudio says\n%s", &ps, &page)
		}
	}
}

// TestFleet_RealPodsAreShownAsTheyAre drives three processes through the
// daemon: one works and is paused, one is stopped by a signal, one is killed.
func TestFleet_RealPodsAreShownAsTheyAre(t *testing.T) {
	h := newHome(t)
	url := startModel(t, shellScript())
	h.startPod("work", url, "--allow-bash")
	stuck := h.startPod("stuck", url, "--allow-bash")
	killed := h.startPod("killed", url, "--allow-bash")
	p := startStudio(t, h.dir)
	token := readToken(t, h)
	tell := func(pod, method, body string) (int, string) {
		t.Helper()
		status, _, answer := request(t, http.MethodPost, p.base+"/api/pods/"+pod+"/"+method, body, "Authorization", "Bearer "+token)
		return status, answer
	}
	agree(t, h, p.base, token)
	v := watchFleet(t, p.base, token, "")
	if first := v.until("work", inState("idle")); first.Type != "reset" || len(first.Pods) != 3 || len(first.Runs) != 3 {
		t.Errorf("%+v", first)
	}

	if status, body := tell("work", "run", `{"input":"go on","request_id":"once"}`); status != http.StatusAccepted || body != `{"request_id":"once"}` {
		t.Errorf("%d %s", status, body)
	}
	v.until("work", func(p fleetPodSeen) bool { return p.State == "running" && p.Tool != nil && *p.Tool == "Bash" })
	if status, body := tell("work", "run", `{"input":"go on","request_id":"once"}`); status != http.StatusAccepted {
		t.Errorf("the same request again: %d %s", status, body)
	}
	if status, body := tell("work", "run", `{"input":"more"}`); status != http.StatusConflict || !strings.Contains(body, `"code":"already_running"`) {
		t.Errorf("a second run: %d %s", status, body)
	}
	if status, body := tell("work", "resume", `{}`); status != http.StatusConflict || !strings.Contains(body, `"detail":{"code":`) {
		t.Errorf("resume of what runs: %d %s", status, body)
	}

	// A pod that is stopped says nothing, and the others are shown all the same.
	stuck.signal(t, syscall.SIGSTOP)
	if status, body := tell("work", "pause", `{}`); status != http.StatusAccepted {
		t.Errorf("%d %s", status, body)
	}
	v.until("work", func(p fleetPodSeen) bool {
		return p.State == "paused" && p.Tool == nil && p.Attention != nil && p.Attention.Kind == "paused"
	})
	if v.pods["stuck"].State != "idle" {
		t.Errorf("the stopped pod was %s before it was asked", v.pods["stuck"].State)
	}
	v.until("stuck", inState("unresponsive"))
	// It answered last before it was asked in vain.
	if since := v.pods["stuck"].Since; since == nil || *since > session.UnixSeconds(time.Now().Add(-helloPatience)) {
		t.Errorf("a stopped pod is silent since %v", since)
	}
	if status, body := tell("stuck", "notify", `{"message":"hello"}`); status != http.StatusServiceUnavailable {
		t.Errorf("a stopped pod: %d %s", status, body)
	}
	agree(t, h, p.base, token)
	stuck.signal(t, syscall.SIGCONT)
	v.until("stuck", func(p fleetPodSeen) bool { return p.State != "unresponsive" })

	end := session.UnixSeconds(time.Now())
	killed.kill()
	v.until("killed", inState("dead"))
	if since := v.pods["killed"].Since; since == nil || *since > end {
		t.Errorf("a pod that was killed at %v is dead since %v", end, since)
	}
	if status, body := tell("killed", "run", `{"input":"go on"}`); status != http.StatusNotFound {
		t.Errorf("a dead pod: %d %s", status, body)
	}
	agree(t, h, p.base, token)

	// Behind a known id the stream goes on; what came meanwhile comes first.
	seen := v.lastID
	v.close()
	if status, body := tell("work", "cancel", `{}`); status != http.StatusAccepted {
		t.Errorf("%d %s", status, body)
	}
	again := watchFleet(t, p.base, token, seen)
	if f := again.until("work", inState("idle")); f.Type != "change" {
		t.Errorf("resumed with %+v", f)
	}
	// A name that was taken over is another process of the same pod.
	h.startPod("killed", url, "--allow-bash")
	again.until("killed", func(p fleetPodSeen) bool { return p.State == "idle" && p.Attention == nil })

	// Another daemon does not know the id.
	seen = again.lastID
	if code := p.stop(); code != exitOK {
		t.Errorf("the daemon exits with %d", code)
	}
	for range again.frames { // to its end
	}
	p = startStudio(t, h.dir)
	v = watchFleet(t, p.base, token, seen)
	if f := v.until("work", inState("idle")); f.Type != "reset" || len(f.Pods) != 3 {
		t.Errorf("after a restart: %+v", f)
	}
	v.close()
	alone(t, h, "work")
}

// alone waits until the caller is the only client of a pod.
func alone(t *testing.T, h *home, name string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), fleetPatience)
	defer cancel()
	conn, err := client.Dial(ctx, h.socket(name), client.Options{Mode: client.ModeExtended})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	for e, err := range conn.Events(ctx) {
		if err != nil {
			t.Fatalf("somebody stays connected to pod %s: %v", name, err)
		}
		if s, ok := e.Data.(protocol.Status); ok && s.Clients == 1 {
			return
		}
	}
}

// readToken reads the token file of a home.
func readToken(t *testing.T, h *home) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(h.dir, "studio.token"))
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(text))
}

// TestFleet_ARunningToolIsFoundByASingleLook asks once, with nobody
// connected before.
func TestFleet_ARunningToolIsFoundByASingleLook(t *testing.T) {
	h := newHome(t)
	h.startPod("p", startModel(t, shellScript()), "--allow-bash")
	p := startStudio(t, h.dir)
	token := readToken(t, h)
	if status, _, body := request(t, http.MethodPost, p.base+"/api/pods/p/run", `{"input":"go"}`, "Authorization", "Bearer "+token); status != http.StatusAccepted {
		t.Fatalf("%d %s", status, body)
	}
	for deadline := time.Now().Add(fleetPatience); ; {
		_, _, body := request(t, http.MethodGet, p.base+"/api/pods", "", "Authorization", "Bearer "+token)
		if strings.Contains(body, `"tool":"Bash"`) {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal(body)
		}
	}
}
