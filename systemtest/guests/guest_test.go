//go:build systemtest

package guests

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/test/guesttest"
	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/runtime/javascript"
)

// goGuest is the program in testdata/guest.
var goGuest = sync.OnceValues(func() (sandbox.Guest, error) {
	module, err := buildGo("./testdata/guest")
	guest := guesttest.Guest("test guest", module)
	guest.Call = func(_ *sandbox.Instance, number uint32) uint64 {
		if number == 6000 {
			panic(&sandbox.Stop{Err: errors.New("called to stop")})
		}
		return uint64(number) + 1
	}
	return guest, err
})

func loadGoGuest(t testing.TB, options sandbox.EngineOptions) (*sandbox.Engine, *sandbox.Program) {
	engine := newEngine(t, options)
	guest, err := goGuest()
	require.NoError(t, err)
	program, err := engine.Load(t.Context(), guest)
	require.NoError(t, err)
	return engine, program
}

// TestAnyGuest runs a program that knows nothing of this package, within the same limits as a language.
func TestAnyGuest(t *testing.T) {
	_, program := loadGoGuest(t, sandbox.EngineOptions{})
	run := func(limits sandbox.Limits, args ...string) (guesttest.Ran, error) {
		if limits.Time == 0 {
			limits.Time = 30 * time.Second
		}
		return guesttest.Run(t.Context(), program, sandbox.RunOptions{Limits: limits, Args: append([]string{"guest"},
			args...)})
	}
	wantLimit := func(t *testing.T, err error, limit sandbox.Limit) {
		t.Helper()
		reached, ok := errors.AsType[*sandbox.LimitError](err)
		require.True(t, ok, "%v", err)
		require.Equal(t, limit, reached.Limit)
		require.True(t, sandbox.IsGuestFailure(err))
	}
	t.Run("has arguments, an environment, and standard streams", func(t *testing.T) {
		for range 2 {
			out, err := guesttest.Run(t.Context(), program, sandbox.RunOptions{
				Args: []string{"guest", "echo", "a b"}, Env: []string{"GREETING=hello"}, Stdin: []byte("one\ntwo"),
			})
			require.NoError(t, err)
			var lines []string
			for _, entry := range out.Console {
				lines = append(lines, fmt.Sprint(entry.Level, " ", entry.Text))
			}
			require.Equal(t, "LOG guest, LOG echo, LOG a b, LOG hello, LOG 1, ERROR one, ERROR two", strings.Join(lines,
				", "))
			require.Positive(t, out.Usage.Work)
			require.Positive(t, out.Usage.Memory)
		}
	})
	t.Run("reads what comes bit by bit", func(t *testing.T) {
		input := iotest.OneByteReader(iotest.DataErrReader(strings.NewReader(" and two\nthree")))
		out, err := guesttest.Run(t.Context(), program, sandbox.RunOptions{
			Args: []string{"guest", "echo"}, Stdin: []byte("one"), StdinFrom: input,
		})
		require.NoError(t, err)
		end := out.Console[len(out.Console)-2:]
		require.Equal(t, []string{"one and two", "three"}, []string{end[0].Text, end[1].Text})
		never, _ := io.Pipe()
		_, err = guesttest.Run(t.Context(), program, sandbox.RunOptions{
			Args: []string{"guest", "echo"}, StdinFrom: never, Limits: sandbox.Limits{Time: 30 * time.Millisecond},
		})
		wantLimit(t, err, sandbox.LimitTime)
	})
	t.Run("ends with a status", func(t *testing.T) {
		_, err := run(sandbox.Limits{}, "exit")
		exit, ok := errors.AsType[*sandbox.ExitError](err)
		require.True(t, ok, "%v", err)
		require.Equal(t, 3, exit.Code)
		require.True(t, sandbox.IsGuestFailure(err))
	})
	t.Run("fails by itself", func(t *testing.T) {
		out, err := run(sandbox.Limits{}, "panic")
		require.True(t, sandbox.IsGuestFailure(err), "%v", err)
		require.Contains(t, out.Console[0].Text, "panic: on purpose")
	})
	t.Run("is stopped when its time is up", func(t *testing.T) {
		for _, what := range []string{"loop", "recurse", "flood", "sleep"} {
			_, err := run(sandbox.Limits{Time: 30 * time.Millisecond}, what)
			wantLimit(t, err, sandbox.LimitTime)
			require.ErrorIs(t, err, context.DeadlineExceeded)
		}
	})
	t.Run("is stopped when its work is done", func(t *testing.T) {
		for _, what := range []string{"loop", "recurse", "flood"} {
			out, err := run(sandbox.Limits{Work: 1_000_000}, what)
			wantLimit(t, err, sandbox.LimitWork)
			require.GreaterOrEqual(t, out.Usage.Work, int64(1_000_000))
		}
	})
	t.Run("has no more memory than it may", func(t *testing.T) {
		out, err := run(sandbox.Limits{Memory: 32 << 20}, "grow")
		wantLimit(t, err, sandbox.LimitMemory)
		require.LessOrEqual(t, out.Usage.Memory, int64(32<<20))
	})
	t.Run("prints no more than it may", func(t *testing.T) {
		out, err := run(sandbox.Limits{Output: 1 << 10, Work: 10_000_000}, "flood")
		wantLimit(t, err, sandbox.LimitWork)
		size := 0
		for _, entry := range out.Console {
			size += len(entry.Text)
		}
		require.LessOrEqual(t, size, 1<<10)
		require.Positive(t, out.Truncated)
	})
	t.Run("has a result beside the console", func(t *testing.T) {
		stdout := &sandbox.Stream{}
		out, err := guesttest.Run(t.Context(), program, sandbox.RunOptions{
			Args: []string{"guest", "echo", "a b"}, Stdin: []byte("to stderr"), Stdout: stdout,
		})
		require.NoError(t, err)
		require.True(t, strings.HasPrefix(string(stdout.Data), "guest\necho\na b\n"), "%q", stdout.Data)
		require.Zero(t, stdout.Cut)
		require.Len(t, out.Console, 1)
		require.Equal(t, "to stderr", out.Console[0].Text)

		stdout = &sandbox.Stream{}
		out, err = guesttest.Run(t.Context(), program, sandbox.RunOptions{
			Args: []string{"guest", "flood"}, Stdout: stdout, Limits: sandbox.Limits{Output: 1 << 10, Work: 10_000_000},
		})
		wantLimit(t, err, sandbox.LimitWork)
		require.Len(t, stdout.Data, 1<<10)
		require.Positive(t, stdout.Cut)
		require.Equal(t, stdout.Cut, out.Truncated)
	})
	t.Run("has no files", func(t *testing.T) {
		out, err := run(sandbox.Limits{}, "open")
		require.NoError(t, err)
		require.Contains(t, out.Console[0].Text, "/etc/passwd: ")
	})
	t.Run("calls its driver", func(t *testing.T) {
		out, err := run(sandbox.Limits{}, "call")
		require.EqualError(t, err, "called to stop")
		var lines []string
		for _, entry := range out.Console {
			lines = append(lines, entry.Text)
		}
		require.Equal(t, []string{"0 1000", "28 0", "0 4097", "0 5001"}, lines,
			"the first two have no driver to answer")
	})
	t.Run("is stopped by its caller", func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		defer cancel()
		_, err := guesttest.Run(ctx, program, sandbox.RunOptions{Args: []string{"guest", "loop"}})
		stopped, ok := errors.AsType[*sandbox.StoppedError](err)
		require.True(t, ok, "%v", err)
		require.ErrorIs(t, stopped, context.DeadlineExceeded)
		require.False(t, sandbox.IsGuestFailure(err))
	})
}

// TestGuestsShareAnEngine has one place for two guests.
func TestGuestsShareAnEngine(t *testing.T) {
	engine, program := loadGoGuest(t, sandbox.EngineOptions{MaxRuns: 1})
	scripts, err := javascript.New(t.Context(), engine)
	require.NoError(t, err)
	again, err := javascript.New(t.Context(), engine)
	require.NoError(t, err)
	require.Equal(t, scripts, again, "what is loaded is not loaded again")

	held, err := program.Begin(t.Context(), sandbox.RunOptions{})
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = scripts.Run(ctx, `return 1`, nil)
	limit, ok := errors.AsType[*sandbox.LimitError](err)
	require.True(t, ok, "%v", err)
	require.Equal(t, sandbox.LimitRuns, limit.Limit)
	held.End()
	result, err := scripts.Run(t.Context(), `return 6 * 7`, nil)
	require.NoError(t, err)
	require.Equal(t, "42", result.Text)
	out, err := guesttest.Run(t.Context(), program, sandbox.RunOptions{Args: []string{"guest", "echo"}})
	require.NoError(t, err)
	require.NotEmpty(t, out.Console)
	require.NoError(t, engine.Close(t.Context()))
	_, err = program.Begin(t.Context(), sandbox.RunOptions{})
	require.ErrorIs(t, err, sandbox.ErrClosed)
	_, err = engine.Load(t.Context(), sandbox.Guest{})
	require.ErrorIs(t, err, sandbox.ErrClosed)
}
