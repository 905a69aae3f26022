package observe

import (
	"context"
	"errors"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"github.com/toolrun/toolrun/internal/text/plaintext"
	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/tool"
)

// OpenTelemetryOptions configure [OpenTelemetry]. The zero value leaves contents out.
type OpenTelemetryOptions struct {
	// Contents is how many bytes of each call's input and output are attributes of its span,
	// gen_ai.tool.call.arguments and gen_ai.tool.call.result. Zero means none.
	Contents int
}

// scopeName is the name of the tracer, as OpenTelemetry's conventions demand it.
const scopeName = "github.com/toolrun/toolrun/registry/observe"

// Attributes of spans that are specific to toolrun.
const (
	keyProject     = attribute.Key("toolrun.project")
	keyParent      = attribute.Key("toolrun.parent_call")
	keyRepeats     = attribute.Key("toolrun.repeats")
	keyOutcome     = attribute.Key("toolrun.outcome")
	keyInputBytes  = attribute.Key("toolrun.input_bytes")
	keyOutputBytes = attribute.Key("toolrun.output_bytes")
)

// Attributes from OpenTelemetry's conventions. They are written out here, because those for generative AI are not
// stable, and each version of the conventions is a separate package.
const (
	keyOperation      = attribute.Key("gen_ai.operation.name")
	keyTool           = attribute.Key("gen_ai.tool.name")
	keyType           = attribute.Key("gen_ai.tool.type")
	keyCall           = attribute.Key("gen_ai.tool.call.id")
	keyConversation   = attribute.Key("gen_ai.conversation.id")
	keyArguments      = attribute.Key("gen_ai.tool.call.arguments")
	keyResult         = attribute.Key("gen_ai.tool.call.result")
	keyErrorType      = attribute.Key("error.type")
	keyExceptionStack = attribute.Key("exception.stacktrace")
)

const operation = "execute_tool"

// OpenTelemetry returns middleware that makes a span of each call. The tool's context contains the span, so spans
// started with it become children. OpenTelemetry panics if the provider is nil.
//
// Spans follow OpenTelemetry's conventions for generative AI: kind internal, name "execute_tool NAME". The
// attributes are gen_ai.operation.name, gen_ai.tool.name, gen_ai.tool.type, gen_ai.tool.call.id,
// gen_ai.conversation.id (the chat), toolrun.project, toolrun.parent_call (the id of the call that made this one),
// toolrun.outcome, toolrun.input_bytes, toolrun.output_bytes and toolrun.repeats (the token of the call whose result
// this is: see [Audit]). Empty ones are left out.
//
// A failed call has the status error, and its code as error.type. If the tool failed unexpectedly, an event has the
// cause. A span of an unknown tool is called "execute_tool" alone, so names that models invent do not become names
// of spans.
func OpenTelemetry(provider trace.TracerProvider, options *OpenTelemetryOptions) registry.Middleware {
	if provider == nil {
		panic("observe: OpenTelemetry needs a TracerProvider")
	}
	var o OpenTelemetryOptions
	if options != nil {
		o = *options
	}
	tracer := provider.Tracer(scopeName)
	return func(next registry.Handler) registry.Handler {
		return func(ctx context.Context, call tool.Call, env registry.Env) tool.Result {
			ctx, span := tracer.Start(ctx, spanName(call.Tool),
				trace.WithSpanKind(trace.SpanKindInternal),
				trace.WithAttributes(atStart(call, env)...))
			return watch(ctx, next, call, env, func(result tool.Result, _ bool) {
				defer span.End()
				if span.IsRecording() {
					o.finish(span, call, result)
				}
			})
		}
	}
}

// spanName returns the initial name of a span, which samplers see.
func spanName(name string) string {
	if tool.CheckName(name) != nil {
		return operation
	}
	return operation + " " + name
}

// atStart returns the attributes that samplers see.
func atStart(call tool.Call, env registry.Env) []attribute.KeyValue {
	attrs := make([]attribute.KeyValue, 0, 8)
	attrs = append(attrs,
		keyOperation.String(operation),
		keyTool.String(label(call.Tool)),
		keyType.String("function"),
		keyInputBytes.Int(len(call.Input)))
	if call.ID != "" {
		attrs = append(attrs, keyCall.String(label(call.ID)))
	}
	if call.Parent != "" {
		attrs = append(attrs, keyParent.String(label(call.Parent)))
	}
	if env.Project != "" {
		attrs = append(attrs, keyProject.String(label(env.Project)))
	}
	if env.Chat != "" {
		attrs = append(attrs, keyConversation.String(label(env.Chat)))
	}
	return attrs
}

// finish adds the attributes of a finished call.
func (o *OpenTelemetryOptions) finish(span trace.Span, call tool.Call, result tool.Result) {
	word := outcome(result)
	attrs := make([]attribute.KeyValue, 0, 6)
	attrs = append(attrs, keyOutcome.String(word), keyOutputBytes.Int(outputBytes(result)))
	if result.IsError() {
		attrs = append(attrs, keyErrorType.String(word))
		span.SetStatus(codes.Error, word)
	}
	if result.Repeats != "" {
		attrs = append(attrs, keyRepeats.String(label(result.Repeats)))
	}
	if o.Contents > 0 {
		attrs = append(attrs,
			keyArguments.String(inputText(call, o.Contents)),
			keyResult.String(plaintext.Clean(result.Text(), o.Contents)))
	}
	span.SetAttributes(attrs...)
	if result.Code == tool.CodeUnknownTool {
		span.SetName(operation)
	}
	if result.Code == tool.CodeFailed && result.Err != nil {
		record(span, result)
	}
}

// record adds an event for an error, with the stack if it was a panic.
func record(span trace.Span, result tool.Result) {
	var options []trace.EventOption
	if p, ok := errors.AsType[*registry.PanicError](result.Err); ok {
		options = append(options,
			trace.WithAttributes(keyExceptionStack.String(plaintext.Clean(string(p.Stack), 4*maxCause))))
	}
	err := result.Err
	if text, ok := errorText(err); !ok || text != plaintext.Clean(text, maxCause) {
		err = errors.New(cause(result)) // loses its type, but can be exported
	}
	span.RecordError(err, options...)
}
