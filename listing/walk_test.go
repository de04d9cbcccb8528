package listing_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"podium.local/listing"
)

func TestCompare_IsExactAcrossTypesOfNumber(t *testing.T) {
	// From highest to lowest.
	values := []listing.Value{
		listing.Float(math.MaxFloat64), listing.Float(1 << 63), listing.Int(math.MaxInt64), listing.Int(1<<53 + 1), listing.Float(1 << 53),
		listing.Int(3), listing.Float(2.5), listing.Int(2), listing.Float(math.SmallestNonzeroFloat64), listing.Int(0),
		listing.Float(-0.5), listing.Int(-1), listing.Int(math.MinInt64), listing.Float(-1e300), {},
	}
	for i, v := range values {
		for j, w := range values {
			got := listing.Recent.Compare(listing.Key{Time: v, ID: "a"}, listing.Key{Time: w, ID: "a"})
			if want := i - j; sign(got) != sign(want) {
				t.Errorf("value %d against value %d: %d", i, j, got)
			}
		}
	}
	for _, same := range [][2]listing.Value{
		{listing.Int(0), listing.Float(0)}, {listing.Float(math.Copysign(0, -1)), listing.Float(0)}, {listing.Int(math.MinInt64), listing.Float(math.MinInt64)},
	} {
		if c := listing.Recent.Compare(listing.Key{Time: same[0]}, listing.Key{Time: same[1]}); c != 0 {
			t.Errorf("%v against %v: %d", same[0], same[1], c)
		}
	}
}

func sign(n int) int {
	switch {
	case n < 0:
		return -1
	case n > 0:
		return 1
	}
	return 0
}

func TestCompare_OrdersAsStated(t *testing.T) {
	key := func(cost, time listing.Value, id string) listing.Key {
		return listing.Key{Cost: cost, Time: time, ID: id}
	}
	null := listing.Value{}
	recent := []listing.Key{
		key(null, listing.Float(2), "a"), key(null, listing.Float(1), "b"), key(null, listing.Float(1), "a"),
		key(null, listing.Float(0), "z"), key(null, listing.Float(-1), "z"), key(null, null, "z"), key(null, null, "a"),
	}
	cost := []listing.Key{
		key(listing.Float(9), listing.Float(1), "a"), key(listing.Float(2), listing.Float(5), "b"), key(listing.Float(2), listing.Float(5), "a"),
		key(listing.Float(2), null, "z"), key(listing.Float(0), listing.Float(9), "a"), key(listing.Float(-1), listing.Float(9), "a"),
		key(null, listing.Float(9), "a"), key(null, listing.Float(1), "b"), key(null, null, "b"), key(null, null, "a"),
	}
	for _, tt := range []struct {
		order listing.Order
		keys  []listing.Key
	}{{listing.Recent, recent}, {listing.Cost, cost}} {
		shuffled := slices.Clone(tt.keys)
		slices.Reverse(shuffled)
		slices.SortFunc(shuffled, tt.order.Compare)
		if diff := cmp.Diff(tt.keys, shuffled, cmp.AllowUnexported(listing.Value{})); diff != "" {
			t.Errorf("%s: %s", tt.order, diff)
		}
	}
}

func TestBranches_AreTheDisjointPartsOfWhatComesAfter(t *testing.T) {
	describe := func(branches []listing.Branch) string {
		ops := []string{"", "=", "<", "null", "any"}
		var out []string
		for _, b := range branches {
			out = append(out, strings.Join([]string{ops[b.Cost.Op], ops[b.Time.Op], ops[b.ID.Op]}, ","))
		}
		return strings.Join(out, " ")
	}
	timed := &listing.Key{Cost: listing.Float(1), Time: listing.Float(1), ID: "m"}
	untimed := &listing.Key{Cost: listing.Float(1), ID: "m"}
	unknown, neither := &listing.Key{Time: listing.Float(1), ID: "m"}, &listing.Key{ID: "m"}
	for _, tt := range []struct {
		name  string
		order listing.Order
		after *listing.Key
		want  string
	}{
		{"recent from the start", listing.Recent, nil, ",any, ,null,"},
		{"recent in a time", listing.Recent, unknown, ",=,< ,=,null ,<, ,null,"},
		{"recent without a time", listing.Recent, neither, ",null,< ,null,null"},
		{"cost from the start", listing.Cost, nil, "any,, null,any, null,null,"},
		{"cost in a reported cost", listing.Cost, timed, "=,=,< =,=,null =,<, =,null, <,, null,any, null,null,"},
		{"cost in a reported cost without a time", listing.Cost, untimed, "=,null,< =,null,null <,, null,any, null,null,"},
		{"cost in the unknown", listing.Cost, unknown, "null,=,< null,=,null null,<, null,null,"},
		{"cost in the unknown without a time", listing.Cost, neither, "null,null,< null,null,null"},
	} {
		if got := describe(listing.Branches(tt.order, tt.after)); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}

// values with ties, edges, both types of number and NULL.
func drawValue(t *rapid.T, label string) listing.Value {
	switch rapid.IntRange(0, 5).Draw(t, label) {
	case 0:
		return listing.Value{}
	case 1:
		return listing.Int(rapid.Int64Range(-1, 1).Draw(t, label))
	case 2:
		return listing.Int(rapid.SampledFrom([]int64{math.MaxInt64, math.MinInt64, 1<<53 + 1}).Draw(t, label))
	case 3:
		return listing.Float(rapid.SampledFrom([]float64{math.MaxFloat64, -math.MaxFloat64, math.SmallestNonzeroFloat64, 0.1 + 0.2, 1 << 53}).Draw(t, label))
	default:
		return listing.Float(float64(rapid.IntRange(-2, 2).Draw(t, label)))
	}
}

func drawStore(t *rapid.T) *memory {
	m := &memory{incarnation: "life-1"}
	n := rapid.IntRange(0, 40).Draw(t, "rows")
	for i := range n {
		m.items = append(m.items, item{
			key:     listing.Key{Cost: drawValue(t, "cost"), Time: drawValue(t, "time"), ID: fmt.Sprintf("s%02d", (i*17)%97)},
			matches: rapid.IntRange(0, 2).Draw(t, "match") == 0,
		})
	}
	return m
}

// sorted are the rows in order, as no walk is needed to know.
func (m *memory) sorted(o listing.Order) []item {
	items := slices.Clone(m.items)
	slices.SortFunc(items, func(a, b item) int { return o.Compare(a.key, b.key) })
	return items
}

// TestWalk_EveryRowExactlyOnce walks random stores in windows of random limits
// and compares each window with what the sorted rows say.
func TestWalk_EveryRowExactlyOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := drawStore(t)
		order := rapid.SampledFrom([]listing.Order{listing.Recent, listing.Cost}).Draw(t, "order")
		all := m.sorted(order)
		skip := rapid.IntRange(0, 10).Draw(t, "skip")
		at := min(skip, len(all))
		var after *listing.Key
		for first := true; ; first = false {
			q := listing.Query{Order: order, After: after, Rows: rapid.IntRange(1, 5).Draw(t, "limit"), Candidates: rapid.IntRange(1, 9).Draw(t, "candidates")}
			if first {
				q.Skip = skip
			}
			m.reads = nil
			got, err := listing.Walk(m, q)
			if err != nil {
				t.Fatal(err)
			}
			var want []string
			examined := 0
			for at < len(all) && len(want) < q.Rows && examined < q.Candidates {
				if all[at].matches {
					want = append(want, all[at].key.ID)
				}
				at, examined = at+1, examined+1
			}
			stop := listing.Exhausted
			if at < len(all) {
				stop = listing.CandidateLimit
				if len(want) == q.Rows {
					stop = listing.RowLimit
				}
			}
			if !slices.Equal(got.Rows, want) || got.Work.ResidualEvaluations != examined || got.More != (at < len(all)) || got.Stop != stop {
				t.Fatalf("window %+v, want rows %v, examined %d, stop %s", got, want, examined, stop)
			}
			if first && got.Work.SkippedKeys != min(skip, len(all)) {
				t.Fatalf("skipped %d of %d", got.Work.SkippedKeys, skip)
			}
			if got.Work.LookaheadKeys > 1 || len(m.reads) != got.Work.KeysVisited || got.Work.KeysVisited > q.Candidates+1+q.Skip {
				t.Fatalf("read %d keys: %+v", len(m.reads), got.Work)
			}
			if !got.More {
				if at != len(all) {
					t.Fatalf("ended at %d of %d", at, len(all))
				}
				return
			}
			if after != nil && order.Compare(*after, *got.Frontier) >= 0 {
				t.Fatalf("the frontier went from %v to %v", after, got.Frontier)
			}
			if got.Frontier.ID != all[at-1].key.ID {
				t.Fatalf("the frontier is %v, the last examined row %v", got.Frontier, all[at-1].key)
			}
			after = got.Frontier
		}
	})
}

// TestWalk_ChangesBetweenWindowsLeaveUnchangedRowsAlone deletes frontiers,
// inserts before and after them, and still wants every unchanged row once.
func TestWalk_ChangesBetweenWindowsLeaveUnchangedRowsAlone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := drawStore(t)
		order := rapid.SampledFrom([]listing.Order{listing.Recent, listing.Cost}).Draw(t, "order")
		for i := range m.items {
			m.items[i].matches = true
		}
		unchanged := map[string]bool{}
		for _, i := range m.items {
			unchanged[i.key.ID] = true
		}
		seen := map[string]int{}
		var after *listing.Key
		for added := 0; ; {
			got, err := listing.Walk(m, listing.Query{Order: order, After: after, Rows: 4, Candidates: 4})
			if err != nil {
				t.Fatal(err)
			}
			for _, id := range got.Rows {
				seen[id]++
			}
			if !got.More {
				break
			}
			after = got.Frontier
			switch rapid.IntRange(0, 2).Draw(t, "change") {
			case 0: // the frontier itself goes
				m.items = slices.DeleteFunc(m.items, func(i item) bool { return i.key.ID == after.ID })
				delete(unchanged, after.ID)
			case 1:
				if added < 20 {
					added++
					m.items = append(m.items, item{key: listing.Key{Cost: drawValue(t, "cost"), Time: drawValue(t, "time"), ID: fmt.Sprintf("n%02d", added)}, matches: true})
				}
			}
		}
		for id := range unchanged {
			if seen[id] != 1 {
				t.Fatalf("%s was listed %d times", id, seen[id])
			}
		}
	})
}

func TestWalk_EmptyWindowStillAdvances(t *testing.T) {
	m := numbered(30)
	for i := range m.items {
		m.items[i].matches = i == 25
	}
	first, err := listing.Walk(m, listing.Query{Order: listing.Recent, Rows: 5, Candidates: 10})
	if err != nil || len(first.Rows) != 0 || !first.More || first.Stop != listing.CandidateLimit || first.Frontier.ID != "s0009" {
		t.Fatalf("%+v %v", first, err)
	}
	second, err := listing.Walk(m, listing.Query{Order: listing.Recent, After: first.Frontier, Rows: 5, Candidates: 10})
	if err != nil || len(second.Rows) != 0 || second.Frontier.ID != "s0019" {
		t.Fatalf("%+v %v", second, err)
	}
	third, err := listing.Walk(m, listing.Query{Order: listing.Recent, After: second.Frontier, Rows: 5, Candidates: 10})
	if err != nil || !slices.Equal(third.Rows, []string{"s0025"}) || third.More || third.Stop != listing.Exhausted {
		t.Fatalf("%+v %v", third, err)
	}
}

func TestWalk_ExhaustionGoesBeforeBothLimits(t *testing.T) {
	for _, tt := range []struct {
		name             string
		rows, candidates int
		stop             listing.StopReason
	}{
		{"row limit on the last row", 10, 100, listing.Exhausted},
		{"candidate limit on the last row", 100, 10, listing.Exhausted},
		{"both on the last row", 10, 10, listing.Exhausted},
		{"both with rows left", 5, 5, listing.RowLimit},
		{"row limit first", 5, 6, listing.RowLimit},
		{"candidate limit first", 6, 5, listing.CandidateLimit},
		{"neither", 11, 11, listing.Exhausted},
	} {
		got, err := listing.Walk(numbered(10), listing.Query{Order: listing.Recent, Rows: tt.rows, Candidates: tt.candidates})
		if err != nil || got.Stop != tt.stop || got.More != (tt.stop != listing.Exhausted) {
			t.Errorf("%s: %+v %v", tt.name, got, err)
		}
	}
}

func TestWalk_KeysWithoutAPlaceAreAnErrorWhereTheyAreReached(t *testing.T) {
	long := strings.Repeat("x", listing.MaxID+1)
	for _, tt := range []struct {
		name string
		bad  item
	}{
		{"text time", item{key: listing.Key{Time: listing.Other(), ID: "x"}}},
		{"infinite time", item{key: listing.Key{Time: listing.Float(math.Inf(1)), ID: "x"}}},
		{"negative infinite time", item{key: listing.Key{Time: listing.Float(math.Inf(-1)), ID: "x"}}},
		{"empty id", item{key: listing.Key{Time: listing.Float(995)}}},
		{"missing id", item{key: listing.Key{Time: listing.Float(995)}, nullID: true}},
		{"missing id in the last row's own group", item{key: listing.Key{Time: listing.Float(1000)}, nullID: true}},
		{"id too long for a cursor", item{key: listing.Key{Time: listing.Float(995), ID: long}}},
	} {
		// Given out by hand: a key that cannot be compared cannot be sorted either.
		walk := func(skip, candidates int) error {
			src := &script{items: append(numbered(3).items, tt.bad)}
			_, err := listing.Walk(src, listing.Query{Order: listing.Recent, Skip: skip, Rows: 100, Candidates: candidates})
			return err
		}
		for name, err := range map[string]error{"examined": walk(0, 4), "looked ahead at": walk(0, 3), "skipped": walk(4, 3)} {
			if listing.CodeOf(err) != listing.StoreOrder {
				t.Errorf("%s, %s: %v", tt.name, name, err)
			}
			if err != nil && strings.Contains(err.Error(), long) {
				t.Errorf("%s: the error shows the id", tt.name)
			}
		}
		if err := walk(0, 2); err != nil {
			t.Errorf("%s, outside the window: %v", tt.name, err)
		}
	}
	// A cost is no part of the recent order, and no reason to refuse it.
	src := &script{items: []item{{key: listing.Key{Cost: listing.Value{}, Time: listing.Float(1), ID: "a"}, matches: true}}}
	if _, err := listing.Walk(src, listing.Query{Order: listing.Recent, Rows: 1, Candidates: 1}); err != nil {
		t.Error(err)
	}
	src = &script{items: []item{{key: listing.Key{Cost: listing.Other(), Time: listing.Float(1), ID: "a"}, matches: true}}}
	if _, err := listing.Walk(src, listing.Query{Order: listing.Cost, Rows: 1, Candidates: 1}); listing.CodeOf(err) != listing.StoreOrder {
		t.Error(err)
	}
}

func TestWalk_ASourceOutOfOrderIsAnError(t *testing.T) {
	src := &script{items: []item{
		{key: listing.Key{Time: listing.Float(1), ID: "b"}}, {key: listing.Key{Time: listing.Float(1), ID: "b"}},
	}}
	if _, err := listing.Walk(src, listing.Query{Order: listing.Recent, Rows: 5, Candidates: 5}); err == nil || listing.CodeOf(err) != "" {
		t.Errorf("a key twice: %v", err)
	}
}
