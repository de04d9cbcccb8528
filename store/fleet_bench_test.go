package store_test

import (
	"fmt"
	"testing"

	"podium.local/store"
	"podium.local/store/storetest"
)

// BenchmarkFleet is what an open fleet stream costs the store: a look without
// a change, and a reading of the most rows that are shown.
func BenchmarkFleet(b *testing.B) {
	for _, n := range sizes {
		v := large(b, n)
		b.Run(fmt.Sprintf("look/%d", n), func(b *testing.B) {
			w := v.Watch()
			for b.Loop() {
				if _, err := w.Changed(b.Context()); err != nil {
					b.Fatal(err)
				}
			}
			if err := w.Close(); err != nil {
				b.Fatal(err)
			}
		})
		for _, running := range []int{20, 600} {
			storetest.SQL(b, store.PathOf(v), fmt.Sprintf("UPDATE sessions SET status = 'completed' WHERE status = 'running'; UPDATE sessions SET status = 'running' WHERE rowid <= %d", running))
			b.Run(fmt.Sprintf("read-%d/%d", running, n), func(b *testing.B) {
				for b.Loop() {
					lookAt(b, v, fleetQuery)
				}
			})
		}
	}
}
