package studio_test

import (
	"testing"

	"go.uber.org/goleak"
)

// TestMain wants every goroutine of a daemon gone when the tests are over.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
