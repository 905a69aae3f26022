//go:build suites

package javascript_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/test/enginetest"
	"github.com/toolrun/toolrun/internal/test/wrapfs"
	"github.com/toolrun/toolrun/registry"
	sandbox "github.com/toolrun/toolrun/runtime"
	js "github.com/toolrun/toolrun/runtime/javascript"
	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/tools/code"
	"github.com/toolrun/toolrun/tools/javascript"
)

// published is the file or folder that an environment variable names, or skips the test.
func published(t testing.TB, variable string) string {
	t.Helper()
	path := os.Getenv(variable)
	if path == "" {
		t.Skip(variable + " is not set: run .ci/programs")
	}
	path, err := filepath.Abs(path)
	require.NoError(t, err)
	return path
}

// A program is published code, and what it is called in lists of differences.
type program struct {
	name, code string
	// forNode is the code as Node runs it, where that is another: without types.
	forNode string
	// module means that Node is told that the code is an ES module.
	module bool
}

// An outcome is what a program has printed, and how it has ended.
type outcome struct {
	Stdout, Stderr string
	// Error is the error that has ended the program. It is empty if there was none.
	Error string
}

// passed reports whether a program that tests itself found no fault: assertions of the console do not end it.
func (o outcome) passed() bool {
	return o.Error == "" && !strings.Contains(o.Stderr, "Assertion failed")
}

func (o outcome) String() string {
	return fmt.Sprintf("%s%s%s", clipped(o.Stdout), clipped(o.Stderr), clipped(o.Error))
}

// clipped returns the beginning of a text, ended by a line break.
func clipped(text string) string {
	if len(text) > 600 {
		text = text[:600] + "..."
	}
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return text
}

// inTool runs programs by the tool, with its default limits, each on its own layer above the files in a folder of this
// machine, which may be empty for none.
func inTool(t *testing.T, programs []program, dir string) []outcome {
	t.Helper()
	engine := enginetest.New(sandbox.EngineOptions{})
	t.Cleanup(func() { require.NoError(t, engine.Close(context.Background())) })
	r, err := registry.New(javascript.New(func(context.Context) (*js.Interpreter, error) {
		return engine.Interpreter, nil
	},
		&code.Options{Output: 8 << 20})) // what tests of others print about themselves is long
	require.NoError(t, err)
	base := afero.Fs(afero.NewMemMapFs())
	if dir != "" {
		base = afero.NewReadOnlyFs(afero.NewBasePathFs(afero.NewOsFs(), dir))
	}
	out := make([]outcome, len(programs))
	var wait sync.WaitGroup
	free := make(chan struct{}, runtime.GOMAXPROCS(0))
	for i, p := range programs {
		free <- struct{}{}
		wait.Go(func() {
			defer func() { <-free }()
			env := registry.Env{
				Project: "test", Files: wrapfs.Foreign(afero.NewCopyOnWriteFs(base, afero.NewMemMapFs())),
			}
			env.Limits = registry.Limits{Inline: 16 << 20, Output: 64 << 20} // of what this test gets to see
			input, err := json.Marshal(map[string]string{"code": p.code})
			if err != nil {
				out[i].Error = err.Error()
				return
			}
			result := r.Dispatch(t.Context(), tool.Call{ID: "call", Tool: javascript.Name, Input: input}, env)
			out[i] = outcomeOf(result)
		})
	}
	wait.Wait()
	return out
}

func outcomeOf(result tool.Result) (out outcome) {
	report, ok := javascript.Language.Report(result)
	if !ok {
		return outcome{Error: result.Text()}
	}
	for _, entry := range report.Console {
		text := entry.Text
		if !entry.Unfinished {
			text += "\n"
		}
		if entry.Level == sandbox.LevelError || entry.Level == sandbox.LevelWarn {
			out.Stderr += text
		} else {
			out.Stdout += text
		}
	}
	switch {
	case report.Exited && report.Status != 0:
		out.Error = fmt.Sprintf("exit status %d", report.Status)
	case result.IsError() && !report.Exited:
		out.Error = report.Text
	}
	return out
}

// packages is the folder into which .ci/programs has installed the packages of testdata/npm/programs.
func packages(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(published(t, "TOOLRUN_PROGRAM_PACKAGES"))
	require.NoError(t, err)
	return dir
}

// withPackages makes a folder that has these packages where Node and the tool find them.
func withPackages(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	entries, err := os.ReadDir(packages(t))
	require.NoError(t, err)
	for _, folder := range []string{"node_modules", "lib/node_modules"} {
		require.NoError(t, os.MkdirAll(filepath.Join(dir, folder), 0o755))
		for _, entry := range entries {
			require.NoError(t, os.Symlink(filepath.Join(packages(t), entry.Name()), filepath.Join(dir, folder,
				entry.Name())))
		}
	}
	return dir
}

// isolated begins the command that runs published code on this machine: where the system lets us, without a network.
var isolated = sync.OnceValue(func() []string {
	if exec.Command("unshare", "--user", "--net", "true").Run() == nil {
		return []string{"unshare", "--user", "--net"}
	}
	return nil
})

// endsNode is the error of a program that takes the process of Node with it.
const endsNode = "it has ended the process of Node"

// inNode runs programs by Node, each in its own worker, for at most 20 seconds. They can read the folder and the
// packages of npm, and write where they run, and nothing else; they have no network where the system lets us take it
// away.
func inNode(t *testing.T, programs []program, dir string) []outcome {
	t.Helper()
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("there is no node in PATH to compare with")
	}
	// Links are resolved before what may be read is looked up.
	dir, err = filepath.EvalSymlinks(dir)
	require.NoError(t, err)
	work, err := os.MkdirTemp(dir, "programs")
	require.NoError(t, err)
	t.Cleanup(func() { os.RemoveAll(work) })
	var names []string
	for i, p := range programs {
		name := filepath.Join(work, fmt.Sprintf("%d.cjs", i))
		if p.module {
			name = filepath.Join(work, fmt.Sprintf("%d.mjs", i))
		}
		code := p.code
		if p.forNode != "" {
			code = p.forNode
		}
		require.NoError(t, os.WriteFile(name, []byte(code), 0o644))
		names = append(names, name)
	}
	driver, err := filepath.Abs("testdata/published/node.mjs")
	require.NoError(t, err)
	args := append(slices.Clone(isolated()), node, "--no-warnings", "--experimental-permission", "--allow-worker",
		"--allow-fs-read="+dir+"/", "--allow-fs-read="+packages(t)+"/", "--allow-fs-read="+driver, "--allow-fs-write="+
			work+"/", driver)
	done := map[string]outcome{}
	// drive runs programs until all are done, or one of them has taken the process with it.
	drive := func(names []string) {
		cmd := exec.CommandContext(t.Context(), args[0], args[1:]...)
		cmd.Dir = work
		cmd.Env = []string{"PATH=/usr/bin:/bin", "TZ=UTC", "LC_ALL=C.UTF-8", "HOME=" + work, "NO_COLOR=1"}
		input, err := json.Marshal(names)
		require.NoError(t, err)
		cmd.Stdin = bytes.NewReader(input)
		output, _ := cmd.Output()
		for line := range bytes.Lines(output) {
			var answer struct {
				File string
				outcome
			}
			if json.Unmarshal(line, &answer) == nil {
				done[answer.File] = answer.outcome
			}
		}
	}
	missing := func() []string {
		return slices.DeleteFunc(slices.Clone(names), func(name string) bool { _, ok := done[name]; return ok })
	}
	drive(names)
	for rest := missing(); len(rest) > 0; rest = missing() {
		drive(rest[:1])
		if _, ok := done[rest[0]]; !ok {
			done[rest[0]] = outcome{Error: endsNode}
		}
		drive(missing())
	}
	out := make([]outcome, len(programs))
	for i, name := range names {
		out[i] = done[name]
	}
	return out
}

// differences are the names that a list in testdata/published has, with their reasons. A line has a name, " -- " and
// the reason.
func differences(t *testing.T, suite string) map[string]string {
	t.Helper()
	out := map[string]string{}
	data, err := os.ReadFile(filepath.Join("testdata/published", suite+".txt"))
	require.NoError(t, err)
	for line := range strings.Lines(string(data)) {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		name, reason, _ := strings.Cut(line, " -- ")
		require.NotEmpty(t, reason, line)
		require.Empty(t, out[name], "%s is there twice", name)
		out[name] = reason
	}
	return out
}

// A tally counts what is the same, and checks the rest against a list of differences.
type tally struct {
	suite string
	same  int
	other map[string]string // what differs, and how
}

// add counts one comparison. Without details it is the same.
func (c *tally) add(name string, same bool, details string) {
	if same {
		c.same++
		return
	}
	if c.other == nil {
		c.other = map[string]string{}
	}
	c.other[name] = details
}

// check fails for each difference that is not listed and for each listed one that there is not, and if less than a
// share, such as 0.99, of at least a number of comparisons is the same.
func (c *tally) check(t *testing.T, share float64, least int) {
	t.Helper()
	listed := differences(t, c.suite)
	for _, name := range slices.Sorted(maps.Keys(c.other)) {
		if listed[name] == "" {
			t.Errorf("%s\n%s", name, c.other[name])
		}
	}
	for _, name := range slices.Sorted(maps.Keys(listed)) {
		if _, there := c.other[name]; !there {
			t.Errorf("%s is listed, but is the same or does not exist", name)
		}
	}
	all := c.same + len(c.other)
	t.Logf("%s: %d of %d (%.2f %%)", c.suite, c.same, all, 100*float64(c.same)/float64(all))
	require.GreaterOrEqual(t, all, least)
	require.GreaterOrEqual(t, float64(c.same), share*float64(all))
}

// compareText runs programs by the tool and by Node, and compares what a function makes of their outcomes. It returns
// that of Node's. Programs for which it is nothing are left out, and those that differ also from one run of Node to the
// next.
func compareText(t *testing.T, suite string, programs []program, dir string, text func(outcome) string, share float64,
	least int) (there []string) {
	t.Helper()
	here, first := inTool(t, programs, dir), inNode(t, programs, dir)
	c := tally{suite: suite}
	var again []program
	var at []int
	for i, p := range programs {
		there = append(there, text(first[i]))
		switch want := there[i]; {
		case want == "":
		case text(here[i]) == want:
			c.add(p.name, true, "")
		default:
			again, at = append(again, p), append(at, i)
		}
	}
	for j, o := range inNode(t, again, dir) {
		i := at[j]
		if text(o) == there[i] {
			c.add(again[j].name, false, "--- here:\n"+clipped(text(here[i]))+here[i].String()+"--- in Node:\n"+
				clipped(there[i])+o.String())
		}
	}
	c.check(t, share, least)
	return there
}

// jsonLines returns the values that a file has, one a line. The file may be compressed.
func jsonLines[T any](t *testing.T, name string) (out []T) {
	t.Helper()
	file, err := os.Open(name)
	require.NoError(t, err)
	defer file.Close()
	var r io.Reader = file
	if strings.HasSuffix(name, ".gz") {
		r, err = gzip.NewReader(file)
		require.NoError(t, err)
	}
	s := bufio.NewScanner(r)
	s.Buffer(nil, 1<<20)
	for s.Scan() {
		var value T
		require.NoError(t, json.Unmarshal(s.Bytes(), &value))
		out = append(out, value)
	}
	require.NoError(t, s.Err())
	return out
}
