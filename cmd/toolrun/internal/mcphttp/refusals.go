package mcphttp

import (
	"log/slog"
	"net/http"
	"sync/atomic"

	"golang.org/x/time/rate"
)

// Refusals that are logged: so many a second, and so many at once. Clients that are refused could fill a disk.
const (
	refusalRate  = 10
	refusalBurst = 100
)

// refusals logs requests that were refused: without a right token (401), from another place (403), too often (429).
type refusals struct {
	config  *Config
	limiter *rate.Limiter
	dropped atomic.Int64 // since the last one that was logged
}

func newRefusals(c *Config) *refusals {
	return &refusals{config: c, limiter: rate.NewLimiter(refusalRate, refusalBurst)}
}

// log logs a request that was answered with this status, if that is a refusal, and the reason if it is known.
func (l *refusals) log(r *http.Request, status int, reason string) {
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusTooManyRequests:
	default:
		return
	}
	if !l.limiter.Allow() {
		l.dropped.Add(1)
		return
	}
	attrs := []slog.Attr{slog.Int("status", status), slog.String("address", r.RemoteAddr),
		slog.String("method", r.Method), slog.String("path", r.URL.Path)}
	if l.config.Token != nil {
		if token := l.config.Token(r); token != nil {
			attrs = append(attrs, slog.String("token", token.Name))
		}
	}
	if reason != "" {
		attrs = append(attrs, slog.String("reason", reason))
	}
	if n := l.dropped.Swap(0); n > 0 {
		attrs = append(attrs, slog.Int64("not logged", n))
	}
	l.config.Logger.LogAttrs(r.Context(), slog.LevelWarn, "request refused", attrs...)
}
