// Package storetest makes stores for tests: empty ones, large ones filled by
// set-based SQL, and stores as lionagi makes them.
//
// It writes with SQL of its own and not through package store, so that what it
// makes is what other programs make.
package storetest
