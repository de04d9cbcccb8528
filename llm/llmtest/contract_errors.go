package llmtest

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"podium.local/llm"
	"podium.local/rehearsal"
)

// wantKind checks that err is an *llm.Error of a kind and status.
func wantKind(t *testing.T, err error, kind llm.ErrorKind, status int) *llm.Error {
	t.Helper()
	var e *llm.Error
	if !errors.As(err, &e) {
		t.Errorf("got the error %T %v, want an *llm.Error of kind %s", err, err, kind)
		return &llm.Error{}
	}
	if e.Kind != kind || e.Status != status {
		t.Errorf("got kind %s with status %d (%v), want %s with %d", e.Kind, e.Status, e, kind, status)
	}
	if e.Message == "" || strings.Contains(e.Message, "\n") {
		t.Errorf("the message is not one line: %q", e.Message)
	}
	return e
}

// refusals are answers with an error status.
func refusals(t *testing.T, s Subject) {
	for status, kind := range map[int]llm.ErrorKind{
		400: llm.ErrorInvalid,
		401: llm.ErrorAuth,
		403: llm.ErrorAuth,
		404: llm.ErrorInvalid,
		408: llm.ErrorUnavailable,
		429: llm.ErrorRateLimited,
		500: llm.ErrorUnavailable,
		502: llm.ErrorUnavailable,
		503: llm.ErrorUnavailable,
		529: llm.ErrorOverloaded,
	} {
		t.Run(fmt.Sprint(status), func(t *testing.T) {
			st := s.stage(t, replies(rehearsal.Reply{Text: "never", Fault: &rehearsal.Fault{Status: status}}))
			r := st.say(prompt("Hello."))
			e := wantKind(t, r.Err, kind, status)
			if len(r.Deltas) != 0 {
				t.Errorf("got deltas before the error: %#v", r.Deltas)
			}
			if e.RetryAfter != 0 {
				t.Errorf("got a wait of %s that nobody asked for", e.RetryAfter)
			}
			if n := len(st.server.Requests()); n != 1 {
				t.Errorf("one call made %d requests; to try again is the caller's business", n)
			}
		})
	}
	t.Run("RetryAfter", func(t *testing.T) {
		for _, wait := range []time.Duration{7 * time.Second, 1500 * time.Millisecond} {
			st := s.stage(t, replies(rehearsal.Reply{Text: "never", Fault: &rehearsal.Fault{Status: 429, RetryAfter: &wait}}))
			if e := wantKind(t, st.say(prompt("Hello.")).Err, llm.ErrorRateLimited, 429); e.RetryAfter != wait {
				t.Errorf("got a wait of %s, want %s", e.RetryAfter, wait)
			}
		}
	})
	t.Run("ThePromptIsTooLong", func(t *testing.T) {
		st := s.stage(t, replies(rehearsal.Reply{Text: "never", Fault: &rehearsal.Fault{Kind: rehearsal.FaultOverflow}}))
		var e *llm.Error // with a status, or inside a stream that had begun
		if err := st.say(prompt("Hello.")).Err; !errors.As(err, &e) || e.Kind != llm.ErrorContextOverflow || e.Retryable() {
			t.Errorf("got %#v, want an error of kind %s", err, llm.ErrorContextOverflow)
		}
	})
	t.Run("TheBodyIsTooLong", func(t *testing.T) {
		st := s.stage(t, replies(rehearsal.Reply{Text: "never", Fault: &rehearsal.Fault{Status: 413}}))
		wantKind(t, st.say(prompt("Hello.")).Err, llm.ErrorContextOverflow, 413)
	})
	t.Run("TheKeyIsWrong", func(t *testing.T) {
		st := s.stage(t, &rehearsal.Script{Key: "the-right-key", Replies: []rehearsal.Reply{{Default: true, Text: "Come in."}}})
		if got := st.whole(prompt("Hello.")).Text(llm.BlockText); got != "Come in." {
			t.Errorf("with the right key: got %q", got)
		}
		for _, key := range []string{"a-wrong-key", ""} {
			p := s.open(t, Target{BaseURL: st.server.URL() + "/v1", APIKey: key})
			e := wantKind(t, Read(p.Stream(t.Context(), prompt("Hello."))).Err, llm.ErrorAuth, 401)
			if !strings.Contains(e.Message, "API key") {
				t.Errorf("with the key %q: the message has no next step: %v", key, e)
			}
		}
	})
}

// brokenStreams are answers that begin well.
func brokenStreams(t *testing.T, s Subject) {
	t.Run("ErrorEvent", func(t *testing.T) {
		for _, kind := range []rehearsal.FaultKind{rehearsal.FaultError, rehearsal.FaultFailed} {
			st := s.stage(t, replies(rehearsal.Reply{Text: "one two three", Fault: &rehearsal.Fault{Kind: kind, After: 2}}))
			r := st.say(prompt("Hello."))
			var e *llm.Error
			if !errors.As(r.Err, &e) || !e.Retryable() || e.Status != 0 || e.Code == "" {
				t.Errorf("%s: got %#v, want a retryable error with the vendor's code and without a status", kind, r.Err)
			}
			if got := r.Text(llm.BlockText); got != "one two " && got != "one two" {
				t.Errorf("%s: what came before the error is %q", kind, got)
			}
		}
	})
	for _, c := range []struct {
		kind  rehearsal.FaultKind
		after int
	}{
		{rehearsal.FaultCut, 0}, {rehearsal.FaultCut, 2}, {rehearsal.FaultEnd, 0}, {rehearsal.FaultEnd, 2},
		{rehearsal.FaultMalformed, 0}, {rehearsal.FaultMalformed, 2}, {rehearsal.FaultMalformed, 99},
		{rehearsal.FaultCut, 99}, {rehearsal.FaultEnd, 99},
	} {
		t.Run(fmt.Sprintf("%s_%d", c.kind, c.after), func(t *testing.T) {
			st := s.stage(t, replies(rehearsal.Reply{Text: "one two three", Fault: &rehearsal.Fault{Kind: c.kind, After: c.after}}))
			r := st.say(prompt("Hello."))
			wantKind(t, r.Err, llm.ErrorStream, 0)
			if want := []string{"", "one two"}; c.after < 99 && strings.TrimSpace(r.Text(llm.BlockText)) != want[c.after/2] {
				t.Errorf("what came before the fault is %q", r.Text(llm.BlockText))
			}
		})
	}
	t.Run("ConnectionReset", func(t *testing.T) {
		st := s.stage(t, replies(rehearsal.Reply{Text: "never", Fault: &rehearsal.Fault{Kind: rehearsal.FaultReset}}))
		wantKind(t, st.say(prompt("Hello.")).Err, llm.ErrorNetwork, 0)
	})
	t.Run("NobodyListens", func(t *testing.T) {
		st := s.stage(t, &rehearsal.Script{})
		url := st.server.URL()
		st.server.Close()
		e := wantKind(t, st.say(prompt("Hello.")).Err, llm.ErrorNetwork, 0)
		if !strings.Contains(e.Message, url) || !strings.Contains(e.Message, "base URL") {
			t.Errorf("the message names no address or no next step: %v", e)
		}
	})
	t.Run("NotAModelServer", func(t *testing.T) {
		for _, answer := range []http.HandlerFunc{
			func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "text/html")
				_, _ = w.Write([]byte("<html>Welcome to the router</html>"))
			},
			func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				_, _ = w.Write([]byte(`{"id":"1","object":"chat.completion"}`))
			},
			func(w http.ResponseWriter, r *http.Request) {
				http.Redirect(w, r, "http://elsewhere.invalid/", http.StatusTemporaryRedirect)
			},
		} {
			p := s.open(t, Target{BaseURL: serve(t, answer) + "/v1"})
			r := Read(p.Stream(t.Context(), prompt("Hello.")))
			var e *llm.Error
			if !errors.As(r.Err, &e) || e.Kind != llm.ErrorInvalid || !strings.Contains(e.Message, "base URL") {
				t.Errorf("got %v, want an error of kind invalid that speaks of the base URL", r.Err)
			}
		}
	})
}
