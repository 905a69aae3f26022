package cli

import (
	"testing"

	"github.com/spf13/cobra"
)

// BenchmarkBuiltIn measures making the registry of the built-in tools.
func BenchmarkBuiltIn(b *testing.B) {
	cmd := &cobra.Command{}
	cmd.SetContext(b.Context())
	b.ReportAllocs()
	for b.Loop() {
		if _, err := builtIn(cmd); err != nil {
			b.Fatal(err)
		}
	}
}
