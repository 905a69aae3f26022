//go:build systemtest

package command_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/toolrun/toolrun/internal/test/commandtest"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// TestDeleteAsks: on a terminal a project is deleted when the answer is yes, and not by anything else.
func TestDeleteAsks(t *testing.T) {
	data := t.TempDir()
	there := func() bool {
		_, err := os.Stat(filepath.Join(data, "projects", "notes"))
		return err == nil
	}
	make := commandtest.Command("files", "--data", data, "--project", "notes", "mkdir", "/x")
	require.NoError(t, make.Run())
	for _, test := range []struct {
		keys   string
		status int
		there  bool
	}{
		{"\r", 1, true}, {"n\r", 1, true}, {"yes please\r", 1, true}, {ctrlD, 1, true}, {ctrlC, 130, true},
		{"y\r", 0, false},
	} {
		p := onTerminal(t, nil, "project", "--data", data, "delete", "notes")
		p.expect("Delete notes (1 file or directory, 0 bytes)? [y/N] ")
		p.send(test.keys)
		require.Equal(t, test.status, p.exits(), "%q", test.keys)
		require.Equal(t, test.there, there(), "%q", test.keys)
	}
	require.NoError(t, commandtest.Command("project", "--data", data, "restore", "notes").Run())
	require.True(t, there())
	p := onTerminal(t, nil, "project", "--data", data, "delete", "notes", "--yes")
	require.Equal(t, 0, p.exits())
	require.False(t, there())
}

func TestDiffInColours(t *testing.T) {
	dir := t.TempDir()
	for _, text := range []string{"a\\nb\\n", "a\\nc\\n"} {
		make := commandtest.Command("js", "--root", ".", "-e", "fs.writeFileSync('f', '"+text+"')")
		make.Dir = dir
		require.NoError(t, make.Run())
	}
	require.Equal(t, "\x1b[1m--- /f (before change 2)\r\n\x1b[0m\x1b[1m+++ /f\r\n\x1b[0m@@ -1,2 +1,2 @@\r\n a\r\n"+
		"\x1b[31m-b\r\n\x1b[0m\x1b[32m+c\r\n\x1b[0m", output(t, dir, nil, 0, "files", "--root", ".", "diff", "f"))
}

// TestInputsAreAsked runs commands with an editor's configuration, and enters what the editor would ask for.
func TestInputsAreAsked(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	servers := filepath.Join(dir, "mcp.json")
	require.NoError(t, os.WriteFile(servers, []byte(`{
		"inputs": [{"type": "pickString", "id": "tools", "description": "Which\u001b[2J tools",
				"options": ["memory", "filesystem"], "default": "memory"},
			{"type": "promptString", "id": "api-key", "description": "The key", "password": true},
			{"type": "promptString", "id": "unused"}],
		"servers": {"own": {"command": "`+
		commandtest.Path()+`", "args": ["mcp", "--enable", "javascript,${input:tools}",
			"--option", "javascript.memory=${input:api-key}"]}}}`), 0o600))
	start := func(env ...string) *pty { return onTerminal(t, env, "tools", "--mcp-config", servers) }

	p := start()
	p.expect("The key (api-key)? ")
	p.send("17\r")
	p.expect("Which\\x1b[2J tools (tools): memory, filesystem [memory]? ")
	p.send("filesystem\r")
	require.Equal(t, 0, p.exits())
	require.Contains(t, p.rest(), "own_filesystem")
	require.NotContains(t, p.rest(), "17", "the key is not shown")
	require.NotContains(t, p.rest(), "unused")

	p = start("API_KEY=18") // the environment has a value, and the default is good
	p.expect("[memory]? ")
	p.send("\r")
	require.Equal(t, 0, p.exits())
	require.Contains(t, p.rest(), "own_memory")

	p = start() // no answers
	p.expect("The key (api-key)? ")
	p.send(ctrlD)
	require.Equal(t, 0, p.exits())
	require.Contains(t, p.rest(), "${input:api-key} has no value: set the variable API_KEY in the environment")

	p = start() // an interrupt, after which the terminal shows what is entered again
	p.expect("The key (api-key)? ")
	require.Zero(t, p.settings().Lflag&unix.ECHO)
	p.send(ctrlC)
	require.Equal(t, 130, p.exits())
	require.NotZero(t, p.settings().Lflag&unix.ECHO)
}
