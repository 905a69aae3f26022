package observe_test

import (
	"io"
	"log/slog"
	"testing"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace/noop"

	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/registry/observe"
)

// BenchmarkMiddleware measures calls with each middleware, and without any.
func BenchmarkMiddleware(b *testing.B) {
	logger := slog.New(slog.NewJSONHandler(io.Discard, nil))
	quiet := slog.New(slog.NewJSONHandler(io.Discard, &slog.HandlerOptions{Level: slog.LevelWarn}))
	sampled := newProvider(b)
	for _, test := range []struct {
		name       string
		middleware []registry.Middleware
	}{
		{"none", nil},
		{"Slog", []registry.Middleware{observe.Slog(logger, nil)}},
		{"Slog below the level", []registry.Middleware{observe.Slog(quiet, nil)}},
		{"OpenTelemetry", []registry.Middleware{observe.OpenTelemetry(sampled, nil)}},
		{"OpenTelemetry without SDK", []registry.Middleware{observe.OpenTelemetry(noop.NewTracerProvider(), nil)}},
		{"OpenTelemetry unsampled", []registry.Middleware{
			observe.OpenTelemetry(newProvider(b, sdktrace.WithSampler(sdktrace.NeverSample())), nil)}},
		{"Audit", []registry.Middleware{observe.Audit(io.Discard, nil)}},
		{"Audit whole", []registry.Middleware{observe.Audit(io.Discard, &observe.AuditOptions{WholeInput: true,
			WholeOutput: true})}},
		{"Audit required", []registry.Middleware{observe.Audit(io.Discard, &observe.AuditOptions{Required: true})}},
	} {
		b.Run(test.name, func(b *testing.B) {
			r := newRegistry(b, test.middleware...)
			call := callOf("greet")
			b.ReportAllocs()
			for b.Loop() {
				if r.Dispatch(b.Context(), call, someEnv).IsError() {
					b.Fatal("failed")
				}
			}
		})
	}
}
