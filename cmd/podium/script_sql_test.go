package main

import (
	"net/url"
	"time"

	"github.com/ncruces/go-sqlite3"
	"github.com/rogpeppe/go-internal/testscript"
)

// scriptSQL is the script command sql FILE STATEMENTS: what another program
// does to a database.
func scriptSQL(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: sql FILE STATEMENTS")
	}
	uri := (&url.URL{Scheme: "file", OmitHost: true, Path: ts.MkAbs(args[0])}).String()
	c, err := sqlite3.Open(uri)
	ts.Check(err)
	ts.Check(c.BusyTimeout(30 * time.Second)) // a pod may be ending
	ts.Check(c.Exec(args[1]))
	ts.Check(c.Close())
}
