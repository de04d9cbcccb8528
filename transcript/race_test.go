//go:build race

package transcript_test

// Sizes of tests whose rule does not need more: the race detector slows the
// database engine down by an order of magnitude, and it has one goroutine.
const (
	checks    = "4"
	fileCount = 300

	// longLine is the length of a line, longPeak how much memory reading it may
	// take, the whole process counted; both in bytes.
	longLine = 256 << 20
	longPeak = 400 << 20
)
