package mcpclient

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

// A logger logs what servers do, and loses what is too much.
type logger struct {
	to *slog.Logger // or nil

	mu     sync.Mutex
	bucket bucket
	lost   int
}

func newLogger(to *slog.Logger) *logger {
	return &logger{to: to, bucket: bucket{most: 200, perSecond: 20}}
}

func (l *logger) wanted() bool { return l.to != nil }

// debug logs what a server says by itself.
func (l *logger) debug(message string, args ...any) { l.log(slog.LevelDebug, message, args...) }

// server logs with a level of the protocol's.
func (l *logger) server(level, message string, args ...any) {
	at := slog.LevelInfo
	switch level {
	case "debug":
		at = slog.LevelDebug
	case "warning":
		at = slog.LevelWarn
	case "error", "critical", "alert", "emergency":
		at = slog.LevelError
	}
	l.log(at, message, args...)
}

func (l *logger) log(level slog.Level, message string, args ...any) {
	if l.to == nil || !l.to.Enabled(context.Background(), level) {
		return
	}
	l.mu.Lock()
	room, lost := l.bucket.take(time.Now()), l.lost
	if room {
		l.lost = 0
	} else {
		l.lost++
	}
	l.mu.Unlock()
	if !room {
		return
	}
	if lost > 0 {
		args = append(args, "lost", lost)
	}
	defer func() { _ = recover() }() // there is nobody to tell
	l.to.Log(context.Background(), level, message, args...)
}

func (l *logger) info(message string, args ...any) { l.log(slog.LevelInfo, message, args...) }
func (l *logger) warn(message string, args ...any) { l.log(slog.LevelWarn, message, args...) }
