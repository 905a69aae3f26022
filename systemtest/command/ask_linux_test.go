//go:build systemtest

package command_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/toolrun/toolrun/internal/test/commandtest"
	"github.com/toolrun/toolrun/internal/test/toolruntest"

	"github.com/stretchr/testify/require"
)

// TestTheTerminalAsks: calls that code makes are asked for one by one on a terminal, with what the code has changed so
// far.
func TestTheTerminalAsks(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	code, err := json.Marshal(map[string]string{"code": `
		fs.writeFileSync('/log.txt', 'before\n');
		const told = [];
		for (const name of ['one', 'two', 'three', 'four', 'five']) {
			try {
				await tools.memory({command: 'create', path: '/memories/' + name,
					file_text: name + '\x1b]0;owned\x07'});
				told.push('made ' + name);
			} catch (e) {
				told.push(e.message);
			}
		}
		return told.join('\n')`})
	require.NoError(t, err)
	p := onTerminalIn(t, dir, []string{"USER=ada"}, "call", "javascript", string(code), "--root", ".", "--ask",
		"memory", "--option", "toolCalls=true")
	question := func() string { return p.expect("Make the call? yes, no, edit, always or later: ") }

	asked := question()
	require.Contains(t, asked, "memory needs approval (memory):\r\n  | {\"command\":\"create\",")
	require.Contains(t, asked, "It is called by javascript (")
	require.Contains(t, asked, "  | \t\tfs.writeFileSync('/log.txt', 'before\\n');")
	require.Contains(t, asked, "What it has changed so far:\r\n")
	require.Contains(t, asked, "  | +before")
	require.NotContains(t, asked, "\x1b]0;")
	p.send("perhaps\r") // which is no answer
	question()
	_, err = os.Stat(filepath.Join(dir, "memories"))
	require.ErrorIs(t, err, os.ErrNotExist, "nothing has been made yet")
	p.send("yes\r")

	require.Contains(t, question(), "/memories/two")
	p.send("edit\r")
	p.expect("The arguments, as JSON: ")
	p.send("{command\r")
	p.expect("That is no JSON.")
	question()
	p.send("e\r")
	p.expect("The arguments, as JSON: ")
	p.send(`{"command": "explode"}` + "\r") // which there is not
	require.Contains(t, question(), "The arguments could not be used:\r\n")
	p.send("e\r")
	p.expect("The arguments, as JSON: ")
	p.send(`{"command": "create", "path": "/memories/edited", "file_text": "by ada"}` + "\r")

	require.Contains(t, question(), "/memories/three")
	p.send("no\r")
	p.expect("Why? The model reads it; empty gives no reason: ")
	p.send("three is too many\r")

	require.Contains(t, question(), "/memories/four")
	p.send("always\r")
	require.Equal(t, 0, p.exits(), "%q", p.all())
	rest := p.rest()[p.from:]
	require.NotContains(t, rest, "Make the call?", "the last one is not asked for")
	require.Contains(t, rest, "made one\r\nmade two\r\nA person has refused the call of memory: three is too many. "+
		"Do not repeat it as it was.\r\nmade four\r\nmade five")
	for name, want := range map[string]string{"one": "one\x1b]0;owned\a", "edited": "by ada",
		"four": "four\x1b]0;owned\a", "five": "five\x1b]0;owned\a"} {
		data, err := os.ReadFile(filepath.Join(dir, "memories", name))
		require.NoError(t, err)
		require.Equal(t, want, string(data))
	}
	for _, name := range []string{"two", "three"} {
		_, err := os.Stat(filepath.Join(dir, "memories", name))
		require.ErrorIs(t, err, os.ErrNotExist)
	}
}

// TestTheTerminalAsksLater: who does not decide leaves the call waiting, and the command says where.
func TestTheTerminalAsksLater(t *testing.T) {
	t.Parallel()
	for name, keys := range map[string]string{"later": "later\r", "the end of the input": ctrlD} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, data := t.TempDir(), t.TempDir()
			p := onTerminalIn(t, dir, []string{"TOOLRUN_DATA=" + data}, "call", "memory",
				`{"command": "create", "path": "/memories/a", "file_text": "a"}`,
				"--root", ".", "--ask", "memory")
			p.expect("Make the call? yes, no, edit, always or later: ")
			p.send(keys)
			require.Equal(t, 1, p.exits(), "%q", p.all())
			token := toolruntest.WaitingToken.FindString(p.rest())
			require.Contains(t, p.rest(), "toolrun: waits for approval: toolrun approvals show "+token)
			_, err := os.Stat(filepath.Join(dir, "memories"))
			require.ErrorIs(t, err, os.ErrNotExist)

			approve := commandtest.Command("approvals", "approve", token)
			approve.Env = append(approve.Env, "TOOLRUN_DATA="+data)
			require.NoError(t, approve.Run())
			made, err := os.ReadFile(filepath.Join(dir, "memories", "a"))
			require.NoError(t, err)
			require.Equal(t, "a", string(made))
		})
	}
}
