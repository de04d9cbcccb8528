package pod_test

import (
	"fmt"
	"sync/atomic"
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

var podNames atomic.Int64

// podName is a name no other pod of the tests has, for pods that share a
// store.
func podName() string { return fmt.Sprint("p", podNames.Add(1)) }
