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
	models := modelsOf(cfg)
	vendor := catalog.ProviderAt(string(m.Provider), m.BaseURL)
	contextTokens = m.Context
	if known, ok := models.Lookup(vendor, m.ID); ok && contextTokens == 0 {
		contextTokens = known.ContextTokens
	}
	price = func(model string, u session.Usage) (float64, string, bool) { return costOf(models, vendor, model, u) }
	return price, contextTokens
}

// pricer says what requests of any vendor cost.
func pricer(cfg config.Config) session.Pricer {
	models := modelsOf(cfg)
	return func(provider, model string, u session.Usage) (float64, string, bool) {
		return costOf(models, provider, model, u)
	}
}

// modelsOf is the built-in catalogue under the user's own entries.
func modelsOf(cfg config.Config) catalog.Catalog {
	overrides := map[string]catalog.Override{}
	for id, e := range cfg.Catalog {
		overrides[id] = catalog.Override{
			Input: e.InputUSD, Output: e.OutputUSD, CacheRead: e.CacheReadUSD, CacheWrite: e.CacheWriteUSD, ContextTokens: e.Context,
		}
	}
	return catalog.New(overrides)
}

func costOf(models catalog.Catalog, vendor, model string, u session.Usage) (float64, string, bool) {
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
}
