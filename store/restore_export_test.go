package store

// AfterReplaceStep has f called after each step of a replacement.
func AfterReplaceStep(f func(step string)) (restore func()) {
	before := replaceStep
	replaceStep = f
	return func() { replaceStep = before }
}
