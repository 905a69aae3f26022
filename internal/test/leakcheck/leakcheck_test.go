package leakcheck_test

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/test/leakcheck"
)

func TestHoldings(t *testing.T) {
	before := leakcheck.Take()
	require.Positive(t, before.Goroutines)
	require.Positive(t, before.Heap)
	require.Contains(t, before.String(), "goroutines")

	release, held := make(chan struct{}), make([]byte, 64<<20)
	go func() { <-release }()
	during := leakcheck.Take()
	require.Greater(t, during.Goroutines, before.Goroutines)
	require.GreaterOrEqual(t, during.Heap, before.Heap+int64(len(held))-1<<20)
	runtime.KeepAlive(held)
	if before.Descriptors > 0 {
		f, err := os.Create(filepath.Join(t.TempDir(), "file"))
		require.NoError(t, err)
		require.Greater(t, leakcheck.Take().Descriptors, before.Descriptors)
		require.NoError(t, f.Close())
	}
	close(release)
	before.Require(t, leakcheck.Growth{Mappings: 50})
}
