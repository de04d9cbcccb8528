package listing

import (
	"errors"
	"iter"
)

// Candidate is one row of the order with the filter's verdict on it.
type Candidate struct {
	Key Key
	// Handle is the source's own name for the row.
	Handle int64
	// Matched says that the row is eligible and the filter selects it.
	Matched bool
	// TagProbes is how many tags were looked up for the verdict.
	TagProbes int
}

// Source reads candidates within one snapshot and ends with it.
type Source[R any] interface {
	// Keys yields at most limit keys of a branch, in order, looking at nothing but
	// the keys.
	Keys(b Branch, limit int) iter.Seq2[Key, error]
	// Candidates yields at most limit candidates of a branch, in order, each
	// tried on the filter when it is reached and not before. A row that does not
	// match is yielded too.
	Candidates(b Branch, f Filter, limit int) iter.Seq2[Candidate, error]
	// Hydrate reads the rows of handles, in the order given by o.
	Hydrate(o Order, handles []int64) ([]R, error)
}

// Query is one window to walk.
type Query struct {
	Order  Order
	Filter Filter
	// After is the key to continue behind, nil for the beginning.
	After *Key
	// Skip is how many candidates to pass over first, unexamined.
	Skip int
	// Rows and Candidates are the window's two limits, both at least 1.
	Rows, Candidates int
}

// Window is what a walk found.
type Window[R any] struct {
	Rows []R
	// Frontier is the last key that was examined or skipped, nil when there was
	// none. The next window continues behind it when More is set.
	Frontier *Key
	More     bool
	Stop     StopReason
	Work     Work
}

// errDisorder means that the source gave a key that does not come after the
// one before it, which an index in order cannot do.
var errDisorder = errors.New("the listing's index is out of order; run `podium store check`")

// Walk examines candidates in order until enough rows match, the candidates
// are used up, or none is left. The branches of the seek share one allowance.
// One key more is looked up, and not examined, to tell whether any remains.
func Walk[R any](src Source[R], q Query) (Window[R], error) {
	w := walker[R]{src: src, q: q, last: q.After}
	if err := w.skip(); err != nil {
		return Window[R]{}, err
	}
	if err := w.examine(); err != nil {
		return Window[R]{}, err
	}
	more, err := w.lookAhead()
	if err != nil {
		return Window[R]{}, err
	}
	rows, err := src.Hydrate(q.Order, w.handles)
	if err != nil {
		return Window[R]{}, err
	}
	if len(rows) != len(w.handles) {
		return Window[R]{}, errors.New("the source did not give the rows that it matched")
	}
	w.work.HydratedRows = len(rows)
	w.work.KeysVisited = w.work.SkippedKeys + w.work.ResidualEvaluations + w.work.LookaheadKeys
	out := Window[R]{Rows: rows, Frontier: w.last, More: more, Work: w.work}
	switch {
	case !more:
		out.Stop = Exhausted
	case len(rows) == q.Rows:
		out.Stop = RowLimit
	default:
		out.Stop = CandidateLimit
	}
	return out, nil
}

// walker is one walk under way.
type walker[R any] struct {
	src     Source[R]
	q       Query
	last    *Key
	handles []int64
	work    Work
	// limited says that a limit ended the examination, not the end of the order.
	limited bool
}

// reach makes k the last key that was read.
func (w *walker[R]) reach(k Key) error {
	if err := k.check(w.q.Order); err != nil {
		return err
	}
	if w.last != nil && w.q.Order.Compare(*w.last, k) >= 0 {
		return errDisorder
	}
	w.last = &k
	return nil
}

// skip passes over candidates without trying the filter on them.
func (w *walker[R]) skip() error {
	if w.q.Skip == 0 {
		return nil
	}
	for _, b := range Branches(w.q.Order, w.last) {
		left := w.q.Skip - w.work.SkippedKeys
		if left == 0 {
			return nil
		}
		for k, err := range w.src.Keys(b, left) {
			if err != nil {
				return err
			}
			w.work.SkippedKeys++
			if err := w.reach(k); err != nil {
				return err
			}
		}
	}
	return nil
}

// examine tries the filter on candidates.
func (w *walker[R]) examine() error {
	if w.work.SkippedKeys < w.q.Skip {
		return nil // the order ended among the skipped
	}
	for _, b := range Branches(w.q.Order, w.last) {
		for c, err := range w.src.Candidates(b, w.q.Filter, w.q.Candidates-w.work.ResidualEvaluations) {
			if err != nil {
				return err
			}
			w.work.ResidualEvaluations++
			w.work.TagProbes += c.TagProbes
			if err := w.reach(c.Key); err != nil {
				return err
			}
			if c.Matched {
				w.handles = append(w.handles, c.Handle)
			}
			if len(w.handles) == w.q.Rows || w.work.ResidualEvaluations == w.q.Candidates {
				w.limited = true
				return nil
			}
		}
	}
	return nil
}

// lookAhead reports whether a candidate remains behind the last one.
func (w *walker[R]) lookAhead() (bool, error) {
	if !w.limited {
		return false, nil
	}
	for _, b := range Branches(w.q.Order, w.last) {
		for k, err := range w.src.Keys(b, 1) {
			if err != nil {
				return false, err
			}
			w.work.LookaheadKeys++
			if err := k.check(w.q.Order); err != nil {
				return false, err
			}
			return true, nil
		}
	}
	return false, nil
}
