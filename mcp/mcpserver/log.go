package mcpserver

//lint:file-ignore SA1019 The newest version of the protocol discourages logs, but still has them, and those before do.

import (
	"context"
	"log/slog"
	"strings"
	"sync/atomic"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// What a client gets of what a tool logs in one call, at most.
const (
	maxRecords = 1000
	maxAttrs   = 32   // of a record, those in groups included
	maxLogText = 4096 // bytes of a message, a key or a value
)

// offerLogs tells clients that they can have records.
func offerLogs(capabilities *sdk.ServerCapabilities) {
	capabilities.Logging = &sdk.LoggingCapabilities{}
}

// clientLog returns a handler whose records a client gets if it has set a level. One without a session cannot do so in
// versions before 2026-07-28; the SDK takes it to want "info".
func clientLog(ctx context.Context, session *sdk.ServerSession) slog.Handler {
	if d := directOf(ctx); d != nil && d.level == "" { // the SDK would make records and throw them away
		return slog.DiscardHandler
	}
	if ctx.Value(carrierKey{}) != nil && versionOf(session) < sessionless {
		return slog.DiscardHandler
	}
	return sdk.NewLoggingHandler(session, &sdk.LoggingHandlerOptions{LoggerName: "toolrun"})
}

// toolLog returns the logger that a tool gets for a call: that of the host, which may be nil, and what of its records
// is for the client.
func toolLog(ctx context.Context, host *slog.Logger, client slog.Handler) *slog.Logger {
	told := &callLog{client: client, ctx: ctx, records: &atomic.Int64{}}
	if host == nil {
		return slog.New(told)
	}
	return slog.New(slog.NewMultiHandler(host.Handler(), told))
}

// A callLog passes records on to a client while a call runs, without what is the host's business.
type callLog struct {
	client  slog.Handler
	ctx     context.Context // the call's, in which the SDK finds where to send them; tools may log with another one
	records *atomic.Int64
}

func (l *callLog) Enabled(_ context.Context, level slog.Level) bool {
	return l.ctx.Err() == nil && l.client.Enabled(l.ctx, level)
}

func (l *callLog) Handle(_ context.Context, record slog.Record) error {
	if l.ctx.Err() != nil || l.records.Add(1) > maxRecords {
		return nil
	}
	told := slog.NewRecord(record.Time, record.Level, logText(record.Message), 0)
	left := maxAttrs
	record.Attrs(func(attr slog.Attr) bool {
		told.AddAttrs(forClient([]slog.Attr{attr}, &left)...)
		return left > 0
	})
	return l.client.Handle(l.ctx, told)
}

func (l *callLog) WithAttrs(attrs []slog.Attr) slog.Handler {
	left := maxAttrs
	return &callLog{l.client.WithAttrs(forClient(attrs, &left)), l.ctx, l.records}
}

func (l *callLog) WithGroup(name string) slog.Handler {
	return &callLog{l.client.WithGroup(logText(name)), l.ctx, l.records}
}

// forClient leaves out errors and stacks, which can say what is on the host, and values of which it is not known what
// they say.
func forClient(attrs []slog.Attr, left *int) []slog.Attr {
	var told []slog.Attr
	for _, attr := range attrs {
		if *left <= 0 {
			break
		}
		switch attr.Key {
		case "error", "err", "panic", "stack":
			continue
		}
		*left-- // before looking into a group, which can have itself in it
		attr.Key, attr.Value = logText(attr.Key), attr.Value.Resolve()
		switch attr.Value.Kind() {
		case slog.KindAny:
			continue
		case slog.KindGroup:
			attr.Value = slog.GroupValue(forClient(attr.Value.Group(), left)...)
		case slog.KindString:
			attr.Value = slog.StringValue(logText(attr.Value.String()))
		}
		told = append(told, attr)
	}
	return told
}

func logText(text string) string {
	if len(text) > maxLogText {
		text = text[:maxLogText] + "\u2026"
	}
	return strings.ToValidUTF8(text, "\uFFFD")
}
