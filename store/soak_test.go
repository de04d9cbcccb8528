//go:build soak

package store_test

import "time"

// The long forms of the tests with many processes (make soak).
const (
	crowdFor   = time.Minute
	killRounds = 100
)
