package python_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/runtime/python"
)

func TestFunctions(t *testing.T) {
	functions := []python.Function{
		{Name: "echo", Call: func(_ context.Context, args []any, kwargs map[string]any) (any, error) {
			return map[string]any{"args": args, "kwargs": kwargs}, nil
		}},
		{Name: "tools.git-hub", Call: func(context.Context, []any, map[string]any) (any, error) { return "x", nil }},
		{Name: "tools.nothing", Call: func(context.Context, []any, map[string]any) (any, error) { return nil, nil }},
		{Name: "tools.fail", Call: func(_ context.Context, args []any, _ map[string]any) (any, error) {
			return nil, &python.FunctionError{Name: args[0].(string), Message: "no", Code: "c"}
		}},
		{Name: "tools.panic", Call: func(context.Context, []any, map[string]any) (any, error) { panic("on purpose") }},
		{Name: "tools.error", Call: func(context.Context, []any, map[string]any) (any, error) {
			return nil, errors.New("went wrong")
		}},
		{Name: "tools.odd", Call: func(context.Context, []any, map[string]any) (any, error) { return func() {}, nil }},
		{Name: "tools.large", Call: func(context.Context, []any, map[string]any) (any, error) {
			return make([]byte, 60<<20), nil
		}},
	}
	for code, want := range map[string]string{
		"echo(1, 2.5, 'a', None, [True], (2,), k={'x': 2**70})": "{'args': [1, 2.5, 'a', None, [True], [2]], " +
			"'kwargs': {'k': {'x': '1180591620717411303424'}}}",
		"echo()":                              "{'args': [], 'kwargs': {}}",
		"tools['git-hub'](), tools.nothing()": "('x', None)",
		"tools":                               "<functions: git-hub, nothing, fail, panic, error, odd, large>",
		"try:\n    tools.fail('ToolError')\nexcept ToolError as e:\n    x = (str(e), e.code)\nx": "('no', 'c')",
		"try:\n    tools.fail('KeyError')\nexcept KeyError as e:\n    x = e.args\nx":             "('no',)",
		"try:\n    tools.fail('print')\nexcept RuntimeError as e:\n    x = e.args\nx":            "('no',)",
		"try:\n    echo(object())\nexcept TypeError as e:\n    x = 1\nx":                         "1",
	} {
		require.Equal(t, want, run(t, code, python.RunOptions{Functions: functions}).Text, code)
	}
	for code, want := range map[string]string{
		"tools.panic()": "RuntimeError: panicked: on purpose", "tools.error()": "RuntimeError: went wrong",
		"tools.odd()": "RuntimeError: json: unsupported type",
	} {
		_, err := tryRun(t, code, python.RunOptions{Functions: functions})
		require.ErrorContains(t, err, want)
		require.NotContains(t, err.Error(), "toolrun")
	}
	_, err := tryRun(t, "tools.large()", python.RunOptions{Functions: functions})
	limit, ok := errors.AsType[*sandbox.LimitError](err)
	require.True(t, ok, "%v", err)
	require.Equal(t, sandbox.LimitMemory, limit.Limit)

	never := []python.Function{{Name: "wait", Call: func(context.Context, []any, map[string]any) (any, error) {
		select {}
	}}}
	_, err = tryRun(t, "wait()", python.RunOptions{Functions: never,
		Limits: sandbox.Limits{Time: 50 * time.Millisecond}})
	limit, ok = errors.AsType[*sandbox.LimitError](err)
	require.True(t, ok, "%v", err)
	require.Equal(t, sandbox.LimitTime, limit.Limit)

	_, err = tryRun(t, "await wait()", python.RunOptions{Functions: never,
		Limits: sandbox.Limits{Time: 50 * time.Millisecond}})
	limit, ok = errors.AsType[*sandbox.LimitError](err)
	require.True(t, ok, "%v", err)
	require.Equal(t, sandbox.LimitTime, limit.Limit)

	call := never[0].Call
	for _, names := range [][]string{{""}, {"a b"}, {"a.b.c"}, {"1a"}, {"a-b"}, {"__a"}, {"a", "a"}, {"a", "a.b"},
		{"a.b", "a"}} {
		var functions []python.Function
		for _, name := range names {
			functions = append(functions, python.Function{Name: name, Call: call})
		}
		_, err := interpreter.Run(t.Context(), "1", &python.RunOptions{Functions: functions})
		require.Error(t, err, names)
		require.False(t, python.IsScriptFailure(err))
	}
}
