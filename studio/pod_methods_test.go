package studio_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"podium.local/client"
	"podium.local/protocol"
	"podium.local/session"
)

// tell posts a method to a pod.
func (g *stage) tell(t testing.TB, pod, method, body string) (status int, answer string) {
	t.Helper()
	w := call(t, g.server.Handler(), http.MethodPost, "/api/pods/"+pod+"/"+method, body, append(bearer, "Content-Type", "application/json")...)
	return w.Code, w.Body.String()
}

func TestPodMethods_AcceptedOnesAre202WithTheIDTheyWereSentUnder(t *testing.T) {
	g := newStage(t, session.Fleet{Pods: []session.FleetPod{podNamed("p")}}, nil)
	for i, tt := range []struct {
		method, body string
		want         protocol.MethodParams
	}{
		{"run", `{"input":"do <it>"}`, protocol.Run{Input: "do <it>"}},
		{"run", `{"input":""}`, protocol.Run{}},
		{"notify", `{"message":"a note"}`, protocol.Notify{Message: "a note"}},
		{"pause", `{}`, protocol.Pause{}},
		{"resume", `{}`, protocol.Resume{}},
		{"cancel", `{}`, protocol.Cancel{}},
		{"compact", ` { } `, protocol.Compact{}},
	} {
		status, body := g.tell(t, "p", tt.method, tt.body)
		var got struct {
			RequestID string `json:"request_id"`
		}
		if err := json.Unmarshal([]byte(body), &got); err != nil || status != http.StatusAccepted || len(got.RequestID) != 36 {
			t.Fatalf("%s: %d %s", tt.method, status, body)
		}
		if diff := cmp.Diff(protocol.Method{Params: tt.want, RequestID: got.RequestID}, g.pods.calls[i]); diff != "" {
			t.Errorf("%s: %s", tt.method, diff)
		}
	}
	if status, body := g.tell(t, "p", "run", `{"input":"again","request_id":"mine"}`); status != http.StatusAccepted || body != `{"request_id":"mine"}` {
		t.Errorf("%d %s", status, body)
	}
}

func TestPodMethods_BadBodiesReachNoPod(t *testing.T) {
	g := newStage(t, session.Fleet{Pods: []session.FleetPod{podNamed("p")}}, nil)
	for _, tt := range []struct{ method, body, want string }{
		{"run", ``, `"type":"missing"`},
		{"run", `{}`, `"loc":["body","input"]`},
		{"run", `{"input":1}`, `"type":"string_type"`},
		{"run", `{"input":null}`, `"type":"string_type"`},
		{"run", `{"input":"x"`, `"type":"json_invalid"`},
		{"run", `["x"]`, `"type":"model_attributes_type"`},
		{"run", `{"input":"x","message":"y"}`, `"loc":["body","message"]`},
		{"run", `{"message":"x"}`, `"loc":["body","input"]`},
		{"notify", `{"input":"x"}`, `"loc":["body","message"]`},
		{"pause", `{"input":"x"}`, `"type":"extra_forbidden"`},
		{"compact", `{"":0}`, `"type":"extra_forbidden"`},
		{"cancel", `{"request_id":""}`, `1 to 64 bytes`},
		{"cancel", `{"request_id":"` + strings.Repeat("x", 65) + `"}`, `1 to 64 bytes`},
		{"cancel", `{"request_id":7}`, `"type":"string_type"`},
		{"resume", `null`, `"type":"model_attributes_type"`},
	} {
		if status, body := g.tell(t, "p", tt.method, tt.body); status != http.StatusUnprocessableEntity || !strings.Contains(body, tt.want) {
			t.Errorf("%s %s: %d %s", tt.method, tt.body, status, body)
		}
	}
	if status, _ := g.tell(t, "p", "run", `{"input":"`+strings.Repeat("x", 1<<20)+`"}`); status != http.StatusRequestEntityTooLarge {
		t.Errorf("a huge input: %d", status)
	}
	if len(g.pods.calls) != 0 {
		t.Errorf("%d methods were sent", len(g.pods.calls))
	}
}

func TestPodMethods_WhatThePodSaysIsWhatThePageGets(t *testing.T) {
	g := newStage(t, session.Fleet{Pods: []session.FleetPod{podNamed("p")}}, nil)
	var answer error
	g.pods.call = func(context.Context, session.Pod, protocol.Method) error { return answer }
	for _, tt := range []struct {
		err    error
		status int
		body   string
	}{
		{&client.PodError{Method: "run", Code: protocol.CodeAlreadyRunning, Message: "Pod is already <busy>"}, 409, `{"detail":{"code":"already_running","message":"Pod is already <busy>"}}`},
		{fmt.Errorf("wrapped: %w", &client.PodError{Code: protocol.CodeNotPaused, Message: "no"}), 409, `{"detail":{"code":"not_paused","message":"no"}}`},
		{fmt.Errorf("pod p is %w", client.ErrNotRunning), 404, `{"detail":"No live pod is called 'p'"}`},
		{client.ErrBaseOnly, 409, `{"detail":{"code":"unsupported_version","message":"this pod confirms nothing; use podium send and its like"}}`},
		{context.DeadlineExceeded, 503, `{"detail":"The pod does not answer. It may still act on the request: repeat it with the same request_id."}`},
		{errors.New("secret /path"), 503, `{"detail":"The pod does not answer. It may still act on the request: repeat it with the same request_id."}`},
	} {
		answer = tt.err
		status, body := g.tell(t, "p", "pause", `{}`)
		if status != tt.status || body != tt.body {
			t.Errorf("%v: %d %s", tt.err, status, body)
		}
	}
	if status, body := g.tell(t, "nobody", "pause", `{}`); status != 404 || body != `{"detail":"No live pod is called 'nobody'"}` {
		t.Errorf("%d %s", status, body)
	}
	for _, target := range []string{"..", "p%2F..%2Fq", "%00", "p%20"} {
		if status, _ := g.tell(t, target, "pause", `{}`); status == http.StatusAccepted {
			t.Errorf("%s was accepted", target)
		}
	}
	w := call(t, g.server.Handler(), http.MethodGet, "/metrics", "")
	for _, line := range []string{`podium_studio_pod_calls_total{method="pause",outcome="refused"} 3`, `podium_studio_pod_calls_total{method="pause",outcome="silent"} 2`, `podium_studio_pod_calls_total{method="pause",outcome="absent"} 1`} {
		if !strings.Contains(w.Body.String(), line) {
			t.Errorf("the metrics lack %s", line)
		}
	}
	if strings.Contains(w.Body.String(), "nobody") {
		t.Error("the metrics hold a name from a request")
	}
}

func TestPodMethods_APodThatDoesNotAnswerIsWaitedForFiveSeconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newStage(t, session.Fleet{Pods: []session.FleetPod{podNamed("p")}}, nil)
		g.pods.call = func(ctx context.Context, _ session.Pod, _ protocol.Method) error {
			<-ctx.Done()
			return ctx.Err()
		}
		w := call(t, g.server.Handler(), http.MethodPost, "/api/pods/p/cancel", `{}`, append(bearer, "Content-Type", "application/json")...)
		if w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") != "1" {
			t.Errorf("%d %v", w.Code, w.Header())
		}
	})
}
