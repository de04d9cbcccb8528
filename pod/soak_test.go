//go:build soak

package pod_test

// How much the long tests do.
const (
	killEvents = 1_000_000
	chaosPods  = 8
	chaosSteps = 1_250 // a pod: 10,000 in all
)
