//go:build suites

package runtime_test

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/test/enginetest"
	"github.com/toolrun/toolrun/internal/test/guesttest"
	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/local"
)

// wasiDifferences are tests of the WASI suite that fail here, and why.
var wasiDifferences = map[string]string{
	"rust/fd_filestat_set":   noAccessTimes,
	"rust/nofollow_errors":   noLinks,
	"rust/path_exists":       noLinks,
	"rust/path_link":         noLinks,
	"rust/readlink":          noLinks,
	"rust/symlink_create":    noLinks,
	"rust/symlink_filestat":  noLinks,
	"rust/truncation_rights": "rights are not enforced, so they cannot be given up; WASI has removed them",
}

const noLinks = "there are no links in projects"

// TestWASISuite runs the tests of WebAssembly/wasi-testsuite for preview 1, of which TOOLRUN_WASI_TESTSUITE names a
// checkout with compiled tests: the branch prod/testsuite-base.
func TestWASISuite(t *testing.T) {
	suite := os.Getenv("TOOLRUN_WASI_TESTSUITE")
	if suite == "" {
		t.Skip("TOOLRUN_WASI_TESTSUITE does not name a checkout of WebAssembly/wasi-testsuite")
	}
	tests, err := filepath.Glob(filepath.Join(suite, "tests/*/testsuite/wasm32-wasip1/*.wasm"))
	require.NoError(t, err)
	require.NotEmpty(t, tests)
	engine, err := sandbox.New(&sandbox.EngineOptions{CacheDir: enginetest.CacheDir()})
	require.NoError(t, err)
	defer func() { require.NoError(t, engine.Close(context.Background())) }()
	seen := map[string]bool{}
	for _, file := range tests {
		language, _, _ := strings.Cut(strings.TrimPrefix(filepath.ToSlash(file), filepath.ToSlash(suite)+"/tests/"),
			"/")
		name := language + "/" + strings.TrimSuffix(filepath.Base(file), ".wasm")
		seen[name] = true
		t.Run(name, func(t *testing.T) {
			failure := runWASITest(t, engine, file)
			if reason, known := wasiDifferences[name]; known {
				require.NotEmpty(t, failure, "it passes now, and is listed as a difference: %s", reason)
				return
			}
			require.Empty(t, failure)
		})
	}
	for name := range wasiDifferences {
		require.True(t, seen[name], "%s is listed, but there is no such test", name)
	}
}

// runWASITest runs a test and returns how it fails, or nothing.
func runWASITest(t *testing.T, engine *sandbox.Engine, file string) (failure string) {
	spec := struct {
		Args   []string          `json:"args"`
		Env    map[string]string `json:"env"`
		Root   string            `json:"root"`
		Exit   int               `json:"exit_code"`
		Stdout *string           `json:"stdout"`
	}{}
	if data, err := os.ReadFile(strings.TrimSuffix(file, ".wasm") + ".json"); err == nil {
		require.NoError(t, json.Unmarshal(data, &spec))
	}
	module, err := os.ReadFile(file)
	require.NoError(t, err)
	guest := guesttest.Guest(filepath.Base(file), module)
	guest.Files = spec.Root != ""
	program, err := engine.Load(t.Context(), guest)
	require.NoError(t, err)
	store := local.NewMemoryStore(&vfs.Options{})
	defer store.Close()
	project, err := store.Open(t.Context(), "suite")
	require.NoError(t, err)
	if spec.Root != "" {
		copyTree(t, project, filepath.Join(filepath.Dir(file), spec.Root))
	}
	stdout := &sandbox.Stream{}
	options := sandbox.RunOptions{Args: append([]string{filepath.Base(file)}, spec.Args...), Files: project,
		Stdout: stdout}
	for name, value := range spec.Env {
		options.Env = append(options.Env, name+"="+value)
	}
	out, err := guesttest.Run(t.Context(), program, options)
	status := 0
	if exit, ok := errors.AsType[*sandbox.ExitError](err); ok {
		status, err = exit.Code, nil
	}
	var text strings.Builder
	for _, entry := range out.Console {
		text.WriteString(entry.Text + "\n")
	}
	switch {
	case err != nil:
		return err.Error() + "\n" + text.String()
	case status != spec.Exit:
		return "another status\n" + text.String()
	case spec.Stdout != nil && string(stdout.Data) != *spec.Stdout:
		return "another output: " + string(stdout.Data)
	}
	return ""
}

// copyTree copies a directory of the host.
func copyTree(t *testing.T, files afero.Fs, dir string) {
	require.NoError(t, filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		path := "/" + filepath.ToSlash(strings.TrimPrefix(name, dir))
		if entry.IsDir() {
			return files.MkdirAll(path, 0o755)
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		return afero.WriteFile(files, path, data, 0o644)
	}))
}
