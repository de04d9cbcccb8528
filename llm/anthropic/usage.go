package anthropic

import (
	sdk "github.com/anthropics/anthropic-sdk-go/v2"

	"podium.local/llm"
)

// tokens are the counters of one event; nil is "not in it".
type tokens struct{ fresh, read, written, output, thinking *int64 }

// usage adds up what the events said. The vendor's counters are cumulative, and
// an event may leave some of them out.
type usage struct{ tokens }

// report takes over what an event counted and tells what is known now; nothing
// when the event counted nothing.
func (u *usage) report(t tokens) []llm.Delta {
	if t == (tokens{}) {
		return nil
	}
	for _, c := range []struct{ have, got **int64 }{
		{&u.fresh, &t.fresh}, {&u.read, &t.read}, {&u.written, &t.written},
		{&u.output, &t.output}, {&u.thinking, &t.thinking},
	} {
		// Some servers send zeros where they have nothing new to say.
		if *c.got != nil && (*c.have == nil || **c.got > **c.have) {
			*c.have = *c.got
		}
	}
	known := llm.Usage{Output: u.output, CacheRead: u.read, CacheWrite: u.written, Reasoning: u.thinking}
	if u.fresh != nil {
		whole := *u.fresh
		for _, part := range []*int64{u.read, u.written} {
			if part != nil {
				whole += *part
			}
		}
		known.Input = &whole
	}
	return []llm.Delta{llm.UsageReport{Usage: known}}
}

func startTokens(u sdk.Usage) tokens {
	return tokens{
		fresh:    given(u.InputTokens, u.JSON.InputTokens),
		read:     given(u.CacheReadInputTokens, u.JSON.CacheReadInputTokens),
		written:  given(u.CacheCreationInputTokens, u.JSON.CacheCreationInputTokens),
		output:   given(u.OutputTokens, u.JSON.OutputTokens),
		thinking: given(u.OutputTokensDetails.ThinkingTokens, u.OutputTokensDetails.JSON.ThinkingTokens),
	}
}

func deltaTokens(u sdk.MessageDeltaUsage) tokens {
	return tokens{
		fresh:    given(u.InputTokens, u.JSON.InputTokens),
		read:     given(u.CacheReadInputTokens, u.JSON.CacheReadInputTokens),
		written:  given(u.CacheCreationInputTokens, u.JSON.CacheCreationInputTokens),
		output:   given(u.OutputTokens, u.JSON.OutputTokens),
		thinking: given(u.OutputTokensDetails.ThinkingTokens, u.OutputTokensDetails.JSON.ThinkingTokens),
	}
}

// given is nil for a field that was absent, null or not a number.
func given(n int64, field interface{ Valid() bool }) *int64 {
	if !field.Valid() {
		return nil
	}
	return &n
}
