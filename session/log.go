package session

import (
	"errors"
	"time"
)

// ErrStaleAnchor means that the message or entry a window begins at is not
// in the session's log.
var ErrStaleAnchor = errors.New("the entry a window begins at is not in this session")

// AnchorError says in which branch an anchor is missing; it is an
// ErrStaleAnchor.
type AnchorError struct{ Branch string }

func (e *AnchorError) Error() string { return "branch " + e.Branch + ": " + ErrStaleAnchor.Error() }

// Unwrap is ErrStaleAnchor.
func (e *AnchorError) Unwrap() error { return ErrStaleAnchor }

// EntryQuery asks for a window of a log. At most one of Around, Before, After
// and From is set: the id of an entry, or the place of the window's first entry;
// none means the newest entries.
type EntryQuery struct {
	Around, Before, After string
	// From counts from 0.
	From  *int64
	Limit int
}

// EntryWindow is a stretch of a log, oldest first.
type EntryWindow struct {
	Entries []Entry
	// Before and After continue the window in the two directions: the id of its
	// first or last entry, empty where the log begins or ends.
	Before, After string
	// Total counts the entries of the log.
	Total int64
	// Counters are those of a log kept here, nil for the messages of another
	// program.
	Counters *Counters
	// Pod is the name of the pod that holds the session, empty for none.
	Pod string
}

// SearchQuery looks for a text in a log, from the entry after After (empty:
// from the beginning).
type SearchQuery struct {
	Text  string
	After string
	// Rows is the most matches returned, Candidates the most entries examined.
	Rows, Candidates int
}

// SearchWindow is what one bounded search saw.
type SearchWindow struct {
	Matches []SearchMatch
	// Examined counts the entries looked at; Last is the newest of them.
	Examined int
	Last     string
	// More says that entries remain after Last.
	More bool
}

// SearchMatch is one entry that holds the text.
type SearchMatch struct {
	EntryID string
	Ordinal int64
	Kind    Kind
	At      time.Time
	// Snippet is the text around the first match, on one line.
	Snippet string
}

// Lineage is the chain of compactions through a session, oldest first.
type Lineage struct {
	CompactedFrom []LineageStep
	ContinuedIn   []LineageStep
	// Imported is how a session of another program hangs together with others of
	// it; nil for sessions that were not imported.
	Imported *ImportedLineage
}

// ImportedLineage is what an imported session comes from and what comes from
// it, oldest first. Entries that a fork shares with the session it was forked
// from are that session's alone.
type ImportedLineage struct {
	// ForkedFrom and Parent are nil for none. A session that was not imported, or
	// is deleted, has neither a name nor a time.
	ForkedFrom *SessionLink
	Forks      []SessionLink
	Parent     *SessionLink // the session that started this subagent
	Subagents  []SessionLink
}

// SessionLink names another session.
type SessionLink struct {
	SessionID string
	Name      *string
	At        *float64 // when it was created, Unix seconds
}

// LineageStep is one compaction: the session at its other end, what was
// summarised and what that cost.
type LineageStep struct {
	SessionID string
	Name      *string
	At        *float64 // Unix seconds
	// Tokens before and after; nil when they were not measured.
	TokensBefore, TokensAfter *int64
	CostUSD                   *float64
}

// UsageBy is what usage is grouped by.
type UsageBy string

// The groupings of usage.
const (
	UsageByDay     UsageBy = "day"
	UsageByProject UsageBy = "project"
	UsageByModel   UsageBy = "model"
)

// UsageQuery asks for usage from a time on.
type UsageQuery struct {
	By    UsageBy
	Since time.Time
	Until time.Time
	// Zone decides where days begin.
	Zone *time.Location
}

// Usages are sums, one a group: days in order, other groups by spend.
type Usages struct {
	Groups []UsageSum
	// AsOf is when the sums were made; zero for now. ByActivity says that
	// sessions count on the day of their last activity because the store keeps no
	// better record, Capped that not all of them were read.
	AsOf       time.Time
	ByActivity bool
	Capped     bool
}

// UsageSum is one group: a day (2006-01-02), a project or a model.
type UsageSum struct {
	// Key is nil for sessions without a project or model.
	Key *string
	// Sessions counts those that began.
	Sessions int64
	// PricedUSD is the sum over Priced requests; Unpriced ones are not in it.
	PricedUSD float64
	Priced    int64
	Unpriced  int64
}

// Probe is the condition of a store.
type Probe struct {
	Present bool
	// StoreContext changes whenever continuations of the store's listings become
	// void; empty when the store has no identity.
	StoreContext string
}
