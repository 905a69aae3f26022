package javascript

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	sandbox "github.com/toolrun/toolrun/runtime"
)

// TestBuiltinsAreKept runs scripts that use modules of Node. Every run must see the same, whether the modules come with
// the image from which it starts, or are loaded while it runs.
func TestBuiltinsAreKept(t *testing.T) {
	engine := cachedEngine(t, sandbox.EngineOptions{})
	for _, test := range []struct {
		name, script, want string
		images             int // that are kept after this one and those before
	}{
		{"none", `return 1`, "1", 0},
		{"one", `return new (require('events'))().eventNames().length`, "0", 1},
		{"the same, by another name", `const {once} = require("node:events"); return typeof once`, "function", 1},
		{
			"the same, imported",
			`import EventEmitter, {once} from 'node:events'; export default EventEmitter.once === once`,
			"true",
			1,
		},
		{"the same, hidden", `return require('ev' + 'ents') === require('node:' + 'events')`, "true", 1},
		{
			"one that is changed",
			`const E = require('events'); const was = 'seen' in E.prototype; E.prototype.seen = true; return was`,
			"false",
			1,
		},
		{"one that is not there", `try { require('nothing') } catch (e) { return e.code }`, "MODULE_NOT_FOUND", 1},
		{"one for other modules only", `try { require('internal/errors') } catch (e) { return e.code }`,
			"MODULE_NOT_FOUND", 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			for range 3 {
				result, err := engine.Run(t.Context(), test.script, &RunOptions{})
				require.NoError(t, err)
				require.Equal(t, test.want, result.Text)
				require.Equal(t, test.images, engine.engine.Stats().Images)
			}
		})
	}
}

// TestBuiltinsNeedMemory runs a script under the smallest memory limit there is.
func TestBuiltinsNeedMemory(t *testing.T) {
	engine := cachedEngine(t, sandbox.EngineOptions{})
	for range 2 {
		result, err := engine.Run(t.Context(), `return typeof require('events')`,
			&RunOptions{Limits: sandbox.Limits{Memory: sandbox.MinMemory}})
		require.NoError(t, err)
		require.Equal(t, "function", result.Text)
	}
}

// TestEveryBuiltinIsKept: no module looks at the clock, or at anything else that differs in another run, while it is
// loaded. Every run would have to load it again.
func TestEveryBuiltinIsKept(t *testing.T) {
	engine := cachedEngine(t, sandbox.EngineOptions{})
	var script strings.Builder
	for _, name := range features.ModuleNames() {
		if !strings.HasPrefix(name, "internal/") {
			fmt.Fprintf(&script, "require('node:%s');", name) // test is there by this name only
		}
	}
	_, err := engine.Run(t.Context(), script.String(), &RunOptions{})
	require.NoError(t, err)
	require.Equal(t, 1, engine.engine.Stats().Images)
}
