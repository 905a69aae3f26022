package javascript

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/test/leakcheck"
	sandbox "github.com/toolrun/toolrun/runtime"
)

// runAnything runs scripts of all kinds until it has run some, in an engine that may be closed meanwhile: with
// libraries that push each other out, globals that find room or not, and callers that give up.
func runAnything(t *testing.T, engine *testEngine, random *rand.Rand, release <-chan struct{}) {
	for range 12 {
		options := leftOverOptions(release)
		script := leftOvers[random.IntN(len(leftOvers))].script
		if random.IntN(2) == 0 {
			library := fmt.Sprintf(`var who = %d, bytes = new Uint8Array(%d)`, random.IntN(4), 100_000*random.IntN(30))
			options.Files, options.Libraries = libraryFiles(t, map[string]string{"/lib/a.js": library}),
				[]string{"/lib"}
		}
		if random.IntN(8) == 0 {
			options.Limits.Memory = sandbox.MinMemory
			options.Globals = map[string]any{"bytes": make([]byte, random.IntN(4<<20))}
		}
		ctx, cancel := context.Background(), func() {}
		if random.IntN(8) == 0 {
			ctx, cancel = context.WithTimeout(ctx, time.Duration(random.IntN(3000))*time.Microsecond)
		}
		_, err := engine.Run(ctx, script, options)
		cancel()
		if err != nil && !IsScriptFailure(err) && !errors.Is(err, sandbox.ErrClosed) &&
			!errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
	}
}

// TestEnginesLeaveNothing closes engines after many runs, or in the middle of them.
func TestEnginesLeaveNothing(t *testing.T) {
	round := func(seed uint64) {
		engine, err := newTestEngine(sandbox.EngineOptions{MaxRuns: 6, MaxIdle: 3, ImageMemory: 5 << 20})
		require.NoError(t, err)
		release := make(chan struct{})
		var runs sync.WaitGroup
		for worker := range uint64(8) {
			runs.Go(func() { runAnything(t, engine, rand.New(rand.NewPCG(seed, worker)), release) })
		}
		if seed%2 == 1 {
			runs.Wait()
		}
		require.NoError(t, engine.Close(context.Background()))
		runs.Wait()
		close(release)
	}
	round(1)
	before := leakcheck.Take()
	round(0)
	before.Require(t, leakcheck.Growth{Mappings: 50})
}
