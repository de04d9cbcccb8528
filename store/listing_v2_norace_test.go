//go:build !race

package store_test

// Work is counted with the product's own window, in stores that hold twice
// and twenty times as many sessions.
const (
	workSmall, workLarge = 20_000, 200_000
	workCandidates       = 10_000
	workPage             = 500 // the deep page's number

	someRows, manyRows = 600, 3000
	slowdown           = 1
)
