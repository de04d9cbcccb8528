package studio

import (
	"context"
	"errors"
	"fmt"
	"time"

	"podium.local/session"
)

// readinessBody is GET /api/admin/readiness.
type readinessBody struct {
	Status       string  `json:"status" enum:"healthy,slow,unavailable"`
	Detail       *string `json:"detail" doc:"What is wrong; null when healthy."`
	LatencyMS    *number `json:"latency_ms" nullable:"true" doc:"Milliseconds the store took to answer; null when it did not."`
	TimeoutMS    int64   `json:"timeout_ms"`
	StorePresent bool    `json:"store_present"`
	CheckedAt    number  `json:"checked_at"`
	StoreContext *string `json:"store_context" doc:"Changes when continuations of listings become void; null without an identity."`
}

var readinessParams = params{list: []param{
	{name: "timeout_ms", kind: intParam, def: 1000, min: 50, max: 10_000, doc: "Milliseconds to wait for the store."},
}}

// getReadiness answers GET /api/admin/readiness. It always answers 200: the
// condition of the store is the answer, not a failure to give one.
func (s *Server) getReadiness(r *request) (any, error) {
	timeout := r.values.ints["timeout_ms"]
	body := readinessBody{TimeoutMS: timeout, CheckedAt: number(session.UnixSeconds(s.now()))}
	say := func(status, format string, args ...any) (any, error) {
		text := fmt.Sprintf(format, args...)
		body.Status, body.Detail = status, &text
		return body, nil
	}
	if s.cfg.Backend != "" {
		return say("unavailable", "the configured store is %s-backed; only a local SQLite file can be read", s.cfg.Backend)
	}
	body.StorePresent = s.cfg.Sources.Presence.Present()
	if !body.StorePresent {
		return say("unavailable", "there is no store file yet")
	}
	ctx, cancel := context.WithTimeout(r.Context(), time.Duration(timeout)*time.Millisecond)
	defer cancel()
	type answer struct {
		probe session.Probe
		err   error
		took  time.Duration
	}
	answers := make(chan answer, 1)
	start := time.Now()
	go func() {
		probe, err := s.cfg.Sources.Presence.Probe(ctx)
		answers <- answer{probe, err, time.Since(start)}
	}()
	var got answer
	select {
	case got = <-answers:
	case <-ctx.Done():
		return say("slow", "the store did not answer within %d ms", timeout)
	}
	switch {
	case errors.Is(got.err, context.DeadlineExceeded):
		return say("slow", "the store did not answer within %d ms", timeout)
	case got.err != nil:
		return say("unavailable", "%v", got.err)
	case !got.probe.Present:
		body.StorePresent = false
		return say("unavailable", "there is no store file yet")
	}
	latency := number(float64(got.took.Microseconds()) / 1000)
	body.Status, body.LatencyMS, body.StoreContext = "healthy", &latency, optional(got.probe.StoreContext)
	return body, nil
}
