package javascript_test

import (
	"context"
	"errors"
	"flag"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/test/enginetest"
	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/runtime/javascript"
)

// soak makes tests that look for slow leaks run for minutes instead of seconds.
var soak = flag.Bool("soak", false, "run the long versions of tests")

// engine is shared by all tests of the package, since starting one under the race detector is slow.
var engine *enginetest.Engine

func TestMain(m *testing.M) {
	flag.Parse()
	engine = enginetest.New(sandbox.EngineOptions{MaxRuns: 64})
	// what a process opens once must not count as a leak
	if _, err := engine.Run(context.Background(), "", nil); err != nil {
		panic(err)
	}
	code := m.Run()
	if err := engine.Close(context.Background()); err != nil {
		panic(err)
	}
	os.Exit(code)
}

// start starts an engine with JavaScript and closes it, unless that fails; do works with it in between.
func start(ctx context.Context, options *sandbox.EngineOptions, do func(*javascript.Interpreter)) error {
	engine, err := sandbox.New(options)
	if err != nil {
		return err
	}
	interpreter, err := javascript.New(ctx, engine)
	if err == nil && do != nil {
		do(interpreter)
	}
	return errors.Join(err, engine.Close(context.Background()))
}

// patience is the time limit of scripts that are expected to end by themselves, however busy the machine is.
const patience = 5 * time.Minute

// run runs a script that must succeed.
func run(t testing.TB, script string, options ...javascript.RunOptions) *javascript.Result {
	t.Helper()
	result, err := tryRun(t, script, options...)
	require.NoError(t, err)
	return result
}

func tryRun(t testing.TB, script string, options ...javascript.RunOptions) (*javascript.Result, error) {
	t.Helper()
	var o javascript.RunOptions
	if len(options) > 0 {
		o = options[0]
	}
	if o.Limits.Time == 0 {
		o.Limits.Time = patience
	}
	o = javascript.WithEngineModules(o) // more to attack than scripts have
	result, err := engine.Run(t.Context(), script, &o)
	require.NotNil(t, result)
	return result, err
}
