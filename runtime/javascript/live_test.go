package javascript_test

import (
	"context"
	"strings"
	"sync/atomic"
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
		const second = await answer();
		process.stdout.write('\u00e9');
		const third = await answer();
		process.stdout.write('c\nd');
		return [first, second, third, await answer()].join()`,
		javascript.RunOptions{Functions: []javascript.Function{answer}, Console: func(e sandbox.Entry) { seen <- e }})
	require.Equal(t, "WARN a,LOG b,LOG \u00e9,LOG c", result.Text)
	require.Equal(t, sandbox.Entry{Text: "d", Unfinished: true}, <-seen)
	require.Empty(t, seen)
	require.Equal(t, []sandbox.Entry{{Level: sandbox.LevelWarn, Text: "a"}, {Text: "b\u00e9c"},
		{Text: "d", Unfinished: true}},
		result.Console, "the result has whole lines")
}

// TestConsoleInPiecesIsWhatTheScriptHasWritten prints the entries as they come, however the lines are taken apart.
func TestConsoleInPiecesIsWhatTheScriptHasWritten(t *testing.T) {
	written := func(entries []sandbox.Entry) string {
		var b strings.Builder
		for _, e := range entries {
			if b.WriteString(e.Text); !e.Unfinished {
				b.WriteByte('\n')
			}
		}
		return b.String()
	}
	for name, test := range map[string]struct{ script, want string }{
		"dots": {`for (let i = 0; i < 1e4; i++) process.stdout.write('.')`,
			strings.Repeat(".", 1e4)},
		"lines in pieces": {`for (let i = 0; i < 3e3; i++) process.stdout.write(i % 3 ? 'a\u00e9' : '\nb')`,
			strings.Repeat("\nba\u00e9a\u00e9", 1e3)},
		"nothing": {`process.stdout.write('')`, ""},
		"a line that others end": {
			`process.stdout.write('a'); console.log('b'); process.stdout.write('c'); console.error('d')`, "ab\ncd\n",
		},
		"a line of another level": {`process.stdout.write('a'); process.stderr.write('b'); process.stdout.write('c\n')`,
			"abc\n"},
		"large pieces": {`for (let i = 0; i < 9; i++) process.stdout.write('x'.repeat(5e4))`,
			strings.Repeat("x", 45e4)},
	} {
		t.Run(name, func(t *testing.T) {
			var seen []sandbox.Entry // Run returns after the last call
			result := run(t, test.script, javascript.RunOptions{Console: func(e sandbox.Entry) {
				seen = append(seen, e)
			}})
			require.Equal(t, test.want, written(seen))
			require.Equal(t, test.want, written(result.Console))
		})
	}
}

// TestConsoleThatIsSlowGetsFewPieces: what waits for it is bounded by its text, however small the pieces were.
func TestConsoleThatIsSlowGetsFewPieces(t *testing.T) {
	written := make(chan struct{})
	var seen []sandbox.Entry
	options := javascript.RunOptions{
		Functions: []javascript.Function{{Name: "written", Call: func(context.Context, []any) (any, error) {
			close(written)
			return nil, nil
		}}},
		Console: func(e sandbox.Entry) { <-written; seen = append(seen, e) },
	}
	run(t, `for (let i = 0; i < 1e5; i++) process.stdout.write('.'); written()`, options)
	require.LessOrEqual(t, len(seen), 2)
}

func TestConsoleGetsAllEntriesInOrder(t *testing.T) {
	t.Parallel()
	var seen []sandbox.Entry // Run returns after the last call
	result := run(t, `for (let i = 0; i < 1e5; i++) console.log(i); console.error('end')`,
		javascript.RunOptions{Console: func(e sandbox.Entry) { seen = append(seen, e) },
			Limits: sandbox.Limits{Output: 1 << 16}})
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
			for limit := 50 * time.Millisecond; ; limit *= 2 {
				var calls atomic.Int32
				options := javascript.RunOptions{
					Limits:  sandbox.Limits{Time: limit},
					Console: func(sandbox.Entry) { calls.Add(1); test.show() },
				}
				result, err := tryRun(t, `console.log(1); console.log(2);`+test.script, options)
				if (len(result.Console) < 2 || calls.Load() == 0) && endedAs(err) == byTime && limit < time.Minute {
					continue // the time was up before the script had printed
				}
				require.Equal(t, test.ended, endedAs(err))
				require.Len(t, result.Console, 2)
				require.EqualValues(t, 1, calls.Load())
				return
			}
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
