package module

// CheckComplexity is checkComplexity.
func CheckComplexity(code string) error { return checkComplexity(code, "x.ts") }
