package javascript_test

import (
	"os"
	"path/filepath"
	goruntime "runtime"
	"testing"

	"github.com/stretchr/testify/require"

	sandbox "github.com/toolrun/toolrun/runtime"
)

func TestCacheDirsThatCannotBeUsed(t *testing.T) {
	t.Run("a file", func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "file")
		require.NoError(t, os.WriteFile(file, nil, 0o600))
		err := start(t.Context(), &sandbox.EngineOptions{CacheDir: file}, nil)
		require.ErrorContains(t, err, "runtime: cache directory: ")
		require.ErrorContains(t, err, "is not a directory")
	})
	t.Run("one that others can write to", func(t *testing.T) {
		if goruntime.GOOS == "windows" {
			t.Skip("no permission bits")
		}
		dir := t.TempDir()
		require.NoError(t, os.Chmod(dir, 0o770))
		err := start(t.Context(), &sandbox.EngineOptions{CacheDir: dir}, nil)
		require.ErrorContains(t, err, "runtime: cache directory: ")
		require.ErrorContains(t, err, "can be written by other users")
		entries, err := os.ReadDir(dir)
		require.NoError(t, err)
		require.Empty(t, entries)
	})
}
