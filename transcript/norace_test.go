//go:build !race

package transcript_test

// Sizes of tests whose rule does not need more.
const (
	checks    = "12"
	fileCount = 3000

	// longLine is the length of a line, longPeak how much memory reading it may
	// take, the whole process counted; both in bytes.
	longLine = 1 << 30
	longPeak = 100 << 20
)
