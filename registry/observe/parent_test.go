package observe_test

import (
	"bytes"
	"context"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/require"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/toolrun/toolrun/registry/observe"
	"github.com/toolrun/toolrun/tool"
)

func TestCallsThatToolsMake(t *testing.T) {
	var audit, log bytes.Buffer
	exporter := tracetest.NewInMemoryExporter()
	r, err := newRegistry(t,
		observe.Audit(&audit, nil),
		observe.Slog(slog.New(slog.NewJSONHandler(&log, nil)), nil),
		observe.OpenTelemetry(newProvider(t, sdktrace.WithSyncer(exporter)), nil),
	).With(tool.JSONFunc(tool.Spec{Name: "outer", Description: "Calls others."},
		func(ctx context.Context, _ tool.Call, env tool.Env) (tool.Result, error) {
			env.Dispatch(ctx, callOf("greet"))
			return env.Dispatch(ctx, callOf("off")), nil
		}))
	require.NoError(t, err)
	r.Dispatch(t.Context(), tool.Call{ID: "call-1", Tool: "outer"}, someEnv)

	want := []struct {
		call, outcome string
		parent        any
	}{{"call-1.1", "ok", "call-1"}, {"call-1.2", "tool_disabled", "call-1"}, {"call-1", "tool_disabled", nil}}
	for name, records := range map[string][]map[string]any{"audit": lines(t, &audit), "slog": lines(t, &log)} {
		require.Len(t, records, 3, name)
		for i, w := range want {
			require.Equal(t, w.call, records[i]["call"], name)
			require.Equal(t, w.parent, records[i]["parent"], name)
			require.Equal(t, w.outcome, records[i]["outcome"], name)
			require.Equal(t, "chat-7", records[i]["chat"], name)
		}
	}
	spans := exporter.GetSpans()
	require.Len(t, spans, 3)
	for i, w := range want {
		attrs := attributes(spans[i].Attributes)
		require.Equal(t, w.call, attrs["gen_ai.tool.call.id"])
		require.Equal(t, w.parent, attrs["toolrun.parent_call"])
		if w.parent != nil {
			require.Equal(t, spans[2].SpanContext.SpanID(), spans[i].Parent.SpanID(),
				"spans are below each other as the calls are")
		}
	}
}
