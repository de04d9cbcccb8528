package transcript_test

import (
	"flag"
	"os"
	"testing"
)

// TestMain lets each property be drawn fewer times than rapid would: every
// draw makes folders and stores. -rapid.checks says otherwise.
func TestMain(m *testing.M) {
	flag.Parse()
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == "rapid.checks" })
	if !given {
		if err := flag.Set("rapid.checks", "12"); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}
