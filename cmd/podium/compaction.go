package main

import (
	"fmt"

	"podium.local/config"
	"podium.local/pod"
	"podium.local/tool"
)

// newCompaction is when and how a pod compacts, for a model that holds
// context tokens (0: unknown). A model of its own may write the summaries; its
// worker reads files with a reader that shares nothing with the pod's tools but
// the scope.
func newCompaction(cfg config.Config, dir, podName string, context int64) (pod.Compaction, error) {
	c := cfg.Compaction
	out := pod.Compaction{
		Retained: c.RetainedTokens, AutoReadBudget: c.AutoReadBudget, MaxInput: c.WorkerMaxInputTokens,
		PruneProtected: c.PruneProtectedTurns, PruneMinSavings: c.PruneMinSavings,
	}
	out.Threshold, out.RequestThreshold = c.Thresholds(context)
	out.Read = func() tool.Tool {
		tools, _, err := newTools(cfg, dir, podName)
		if err != nil {
			return nil
		}
		read, _ := tools.Get("Read")
		return read
	}
	if c.Model == nil {
		return out, nil
	}
	provider, _, err := newProvider(cfg, *c.Model)
	if err != nil {
		return pod.Compaction{}, fmt.Errorf("compaction.model: %w", err)
	}
	price, _ := priceOf(cfg, *c.Model)
	out.Provider, out.Model, out.Price = provider, c.Model.ID, price
	return out, nil
}
