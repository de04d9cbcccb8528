//go:build !soak

package store_test

// modelWindows is how many windows are compared with the model.
const modelWindows = 1000
