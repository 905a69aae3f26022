package javascript_test

import (
	"crypto/sha256"
	"maps"
	"os"
	"path/filepath"
	goruntime "runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/race"
	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/runtime/javascript"
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

// TestCacheDir starts engines with one cache directory, and damages what is kept in between.
func TestCacheDir(t *testing.T) {
	if testing.Short() || race.Enabled {
		t.Skip("compiles the engine")
	}
	dir := filepath.Join(t.TempDir(), "a", "b")
	once := func() map[string][sha256.Size]byte {
		random := map[string]bool{}
		require.NoError(t, start(t.Context(), &sandbox.EngineOptions{CacheDir: dir}, func(e *javascript.Interpreter) {
			for range 3 {
				result, err := e.Run(t.Context(),
					`globalThis.seen = (globalThis.seen ?? 0) + 1; return [seen, Math.random()].join()`, nil)
				require.NoError(t, err)
				require.Regexp(t, `^1,0\.`, result.Text)
				random[result.Text] = true
			}
		}))
		require.Len(t, random, 3)
		return kept(t, dir)
	}
	damage := func() {
		for path := range kept(t, dir) {
			data, err := os.ReadFile(path)
			require.NoError(t, err)
			data[min(100, len(data)/2)] ^= 1    // in the compiled code, the address of a function
			require.NoError(t, os.Remove(path)) // two names are one file
			require.NoError(t, os.WriteFile(path, data, 0o600))
		}
	}
	first := once()
	require.Len(t, first, 6+3, "compiled code with two names, a module, its skeleton and two lists; an image and two "+
		"lists")
	require.Equal(t, first, once(), "all is there")
	damage()
	again := once()
	require.Len(t, again, len(first))
	maps.DeleteFunc(first, func(path string, _ [sha256.Size]byte) bool {
		return strings.HasPrefix(filepath.Base(filepath.Dir(path)), "image-")
	})
	for path, hash := range first {
		require.Equal(t, hash, again[path], "compiling gives the same each time")
	}
	require.Equal(t, again, once(), "all is there")
}

// kept returns the hashes of the files in a directory, all of which must be private.
func kept(t *testing.T, dir string) map[string][sha256.Size]byte {
	files := map[string][sha256.Size]byte{}
	require.NoError(t, filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		require.NoError(t, err)
		info, err := d.Info()
		require.NoError(t, err)
		if goruntime.GOOS != "windows" {
			require.Zero(t, info.Mode().Perm()&0o077, path)
		}
		if !d.IsDir() {
			data, err := os.ReadFile(path)
			require.NoError(t, err)
			files[path] = sha256.Sum256(data)
		}
		return nil
	}))
	return files
}
