package rehearsal_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"podium.local/rehearsal"
)

func contextOf(t *testing.T) (context.Context, context.CancelFunc) {
	t.Helper()
	return context.WithCancel(t.Context())
}

func TestServer_AnyBaseURLConventionWorks(t *testing.T) {
	_, url := start(t, rehearsal.Script{Repeat: true, Replies: []rehearsal.Reply{{Text: "hi"}}}, rehearsal.Options{})
	for _, w := range wires {
		for _, base := range []string{"", "/v1", "/v1/v1", "/v1beta/openai", "/api"} {
			for _, end := range []string{"", "/"} {
				path := base + strings.TrimPrefix(w.path, "/v1") + end
				if a := post(t, url+path, say(w.text, "x")); a.status != 200 {
					t.Errorf("%s: %d %s", path, a.status, a.body)
				}
			}
		}
	}
}

func TestServer_UnknownPathsAndMethodsAreRefused(t *testing.T) {
	_, url := start(t, rehearsal.Script{}, rehearsal.Options{})
	for _, c := range []struct {
		method, path string
		status       int
	}{
		{"POST", "/v1/embeddings", 404}, {"GET", "/", 404}, {"GET", "/v1/messages", 405}, {"DELETE", "/v1/responses", 405},
		{"POST", "/v1/models", 405}, {"GET", "/v1/models/a/models", 404},
	} {
		for _, version := range []string{"", "2023-06-01"} {
			r, err := http.NewRequestWithContext(t.Context(), c.method, url+c.path, nil)
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Anthropic-Version", version)
			res, err := client(t).Do(r)
			if err != nil {
				t.Fatal(err)
			}
			b, _ := io.ReadAll(res.Body)
			res.Body.Close()
			var e vendorError
			if err := json.Unmarshal(b, &e); err != nil || res.StatusCode != c.status || e.Error.Message == "" {
				t.Errorf("%s %s: %d %s, want %d and an error body", c.method, c.path, res.StatusCode, b, c.status)
			}
		}
	}
}

func TestServer_ListsModelsInTheShapeOfWhoAsks(t *testing.T) {
	_, url := start(t, rehearsal.Script{
		Key: "sk", Models: []string{"one", "two"},
		Actors: []rehearsal.Actor{{Name: "a", Model: "three"}, {Name: "b", Model: "one"}, {Name: "c", Model: "/x/"}},
	}, rehearsal.Options{})
	get := func(path, version, key string) (int, map[string]any) {
		r, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, url+path, nil)
		if version != "" {
			r.Header.Set("Anthropic-Version", version)
		}
		r.Header.Set("Authorization", "Bearer "+key)
		res, err := client(t).Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		var m map[string]any
		if err := json.NewDecoder(res.Body).Decode(&m); err != nil {
			t.Fatal(err)
		}
		return res.StatusCode, m
	}
	names := func(m map[string]any) (s string) {
		for _, d := range m["data"].([]any) {
			s += d.(map[string]any)["id"].(string) + " "
		}
		return s
	}
	if status, m := get("/v1/models", "", "sk"); status != 200 || m["object"] != "list" || names(m) != "one two three " {
		t.Errorf("OpenAI's list: %d %v", status, m)
	}
	if status, m := get("/models/", "2023-06-01", "sk"); status != 200 || m["has_more"] != false || m["last_id"] != "three" || names(m) != "one two three " {
		t.Errorf("Anthropic's list: %d %v", status, m)
	}
	if status, m := get("/v1/models/two", "", "sk"); status != 200 || m["id"] != "two" {
		t.Errorf("one model: %d %v", status, m)
	}
	if status, _ := get("/v1/models/four", "", "sk"); status != 404 {
		t.Errorf("an unknown model: %d", status)
	}
	if status, _ := get("/v1/models", "", "wrong"); status != 401 {
		t.Errorf("a wrong key: %d", status)
	}
}

func TestServer_BodiesBeyondTheVendorsLimitAreRefused(t *testing.T) {
	_, url := start(t, rehearsal.Script{Replies: []rehearsal.Reply{{Text: "never"}}}, rehearsal.Options{})
	a := post(t, url+"/v1/messages", strings.Repeat("x", 32<<20+1))
	if a.status != http.StatusRequestEntityTooLarge || !strings.Contains(a.body, "request_too_large") {
		t.Errorf("got %d %s, %v", a.status, a.body, a.err)
	}
}

func TestServer_HoldStopsTheStreamWhereTheTestSays(t *testing.T) {
	for _, after := range []int{0, 1} {
		for _, w := range wires {
			goOn := make(chan struct{})
			s, url := start(t, rehearsal.Script{Replies: []rehearsal.Reply{
				{Text: "one two", Hold: &rehearsal.Hold{After: after, Until: goOn}},
			}}, rehearsal.Options{})
			got := make(chan answer)
			go func() { got <- post(t, url+w.path, say(w.stream, "x")) }()
			if err := s.Await(t.Context(), 1); err != nil {
				t.Fatal(err)
			}
			if s.Requests()[0].Done {
				t.Errorf("%s: not held", w.wire)
			}
			close(goOn)
			if h := listen(t, w.wire, (<-got).body); h.text != "one two" || !h.ended {
				t.Errorf("%s: heard %+v", w.wire, h)
			}
		}
	}
}

func TestServer_DelaysAreKeptAndRushLeavesThemOut(t *testing.T) {
	script := rehearsal.Script{Pace: rehearsal.Pace{First: time.Millisecond, Delay: time.Hour}, Replies: []rehearsal.Reply{{Text: "one two", Default: true}}}
	_, url := start(t, script, rehearsal.Options{Rush: true})
	if h := listen(t, rehearsal.WireChat, post(t, url+wires[2].path, say(wires[2].stream, "x")).body); h.text != "one two" || !h.ended {
		t.Errorf("heard %+v", h)
	}
	s, url := start(t, script, rehearsal.Options{})
	res, leave := open(t, url+wires[2].path, say(wires[2].stream, "x"))
	line, err := bufio.NewReader(res.Body).ReadString('\n')
	if err != nil || !strings.Contains(line, "assistant") {
		t.Errorf("first line %q, %v", line, err)
	}
	if s.Requests()[0].Done {
		t.Error("an answer with an hour before each delta is over")
	}
	leave()
}

func TestServer_AReplysPaceOverridesFieldByField(t *testing.T) {
	script := rehearsal.Script{Pace: rehearsal.Pace{Delay: time.Hour, Chunk: "char"}, Replies: []rehearsal.Reply{{Text: "one two", Pace: rehearsal.Pace{Delay: time.Microsecond}}}}
	_, url := start(t, script, rehearsal.Options{})
	a := post(t, url+wires[0].path, say(wires[0].stream, "x"))
	if n := strings.Count(a.body, "text_delta"); n != len("one two") {
		t.Errorf("%d deltas, want one a character", n)
	}
}

func TestServer_CloseEndsEveryAnswer(t *testing.T) {
	s := rehearsal.New(&rehearsal.Script{Replies: []rehearsal.Reply{
		{Text: "one", Default: true, Fault: &rehearsal.Fault{Kind: rehearsal.FaultStall}},
	}}, rehearsal.Options{})
	url, err := s.Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if s.URL() != url {
		t.Errorf("URL %q, want %q", s.URL(), url)
	}
	got := make(chan answer)
	for _, w := range wires {
		go func() { got <- post(t, url+w.path, say(w.stream, "x")) }()
	}
	if err := s.Await(t.Context(), len(wires)); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	for range wires {
		if a := <-got; a.err == nil {
			t.Errorf("an answer cut short looks whole: %s", a.body)
		}
	}
	if err := s.Close(); err != nil {
		t.Errorf("closing again: %v", err)
	}
	if _, err := s.Listen("127.0.0.1:0"); err == nil {
		t.Error("a closed server listens")
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/v1/messages", nil))
	if w.Code != http.StatusServiceUnavailable {
		t.Errorf("a closed server answers %d", w.Code)
	}
}

func TestServer_ListenSaysWhatIsWrong(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	s, url := start(t, rehearsal.Script{}, rehearsal.Options{})
	if _, err := s.Listen("127.0.0.1:0"); err == nil || !strings.Contains(err.Error(), url) {
		t.Errorf("listening twice: %v", err)
	}
	other := rehearsal.New(&rehearsal.Script{}, rehearsal.Options{})
	defer other.Close()
	if _, err := other.Listen(l.Addr().String()); err == nil || !strings.Contains(err.Error(), l.Addr().String()) {
		t.Errorf("a taken address: %v", err)
	}
}

// TestServer_AClientThatDoesNotReadIsLeft sends more than the system's buffers
// hold to a client that never reads.
func TestServer_AClientThatDoesNotReadIsLeft(t *testing.T) {
	s, url := start(t, rehearsal.Script{Replies: []rehearsal.Reply{
		{Text: `{{repeat "0123456789abcdef" 500000}}`, Pace: rehearsal.Pace{Chunk: "whole"}},
	}}, rehearsal.Options{Patience: 50 * time.Millisecond})
	conn, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := conn.(*net.TCPConn).SetReadBuffer(4096); err != nil {
		t.Fatal(err)
	}
	if err := request(t, url+wires[2].path, say(wires[2].stream, "x")).Write(conn); err != nil {
		t.Fatal(err)
	}
	if err := s.Await(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	if err := s.AwaitIdle(t.Context()); err != nil {
		t.Fatal(err)
	}
	if r := s.Requests()[0]; !r.Left {
		t.Errorf("recorded %+v", r)
	}
}

func TestServer_PatienceIsPerWriteAndNotForTheWholeAnswer(t *testing.T) {
	goOn := make(chan struct{})
	s, url := start(t, rehearsal.Script{Replies: []rehearsal.Reply{
		{Text: "one two", Hold: &rehearsal.Hold{After: 1, Until: goOn}}, {Text: "three"},
	}}, rehearsal.Options{Patience: 250 * time.Millisecond})
	got := make(chan answer)
	go func() { got <- post(t, url+wires[0].path, say(wires[0].stream, "x")) }()
	if err := s.Await(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	expired, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	<-expired.Done()
	close(goOn)
	if a := <-got; a.err != nil || !listen(t, rehearsal.WireAnthropic, a.body).ended {
		t.Errorf("got %+v", a)
	}
}

func TestServer_RecordIsBounded(t *testing.T) {
	s := rehearsal.New(&rehearsal.Script{Replies: []rehearsal.Reply{{Text: "x", Default: true}}}, rehearsal.Options{Keep: 5, KeepBytes: 4096})
	defer s.Close()
	for range 8 {
		serve(t, s, wires[2].path, say(wires[2].text, "small"))
	}
	all := s.Requests()
	if len(all) != 5 || all[0].Number != 4 || all[4].Number != 8 || all[0].Body == nil {
		t.Errorf("%d requests, from %d to %d, the oldest with %d bytes", len(all), all[0].Number, all[len(all)-1].Number, len(all[0].Body))
	}
	for range 3 {
		serve(t, s, wires[2].path, say(wires[2].text, strings.Repeat("x", 1500)))
	}
	bytes := 0
	all = s.Requests()
	for _, r := range all {
		bytes += len(r.Body)
	}
	if bytes > 4096 || all[4].Body == nil || all[2].Body != nil || len(all[2].Messages[0].Text) != 1500 {
		t.Errorf("%d bytes of bodies are kept; the newest has %d, the third %d", bytes, len(all[4].Body), len(all[2].Body))
	}
}

func TestServer_LogsOneLineARequest(t *testing.T) {
	var out bytes.Buffer
	log := slog.New(slog.NewTextHandler(&out, nil))
	s := rehearsal.New(&rehearsal.Script{Key: "sk-secret", Replies: []rehearsal.Reply{{Name: "greeting", Text: "x"}}}, rehearsal.Options{Log: log})
	url := s.Start(t)
	post(t, url+wires[0].path, say(wires[0].stream, "x"), "X-Api-Key", "sk-secret")
	post(t, url+wires[1].path, say(wires[1].stream, "x"), "Authorization", "Bearer sk-wrong")
	if err := s.AwaitIdle(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.Close()
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 2 || !strings.Contains(lines[0], "reply=greeting") || !strings.Contains(lines[1], "status=401") {
		t.Errorf("logged\n%s", &out)
	}
	if strings.Contains(out.String(), "sk-") {
		t.Errorf("the log holds a key:\n%s", &out)
	}
}

func TestServer_AwaitEndsWithItsContext(t *testing.T) {
	s, _ := start(t, rehearsal.Script{}, rehearsal.Options{})
	ctx, cancel := contextOf(t)
	cancel()
	if err := s.Await(ctx, 1); err == nil || !strings.Contains(err.Error(), "wait for request 1") {
		t.Errorf("got %v", err)
	}
	if err := s.AwaitIdle(ctx); err != nil {
		t.Errorf("nothing is under way, but %v", err)
	}
}
