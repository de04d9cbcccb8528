package llmtest

import (
	"context"
	"net/http"
	"testing"

	"podium.local/llm"
	"podium.local/rehearsal"
)

// Target is where the adapter under test is to send its requests.
type Target struct {
	BaseURL string
	APIKey  string
	// Client is nil, or a client that must be used.
	Client *http.Client
}

// Subject is an adapter under test.
type Subject struct {
	// New makes a provider for a target.
	New func(Target) (llm.Provider, error)
	// Proof says that reasoning comes with an opaque part, which the server
	// checks when it comes back.
	Proof bool
	// CacheWrite says that the wire counts cache-written tokens.
	CacheWrite bool
	// AlwaysCounts says that the wire has no answer without usage.
	AlwaysCounts bool
	// EndsByReason says that a stream which closes after the reason to stop is
	// whole, so that its end mark can be missing.
	EndsByReason bool
}

// RunContract checks an adapter against the rehearsal server: what it makes of
// every kind of answer and of everything that can go wrong.
func RunContract(t *testing.T, s Subject) {
	t.Helper()
	for _, part := range []struct {
		name string
		run  func(*testing.T, Subject)
	}{
		{"Answers", answers}, {"Usage", usage}, {"Conversation", conversation},
		{"Refusals", refusals}, {"BrokenStreams", brokenStreams},
		{"Leaving", leaving}, {"Framing", framing}, {"Secrets", secrets},
	} {
		t.Run(part.name, func(t *testing.T) { part.run(t, s) })
	}
}

// stage is one adapter before one rehearsal server.
type stage struct {
	*testing.T
	server   *rehearsal.Server
	provider llm.Provider
}

func (s Subject) stage(t *testing.T, script *rehearsal.Script) *stage {
	t.Helper()
	server := rehearsal.New(script, rehearsal.Options{})
	return &stage{T: t, server: server, provider: s.open(t, Target{BaseURL: server.Start(t) + "/v1", APIKey: script.Key})}
}

func (s Subject) open(t *testing.T, target Target) llm.Provider {
	t.Helper()
	p, err := s.New(target)
	if err != nil {
		t.Fatalf("make the provider: %v", err)
	}
	return p
}

// say asks for one answer and fails the test where a promise was broken.
func (s *stage) say(req llm.Request) Reading {
	s.Helper()
	return s.read(s.Context(), req)
}

func (s *stage) read(ctx context.Context, req llm.Request) Reading {
	s.Helper()
	r := Read(s.provider.Stream(ctx, req))
	if r.Broken != nil {
		s.Fatalf("the stream breaks a promise: %v\n%#v", r.Broken, r.Deltas)
	}
	return r
}

// whole is say for answers that must not fail.
func (s *stage) whole(req llm.Request) Reading {
	s.Helper()
	r := s.say(req)
	if r.Err != nil {
		s.Fatalf("the answer failed: %v", r.Err)
	}
	return r
}

// prompt is a small request.
func prompt(text string) llm.Request {
	return llm.Request{
		Model:    "rehearsal-1",
		System:   "Be brief.",
		Messages: []llm.Message{{Role: llm.RoleUser, Blocks: []llm.Block{llm.Text{Text: text}}}},
		Tools: []llm.ToolSpec{
			{Name: "Read", Description: "Reads a file.", Schema: []byte(`{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}`)},
			{Name: "List"},
		},
	}
}

func replies(r ...rehearsal.Reply) *rehearsal.Script { return &rehearsal.Script{Replies: r} }
