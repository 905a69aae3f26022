package cli

import (
	"context"
	"testing"

	"github.com/spf13/cobra"
)

// BenchmarkBuiltIn measures making the registry of the built-in tools.
func BenchmarkBuiltIn(b *testing.B) {
	cmd := &cobra.Command{}
	host := &Host{LookupEnv: func(string) (string, bool) { return "", false }}
	cmd.SetContext(context.WithValue(b.Context(), hostKey{}, host))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := builtIn(cmd); err != nil {
			b.Fatal(err)
		}
	}
}
