package runtime_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/enginetest"
	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/runtime/javascript"
)

// command drives a WASI command, which needs nothing but to be called.
type command struct{ in *sandbox.Instance }

func (command) Start() error     { return nil }
func (command) State() any       { return nil }
func (command) Resume(any) error { return nil }
func (command) Idle() bool       { return false } // Go programs grow their memory

// goGuest is the program in testdata/guest, compiled to WebAssembly.
var goGuest = sync.OnceValues(func() (guest sandbox.Guest, err error) {
	dir, err := os.MkdirTemp("", "toolrun-guest")
	if err != nil {
		return guest, err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "guest.wasm")
	build := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", file, "./testdata/guest")
	build.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "CGO_ENABLED=0", "GOFLAGS=")
	if out, err := build.CombinedOutput(); err != nil {
		return guest, fmt.Errorf("%w: %s", err, out)
	}
	module, err := os.ReadFile(file)
	return sandbox.Guest{
		Name:        "test guest",
		Module:      func() ([]byte, error) { return sandbox.Meter(module) },
		Digest:      sha256.Sum256(module),
		New:         func(in *sandbox.Instance) (sandbox.Driver, error) { return command{in}, nil },
		DecodeState: func([]byte) (any, error) { return nil, nil },
		Call: func(_ *sandbox.Instance, number uint32) uint64 {
			if number == 6000 {
				panic(&sandbox.Stop{Err: errors.New("called to stop")})
			}
			return uint64(number) + 1
		},
	}, err
})

func loadGoGuest(t testing.TB, options sandbox.EngineOptions) (*sandbox.Engine, *sandbox.Program) {
	options.CacheDir = enginetest.CacheDir()
	engine, err := sandbox.New(&options)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, engine.Close(context.Background())) })
	guest, err := goGuest()
	require.NoError(t, err)
	program, err := engine.Load(t.Context(), guest)
	require.NoError(t, err)
	return engine, program
}

// ran is what is left of a run of a command.
type ran struct {
	console   []sandbox.Entry
	truncated int64
	usage     sandbox.Usage
}

// runCommand runs a command. Its exit with status 0 is no error.
func runCommand(ctx context.Context, program *sandbox.Program, options sandbox.RunOptions) (ran, error) {
	r, err := program.Begin(ctx, options)
	if err != nil {
		return ran{}, err
	}
	defer r.End()
	in, err := r.Start(nil)
	if err != nil {
		return ran{}, err
	}
	in.Untrusted()
	_, err = in.Module().ExportedFunction("_start").Call(in.Context())
	err = in.Reason(err)
	if exit, ok := errors.AsType[*sandbox.ExitError](err); ok && exit.Code == 0 {
		err = nil
	}
	out := ran{usage: r.Usage()}
	out.console, out.truncated = r.Output().End()
	return out, err
}

// TestAnyGuest runs a program that knows nothing of this package, within the same limits as a language.
func TestAnyGuest(t *testing.T) {
	_, program := loadGoGuest(t, sandbox.EngineOptions{})
	run := func(limits sandbox.Limits, args ...string) (ran, error) {
		if limits.Time == 0 {
			limits.Time = 30 * time.Second
		}
		return runCommand(t.Context(), program, sandbox.RunOptions{Limits: limits, Args: append([]string{"guest"},
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
			out, err := runCommand(t.Context(), program, sandbox.RunOptions{
				Args: []string{"guest", "echo", "a b"}, Env: []string{"GREETING=hello"}, Stdin: []byte("one\ntwo"),
			})
			require.NoError(t, err)
			var lines []string
			for _, entry := range out.console {
				lines = append(lines, fmt.Sprint(entry.Level, " ", entry.Text))
			}
			require.Equal(t, "LOG guest, LOG echo, LOG a b, LOG hello, LOG 1, ERROR one, ERROR two", strings.Join(lines,
				", "))
			require.Positive(t, out.usage.Work)
			require.Positive(t, out.usage.Memory)
		}
	})
	t.Run("reads what comes bit by bit", func(t *testing.T) {
		input := iotest.OneByteReader(iotest.DataErrReader(strings.NewReader(" and two\nthree")))
		out, err := runCommand(t.Context(), program, sandbox.RunOptions{
			Args: []string{"guest", "echo"}, Stdin: []byte("one"), StdinFrom: input,
		})
		require.NoError(t, err)
		end := out.console[len(out.console)-2:]
		require.Equal(t, []string{"one and two", "three"}, []string{end[0].Text, end[1].Text})
		never, _ := io.Pipe()
		_, err = runCommand(t.Context(), program, sandbox.RunOptions{
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
		require.Contains(t, out.console[0].Text, "panic: on purpose")
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
			require.GreaterOrEqual(t, out.usage.Work, int64(1_000_000))
		}
	})
	t.Run("has no more memory than it may", func(t *testing.T) {
		out, err := run(sandbox.Limits{Memory: 32 << 20}, "grow")
		wantLimit(t, err, sandbox.LimitMemory)
		require.LessOrEqual(t, out.usage.Memory, int64(32<<20))
	})
	t.Run("prints no more than it may", func(t *testing.T) {
		out, err := run(sandbox.Limits{Output: 1 << 10, Work: 10_000_000}, "flood")
		wantLimit(t, err, sandbox.LimitWork)
		size := 0
		for _, entry := range out.console {
			size += len(entry.Text)
		}
		require.LessOrEqual(t, size, 1<<10)
		require.Positive(t, out.truncated)
	})
	t.Run("has a result beside the console", func(t *testing.T) {
		stdout := &sandbox.Stream{}
		out, err := runCommand(t.Context(), program, sandbox.RunOptions{
			Args: []string{"guest", "echo", "a b"}, Stdin: []byte("to stderr"), Stdout: stdout,
		})
		require.NoError(t, err)
		require.True(t, strings.HasPrefix(string(stdout.Data), "guest\necho\na b\n"), "%q", stdout.Data)
		require.Zero(t, stdout.Cut)
		require.Len(t, out.console, 1)
		require.Equal(t, "to stderr", out.console[0].Text)

		stdout = &sandbox.Stream{}
		out, err = runCommand(t.Context(), program, sandbox.RunOptions{
			Args: []string{"guest", "flood"}, Stdout: stdout, Limits: sandbox.Limits{Output: 1 << 10, Work: 10_000_000},
		})
		wantLimit(t, err, sandbox.LimitWork)
		require.Len(t, stdout.Data, 1<<10)
		require.Positive(t, stdout.Cut)
		require.Equal(t, stdout.Cut, out.truncated)
	})
	t.Run("has no files", func(t *testing.T) {
		out, err := run(sandbox.Limits{}, "open")
		require.NoError(t, err)
		require.Contains(t, out.console[0].Text, "/etc/passwd: ")
	})
	t.Run("calls its driver", func(t *testing.T) {
		out, err := run(sandbox.Limits{}, "call")
		require.EqualError(t, err, "called to stop")
		var lines []string
		for _, entry := range out.console {
			lines = append(lines, entry.Text)
		}
		require.Equal(t, []string{"0 1000", "28 0", "0 4097", "0 5001"}, lines,
			"the first two have no driver to answer")
	})
	t.Run("is stopped by its caller", func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		defer cancel()
		_, err := runCommand(ctx, program, sandbox.RunOptions{Args: []string{"guest", "loop"}})
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
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	_, err = scripts.Run(ctx, `return 1`, nil)
	limit, ok := errors.AsType[*sandbox.LimitError](err)
	require.True(t, ok, "%v", err)
	require.Equal(t, sandbox.LimitRuns, limit.Limit)
	held.End()
	result, err := scripts.Run(t.Context(), `return 6 * 7`, nil)
	require.NoError(t, err)
	require.Equal(t, "42", result.Text)
	out, err := runCommand(t.Context(), program, sandbox.RunOptions{Args: []string{"guest", "echo"}})
	require.NoError(t, err)
	require.NotEmpty(t, out.console)
	require.NoError(t, engine.Close(t.Context()))
	_, err = program.Begin(t.Context(), sandbox.RunOptions{})
	require.ErrorIs(t, err, sandbox.ErrClosed)
	_, err = engine.Load(t.Context(), sandbox.Guest{})
	require.ErrorIs(t, err, sandbox.ErrClosed)
}
