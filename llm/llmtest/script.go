package llmtest

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"sync"

	"podium.local/llm"
)

// Provider answers calls from a script, in order, and keeps the requests. It is
// safe for concurrent use.
type Provider struct {
	mu       sync.Mutex
	answers  []Answer
	requests []llm.Request
}

// Answer is what one call yields, in order: llm.Delta values, Wait values, and
// as the last element an error if the call is to fail.
type Answer []any

// Wait stops the answer until the channel is closed, or ends it with the
// context's error.
type Wait <-chan struct{}

// Script makes a Provider. A call beyond the last answer fails with
// llm.ErrorInvalid.
func Script(answers ...Answer) *Provider { return &Provider{answers: answers} }

// Text is an answer of one text block.
func Text(text string) Answer {
	return Answer{
		llm.BlockStart{Kind: llm.BlockText}, llm.BlockDelta{Text: text}, llm.BlockStop{},
		llm.Finish{Reason: llm.StopEnd},
	}
}

// Calls is an answer of tool calls.
func Calls(calls ...llm.ToolCall) Answer {
	var a Answer
	for _, c := range calls {
		a = append(a, llm.BlockStart{Kind: llm.BlockToolCall, ID: c.ID, Name: c.Name})
		if len(c.Arguments) > 0 {
			a = append(a, llm.BlockDelta{Text: string(c.Arguments)})
		}
		a = append(a, llm.BlockStop{})
	}
	return append(a, llm.Finish{Reason: llm.StopToolCalls})
}

// Counted puts a usage report in front of the end of an answer.
func (a Answer) Counted(u llm.Usage) Answer {
	return slices.Insert(slices.Clone(a), len(a)-1, any(llm.UsageReport{Usage: u}))
}

// Add appends answers to the script.
func (p *Provider) Add(answers ...Answer) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.answers = append(p.answers, answers...)
}

// Requests are the requests so far.
func (p *Provider) Requests() []llm.Request {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.requests)
}

// Stream gives the next answer when the sequence is ranged over.
func (p *Provider) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		for _, step := range p.next(req) {
			if err := ctx.Err(); err != nil {
				yield(nil, err)
				return
			}
			switch step := step.(type) {
			case llm.Delta:
				if !yield(step, nil) {
					return
				}
			case Wait:
				select {
				case <-step:
				case <-ctx.Done():
					yield(nil, ctx.Err())
					return
				}
			case error:
				yield(nil, step)
				return
			default:
				panic(fmt.Sprintf("llmtest: a script holds a %T; it takes llm.Delta, llmtest.Wait and error", step))
			}
		}
	}
}

func (p *Provider) next(req llm.Request) Answer {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.requests = append(p.requests, req)
	n := len(p.requests)
	if n > len(p.answers) {
		return Answer{&llm.Error{Kind: llm.ErrorInvalid, Message: fmt.Sprintf("the script has %d answers, and this is call %d", len(p.answers), n)}}
	}
	return p.answers[n-1]
}
