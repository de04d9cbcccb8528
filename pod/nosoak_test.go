//go:build !soak

package pod_test

// How much the long tests do; the soak build does more.
const (
	chaosPods  = 3
	chaosSteps = 400 // a pod
)
