package studio_test

import (
	"net/http"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"podium.local/studio"
)

// built is a page as its build leaves it.
func built() fstest.MapFS {
	return fstest.MapFS{
		"index.html":             {Data: []byte("<!doctype html><title>Podium</title>")},
		"icon.svg":               {Data: []byte("<svg/>")},
		"assets/index-BBFZvt.js": {Data: []byte("export {}")},
	}
}

func TestPage_HashedFilesNeverChangeAndThePageIsAskedForAgain(t *testing.T) {
	s := newServer(t, &fakeStore{}, func(c *studio.Config) { c.Page = built() })
	const index = "<!doctype html><title>Podium</title>"
	tests := []struct {
		name, target string
		status       int
		body, cache  string
		media        string
	}{
		{"the page", "/", 200, index, "no-cache", "text/html; charset=utf-8"},
		{"the page by name", "/index.html", 200, index, "no-cache", "text/html; charset=utf-8"},
		{"an address of the page's router", "/history?sort=cost", 200, index, "no-cache", "text/html; charset=utf-8"},
		{"a deep address", "/session/abc/def", 200, index, "no-cache", "text/html; charset=utf-8"},
		{"a hashed file", "/assets/index-BBFZvt.js", 200, "export {}", "public, max-age=31536000, immutable", "text/javascript; charset=utf-8"},
		{"another file", "/icon.svg", 200, "<svg/>", "no-cache", "image/svg+xml"},
		{"a hashed file that is gone", "/assets/index-OLD.js", 404, "Not Found\n", "", "text/plain; charset=utf-8"},
		{"a file that is gone", "/favicon.ico", 404, "Not Found\n", "", "text/plain; charset=utf-8"},
		{"the folder of assets", "/assets", 200, index, "no-cache", "text/html; charset=utf-8"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := call(t, s.Handler(), http.MethodGet, tt.target, "")
			if w.Code != tt.status || w.Body.String() != tt.body {
				t.Errorf("%d %q", w.Code, w.Body)
			}
			if got := w.Header().Get("Cache-Control"); got != tt.cache {
				t.Errorf("Cache-Control is %q", got)
			}
			if got := w.Header().Get("Content-Type"); got != tt.media {
				t.Errorf("Content-Type is %q", got)
			}
		})
	}
	if w := call(t, s.Handler(), http.MethodHead, "/", ""); w.Code != http.StatusOK || w.Body.Len() != 0 {
		t.Errorf("HEAD: %d %q", w.Code, w.Body)
	}
	if w := call(t, s.Handler(), http.MethodPost, "/", ""); w.Code != http.StatusMethodNotAllowed {
		t.Errorf("POST: %d", w.Code)
	}
	etag := call(t, s.Handler(), http.MethodGet, "/", "").Header().Get("ETag")
	if w := call(t, s.Handler(), http.MethodGet, "/", "", "If-None-Match", etag); etag == "" || w.Code != http.StatusNotModified {
		t.Errorf("an unchanged page was sent again: %d with %q", w.Code, etag)
	}
}

func TestPage_ABuildWithoutOneSaysSo(t *testing.T) {
	for _, page := range []fstest.MapFS{nil, {}} {
		s := newServer(t, &fakeStore{}, func(c *studio.Config) {
			if page != nil {
				c.Page = page
			}
		})
		w := call(t, s.Handler(), http.MethodGet, "/", "")
		if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), "made without its page") {
			t.Errorf("%d %s", w.Code, w.Body)
		}
		if w := call(t, s.Handler(), http.MethodGet, "/history", ""); w.Code != http.StatusNotFound {
			t.Errorf("%d", w.Code)
		}
	}
}

func TestPage_TheShellNeverHoldsAToken(t *testing.T) {
	s := newServer(t, &fakeStore{}, func(c *studio.Config) { c.Page, c.Token = built(), "configured-secret" })
	code := s.Code()
	for _, target := range []string{"/", "/history", "/icon.svg"} {
		w := call(t, s.Handler(), http.MethodGet, target, "")
		for _, secret := range []string{"configured-secret", localToken, code} {
			if strings.Contains(w.Body.String(), secret) {
				t.Errorf("%s holds a secret", target)
			}
		}
	}
}

func TestToken_ACodeTradesOnceWithinAMinute(t *testing.T) {
	now := at
	s := newServer(t, &fakeStore{}, func(c *studio.Config) { c.Now = func() time.Time { return now } })
	post := func(code string) (int, string) {
		w := call(t, s.Handler(), http.MethodPost, "/api/token", `{"code":"`+code+`"}`, "Content-Type", "application/json")
		if w.Code == http.StatusOK && w.Header().Get("Cache-Control") != "no-store" {
			t.Error("an answer with a token may be stored")
		}
		return w.Code, w.Body.String()
	}
	code := s.Code()
	if status, _ := post(code + "x"); status != http.StatusUnauthorized {
		t.Errorf("a wrong code: %d", status)
	}
	if status, body := post(code); status != http.StatusOK || body != `{"token":"`+localToken+`"}` {
		t.Errorf("%d %s", status, body)
	}
	if status, body := post(code); status != http.StatusUnauthorized || body != `{"detail":"Unauthorized"}` {
		t.Errorf("the second time: %d %s", status, body)
	}
	late := s.Code()
	now = now.Add(59 * time.Second)
	fresh := s.Code()
	now = now.Add(time.Second)
	if status, _ := post(late); status != http.StatusUnauthorized {
		t.Errorf("after a minute: %d", status)
	}
	if status, _ := post(fresh); status != http.StatusOK {
		t.Errorf("another code a second old: %d", status)
	}
	if status, _ := post(""); status != http.StatusUnauthorized {
		t.Errorf("an empty code: %d", status)
	}
	var first string
	for i := range 17 {
		if c := s.Code(); i == 0 {
			first = c
		}
	}
	if status, _ := post(first); status != http.StatusUnauthorized {
		t.Errorf("the oldest of too many codes: %d", status)
	}
}
