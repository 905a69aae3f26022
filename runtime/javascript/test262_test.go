package javascript_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/test/test262"
	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/runtime/javascript"
)

// test262Time is how long a case may take. It is more than the default limit, so that a machine that is busy does not
// matter.
const test262Time = 10 * time.Minute

// runTest262 runs a case in a sandbox with the default limits, but for the time, and says why it has failed.
func runTest262(ctx context.Context, suite *test262.Suite, c test262.Case) error {
	input, err := suite.Input(c)
	if err != nil {
		return err
	}
	var mu sync.Mutex
	var events []string
	emit := func(_ context.Context, args []any) (any, error) {
		mu.Lock()
		defer mu.Unlock()
		events = append(events, args[0].(string))
		return nil, nil
	}
	files, err := test262Files(suite.Folder(c.Test))
	if err != nil {
		return err
	}
	options := javascript.WithEngineModules(javascript.RunOptions{
		Files:     files,
		Limits:    sandbox.Limits{Time: test262Time},
		Functions: []javascript.Function{{Name: "test262.emit", Call: emit}},
		Globals: map[string]any{"test262.harness": input.Harness, "test262.script": input.Script,
			"test262.module": input.Module},
	})
	_, err = engine.Run(ctx, test262.Driver, &options)
	mu.Lock()
	defer mu.Unlock()
	return c.Judge(events, err)
}

// test262Files returns a folder's files, which are ES modules if nothing in them says what they are.
func test262Files(folder string) (afero.Fs, error) {
	manifest := afero.NewMemMapFs()
	if err := afero.WriteFile(manifest, "/package.json", []byte(`{"type": "module"}`), 0o600); err != nil {
		return nil, err
	}
	return afero.NewCopyOnWriteFs(afero.NewReadOnlyFs(afero.NewBasePathFs(afero.NewOsFs(), folder)), manifest), nil
}

// test262Own has what must come of our own tests, which show what the runner makes of each flag: a part of what is
// said of a failure, or "" for those that pass. Those that are not listed must be skipped.
var test262Own = map[string]string{
	"assertion-fails.js sloppy":      "Test262Error:  Infinity instead of -Infinity",
	"assertion-fails.js strict":      "Test262Error:  Infinity instead of -Infinity",
	"async-fails.js sloppy":          "Test262:AsyncTestFailure:Test262Error: rejected",
	"async-fails.js strict":          "Test262:AsyncTestFailure:Test262Error: rejected",
	"async-never.js sloppy":          "$DONE was not called",
	"async-never.js strict":          "$DONE was not called",
	"async-throws.js sloppy":         "Test262Error: thrown after the end",
	"async-throws.js strict":         "Test262Error: thrown after the end",
	"async.js sloppy":                "",
	"async.js strict":                "",
	"harness-fails.js sloppy":        "broken TypeError TypeError: thrown by the harness",
	"harness-fails.js strict":        "broken TypeError TypeError: thrown by the harness",
	"harness-missing.js sloppy":      "no-such-file.js",
	"harness-missing.js strict":      "no-such-file.js",
	"host.js sloppy":                 "",
	"host.js strict":                 "",
	"import.js sloppy":               "",
	"import.js strict":               "",
	"includes.js sloppy":             "",
	"includes.js strict":             "",
	"memory.js sloppy":               "memory",
	"modes.js sloppy":                "",
	"modes.js strict":                "",
	"module-fails.js module":         "Test262Error:  5 instead of 6",
	"module-parse.js module":         "",
	"module-resolution.js module":    "",
	"module.js module":               "",
	"negative-not-thrown.js sloppy":  "no TypeError was thrown",
	"negative-not-thrown.js strict":  "no TypeError was thrown",
	"negative-other.js sloppy":       "instead of a TypeError: RangeError",
	"negative-other.js strict":       "instead of a TypeError: RangeError",
	"negative-parse-fails.js sloppy": "instead of a SyntaxError: string this must not be run",
	"negative-parse-fails.js strict": "instead of a SyntaxError: string this must not be run",
	"negative-parse.js sloppy":       "",
	"negative-parse.js strict":       "",
	"negative-runtime.js sloppy":     "",
	"negative-runtime.js strict":     "",
	"no-strict.js sloppy":            "",
	"only-strict.js strict":          "",
	"raw-negative.js sloppy":         "",
	"raw.js sloppy":                  "",
	"sloppy-fails.js sloppy":         "nothing was thrown",
	"sloppy-fails.js strict":         "",
	"tampering.js sloppy":            "string tampered",
	"tampering.js strict":            "string tampered",
	"unreadable-error.js sloppy":     "object ?",
	"unreadable-error.js strict":     "object ?",
}

var test262Skipped = []string{"skipped-agent.js", "skipped-blocking.js", "skipped-feature.js", "skipped-host.js"}

func openTest262Own(t *testing.T) (suite *test262.Suite, cases []test262.Case) {
	suite, err := test262.Open("../../testdata/test262/own")
	require.NoError(t, err)
	paths, err := suite.Paths()
	require.NoError(t, err)
	var skipped []string
	for _, path := range paths {
		test, err := suite.Load(path)
		require.NoError(t, err)
		if test.Skip() != "" {
			skipped = append(skipped, path)
		} else {
			cases = append(cases, test.Cases()...)
		}
	}
	require.Equal(t, test262Skipped, skipped)
	require.Len(t, cases, len(test262Own))
	return suite, cases
}

// checkTest262Own compares the outcome of one of our own cases.
func checkTest262Own(t *testing.T, c test262.Case, err error) {
	want, known := test262Own[c.String()]
	require.True(t, known, c)
	if want == "" {
		require.NoError(t, err, c)
	} else {
		require.ErrorContains(t, err, want, c)
	}
}

func TestTest262Own(t *testing.T) {
	suite, cases := openTest262Own(t)
	for _, c := range cases {
		checkTest262Own(t, c, runTest262(t.Context(), suite, c))
	}
}
