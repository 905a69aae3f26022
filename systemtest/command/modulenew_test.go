//go:build systemtest

package command_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/toolrun/toolrun/internal/test/commandtest"

	"github.com/stretchr/testify/require"
)

// TestModuleNew builds what toolrun module new writes, adds it and calls it. Go is always there. Of other languages
// TOOLRUN_TOOLCHAINS lists those whose compiler and standard library for WASI are there, as in "c,rust,tinygo". Where
// it lists some, but not TinyGo, Go compiles the program for TinyGo.
func TestModuleNew(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("compiles programs, with a shell script")
	}
	repository, err := filepath.Abs(filepath.Join("..", ".."))
	require.NoError(t, err)
	there := append(strings.Split(os.Getenv("TOOLRUN_TOOLCHAINS"), ","), "go")
	for _, language := range []string{"go", "c", "rust", "tinygo"} {
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			withGo := language == "tinygo" && !slices.Contains(there, language) // the program is one of Go, too
			if !slices.Contains(there, language) && (!withGo || os.Getenv("TOOLRUN_TOOLCHAINS") == "") {
				t.Skip("TOOLRUN_TOOLCHAINS does not have it")
			}
			parent := t.TempDir()
			dir := filepath.Join(parent, "counter")
			run := func(cmd *exec.Cmd) string {
				t.Helper()
				if cmd.Dir == "" {
					cmd.Dir = parent
				}
				out, err := cmd.CombinedOutput()
				require.NoError(t, err, "%s", out)
				return string(out)
			}
			toolrun := func(args ...string) string {
				t.Helper()
				cmd := commandtest.Command(args...)
				cmd.Env = append(cmd.Env, "TOOLRUN_DATA="+filepath.Join(parent, "data"))
				return run(cmd)
			}
			said := toolrun("module", "new", "--lang", language, dir)
			if language == "go" { // as it says for a version that has not been published
				command := regexp.MustCompile(`(?m)^  go mod edit .*CLONE$`).FindString(said)
				require.NotEmpty(t, command, said)
				edit := exec.Command("sh", "-c", strings.ReplaceAll(command, "CLONE", repository))
				edit.Dir = dir
				run(edit)
			}
			build := exec.Command(filepath.Join(dir, "build.sh"))
			if withGo {
				build = exec.Command("go", "build", "-ldflags=-s -w", "-o", "module.wasm", ".")
				build.Dir = dir
			}
			build.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "GOFLAGS=-mod=mod", "GOPROXY=off",
				"GOSUMDB=off", "GOWORK=off")
			run(build)
			require.Contains(t, toolrun("module", "add", dir), "added counter")
			require.JSONEq(t, `{"words":3,"lines":2}`, strings.TrimSpace(toolrun("call", "counter",
				`{"text":"one two\nthree"}`)))
		})
	}
}
