package listing_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"podium.local/listing"
)

// desk is a lister over a store in memory, with a clock that a test turns.
type desk struct {
	*listing.Lister[string]
	store *memory
	now   time.Time
}

func newDesk(t testing.TB, m *memory) *desk {
	t.Helper()
	d := &desk{store: m, now: start}
	p := listing.DefaultPolicy()
	p.CandidateLimit = 10
	d.Lister = &listing.Lister[string]{Store: m, Keyring: newKeyring(t), StoreID: "local", Policy: p, Now: func() time.Time { return d.now }}
	return d
}

var firstPage = listing.Request{Endpoint: listing.Runs, Order: listing.Recent, Rows: 4}

func (d *desk) list(t testing.TB, r listing.Request) listing.Answer[string] {
	t.Helper()
	a, err := d.List(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// next is a request that continues an answer.
func next(r listing.Request, a listing.Answer[string]) listing.Request {
	r.Cursor, r.Skip = a.Pagination.NextCursor, 0
	return r
}

func TestLister_WalksAChainToItsEnd(t *testing.T) {
	d := newDesk(t, numbered(23))
	var all []string
	r := firstPage
	for {
		a := d.list(t, r)
		all = append(all, a.Rows...)
		if a.Pagination.HasMoreCandidates != (a.Pagination.NextCursor != nil) || a.Pagination.Returned != len(a.Rows) || a.Pagination.CandidateLimit != 10 || a.Pagination.OffsetBasis != "candidates" {
			t.Fatalf("%+v", a.Pagination)
		}
		if a.Total != (listing.Total{Kind: listing.Unknown}) {
			t.Fatalf("%+v", a.Total)
		}
		if a.Pagination.NextCursor == nil {
			break
		}
		r = next(r, a)
	}
	if len(all) != 23 || !slices.IsSorted(all) || d.store.counted != 0 {
		t.Errorf("%d rows, %d counts", len(all), d.store.counted)
	}
}

func TestLister_RowsAndExactTotalMayChangeWithinAChain(t *testing.T) {
	d := newDesk(t, numbered(30))
	r := next(firstPage, d.list(t, firstPage))
	r.Rows, r.ExactTotal = 9, true
	a := d.list(t, r)
	if len(a.Rows) != 9 || a.Rows[0] != "s0004" || a.Total.Kind != listing.Exact || *a.Total.Value != 30 || !d.store.counting[1] || d.store.counting[0] {
		t.Errorf("%v %+v %v", a.Rows, a.Total, d.store.counting)
	}
}

func TestLister_AFailedCountFailsTheAnswer(t *testing.T) {
	d := newDesk(t, numbered(3))
	d.store.countErr = errors.New("broken")
	r := firstPage
	r.ExactTotal = true
	if _, err := d.List(t.Context(), r); err == nil || listing.CodeOf(err) != "" {
		t.Error(err)
	}
}

func TestLister_EveryForeignContextRestarts(t *testing.T) {
	d := newDesk(t, numbered(30))
	a := d.list(t, firstPage)
	good := next(firstPage, a)
	tests := []struct {
		name string
		bend func(d *desk, r *listing.Request)
	}{
		{"other endpoint", func(_ *desk, r *listing.Request) { r.Endpoint = listing.Sessions }},
		{"other order", func(_ *desk, r *listing.Request) { r.Order = listing.Cost }},
		{"other filter", func(_ *desk, r *listing.Request) { r.Filter.Search = "x" }},
		{"other store", func(d *desk, _ *listing.Request) { d.StoreID = "other" }},
		{"other incarnation", func(d *desk, _ *listing.Request) { d.store.incarnation = "life-2" }},
		{"file gone", func(d *desk, _ *listing.Request) { d.store.absent = true }},
		{"expired", func(d *desk, _ *listing.Request) { d.now = start.Add(24 * time.Hour) }},
		{"unknown key", func(d *desk, _ *listing.Request) { d.Keyring = newKeyring(t) }},
	}
	for _, tt := range tests {
		bent, r := *d, good
		store, lister := *d.store, *d.Lister
		bent.store, bent.Lister = &store, &lister
		bent.Store, bent.Now = &store, func() time.Time { return bent.now }
		tt.bend(&bent, &r)
		_, err := bent.List(t.Context(), r)
		if listing.CodeOf(err) != listing.CursorRestart {
			t.Errorf("%s: %v", tt.name, err)
		}
		if err != nil && (strings.Contains(err.Error(), *r.Cursor) || strings.Contains(err.Error(), "s0003")) {
			t.Errorf("%s: the error shows the cursor or an id", tt.name)
		}
	}
	if got := d.list(t, good); got.Rows[0] != "s0004" {
		t.Errorf("the chain itself goes on with %v", got.Rows)
	}
}

func TestLister_TheChainsEndIsSetByItsFirstCursor(t *testing.T) {
	d := newDesk(t, numbered(40))
	r := next(firstPage, d.list(t, firstPage))
	d.now = start.Add(23 * time.Hour)
	r = next(r, d.list(t, r))
	d.now = start.Add(24*time.Hour - time.Second)
	r = next(r, d.list(t, r))
	d.now = start.Add(24 * time.Hour)
	if _, err := d.List(t.Context(), r); listing.CodeOf(err) != listing.CursorRestart {
		t.Errorf("the successor outlived its chain: %v", err)
	}
}

func TestLister_AClockThatLiesALittleAheadIsTolerated(t *testing.T) {
	d := newDesk(t, numbered(40))
	r := next(firstPage, d.list(t, firstPage))
	d.now = start.Add(-time.Minute)
	d.list(t, r)
	d.now = start.Add(-time.Minute - time.Second)
	if _, err := d.List(t.Context(), r); listing.CodeOf(err) != listing.CursorInvalid {
		t.Errorf("issued in the future: %v", err)
	}
}

func TestLister_IntervalsThatNoServerIssuedAreInvalid(t *testing.T) {
	d := newDesk(t, numbered(40))
	sign := listing.Signer(t, d.Keyring)
	for _, times := range [][2]int64{{0, 0}, {start.Unix(), start.Unix()}, {start.Unix(), start.Unix() - 1}, {start.Unix(), start.Unix() + 86401}} {
		text := sign(fmt.Sprintf(`{"cmp":1,"elig":1,"ep":"runs","exp":%d,"fp":"f","iat":%d,"inc":"i","key":{"id":"s","u":null},"row":1,"scope":"s","sort":"recent","store":"local","v":1}`, times[1], times[0]))
		r := firstPage
		r.Cursor = &text
		if _, err := d.List(t.Context(), r); listing.CodeOf(err) != listing.CursorInvalid {
			t.Errorf("from %d to %d: %v", times[0], times[1], err)
		}
	}
}

func TestLister_RequestsThatContradictThemselves(t *testing.T) {
	d := newDesk(t, numbered(30))
	cursor, empty := *d.list(t, firstPage).Pagination.NextCursor, ""
	for _, tt := range []struct {
		name string
		bend func(*listing.Request)
		want listing.Code
	}{
		{"no rows", func(r *listing.Request) { r.Rows = 0 }, listing.RequestInvalid},
		{"unknown order", func(r *listing.Request) { r.Order = "name" }, listing.RequestInvalid},
		{"negative offset", func(r *listing.Request) { r.Skip = -1 }, listing.RequestInvalid},
		{"empty cursor", func(r *listing.Request) { r.Cursor = &empty }, listing.RequestInvalid},
		{"cursor and offset", func(r *listing.Request) { r.Cursor, r.Skip = &cursor, 1 }, listing.RequestInvalid},
		{"filter and offset", func(r *listing.Request) { r.Filter.Search, r.Skip = "x", 1 }, listing.FilteredOffset},
		{"offset over the limit", func(r *listing.Request) { r.Skip = 10_001 }, listing.CursorRequired},
		{"filtered offset over the limit", func(r *listing.Request) { r.Filter.Search, r.Skip = "x", 10_001 }, listing.FilteredOffset},
		{"offset at the limit", func(r *listing.Request) { r.Skip = 10_000 }, ""},
	} {
		r := firstPage
		tt.bend(&r)
		if _, err := d.List(t.Context(), r); listing.CodeOf(err) != tt.want || tt.want == "" && err != nil {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}

func TestLister_AnOffsetIsNotAppliedAgain(t *testing.T) {
	d := newDesk(t, numbered(30))
	r := firstPage
	r.Skip = 10
	a := d.list(t, r)
	if a.Rows[0] != "s0010" || a.Work.SkippedKeys != 10 || a.Pagination.ExaminedCandidates != 4 {
		t.Fatalf("%v %+v", a.Rows, a.Work)
	}
	if b := d.list(t, next(r, a)); b.Rows[0] != "s0014" || b.Work.SkippedKeys != 0 {
		t.Errorf("%v %+v", b.Rows, b.Work)
	}
	r.Skip = 30
	if a := d.list(t, r); len(a.Rows) != 0 || a.Pagination.StopReason != listing.Exhausted || a.Pagination.NextCursor != nil {
		t.Errorf("%+v", a.Pagination)
	}
}

func TestLister_AnAbsentStoreIsAnEmptyListing(t *testing.T) {
	d := newDesk(t, &memory{absent: true})
	d.Keyring = listing.NewKeyring(filepath.Join(t.TempDir(), "none.json"), d.Policy)
	r := firstPage
	a := d.list(t, r)
	if len(a.Rows) != 0 || a.Pagination.StopReason != listing.Exhausted || a.Total.Kind != listing.Unknown {
		t.Errorf("%+v", a)
	}
	r.ExactTotal = true
	if a := d.list(t, r); a.Total.Kind != listing.Exact || *a.Total.Value != 0 {
		t.Errorf("%+v", a.Total)
	}
}

func TestLister_WithoutKeysNothingIsListed(t *testing.T) {
	d := newDesk(t, numbered(3))
	r := next(firstPage, newDesk(t, numbered(30)).list(t, firstPage))
	d.Keyring = listing.NewKeyring(filepath.Join(t.TempDir(), "none.json"), d.Policy)
	for name, r := range map[string]listing.Request{"first page": firstPage, "continuation": r} {
		_, err := d.List(t.Context(), r)
		var e *listing.Error
		if !errors.As(err, &e) || e.Code != listing.NotReady || e.Lacks != listing.LacksKeyring {
			t.Errorf("%s: %v", name, err)
		}
	}
	// A cursor that is none is refused before the keys are missed.
	garbage := "x"
	r.Cursor = &garbage
	if _, err := d.List(t.Context(), r); listing.CodeOf(err) != listing.CursorInvalid {
		t.Error(err)
	}
}

func TestLister_AStoreThatIsNotReadyIsNamed(t *testing.T) {
	d := newDesk(t, numbered(3))
	d.store.unready = listing.Unready(listing.LacksStructure, errors.New("index x is missing"))
	_, err := d.List(t.Context(), firstPage)
	if listing.CodeOf(err) != listing.NotReady || !strings.Contains(err.Error(), "index x is missing") {
		t.Error(err)
	}
}

func TestCode_SaysWhatTheContractSays(t *testing.T) {
	for code, want := range map[listing.Code]string{
		listing.RequestInvalid: "Invalid listing request.",
		listing.CursorRequired: "Use a cursor beyond the compatibility offset limit.",
		listing.FilteredOffset: "Filtered listing must start at the beginning or use a cursor.",
		listing.CursorInvalid:  "Invalid listing cursor.",
		listing.CursorRestart:  "Restart the listing from the beginning.",
		listing.NotReady:       "Listing v2 is unavailable for this store.",
		listing.StoreOrder:     "Stored ordering values are unsupported.",
	} {
		if code.Message() != want {
			t.Errorf("%s: %s", code, code.Message())
		}
		if restart := strings.HasPrefix(string(code), "listing_cursor_") && code != listing.CursorRequired; code.RestartRequired() != restart {
			t.Errorf("%s: restart %t", code, code.RestartRequired())
		}
	}
}
