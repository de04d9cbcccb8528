package session

import "time"

// Counters are the stored counters of one session: what a pod shows of itself.
type Counters struct {
	SessionID string
	// Name is empty until the session has one.
	Name   string
	Status Status
	// Phase is set while a pod holds the session.
	Phase     Phase
	StartedAt time.Time
	UpdatedAt time.Time
	// Entries and Messages count the log.
	Entries, Messages int64
	Turns             int64
	// Tokens that no request reported are nil.
	InputTokens, OutputTokens                          *int64
	CacheReadTokens, CacheWriteTokens, ReasoningTokens int64
	// CostUSD is the sum over Priced requests, nil when there was none; Unpriced
	// ones are not in it.
	CostUSD          *float64
	Priced, Unpriced int64
}
