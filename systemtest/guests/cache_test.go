//go:build systemtest

package guests

import (
	"crypto/sha256"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/runtime/javascript"
)

// TestCacheDir starts engines with one cache directory, and damages what is kept in between.
func TestCacheDir(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b")
	once := func() map[string][sha256.Size]byte {
		random := map[string]bool{}
		engine, err := sandbox.New(&sandbox.EngineOptions{CacheDir: dir})
		require.NoError(t, err)
		scripts, err := javascript.New(t.Context(), engine)
		require.NoError(t, err)
		for range 3 {
			result, err := scripts.Run(t.Context(),
				`globalThis.seen = (globalThis.seen ?? 0) + 1; return [seen, Math.random()].join()`, nil)
			require.NoError(t, err)
			require.Regexp(t, `^1,0\.`, result.Text)
			random[result.Text] = true
		}
		require.NoError(t, engine.Close(t.Context()))
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
		if runtime.GOOS != "windows" {
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
