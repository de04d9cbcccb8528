package rehearsal_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"podium.local/rehearsal"
)

func TestFault_StatusesCarryTheVendorsWords(t *testing.T) {
	for _, c := range []struct {
		status            int
		anthropic, openAI string // type of the error
	}{
		{400, "invalid_request_error", "invalid_request_error"},
		{401, "authentication_error", "invalid_request_error"},
		{403, "permission_error", "invalid_request_error"},
		{404, "not_found_error", "invalid_request_error"},
		{408, "invalid_request_error", "invalid_request_error"},
		{413, "request_too_large", "invalid_request_error"},
		{429, "rate_limit_error", "requests"},
		{500, "api_error", "server_error"},
		{503, "api_error", "server_error"},
		{529, "overloaded_error", "server_error"},
	} {
		for _, w := range wires {
			_, url := start(t, rehearsal.Script{Replies: []rehearsal.Reply{{Fault: &rehearsal.Fault{Status: c.status}}}}, rehearsal.Options{})
			a := post(t, url+w.path, say(w.stream, "hi"))
			var e vendorError
			if err := json.Unmarshal([]byte(a.body), &e); err != nil {
				t.Fatalf("%s %d: %v", w.wire, c.status, err)
			}
			want := c.openAI
			id := a.header.Get("X-Request-Id")
			if w.wire == rehearsal.WireAnthropic {
				want, id = c.anthropic, a.header.Get("Request-Id")
				if e.RequestID != id {
					t.Errorf("request id %q in the body, %q in the header", e.RequestID, id)
				}
			}
			if a.status != c.status || e.Error.Type != want || e.Error.Message == "" || id == "" {
				t.Errorf("%s %d: got %d %s with request id %q, want type %s", w.wire, c.status, a.status, a.body, id, want)
			}
			// Several vendors speak OpenAI's wires: none sends users to another's pages.
			if strings.Contains(a.body, "http") || strings.Contains(a.body, "openai") {
				t.Errorf("%s %d: a vendor's address in %s", w.wire, c.status, a.body)
			}
			if a.header.Get("Retry-After") != "" {
				t.Errorf("%s %d: Retry-After without being asked", w.wire, c.status)
			}
		}
	}
}

func TestFault_WordsAndWaitAreTheScripts(t *testing.T) {
	for _, c := range []struct {
		wait         time.Duration
		seconds, ms_ string
	}{{7 * time.Second, "7", ""}, {1500 * time.Millisecond, "2", "1500"}, {0, "0", ""}} {
		for _, w := range wires {
			_, url := start(t, rehearsal.Script{Replies: []rehearsal.Reply{{Fault: &rehearsal.Fault{
				Status: 429, RetryAfter: &c.wait, Type: "tokens", Code: "insufficient_quota", Message: "Too much.",
			}}}}, rehearsal.Options{})
			a := post(t, url+w.path, say(w.stream, "hi"))
			if got := a.header.Get("Retry-After"); got != c.seconds {
				t.Errorf("%s %s: Retry-After %q, want %q", w.wire, c.wait, got, c.seconds)
			}
			if got := a.header.Get("Retry-After-Ms"); got != c.ms_ {
				t.Errorf("%s %s: Retry-After-Ms %q, want %q", w.wire, c.wait, got, c.ms_)
			}
			var e vendorError
			_ = json.Unmarshal([]byte(a.body), &e)
			if e.Error.Type != "tokens" || e.Error.Message != "Too much." || w.wire != rehearsal.WireAnthropic && deref(e.Error.Code) != "insufficient_quota" {
				t.Errorf("%s: %s", w.wire, a.body)
			}
		}
	}
}

// TestFault_StrikesAfterTheDeltasItCounts looks at every fault inside a stream
// at the beginning, in the middle and beyond the end of an answer.
func TestFault_StrikesAfterTheDeltasItCounts(t *testing.T) {
	for _, w := range wires {
		for _, kind := range []rehearsal.FaultKind{rehearsal.FaultCut, rehearsal.FaultEnd, rehearsal.FaultError, rehearsal.FaultFailed, rehearsal.FaultErrorFlat} {
			for after, want := range map[int]string{0: "", 2: "one two", 99: "one two three"} {
				t.Run(fmt.Sprint(w.wire, kind, after), func(t *testing.T) {
					s, url := start(t, rehearsal.Script{Replies: []rehearsal.Reply{
						{Text: "one two three", Fault: &rehearsal.Fault{Kind: kind, After: after}},
					}}, rehearsal.Options{})
					a := post(t, url+w.path, say(w.stream, "hi"))
					if cut := kind == rehearsal.FaultCut; cut != (a.err != nil) {
						t.Errorf("reading ended with %v", a.err)
					}
					h := listen(t, w.wire, a.body)
					if h.text != want || h.ended {
						t.Errorf("heard %+v, want %q and no end", h, want)
					}
					if err := s.AwaitIdle(t.Context()); err != nil {
						t.Fatal(err)
					}
					r := s.Requests()[0]
					if r.Fault != kind || r.Status != 200 || r.Usage != (rehearsal.Usage{}) || r.Left != (kind == rehearsal.FaultCut) {
						t.Errorf("recorded %+v", r)
					}
				})
			}
		}
	}
}

func TestFault_MalformedEventStandsInTheStreamThatGoesOn(t *testing.T) {
	for _, w := range wires {
		_, url := start(t, rehearsal.Script{Replies: []rehearsal.Reply{
			{Text: "one two three", Fault: &rehearsal.Fault{Kind: rehearsal.FaultMalformed, After: 1}},
		}}, rehearsal.Options{})
		var before, after, broken int
		for _, e := range events(t, post(t, url+w.path, say(w.stream, "hi")).body) {
			switch {
			case e.data != "[DONE]" && !json.Valid([]byte(e.data)):
				broken++
			case broken == 0:
				before++
			default:
				after++
			}
		}
		if broken != 1 || before == 0 || after == 0 {
			t.Errorf("%s: %d events, %d broken, %d events", w.wire, before, broken, after)
		}
	}
}

func TestFault_WholeAnswersBreakToo(t *testing.T) {
	for _, w := range wires {
		for kind, check := range map[rehearsal.FaultKind]func(answer) bool{
			rehearsal.FaultCut:       func(a answer) bool { return errors.Is(a.err, io.ErrUnexpectedEOF) },
			rehearsal.FaultEnd:       func(a answer) bool { return a.err == nil && !json.Valid([]byte(a.body)) },
			rehearsal.FaultMalformed: func(a answer) bool { return a.err == nil && !json.Valid([]byte(a.body)) },
			rehearsal.FaultError:     func(a answer) bool { return a.status == 500 },
			rehearsal.FaultReset:     func(a answer) bool { return a.err != nil && a.status == 0 },
			rehearsal.FaultOverflow:  func(a answer) bool { return a.status == 400 },
		} {
			_, url := start(t, rehearsal.Script{Replies: []rehearsal.Reply{{Text: "one two three", Fault: &rehearsal.Fault{Kind: kind}}}}, rehearsal.Options{})
			if a := post(t, url+w.path, say(w.text, "hi")); !check(a) {
				t.Errorf("%s %s: got %+v", w.wire, kind, a)
			}
		}
	}
}

func TestFault_OverflowSpeaksEachVendorsWords(t *testing.T) {
	for i, want := range []string{
		`"message":"prompt is too long: 1 tokens > 0 maximum"`,
		`"code":"context_length_exceeded"`,
		`"message":"This model's maximum context length is 0 tokens.`,
	} {
		w := wires[i]
		_, url := start(t, rehearsal.Script{Replies: []rehearsal.Reply{{Default: true, Fault: &rehearsal.Fault{Kind: rehearsal.FaultOverflow}}}}, rehearsal.Options{})
		for _, body := range []string{w.stream, w.text} {
			a := post(t, url+w.path, say(body, "hi"))
			if !strings.Contains(a.body, want) {
				t.Errorf("%s: got %d %s, want %s", w.wire, a.status, a.body, want)
			}
			// The vendor notices only after it has begun to stream.
			begun := w.wire == rehearsal.WireResponses && body == w.stream
			if status := map[bool]int{true: 200, false: 400}[begun]; a.status != status {
				t.Errorf("%s: status %d, want %d", w.wire, a.status, status)
			}
			if begun {
				names := ""
				for _, e := range events(t, a.body) {
					names += e.name + " "
				}
				if names != "response.created response.in_progress error response.failed " {
					t.Errorf("events %s", names)
				}
			}
		}
	}
}

// open begins a request and returns its body unread.
func open(t *testing.T, url, body string) (*http.Response, func()) {
	t.Helper()
	c := client(t)
	res, err := c.Do(request(t, url, body))
	if err != nil {
		t.Fatal(err)
	}
	return res, func() {
		res.Body.Close()
		c.CloseIdleConnections()
	}
}

func TestFault_StallLastsUntilTheClientLeaves(t *testing.T) {
	for _, w := range wires {
		s, url := start(t, rehearsal.Script{Replies: []rehearsal.Reply{
			{Text: "one two", Fault: &rehearsal.Fault{Kind: rehearsal.FaultStall, After: 1}},
		}}, rehearsal.Options{})
		res, leave := open(t, url+w.path, say(w.stream, "hi"))
		lines := bufio.NewScanner(res.Body)
		for lines.Scan() && !strings.Contains(lines.Text(), "one") {
		}
		if r := s.Requests()[0]; r.Done {
			t.Errorf("%s: the answer is over", w.wire)
		}
		leave()
		if err := s.AwaitIdle(t.Context()); err != nil {
			t.Fatal(err)
		}
		if r := s.Requests()[0]; !r.Left || r.Status != 200 {
			t.Errorf("%s: recorded %+v", w.wire, r)
		}
	}
}

func TestFault_StallCanKeepTheConnectionAlive(t *testing.T) {
	for _, w := range wires {
		_, url := start(t, rehearsal.Script{Replies: []rehearsal.Reply{
			{Text: "one two", Fault: &rehearsal.Fault{Kind: rehearsal.FaultStall, After: 1, Ping: time.Millisecond}},
		}}, rehearsal.Options{})
		res, leave := open(t, url+w.path, say(w.stream, "hi"))
		lines := bufio.NewScanner(res.Body)
		for lines.Scan() && !strings.Contains(lines.Text(), "one") {
		}
		sign := ": keep-alive"
		if w.wire == rehearsal.WireAnthropic {
			sign = "event: ping"
		}
		for pings := 0; pings < 3 && lines.Scan(); {
			if lines.Text() == sign {
				pings++
			}
		}
		if err := lines.Err(); err != nil {
			t.Errorf("%s: %v", w.wire, err)
		}
		leave()
	}
}

func TestFault_HangSendsNothingUntilTheClientLeaves(t *testing.T) {
	for _, w := range wires {
		s, url := start(t, rehearsal.Script{Replies: []rehearsal.Reply{{Fault: &rehearsal.Fault{Kind: rehearsal.FaultHang}}}}, rehearsal.Options{})
		r := request(t, url+w.path, say(w.stream, "hi"))
		ctx, cancel := contextOf(t)
		done := make(chan error)
		go func() {
			res, err := client(t).Do(r.WithContext(ctx))
			if err == nil {
				res.Body.Close()
			}
			done <- err
		}()
		if err := s.Await(t.Context(), 1); err != nil {
			t.Fatal(err)
		}
		cancel()
		if err := <-done; err == nil {
			t.Errorf("%s: an answer came", w.wire)
		}
		if err := s.AwaitIdle(t.Context()); err != nil {
			t.Fatal(err)
		}
		if r := s.Requests()[0]; r.Status != 0 || !r.Left {
			t.Errorf("%s: recorded %+v", w.wire, r)
		}
	}
}
