// Package mcphttp implements what toolrun mcp --http and toolrun serve add to the MCP handler and to the page: tokens,
// health, metrics and an orderly shutdown.
package mcphttp

import (
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/toolrun/toolrun/mcp/mcpserver"
)

const (
	headerTimeout = 10 * time.Second
	readTimeout   = 30 * time.Second // for a request with its body
	writeTimeout  = 30 * time.Second // for a response that is not a stream
	idleTimeout   = 2 * time.Minute
	maxHeader     = 12 << 10        // 4 KiB more are read; a path that is escaped as a whole fits in
	closeTimeout  = 2 * time.Second // for the last responses to be sent
)

// Config configures Serve.
type Config struct {
	// Handler serves MCP at /mcp. If it is nil, there are no metrics either.
	Handler *mcpserver.Handler
	Metrics *Metrics
	// Page, if not nil, gets the requests at all other paths. It calls [Known] for people whom it admits.
	Page Page
	// Ready returns an error if calls cannot be made.
	Ready func(context.Context) error
	// Token returns the token of a request, or nil: metrics need one that may read them, and refusals are logged with
	// its name. If Token is nil, no token is needed: every connection with a request counts as one that has shown a
	// token.
	Token func(*http.Request) *Token
	// TLS is nil for plain HTTP.
	TLS *tls.Config
	// Grace is how long running calls may go on after the server was stopped.
	Grace  time.Duration
	Logger *slog.Logger
}

// A Page is a handler with calls of its own.
type Page interface {
	http.Handler
	// Shutdown waits for calls until the context ends, and ends streams.
	Shutdown(ctx context.Context) error
}

// Serve serves until the context ends, and then waits for running calls, at most for the grace.
func Serve(ctx context.Context, listener net.Listener, c Config) error {
	var ending atomic.Bool
	mux := http.NewServeMux()
	if c.Page != nil {
		mux.Handle("/", c.Page)
	}
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("ok\n")) })
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, r *http.Request) {
		err := errors.New("the server is shutting down")
		if !ending.Load() {
			err = c.Ready(r.Context())
		}
		if err != nil {
			c.Logger.WarnContext(r.Context(), "not ready", "error", err)
			http.Error(w, "not ready", http.StatusServiceUnavailable)
			return
		}
		_, _ = w.Write([]byte("ready\n"))
	})
	if c.Handler != nil {
		c.Metrics.gauge("toolrun_sessions", c.Handler.Sessions)
		c.Metrics.gauge("toolrun_replicas", c.Handler.Replicas)
		mux.Handle("/mcp", c.Handler)
		mux.Handle("GET /metrics", c.Handler.Guard(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if c.Token != nil && !c.Token(r).mayReadMetrics() {
				w.Header().Set("WWW-Authenticate", `Bearer realm="toolrun"`)
				http.Error(w, "a token that may read metrics is needed", http.StatusUnauthorized)
				return
			}
			c.Metrics.ServeHTTP(w, r)
		})))
	}
	server := &http.Server{
		Handler:           serving(c.Metrics.count(mux, newRefusals(&c).log), c.Token == nil && c.Handler != nil),
		ConnContext:       withGuest,
		ReadHeaderTimeout: headerTimeout,
		ReadTimeout:       readTimeout,  // the MCP handler lifts it when it has the body
		WriteTimeout:      writeTimeout, // and sets one for each message
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeader,
		TLSConfig:         c.TLS,
		ErrorLog:          slog.NewLogLogger(c.Logger.Handler(), slog.LevelDebug),
	}
	door := newDoor(listener, c.TLS == nil)
	listener = door
	if c.TLS != nil {
		listener = newSecureDoor(door, c.TLS, c.Logger)
	}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}

	ending.Store(true)
	c.Logger.Info("shutting down", "grace", c.Grace.String())
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), c.Grace)
	defer cancel()
	paged := make(chan error, 1)
	go func() {
		if c.Page == nil {
			paged <- nil
		} else {
			paged <- c.Page.Shutdown(grace)
		}
	}()
	var err error
	if c.Handler != nil {
		err = c.Handler.Shutdown(grace)
	}
	if err = errors.Join(err, <-paged); err != nil {
		c.Logger.Warn("running calls were stopped: the grace is over")
	}
	last, cancelLast := context.WithTimeout(context.WithoutCancel(ctx), closeTimeout)
	defer cancelLast()
	if err := server.Shutdown(last); err != nil {
		_ = server.Close() // connections that clients keep open
	}
	return nil
}
