//go:build race

package transcript_test

// Sizes of tests whose rule does not need more: the race detector slows the
// database engine down by an order of magnitude, and it has one goroutine.
const (
	checks    = "4"
	fileCount = 300
)
