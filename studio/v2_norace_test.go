//go:build !race

package studio_test

// manySessions is how many sessions a large store of these tests holds.
const manySessions = 600
