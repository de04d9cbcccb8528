package anthropic_test

import (
	"testing"

	"podium.local/llm"
	"podium.local/llm/anthropic"
	"podium.local/llm/llmtest"
)

func TestMessages_KeepsTheContract(t *testing.T) {
	llmtest.RunContract(t, llmtest.Subject{
		New: func(target llmtest.Target) (llm.Provider, error) {
			return anthropic.New(anthropic.Options{BaseURL: target.BaseURL, APIKey: target.APIKey, HTTPClient: target.Client})
		},
		Proof:        true,
		CacheWrite:   true,
		AlwaysCounts: true,
	})
}
