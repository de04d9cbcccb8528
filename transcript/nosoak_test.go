//go:build !soak

package transcript_test

// manyCount is how many files the benchmark of a folder of small files has.
const manyCount = 2_000
