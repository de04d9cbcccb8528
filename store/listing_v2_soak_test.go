//go:build soak

package store_test

// modelWindows is how many windows are compared with the model (make soak).
const modelWindows = 100_000
