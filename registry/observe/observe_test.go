package observe_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/registry/observe"
	"github.com/toolrun/toolrun/tool"
)

type greeting struct {
	Name string `json:"name" jsonschema:"Whom to greet."`
}

// tools returns a tool that works and several that fail.
func tools() []tool.Tool {
	t := func(name string, spec tool.Spec, do func(ctx context.Context, in greeting, env tool.Env) (string,
		error)) tool.Tool {
		spec.Name, spec.Description = name, "Greets somebody, or does not."
		return tool.Func(spec, do)
	}
	return []tool.Tool{
		t("greet", tool.Spec{}, func(_ context.Context, in greeting, _ tool.Env) (string, error) {
			return "Hello, " + in.Name + "!", nil
		}),
		t("refuse", tool.Spec{}, func(_ context.Context, in greeting, _ tool.Env) (string, error) {
			return "", tool.Errorf("%s is not known", in.Name)
		}),
		t("break", tool.Spec{}, func(_ context.Context, in greeting, _ tool.Env) (string, error) {
			return "", errors.New("no connection for " + in.Name)
		}),
		t("panic", tool.Spec{}, func(_ context.Context, in greeting, _ tool.Env) (string, error) {
			panic("cannot greet " + in.Name)
		}),
		t("hang", tool.Spec{Timeout: 20 * time.Millisecond}, func(ctx context.Context, _ greeting,
			_ tool.Env) (string, error) {
			<-ctx.Done()
			return "", ctx.Err()
		}),
		t("deaf", tool.Spec{Timeout: 20 * time.Millisecond}, func(context.Context, greeting,
			tool.Env) (string, error) {
			time.Sleep(2 * time.Second)
			return "too late", nil
		}),
		t("off", tool.Spec{OffByDefault: true}, func(context.Context, greeting, tool.Env) (string, error) {
			return "on", nil
		}),
	}
}

func newRegistry(t testing.TB, middleware ...registry.Middleware) *registry.Registry {
	t.Helper()
	r, err := registry.New(tools()...)
	require.NoError(t, err)
	return r.Using(middleware...)
}

func callOf(name string) tool.Call {
	return tool.Call{ID: "call-1", Tool: name, Input: json.RawMessage(`{"name":"Ada"}`)}
}

// dispatch makes a call by a clock that does not wait.
func dispatch(t *testing.T, r *registry.Registry, call tool.Call) (result tool.Result) {
	synctest.Test(t, func(t *testing.T) {
		result = r.Dispatch(t.Context(), call, someEnv)
		time.Sleep(time.Minute) // so that tools end that nobody waits for
	})
	return result
}

var someEnv = registry.Env{Project: "notes", Chat: "chat-7", Client: "ci"}

// panicking is middleware that panics.
func panicking(registry.Handler) registry.Handler {
	return func(context.Context, tool.Call, registry.Env) tool.Result { panic("in middleware") }
}

// ending is middleware that ends the goroutine of a call.
func ending(registry.Handler) registry.Handler {
	return func(context.Context, tool.Call, registry.Env) tool.Result {
		(&testing.T{}).SkipNow()
		panic("not reached")
	}
}

// outcomes are the outcomes of calls of the tools.
var outcomes = []struct {
	tool, outcome string
	level         slog.Level
}{
	{"greet", "ok", slog.LevelInfo},
	{"refuse", "tool_error", slog.LevelWarn},
	{"break", "tool_failed", slog.LevelError},
	{"panic", "tool_failed", slog.LevelError},
	{"hang", "timeout", slog.LevelWarn},
	{"deaf", "timeout", slog.LevelError},
	{"off", "tool_disabled", slog.LevelWarn},
	{"invented", "unknown_tool", slog.LevelWarn},
}

func lines(t testing.TB, b *bytes.Buffer) []map[string]any {
	t.Helper()
	var all []map[string]any
	for line := range strings.Lines(b.String()) {
		var fields map[string]any
		require.NoError(t, json.Unmarshal([]byte(line), &fields), "%q", line)
		all = append(all, fields)
	}
	return all
}

// A steppingClock advances by a second at each reading.
func steppingClock() func() time.Time {
	var mu sync.Mutex
	now := time.Date(2025, 3, 1, 12, 0, 0, 0, time.UTC)
	return func() time.Time {
		mu.Lock()
		defer mu.Unlock()
		now = now.Add(time.Second)
		return now
	}
}

func TestMiddlewareChangesNoResult(t *testing.T) {
	plain := newRegistry(t)
	observed := newRegistry(t,
		observe.Slog(slog.New(slog.DiscardHandler), nil), observe.Audit(new(bytes.Buffer), nil),
		observe.OpenTelemetry(newProvider(t), nil))
	for _, test := range outcomes {
		want := dispatch(t, plain, callOf(test.tool))
		got := dispatch(t, observed, callOf(test.tool))
		require.Equal(t, test.outcome,
			strings.TrimSpace(string(want.Code)+map[bool]string{false: "ok"}[want.IsError()]))
		want.Err, got.Err = nil, nil // stacks differ
		require.Equal(t, want, got)
	}
}

// TestPanicsGoOn checks that outer middleware still gets the panic, with its original stack.
func TestPanicsGoOn(t *testing.T) {
	var log, audit bytes.Buffer
	r := newRegistry(t, observe.Slog(slog.New(slog.NewJSONHandler(&log, nil)), nil), observe.Audit(&audit, nil),
		panicking)
	result := r.Dispatch(t.Context(), callOf("greet"), someEnv)
	require.Equal(t, tool.CodeFailed, result.Code)
	require.Equal(t, "Tool execution failed: panic: in middleware", result.Text())
	p, ok := errors.AsType[*registry.PanicError](result.Err)
	require.True(t, ok)
	require.Contains(t, string(p.Stack), "panicking")

	records := lines(t, &log)
	require.Len(t, records, 1)
	require.Equal(t, "tool_failed", records[0]["outcome"])
	require.Equal(t, "panic: in middleware", records[0]["cause"])
	require.Len(t, lines(t, &audit), 1)
}

// TestGoroutineThatEnds checks that a call is reported even if its goroutine ends without a result.
func TestGoroutineThatEnds(t *testing.T) {
	var log, audit bytes.Buffer
	r := newRegistry(t, observe.Slog(slog.New(slog.NewJSONHandler(&log, nil)), nil), observe.Audit(&audit, nil), ending)
	done := make(chan struct{})
	go func() {
		defer close(done)
		r.Dispatch(t.Context(), callOf("greet"), someEnv)
	}()
	<-done
	for _, b := range []*bytes.Buffer{&log, &audit} {
		all := lines(t, b)
		require.Len(t, all, 1)
		require.Equal(t, "tool_failed", all[0]["outcome"])
	}
}
