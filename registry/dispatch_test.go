package registry_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/vfs"
)

func TestToolsThatCannotBeCalled(t *testing.T) {
	r := newRegistry(t,
		named("off", func(s *tool.Spec) { s.OffByDefault = true }),
		named("agent", func(s *tool.Spec) { s.Modes = []tool.Mode{tool.ModeHistory} }),
		named("files", func(s *tool.Spec) { s.NeedsProject = true }),
		named("net", func(s *tool.Spec) {
			s.Requires = []tool.Capability{tool.CapabilityProcess, tool.CapabilityNetwork}
		}),
		named("set", func(s *tool.Spec) { s.Options = []tool.Option{{ID: "a", Type: tool.OptionBool}} }),
	)
	project := newProject(t)
	for _, c := range []struct {
		tool string
		env  registry.Env
		code tool.Code
		text string
	}{
		{"nothing", registry.Env{}, tool.CodeUnknownTool, "Unknown tool: nothing"},
		{"", registry.Env{}, tool.CodeUnknownTool, "Unknown tool: "},
		{"off", registry.Env{}, tool.CodeDisabled, "Unknown tool: off"},
		{"off", registry.Env{Selection: registry.Selection{Enable: map[string]bool{"off": true}}}, "", "done"},
		{"agent", registry.Env{Selection: registry.Selection{Mode: tool.ModeMCP}}, tool.CodeDisabled,
			"Unknown tool: agent"},
		{"agent", registry.Env{Selection: registry.Selection{Mode: tool.ModeHistory}}, "", "done"},
		{"agent", registry.Env{}, "", "done"},
		{"files", registry.Env{}, tool.CodeDisabled, "Unknown tool: files"},
		{"files", registry.Env{Files: project, Selection: registry.Selection{NoProject: true}}, tool.CodeDisabled,
			"Unknown tool: files"},
		{"files", registry.Env{Files: project}, "", "done"},
		{"net", registry.Env{}, tool.CodeDenied, "permission denied for tool: net"},
		{"net", registry.Env{Selection: registry.Selection{Grants: []tool.Capability{tool.CapabilityNetwork}}},
			tool.CodeDenied, "permission denied for tool: net"},
		{"net", registry.Env{Selection: registry.Selection{Grants: []tool.Capability{tool.CapabilityNetwork,
			tool.CapabilityProcess}}}, "", "done"},
		{"set", registry.Env{Selection: registry.Selection{Options: map[string]map[string]any{"set": {"a": 1}}}},
			tool.CodeOptions,
			`Tool set cannot be used, since it is set up wrongly: option "a": want bool, got number`},
		{"set", registry.Env{Selection: registry.Selection{
			Settings: registry.Settings{ToolOptions: map[string]map[string]any{"set": {"a": 1}}},
		}}, "", "done"},
		{"set", registry.Env{Selection: registry.Selection{Options: map[string]map[string]any{"set": {"unknown": 1},
			"gone": {"a": 2}}}}, "", "done"},
	} {
		t.Run(fmt.Sprint(c.tool, " ", c.code), func(t *testing.T) {
			result := r.Dispatch(t.Context(), call(c.tool, "{}"), c.env)
			require.Equal(t, c.code, result.Code)
			require.Equal(t, c.text, result.Text())
			require.Equal(t, "call-1", result.CallID)
			require.Equal(t, c.tool, result.Tool)
		})
	}
	require.Equal(t, "Unknown tool: a\uFFFD[31m\uFFFD", r.Dispatch(t.Context(), call("a\x1b[31m\xff", "{}"),
		registry.Env{}).Text())
	require.Less(t, len(r.Dispatch(t.Context(), call(strings.Repeat("x", 1<<20), "{}"), registry.Env{}).Text()), 1000)

	result := r.Dispatch(t.Context(), call("net", `{"bad"`), registry.Env{})
	require.Equal(t, tool.CodeInvalidInput, result.Code, "validation comes before permission")
}

func TestFailures(t *testing.T) {
	host := errors.New("the disk is on fire")
	for _, c := range []struct {
		why  string
		do   do
		code tool.Code
		text string
	}{
		{"an unexpected error", func(context.Context, tool.Call, tool.Env) (tool.Result, error) {
			return tool.Result{}, host
		}, tool.CodeFailed, "Tool execution failed: the disk is on fire"},
		{"an error for the model", func(context.Context, tool.Call, tool.Env) (tool.Result, error) {
			return tool.Result{}, fmt.Errorf("wrapped: %w", tool.Errorf("Error: no such city: %w", host))
		}, tool.CodeTool, "Error: no such city: the disk is on fire"},
		{"an error result", func(context.Context, tool.Call, tool.Env) (tool.Result, error) {
			return tool.Failure("city_unknown", "no such city"), nil
		}, "city_unknown", "no such city"},
		{"a panic", func(context.Context, tool.Call, tool.Env) (tool.Result, error) {
			panic(host)
		}, tool.CodeFailed, "Tool execution failed: panic: the disk is on fire"},
		{"a bug", func(_ context.Context, c tool.Call, _ tool.Env) (tool.Result, error) {
			var none []string
			return tool.Text(none[len(c.ID)]), nil
		}, tool.CodeFailed, "Tool execution failed: panic: runtime error: index out of range [6] with length 0"},
		{"the end of its goroutine", func(context.Context, tool.Call, tool.Env) (tool.Result, error) {
			runtime.Goexit()
			return tool.Result{}, nil
		}, tool.CodeFailed, "Tool execution failed: the tool has ended its goroutine"},
		{"an error that panics", func(context.Context, tool.Call, tool.Env) (tool.Result, error) {
			return tool.Result{}, (*badError)(nil)
		}, tool.CodeFailed, "Tool execution failed: panic: runtime error: invalid memory address or nil pointer " +
			"dereference"},
		{"nothing", func(context.Context, tool.Call, tool.Env) (tool.Result, error) {
			return tool.Result{}, nil
		}, "", `{"message":"Tool executed but returned no result","status":"empty"}`},
		{"an empty text", func(context.Context, tool.Call, tool.Env) (tool.Result, error) {
			return tool.Text(""), nil
		}, "", `{"message":"Tool executed but returned no result","status":"empty"}`},
		{"an error without a text", func(context.Context, tool.Call, tool.Env) (tool.Result, error) {
			return tool.Failure(tool.CodeTool, ""), nil
		}, tool.CodeTool, "Tool execution failed."},
		{"data alone", func(context.Context, tool.Call, tool.Env) (tool.Result, error) {
			return tool.Result{Data: map[string]int{"<n>": 1}}, nil
		}, "", `{"<n>":1}`},
		{"data that is no JSON", func(context.Context, tool.Call, tool.Env) (tool.Result, error) {
			return tool.Result{Content: []tool.Part{{Text: "text"}}, Data: func() {}}, nil
		}, "", "text"},
		{"data that panics", func(context.Context, tool.Call, tool.Env) (tool.Result, error) {
			return tool.Result{Data: bomb{}}, nil
		}, tool.CodeFailed, "Tool execution failed: panic: bomb"},
		{"text that is no UTF-8", func(context.Context, tool.Call, tool.Env) (tool.Result, error) {
			return tool.Text("a\xffb"), nil
		}, "", "a\uFFFDb"},
	} {
		t.Run(c.why, func(t *testing.T) {
			r := newRegistry(t, doing("x", c.do))
			result := r.Dispatch(t.Context(), call("x", ""), registry.Env{})
			require.Equal(t, c.text, result.Text())
			require.Equal(t, c.code, result.Code)
			require.Equal(t, "call-1", result.CallID)
			if strings.Contains(c.text, host.Error()) && c.why != "a panic" {
				require.ErrorIs(t, result.Err, host, "the host learns the cause")
			}
		})
	}
	var panicked *registry.PanicError
	r := newRegistry(t, doing("x", func(context.Context, tool.Call, tool.Env) (tool.Result, error) {
		panic("oh")
	}))
	require.ErrorAs(t, r.Dispatch(t.Context(), call("x", ""), registry.Env{}).Err, &panicked)
	require.Contains(t, string(panicked.Stack), "dispatch_test.go")
}

type badError struct{ text string }

func (e *badError) Error() string { return e.text }

type bomb struct{}

func (bomb) MarshalJSON() ([]byte, error) { panic("bomb") }

func TestWhatAToolGets(t *testing.T) {
	project := newProject(t)
	var got tool.Env
	r := newRegistry(t, doing("x", func(ctx context.Context, c tool.Call, env tool.Env) (tool.Result,
		error) {
		got = env
		f, err := env.Files.Create("/left-open")
		if err != nil {
			return tool.Result{}, err
		}
		_, err = f.WriteString("never finished")
		return tool.Text("done"), errors.Join(err, afero.WriteFile(env.Files, "/file", []byte("x"), 0o600))
	}, func(s *tool.Spec) {
		s.Options = []tool.Option{
			{ID: "on", Type: tool.OptionBool, Default: true}, {ID: "n", Type: tool.OptionNumber, Default: 3},
			{ID: "text", Type: tool.OptionText}, {ID: "pick", Type: tool.OptionSelect,
				Choices: []tool.Choice{{Value: "a"}, {Value: "b"}}},
		}
	}))
	env := registry.Env{Project: "p", Chat: "c", Files: project, Selection: registry.Selection{
		Settings: registry.Settings{ToolOptions: map[string]map[string]any{"x": {"n": json.Number("1.5"),
			"text": "stored", "old": 1}}},
		Options: map[string]map[string]any{"x": {"text": "given"}},
	}}
	require.Equal(t, "done", r.Dispatch(t.Context(), call("x", ""), env).Text())
	require.Equal(t, map[string]any{"on": true, "n": 1.5, "text": "given", "pick": "a"}, got.Options.Map())
	require.True(t, got.Options.Bool("on"))
	require.Equal(t, 1.5, got.Options.Number("n"))
	require.Equal(t, "given", got.Options.Text("text"))
	require.Zero(t, got.Options.Text("none")+got.Options.Text("n"))
	require.Equal(t, "p", got.Project)
	require.Equal(t, "c", got.Chat)
	got.Report("after the end", 0, 0)

	changes, err := project.Changes(t.Context(), "/")
	require.NoError(t, err)
	require.Len(t, changes, 1)
	require.Equal(t, "call-1", changes[0].Call, "what a call changes can be undone together")
	_, err = project.Stat("/left-open")
	require.ErrorIs(t, err, fs.ErrNotExist)
	got.Options.Map()["on"] = false
	require.True(t, got.Options.Bool("on"))
}

func TestMiddleware(t *testing.T) {
	var seen []string
	note := func(name string) registry.Middleware {
		return func(next registry.Handler) registry.Handler {
			return func(ctx context.Context, c tool.Call, env registry.Env) tool.Result {
				seen = append(seen, name+" before "+c.Tool)
				r := next(ctx, c, env)
				seen = append(seen, name+" after "+string(r.Code))
				return r
			}
		}
	}
	inner := newRegistry(t, named("x")).Using(note("inner"))
	r := inner.Using(note("first"), note("second"))
	require.Equal(t, "done", r.Dispatch(t.Context(), call("x", ""), registry.Env{}).Text())
	require.Equal(t, []string{"first before x", "second before x", "inner before x", "inner after ", "second after ",
		"first after "}, seen)
	seen = nil
	more, err := inner.With(named("y"))
	require.NoError(t, err)
	more.Dispatch(t.Context(), call("nothing", ""), registry.Env{})
	require.Equal(t, []string{"inner before nothing", "inner after unknown_tool"}, seen,
		"every call is seen, also by what is made of a registry")

	bad := newRegistry(t, named("x")).Using(func(registry.Handler) registry.Handler {
		return func(context.Context, tool.Call, registry.Env) tool.Result { panic("middleware") }
	})
	result := bad.Dispatch(t.Context(), call("x", ""), registry.Env{})
	require.Equal(t, tool.CodeFailed, result.Code)
	require.Equal(t, "Tool execution failed: panic: middleware", result.Text())
	require.Equal(t, "call-1", result.CallID)
}

func TestLogging(t *testing.T) {
	var b strings.Builder
	r := newRegistry(t, doing("x", func(context.Context, tool.Call, tool.Env) (tool.Result, error) {
		panic("oh")
	}))
	r.Dispatch(t.Context(), call("x", ""), registry.Env{Logger: slog.New(slog.NewTextHandler(&b, nil))})
	require.Contains(t, b.String(), "tool panicked")
	require.Contains(t, b.String(), "dispatch_test.go")
}

func TestAllCallsOfATurn(t *testing.T) {
	readOnly := func(s *tool.Spec) { s.Annotations.ReadOnly = true }
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var log []string
		var atOnce, most int
		step := func(name string) do {
			return func(_ context.Context, c tool.Call, _ tool.Env) (tool.Result, error) {
				mu.Lock()
				if atOnce++; atOnce > most {
					most = atOnce
				}
				mu.Unlock()
				time.Sleep(time.Second)
				mu.Lock()
				atOnce--
				log = append(log, name)
				mu.Unlock()
				return tool.Text(c.ID), nil
			}
		}
		r := newRegistry(t, doing("read", step("read"), readOnly), doing("write", step("write")))
		var calls []tool.Call
		for i, name := range strings.Fields("read read write write nothing read read read") {
			calls = append(calls, tool.Call{ID: fmt.Sprint(i), Tool: name})
		}
		start := time.Now()
		results := r.DispatchAll(t.Context(), calls, registry.Env{})
		require.Equal(t, 4*time.Second, time.Since(start), "what only reads runs at once, what writes alone")
		require.Equal(t, "read read write write read read read", strings.Join(log, " "))
		require.Equal(t, 3, most)
		require.Len(t, results, len(calls))
		for i, result := range results {
			require.Equal(t, fmt.Sprint(i), result.CallID)
			require.Equal(t, calls[i].Tool == "nothing", result.IsError())
		}

		most = 0
		r.DispatchAll(t.Context(), make([]tool.Call, 3), registry.Env{})
		calls = nil
		for range 20 {
			calls = append(calls, tool.Call{Tool: "read"})
		}
		r.DispatchAll(t.Context(), calls, registry.Env{})
		require.Equal(t, 8, most)
		require.Empty(t, r.DispatchAll(t.Context(), nil, registry.Env{}))
	})
}

func TestCallsShareNothingButFiles(t *testing.T) {
	r := newRegistry(t, tool.Func(tool.Spec{Name: "add", Description: "Adds to a file."},
		func(ctx context.Context, in struct {
			Name string `json:"name"`
			Text string `json:"text"`
		}, env tool.Env) (string, error) {
			err := vfs.Append(ctx, env.Files, in.Name, []byte(in.Text))
			return env.Options.Text("x") + env.Project, err
		}))
	project := newProject(t)
	var group sync.WaitGroup
	for i := range 50 {
		group.Go(func() {
			env := registry.Env{Project: fmt.Sprint("p", i), Files: project}
			c := tool.Call{ID: fmt.Sprint("call-", i), Tool: "add",
				Input: json.RawMessage(`{"name":"/log","text":"x"}`)}
			result := r.Dispatch(t.Context(), c, env)
			require.Equal(t, env.Project, result.Text())
			require.Equal(t, c.ID, result.CallID)
		})
	}
	group.Wait()
	data, err := afero.ReadFile(project, "/log")
	require.NoError(t, err)
	require.Equal(t, strings.Repeat("x", 50), string(data))
}
