package listing

import (
	"context"
	"time"
)

// Endpoint is which listing is asked: its cursors do not work at the other.
type Endpoint string

// The two endpoints.
const (
	Runs     Endpoint = "runs"
	Sessions Endpoint = "sessions"
)

// Request is one listing request, its parameters already read.
type Request struct {
	Endpoint Endpoint
	Order    Order
	Filter   Filter
	// Rows is how many rows to return at most, at least 1.
	Rows int
	// Skip is how many candidates to pass over first.
	Skip int64
	// Cursor continues a chain; nil begins one.
	Cursor *string
	// ExactTotal asks for the count of all matches, at the cost of the whole
	// store.
	ExactTotal bool
}

// Check refuses a request whose parts contradict each other.
func (r Request) Check() error {
	switch {
	case !r.Order.Valid():
		return fail(RequestInvalid, "the sort is neither recent nor cost")
	case r.Rows < 1:
		return fail(RequestInvalid, "the row limit is below 1")
	case r.Skip < 0:
		return fail(RequestInvalid, "the offset is below 0")
	case r.Cursor != nil && *r.Cursor == "":
		return fail(RequestInvalid, "the cursor is empty")
	case r.Cursor != nil && r.Skip > 0:
		return fail(RequestInvalid, "a cursor and an offset exclude each other")
	case r.Skip > 0 && r.Filter.Effective():
		return fail(FilteredOffset, "a filtered listing starts at the beginning")
	case r.Skip > MaxOffset:
		return fail(CursorRequired, "the offset is beyond the limit")
	}
	return nil
}

// Answer is a window with what the endpoint says about it.
type Answer[R any] struct {
	Rows       []R
	Pagination Pagination
	Total      Total
	// Reached is the last key that was examined or skipped, nil when there was
	// none.
	Reached *Key
	Work    Work
}

// Snapshot is one reading transaction of a store: everything read from it is
// of one moment.
type Snapshot[R any] interface {
	Source[R]
	// Ready returns the store's incarnation, or an Unready error that says what
	// the order needs and the store lacks.
	Ready(o Order) (incarnation string, err error)
	// Count counts all rows that match.
	Count(f Filter) (int64, error)
	// Cost is what was spent in the snapshot so far: statements and steps.
	Cost() Work
}

// Store gives snapshots of one store file, which may be missing.
type Store[R any] interface {
	// Present reports whether the file exists right now.
	Present() bool
	// ListingSnapshot runs use in one reading transaction and ends it. counting
	// says that use will count the whole store. present is false, and use not
	// called, when the file is gone. It ends in the middle of a statement when ctx
	// does.
	ListingSnapshot(ctx context.Context, counting bool, use func(Snapshot[R]) error) (present bool, err error)
}

// Lister answers listing requests for one store.
type Lister[R any] struct {
	Store   Store[R]
	Keyring *Keyring
	// StoreID is the store's logical name. It stands in cursors, so it must not
	// be a path.
	StoreID string
	Policy  Policy
	// Now is the clock; nil is time.Now.
	Now func() time.Time
}

// List answers one request. Conditions are an *Error; everything else is a
// failure of the store.
func (l *Lister[R]) List(ctx context.Context, r Request) (Answer[R], error) {
	if err := r.Check(); err != nil {
		return Answer[R]{}, err
	}
	now := time.Now()
	if l.Now != nil {
		now = l.Now()
	}
	chain, err := l.begin(r, now)
	if err != nil {
		return Answer[R]{}, err
	}
	if !chain.present {
		return l.absent(r)
	}
	var window Window[R]
	total := Total{Kind: Unknown}
	present, err := l.Store.ListingSnapshot(ctx, r.ExactTotal, func(s Snapshot[R]) error {
		incarnation, err := s.Ready(r.Order)
		if err != nil {
			return err
		}
		if chain.after != nil && chain.incarnation != incarnation {
			return fail(CursorRestart, "issued by another life of the store")
		}
		chain.incarnation = incarnation
		if window, err = Walk(s, Query{
			Order: r.Order, Filter: r.Filter, After: chain.after, Skip: int(r.Skip), Rows: r.Rows, Candidates: l.Policy.CandidateLimit,
		}); err != nil {
			return err
		}
		if r.ExactTotal {
			n, err := s.Count(r.Filter)
			if err != nil {
				return err
			}
			total = Total{Kind: Exact, Value: &n}
			window.Work.Counts = 1
		}
		spent := s.Cost()
		window.Work.Statements, window.Work.VMSteps = spent.Statements, spent.VMSteps
		window.Work.FullScanSteps, window.Work.Sorts = spent.FullScanSteps, spent.Sorts
		return nil
	})
	switch {
	case err != nil:
		return Answer[R]{}, err
	case !present:
		return l.absent(r)
	}
	return l.answer(r, window, total, chain), nil
}

// chain is what a request continues or begins.
type chain struct {
	cursor
	keys    *Keys
	after   *Key
	present bool
}

// begin reads the cursor and the keys, as far as that needs no store.
func (l *Lister[R]) begin(r Request, now time.Time) (chain, error) {
	want := cursor{
		endpoint: r.Endpoint, row: rowVersion, comparison: comparisonVersion, eligibility: eligibilityVersion, fingerprint: r.Filter.Fingerprint(),
		order: r.Order, store: l.StoreID, scope: scope,
		issued: now.Truncate(time.Second), expires: now.Truncate(time.Second).Add(l.Policy.ChainLifetime),
	}
	if r.Cursor == nil {
		c := chain{cursor: want, present: l.Store.Present()}
		if !c.present {
			return c, nil // nothing will be signed, so no key is wanted
		}
		var err error
		c.keys, err = l.Keyring.Keys()
		return c, err
	}
	t, err := parseToken(*r.Cursor)
	if err != nil {
		return chain{}, err
	}
	keys, err := l.Keyring.Keys()
	if err != nil {
		return chain{}, err
	}
	got, err := keys.open(t, now)
	if err != nil {
		return chain{}, err
	}
	if err := got.checkTimes(l.Policy, now); err != nil {
		return chain{}, err
	}
	if err := got.bound(want); err != nil {
		return chain{}, err
	}
	return chain{cursor: got, keys: keys, after: &got.key, present: l.Store.Present()}, nil
}

// absent answers for a file that does not exist.
func (l *Lister[R]) absent(r Request) (Answer[R], error) {
	if r.Cursor != nil {
		return Answer[R]{}, fail(CursorRestart, "the store's file is gone")
	}
	total := Total{Kind: Unknown}
	if r.ExactTotal {
		total = Total{Kind: Exact, Value: new(int64)}
	}
	return l.answer(r, Window[R]{Stop: Exhausted}, total, chain{}), nil
}

// answer puts an answer together and signs its cursor.
func (l *Lister[R]) answer(r Request, w Window[R], total Total, c chain) Answer[R] {
	a := Answer[R]{Rows: w.Rows, Total: total, Reached: w.Frontier, Work: w.Work, Pagination: Pagination{
		HasMoreCandidates: w.More, Returned: len(w.Rows), ExaminedCandidates: w.Work.ResidualEvaluations,
		CandidateLimit: l.Policy.CandidateLimit, StopReason: w.Stop, OffsetBasis: OffsetBasis, SearchMode: r.Filter.SearchMode(),
	}}
	if w.More {
		c.key = *w.Frontier
		text := c.keys.seal(c.cursor)
		a.Pagination.NextCursor = &text
	}
	return a
}
