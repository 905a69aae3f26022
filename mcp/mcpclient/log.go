package mcpclient

import (
	"context"
	"log/slog"
	"sync/atomic"

	"golang.org/x/time/rate"
)

// A logger logs events of servers, and drops records beyond a rate.
type logger struct {
	to *slog.Logger // or nil

	limit *rate.Limiter
	lost  atomic.Int64
}

func newLogger(to *slog.Logger) *logger {
	return &logger{to: to, limit: rate.NewLimiter(20, 200)}
}

func (l *logger) wanted() bool { return l.to != nil }

// debug logs something that the server caused.
func (l *logger) debug(message string, args ...any) { l.log(slog.LevelDebug, message, args...) }

// server logs a message with one of the protocol's levels.
func (l *logger) server(level, message string, args ...any) {
	l.log(levels[level], message, args...)
}

// levels are those of the protocol. Others are [slog.LevelInfo].
var levels = map[string]slog.Level{"debug": slog.LevelDebug, "warning": slog.LevelWarn, "error": slog.LevelError,
	"critical": slog.LevelError, "alert": slog.LevelError, "emergency": slog.LevelError}

func (l *logger) log(level slog.Level, message string, args ...any) {
	if l.to == nil || !l.to.Enabled(context.Background(), level) {
		return
	}
	if !l.limit.Allow() {
		l.lost.Add(1)
		return
	}
	if lost := l.lost.Swap(0); lost > 0 {
		args = append(args, "lost", lost)
	}
	defer func() { _ = recover() }() // nowhere to report it
	l.to.Log(context.Background(), level, message, args...)
}

func (l *logger) info(message string, args ...any) { l.log(slog.LevelInfo, message, args...) }
func (l *logger) warn(message string, args ...any) { l.log(slog.LevelWarn, message, args...) }
