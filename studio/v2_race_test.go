//go:build race

package studio_test

// manySessions is smaller under the race detector, where the engine runs fifty
// times slower.
const manySessions = 180
