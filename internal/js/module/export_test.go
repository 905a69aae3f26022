package module

// CheckComplexity is checkComplexity.
func CheckComplexity(code string) error { return checkComplexity(code, "x.ts") }

// AwaitTransforms waits until no transform runs, abandoned ones included.
func AwaitTransforms() {
	for range cap(slots) {
		slots <- struct{}{}
	}
	for range cap(slots) {
		<-slots
	}
}
