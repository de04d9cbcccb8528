//go:build !race

package transcript_test

// Sizes of tests whose rule does not need more.
const (
	checks    = "12"
	fileCount = 3000
)
