//go:build !race

package store_test

// lastCommit is how far TestCommit_WritesNoMoreAsTheSessionGrows grows its
// session.
const lastCommit = 50_000
