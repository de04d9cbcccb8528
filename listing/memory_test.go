package listing_test

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"testing"
	"time"

	"podium.local/listing"
)

// item is a stored row of a test.
type item struct {
	key     listing.Key
	matches bool
	// nullID stands for an id that is SQL NULL.
	nullID bool
}

// memory is a store in memory. It evaluates branches row by row, so it says
// what they mean without an index.
type memory struct {
	items       []item
	incarnation string
	unready     error
	absent      bool
	countErr    error
	counted     int
	counting    []bool
	// reads are the keys that were given out, in order.
	reads []listing.Key
}

func (m *memory) Present() bool { return !m.absent }

func (m *memory) ListingSnapshot(ctx context.Context, counting bool, use func(listing.Snapshot[string]) error) (bool, error) {
	m.counting = append(m.counting, counting)
	if m.absent {
		return false, nil
	}
	return true, use(m)
}

func (m *memory) Ready(listing.Order) (string, error) { return m.incarnation, m.unready }

func (m *memory) Count(listing.Filter) (n int64, err error) {
	m.counted++
	for _, i := range m.items {
		if i.matches {
			n++
		}
	}
	return n, m.countErr
}

func (m *memory) Cost() listing.Work { return listing.Work{VMSteps: 7, Statements: 3} }

func boundHolds(b listing.Bound, v listing.Value) bool {
	switch b.Op {
	case listing.Any:
		return true
	case listing.Null:
		return v.IsNull()
	case listing.Present:
		return !v.IsNull()
	}
	if v.IsNull() {
		return false
	}
	// Compare as costs: a row is before another exactly when its value is higher.
	c := listing.Cost.Compare(listing.Key{Cost: v}, listing.Key{Cost: b.Value})
	return b.Op == listing.Equal && c == 0 || b.Op == listing.Less && c > 0
}

func holds(b listing.Branch, i item) bool {
	if !boundHolds(b.Cost, i.key.Cost) || !boundHolds(b.Time, i.key.Time) {
		return false
	}
	switch b.ID.Op {
	case listing.Less:
		return !i.nullID && i.key.ID < b.ID.Value
	case listing.Null:
		return i.nullID
	}
	return true
}

// branch lists the rows of a branch in order; a NULL id sorts as the empty
// text, which nothing else has.
func (m *memory) branch(b listing.Branch) []int {
	var found []int
	for n, i := range m.items {
		if holds(b, i) {
			found = append(found, n)
		}
	}
	slices.SortFunc(found, func(x, y int) int { return b.Order.Compare(m.at(b.Order, x), m.at(b.Order, y)) })
	return found
}

func (m *memory) at(o listing.Order, n int) listing.Key {
	k := m.items[n].key
	if o == listing.Recent {
		k.Cost = listing.Value{}
	}
	return k
}

func (m *memory) Keys(b listing.Branch, limit int) iter.Seq2[listing.Key, error] {
	return func(yield func(listing.Key, error) bool) {
		for n, i := range m.branch(b) {
			if n == limit {
				return
			}
			m.reads = append(m.reads, m.at(b.Order, i))
			if !yield(m.at(b.Order, i), nil) {
				return
			}
		}
	}
}

func (m *memory) Candidates(b listing.Branch, _ listing.Filter, limit int) iter.Seq2[listing.Candidate, error] {
	return func(yield func(listing.Candidate, error) bool) {
		for n, i := range m.branch(b) {
			if n == limit {
				return
			}
			m.reads = append(m.reads, m.at(b.Order, i))
			if !yield(listing.Candidate{Key: m.at(b.Order, i), Handle: int64(i), Matched: m.items[i].matches}, nil) {
				return
			}
		}
	}
}

func (m *memory) Hydrate(_ listing.Order, handles []int64) ([]string, error) {
	rows := make([]string, len(handles))
	for i, h := range handles {
		rows[i] = m.items[h].key.ID
	}
	return rows, nil
}

var start = time.Date(2026, 11, 30, 20, 0, 0, 0, time.UTC)

// numbered makes n matching rows, a second apart, newest first.
func numbered(n int) *memory {
	m := &memory{incarnation: "life-1"}
	for i := range n {
		m.items = append(m.items, item{
			key:     listing.Key{Time: listing.Float(float64(1000 - i)), Cost: listing.Float(float64(i % 3)), ID: fmt.Sprintf("s%04d", i)},
			matches: true,
		})
	}
	return m
}

// newKeyring makes a keyring in a folder of the test's own.
func newKeyring(t testing.TB) *listing.Keyring {
	t.Helper()
	k := listing.NewKeyring(t.TempDir()+"/local.json", listing.DefaultPolicy())
	if _, err := k.Ensure(start); err != nil {
		t.Fatal(err)
	}
	return k
}
