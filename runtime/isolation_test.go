package runtime

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// mappings counts the mappings of the process.
func mappings(t testing.TB) int {
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		t.Skip("mappings are not known on this system")
	}
	return strings.Count(string(maps), "\n")
}

// TestBytesCrossWhileAModuleIsLinked calls a function from a file that runs before the script, which is a module.
func TestBytesCrossWhileAModuleIsLinked(t *testing.T) {
	engine := cachedEngine(t, EngineOptions{})
	options := &RunOptions{
		Libraries: "/lib",
		Files: libraryFiles(t, map[string]string{
			"/lib/a.js": `var x = 1`,
			"/b.cjs":    `const got = echo(new Uint8Array([1, 2])); module.exports = [got instanceof Uint8Array, got.join()].join(':')`,
		}),
		Functions: []Function{{Name: "echo", Call: func(_ context.Context, args []any) (any, error) {
			return append([]byte{0}, args[0].([]byte)...), nil
		}}},
	}
	for i := range 3 {
		result, err := engine.Run(t.Context(), `import b from '/b.cjs'; export default b`, options)
		require.NoError(t, err, "run %d", i)
		require.Equal(t, "true:0,1,2", result.Text, "run %d", i)
	}
}

// TestSandboxesThatCannotBeginAreNotLost has globals that find no room, or a context that ends before they are there.
func TestSandboxesThatCannotBeginAreNotLost(t *testing.T) {
	engine := cachedEngine(t, EngineOptions{MaxIdle: 1})
	before := mappings(t)
	for range 20 {
		result, err := engine.Run(t.Context(), `return 1`, &RunOptions{
			Limits: Limits{Memory: MinMemory, Time: patient}, Globals: map[string]any{"big": strings.Repeat("x", 8<<20)},
		})
		limit := &LimitError{}
		require.ErrorAs(t, err, &limit)
		require.Equal(t, LimitMemory, limit.Limit)
		require.NotZero(t, result.Usage.Memory)

		ctx, cancel := context.WithCancel(t.Context())
		_, err = engine.Run(ctx, `return 1`, &RunOptions{Globals: map[string]any{"x": cancelWhenEncoded{cancel}}})
		require.ErrorIs(t, err, context.Canceled)
	}
	require.Less(t, mappings(t), before+20)
}

// cancelWhenEncoded is a global that ends its run.
type cancelWhenEncoded struct{ cancel func() }

func (c cancelWhenEncoded) MarshalJSON() ([]byte, error) {
	c.cancel()
	return []byte("1"), nil
}
