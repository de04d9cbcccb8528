package studio_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"podium.local/session"
	"podium.local/studio"
)

func TestBoundary_OnlyNamesOfThisMachineAreServed(t *testing.T) {
	tests := []struct {
		name, bind, host string
		ok               bool
	}{
		{"localhost", "127.0.0.1", "localhost", true},
		{"localhost on any port", "127.0.0.1", "localhost:59999", true},
		{"localhost in capitals", "127.0.0.1", "LOCALHOST:1", true},
		{"loopback address", "127.0.0.1", "127.0.0.1:8765", true},
		{"bracketed IPv6 loopback", "127.0.0.1", "[::1]:8765", true},
		{"bracketed IPv6 without port", "127.0.0.1", "[::1]", true},
		{"rebound name", "127.0.0.1", "evil.example.com", false},
		{"rebound name with our port", "127.0.0.1", "evil.example.com:8765", false},
		{"other loopback address", "127.0.0.1", "127.0.0.2", false},
		{"configured bind host", "studio-box.local", "studio-box.local:8765", true},
		{"configured bind host in capitals", "studio-box.local", "Studio-Box.Local", true},
		{"wildcard bind does not widen", "0.0.0.0", "0.0.0.0:8765", false},
		{"IPv6 wildcard bind does not widen", "::", "[::]:8765", false},
		{"port followed by a name", "127.0.0.1", "127.0.0.1:8765.evil.com", false},
		{"port followed by a word", "127.0.0.1", "127.0.0.1:8765:evil", false},
		{"text behind the bracket", "127.0.0.1", "[::1]evil.com", false},
		{"port that is no number", "127.0.0.1", "localhost:badport", false},
		{"port too long", "127.0.0.1", "localhost:123456", false},
		{"credentials in front", "127.0.0.1", "x@localhost", false},
		{"empty", "127.0.0.1", "", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newServer(t, &fakeStore{}, func(c *studio.Config) { c.BindHost = tt.bind })
			for _, path := range []string{"/health", "/api/sessions/", "/", "/metrics"} {
				w := call(t, s.Handler(), http.MethodGet, path, "", "Host", tt.host)
				if tt.ok {
					if w.Code != http.StatusOK {
						t.Errorf("%s: %d %s", path, w.Code, w.Body)
					}
					continue
				}
				want(t, w, http.StatusBadRequest, `{"detail":"Invalid Host header: '`+tt.host+`'"}`)
			}
		})
	}
}

func TestBoundary_ABadHostComesBeforeEverythingElse(t *testing.T) {
	s := newServer(t, &fakeStore{}, func(c *studio.Config) {
		c.Token, c.Origins = "secret", []string{"https://page.example"}
	})
	w := call(t, s.Handler(), http.MethodOptions, "/api/runs/", "", "Host", "evil.example.com",
		"Origin", "https://page.example", "Access-Control-Request-Method", "GET")
	want(t, w, http.StatusBadRequest, `{"detail":"Invalid Host header: 'evil.example.com'"}`)
	if got := w.Header().Get("Access-Control-Allow-Origin"); got != "" {
		t.Errorf("a refused host got CORS headers: %q", got)
	}
}

func TestBoundary_CORSServesListedOriginsOnly(t *testing.T) {
	listed := func(c *studio.Config) { c.Origins = []string{"https://page.example"} }
	t.Run("preflight of a listed origin", func(t *testing.T) {
		s := newServer(t, &fakeStore{}, func(c *studio.Config) { listed(c); c.Token = "secret" })
		w := call(t, s.Handler(), http.MethodOptions, "/api/runs/", "", "Origin", "https://page.example",
			"Access-Control-Request-Method", "GET", "Access-Control-Request-Headers", "authorization,x-any")
		if w.Code != http.StatusOK || w.Header().Get("Access-Control-Allow-Origin") != "https://page.example" {
			t.Errorf("%d %v", w.Code, w.Header())
		}
		if got := w.Header().Get("Access-Control-Allow-Headers"); got != "authorization,x-any" {
			t.Errorf("allowed headers: %q", got)
		}
		if got := w.Header().Get("Access-Control-Allow-Methods"); got != "DELETE, GET, HEAD, OPTIONS, PATCH, POST" {
			t.Errorf("allowed methods: %q", got)
		}
		if w.Header().Get("Access-Control-Allow-Credentials") != "" {
			t.Error("credentials must never be allowed")
		}
	})
	t.Run("simple request of a listed origin", func(t *testing.T) {
		s := newServer(t, &fakeStore{}, listed)
		w := call(t, s.Handler(), http.MethodGet, "/api/runs/", "", "Origin", "https://page.example", "Sec-Fetch-Site", "cross-site")
		if w.Code != http.StatusOK || w.Header().Get("Access-Control-Allow-Origin") != "https://page.example" || w.Header().Get("Vary") != "Origin" {
			t.Errorf("%d %v", w.Code, w.Header())
		}
	})
	t.Run("foreign origin gets no header", func(t *testing.T) {
		s := newServer(t, &fakeStore{}, listed)
		w := call(t, s.Handler(), http.MethodGet, "/api/runs/", "", "Origin", "https://other.example")
		if w.Header().Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%v", w.Header())
		}
	})
	t.Run("preflight of a foreign origin", func(t *testing.T) {
		s := newServer(t, &fakeStore{}, listed)
		w := call(t, s.Handler(), http.MethodOptions, "/api/runs/", "", "Origin", "https://other.example", "Access-Control-Request-Method", "GET")
		if w.Code != http.StatusBadRequest || w.Header().Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%d %v", w.Code, w.Header())
		}
	})
	t.Run("preflight of a method nobody serves", func(t *testing.T) {
		s := newServer(t, &fakeStore{}, listed)
		w := call(t, s.Handler(), http.MethodOptions, "/api/runs/", "", "Origin", "https://page.example", "Access-Control-Request-Method", "TRACE")
		if w.Code != http.StatusBadRequest {
			t.Errorf("%d", w.Code)
		}
	})
	t.Run("no list by default", func(t *testing.T) {
		s := newServer(t, &fakeStore{}, nil)
		w := call(t, s.Handler(), http.MethodGet, "/api/runs/", "", "Origin", "http://localhost:5173")
		if w.Header().Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%v", w.Header())
		}
	})
}

// podRequests are all routes that reach pods.
var podRequests = [][2]string{
	{"GET", "/api/pods"}, {"GET", "/api/fleet/stream"}, {"POST", "/api/pods/p/run"}, {"POST", "/api/pods/p/notify"}, {"POST", "/api/pods/p/pause"},
	{"POST", "/api/pods/p/resume"}, {"POST", "/api/pods/p/cancel"}, {"POST", "/api/pods/p/compact"},
}

func TestBoundary_RoutesOfPodsHaveNoCORSAndNoOpenReads(t *testing.T) {
	const page = "https://page.example"
	own := "http://localhost:8765"
	for _, origins := range [][]string{{page}, {"*"}, nil} {
		s := newServer(t, &fakeStore{err: session.ErrBusy}, func(c *studio.Config) { c.Origins = origins })
		for _, r := range podRequests {
			name := fmt.Sprint(origins, r)
			w := call(t, s.Handler(), http.MethodOptions, r[1], "", "Origin", page, "Access-Control-Request-Method", r[0], "Access-Control-Request-Headers", "authorization")
			if w.Code != http.StatusBadRequest {
				t.Errorf("%s: the preflight is %d", name, w.Code)
			}
			for header := range w.Header() {
				if strings.HasPrefix(header, "Access-Control") {
					t.Errorf("%s: the preflight gets %s", name, header)
				}
			}
			body := `{"input":"a"}`
			if strings.HasSuffix(r[1], "notify") {
				body = `{"message":"a"}`
			} else if !strings.HasSuffix(r[1], "run") {
				body = `{}`
			}
			for _, tt := range []struct {
				headers []string
				status  int
			}{
				// The store of this test is locked: 503 is past every rule.
				{nil, 401},
				{[]string{"Authorization", "Bearer wrong"}, 401},
				{bearer, 503},
				{append([]string{"Origin", own, "Sec-Fetch-Site", "same-origin"}, bearer...), 503},
				{append([]string{"Origin", page, "Sec-Fetch-Site", "cross-site"}, bearer...), 403},
				{append([]string{"Origin", "http://localhost:3000", "Sec-Fetch-Site", "same-site"}, bearer...), 403},
				{append([]string{"Sec-Fetch-Site", "cross-site"}, bearer...), 403},
				{append([]string{"Host", "evil.example"}, bearer...), 400},
			} {
				w := call(t, s.Handler(), r[0], r[1], body, append([]string{"Content-Type", "application/json"}, tt.headers...)...)
				if w.Code != tt.status || w.Header().Get("Access-Control-Allow-Origin") != "" {
					t.Errorf("%s with %v: %d %v, want %d", name, tt.headers, w.Code, w.Header(), tt.status)
				}
			}
			if r[0] == http.MethodPost {
				for _, origin := range []string{page, "null", own + "/x"} {
					w := call(t, s.Handler(), r[0], r[1], body, append([]string{"Content-Type", "application/json", "Origin", origin}, bearer...)...)
					if w.Code != http.StatusForbidden {
						t.Errorf("%s from %s: %d", name, origin, w.Code)
					}
				}
			}
		}
	}
}

func TestBoundary_OtherSitesAreRefused(t *testing.T) {
	own := "http://localhost:8765"
	tests := []struct {
		name, method, path string
		headers            []string
		status             int
	}{
		{"read from our page", "GET", "/api/runs/", []string{"Sec-Fetch-Site", "same-origin"}, 200},
		{"read typed by a person", "GET", "/api/runs/", []string{"Sec-Fetch-Site", "none"}, 200},
		{"read by a program", "GET", "/api/runs/", nil, 200},
		{"read from another site", "GET", "/api/runs/", []string{"Sec-Fetch-Site", "cross-site"}, 403},
		{"read from another port of this host", "GET", "/api/runs/", []string{"Sec-Fetch-Site", "same-site", "Origin", "http://localhost:3000"}, 403},
		{"link to the page from another site", "GET", "/", []string{"Sec-Fetch-Site", "cross-site"}, 200},
		{"change from our page", "POST", "/api/token", []string{"Origin", own, "Content-Type", "application/json"}, 422},
		{"change by a program", "POST", "/api/token", []string{"Content-Type", "application/json"}, 422},
		{"change from another site", "POST", "/api/token", []string{"Origin", "https://evil.example", "Content-Type", "application/json"}, 403},
		{"change from a sandboxed page", "POST", "/api/token", []string{"Origin", "null", "Content-Type", "application/json"}, 403},
		{"change from another port", "POST", "/api/token", []string{"Origin", "http://localhost:3000", "Content-Type", "application/json"}, 403},
		{"change with a path in the origin", "POST", "/api/token", []string{"Origin", own + "/x", "Content-Type", "application/json"}, 403},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newServer(t, &fakeStore{}, nil)
			if w := call(t, s.Handler(), tt.method, tt.path, "", tt.headers...); w.Code != tt.status {
				t.Errorf("got %d %s, want %d", w.Code, w.Body, tt.status)
			}
		})
	}
}

func TestBoundary_ChangesMustSayThatTheyAreJSON(t *testing.T) {
	const refusal = `{"detail":"Content-Type must be application/json"}`
	for _, media := range []string{"", "text/plain", "application/x-www-form-urlencoded", "application/jsonp", "multipart/form-data; boundary=x"} {
		s := newServer(t, &fakeStore{}, func(c *studio.Config) { c.Token = "secret" })
		var headers []string
		if media != "" {
			headers = []string{"Content-Type", media}
		}
		// 415 comes before 401: no bearer is sent here.
		want(t, call(t, s.Handler(), http.MethodPost, "/api/pods/p/run", `{"input":"a"}`, headers...), http.StatusUnsupportedMediaType, refusal)
		want(t, call(t, s.Handler(), http.MethodPost, "/api/sessions/x/tags", `{"tag":"a"}`, headers...), http.StatusUnsupportedMediaType, refusal)
		want(t, call(t, s.Handler(), http.MethodDelete, "/api/sessions/x", "", headers...), http.StatusUnsupportedMediaType, refusal)
		want(t, call(t, s.Handler(), http.MethodPut, "/api/nowhere", "", headers...), http.StatusUnsupportedMediaType, refusal)
	}
	for _, media := range []string{"application/json", "Application/JSON; charset=utf-8", "application/json;", "application/json; charset"} {
		s := newServer(t, &fakeStore{}, nil)
		w := call(t, s.Handler(), http.MethodPost, "/api/sessions/x/tags", `{"tag":"a"}`, "Content-Type", media)
		want(t, w, http.StatusUnauthorized, `{"detail":"Unauthorized"}`)
	}
	s := newServer(t, &fakeStore{}, nil)
	if w := call(t, s.Handler(), http.MethodGet, "/api/runs/", "", "Content-Type", "text/plain"); w.Code != http.StatusOK {
		t.Errorf("a read was judged by its content type: %d", w.Code)
	}
}

func TestBoundary_BearerRules(t *testing.T) {
	const (
		json  = "application/json"
		body  = `{"tag":"a"}`
		token = "secret-token"
	)
	type request struct{ method, path string }
	reads := []request{
		{"GET", "/api/sessions/"}, {"GET", "/api/runs/"}, {"GET", "/api/runs/projects"}, {"GET", "/api/admin/readiness"},
		{"GET", "/openapi.json"}, {"GET", "/metrics"}, {"GET", "/api/nowhere"},
	}
	guarded := []request{
		{"POST", "/api/sessions/x/tags"}, {"DELETE", "/api/sessions/x/tags/a"}, {"PATCH", "/api/sessions/x"},
		{"DELETE", "/api/sessions/x"}, {"GET", "/api/runs/x/file?path=a"},
		{"GET", "/api/pods"}, {"POST", "/api/pods/p/run"}, {"POST", "/api/pods/p/notify"}, {"POST", "/api/pods/p/pause"},
		{"POST", "/api/pods/p/resume"}, {"POST", "/api/pods/p/cancel"}, {"POST", "/api/pods/p/compact"},
	}
	public := []request{{"GET", "/health"}, {"GET", "/"}, {"POST", "/api/token"}}
	refused := func(t *testing.T, s *studio.Server, r request, authorization ...string) bool {
		t.Helper()
		headers := append([]string{"Content-Type", json}, authorization...)
		w := call(t, s.Handler(), r.method, r.path, body, headers...)
		if w.Code == http.StatusUnauthorized && r.path != "/api/token" {
			want(t, w, http.StatusUnauthorized, `{"detail":"Unauthorized"}`)
			if w.Header().Get("WWW-Authenticate") != "" {
				t.Error("a 401 must not make the browser ask for a password")
			}
		}
		return w.Code == http.StatusUnauthorized
	}
	t.Run("without a configured token reads are open and the rest needs the local one", func(t *testing.T) {
		s := newServer(t, &fakeStore{}, nil)
		for _, r := range append(reads, public...) {
			if refused(t, s, r) {
				t.Errorf("%v was refused", r)
			}
		}
		for _, r := range guarded {
			if !refused(t, s, r) {
				t.Errorf("%v was served without a bearer", r)
			}
			if refused(t, s, r, "Authorization", "Bearer "+localToken) {
				t.Errorf("%v was refused with the bearer", r)
			}
		}
	})
	t.Run("with a configured token everything below /api and the documents need it", func(t *testing.T) {
		s := newServer(t, &fakeStore{}, func(c *studio.Config) { c.Token = token })
		for _, r := range append(reads, guarded...) {
			for _, wrong := range []string{"", "Bearer wrong", "bearer " + token, token, "Bearer " + token + "x", "Basic " + token, "Bearer " + localToken, "Bearer t\u00f6ken"} {
				if !refused(t, s, r, "Authorization", wrong) {
					t.Errorf("%v was served with %q", r, wrong)
				}
			}
			if refused(t, s, r, "Authorization", "Bearer "+token) {
				t.Errorf("%v was refused with the bearer", r)
			}
		}
		for _, r := range public {
			if refused(t, s, r) {
				t.Errorf("%v was refused", r)
			}
		}
		if w := call(t, s.Handler(), http.MethodOptions, "/api/runs/", ""); w.Code == http.StatusUnauthorized {
			t.Error("OPTIONS must pass the inner guards")
		}
	})
	t.Run("no token at all never authorises", func(t *testing.T) {
		s := newServer(t, &fakeStore{}, func(c *studio.Config) { c.LocalToken = "" })
		for _, given := range []string{"", "Bearer ", "Bearer"} {
			if !refused(t, s, guarded[0], "Authorization", given) {
				t.Errorf("served with %q", given)
			}
		}
	})
}

func TestBoundary_EveryAnswerCarriesTheSecurityHeaders(t *testing.T) {
	s := newServer(t, &fakeStore{}, nil)
	wanted := map[string]string{
		"Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; font-src 'self'; " +
			"img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
		"X-Content-Type-Options":       "nosniff",
		"Referrer-Policy":              "no-referrer",
		"Cross-Origin-Resource-Policy": "same-origin",
	}
	for _, target := range []string{"/", "/health", "/api/runs/", "/api/nowhere", "/openapi.json", "/metrics", "/assets/gone.js"} {
		w := call(t, s.Handler(), http.MethodGet, target, "")
		for name, value := range wanted {
			if got := w.Header().Get(name); got != value {
				t.Errorf("%s: %s is %q", target, name, got)
			}
		}
	}
	w := call(t, s.Handler(), http.MethodGet, "/", "", "Host", "evil.example")
	if w.Header().Get("Content-Security-Policy") == "" {
		t.Error("a refusal lacks the policy")
	}
}

func TestConfig_ANetworkAddressNeedsAConfiguredToken(t *testing.T) {
	for _, host := range []string{"0.0.0.0", "::", "", "192.168.1.7", "studio-box.local"} {
		cfg := studio.Config{BindHost: host, LocalToken: localToken}
		err := cfg.Check()
		if err == nil || !strings.Contains(err.Error(), "PODIUM_STUDIO_AUTH_TOKEN") {
			t.Errorf("%q without a token: %v", host, err)
		}
		cfg.Token = "configured"
		if err := cfg.Check(); err != nil {
			t.Errorf("%q with a token: %v", host, err)
		}
	}
	for _, host := range []string{"127.0.0.1", "localhost", "::1", "127.0.0.9"} {
		cfg := studio.Config{BindHost: host}
		if err := cfg.Check(); err != nil {
			t.Errorf("%q: %v", host, err)
		}
	}
}
