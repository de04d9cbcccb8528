package listing

import (
	"cmp"
	"math"
	"strings"
)

// Order is the order of a listing. Both are total: they end in the id.
type Order string

// The two orders.
const (
	// Recent is by time, newest first, unknown times last.
	Recent Order = "recent"
	// Cost is by reported cost, highest first, unknown costs last; then as
	// Recent.
	Cost Order = "cost"
)

// Valid reports whether o is one of the orders.
func (o Order) Valid() bool { return o == Recent || o == Cost }

// Kind is the type of a stored value.
type Kind uint8

// The kinds of value.
const (
	KindNull Kind = iota
	KindInt
	KindFloat
	// KindOther is text or bytes where a number belongs.
	KindOther
)

// Value is a stored number or NULL, exactly as the database compares it: never
// rounded, never read as the type that it should have. The zero Value is NULL.
type Value struct {
	kind Kind
	bits uint64
}

// Int is a stored integer.
func Int(n int64) Value { return Value{KindInt, uint64(n)} }

// Float is a stored binary64.
func Float(f float64) Value { return Value{KindFloat, math.Float64bits(f)} }

// Other is a stored value that is no number.
func Other() Value { return Value{kind: KindOther} }

// Kind is the type of the value.
func (v Value) Kind() Kind { return v.kind }

// IsNull reports whether the value is NULL.
func (v Value) IsNull() bool { return v.kind == KindNull }

// Int is the integer of a KindInt.
func (v Value) Int() int64 { return int64(v.bits) }

// Float is the number of a KindFloat.
func (v Value) Float() float64 { return math.Float64frombits(v.bits) }

// usable reports whether the value has a place in an order.
func (v Value) usable() bool {
	switch v.kind {
	case KindNull, KindInt:
		return true
	case KindFloat:
		f := v.Float()
		return !math.IsInf(f, 0) && !math.IsNaN(f)
	}
	return false
}

// compare compares two numbers as the database does: exactly, also an integer
// with a float that no float64 of the integer would equal.
func (v Value) compare(w Value) int {
	switch {
	case v.kind == KindInt && w.kind == KindInt:
		return cmp.Compare(v.Int(), w.Int())
	case v.kind == KindFloat && w.kind == KindFloat:
		return cmp.Compare(v.Float(), w.Float())
	case v.kind == KindInt:
		return compareMixed(v.Int(), w.Float())
	default:
		return -compareMixed(w.Int(), v.Float())
	}
}

func compareMixed(n int64, f float64) int {
	switch {
	case f >= 1<<63:
		return -1
	case f < -1<<63:
		return 1
	}
	whole := math.Trunc(f)
	if c := cmp.Compare(n, int64(whole)); c != 0 {
		return c
	}
	return cmp.Compare(whole, f)
}

// descending orders two values as DESC NULLS LAST does.
func descending(v, w Value) int {
	switch {
	case v.IsNull() || w.IsNull():
		return cmp.Compare(b2i(v.IsNull()), b2i(w.IsNull()))
	default:
		return -v.compare(w)
	}
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// MaxID is the longest id, in bytes, that a cursor can name.
const MaxID = 4096

// Key is the complete sort key of one row: everything that decides its place.
// In Recent order Cost is not part of it and NULL.
type Key struct {
	Cost Value
	Time Value
	ID   string
}

// Compare is negative when a stands before b in the order. Ids compare byte by
// byte, as SQLite's BINARY collation does in a UTF-8 store. Both keys must be
// usable.
func (o Order) Compare(a, b Key) int {
	if o == Cost {
		if c := descending(a.Cost, b.Cost); c != 0 {
			return c
		}
	}
	if c := descending(a.Time, b.Time); c != 0 {
		return c
	}
	return strings.Compare(b.ID, a.ID)
}

// check refuses a key that has no place in the order: nothing comparable is
// invented for it.
func (k Key) check(o Order) error {
	switch {
	case o == Cost && !k.Cost.usable():
		return fail(StoreOrder, "a session's stored cost is not a finite number")
	case !k.Time.usable():
		return fail(StoreOrder, "a session's stored time of update is not a finite number")
	case k.ID == "":
		return fail(StoreOrder, "a session's stored id is missing, empty or no text")
	case len(k.ID) > MaxID:
		return fail(StoreOrder, "a session's stored id is longer than a cursor can name")
	}
	return nil
}
