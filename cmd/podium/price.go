package main

import (
	"podium.local/config"
	"podium.local/llm"
	"podium.local/llm/catalog"
	"podium.local/session"
)

// priceOf says what a model's requests cost and how many tokens it holds (0
// unknown). The user's own entries go before the built-in catalogue; a model
// without a price costs an unknown amount, never nothing.
func priceOf(cfg config.Config, m config.Model) (price func(model string, u session.Usage) (float64, string, bool), contextTokens int64) {
	overrides := map[string]catalog.Override{}
	for id, e := range cfg.Catalog {
		overrides[id] = catalog.Override{
			Input: e.InputUSD, Output: e.OutputUSD, CacheRead: e.CacheReadUSD, CacheWrite: e.CacheWriteUSD, ContextTokens: e.Context,
		}
	}
	models := catalog.New(overrides)
	vendor := catalog.ProviderAt(string(m.Provider), m.BaseURL)
	contextTokens = m.Context
	if known, ok := models.Lookup(vendor, m.ID); ok && contextTokens == 0 {
		contextTokens = known.ContextTokens
	}
	return func(model string, u session.Usage) (float64, string, bool) {
		known, ok := models.Lookup(vendor, model)
		if !ok || known.Price == nil {
			return 0, "", false
		}
		usd := known.Price.Cost(llm.Usage{
			Input: u.InputTokens, Output: u.OutputTokens, Reasoning: &u.ReasoningTokens,
			CacheRead: &u.CacheReadTokens, CacheWrite: &u.CacheWriteTokens,
		})
		if usd == nil {
			return 0, "", false
		}
		return *usd, string(known.Price.Source), true
	}, contextTokens
}
