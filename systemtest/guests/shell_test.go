//go:build systemtest

package guests

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/selftest"
	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/runtime/command"
	"github.com/toolrun/toolrun/tools/javascript"
	bash "github.com/toolrun/toolrun/tools/shell"
	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/local"
)

const shellDir = "../../guest/shell"

// buildShell compiles the shell.
var buildShell = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "toolrun-shell")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "shell.wasm")
	build := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w", "-buildmode=c-shared",
		"-o", file, ".")
	build.Dir = shellDir
	build.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "CGO_ENABLED=0", "GOWORK=off")
	if out, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w: %s", err, out)
	}
	return os.ReadFile(file)
})

func loadShell(t testing.TB) *command.Command {
	module, err := buildShell()
	require.NoError(t, err)
	loaded, err := command.Load(t.Context(), newEngine(t, sandbox.EngineOptions{}), module,
		&command.Options{Name: "bash", Files: true})
	require.NoError(t, err)
	return loaded
}

// shellResult is what a script has done. Stderr is its first line.
type shellResult struct {
	Stdout, Stderr string
	Status         int
}

// runShell runs a script on a project.
func runShell(t testing.TB, shell *command.Command, project vfs.Project, script string, host command.Host) (shellResult,
	error) {
	input, err := json.Marshal(map[string]any{"command": script, "separate": true})
	require.NoError(t, err)
	call := project.WithCall(t.Name())
	result, err := shell.RunWith(t.Context(), sandbox.RunOptions{
		Stdin: input, Files: call, Limits: sandbox.Limits{Time: time.Minute},
	}, host)
	require.NotNil(t, result, "%v", err)
	r := shellResult{Stdout: string(result.Output)}
	if len(result.Log) > 0 {
		r.Stderr = shellLine.ReplaceAllString(result.Log[0].Text, "bash: ")
	}
	if exit, ok := errors.AsType[*sandbox.ExitError](err); ok {
		r.Status, err = exit.Code, nil
	}
	return r, err
}

var shellLine = regexp.MustCompile(`^bash: line \d+: `)

// shellDifferences are cases that end in another way in the sandbox, and why.
var shellDifferences = map[string]string{
	"files/trees with links":     noLinks,
	"files/what files are":       noLinks,
	"path/readlink":              noLinks,
	"sums/names that are quoted": "names in projects have no newlines",
	"tar/no links that lead elsewhere are written through: GNU says it of the file (ours)": noLinks,
}

const noLinks = "there are no links in projects"

// TestShellCases runs the cases of the shell's own tests, whose expectations come from bash and GNU's commands, in the
// sandbox, on a project.
func TestShellCases(t *testing.T) {
	t.Parallel()
	shell := loadShell(t)
	files, err := filepath.Glob(shellDir + "/internal/*/testdata/*.txt")
	require.NoError(t, err)
	more, err := filepath.Glob(shellDir + "/internal/commands/*/testdata/*.txt")
	require.NoError(t, err)
	files = append(files, more...)
	require.Greater(t, len(files), 20)
	store := local.NewMemoryStore(&vfs.Options{})
	t.Cleanup(func() { require.NoError(t, store.Close()) })
	for _, file := range files {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		name := strings.TrimSuffix(filepath.Base(file), ".txt")
		for i, c := range strings.Split("\n"+strings.TrimSuffix(string(data), "\n"), "\n=== ")[1:] {
			title, rest, _ := strings.Cut(c, "\n")
			t.Run(name+"/"+title, func(t *testing.T) {
				t.Parallel()
				project, err := store.Open(t.Context(), fmt.Sprintf("%s-%d", name, i))
				require.NoError(t, err)
				script, want := shellCase(t, rest)
				got, err := runShell(t, shell, project, script, command.Host{})
				require.NoError(t, err)
				if why, differs := shellDifferences[name+"/"+title]; differs {
					require.NotEqual(t, want, got, "it does not differ any more: %s", why)
					return
				}
				require.Equal(t, want, got)
			})
		}
	}
}

// TestShellRandomNumbers are others in each run, also those of subshells.
func TestShellRandomNumbers(t *testing.T) {
	shell := loadShell(t)
	store := local.NewMemoryStore(&vfs.Options{})
	defer func() { require.NoError(t, store.Close()) }()
	project, err := store.Open(t.Context(), "project")
	require.NoError(t, err)
	for _, script := range []string{"echo $RANDOM$RANDOM$RANDOM", "(echo $RANDOM$RANDOM$RANDOM)", "echo $SRANDOM",
		"seq 1000 | shuf", "mktemp -u"} {
		first, err := runShell(t, shell, project, script, command.Host{})
		require.NoError(t, err)
		second, err := runShell(t, shell, project, script, command.Host{})
		require.NoError(t, err)
		require.NotEqual(t, first.Stdout, second.Stdout, script)
	}
}

// shellCase reads a case as package shelltest of the shell describes it.
func shellCase(t *testing.T, s string) (script string, want shellResult) {
	var sections []string
	for i, part := range strings.Split("\n"+s+"\n", "\n--- ") {
		if i == 0 || shellSection.MatchString(part) {
			sections = append(sections, part)
		} else {
			sections[len(sections)-1] += "\n--- " + part // of a diff
		}
	}
	for _, section := range sections[1:] {
		head, body, _ := strings.Cut(section, "\n")
		if before, ok := strings.CutSuffix(strings.TrimRight(body, "\n"), `\ no newline`); ok {
			body = strings.TrimSuffix(before, "\n")
		} else if body = strings.TrimSuffix(body, "\n"); body != "" || head == "stdout" {
			body += "\n"
		}
		switch head {
		case "stdout":
			want.Stdout = body
		case "stderr":
			want.Stderr = strings.TrimSuffix(body, "\n")
		default:
			_, err := fmt.Sscanf(head, "status %d", &want.Status)
			require.NoError(t, err)
		}
	}
	return strings.TrimSpace(sections[0]) + "\n", want
}

var shellSection = regexp.MustCompile(`^(stdout|stderr|status \d+)(\n|$)`)

// TestShellIsStopped makes the attacks in bash of toolrun selftest. How late they are stopped is for quiet machines.
func TestShellIsStopped(t *testing.T) {
	t.Parallel()
	runner := shellRunner(t)
	interpreter, err := runner.Interpreter(t.Context(), bash.Name)
	require.NoError(t, err)
	engine, err := runner.Interpreter(t.Context(), javascript.Name)
	require.NoError(t, err)
	attacks, err := selftest.ShellAttacks()
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(attacks), 50, "some are gone")
	report, err := selftest.Run(t.Context(), engine.(javascript.Interpreter).Interpreter, attacks,
		selftest.Options{Shell: interpreter, TimeLimit: 250 * time.Millisecond, MostLate: time.Minute})
	require.NoError(t, err)
	var table strings.Builder
	require.NoError(t, report.WriteTable(&table))
	t.Log("\n" + table.String())
	for _, o := range report.Outcomes {
		t.Log(o.Attack, o.Ending, o.Duration.Round(time.Millisecond), o.Late.Round(time.Millisecond))
	}
	require.Empty(t, report.Wrong())
}
