//go:build soak

package store_test

// modelWindows is how many windows are compared with the model (make soak).
const modelWindows = 100_000

// benchSizes are how many sessions the stores of the table hold.
var benchSizes = []int{20_000, 200_000, 2_000_000}
