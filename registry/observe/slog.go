package observe

import (
	"context"
	"log/slog"
	"time"

	"github.com/toolrun/toolrun/internal/text/plaintext"
	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/tool"
)

// SlogOptions configure [Slog]. The zero value logs no contents.
type SlogOptions struct {
	// Contents is how many bytes of each call's input and output are logged, as "input" and "output". Zero means none.
	Contents int
}

// Slog returns middleware that logs one record, "tool call", after each call. It has the attributes tool, project,
// chat, client, call (the id), parent (the id of the call that made it), duration, outcome, input_bytes and
// output_bytes; approved_by, refused_by, waits and repeats are as [Audit] has them. Empty ones are left out. A nil
// logger means the logger of the call's Env; if that is nil too, nothing is logged.
//
// The level is Info for successful calls, Warn for failed ones, and Error for failures of the tool itself
// ([tool.CodeFailed] and [registry.ErrAbandoned]), whose records have the cause as well.
//
// The record gets the call's context, so handlers that know about traces can connect the two.
func Slog(logger *slog.Logger, options *SlogOptions) registry.Middleware {
	var o SlogOptions
	if options != nil {
		o = *options
	}
	return func(next registry.Handler) registry.Handler {
		return func(ctx context.Context, call tool.Call, env registry.Env) tool.Result {
			logger := logger
			if logger == nil {
				logger = env.Logger
			}
			if logger == nil {
				return next(ctx, call, env)
			}
			start := time.Now()
			return watch(ctx, next, call, env, func(result tool.Result, _ bool) {
				level := levelOf(result)
				if !logger.Enabled(ctx, level) {
					return
				}
				var room [15]slog.Attr
				logger.LogAttrs(ctx, level, "tool call", o.attrs(room[:0], call, env, result, time.Since(start))...)
			})
		}
	}
}

func levelOf(result tool.Result) slog.Level {
	switch {
	case !result.IsError():
		return slog.LevelInfo
	case toolFailed(result):
		return slog.LevelError
	}
	return slog.LevelWarn
}

// attrs appends the attributes of a call.
func (o *SlogOptions) attrs(attrs []slog.Attr, call tool.Call, env registry.Env, result tool.Result,
	took time.Duration) []slog.Attr {
	text := func(key, value string) {
		if value != "" {
			attrs = append(attrs, slog.String(key, value))
		}
	}
	text("tool", label(call.Tool))
	text("project", label(env.Project))
	text("chat", label(env.Chat))
	text("client", label(env.Client))
	text("call", label(call.ID))
	text("parent", label(call.Parent))
	attrs = append(attrs,
		slog.Duration("duration", took),
		slog.String("outcome", outcome(result)),
		slog.Int("input_bytes", len(call.Input)),
		slog.Int("output_bytes", outputBytes(result)))
	if toolFailed(result) {
		text("cause", cause(result))
	}
	switch a := result.Approval; {
	case a != nil && a.Approved:
		text("approved_by", label(a.By))
	case a != nil:
		text("refused_by", label(a.By))
	case result.Pending != nil:
		text("waits", result.Pending.Token)
	}
	text("repeats", label(result.Repeats))
	if o.Contents > 0 {
		text("input", inputText(call, o.Contents))
		text("output", plaintext.Clean(result.Text(), o.Contents))
	}
	return attrs
}
