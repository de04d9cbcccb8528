//go:build race

package store_test

// Under the race detector work is counted in small stores with a small window,
// and less is repeated: the engine runs fifty times slower there.
const (
	workSmall, workLarge = 100, 800
	workCandidates       = 100
	workPage             = 4 // the deep page's number

	someRows, manyRows = 200, 400
	slowdown           = 10
)
