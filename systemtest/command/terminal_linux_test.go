//go:build systemtest

package command_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// hostile is what must not get to a terminal: a title, a clear screen, an escape by C1 and by 8 bits, a return over
// what is there, text from right to left, a bell.
const hostile = `\x1b]0;owned\x07\x1b[2J\u009b2J\r$ fake\u202eesrever\x00\b`

// shown is what there is instead.
const shown = `\x1b]0;owned\x07\x1b[2J\x9b2J\x0d$ fake\u202eesrever\x00\x08`

// output runs a command on a terminal to its end, and returns all that it has written.
func output(t *testing.T, dir string, env []string, status int, args ...string) string {
	t.Helper()
	p := onTerminalIn(t, dir, env, args...)
	require.Equal(t, status, p.exits(), "%q", p.all())
	return p.rest()
}

// undriven checks that nothing but colours and what moves in a line is written.
func undriven(t *testing.T, written string) {
	t.Helper()
	for _, bad := range []string{"\x1b]", "\x1b[2J", "\u009b", "\x9b", "\x07", "\u202e", "\r$", "\x00", "\b"} {
		require.NotContains(t, strings.ToValidUTF8(written, "\x9b"), bad)
	}
}

func TestOutputCannotDriveTheTerminal(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	raw := "\x1b]0;owned\x07\x1b[2J\u009b2J\r$ fake\u202eesrever\x00\b"
	require.NoError(t, os.WriteFile(filepath.Join(dir, "raw"), []byte(raw), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "bytes"), []byte("\x9b2J\xe2\x80"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "\u202ename"), nil, 0o600))
	for name, c := range map[string]struct {
		args   []string
		status int
		want   string
	}{
		"a result":    {[]string{"js", "-e", "return '" + hostile + "'"}, 0, shown},
		"the console": {[]string{"js", "-e", "console.warn('" + hostile + "')"}, 0, shown},
		"an error":    {[]string{"js", "-e", "throw new Error('" + hostile + "')"}, 1, shown},
		"a call": {[]string{"call", "javascript",
			`{"code": "return '` + strings.ReplaceAll(hostile, `\`, `\\`) + `'"}`}, 0, shown},
		"a file":                {[]string{"files", "cat", "raw"}, 0, shown},
		"a file that is copied": {[]string{"files", "get", "raw", "-"}, 0, shown},
		"what is no text":       {[]string{"files", "cat", "bytes"}, 0, `\x9b2J\xe2\x80`},
		"a name":                {[]string{"files", "ls"}, 0, `\u202ename`},
		"a wrong argument":      {[]string{"files", "cat", "\x1b[2J\u202e"}, 2, ``},
		"an archive":            {[]string{"files", "export", "--format", "tar", "-"}, 0, `raw\x00`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, env := range [][]string{nil, {"NO_COLOR=1"}, {"TERM=dumb"}} {
				written := output(t, dir, env, c.status, append(c.args, "--root", ".")...)
				require.Contains(t, written, c.want)
				undriven(t, written)
			}
		})
	}
	t.Run("an entry", func(t *testing.T) {
		p := onTerminal(t, nil, "repl", "--root", ".")
		p.prompt()
		require.Contains(t, p.enter("console.error('"+hostile+"'), '"+hostile+"'"), shown)
		undriven(t, strings.ReplaceAll(p.all(), hostile, ""))
	})
}

func TestColours(t *testing.T) {
	code := []string{"js", "-e", "console.log('[WARN] a'); console.warn('b\\n[ERROR] c'); return '=== Result ==='"}
	const want = "[WARN] a\r\n\x1b[33mb\r\n[ERROR] c\r\n\x1b[0m=== Result ===\r\n"
	require.Equal(t, want, output(t, t.TempDir(), nil, 0, code...))
	plain := strings.NewReplacer("\x1b[0m", "", "\x1b[33m", "").Replace(want)
	for _, env := range []string{"NO_COLOR=1", "CLICOLOR=0", "TERM=dumb", "TERM="} {
		require.Equal(t, plain, output(t, t.TempDir(), []string{env}, 0, code...), env)
	}
	require.Equal(t, "\x1b[31mError: no\r\n    at <anonymous> (script.js:1:11)\r\n\x1b[0m",
		output(t, t.TempDir(), nil, 1, "js", "-e", "throw new Error('no')"))
	require.Equal(t, "\x1b[31mtoolrun: unknown command \"nothing\" for \"toolrun\"\x1b[0m\r\n",
		output(t, t.TempDir(), nil, 2, "nothing"))
	long := []string{"call", "--inline", "200", "javascript", `{"code": "console.log('x'.repeat(400)); return 1"}`}
	require.NotContains(t, output(t, t.TempDir(), nil, 0, long...), strings.Repeat("x", 400))
	require.Contains(t, output(t, t.TempDir(), nil, 0, "help"), "\r\n\x1b[1mUsage:\x1b[0m\r\n")
	require.Contains(t, output(t, t.TempDir(), nil, 0, "tools", "memory"), "\r\n\x1b[1mArguments:\x1b[0m\r\n{\r\n")
	require.NotContains(t, output(t, t.TempDir(), nil, 0, "js", "--json", "-e", "console.warn('b')"), "\x1b")
}

func TestProgressLine(t *testing.T) {
	t.Parallel()
	code := "await new Promise((end) => setTimeout(end, 1500)); return 'done'"
	for name, c := range map[string]struct {
		env  []string
		args []string
		want string
	}{
		"it is there, and is removed": {nil, []string{"js", "-e", code},
			`^(\r\x1b\[K[0-9]+s)+\r\x1b\[Kdone\r\n$`},
		"none that could not be removed":     {[]string{"TERM=dumb"}, []string{"js", "-e", code}, `^done\r\n$`},
		"none where a program is to read on": {nil, []string{"js", "--json", "-e", code}, `^\{.*\}\r\n$`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Regexp(t, c.want, output(t, t.TempDir(), c.env, 0, c.args...))
		})
	}
}

// TestPromptOfADumbTerminal has a prompt and nothing that a terminal must understand.
func TestPromptOfADumbTerminal(t *testing.T) {
	p := onTerminal(t, []string{"TERM=dumb"}, "repl", "--root", ".")
	p.expect("\n> ")
	p.send("1 +\r")
	p.expect("\n... ")
	p.send("1\r")
	p.expect("\n2\r\n> ")
	p.send("'given up'" + ctrlC)
	p.expect("\r\n> ")
	p.send("(\r")
	p.expect("\n... ")
	p.send(ctrlC)
	p.expect("\r\n> ")
	p.send(".exit\r")
	require.Equal(t, 0, p.exits())
	require.NotContains(t, p.all(), "\x1b")
}

// TestEmptyListsSaySo: a person who sees nothing cannot tell an empty list from a command that did nothing.
func TestEmptyListsSaySo(t *testing.T) {
	dir := t.TempDir()
	env := []string{"TOOLRUN_DATA=" + filepath.Join(dir, "data")}
	for _, test := range []struct{ args, want string }{
		{"project list", "no projects"},
		{"project list --deleted", "no deleted projects"},
		{"approvals list", "no calls wait for approval"},
		{"session list", "no sessions; --session of toolrun js begins one"},
		{"checkpoint list", "no checkpoints; toolrun checkpoint create makes one"},
		{"module list", "no modules; toolrun module add adds one"},
		{"files ls", "no files"},
		{"files history", "no changes"},
		{"files deleted", "nothing has been removed"},
	} {
		written := output(t, dir, env, 0, strings.Fields(test.args)...)
		require.Equal(t, "\x1b[2m"+test.want+"\x1b[0m\r\n", written, test.args)
	}
	require.Contains(t, output(t, dir, env, 1, "files", "grep", "x"), "no line matches")
	require.Equal(t, "[]\r\n", output(t, dir, env, 0, "project", "list", "--json"))
}
