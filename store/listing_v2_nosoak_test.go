//go:build !soak

package store_test

// modelWindows is how many windows are compared with the model.
const modelWindows = 1000

// benchSizes are how many sessions the stores of the table hold.
var benchSizes = []int{20_000, 200_000}
