package runtime_test

import (
	"context"
	"flag"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/enginetest"
	sandbox "github.com/toolrun/toolrun/runtime"
)

// soak makes tests that look for slow leaks run for minutes instead of seconds.
var soak = flag.Bool("soak", false, "run the long versions of tests")

// engine is shared by all tests of the package, since starting one under the race detector is slow.
var engine *sandbox.Engine

func TestMain(m *testing.M) {
	flag.Parse()
	engine = enginetest.New(sandbox.EngineOptions{MaxRuns: 64})
	if _, err := engine.Run(context.Background(), "", nil); err != nil { // what a process opens once must not count as a leak
		panic(err)
	}
	code := m.Run()
	if err := engine.Close(context.Background()); err != nil {
		panic(err)
	}
	os.Exit(code)
}

// patience is the time limit of scripts that are expected to end by themselves.
const patience = 30 * time.Second

// run runs a script that must succeed.
func run(t testing.TB, script string, options ...sandbox.RunOptions) *sandbox.Result {
	t.Helper()
	result, err := tryRun(t, script, options...)
	require.NoError(t, err)
	return result
}

func tryRun(t testing.TB, script string, options ...sandbox.RunOptions) (*sandbox.Result, error) {
	t.Helper()
	var o sandbox.RunOptions
	if len(options) > 0 {
		o = options[0]
	}
	if o.Limits.Time == 0 {
		o.Limits.Time = patience
	}
	o = sandbox.WithEngineModules(o) // more to attack than scripts have
	result, err := engine.Run(t.Context(), script, &o)
	require.NotNil(t, result)
	return result, err
}
