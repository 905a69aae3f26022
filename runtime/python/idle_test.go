package python_test

import (
	"context"
	"flag"
	"fmt"
	"runtime/debug"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/procmem"
	"github.com/toolrun/toolrun/internal/test/enginetest"
	"github.com/toolrun/toolrun/internal/test/race"
	"github.com/toolrun/toolrun/internal/wasm/metering"
	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/runtime/python"
)

var soak = flag.Bool("soak", false, "run the long versions of tests")

// mostIdle is how much memory a sandbox may take beside the image, in bytes, while it waits or is not used: 2 MiB, of
// which the compiler's runtime needs 40 bytes for each function in the module's tables, in a build with 6,000 of them.
func mostIdle(t *testing.T) int64 {
	info, err := metering.Inspect(module)
	require.NoError(t, err)
	const each = 40
	return 2<<20 + each*(int64(info.Elements)-6000)
}

// TestManyAtOnce has many runs at once in one process, all in the middle of their code. It measures what their
// sandboxes take while they wait, and when they are idle afterwards.
func TestManyAtOnce(t *testing.T) {
	needPython(t)
	n := 24
	if *soak {
		n = 200
	}
	most := mostIdle(t)
	engine, err := sandbox.New(&sandbox.EngineOptions{CacheDir: enginetest.CacheDir(), MaxRuns: n, MaxIdle: n})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, engine.Close(context.Background())) })
	interpreter, err := python.New(t.Context(), engine, python.FromBytes(module))
	require.NoError(t, err)

	many := func(first string, during func()) {
		var arrived, ended sync.WaitGroup
		arrived.Add(n)
		goOn := make(chan struct{})
		wait := python.Function{Name: "wait", Call: func(ctx context.Context, args []any, _ map[string]any) (any,
			error) {
			arrived.Done()
			<-goOn
			return args[0], nil
		}}
		for i := range n {
			ended.Go(func() {
				code := first + fmt.Sprintf("\nimport json\nkept = json.dumps([%d, 'some "+
					"text'])\nprint(kept)\n[wait(%[1]d), kept]", i)
				result, err := interpreter.Run(t.Context(), code,
					&python.RunOptions{Functions: []python.Function{wait}})
				if err != nil || result.Text != fmt.Sprintf("[%d, '[%[1]d, \"some text\"]']", i) {
					t.Errorf("run %d: %q, %v", i, result.Text, err)
				}
			})
		}
		arrived.Wait()
		during()
		close(goOn)
		ended.Wait()
	}
	measure := func(what string, before int64) {
		debug.FreeOSMemory()
		now := procmem.Proportional()
		each := (now - before) / int64(n)
		t.Logf("%s: %d KiB each", what, each>>10)
		if before > 0 && !race.Enabled {
			require.Less(t, each, most, what)
		}
	}
	run := func() int64 { // one at a time, so that what is measured has all that is not a sandbox
		_, err := interpreter.Run(t.Context(), "import json\njson.dumps(1)", nil)
		require.NoError(t, err)
		debug.FreeOSMemory()
		return procmem.Proportional()
	}
	before := run()
	many("", func() { measure("waiting", before) })
	require.Equal(t, n, engine.Stats().Idle)
	measure("idle", before)
	for _, pages := range []int{150, 600} {
		many(fmt.Sprintf("kept = [' ' * (4000 + (i & 31)) for i in range(%d)]", pages), func() {})
		measure(fmt.Sprintf("idle after %d pages", pages), before)
	}
}
