//go:build suites

package python_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/test/pythontest"
	"github.com/toolrun/toolrun/network"
	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/runtime"
	py "github.com/toolrun/toolrun/runtime/python"
	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/tools/code"
	"github.com/toolrun/toolrun/tools/python"
)

// named returns the file or folder that an environment variable names, or skips the test.
func named(t testing.TB, variable string) string {
	t.Helper()
	path := os.Getenv(variable)
	if path == "" {
		t.Skip(variable + " is not set: run .ci/python")
	}
	return path
}

// A sandboxed runs programs by the tool.
type sandboxed struct {
	interpreter *py.Interpreter
	memory      float64 // in MiB
	network     network.Gate
}

func newSandboxed(t testing.TB, memory float64) sandboxed {
	return sandboxed{interpreter: pythontest.New(t, runtime.EngineOptions{}), memory: memory}
}

// version is the version of Python, such as 3.11.
func (s sandboxed) version(t testing.TB) string {
	return strings.TrimSpace(s.run(t, "import sys\nprint('%d.%d' % sys.version_info[:2])", nil, nil).stdout)
}

// An outcome is what a program has printed, and how it has ended.
type outcome struct {
	stdout, stderr string
	status         int
}

// run runs a program by the tool, on files that may be nil.
func (s sandboxed) run(t testing.TB, program string, args []string, files afero.Fs) outcome {
	t.Helper()
	r, err := registry.New(python.New(func(context.Context) (*py.Interpreter, error) { return s.interpreter, nil },
		&code.Options{Args: args, Output: 8 << 20}))
	require.NoError(t, err)
	env := newEnv(t)
	if files != nil {
		env.Files = files
	}
	env.Selection = env.Selection.WithOption(python.Name, code.OptionMemory, s.memory)
	env.Selection.Network = s.network
	env.Limits = registry.Limits{Timeout: 20 * time.Minute, Inline: 16 << 20, Output: 64 << 20}
	input, err := json.Marshal(map[string]string{"code": program})
	require.NoError(t, err)
	result := r.Dispatch(t.Context(), tool.Call{ID: "call", Tool: python.Name, Input: input}, env)
	report, ok := python.Language.Report(result)
	require.True(t, ok, result.Text())
	var out outcome
	for _, entry := range report.Console {
		text := entry.Text
		if !entry.Unfinished {
			text += "\n"
		}
		if entry.Level == runtime.LevelError {
			out.stderr += text
		} else {
			out.stdout += text
		}
	}
	switch {
	case report.Exited:
		out.status = report.Status
	case result.IsError():
		out.status = 1
		out.stderr += report.Text + "\n"
	}
	return out
}

// native runs a program by the Python of this machine, in a folder.
func native(t testing.TB, code, dir string, env ...string) outcome {
	t.Helper()
	script := filepath.Join(t.TempDir(), "script.py")
	require.NoError(t, os.WriteFile(script, []byte(code), 0o666))
	cmd := exec.CommandContext(t.Context(), named(t, "TOOLRUN_REFERENCE_PYTHON"), script)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "TZ=UTC", "LC_ALL=C.UTF-8", "PYTHONDONTWRITEBYTECODE=1", "PYTHONPATH=", "COLUMNS=80")
	cmd.Env = append(cmd.Env, env...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if exit := (*exec.ExitError)(nil); !errors.As(err, &exit) {
		require.NoError(t, err)
	}
	return outcome{stdout.String(), strings.ReplaceAll(stderr.String(), script, "script.py"),
		cmd.ProcessState.ExitCode()}
}

// frame is a place in a traceback: a line of its file, and the lines of code after it.
var frame = regexp.MustCompile(`(?m)^ +File "([^"]*)", line .*\n(?: {4,}.*\n)*`)

// comparable returns the outcome without what may differ: the code of the standard library, which has other places
// here.
func (o outcome) comparable() outcome {
	o.stderr = frame.ReplaceAllStringFunc(o.stderr, func(s string) string {
		if frame.FindStringSubmatch(s)[1] == "script.py" {
			return s
		}
		return ""
	})
	return o
}

// copyInto copies the files of a folder of this machine that keep wants: it gets the path below the folder.
func copyInto(t testing.TB, files afero.Fs, from, to string, keep func(path string, d fs.DirEntry) bool) {
	t.Helper()
	require.NoError(t, files.MkdirAll(to, 0o755))
	require.NoError(t, filepath.WalkDir(from, func(name string, d fs.DirEntry, err error) error {
		if err != nil || name == from {
			return err
		}
		path := filepath.ToSlash(strings.TrimPrefix(name, from+string(filepath.Separator)))
		switch {
		case d.Name() == "__pycache__" || keep != nil && !keep(path, d):
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		case d.IsDir():
			return files.MkdirAll(to+"/"+path, 0o755)
		case !d.Type().IsRegular(): // Debian has links to what other packages have
			return nil
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		return afero.WriteFile(files, to+"/"+path, data, 0o644)
	}))
}

// contents returns the files of a file system, by path.
func contents(t testing.TB, files afero.Fs) map[string]string {
	out := map[string]string{}
	require.NoError(t, afero.Walk(files, "/", func(name string, d fs.FileInfo, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := afero.ReadFile(files, name)
		out[name] = string(data)
		return err
	}))
	return out
}
