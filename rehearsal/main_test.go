package rehearsal_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"podium.local/rehearsal"
)

var update = flag.Bool("update", false, "write the golden files anew")

func TestMain(m *testing.M) {
	flag.Parse()
	goleak.VerifyTestMain(m)
}

// fixed is the clock of golden files.
func fixed() time.Time { return time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC) }

// start serves a script until the test ends.
func start(t *testing.T, script rehearsal.Script, opts rehearsal.Options) (*rehearsal.Server, string) {
	t.Helper()
	s := rehearsal.New(&script, opts)
	return s, s.Start(t)
}

// parse reads a script that the test believes in.
func parse(t *testing.T, text string) rehearsal.Script {
	t.Helper()
	s, err := rehearsal.Parse("script.toml", []byte(text))
	if err != nil {
		t.Fatalf("parse: %v", err)
	}
	return *s
}

// tester is what helpers need of a *testing.T or *rapid.T.
type tester interface {
	Helper()
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
}

type answer struct {
	status int
	header http.Header
	body   string
	err    error // of reading the body
}

// client makes connections that tests close behind them.
func client(t *testing.T) *http.Client {
	t.Helper()
	tr := &http.Transport{DisableCompression: true}
	t.Cleanup(tr.CloseIdleConnections)
	return &http.Client{Transport: tr}
}

func post(t *testing.T, url, body string, header ...string) answer {
	t.Helper()
	res, err := client(t).Do(request(t, url, body, header...))
	if err != nil {
		return answer{err: err}
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	return answer{status: res.StatusCode, header: res.Header, body: string(b), err: err}
}

func request(t *testing.T, url, body string, header ...string) *http.Request {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Anthropic-Version", "2023-06-01")
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	return r
}

// wires are the paths and the smallest conversations of each wire. %s is the
// user's text, already JSON.
var wires = []struct {
	wire         rehearsal.Wire
	path         string
	stream, text string
}{
	{
		rehearsal.WireAnthropic, "/v1/messages",
		`{"model":"m","max_tokens":1024,"stream":true,"messages":[{"role":"user","content":%s}]}`,
		`{"model":"m","max_tokens":1024,"messages":[{"role":"user","content":%s}]}`,
	},
	{
		rehearsal.WireResponses, "/v1/responses",
		`{"model":"m","stream":true,"input":%s}`,
		`{"model":"m","input":%s}`,
	},
	{
		rehearsal.WireChat, "/v1/chat/completions",
		`{"model":"m","stream":true,"stream_options":{"include_usage":true},"messages":[{"role":"user","content":%s}]}`,
		`{"model":"m","messages":[{"role":"user","content":%s}]}`,
	},
}

func say(format, text string) string {
	b, _ := json.Marshal(text)
	return fmt.Sprintf(format, b)
}

// event is one server-sent event.
type event struct {
	name string
	data string
}

// events takes a stream apart and fails on anything that is not one.
func events(t tester, stream string) (out []event) {
	t.Helper()
	for block := range strings.SplitSeq(stream, "\n\n") {
		if block == "" {
			continue
		}
		var e event
		for line := range strings.SplitSeq(block, "\n") {
			switch {
			case strings.HasPrefix(line, "event: "):
				e.name = strings.TrimPrefix(line, "event: ")
			case strings.HasPrefix(line, "data: "):
				e.data += strings.TrimPrefix(line, "data: ")
			case strings.HasPrefix(line, ":"):
			default:
				t.Fatalf("not a line of an event stream: %q", line)
			}
		}
		out = append(out, e)
	}
	return out
}

// heard is what a client makes of an answer.
type heard struct {
	text, reasoning, refusal string
	calls                    []call
	stop                     string
	ended                    bool
}

type call struct{ id, name, arguments string }

// listen is a reader of streams written apart from the code that makes them.
func listen(t tester, wire rehearsal.Wire, stream string) (h heard) {
	t.Helper()
	for _, e := range events(t, stream) {
		if e.data == "[DONE]" {
			h.ended = true
			continue
		}
		if e.data == "" {
			continue
		}
		var m map[string]any
		if err := json.Unmarshal([]byte(e.data), &m); err != nil {
			t.Fatalf("event %q: %v", e.data, err)
		}
		switch wire {
		case rehearsal.WireAnthropic:
			h.anthropic(m)
		case rehearsal.WireResponses:
			h.responses(m)
		default:
			h.chat(m)
		}
		if wire != rehearsal.WireChat && e.name != m["type"] {
			t.Errorf("event %q carries type %v", e.name, m["type"])
		}
	}
	return h
}

func str(m map[string]any, path ...string) string {
	for _, key := range path[:len(path)-1] {
		m, _ = m[key].(map[string]any)
	}
	s, _ := m[path[len(path)-1]].(string)
	return s
}

func (h *heard) anthropic(m map[string]any) {
	switch str(m, "type") {
	case "content_block_start":
		if str(m, "content_block", "type") == "tool_use" {
			h.calls = append(h.calls, call{id: str(m, "content_block", "id"), name: str(m, "content_block", "name")})
		}
	case "content_block_delta":
		h.text += str(m, "delta", "text")
		h.reasoning += str(m, "delta", "thinking")
		if n := len(h.calls); n > 0 {
			h.calls[n-1].arguments += str(m, "delta", "partial_json")
		}
	case "message_delta":
		h.stop = str(m, "delta", "stop_reason")
	case "message_stop":
		h.ended = true
	}
}

func (h *heard) responses(m map[string]any) {
	switch str(m, "type") {
	case "response.output_item.added":
		if str(m, "item", "type") == "function_call" {
			h.calls = append(h.calls, call{id: str(m, "item", "call_id"), name: str(m, "item", "name")})
		}
	case "response.output_text.delta":
		h.text += str(m, "delta")
	case "response.refusal.delta":
		h.refusal += str(m, "delta")
	case "response.reasoning_summary_text.delta":
		h.reasoning += str(m, "delta")
	case "response.function_call_arguments.delta":
		h.calls[len(h.calls)-1].arguments += str(m, "delta")
	case "response.completed", "response.incomplete":
		h.stop, h.ended = str(m, "response", "status"), true
	}
}

func (h *heard) chat(m map[string]any) {
	choices, _ := m["choices"].([]any)
	for _, c := range choices {
		c, _ := c.(map[string]any)
		h.text += str(c, "delta", "content")
		h.refusal += str(c, "delta", "refusal")
		h.reasoning += str(c, "delta", "reasoning_content")
		if s := str(c, "finish_reason"); s != "" {
			h.stop = s
		}
		delta, _ := c["delta"].(map[string]any)
		calls, _ := delta["tool_calls"].([]any)
		for _, tc := range calls {
			tc, _ := tc.(map[string]any)
			if id := str(tc, "id"); id != "" {
				h.calls = append(h.calls, call{id: id, name: str(tc, "function", "name")})
			}
			h.calls[len(h.calls)-1].arguments += str(tc, "function", "arguments")
		}
	}
}

// golden compares with a file below testdata/golden.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", "golden", name)
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v; go test ./rehearsal -update writes it", err)
	}
	if !bytes.Equal(want, []byte(got)) {
		t.Errorf("%s differs from what was recorded; look at it, then go test ./rehearsal -update\n got: %s\nwant: %s", path, got, want)
	}
}

// serve answers one request without a network.
func serve(t tester, s *rehearsal.Server, path, body string) string {
	t.Helper()
	r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(body))
	r.Header.Set("Anthropic-Version", "2023-06-01")
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	if w.Code != http.StatusOK {
		t.Fatalf("status %d: %s", w.Code, w.Body)
	}
	return w.Body.String()
}
