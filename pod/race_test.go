//go:build !soak && race

package pod_test

// killEvents is how many durable events are shown over crashes: fewer where
// each of them costs many times as much.
const killEvents = 4_000
