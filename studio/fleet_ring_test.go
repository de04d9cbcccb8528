package studio_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"podium.local/studio"
)

func TestRing_GivesWhatWasMissedOrNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := studio.NewRing("17")
		n := rapid.IntRange(0, 3000).Draw(t, "events")
		for i := 1; i <= n; i++ {
			if id := r.Add([]byte(fmt.Sprint(i))); id != fmt.Sprintf("17.%d", i) {
				t.Fatalf("event %d got the id %s", i, id)
			}
		}
		k := rapid.IntRange(0, 3100).Draw(t, "seen")
		first, events, ok := r.After(fmt.Sprintf("17.%d", k))
		if want := k <= n && n-k <= 1024; ok != want {
			t.Fatalf("%d of %d: known %t", k, n, ok)
		}
		if !ok {
			return
		}
		if first != uint64(k)+1 || len(events) != n-k {
			t.Fatalf("%d of %d: %d events from %d", k, n, len(events), first)
		}
		for i, e := range events {
			if string(e) != fmt.Sprint(k+1+i) {
				t.Fatalf("event %d is %s", k+1+i, e)
			}
		}
	})
}

func TestRing_IsBoundedByBytesToo(t *testing.T) {
	r := studio.NewRing("17")
	large := make([]byte, 1<<20)
	for range 40 {
		r.Add(large)
	}
	if r.Bytes() > studio.RingBytes {
		t.Errorf("%d bytes", r.Bytes())
	}
	if _, _, ok := r.After("17.0"); ok {
		t.Error("what was given up is known")
	}
	if _, events, ok := r.After("17.39"); !ok || len(events) != 1 {
		t.Error("the newest is not known")
	}
	huge := make([]byte, studio.RingBytes+1)
	if id := r.Add(huge); id != "17.41" {
		t.Error(id)
	}
	if _, events, ok := r.After("17.40"); !ok || len(events) != 1 {
		t.Error("an event above the bound is lost")
	}
}

func FuzzRing_NoForeignIDIsKnown(f *testing.F) {
	for _, seed := range []string{"", "17.2", "17.0", "17.02", "17.+2", "17.-1", "17.99", "18.2", "17", ".", "17.", "17.2.3", "17.18446744073709551616", strings.Repeat("1", 1<<16), "\x00", "17.2\n", " 17.2"} {
		f.Add(seed)
	}
	r := studio.NewRing("17")
	for range 5 {
		r.Add([]byte("x"))
	}
	f.Fuzz(func(t *testing.T, id string) {
		first, events, ok := r.After(id)
		known := ""
		if ok {
			known = fmt.Sprintf("17.%d", first-1)
		}
		if ok && (known != id || len(events) != 5-int(first)+1) || !ok && (id == "17.0" || id == "17.5") {
			t.Errorf("%q: %d events from %d, %t", id, len(events), first, ok)
		}
	})
}
