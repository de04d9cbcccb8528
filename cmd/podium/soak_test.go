//go:build soak

package main

// The soak build runs the same rule for longer.
func init() { killRounds = 2000 }
