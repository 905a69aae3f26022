//go:build systemtest

package guests

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/runtime/python"
)

// TestSuspendedCodeGoesOnInAnotherProcess resumes a state three times, each in a process of its own and with an answer
// of its own.
func TestSuspendedCodeGoesOnInAnotherProcess(t *testing.T) {
	file := os.Getenv("TOOLRUN_PYTHON")
	if file == "" {
		t.Skip("TOOLRUN_PYTHON does not name a build of CPython")
	}
	module, err := os.ReadFile(file)
	require.NoError(t, err)
	interpreter, err := python.New(t.Context(), newEngine(t, sandbox.EngineOptions{}), python.FromBytes(module))
	require.NoError(t, err)
	asking := func(answer any, err error) *python.RunOptions {
		return &python.RunOptions{Functions: []python.Function{{
			Name: "tools.ask",
			Call: func(context.Context, []any, map[string]any) (any, error) { return answer, err },
		}}}
	}
	printed := func(result *python.Result) (text string) {
		for _, entry := range result.Console {
			text += entry.Text + "\n"
		}
		return text
	}
	key := []byte("0123456789abcdef")
	if file := os.Getenv("TOOLRUN_TEST_STATE"); file != "" { // this is the other process
		sealed, err := os.ReadFile(file)
		require.NoError(t, err)
		state, err := interpreter.OpenState(sealed, key, sandbox.DefaultMemory)
		require.NoError(t, err)
		result, err := interpreter.Resume(t.Context(), state, asking(os.Getenv("TOOLRUN_TEST_ANSWER"), nil))
		require.NoError(t, err)
		fmt.Printf("%s%s\n", printed(result), result.Text)
		return
	}
	first, err := interpreter.Run(t.Context(), `
import dataclasses
@dataclasses.dataclass
class Order:
    item: str
    def g(self):
        yield from self.item
made = Order('xyz')
letters = made.g()
print(next(letters))
answer = await tools.ask(made.item)
print(answer, *letters)
made, answer`, asking(nil, python.ErrSuspend))
	require.ErrorIs(t, err, python.ErrSuspend)
	sealed, err := first.State.Seal(key, 0)
	require.NoError(t, err)
	state := filepath.Join(t.TempDir(), "state")
	require.NoError(t, os.WriteFile(state, sealed, 0o600))
	for _, answer := range []string{"yes", "no", "later"} {
		command := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$")
		command.Env = append(os.Environ(), "TOOLRUN_TEST_STATE="+state, "TOOLRUN_TEST_ANSWER="+answer)
		output, err := command.CombinedOutput()
		require.NoError(t, err, string(output))
		require.Contains(t, string(output), fmt.Sprintf("x\n%[1]s y z\n(Order(item='xyz'), '%[1]s')\n", answer))
	}
}
