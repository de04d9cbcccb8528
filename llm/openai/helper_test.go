package openai_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"podium.local/llm"
	"podium.local/llm/llmtest"
	"podium.local/llm/openai"
)

// failer is a *testing.T or a *rapid.T.
type failer interface {
	Helper()
	Fatal(args ...any)
}

type constructor func(openai.Options) (llm.Provider, error)

// play reads an answer made of these events' data.
func play(tb failer, open constructor, data ...string) llmtest.Reading {
	tb.Helper()
	return playBytes(tb, open, "data: "+strings.Join(data, "\n\ndata: ")+"\n\n")
}

func playBytes(tb failer, open constructor, sse string) llmtest.Reading {
	tb.Helper()
	p, err := open(openai.Options{APIKey: "key", HTTPClient: llmtest.NewTape(strings.NewReader(sse)).Client()})
	if err != nil {
		tb.Fatal(err)
	}
	return llmtest.Read(p.Stream(context.Background(), llm.Request{Model: "m"}))
}

// send returns the request that an llm.Request becomes.
func send(t *testing.T, open constructor, o openai.Options, req llm.Request) llmtest.Sent {
	t.Helper()
	tape := llmtest.NewTape(strings.NewReader(""))
	o.HTTPClient = tape.Client()
	p, err := open(o)
	if err != nil {
		t.Fatal(err)
	}
	r := llmtest.Read(p.Stream(context.Background(), req))
	if len(tape.Sent()) != 1 {
		t.Fatalf("%d requests were sent: %v", len(tape.Sent()), r.Err)
	}
	return tape.Sent()[0]
}

func count(n int64) *int64 { return &n }

func text(s string) []llm.Block { return []llm.Block{llm.Text{Text: s}} }

func wantReading(t *testing.T, r llmtest.Reading, blocks []llmtest.Block, reason llm.StopReason) {
	t.Helper()
	if r.Err != nil || r.Broken != nil || r.Reason != reason {
		t.Errorf("reason %q (want %q), error %v, broken %v", r.Reason, reason, r.Err, r.Broken)
	}
	if d := cmp.Diff(blocks, r.Blocks); d != "" {
		t.Error(d)
	}
}
