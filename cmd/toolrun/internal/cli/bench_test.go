package cli

import "testing"

// BenchmarkBuiltIn measures making the registry of the built-in tools.
func BenchmarkBuiltIn(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := builtIn(""); err != nil {
			b.Fatal(err)
		}
	}
}
