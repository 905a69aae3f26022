// Package observe has middleware that tells a host what its tools do: [Slog] logs calls, [OpenTelemetry] makes spans of
// them, [Audit] keeps a record of them, and [LastErrors] remembers what went wrong last.
//
//	audit, err := os.OpenFile("audit.jsonl", os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
//	...
//	r = r.Using(
//		observe.Audit(audit, nil),
//		observe.OpenTelemetry(provider, nil),
//		observe.Slog(logger, nil),
//	)
//
// The first one is outermost, and sees calls as they come and results as they leave. A middleware sees only what happens
// inside of it.
//
// # What is seen
//
// Every call is seen once, from [registry.Registry.Dispatch] to its result, whatever happens: calls of tools that are not
// there, inputs that are refused, calls that are canceled or take too long, tools that panic, and middleware that panics further
// in. Retries are part of a call.
//
// The outcome of a call is "ok", or the code of its result. Sizes are in bytes: that of the input as the model has sent it,
// and that of the result's content, all texts and binaries together.
//
// What a call is about, its input and its output, is not in logs and spans unless that is asked for. Errors of tools that fail
// unexpectedly are there, and may quote some of it.
//
// # Untrusted text
//
// Names of tools and ids of calls are what a model has made up, or somebody who talks to it. They, and whatever else is used as a
// label, are made valid UTF-8 and cut to 256 bytes.
package observe
