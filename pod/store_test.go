package pod_test

import (
	"testing"
	"time"

	"podium.local/pod"
	"podium.local/store"
	"podium.local/store/storetest"
)

var _ pod.Store = (*store.Store)(nil)

// newStore is a real store that closes with the test, after the pods on it.
func newStore(t testing.TB) *store.Store {
	t.Helper()
	return storetest.New(t, store.Options{Now: time.Now})
}
