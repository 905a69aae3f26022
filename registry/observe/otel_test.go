package observe_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/registry/observe"
	"github.com/toolrun/toolrun/tool"
)

func newProvider(t testing.TB, options ...sdktrace.TracerProviderOption) *sdktrace.TracerProvider {
	provider := sdktrace.NewTracerProvider(options...)
	t.Cleanup(func() { require.NoError(t, provider.Shutdown(context.Background())) })
	return provider
}

// traced returns a registry and the exporter that receives its spans.
func traced(t testing.TB, options *observe.OpenTelemetryOptions,
	inner ...registry.Middleware) (*registry.Registry, *tracetest.InMemoryExporter) {
	exporter := tracetest.NewInMemoryExporter()
	provider := newProvider(t, sdktrace.WithSyncer(exporter))
	return newRegistry(t, append([]registry.Middleware{observe.OpenTelemetry(provider, options)}, inner...)...),
		exporter
}

func attributes(attrs []attribute.KeyValue) map[string]any {
	all := map[string]any{}
	for _, a := range attrs {
		all[string(a.Key)] = a.Value.AsInterface()
	}
	return all
}

func TestOpenTelemetry(t *testing.T) {
	for _, test := range outcomes {
		t.Run(test.tool, func(t *testing.T) {
			t.Parallel()
			r, exporter := traced(t, nil)
			result := dispatch(t, r, callOf(test.tool))
			spans := exporter.GetSpans()
			require.Len(t, spans, 1)
			span := spans[0]
			name := "execute_tool " + test.tool
			if test.tool == "invented" {
				name = "execute_tool"
			}
			require.Equal(t, name, span.Name)
			require.Equal(t, trace.SpanKindInternal, span.SpanKind)
			require.Equal(t, "github.com/toolrun/toolrun/registry/observe", span.InstrumentationScope.Name)
			want := map[string]any{
				"gen_ai.operation.name":  "execute_tool",
				"gen_ai.tool.name":       test.tool,
				"gen_ai.tool.type":       "function",
				"gen_ai.tool.call.id":    "call-1",
				"gen_ai.conversation.id": "chat-7",
				"toolrun.project":        "notes",
				"toolrun.outcome":        test.outcome,
				"toolrun.input_bytes":    int64(14),
				"toolrun.output_bytes":   int64(len(result.Text())),
			}
			if test.outcome == "ok" {
				require.Equal(t, codes.Unset, span.Status.Code)
			} else {
				want["error.type"] = test.outcome
				require.Equal(t, sdktrace.Status{Code: codes.Error, Description: test.outcome}, span.Status)
			}
			require.Equal(t, want, attributes(span.Attributes))
			if test.outcome != "tool_failed" {
				require.Empty(t, span.Events)
				return
			}
			require.Len(t, span.Events, 1)
			require.Equal(t, "exception", span.Events[0].Name)
			event := attributes(span.Events[0].Attributes)
			require.Contains(t, event["exception.message"], "Ada")
			if test.tool == "panic" {
				require.Contains(t, event["exception.stacktrace"], "observe_test.go", "the stack is that of the panic")
			}
		})
	}
}

func TestOpenTelemetryPassesTheSpanOn(t *testing.T) {
	var inside trace.SpanContext
	one := tool.Func(tool.Spec{Name: "look", Description: "Looks for a span."},
		func(ctx context.Context, _ struct{}, _ tool.Env) (string, error) {
			inside = trace.SpanContextFromContext(ctx)
			return "looked", nil
		})
	exporter := tracetest.NewInMemoryExporter()
	provider := newProvider(t, sdktrace.WithSyncer(exporter))
	r, err := registry.New(one)
	require.NoError(t, err)
	ctx, outer := provider.Tracer("agent").Start(t.Context(), "invoke_agent")
	r.Using(observe.OpenTelemetry(provider, nil)).Dispatch(ctx, tool.Call{Tool: "look"}, registry.Env{})
	span := exporter.GetSpans()[0]
	require.Equal(t, span.SpanContext, inside)
	require.Equal(t, outer.SpanContext().SpanID(), span.Parent.SpanID())
	attrs := attributes(span.Attributes)
	for _, key := range []string{"gen_ai.tool.call.id", "gen_ai.conversation.id", "toolrun.project"} {
		require.NotContains(t, attrs, key, "what is empty is left out")
	}
}

func TestOpenTelemetryContents(t *testing.T) {
	r, exporter := traced(t, &observe.OpenTelemetryOptions{Contents: 9})
	r.Dispatch(t.Context(), callOf("greet"), someEnv)
	attrs := attributes(exporter.GetSpans()[0].Attributes)
	require.Equal(t, `{"name":"...`, attrs["gen_ai.tool.call.arguments"])
	require.Equal(t, `Hello, Ad...`, attrs["gen_ai.tool.call.result"])
}

func TestOpenTelemetryUntrustedText(t *testing.T) {
	r, exporter := traced(t, nil)
	for _, name := range []string{strings.Repeat("x", 1<<20), "in\nvented", "\xff\xfe", "", "invented"} {
		exporter.Reset()
		r.Dispatch(t.Context(), tool.Call{ID: strings.Repeat("é", 1<<20), Tool: name}, registry.Env{})
		span := exporter.GetSpans()[0]
		require.Equal(t, "execute_tool", span.Name)
		for _, a := range span.Attributes {
			if a.Value.Type() == attribute.STRING {
				require.LessOrEqual(t, len(a.Value.AsString()), 256+len("..."))
				require.True(t, strings.ToValidUTF8(a.Value.AsString(), "") == a.Value.AsString())
			}
		}
	}
}

// An awkwardError is one that must not be passed to RecordError unchanged.
type awkwardError struct{ text func() string }

func (e awkwardError) Error() string { return e.text() }

func TestOpenTelemetryAwkwardErrors(t *testing.T) {
	for name, test := range map[string]struct {
		text func() string
		want string
	}{
		"long":     {func() string { return strings.Repeat("x", 1<<20) }, strings.Repeat("x", 4<<10) + "..."},
		"no UTF-8": {func() string { return "a\xffb" }, "a\uFFFDb"},
		"panics":   {func() string { panic("no text") }, "an error that cannot be shown"},
	} {
		t.Run(name, func(t *testing.T) {
			r, exporter := traced(t, nil, func(registry.Handler) registry.Handler {
				return func(context.Context, tool.Call, registry.Env) tool.Result {
					return tool.Result{Code: tool.CodeFailed, Err: awkwardError{test.text}}
				}
			})
			r.Dispatch(t.Context(), callOf("greet"), someEnv)
			event := exporter.GetSpans()[0].Events[0]
			require.Equal(t, test.want, attributes(event.Attributes)["exception.message"])
		})
	}
}

func TestOpenTelemetryPanicThroughMiddleware(t *testing.T) {
	r, exporter := traced(t, nil, panicking)
	r.Dispatch(t.Context(), callOf("greet"), someEnv)
	span := exporter.GetSpans()[0]
	require.Equal(t, codes.Error, span.Status.Code)
	require.Equal(t, "tool_failed", attributes(span.Attributes)["error.type"])
}

func TestOpenTelemetryUnsampled(t *testing.T) {
	exporter := tracetest.NewInMemoryExporter()
	provider := newProvider(t, sdktrace.WithSyncer(exporter), sdktrace.WithSampler(sdktrace.NeverSample()))
	result := newRegistry(t, observe.OpenTelemetry(provider, nil)).Dispatch(t.Context(), callOf("break"), someEnv)
	require.Equal(t, tool.CodeFailed, result.Code)
	require.Empty(t, exporter.GetSpans())
}

func TestOpenTelemetryWithoutProvider(t *testing.T) {
	require.PanicsWithValue(t, "observe: OpenTelemetry needs a TracerProvider", func() {
		observe.OpenTelemetry(nil, nil)
	})
}

func ExampleOpenTelemetry() {
	exporter := tracetest.NewInMemoryExporter() // or an exporter that sends spans
	provider := sdktrace.NewTracerProvider(sdktrace.WithSyncer(exporter))
	r, err := registry.New(tools()...)
	if err != nil {
		panic(err)
	}
	r = r.Using(observe.OpenTelemetry(provider, nil))
	result := r.Dispatch(context.Background(), callOf("refuse"), registry.Env{Project: "notes"})
	fmt.Println(result.Text())

	for _, span := range exporter.GetSpans() {
		fmt.Println(span.Name, span.Status.Code)
		for _, a := range span.Attributes {
			fmt.Println(" ", a.Key, "=", a.Value.String())
		}
	}
	if err := provider.Shutdown(context.Background()); err != nil {
		panic(err)
	}
	// Output:
	// Ada is not known
	// execute_tool refuse Error
	//   gen_ai.operation.name = execute_tool
	//   gen_ai.tool.name = refuse
	//   gen_ai.tool.type = function
	//   toolrun.input_bytes = 14
	//   gen_ai.tool.call.id = call-1
	//   toolrun.project = notes
	//   toolrun.outcome = tool_error
	//   toolrun.output_bytes = 16
	//   error.type = tool_error
}
