package registry_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"regexp"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/tool"
)

// badHandler calls do for each log record.
type badHandler struct {
	slog.Handler
	do func()
}

func (h badHandler) Enabled(context.Context, slog.Level) bool  { return true }
func (h badHandler) Handle(context.Context, slog.Record) error { h.do(); return nil }
func (h badHandler) WithAttrs([]slog.Attr) slog.Handler        { return h }
func (h badHandler) WithGroup(string) slog.Handler             { return h }
func hostBugs(release chan struct{}) map[string]func() {
	return map[string]func(){"panics": func() { panic("a bug of the host") }, "ends its goroutine": runtime.Goexit,
		"hangs": func() { <-release }}
}

// TestLoggersThatFail checks that calls have their results even if the logger fails.
func TestLoggersThatFail(t *testing.T) {
	for _, name := range []string{"panics", "ends its goroutine", "hangs"} {
		t.Run(name, func(t *testing.T) {
			project := newProject(t)
			synctest.Test(t, func(t *testing.T) {
				release := make(chan struct{})
				defer close(release)
				env := registry.Env{Files: project, Logger: slog.New(badHandler{do: hostBugs(release)[name]})}
				var afterwards error
				left := make(chan struct{})
				r := newRegistry(t,
					doing("panics", func(context.Context, tool.Call, tool.Env) (tool.Result, error) {
						panic("oh")
					}),
					doing("data", func(context.Context, tool.Call, tool.Env) (tool.Result, error) {
						return tool.Result{Content: []tool.Part{{Text: "text"}}, Data: func() {}}, nil
					}),
					doing("stays", func(_ context.Context, _ tool.Call, env tool.Env) (tool.Result, error) {
						defer close(left)
						time.Sleep(time.Hour)
						afterwards = afero.WriteFile(env.Files, "/late", nil, 0o600)
						return tool.Result{}, nil
					}))
				require.Equal(t, "Tool execution failed: panic: oh", r.Dispatch(t.Context(), call("panics", ""),
					env).Text())
				require.Equal(t, "text", r.Dispatch(t.Context(), call("data", ""), env).Text())
				result := r.Dispatch(t.Context(), call("stays", ""), env)
				require.Equal(t, tool.CodeTimeout, result.Code)
				require.ErrorIs(t, result.Err, registry.ErrAbandoned)
				<-left
				require.ErrorIs(t, afterwards, fs.ErrClosed, "a tool that is left behind has no files")
			})
		})
	}
}

// TestProgressThatFails reports progress to a host whose Progress fails.
func TestProgressThatFails(t *testing.T) {
	reports := doing("x", func(_ context.Context, _ tool.Call, env tool.Env) (tool.Result, error) {
		done := make(chan struct{})
		go func() { // a panic in the tool's own goroutine would end the process
			defer close(done)
			env.Report("half", 1, 2)
		}()
		<-done
		return tool.Text("done"), nil
	})
	for name, want := range map[string]string{"panics": "done", "ends its goroutine": "done",
		"hangs": "Tool execution timed out after 10000ms."} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				release := make(chan struct{})
				defer close(release)
				do := hostBugs(release)[name]
				result := newRegistry(t, reports).Dispatch(t.Context(), call("x", ""),
					registry.Env{Progress: func(tool.Progress) { do() }})
				require.Equal(t, want, result.Text())
			})
		})
	}
}

// badValue calls do when it is encoded.
type badValue struct{ do func() }

func (v badValue) MarshalJSON() ([]byte, error) { v.do(); return []byte("1"), nil }

// badCause calls do when it is compared.
type badCause struct{ do func() }

func (c badCause) Error() string { return "bad" }
func (c badCause) Is(error) bool { c.do(); return false }

// TestResultsThatFail has results whose methods fail.
func TestResultsThatFail(t *testing.T) {
	cyclic := map[string]any{}
	cyclic["self"] = cyclic
	for name, want := range map[string]string{
		"panics":             "Tool execution failed: panic: a bug of the host",
		"ends its goroutine": "Tool execution failed: the tool has ended its goroutine",
		"hangs":              "Tool execution timed out after 10000ms.",
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				release := make(chan struct{})
				defer close(release)
				data := badValue{hostBugs(release)[name]}
				r := newRegistry(t, doing("x", func(context.Context, tool.Call, tool.Env) (tool.Result,
					error) {
					return tool.Result{Content: []tool.Part{{Text: "text"}}, Data: data}, nil
				}))
				result := r.Dispatch(t.Context(), call("x", ""), registry.Env{})
				require.True(t, result.IsError())
				require.Equal(t, want, result.Text())
			})
		})
	}
	t.Run("has no end", func(t *testing.T) {
		r := newRegistry(t, doing("x", func(context.Context, tool.Call, tool.Env) (tool.Result, error) {
			return tool.Result{Content: []tool.Part{{Text: "text"}}, Data: cyclic}, nil
		}))
		result := r.Dispatch(t.Context(), call("x", ""), registry.Env{})
		require.Equal(t, "text", result.Text())
		require.Nil(t, result.Data)
	})
	t.Run("is an error that panics when it is compared", func(t *testing.T) {
		project := newProject(t)
		var files afero.Fs
		r := newRegistry(t, doing("x", func(ctx context.Context, _ tool.Call, env tool.Env) (tool.Result,
			error) {
			files = env.Files
			<-ctx.Done()
			return tool.Result{}, badCause{func() { panic("oh") }}
		}))
		ctx, cancel := context.WithCancel(t.Context())
		cancelled := newRegistry(t, doing("x", func(context.Context, tool.Call, tool.Env) (tool.Result,
			error) {
			cancel()
			return tool.Result{}, badCause{func() { panic("oh") }}
		}))
		result := r.Dispatch(t.Context(), call("x", ""), registry.Env{Files: project,
			Limits: registry.Limits{Timeout: time.Millisecond}})
		require.True(t, result.IsError())
		require.ErrorIs(t, afero.WriteFile(files, "/late", nil, 0o600), fs.ErrClosed)
		require.True(t, cancelled.Dispatch(ctx, call("x", ""), registry.Env{Files: project}).IsError())
	})
}

// TestTurnsWithMiddlewareThatFails runs several calls, one of which fails outside of its tool.
func TestTurnsWithMiddlewareThatFails(t *testing.T) {
	base := newRegistry(t, named("x", func(s *tool.Spec) { s.Annotations.ReadOnly = true }))
	r := base.Using(func(next registry.Handler) registry.Handler {
		return func(ctx context.Context, c tool.Call, env registry.Env) tool.Result {
			switch c.ID {
			case "2":
				panic(errors.New("a bug of the host"))
			case "3":
				runtime.Goexit()
			}
			return next(ctx, c, env)
		}
	})
	results := r.DispatchAll(t.Context(), []tool.Call{{ID: "1", Tool: "x"}, {ID: "2", Tool: "x"},
		{ID: "3", Tool: "x"}, {ID: "4", Tool: "x"}}, registry.Env{})
	for i, want := range []string{"done", "Tool execution failed: panic: a bug of the host",
		"Tool execution failed: the call has ended its goroutine", "done"} {
		require.Equal(t, want, results[i].Text())
		require.Equal(t, want != "done", results[i].IsError())
		require.Equal(t, string(rune('1'+i)), results[i].CallID)
	}
}

func TestHiddenErrors(t *testing.T) {
	var b bytes.Buffer
	logger := slog.New(slog.NewTextHandler(&b, nil))
	r := newRegistry(t,
		tool.Func(tool.Spec{Name: "fails", Description: "Fails."},
			func(context.Context, struct{}, tool.Env) (string, error) {
				return "", errors.New("password is hunter2")
			}),
		tool.Func(tool.Spec{Name: "panics", Description: "Panics."},
			func(context.Context, struct{}, tool.Env) (string, error) { panic("password is hunter3") }),
		tool.Func(tool.Spec{Name: "says", Description: "Says."},
			func(context.Context, struct{}, tool.Env) (string, error) {
				return "", tool.Errorf("Try something else.")
			}),
	)
	env := registry.Env{Logger: logger}
	require.Equal(t, "Tool execution failed: password is hunter2", r.Dispatch(t.Context(), call("fails", ""),
		env).Text())
	env.HideErrors = true
	for one, secret := range map[string]string{"fails": "hunter2", "panics": "hunter3"} {
		b.Reset()
		result := r.Dispatch(t.Context(), call(one, ""), env)
		require.Equal(t, tool.CodeFailed, result.Code)
		id := regexp.MustCompile(
			`^Tool execution failed: internal error ([a-z2-7]{10})\. The log of the host says why\.$`).
			FindStringSubmatch(result.Text())
		require.NotNil(t, id, result.Text())
		require.Contains(t, b.String(), "id="+id[1])
		require.Contains(t, b.String(), secret)
		require.ErrorContains(t, result.Err, secret)
	}
	require.Equal(t, "Try something else.", r.Dispatch(t.Context(), call("says", ""), env).Text())
}
