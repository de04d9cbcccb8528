//go:build !soak

package store_test

import "time"

// The short forms of the tests with many processes.
const (
	crowdFor   = 1500 * time.Millisecond
	killRounds = 8
)
