package llmtest

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"

	"go.uber.org/goleak"

	"podium.local/llm"
	"podium.local/rehearsal"
)

func serve(t *testing.T, h http.Handler) string {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return server.URL
}

// leaving is what happens when the caller has had enough.
func leaving(t *testing.T, s Subject) {
	t.Run("CancelBeforeTheFirstByte", func(t *testing.T) {
		leak := goleak.IgnoreCurrent()
		st := s.stage(t, replies(rehearsal.Reply{Text: "never", Fault: &rehearsal.Fault{Kind: rehearsal.FaultHang}}))
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan Reading)
		go func() { done <- Read(st.provider.Stream(ctx, prompt("Hello."))) }()
		if err := st.server.Await(t.Context(), 1); err != nil {
			t.Fatal(err)
		}
		cancel()
		if r := <-done; !errors.Is(r.Err, context.Canceled) || r.Broken != nil {
			t.Errorf("got %v, %v; want the context's error", r.Err, r.Broken)
		}
		st.gone(leak)
	})
	t.Run("CancelInTheMiddle", func(t *testing.T) {
		leak := goleak.IgnoreCurrent()
		st := s.stage(t, replies(rehearsal.Reply{Text: "one two three", Fault: &rehearsal.Fault{Kind: rehearsal.FaultStall, After: 2}}))
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		var last error
		var text string
		for d, err := range st.provider.Stream(ctx, prompt("Hello.")) {
			last = err
			if piece, ok := d.(llm.BlockDelta); ok {
				if text += piece.Text; text == "one two" || text == "one two " {
					cancel()
				}
			}
		}
		if !errors.Is(last, context.Canceled) {
			t.Errorf("got %v after %q; want the context's error", last, text)
		}
		st.gone(leak)
	})
	t.Run("DeadlineIsTheContextsError", func(t *testing.T) {
		st := s.stage(t, replies(rehearsal.Reply{Text: "never", Fault: &rehearsal.Fault{Kind: rehearsal.FaultHang}}))
		ctx, cancel := context.WithTimeout(t.Context(), 1)
		defer cancel()
		if r := st.read(ctx, prompt("Hello.")); !errors.Is(r.Err, context.DeadlineExceeded) {
			t.Errorf("got %v, want the context's error", r.Err)
		}
	})
	t.Run("BreakingOutHangsUp", func(t *testing.T) {
		leak := goleak.IgnoreCurrent()
		st := s.stage(t, replies(rehearsal.Reply{Text: "one two three", Fault: &rehearsal.Fault{Kind: rehearsal.FaultStall, After: 1}}))
		for d, err := range st.provider.Stream(t.Context(), prompt("Hello.")) {
			if err != nil {
				t.Errorf("got %v", err)
			}
			if _, ok := d.(llm.BlockDelta); ok {
				break
			}
		}
		if err := st.server.AwaitIdle(t.Context()); err != nil { // comes only when the server sees us gone
			t.Fatal(err)
		}
		if r := st.server.Requests()[0]; !r.Left {
			t.Errorf("the server did not see the client leave: %+v", r)
		}
		st.gone(leak)
	})
}

// gone checks that nothing is left running once the server is closed.
func (s *stage) gone(before goleak.Option) {
	s.Helper()
	s.server.Close()
	goleak.VerifyNone(s, before)
}
