package javascript_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/runtime/javascript"
)

// TestConsoleAppearsWhileTheScriptRuns has scripts that wait for what the host does when it sees their output.
func TestConsoleAppearsWhileTheScriptRuns(t *testing.T) {
	seen := make(chan sandbox.Entry, 10)
	answer := javascript.Function{Name: "answer", Async: true, Call: func(ctx context.Context, _ []any) (any, error) {
		select {
		case e := <-seen:
			return e.Level.String() + " " + e.Text, nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}}
	result := run(t, `
		console.warn('a');
		const first = await answer();
		process.stdout.write('b');
		process.stdout.write('c\nd');
		return [first, await answer()].join()`,
		javascript.RunOptions{Functions: []javascript.Function{answer}, Console: func(e sandbox.Entry) { seen <- e }})
	require.Equal(t, "WARN a,LOG bc", result.Text)
	require.Equal(t, sandbox.Entry{Text: "d"}, <-seen, "an unfinished line appears at the end")
	require.Empty(t, seen)
}

func TestConsoleGetsAllEntriesInOrder(t *testing.T) {
	var seen []sandbox.Entry // Run returns after the last call
	result := run(t, `for (let i = 0; i < 1e5; i++) console.log(i); console.error('end')`,
		javascript.RunOptions{Console: func(e sandbox.Entry) { seen = append(seen, e) }, Limits: sandbox.Limits{Output: 1 << 16}})
	require.Positive(t, result.Truncated, "the output limit bounds a flood")
	require.Equal(t, result.Console, seen)
}

// TestConsoleThatDoesNotReturn has functions that hang, panic or end their goroutine. The run ends in time all the
// same, and its result has the whole console.
func TestConsoleThatDoesNotReturn(t *testing.T) {
	release := make(chan struct{})
	t.Cleanup(func() { close(release) })
	for name, test := range map[string]struct {
		show   func()
		script string
		ended  string
	}{
		"hangs, and the script goes on for ever": {func() { <-release }, `for (;;);`, byTime},
		"hangs, and the script returns":          {func() { <-release }, `return`, "success"},
		"panics":                                 {func() { panic("broken pipe") }, `return`, "success"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var mu sync.Mutex
			calls := 0
			options := javascript.RunOptions{
				Limits: sandbox.Limits{Time: 300 * time.Millisecond},
				Console: func(sandbox.Entry) {
					mu.Lock()
					calls++
					mu.Unlock()
					test.show()
				},
			}
			result, err := tryRun(t, `console.log(1); console.log(2);`+test.script, options)
			require.Equal(t, test.ended, endedAs(err))
			require.Len(t, result.Console, 2)
			mu.Lock()
			defer mu.Unlock()
			require.Equal(t, 1, calls)
		})
	}
}

// TestConsoleOfAStoppedScript loses nothing of what a script has printed before it was stopped.
func TestConsoleOfAStoppedScript(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var seen []string
	options := &javascript.RunOptions{Console: func(e sandbox.Entry) {
		if seen = append(seen, e.Text); e.Text == "2" {
			cancel()
		}
	}}
	result, err := engine.Run(ctx, `console.log(1); process.stdout.write('2\n3'); for (;;);`, options)
	require.ErrorIs(t, err, context.Canceled)
	require.Equal(t, []string{"1", "2", "3"}, seen)
	require.Len(t, result.Console, 3)
}
