package listing

// SearchMode says how the texts of a filter were looked for.
type SearchMode string

// The modes.
const (
	NoSearch SearchMode = "none"
	// BoundedContains looks for the text in the window's candidates only.
	BoundedContains SearchMode = "bounded_contains"
)

// StopReason says why a window ended.
type StopReason string

// The reasons, in the order in which they take precedence.
const (
	Exhausted      StopReason = "exhausted"
	RowLimit       StopReason = "row_limit"
	CandidateLimit StopReason = "candidate_limit"
)

// OffsetBasis is what an offset counts.
const OffsetBasis = "candidates"

// Pagination tells a client how far its window reached. The words are the same
// over HTTP and from the shell.
type Pagination struct {
	// NextCursor is nil when no candidate remains.
	NextCursor         *string    `json:"next_cursor" doc:"Continues behind the last candidate that was examined; null when none remains."`
	HasMoreCandidates  bool       `json:"has_more_candidates" doc:"True exactly when next_cursor is there. Says nothing of matches."`
	Returned           int        `json:"returned"`
	ExaminedCandidates int        `json:"examined_candidates" doc:"Sessions that the filter was tried on; without skipped ones."`
	CandidateLimit     int        `json:"candidate_limit" doc:"Most candidates that one request examines."`
	StopReason         StopReason `json:"stop_reason" enum:"exhausted,row_limit,candidate_limit"`
	OffsetBasis        string     `json:"offset_basis" enum:"candidates"`
	SearchMode         SearchMode `json:"search_mode" enum:"none,bounded_contains"`
}

// TotalKind says what is known of a total.
type TotalKind string

// The kinds.
const (
	Unknown TotalKind = "unknown"
	Exact   TotalKind = "exact"
)

// Total is how many sessions of the whole store match: exact when it was asked
// for, else unknown, which is not zero.
type Total struct {
	Kind  TotalKind `json:"kind" enum:"unknown,exact"`
	Value *int64    `json:"value" doc:"null exactly when the kind is unknown."`
}

// Work counts what one answer cost the store.
type Work struct {
	// KeysVisited are all keys that were read: SkippedKeys, ResidualEvaluations
	// and LookaheadKeys.
	KeysVisited         int   `json:"keys_visited"`
	SkippedKeys         int   `json:"skipped_keys"`
	ResidualEvaluations int   `json:"residual_evaluations"`
	LookaheadKeys       int   `json:"lookahead_keys"`
	TagProbes           int   `json:"tag_probes"`
	HydratedRows        int   `json:"hydrated_rows"`
	Counts              int   `json:"counts"`
	Statements          int   `json:"statements"`
	VMSteps             int64 `json:"vm_steps"`
	// FullScanSteps and Sorts are SQLite's own counters over all statements.
	FullScanSteps int64 `json:"fullscan_steps"`
	Sorts         int64 `json:"sorts"`
}
