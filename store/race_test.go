//go:build race

package store_test

// lastCommit is how far TestCommit_WritesNoMoreAsTheSessionGrows grows its
// session: the race detector slows the engine down by an order of magnitude,
// and there is nothing to race in it.
const lastCommit = 5_000
