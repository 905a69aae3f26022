//go:build systemtest

package guests

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/cachedir"
	"github.com/toolrun/toolrun/internal/test/enginetest"
	"github.com/toolrun/toolrun/internal/test/guesttest"
	sandbox "github.com/toolrun/toolrun/runtime"
)

// compiledEntry returns the name and the files of the entry of a guest in the cache directory of all tests.
func compiledEntry(t *testing.T, guest sandbox.Guest) (entry string, files map[string][]byte) {
	loadGoGuest(t, sandbox.EngineOptions{}) // so that there is one
	module, err := guest.Module()
	require.NoError(t, err)
	modules, err := filepath.Glob(filepath.Join(enginetest.CacheDir(), "engine-*", "module.wasm"))
	require.NoError(t, err)
	i := slices.IndexFunc(modules, func(path string) bool {
		data, err := os.ReadFile(path)
		return err == nil && bytes.Equal(data, module)
	})
	require.GreaterOrEqual(t, i, 0)
	dir := filepath.Dir(modules[i])
	files = map[string][]byte{}
	require.NoError(t, filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err == nil && name != "CHECKSUMS" {
			files[filepath.ToSlash(name)], err = os.ReadFile(path)
		}
		return err
	}))
	return filepath.Base(dir), files
}

// TestSkeletons starts a guest from a cache directory with and without a skeleton of its module.
func TestSkeletons(t *testing.T) {
	guest, err := goGuest()
	require.NoError(t, err)
	cache := filepath.Join(t.TempDir(), "cache")
	start := func() {
		engine, err := sandbox.New(&sandbox.EngineOptions{CacheDir: cache})
		require.NoError(t, err)
		defer func() { require.NoError(t, engine.Close(t.Context())) }()
		program, err := engine.Load(t.Context(), guest)
		require.NoError(t, err)
		out, err := guesttest.Run(t.Context(), program, sandbox.RunOptions{Args: []string{"guest", "echo", "a b"}})
		require.NoError(t, err)
		require.Equal(t, "a b", out.Console[2].Text)
	}
	entry, files := compiledEntry(t, guest)
	var code struct {
		Module   []string
		Skeleton string
	}
	require.NoError(t, json.Unmarshal(files["code.json"], &code))
	require.Len(t, code.Module, 1)
	require.NotEmpty(t, code.Skeleton)
	require.Equal(t, files[code.Module[0]], files[code.Skeleton])
	require.Less(t, len(files["skeleton.wasm"]), len(files["module.wasm"])/10)

	// replace writes the entry anew.
	replace := func(files map[string][]byte) {
		require.NoError(t, os.RemoveAll(filepath.Join(cache, entry)))
		var key cachedir.Key
		_, err := hex.Decode(key[:], []byte(strings.TrimPrefix(entry, "engine-")))
		require.NoError(t, err)
		e, err := cachedir.Open(cache, "engine", key)
		require.NoError(t, err)
		for name, data := range files {
			require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(e.Dir(), name)), 0o700))
			require.NoError(t, e.Write(name, data))
		}
		require.NoError(t, e.Publish())
	}
	t.Run("one", func(t *testing.T) {
		replace(files)
		start() // makes the image
		start()
	})
	t.Run("none", func(t *testing.T) {
		replace(map[string][]byte{
			"module.wasm": files["module.wasm"], code.Module[0]: files[code.Module[0]],
			"code.json": []byte(`{"Module":["` + code.Module[0] + `"]}`),
		})
		start()
		require.NoFileExists(t, filepath.Join(cache, entry, "skeleton.wasm"), "the entry was made again")
	})
	t.Run("one whose code is not where wazero looks", func(t *testing.T) {
		other := files[code.Module[0]]
		replace(map[string][]byte{
			"module.wasm": files["module.wasm"], "skeleton.wasm": files["skeleton.wasm"], code.Module[0]: other,
			"code":      other,
			"code.json": []byte(`{"Module":["` + code.Module[0] + `"],"Skeleton":"code"}`),
		})
		engine, err := sandbox.New(&sandbox.EngineOptions{CacheDir: cache})
		require.NoError(t, err)
		defer func() { require.NoError(t, engine.Close(t.Context())) }()
		program, err := engine.Load(t.Context(), guest)
		require.NoError(t, err)
		_, err = guesttest.Run(t.Context(), program, sandbox.RunOptions{Args: []string{"guest", "echo", "a b"}})
		require.ErrorContains(t, err, "unreachable", "nothing of the skeleton does anything")
	})
}
