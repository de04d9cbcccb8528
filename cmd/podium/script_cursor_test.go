package main

import (
	"regexp"

	"github.com/rogpeppe/go-internal/testscript"
)

// scriptCursor takes the cursor that the last command printed on stderr into
// CURSOR, and the id of the key that signed it into KEY: cursor
func scriptCursor(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 0 {
		ts.Fatalf("usage: cursor")
	}
	m := regexp.MustCompile(`--cursor (lc1\.([^.]+)\S+)`).FindStringSubmatch(ts.ReadFile("stderr"))
	if m == nil {
		ts.Fatalf("the last command printed no cursor")
	}
	ts.Setenv("CURSOR", m[1])
	ts.Setenv("KEY", m[2])
}
