//go:build systemtest

package command_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/test/commandtest"
)

// TestShell builds the shell from this checkout, as a user does, and uses it, also as its page says.
func TestShell(t *testing.T) {
	t.Parallel()
	dir, data := t.TempDir(), t.TempDir()
	cache, err := exec.Command("go", "env", "GOCACHE").Output()
	require.NoError(t, err)
	run := func(stdin string, args ...string) (stdout, stderr string, status int) {
		cmd := commandtest.Command(args...)
		var out, errs bytes.Buffer
		cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = dir, strings.NewReader(stdin), &out, &errs
		cmd.Env = append(cmd.Env, "TOOLRUN_DATA="+data, "HOME="+os.Getenv("HOME"),
			"GOCACHE="+strings.TrimSpace(string(cache)), "GOFLAGS=-mod=vendor") // which is not for this
		_ = cmd.Run()
		return out.String(), errs.String(), cmd.ProcessState.ExitCode()
	}
	checkout, err := filepath.Abs(filepath.Join("..", ".."))
	require.NoError(t, err)
	stdout, stderr, status := run("", "module", "add", "shell", "--from", checkout)
	require.Zero(t, status, stderr)
	require.Contains(t, stdout, "built from "+filepath.Join(checkout, "guest", "shell"))
	stdout, stderr, _ = run("", "module", "verify", "shell")
	require.Equal(t, "shell: ok\n", stdout, stderr)

	page, err := os.ReadFile(filepath.Join(checkout, "docs", "shell.md"))
	require.NoError(t, err)
	steps := markdownSteps(string(page))
	require.NotEmpty(t, steps)
	for _, step := range steps {
		cmd := commandtest.Shell(t, "sh", "-c", step.command)
		cmd.Dir, cmd.Env = dir, append(cmd.Env, "TOOLRUN_DATA="+data)
		out, _ := cmd.CombinedOutput()
		require.Equal(t, step.output, string(out), step.command)
	}

	require.NoError(t, os.WriteFile(filepath.Join(dir, "args.sh"), []byte("echo $0 $1\nexit 5\n"), 0o600))
	for _, test := range []struct {
		stdin, stdout, stderr string
		status                int
		args                  []string
	}{
		{stdout: "one\n", stderr: "two\n", status: 3, args: []string{"-c", "echo one; echo two >&2; exit 3"}},
		{stdout: "name a b\n", args: []string{"-c", "echo $0 $@", "name", "a", "b"}},
		{stdout: "args.sh a\n", status: 5, args: []string{"args.sh", "a"}},
		{stdin: "echo $((6 * 7))", stdout: "42\n"},
		{stdin: "echo 'x'", stdout: "x\n", args: []string{"-"}},
		{stdin: "a\nb\n", stdout: "2\n", args: []string{"-c", "wc -l"}},
		{stdout: "42\n", args: []string{"-p", "6 * 7"}},
		{args: []string{"--session", "s", "-c", "x=kept; cd /"}},
		{stdout: "kept\n", args: []string{"--session", "s", "-c", "echo $x"}},
		{stderr: "bash: line 1: syntax error: ", status: 2, args: []string{"-c", "if"}},
		{stderr: "time limit exceeded", status: 1, args: []string{"--timeout", "200ms", "-c", "while :; do :; done"}},
	} {
		stdout, stderr, status := run(test.stdin, append([]string{"sh"}, test.args...)...)
		require.Equal(t, test.stdout, stdout, test.args)
		require.Contains(t, stderr, test.stderr, test.args)
		require.Equal(t, test.status, status, test.args)
	}
	stdout, _, status = run("if true; then\necho yes\nfi\nx=1\nfalse\necho $x\n", "repl", "--lang", "sh")
	require.Equal(t, "yes\n1\n", stdout)
	require.Equal(t, 1, status)
	stdout, _, _ = run("", "session", "show", "s")
	require.Regexp(t, `(?m)^bash  (.*\n)+  x +"kept"$`, stdout)
	stdout, _, _ = run("", "module", "remove", "shell")
	require.Equal(t, "removed shell\n", stdout)
}
