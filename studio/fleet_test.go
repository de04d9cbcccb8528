package studio_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"podium.local/protocol"
	"podium.local/session"
	"podium.local/studio"
)

var bearer = []string{"Authorization", "Bearer " + localToken}

func TestPods_EveryMemberIsThere(t *testing.T) {
	p := podNamed("p")
	p.SessionName, p.Project, p.InputTokens, p.OutputTokens, p.CostUSD, p.CostPartial = ptr("## fix <it>\nnow"), ptr("shop"), ptr(int64(10)), ptr(int64(2)), ptr(0.5), true
	p.LastRun, p.LastRunAt = &session.RunEnd{Result: protocol.RunLimitReached}, 42
	bare := podNamed("q")
	bare.SessionID, bare.Model, bare.SessionName, bare.SeenAt = "", "", ptr("session"), session.UnixSeconds(at)-600
	g := newStage(t, session.Fleet{Pods: []session.FleetPod{p, bare}, Active: []session.Row{runNamed("a", "blocked")}}, map[string]studio.PodLook{
		"p": {State: protocol.StateIdle, SessionID: "s-new", Since: at, Clients: ptr(uint64(3)), ContextTokens: ptr(uint64(100)), ContextLimit: ptr(uint64(1000)),
			Problem: "no answer", ProblemAt: at.Add(time.Second)},
		// When it was looked at is not when it died.
		"q": {State: studio.PodDead, Since: at},
	})
	w := call(t, g.server.Handler(), http.MethodGet, "/api/pods", "", bearer...)
	body := w.Body.String()
	at := strings.Index(body, `,"runs":`)
	want := `{"as_of":1767279600.0,"pods":[{"name":"p","pod_id":"` + p.ID.String() + `","session_id":"s-new","title":"fix <it> now","state":"idle","tool":null,"model":"m",` +
		`"project":"shop","cwd":"/src","started_at":1767276000.0,"since":1767279600.0,"context_tokens":100,"context_limit":1000,"input_tokens":10,"output_tokens":2,` +
		`"cost_usd":0.5,"cost_partial":true,"clients":3,"attention":{"kind":"limit","since":42.0},"problem":{"text":"no answer","at":1767279601.0}},` +
		`{"name":"q","pod_id":"` + bare.ID.String() + `","session_id":null,"title":null,"state":"dead","tool":null,"model":null,` +
		`"project":null,"cwd":"/src","started_at":1767276000.0,"since":1767279000.0,"context_tokens":null,"context_limit":null,"input_tokens":null,"output_tokens":null,` +
		`"cost_usd":null,"cost_partial":false,"clients":0,"attention":null,"problem":null}]`
	if w.Code != http.StatusOK || at < 0 || body[:at] != want {
		t.Errorf("%d\ngot  %s\nwant %s", w.Code, body, want)
	}
	var got struct {
		Runs      []map[string]any
		Truncated *bool
	}
	if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || got.Truncated == nil {
		t.Fatalf("%v in %s", err, body)
	}
	// A run is the row of the runs listing and one member more.
	g.store.rows = []session.Row{runNamed("a", "blocked")}
	row := list(t, g.server, "/api/runs/", "runs")[0]
	row["attention"] = map[string]any{"kind": "blocked", "since": 1767279600.0}
	if diff := cmp.Diff(row, got.Runs[0]); diff != "" {
		t.Error(diff)
	}
}

func TestPods_AsksTheStoreForWhatTheFleetShows(t *testing.T) {
	f := &fakeStore{}
	var got session.FleetQuery
	f.fleet = func(q session.FleetQuery) session.Fleet { got = q; return session.Fleet{} }
	w := call(t, newServer(t, f, nil).Handler(), http.MethodGet, "/api/pods", "", bearer...)
	want(t, w, http.StatusOK, `{"as_of":1767279600.0,"pods":[],"runs":[],"truncated":false,"failed_truncated":false}`)
	if got.ActiveLimit != 500 || got.FailedLimit != 50 || got.FailedSince != session.UnixSeconds(at)-86400 || fmt.Sprint(got.Failed) != "[failed timed_out]" ||
		fmt.Sprint(got.Active) != "[needs_review blocked gated running executing in_progress director-managed queued pending planned received waiting scheduled]" {
		t.Errorf("%+v", got)
	}
}

func TestPods_RequestsThatComeTogetherShareOneAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newStage(t, session.Fleet{Pods: []session.FleetPod{podNamed("mute"), podNamed("p")}}, map[string]studio.PodLook{"p": idleLook})
		g.pods.mute["mute"] = true
		var all sync.WaitGroup
		for range 20 {
			all.Go(func() {
				w := call(t, g.server.Handler(), http.MethodGet, "/api/pods", "", bearer...)
				if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), `"state":"unresponsive"`) || !strings.Contains(w.Body.String(), `"state":"idle"`) {
					t.Errorf("%d %s", w.Code, w.Body)
				}
			})
		}
		began := time.Now()
		all.Wait()
		if took := time.Since(began); took != 2*time.Second || g.store.fleetReads.Load() != 1 || g.pods.asked.Load() != 2 {
			t.Errorf("%v, %d readings, %d pods asked", took, g.store.fleetReads.Load(), g.pods.asked.Load())
		}
		// Whoever gives up takes nobody with it.
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		r := httptest.NewRequestWithContext(ctx, http.MethodGet, "http://localhost:8765/api/pods", nil)
		r.Header.Set(bearer[0], bearer[1])
		all.Go(func() { g.server.Handler().ServeHTTP(httptest.NewRecorder(), r) })
		synctest.Wait()
		if w := call(t, g.server.Handler(), http.MethodGet, "/api/pods", "", bearer...); w.Code != http.StatusOK {
			t.Errorf("%d %s", w.Code, w.Body)
		}
		all.Wait()
	})
}

func TestPods_AnOpenStreamAnswersForAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newStage(t, session.Fleet{Pods: []session.FleetPod{podNamed("p")}}, map[string]studio.PodLook{"p": idleLook})
		v := g.view(t, "", nil)
		g.pods.say("p", studio.PodLook{State: protocol.StateRunning})
		after(tick)
		reads := g.store.fleetReads.Load()
		w := call(t, g.server.Handler(), http.MethodGet, "/api/pods", "", bearer...)
		if !strings.Contains(w.Body.String(), `"state":"running"`) || g.store.fleetReads.Load() != reads {
			t.Errorf("%s", w.Body)
		}
		v.leave()
		if call(t, g.server.Handler(), http.MethodGet, "/api/pods", "", bearer...); g.store.fleetReads.Load() != reads+1 {
			t.Error("an answer without a stream is an old one")
		}
	})
}

func TestPods_FailedRowsLeaveAfterADayWithoutACommit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		now := at
		var mu sync.Mutex
		old := runNamed("old", "failed")
		old.EndedAt = ptr(session.UnixSeconds(at) - 86_390)
		g := newStage(t, session.Fleet{}, nil)
		g.fleet.Failed = []session.Row{old}
		g.server = newServer(t, g.store, func(c *studio.Config) {
			c.Poll, c.Pods = 0, g.pods
			c.Now = func() time.Time { mu.Lock(); defer mu.Unlock(); return now }
		})
		v := g.view(t, "", nil)
		if m := v.one(); names(m.Runs, "id") != "old" {
			t.Errorf("%+v", m)
		}
		mu.Lock()
		now = now.Add(20 * time.Second)
		mu.Unlock()
		after(6 * time.Second)
		if m := v.one(); fmt.Sprint(m.GoneRuns) != "[old]" {
			t.Errorf("%+v", m)
		}
	})
}

func TestPods_StoreConditionsHaveTheirAnswers(t *testing.T) {
	tests := []struct {
		name   string
		change func(*studio.Config)
		err    error
		status int
	}{
		{"a server's store", func(c *studio.Config) { c.Backend = "postgresql" }, nil, 501},
		{"not ready", func(*studio.Config) {}, session.ErrNotReady, 503},
		{"locked", func(*studio.Config) {}, session.ErrBusy, 503},
		{"broken", func(*studio.Config) {}, http.ErrAbortHandler, 500},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := &fakeStore{err: tt.err}
			s := newServer(t, f, tt.change)
			for _, target := range []string{"/api/pods", "/api/fleet/stream"} {
				if w := call(t, s.Handler(), http.MethodGet, target, "", bearer...); w.Code != tt.status {
					t.Errorf("%s: %d %s", target, w.Code, w.Body)
				}
			}
		})
	}
}
