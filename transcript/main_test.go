package transcript_test

import (
	"flag"
	"os"
	"testing"
)

// TestMain lets each property be drawn fewer times than rapid would: every
// draw makes folders and stores. -rapid.checks says otherwise. A process that
// a test starts imports and does nothing else.
func TestMain(m *testing.M) {
	if dir := os.Getenv(childDir); dir != "" {
		os.Exit(child(dir))
	}
	flag.Parse()
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == "rapid.checks" })
	if !given {
		if err := flag.Set("rapid.checks", checks); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}
