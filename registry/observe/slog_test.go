package observe_test

import (
	"bytes"
	"context"
	"log/slog"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/registry/observe"
	"github.com/toolrun/toolrun/tool"
)

func TestSlog(t *testing.T) {
	for _, test := range outcomes {
		t.Run(test.tool, func(t *testing.T) {
			t.Parallel()
			var b bytes.Buffer
			r := newRegistry(t, observe.Slog(slog.New(slog.NewJSONHandler(&b, nil)), nil))
			result := dispatch(t, r, callOf(test.tool))
			records := lines(t, &b)
			require.Len(t, records, 1)
			record := records[0]
			require.Equal(t, test.level.String(), record["level"])
			require.Equal(t, "tool call", record["msg"])
			require.Equal(t, test.tool, record["tool"])
			require.Equal(t, "notes", record["project"])
			require.Equal(t, "chat-7", record["chat"])
			require.Equal(t, "ci", record["client"])
			require.Equal(t, "call-1", record["call"])
			require.Equal(t, test.outcome, record["outcome"])
			require.EqualValues(t, len(`{"name":"Ada"}`), record["input_bytes"])
			require.EqualValues(t, len(result.Text()), record["output_bytes"])
			if test.tool == "hang" {
				require.EqualValues(t, 20*time.Millisecond, record["duration"])
			}
			if test.level == slog.LevelError {
				require.NotEmpty(t, record["cause"])
			} else {
				require.NotContains(t, record, "cause")
				require.NotContains(t, b.String(), "Ada", "contents are not logged")
			}
		})
	}
}

func TestSlogLeavesOutWhatIsEmpty(t *testing.T) {
	var b bytes.Buffer
	r := newRegistry(t, observe.Slog(slog.New(slog.NewJSONHandler(&b, nil)), nil))
	r.Dispatch(t.Context(), tool.Call{}, registry.Env{})
	record := lines(t, &b)[0]
	for _, key := range []string{"tool", "project", "chat", "call"} {
		require.NotContains(t, record, key)
	}
}

func TestSlogContents(t *testing.T) {
	var b bytes.Buffer
	r := newRegistry(t, observe.Slog(slog.New(slog.NewJSONHandler(&b, nil)), &observe.SlogOptions{Contents: 9}))
	r.Dispatch(t.Context(), callOf("greet"), someEnv)
	record := lines(t, &b)[0]
	require.Equal(t, `{"name":"...`, record["input"])
	require.Equal(t, `Hello, Ad...`, record["output"])

	b.Reset()
	r = newRegistry(t, observe.Slog(slog.New(slog.NewJSONHandler(&b, nil)), &observe.SlogOptions{Contents: 1000}))
	r.Dispatch(t.Context(), callOf("greet"), someEnv)
	record = lines(t, &b)[0]
	require.Equal(t, `{"name":"Ada"}`, record["input"])
	require.Equal(t, `Hello, Ada!`, record["output"])
}

func TestSlogLevels(t *testing.T) {
	var b bytes.Buffer
	logger := slog.New(slog.NewJSONHandler(&b, &slog.HandlerOptions{Level: slog.LevelWarn}))
	r := newRegistry(t, observe.Slog(logger, nil))
	r.Dispatch(t.Context(), callOf("greet"), someEnv)
	require.Empty(t, b.String(), "what has no level is not logged")
}

func TestSlogWithoutLogger(t *testing.T) {
	var b bytes.Buffer
	r := newRegistry(t, observe.Slog(nil, nil))
	require.False(t, r.Dispatch(t.Context(), callOf("greet"), someEnv).IsError())
	env := someEnv
	env.Logger = slog.New(slog.NewJSONHandler(&b, nil))
	r.Dispatch(t.Context(), callOf("greet"), env)
	require.Len(t, lines(t, &b), 1)
}

// TestSlogUntrustedText checks that a model's text is shortened and cannot forge records, with any handler.
func TestSlogUntrustedText(t *testing.T) {
	for _, handler := range []func(b *bytes.Buffer) slog.Handler{
		func(b *bytes.Buffer) slog.Handler { return slog.NewJSONHandler(b, nil) },
		func(b *bytes.Buffer) slog.Handler { return slog.NewTextHandler(b, nil) },
	} {
		var b bytes.Buffer
		r := newRegistry(t, observe.Slog(slog.New(handler(&b)), nil))
		r.Dispatch(t.Context(), tool.Call{
			ID: "\xff\nlevel=ERROR", Tool: "x\nlevel=INFO msg=\"tool call\"" + strings.Repeat("é", 1<<20),
		}, someEnv)
		require.Less(t, b.Len(), 1000)
		require.Equal(t, 1, strings.Count(b.String(), "\n"))
	}
}

// TestSlogContext checks that the handler gets the call's context.
func TestSlogContext(t *testing.T) {
	type key struct{}
	handler := &contextHandler{Handler: slog.DiscardHandler}
	r := newRegistry(t, observe.Slog(slog.New(handler), nil))
	r.Dispatch(context.WithValue(t.Context(), key{}, "here"), callOf("greet"), someEnv)
	require.Equal(t, "here", handler.ctx.Value(key{}))
}

type contextHandler struct {
	slog.Handler
	ctx context.Context
}

func (h *contextHandler) Enabled(context.Context, slog.Level) bool { return true }
func (h *contextHandler) Handle(ctx context.Context, _ slog.Record) error {
	h.ctx = ctx
	return nil
}

func ExampleSlog() {
	logger := slog.New(slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{
		ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr { // what differs each time
			if a.Key == slog.TimeKey || a.Key == "duration" {
				return slog.Attr{}
			}
			return a
		},
	}))
	r, err := registry.New(tools()...)
	if err != nil {
		panic(err)
	}
	r = r.Using(observe.Slog(logger, nil))
	for _, tool := range []string{"greet", "refuse", "break"} {
		r.Dispatch(context.Background(), callOf(tool), registry.Env{Project: "notes"})
	}
	// Output:
	// level=INFO msg="tool call" tool=greet project=notes call=call-1 outcome=ok input_bytes=14 output_bytes=11
	// level=WARN msg="tool call" tool=refuse project=notes call=call-1 outcome=tool_error input_bytes=14 output_bytes=16
	// level=ERROR msg="tool call" tool=break project=notes call=call-1 outcome=tool_failed input_bytes=14 output_bytes=44 cause="no connection for Ada"
}
