//go:build !soak && !race

package pod_test

// killEvents is how many durable events are shown over crashes.
const killEvents = 20_000
