package openai_test

import (
	"testing"

	"podium.local/llm"
	"podium.local/llm/llmtest"
	"podium.local/llm/openai"
)

func options(target llmtest.Target) openai.Options {
	return openai.Options{BaseURL: target.BaseURL, APIKey: target.APIKey, HTTPClient: target.Client}
}

func TestResponses_KeepsTheContract(t *testing.T) {
	llmtest.RunContract(t, llmtest.Subject{
		New:   func(target llmtest.Target) (llm.Provider, error) { return openai.NewResponses(options(target)) },
		Proof: true,
	})
}

func TestChat_KeepsTheContract(t *testing.T) {
	for name, open := range map[string]func(openai.Options) (llm.Provider, error){
		"openai-chat": openai.NewChat, "ollama": openai.NewOllama, "gemini": openai.NewGemini,
	} {
		t.Run(name, func(t *testing.T) {
			llmtest.RunContract(t, llmtest.Subject{
				New:          func(target llmtest.Target) (llm.Provider, error) { return open(options(target)) },
				Proof:        true,
				EndsByReason: true,
			})
		})
	}
}
