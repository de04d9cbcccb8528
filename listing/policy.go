package listing

import "time"

// Policy is what the server decides about a window. Clients are told, they do
// not choose.
type Policy struct {
	// CandidateLimit is how many candidates one request examines at most.
	CandidateLimit int
	// ChainLifetime is how long a chain of cursors lasts from its first one.
	ChainLifetime time.Duration
	// ClockTolerance is by how much a cursor's time of issue may lie ahead.
	ClockTolerance time.Duration
}

// DefaultPolicy is the product's. Its numbers are choices, not optima; to
// change them changes what a window means to clients.
func DefaultPolicy() Policy {
	return Policy{CandidateLimit: 10_000, ChainLifetime: 24 * time.Hour, ClockTolerance: time.Minute}
}

// MaxOffset is how many candidates a request without a cursor may skip.
const MaxOffset = 10_000

// What a cursor is bound to besides its request and its store. A change of one
// of these meanings raises its number and ends the chains of the old one.
const (
	payloadVersion    = 1
	comparisonVersion = 1
	// rowVersion is the projection of an endpoint's rows.
	rowVersion = 1
	// eligibilityVersion is the rule that hides mirrored transcripts.
	eligibilityVersion = 1
	// scope is what the caller may see: everything in the configured store.
	scope = "store-access/1"
)
