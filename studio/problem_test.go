package studio_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"podium.local/session"
	"podium.local/studio"
)

func TestProblem_EveryCauseHasItsStatusAndLeaksNothing(t *testing.T) {
	tests := []struct {
		name   string
		err    error
		status int
		body   string
		retry  string
	}{
		{"overloaded", session.ErrOverloaded, 503, `{"detail":"Too many large reads at once; try again in a moment."}`, "1"},
		{"locked", session.ErrBusy, 503, `{"detail":"The store is locked by another program; try again in a moment."}`, "1"},
		{"too slow", session.ErrSlow, 503, `{"detail":"The read took longer than 5 seconds and was stopped; narrow the request."}`, ""},
		{"not ready", fmt.Errorf("%w: its schema is 1; run `podium store migrate`", session.ErrNotReady), 503, "{\"detail\":\"list: the store is not ready: its schema is 1; run `podium store migrate`\"}", ""},
		{"full disk", session.ErrFull, 507, `{"detail":"The disk that holds the store is full; nothing was changed."}`, ""},
		{"read-only", session.ErrReadOnly, 409, `{"detail":"The store cannot be written; check the file's permissions."}`, ""},
		{"adopted", fmt.Errorf("%w: %w", session.ErrAdopted, session.ErrReadOnly), 409, `{"detail":"This store was adopted and is for reading; sessions in it are renamed and deleted by the program that owns it."}`, ""},
		{"held", session.ErrHeld, 409, `{"detail":"A live pod holds this session; stop it first."}`, ""},
		{"damaged", session.ErrCorrupt, 500, `Internal Server Error`, ""},
		{"anything else", errors.New("no such column: secret_column"), 500, `Internal Server Error`, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var log strings.Builder
			s := newServer(t, &fakeStore{err: fmt.Errorf("list: %w", tt.err)}, func(c *studio.Config) {
				c.Log = slog.New(slog.NewTextHandler(&log, nil))
			})
			w := call(t, s.Handler(), http.MethodGet, "/api/runs/", "")
			want(t, w, tt.status, tt.body)
			if got := w.Header().Get("Retry-After"); got != tt.retry {
				t.Errorf("Retry-After is %q", got)
			}
			if !strings.Contains(log.String(), "list:") {
				t.Errorf("the log does not say why: %s", log.String())
			}
		})
	}
}

func TestProblem_APanicIsAnOpaque500AndALogLine(t *testing.T) {
	var log strings.Builder
	s := newServer(t, &fakeStore{}, func(c *studio.Config) {
		c.Log = slog.New(slog.NewTextHandler(&log, nil))
		c.Sources.Listings = nil
	})
	want(t, call(t, s.Handler(), http.MethodGet, "/api/runs/", ""), http.StatusInternalServerError, "Internal Server Error")
	if !strings.Contains(log.String(), "handler panicked") {
		t.Error(log.String())
	}
}

func TestProblem_ABodyThatIsTooLargeIsRefused(t *testing.T) {
	s := newServer(t, &fakeStore{}, nil)
	body := `{"tag":"` + strings.Repeat("x", 1<<20) + `"}`
	w := call(t, s.Handler(), http.MethodPost, "/api/sessions/x/tags", body, "Content-Type", "application/json", "Authorization", "Bearer "+localToken)
	want(t, w, http.StatusRequestEntityTooLarge, `{"detail":"The request body is larger than 1 MiB."}`)
}

func TestProblem_ANumberWithoutAJSONFormFailsAsInV1(t *testing.T) {
	inf := 1e308
	inf *= 10
	s := newServer(t, &fakeStore{rows: []session.Row{{ID: "s", TotalCostUSD: &inf}}}, nil)
	want(t, call(t, s.Handler(), http.MethodGet, "/api/runs/", ""), http.StatusInternalServerError, "Internal Server Error")
}

func TestReadiness_IsAlways200AndSaysWhatIsWrong(t *testing.T) {
	tests := []struct {
		name  string
		store *fakeStore
		want  string
	}{
		{"healthy", &fakeStore{}, `{"status":"healthy","detail":null,"latency_ms":*,"timeout_ms":60,"store_present":true,"checked_at":1767279600.0,"store_context":"00112233445566aa"}`},
		{"without an identity", &fakeStore{probe: func(context.Context) (session.Probe, error) { return session.Probe{Present: true}, nil }},
			`{"status":"healthy","detail":null,"latency_ms":*,"timeout_ms":60,"store_present":true,"checked_at":1767279600.0,"store_context":null}`},
		{"missing", &fakeStore{absent: true}, `{"status":"unavailable","detail":"there is no store file yet","latency_ms":null,"timeout_ms":60,"store_present":false,"checked_at":1767279600.0,"store_context":null}`},
		{"gone meanwhile", &fakeStore{probe: func(context.Context) (session.Probe, error) { return session.Probe{}, nil }},
			`{"status":"unavailable","detail":"there is no store file yet","latency_ms":null,"timeout_ms":60,"store_present":false,"checked_at":1767279600.0,"store_context":null}`},
		{"broken", &fakeStore{err: errors.New("the file is damaged")},
			`{"status":"unavailable","detail":"the file is damaged","latency_ms":null,"timeout_ms":60,"store_present":true,"checked_at":1767279600.0,"store_context":null}`},
		{"slow", &fakeStore{probe: func(ctx context.Context) (session.Probe, error) { <-ctx.Done(); return session.Probe{}, ctx.Err() }},
			`{"status":"slow","detail":"the store did not answer within 60 ms","latency_ms":null,"timeout_ms":60,"store_present":true,"checked_at":1767279600.0,"store_context":null}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newServer(t, tt.store, nil)
			w := call(t, s.Handler(), http.MethodGet, "/api/admin/readiness?timeout_ms=60", "")
			head, tail, _ := strings.Cut(tt.want, "*")
			if got := w.Body.String(); w.Code != http.StatusOK || !strings.HasPrefix(got, head) || !strings.HasSuffix(got, tail) {
				t.Errorf("got  %d %s\nwant %s", w.Code, got, tt.want)
			}
		})
	}
}

func TestMetrics_CountByRouteAndHoldNoTextOfClients(t *testing.T) {
	s := newServer(t, &fakeStore{}, nil)
	for _, target := range []string{"/api/runs/?search=my-secret-search", "/api/sessions/my-secret-id", "/api/runs/?page=0", "/health"} {
		call(t, s.Handler(), http.MethodGet, target, "")
	}
	call(t, s.Handler(), http.MethodGet, "/api/runs/", "", "Host", "evil.example")
	call(t, s.Handler(), http.MethodDelete, "/api/sessions/my-secret-id", "", "Content-Type", "application/json")
	w := call(t, s.Handler(), http.MethodGet, "/metrics", "")
	body := w.Body.String()
	for _, line := range []string{
		`podium_studio_requests_total{method="GET",route="/api/runs/",status="200"} 1`,
		`podium_studio_requests_total{method="GET",route="/api/runs/",status="422"} 1`,
		`podium_studio_requests_total{method="GET",route="/api/sessions/{id}",status="404"} 1`,
		`podium_studio_requests_total{method="DELETE",route="/api/sessions/{id}",status="401"} 1`,
		`podium_studio_refused_total{rule="host"} 1`,
		`podium_studio_refused_total{rule="bearer"} 1`,
		`podium_studio_streams 0`,
	} {
		if !strings.Contains(body, line+"\n") {
			t.Errorf("lacks %s", line)
		}
	}
	if strings.Contains(body, "secret") || strings.Contains(body, "evil") {
		t.Error("a label holds a client's text")
	}
}
