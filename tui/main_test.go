package tui_test

import (
	"os"
	"testing"
	"time"

	"github.com/dlclark/regexp2"
)

// TestMain starts the clock of the code highlighter's regular expressions
// outside of the tests' bubbles of time: it is one for the whole process, and
// a bubble in which it started could not end.
func TestMain(m *testing.M) {
	re := regexp2.MustCompile("x", regexp2.None)
	re.MatchTimeout = time.Hour
	if ok, err := re.MatchString("x"); !ok || err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}
