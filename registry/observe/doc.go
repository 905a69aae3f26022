// Package observe provides middleware that reports calls to the host: [Slog] logs them, [OpenTelemetry] makes a
// span of each, and [Audit] records them.
//
//	audit, err := os.OpenFile("audit.jsonl", os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
//	...
//	r = r.Using(
//		observe.Audit(audit, nil),
//		observe.OpenTelemetry(provider, nil),
//		observe.Slog(logger, nil),
//	)
//
// The first one is outermost: it sees calls first and results last. A middleware sees only what happens inside it.
//
// # What is seen
//
// Every call is seen once, from [registry.Registry.Dispatch] to its result: also calls of unknown tools, refused
// inputs, canceled calls, timeouts, and panics of tools or of inner middleware. Retries are part of a call.
//
// The outcome of a call is "ok", or the code of its result. Sizes are in bytes: of the input as the model sent it,
// and of the result's content (all texts and binaries together).
//
// Logs and spans contain inputs and outputs only if you ask for them. They always contain the errors of tools that
// fail unexpectedly, which may quote some of the input or output.
//
// # Untrusted text
//
// Names of tools and ids of calls come from a model, or from somebody who talks to it. These and other labels
// become valid UTF-8, cut to 256 bytes.
package observe
