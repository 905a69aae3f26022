package runtime_test

import (
	"context"
	"crypto/sha256"
	"maps"
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
		_, err := sandbox.NewEngine(t.Context(), &sandbox.EngineOptions{CacheDir: file})
		require.ErrorContains(t, err, "runtime: cache directory: ")
		require.ErrorContains(t, err, "is not a directory")
	})
	t.Run("one that others can write to", func(t *testing.T) {
		if goruntime.GOOS == "windows" {
			t.Skip("no permission bits")
		}
		dir := t.TempDir()
		require.NoError(t, os.Chmod(dir, 0o770))
		_, err := sandbox.NewEngine(t.Context(), &sandbox.EngineOptions{CacheDir: dir})
		require.ErrorContains(t, err, "runtime: cache directory: ")
		require.ErrorContains(t, err, "can be written by other users")
		entries, err := os.ReadDir(dir)
		require.NoError(t, err)
		require.Empty(t, entries)
	})
}

// TestCacheDir starts engines with one cache directory, and damages what is kept in between.
func TestCacheDir(t *testing.T) {
	if testing.Short() || raceDetector {
		t.Skip("compiles the engine")
	}
	dir := filepath.Join(t.TempDir(), "a", "b")
	start := func() map[string][sha256.Size]byte {
		e, err := sandbox.NewEngine(t.Context(), &sandbox.EngineOptions{CacheDir: dir})
		require.NoError(t, err)
		random := map[string]bool{}
		for range 3 {
			result, err := e.Run(t.Context(), `globalThis.seen = (globalThis.seen ?? 0) + 1; return [seen, Math.random()].join()`, nil)
			require.NoError(t, err)
			require.Regexp(t, `^1,0\.`, result.Text)
			random[result.Text] = true
		}
		require.Len(t, random, 3)
		require.NoError(t, e.Close(context.Background()))
		return kept(t, dir)
	}
	damage := func() {
		for path := range kept(t, dir) {
			data, err := os.ReadFile(path)
			require.NoError(t, err)
			data[min(100, len(data)/2)] ^= 1 // in the compiled code, the address of a function
			require.NoError(t, os.WriteFile(path, data, 0o600))
		}
	}
	first := start()
	require.Len(t, first, 3, "the compiled code, its module, and their hashes")
	second := start()
	require.Len(t, second, 6, "also the image")
	require.Equal(t, second, start(), "all is there")
	damage()
	require.Equal(t, first, stillIn(start(), first), "compiling gives the same each time")
	require.Len(t, start(), 6)
	require.Len(t, start(), 6)
}

func stillIn[K comparable, V any](all, some map[K]V) map[K]V {
	maps.DeleteFunc(all, func(k K, _ V) bool { _, ok := some[k]; return !ok })
	return all
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

// TestWazeroVersion fails when wazero is updated: set wazeroVersion to what go.mod has.
func TestWazeroVersion(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("..", "go.mod"))
	require.NoError(t, err)
	require.Contains(t, string(data), "github.com/tetratelabs/wazero "+sandbox.WazeroVersion+"\n")
}
