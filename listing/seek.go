package listing

import "math"

// Op is how a Bound limits a column.
type Op uint8

// The operators.
const (
	// Any leaves the column free.
	Any Op = iota
	// Equal wants the value of the bound, which is not NULL.
	Equal
	// Less wants less than the value; NULL is not less.
	Less
	// Null wants NULL.
	Null
	// Present wants anything but NULL. It is said as "at least minus infinity",
	// which every stored value but NULL is, so that an index can start there.
	Present
)

// Bound limits one column of a Branch. Value belongs to Equal and Less, and is
// minus infinity for Present.
type Bound struct {
	Op    Op
	Value Value
}

// IDBound limits the id of a Branch: Equal is not used.
type IDBound struct {
	Op    Op
	Value string
}

// Branch is one run of adjacent rows of an order: equalities on the leading
// columns, at most one range after them, nothing on the rest. An index in the
// order finds its first row at once and reads on without sorting.
type Branch struct {
	Order Order
	// Cost is Any in Recent order.
	Cost Bound
	Time Bound
	ID   IDBound
}

var present = Bound{Present, Float(math.Inf(-1))}

// Branches are the rows strictly after a key, or all rows, as disjoint
// branches in the order's sequence.
//
// A row whose id is NULL stands behind the text ids of its group and has a
// branch of its own: it cannot be listed, and must not be passed over either.
func Branches(o Order, after *Key) []Branch {
	if o == Recent {
		return within(Branch{Order: Recent}, after)
	}
	unknown := Branch{Order: Cost, Cost: Bound{Op: Null}}
	switch {
	case after == nil:
		return append([]Branch{{Order: Cost, Cost: present}}, within(unknown, nil)...)
	case after.Cost.IsNull():
		return within(unknown, after)
	default:
		branches := within(Branch{Order: Cost, Cost: Bound{Equal, after.Cost}}, after)
		branches = append(branches, Branch{Order: Cost, Cost: Bound{Less, after.Cost}})
		return append(branches, within(unknown, nil)...)
	}
}

// within continues inside one partition by time and id.
func within(part Branch, after *Key) []Branch {
	at := func(time Bound, id IDBound) Branch {
		b := part
		b.Time, b.ID = time, id
		return b
	}
	missing := Bound{Op: Null}
	if after == nil {
		return []Branch{at(present, IDBound{}), at(missing, IDBound{})}
	}
	same := missing
	if !after.Time.IsNull() {
		same = Bound{Equal, after.Time}
	}
	branches := []Branch{at(same, IDBound{Less, after.ID}), at(same, IDBound{Op: Null})}
	if !after.Time.IsNull() {
		branches = append(branches, at(Bound{Less, after.Time}, IDBound{}), at(missing, IDBound{}))
	}
	return branches
}
