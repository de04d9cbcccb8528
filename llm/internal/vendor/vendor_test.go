package vendor_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode"
	"unicode/utf8"

	"podium.local/llm"
	"podium.local/llm/internal/vendor"
)

func TestParseComplaint_KnowsTheShapesInUse(t *testing.T) {
	for body, want := range map[string]vendor.Complaint{
		`{"error":{"message":"m","type":"t","param":null,"code":"c"}}`:                           {Code: "c", Message: "m"},
		`{"error":{"message":"m","type":"t","param":null,"code":null}}`:                          {Code: "t", Message: "m"},
		`{"type":"error","error":{"type":"t","message":"m","details":{"error_code":"d"}}}`:       {Code: "d", Message: "m"},
		`{"type":"error","error":{"type":"t","message":"m","details":null},"request_id":"r"}`:    {Code: "t", Message: "m"},
		`{"error":{"code":429,"message":"m","status":"RESOURCE_EXHAUSTED","details":[{"x":1}]}}`: {Status: 429, Code: "RESOURCE_EXHAUSTED", Message: "m"},
		` [{"error":{"code":400,"message":"m","status":"INVALID_ARGUMENT"}}] `:                   {Status: 400, Code: "INVALID_ARGUMENT", Message: "m"},
		`{"error":{"code":"503","message":"m"}}`:                                                 {Status: 503, Code: "503", Message: "m"},
		`{"error":{"code":40303,"message":"m"}}`:                                                 {Message: "m"},
		`{"error":"plain"}`:                                                                      {Message: "plain"},
		`{"error":["a"]}`:                                                                        {Message: `["a"]`},
		`{"type":"error","code":"c","message":"m","param":null,"sequence_number":1}`:             {Code: "c", Message: "m"},
		`{"object":"error","message":"m","type":"BadRequestError","param":null,"code":400}`:      {Status: 400, Message: "m"},
		`{"detail":"Not Found"}`:                                                                 {Message: "Not Found"},
		`{"detail":[{"loc":["body"],"msg":"bad"}]}`:                                              {Message: `[{"loc":["body"],"msg":"bad"}]`},
		"upstream connect error\n":                                                               {Message: "upstream connect error"},
		`<html><body>502 Bad Gateway</body></html>`:                                              {},
		`{"id":"1","object":"chat.completion","choices":[]}`:                                     {},
		`{"error":null}`: {},
		`null`:           {},
		`[]`:             {},
		`7`:              {},
		``:               {},
	} {
		if got := vendor.ParseComplaint([]byte(body)); got != want {
			t.Errorf("%s: got %+v, want %+v", body, got, want)
		}
	}
}

func FuzzParseComplaint(f *testing.F) {
	f.Add([]byte(`{"error":{"message":"m","type":"t","code":"c","details":{"error_code":7}}}`))
	f.Add([]byte(`[{"error":"x"}]`))
	f.Add([]byte(`{"detail":{}}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		c := vendor.ParseComplaint(body)
		if c.Status != 0 && (c.Status < 400 || c.Status > 599) {
			t.Errorf("the status %d", c.Status)
		}
	})
}

func TestRetryAfter_SecondsMillisecondsAndDates(t *testing.T) {
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		ms, after string
		want      time.Duration
	}{
		{"", "", 0},
		{"", "7", 7 * time.Second},
		{"", " 1.5 ", 1500 * time.Millisecond},
		{"250", "7", 250 * time.Millisecond},
		{"soon", "7", 7 * time.Second},
		{"", "Mon, 30 Nov 2026 12:00:30 GMT", 30 * time.Second},
		{"", "Mon, 30 Nov 2026 11:00:00 GMT", 0},
		{"", "-5", 0}, {"", "NaN", 0}, {"", "later", 0},
		{"", "1e300", 24 * time.Hour}, {"", "Inf", 24 * time.Hour},
		{"9223372036854775807", "", 24 * time.Hour},
	} {
		h := http.Header{}
		h.Set("Retry-After-Ms", c.ms)
		h.Set("Retry-After", c.after)
		if got := vendor.RetryAfter(h, now); got != c.want {
			t.Errorf("%q, %q: got %s, want %s", c.ms, c.after, got, c.want)
		}
	}
}

func TestKindOfStatus_EveryStatusHasAKind(t *testing.T) {
	retry := map[int]bool{408: true, 429: true}
	for status := 300; status < 600; status++ {
		e := &llm.Error{Kind: vendor.KindOfStatus(status), Status: status}
		if e.Kind == "" || e.Retryable() != (retry[status] || status >= 500) {
			t.Errorf("%d: kind %q, retryable %v", status, e.Kind, e.Retryable())
		}
	}
}

const secret = "sk-secret-0123456789"

func endpoint(t *testing.T, c vendor.Config) *vendor.Endpoint {
	t.Helper()
	c.Name, c.APIKey, c.KeyEnv = "test", secret, "TEST_KEY"
	if c.BaseURL == "" {
		c.BaseURL = "http://host.invalid:1/v1"
	}
	e, err := vendor.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// ask lets an answer or an error go through the middleware.
func ask(e *vendor.Endpoint, res *http.Response, err error) (*http.Response, error) {
	req, _ := http.NewRequest(http.MethodPost, "http://host.invalid:1/v1/x", nil)
	return e.RoundTrip(req, func(*http.Request) (*http.Response, error) {
		if res != nil {
			res.Request = req
		}
		return res, err
	})
}

func answer(status int, contentType, body string) *http.Response {
	h := http.Header{}
	if contentType != "" {
		h.Set("Content-Type", contentType)
	}
	return &http.Response{StatusCode: status, Header: h, Body: io.NopCloser(strings.NewReader(body))}
}

func TestRoundTrip_LetsOnlyEventStreamsThrough(t *testing.T) {
	for _, c := range []struct {
		contentType string
		through     bool
	}{
		{"text/event-stream", true}, {"text/event-stream; charset=utf-8", true}, {"TEXT/EVENT-STREAM", true}, {"", true}, {"application/octet-stream", true},
		{"text/html", false}, {"application/json", false}, {"text/plain", false}, {"nonsense;;", false},
	} {
		res, err := ask(endpoint(t, vendor.Config{}), answer(200, c.contentType, ""), nil)
		if (err == nil) != c.through || (res != nil) != c.through {
			t.Errorf("%q: got %v, %v", c.contentType, res, err)
		}
	}
}

func TestRoundTrip_MessagesAreFitToShow(t *testing.T) {
	long := strings.Repeat("ü", 5000)
	for body, want := range map[string]string{
		`{"error":{"message":"line one\n\tline two","type":"t"}}`: "line one line two",
		`{"error":{"message":"your key ` + secret + ` is bad"}}`:  "your key [redacted] is bad",
		"bad \xff bytes\x00\x1b[31m":                              "bad \uFFFD bytes [31m",
		``:                                                        "internal server error",
		`{"error":{"message":"` + long + `"}}`:                    strings.Repeat("ü", 1024) + "…",
		`{"error":{"message":"m","code":"` + secret + `"}}`:       "m",
	} {
		_, err := ask(endpoint(t, vendor.Config{}), answer(500, "text/plain", body), nil)
		var e *llm.Error
		if !errors.As(err, &e) || e.Message != want || strings.Contains(err.Error(), secret) {
			t.Errorf("%.60q: got %v, want %.60q", body, err, want)
		}
	}
	_, err := ask(endpoint(t, vendor.Config{}), answer(599, "", ""), nil)
	if err == nil || !strings.Contains(err.Error(), "did not say why") {
		t.Errorf("an unknown status without a body: got %v", err)
	}
}

func TestRoundTrip_NetworkErrorsAreShortAndSilent(t *testing.T) {
	inner := errors.New("dial tcp: lookup: Bearer " + secret)
	_, err := ask(endpoint(t, vendor.Config{}), nil, fmt.Errorf("Post %q: %w", "http://host.invalid:1/v1/x", inner))
	var e *llm.Error
	if !errors.As(err, &e) || e.Kind != llm.ErrorNetwork || !strings.Contains(e.Message, "http://host.invalid:1") {
		t.Fatalf("got %v", err)
	}
	if strings.Contains(e.Message, secret) || e.Err != nil {
		t.Errorf("the key is in %v or behind it: %v", e, e.Err)
	}
}

// TestRoundTrip_AFaultOfTheProxyNamesItsVariable also with a proxy that
// refuses, whose error has no type; a proxy's password is never shown.
func TestRoundTrip_AFaultOfTheProxyNamesItsVariable(t *testing.T) {
	refuses := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusProxyAuthRequired)
	}))
	t.Cleanup(refuses.Close)
	gone := httptest.NewServer(nil)
	gone.Close()
	for name, proxy := range map[string]func(*http.Request) (*url.URL, error){
		"gone":    func(*http.Request) (*url.URL, error) { return url.Parse(gone.URL) },
		"refuses": func(*http.Request) (*url.URL, error) { return url.Parse(refuses.URL) },
		"no host": func(*http.Request) (*url.URL, error) { return url.Parse("http://user:hunter2@proxy.invalid:1") },
		"no URL": func(*http.Request) (*url.URL, error) {
			return nil, errors.New("invalid proxy address \"http://u:hunter2@:x\"")
		},
	} {
		e := endpoint(t, vendor.Config{
			BaseURL:    "https://model.invalid/v1",
			HTTPClient: &http.Client{Transport: &http.Transport{Proxy: proxy}},
		})
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "https://model.invalid/v1/x", nil)
		if err != nil {
			t.Fatal(err)
		}
		_, err = e.RoundTrip(req, e.Client().Do)
		if err == nil || !strings.Contains(err.Error(), "HTTPS_PROXY") || strings.Contains(err.Error(), "base URL") || strings.Contains(fmt.Sprintf("%+v %v", err, errors.Unwrap(err)), "hunter2") {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func TestRoundTrip_TheCallerMayReadTheVendorsWords(t *testing.T) {
	e := endpoint(t, vendor.Config{Classify: func(e *llm.Error) {
		if e.Code == "weird" {
			e.Kind = llm.ErrorOverloaded
		}
	}})
	_, err := ask(e, answer(400, "application/json", `{"error":{"type":"weird","message":"m"}}`), nil)
	var got *llm.Error
	if !errors.As(err, &got) || got.Kind != llm.ErrorOverloaded || got.Status != 400 {
		t.Errorf("got %#v", err)
	}
}

func TestFail_TheContextsErrorComesFirst(t *testing.T) {
	e := endpoint(t, vendor.Config{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := e.Fail(ctx, &llm.Error{Kind: llm.ErrorAuth}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	for _, err := range []error{io.ErrUnexpectedEOF, errors.New("bufio.Scanner: token too long with " + secret)} {
		var got *llm.Error
		if err := e.Fail(t.Context(), err); !errors.As(err, &got) || got.Kind != llm.ErrorStream || strings.Contains(got.Error(), secret) {
			t.Errorf("got %v", err)
		}
	}
}

// hung is a body that stays open until its request is cancelled.
type hung struct{ ctx context.Context }

func (h hung) Read([]byte) (int, error) { <-h.ctx.Done(); return 0, h.ctx.Err() }
func (h hung) Close() error             { return nil }

func TestRelease_DoesNotWaitForAServerThatKeepsTheAnswerOpen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		began := time.Now()
		vendor.Release(hung{ctx}, cancel)
		if waited := time.Since(began); waited != 250*time.Millisecond {
			t.Errorf("waited %s", waited)
		}
		if ctx.Err() == nil {
			t.Error("the request goes on")
		}
	})
}

func TestPrompt_WhatCannotBeSent(t *testing.T) {
	for _, args := range []string{`[]`, `"x"`, `{`, `null`, `7`} {
		if _, err := vendor.Arguments(llm.ToolCall{ID: "id1", Name: "Read", Arguments: json.RawMessage(args)}); err == nil || !strings.Contains(err.Error(), "id1") {
			t.Errorf("arguments %s: got %v", args, err)
		}
		if _, err := vendor.Schema(llm.ToolSpec{Name: "Read", Schema: json.RawMessage(args)}); err == nil || !strings.Contains(err.Error(), "Read") {
			t.Errorf("schema %s: got %v", args, err)
		}
	}
	for in, want := range map[string]string{"": "{}", " \n": "{}", ` {"a":1} `: `{"a":1}`} {
		if got, err := vendor.Arguments(llm.ToolCall{Arguments: json.RawMessage(in)}); err != nil || string(got) != want {
			t.Errorf("arguments %q: got %s, %v", in, got, err)
		}
	}
}

func FuzzMessagesAreFitToShow(f *testing.F) {
	f.Add([]byte(`{"error":{"message":"x\ny"}}`))
	f.Add([]byte(secret[:5] + secret + "\xff"))
	f.Add([]byte("\x10"))
	f.Fuzz(func(t *testing.T, body []byte) {
		e, err := vendor.New(vendor.Config{Name: "test", BaseURL: "http://h", APIKey: secret})
		if err != nil {
			t.Fatal(err)
		}
		_, err = ask(e, answer(500, "", string(body)), nil)
		var got *llm.Error
		if !errors.As(err, &got) || got.Message == "" {
			t.Fatalf("got %v", err)
		}
		text := got.Error()
		if strings.Contains(text, secret) || !utf8.ValidString(text) || strings.ContainsFunc(text, unicode.IsControl) || len(text) > 5000 {
			t.Errorf("not fit to show: %q", text)
		}
	})
}
