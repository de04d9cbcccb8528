package podtest

import (
	"context"
	"iter"
	"sync"

	"podium.local/llm"
)

// Step is a piece of a scripted answer.
type Step func(ctx context.Context, emit func(llm.Delta)) error

// Provider answers each request with the next script, and with Text("done")
// when there is none left.
type Provider struct {
	mu       sync.Mutex
	scripts  [][]Step
	requests []llm.Request
}

// NewProvider makes a provider of these answers.
func NewProvider(scripts ...[]Step) *Provider { return &Provider{scripts: scripts} }

// Add appends an answer.
func (p *Provider) Add(steps ...Step) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.scripts = append(p.scripts, steps)
}

// Requests are the requests so far.
func (p *Provider) Requests() []llm.Request {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]llm.Request(nil), p.requests...)
}

// Stream implements llm.Provider.
func (p *Provider) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		p.mu.Lock()
		p.requests = append(p.requests, req)
		steps := []Step{Text("done"), End()}
		if len(p.scripts) > 0 {
			steps, p.scripts = p.scripts[0], p.scripts[1:]
		}
		p.mu.Unlock()
		broke := false
		emit := func(d llm.Delta) {
			if !broke && !yield(d, nil) {
				broke = true
			}
		}
		for _, step := range steps {
			if err := ctx.Err(); err != nil && !broke {
				yield(nil, err)
				return
			}
			err := step(ctx, emit)
			if broke {
				return
			}
			if err != nil {
				yield(nil, err)
				return
			}
		}
	}
}

func emitAll(deltas ...llm.Delta) Step {
	return func(_ context.Context, emit func(llm.Delta)) error {
		for _, d := range deltas {
			emit(d)
		}
		return nil
	}
}

// Text is a whole text block, one delta a piece.
func Text(pieces ...string) Step { return block(llm.BlockStart{Kind: llm.BlockText}, nil, pieces) }

// Reasoning is a whole reasoning block with its proof.
func Reasoning(text, opaque string) Step {
	return block(llm.BlockStart{Kind: llm.BlockReasoning}, []byte(opaque), []string{text})
}

// Call is a whole tool call.
func Call(id, name, args string) Step {
	return block(llm.BlockStart{Kind: llm.BlockToolCall, ID: id, Name: name}, nil, []string{args})
}

func block(start llm.BlockStart, opaque []byte, pieces []string) Step {
	deltas := []llm.Delta{start}
	for _, piece := range pieces {
		deltas = append(deltas, llm.BlockDelta{Text: piece})
	}
	return emitAll(append(deltas, llm.BlockStop{Opaque: opaque})...)
}

// Open begins a text block and leaves it open.
func Open(text string) Step {
	return emitAll(llm.BlockStart{Kind: llm.BlockText}, llm.BlockDelta{Text: text})
}

// OpenCall begins a tool call and leaves it open.
func OpenCall(id, name, args string) Step {
	return emitAll(llm.BlockStart{Kind: llm.BlockToolCall, ID: id, Name: name}, llm.BlockDelta{Text: args})
}

// Delta sends deltas as they are.
func Delta(deltas ...llm.Delta) Step { return emitAll(deltas...) }

// Usage reports tokens.
func Usage(input, output int64) Step {
	return emitAll(llm.UsageReport{Usage: llm.Usage{Input: &input, Output: &output}})
}

// End finishes the answer.
func End() Step { return emitAll(llm.Finish{Reason: llm.StopEnd}) }

// Calls finishes an answer that asks for tools.
func Calls() Step { return emitAll(llm.Finish{Reason: llm.StopToolCalls}) }

// Fail ends the stream with an error.
func Fail(err error) Step {
	return func(context.Context, func(llm.Delta)) error { return err }
}

// Gate waits until ch is closed or the request is cancelled; reached, when not
// nil, gets a value when the script has come this far.
func Gate(ch <-chan struct{}, reached chan<- struct{}) Step {
	return func(ctx context.Context, _ func(llm.Delta)) error {
		if reached != nil {
			reached <- struct{}{}
		}
		select {
		case <-ch:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Hang waits until the request is cancelled.
func Hang(reached chan<- struct{}) Step { return Gate(nil, reached) }
