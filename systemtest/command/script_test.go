//go:build systemtest

package command_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/test/commandtest"
)

// runScripts runs scripts, in which toolrun is the command.
func runScripts(t *testing.T, dir string, commands map[string]func(*testscript.TestScript, bool, []string)) {
	testscript.Run(t, testscript.Params{Dir: dir, Cmds: commands, Setup: func(env *testscript.Env) error {
		bin := filepath.Join(env.WorkDir, ".bin")
		if err := os.Mkdir(bin, 0o755); err != nil {
			return err
		}
		env.Setenv("PATH", bin+string(os.PathListSeparator)+env.Getenv("PATH"))
		env.Vars = append(append(env.Vars, commandtest.Caches()...),
			"TOOLRUN_DATA="+filepath.Join(env.WorkDir, ".data"))
		return os.Symlink(commandtest.Path(), filepath.Join(bin, "toolrun"))
	}})
}

// TestScripts runs what the files in testdata say.
func TestScripts(t *testing.T) {
	t.Parallel()
	runScripts(t, "testdata", nil)
}

// saysOf matches lines of a script that are about the command before.
var saysOf = regexp.MustCompile(`^(! )?(stdout|stderr|cmp) |^#|^$`)

// TestTranscriptsBegin runs the first command of each transcript in testdata/script, and what is said of it: the
// program does what the tests of the command see in their own process.
func TestTranscriptsBegin(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join("..", "..", "testdata", "script", "*.txtar"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	dir := t.TempDir()
	for _, file := range files {
		script, err := txtar.ParseFile(file)
		require.NoError(t, err)
		var begin []string
		found := false
		for line := range strings.Lines(string(script.Comment)) {
			if found && !saysOf.MatchString(line) {
				break
			}
			found = found || strings.HasPrefix(strings.TrimPrefix(line, "! "), "toolrun ")
			begin = append(begin, line)
		}
		require.True(t, found, file)
		script.Comment = []byte(strings.Join(begin, ""))
		require.NoError(t, os.WriteFile(filepath.Join(dir, filepath.Base(file)), txtar.Format(script), 0o600))
	}
	runScripts(t, dir, map[string]func(*testscript.TestScript, bool, []string){
		"toolrun": func(ts *testscript.TestScript, neg bool, args []string) {
			cmd := commandtest.Command(args...)
			cmd.Dir, cmd.Stdout, cmd.Stderr = ts.MkAbs("."), ts.Stdout(), ts.Stderr()
			for _, name := range []string{"TOOLRUN_DATA", "TOOLRUN_PYTHON"} {
				cmd.Env = append(cmd.Env, name+"="+ts.Getenv(name))
			}
			if n := len(args) - 1; strings.HasPrefix(args[n], "<") {
				cmd.Args = cmd.Args[:n+1]
				cmd.Stdin = strings.NewReader(ts.ReadFile(args[n][1:]))
			}
			if err := cmd.Run(); (err != nil) != neg {
				ts.Fatalf("toolrun: %v", err)
			}
		},
		"web": func(ts *testscript.TestScript, _ bool, _ []string) { ts.Setenv("WEB", "http://127.0.0.1:0") },
	})
}
