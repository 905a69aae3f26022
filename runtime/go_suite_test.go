//go:build suites

package runtime_test

import (
	"context"
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/test/enginetest"
	"github.com/toolrun/toolrun/internal/test/guesttest"
	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/local"
)

// goDifferences are the tests of Go's own packages that fail here, and why. Those that need links are left out.
var goDifferences = map[string]string{
	"TestChtimesOmit":                   noAccessTimes,
	"TestRootChtimes/dotdot_no_symlink": noAccessTimes,
	"TestRootChtimes/path_in_directory": noAccessTimes,
	"TestRootChtimes/path_with_dot":     noAccessTimes,
	"TestRootChtimes/path_with_dotdot":  noAccessTimes,
	"TestRootChtimes/plain_path":        noAccessTimes,
	"TestDevNullFile":                   "there are no devices",
	"TestDirFSPathsValid":               "names in projects have no backslashes",
}

const noAccessTimes = "the time of access is that of modification"

// TestGoSuite runs the tests of Go's own packages on files, compiled for WASI, on a project.
func TestGoSuite(t *testing.T) {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	require.NoError(t, err)
	goroot := strings.TrimSpace(string(root))
	store := local.NewMemoryStore(nil)
	defer store.Close()
	project, err := store.Open(t.Context(), "suite")
	require.NoError(t, err)
	for _, dir := range []string{"/tmp", "/dev", "/goroot/src", "/goroot/test"} {
		require.NoError(t, project.MkdirAll(dir, 0o755))
	}
	for _, dir := range []string{"os", "io", "path", "unicode"} {
		copyTree(t, vfs.Sub(project, "/goroot/src/"+dir), filepath.Join(goroot, "src", dir))
	}
	for _, name := range []string{"/goroot/go.env", "/goroot/LICENSE", "/goroot/CONTRIBUTING.md"} {
		writeFile(t, project, name, "what tests look at")
	}
	engine, err := sandbox.New(&sandbox.EngineOptions{CacheDir: enginetest.CacheDir()})
	require.NoError(t, err)
	defer func() { require.NoError(t, engine.Close(context.Background())) }()

	failed := map[string]string{}
	for _, name := range []string{"os", "io/fs", "path/filepath"} {
		file := filepath.Join(t.TempDir(), "test.wasm")
		build := exec.Command("go", "test", "-c", "-o", file, name)
		build.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "GOFLAGS=")
		output, err := build.CombinedOutput()
		require.NoError(t, err, string(output))
		module, err := os.ReadFile(file)
		require.NoError(t, err)
		guest := guesttest.Guest(name, module)
		guest.Files = true
		program, err := engine.Load(t.Context(), guest)
		require.NoError(t, err)
		stdout := &sandbox.Stream{}
		out, err := guesttest.Run(t.Context(), program, sandbox.RunOptions{
			Args:  []string{"test", "-test.short", "-test.v", "-test.run=^Test"},
			Env:   []string{"PWD=/goroot/src/" + name, "GOROOT=/goroot", "TMPDIR=/tmp"},
			Files: project, Stdout: stdout,
			Limits: sandbox.Limits{Time: 5 * time.Minute, Memory: 512 << 20, Output: sandbox.Unlimited},
		})
		exit, ok := errors.AsType[*sandbox.ExitError](err)
		require.True(t, err == nil || ok && exit.Code == 1, "%s: %v %v", name, err, out.Console)
		report := string(stdout.Data)
		require.Greater(t, strings.Count(report, "\n--- PASS"), 10, report)
		require.Regexp(t, `\n(PASS|FAIL)\n`, report, "%s did not come to its end", name)
		for name, log := range failures(report) {
			failed[name] = log
		}
	}
	for _, name := range slices.Sorted(maps.Keys(failed)) {
		if goDifferences[name] == "" {
			t.Errorf("%s fails:\n%.2000s", name, failed[name])
		}
	}
	for name, reason := range goDifferences {
		require.Contains(t, failed, name, "it passes now, and is listed as a difference: %s", reason)
	}
}

// failures returns the tests that have failed according to a report, with what they have said. Those that fail because
// there are no links, and those of which only subtests do, are left out.
func failures(report string) map[string]string {
	said, name := map[string]string{}, ""
	failed := map[string]string{}
	for line := range strings.Lines(report) {
		word := strings.Fields(line)
		switch {
		case strings.HasPrefix(line, "=== "):
			name = word[2]
		case strings.HasPrefix(strings.TrimSpace(line), "--- FAIL: "):
			failed[word[2]] = ""
		case strings.HasPrefix(line, "    "):
			said[name] += line
		}
	}
	links := regexp.MustCompile(`link.*: Operation not permitted`)
	for name := range failed {
		if failed[name] = said[name]; said[name] == "" || links.MatchString(said[name]) {
			delete(failed, name)
		}
	}
	return failed
}
