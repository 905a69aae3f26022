package registry_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/vfs"
)

// A loading tool takes an hour to load, fails the first time, and then says how often it was loaded.
type loading struct {
	tool.Tool
	loads int
}

func (l *loading) Load(context.Context) error {
	time.Sleep(time.Hour)
	if l.loads++; l.loads == 1 {
		return errors.New("not yet")
	}
	return nil
}

func (l *loading) Execute(context.Context, tool.Call, tool.Env) (tool.Result, error) {
	time.Sleep(time.Second)
	return tool.Text(fmt.Sprintf("loaded %d times", l.loads)), nil
}

// TestLoading: a call's time is for its run. What does not run loads nothing.
func TestLoading(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRegistry(t, &loading{Tool: doing("x", nil, func(s *tool.Spec) {
			s.Timeout = 2 * time.Second
			s.Schema = []byte(`{"type":"object","properties":{"n":{"type":"number"}}}`)
		})})
		require.Equal(t, tool.CodeInvalidInput,
			r.Dispatch(t.Context(), call("x", `{"n":"one"}`), registry.Env{}).Code)
		for _, want := range []string{"loaded 1 times", "loaded 2 times"} {
			start := time.Now()
			require.Equal(t, want, r.Dispatch(t.Context(), call("x", ""), registry.Env{}).Text())
			require.Equal(t, time.Hour+time.Second, time.Since(start))
		}
	})
}

func TestTimeouts(t *testing.T) {
	// The fake clock advances when all goroutines wait.
	waits := func(ctx context.Context, _ tool.Call, env tool.Env) (tool.Result, error) {
		<-ctx.Done()
		return tool.Result{}, fmt.Errorf("%w: %w", ctx.Err(), context.Cause(ctx))
	}
	timeout := func(d time.Duration) func(*tool.Spec) { return func(s *tool.Spec) { s.Timeout = d } }
	for _, c := range []struct {
		why   string
		tool  tool.Tool
		env   registry.Env
		after time.Duration
		text  string
	}{
		{"the default", doing("x", waits), registry.Env{}, 10 * time.Second, "Tool execution timed out after 10000ms."},
		{"the tool's", doing("x", waits, timeout(3*time.Second)), registry.Env{}, 3 * time.Second,
			"Tool execution timed out after 3000ms."},
		{"the call's", doing("x", waits, timeout(3*time.Second)),
			registry.Env{Limits: registry.Limits{Timeout: time.Second}}, time.Second,
			"Tool execution timed out after 1000ms."},
		{"a tool that keeps the time", doing("x", func(ctx context.Context, _ tool.Call,
			env tool.Env) (tool.Result, error) {
			select {
			case <-time.After(env.Timeout):
				return tool.Failure(tool.CodeTimeout, "I have stopped."), nil
			case <-ctx.Done():
				return tool.Text("too late"), nil
			}
		}, func(s *tool.Spec) { s.KeepsTime, s.Timeout = true, 2*time.Second }), registry.Env{}, 2 * time.Second,
			"I have stopped."},
		{"a tool that keeps the time badly", doing("x", waits, func(s *tool.Spec) { s.KeepsTime = true }),
			registry.Env{}, 11 * time.Second, "Tool execution timed out after 10000ms."},
		{"a limit that is none", doing("x", func(context.Context, tool.Call, tool.Env) (tool.Result,
			error) {
			time.Sleep(time.Hour)
			return tool.Text("done"), nil
		}, func(s *tool.Spec) { s.KeepsTime = true }),
			registry.Env{Limits: registry.Limits{Timeout: math.MaxInt64}}, time.Hour, "done"},
		{"success at the last moment", doing("x", func(ctx context.Context, _ tool.Call,
			_ tool.Env) (tool.Result, error) {
			<-ctx.Done()
			return tool.Text("all is done"), nil
		}), registry.Env{}, 10 * time.Second, "all is done"},
		{"no limit", doing("x", func(ctx context.Context, _ tool.Call, env tool.Env) (tool.Result, error) {
			time.Sleep(time.Hour)
			return tool.Text(fmt.Sprint(env.Timeout)), ctx.Err()
		}, timeout(tool.NoTimeout)), registry.Env{}, time.Hour, "-1ns"},
		{"a tool that does not stop", doing("x", func(context.Context, tool.Call, tool.Env) (tool.Result,
			error) {
			time.Sleep(time.Hour)
			panic("nobody is there to see this")
		}), registry.Env{}, 10500 * time.Millisecond, "Tool execution timed out after 10000ms."},
	} {
		t.Run(c.why, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRegistry(t, c.tool)
				start := time.Now()
				result := r.Dispatch(t.Context(), call("x", ""), c.env)
				defer time.Sleep(2 * time.Hour) // for abandoned tools
				require.Equal(t, c.after, time.Since(start))
				require.Equal(t, c.text, result.Text())
				if strings.Contains(c.text, "timed out") {
					require.Equal(t, tool.CodeTimeout, result.Code)
					require.ErrorIs(t, result.Err, context.DeadlineExceeded)
					require.Equal(t, strings.Contains(c.why, "does not stop"),
						errors.Is(result.Err, registry.ErrAbandoned))
				}
			})
		})
	}
}

func TestAToolThatIsLeftBehindHasNothing(t *testing.T) {
	project := newProject(t)
	require.NoError(t, afero.WriteFile(project, "/file", []byte("1"), 0o600))
	synctest.Test(t, func(t *testing.T) {
		var reports atomic.Int32
		var errs [4]error
		left := make(chan struct{})
		r := newRegistry(t, doing("x", func(ctx context.Context, _ tool.Call, env tool.Env) (tool.Result,
			error) {
			defer close(left)
			f, err := env.Files.Create("/file")
			if err != nil {
				return tool.Result{}, err
			}
			env.Report("working", 1, 2)
			time.Sleep(time.Hour)
			env.Report("still working", 2, 2)
			_, errs[0] = f.WriteString("2")
			errs[1] = f.Close()
			errs[2] = afero.WriteFile(env.Files, "/other", nil, 0o600)
			_, errs[3] = env.Files.Stat("/file")
			return tool.Result{}, nil
		}))
		result := r.Dispatch(t.Context(), call("x", ""), registry.Env{Files: project,
			Progress: func(p tool.Progress) {
				require.Equal(t, tool.Progress{CallID: "call-1", Tool: "x", Message: "working", Done: 1,
					Total: 2}, p)
				reports.Add(1)
			}})
		require.ErrorIs(t, result.Err, registry.ErrAbandoned)
		<-left
		for _, err := range errs {
			require.ErrorIs(t, err, fs.ErrClosed)
		}
		require.EqualValues(t, 1, reports.Load())
		data, err := afero.ReadFile(project, "/file")
		require.NoError(t, err)
		require.Equal(t, "1", string(data))
	})
}

func TestCanceling(t *testing.T) {
	for _, honours := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			why := errors.New("the user has gone")
			r := newRegistry(t, doing("x", func(ctx context.Context, _ tool.Call, _ tool.Env) (tool.Result,
				error) {
				cancel(why)
				if !honours {
					time.Sleep(time.Minute)
				}
				<-ctx.Done()
				return tool.Result{}, context.Cause(ctx)
			}))
			result := r.Dispatch(ctx, call("x", ""), registry.Env{})
			require.Equal(t, tool.CodeCanceled, result.Code)
			require.Equal(t, "Tool execution was canceled.", result.Text())
			require.ErrorIs(t, result.Err, why)
			time.Sleep(time.Minute)

			deadline, stop := context.WithTimeout(t.Context(), time.Second)
			defer stop()
			result = newRegistry(t, doing("x", func(ctx context.Context, _ tool.Call,
				_ tool.Env) (tool.Result, error) {
				<-ctx.Done()
				return tool.Result{}, ctx.Err()
			})).Dispatch(deadline, call("x", ""), registry.Env{})
			require.Equal(t, tool.CodeTimeout, result.Code)
			require.ErrorIs(t, result.Err, context.DeadlineExceeded)
		})
	}
}

func TestWhatAToolSaysWhenItIsStopped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRegistry(t, doing("x", func(ctx context.Context, _ tool.Call, _ tool.Env) (tool.Result,
			error) {
			<-ctx.Done()
			return tool.Failure(tool.CodeTool, "Stopped; 17 files are done."), nil
		}))
		result := r.Dispatch(t.Context(), call("x", ""), registry.Env{})
		require.Equal(t, "Stopped; 17 files are done.", result.Text())
		require.Equal(t, tool.CodeTimeout, result.Code)
		require.ErrorIs(t, result.Err, context.DeadlineExceeded)
	})
}

func TestCanceledCallsAreNotExecuted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	executed := 0
	r := newRegistry(t, doing("x", func(context.Context, tool.Call, tool.Env) (tool.Result, error) {
		executed++
		cancel()
		return tool.Text("done"), nil
	}))
	results := r.DispatchAll(ctx, []tool.Call{call("x", ""), call("x", ""), call("y", "")}, registry.Env{})
	require.Equal(t, 1, executed)
	require.Equal(t, tool.CodeCanceled, results[1].Code)
	require.Equal(t, tool.CodeUnknownTool, results[2].Code)
}

func TestAToolThatWaitsForTheLockIsLeftBehind(t *testing.T) {
	for why, view := range map[string]func(vfs.Project) afero.Fs{
		"a project": func(p vfs.Project) afero.Fs { return p },
		"a view":    func(p vfs.Project) afero.Fs { return vfs.ReadOnly(p, "/memories") },
	} {
		t.Run(why, func(t *testing.T) {
			project := newProject(t)
			require.NoError(t, afero.WriteFile(project, "/old", nil, 0o600))
			left := make(chan error, 3)
			r := newRegistry(t, doing("x", func(_ context.Context, _ tool.Call, env tool.Env) (tool.Result,
				error) {
				left <- env.Files.Remove("/old")
				left <- afero.WriteFile(env.Files, "/new", nil, 0o600)
				_, err := env.Files.Stat("/old")
				left <- err
				return tool.Result{}, nil
			}))
			require.NoError(t, project.Exclusively(t.Context(), func(afero.Fs) error {
				result := r.Dispatch(t.Context(), call("x", ""), registry.Env{Files: view(project),
					Limits: registry.Limits{Timeout: 50 * time.Millisecond}})
				require.Equal(t, tool.CodeTimeout, result.Code)
				return nil
			}))
			for range 3 {
				require.ErrorIs(t, <-left, fs.ErrClosed)
			}
			_, err := project.Stat("/old")
			require.NoError(t, err)
		})
	}
}

func TestRetries(t *testing.T) {
	busy := errors.New("busy")
	for _, c := range []struct {
		why              string
		retries, failing int
		mark             func(error) error
		attempts         int
		text             string
	}{
		{"until it works", 3, 2, tool.Retryable, 3, "done"},
		{"not more often than it may be", 2, 5, tool.Retryable, 3, "Tool execution failed: busy"},
		{"not unless the tool says so", 3, 1, func(err error) error { return err }, 1, "Tool execution failed: busy"},
		{"never by default", 0, 1, tool.Retryable, 1, "Tool execution failed: busy"},
		{"marked inside of other errors", 1, 1, func(err error) error {
			return fmt.Errorf("x: %w", tool.Retryable(err))
		}, 2, "done"},
		{"an error for the model", 1, 5, func(err error) error {
			return tool.Retryable(tool.Errorf("Please wait: %w", err))
		}, 2, "Please wait: busy"},
	} {
		t.Run(c.why, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				attempts := 0
				r := newRegistry(t, doing("x", func(context.Context, tool.Call, tool.Env) (tool.Result,
					error) {
					if attempts++; attempts <= c.failing {
						return tool.Result{}, c.mark(busy)
					}
					return tool.Text("done"), nil
				}, func(s *tool.Spec) { s.Retries = c.retries }))
				result := r.Dispatch(t.Context(), call("x", ""), registry.Env{})
				require.Equal(t, c.text, result.Text())
				require.Equal(t, c.attempts, attempts)
				if result.IsError() {
					require.ErrorIs(t, result.Err, busy)
				}
			})
		})
	}
	require.NoError(t, tool.Retryable(nil))
	synctest.Test(t, func(t *testing.T) { // the timeout covers all attempts together
		r := newRegistry(t, doing("x", func(context.Context, tool.Call, tool.Env) (tool.Result, error) {
			return tool.Result{}, tool.Retryable(busy)
		}, func(s *tool.Spec) { s.Retries, s.Timeout = 1<<30, time.Minute }))
		start := time.Now()
		require.Equal(t, tool.CodeTimeout, r.Dispatch(t.Context(), call("x", ""), registry.Env{}).Code)
		require.Equal(t, time.Minute, time.Since(start))
	})
}

// TestFailuresOfStoppedTools checks that the cause is the same, whether the failure or the end of the context is
// noticed first.
func TestFailuresOfStoppedTools(t *testing.T) {
	for _, err := range []error{errors.New("the disk is broken"), tool.Errorf("there is no disk")} {
		for range 2000 {
			ctx, cancel := context.WithCancel(t.Context())
			r := newRegistry(t, doing("x", func(context.Context, tool.Call, tool.Env) (tool.Result, error) {
				cancel()
				return tool.Result{}, err
			}))
			require.Equal(t, tool.CodeCanceled, r.Dispatch(ctx, call("x", ""), registry.Env{}).Code)
		}
	}
}
