//go:build soak

package transcript_test

// manyCount is how many files the benchmark of a folder of small files has
// (make soak).
const manyCount = 100_000
