package mcpclient

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// A connection is a single connection to a server. It is not used again after it is lost.
type connection struct {
	server  *server
	session *sdk.ClientSession
	filter  *filter
	// changed receives a value when the list of tools may have changed.
	changed chan struct{}
	calls   progressCalls

	ctx    context.Context
	cancel context.CancelCauseFunc
	wire   sdk.Connection // the connection under the session
	proc   *process       // or nil
	idle   func()         // closes unused connections

	lost chan struct{} // closed when the session has ended

	mu     sync.Mutex
	reason error // the first reason for the end of the connection
}

// A recording is a transport that remembers its connection, which must be closed even if there is no session.
type recording struct {
	sdk.Transport
	made *sdk.Connection
}

func (r recording) Connect(ctx context.Context) (sdk.Connection, error) {
	made, err := r.Transport.Connect(ctx)
	*r.made = made
	return made, err
}

// Versions of the protocol. The newest has no handshake, and older servers may never answer its first request, so it is
// only used for servers that refuse the common version.
const (
	versionCommon = "2025-11-25"
	versionNewest = "2026-07-28"
)

// errConnectTime is the error if a server does not answer in time.
const errConnectTime = timeoutError("the server does not answer")

// A timeoutError says what a server has not done in time.
type timeoutError string

func (e timeoutError) Error() string { return string(e) }

// Is makes errors.Is(err, context.DeadlineExceeded) true.
func (timeoutError) Is(target error) bool { return target == context.DeadlineExceeded }

// connect starts or reaches a server and exchanges greetings. The context limits only that; close the connection to end
// it.
func connect(ctx context.Context, s *server) (*connection, error) {
	c, err := dial(ctx, s, versionCommon)
	if err == nil || errors.Is(err, errConnectTime) || ctx.Err() != nil {
		return c, err
	}
	wrong, ok := errors.AsType[*jsonrpc.Error](err)
	refused := ok && (wrong.Code == jsonrpc.CodeMethodNotFound || wrong.Code == sdk.CodeUnsupportedProtocolVersion)
	// over HTTP, servers may also refuse the message after the greeting
	if !refused && s.config.transport() != HTTP {
		return nil, err
	}
	if c, second := dial(ctx, s, versionNewest); second == nil {
		return c, nil
	}
	return nil, err
}

func dial(ctx context.Context, s *server, version string) (*connection, error) {
	c := &connection{server: s, changed: make(chan struct{}, 1), lost: make(chan struct{}), idle: func() {}}
	c.ctx, c.cancel = context.WithCancelCause(context.WithoutCancel(ctx)) // outlives ctx, to say goodbye
	f := newFilter(s.options.MaxMessage)
	c.filter = f
	f.heard = s.heard
	f.notify, f.odd = c.notification, func(what string) { s.log.debug("MCP server sent "+what, "server", s.name) }
	transport, err := c.transport(f)
	if err != nil {
		c.cancel(nil)
		return nil, err
	}
	client := sdk.NewClient(&sdk.Implementation{Name: s.options.ClientName, Version: s.options.ClientVersion},
		&sdk.ClientOptions{
			Capabilities:   &sdk.ClientCapabilities{},                  // a server can request nothing
			MultiRoundTrip: &sdk.MultiRoundTripOptions{Disabled: true}, // nor by its results
			// needed to receive these notifications, which the filter sees first
			ToolListChangedHandler: func(context.Context, *sdk.ToolListChangedRequest) {},
		})
	client.AddReceivingMiddleware(func(next sdk.MethodHandler) sdk.MethodHandler {
		return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
			if method == "ping" || len(method) > 14 && method[:14] == "notifications/" {
				return next(ctx, method, req)
			}
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound,
				Message: "this client offers nothing to servers"}
		}
	})
	timer := time.AfterFunc(s.options.ConnectTimeout, func() { c.fail(errConnectTime); c.abandon() })
	stop := context.AfterFunc(ctx, c.abandon)
	c.session, err = client.Connect(c.ctx, recording{transport, &c.wire},
		&sdk.ClientSessionOptions{ProtocolVersion: version})
	inTime, wanted := timer.Stop(), stop()
	if err == nil && !(inTime && wanted) {
		err = errConnectTime
	}
	if err != nil {
		err = c.because(err)
		c.close()
		return nil, c.explain(err)
	}
	go func() {
		err := c.session.Wait()
		if err != nil {
			c.fail(err)
		}
		close(c.lost)
	}()
	return c, nil
}

// transport starts a server that is a process, or prepares HTTP.
func (c *connection) transport(f *filter) (sdk.Transport, error) {
	s := c.server
	if kind := s.config.transport(); kind != Stdio {
		endpoint, err := url.Parse(s.config.URL)
		if err != nil {
			return nil, errors.New("the url is not an address")
		}
		w := &web{endpoint: endpoint, headers: s.config.Headers, filter: f, transport: s.options.Transport, ctx: c.ctx,
			fail: c.fail}
		if w.transport == nil {
			own := &http.Transport{
				ForceAttemptHTTP2: true, TLSHandshakeTimeout: 10 * time.Second, IdleConnTimeout: 90 * time.Second,
				MaxResponseHeaderBytes: 64 << 10,
			}
			w.transport, c.idle = own, own.CloseIdleConnections
		}
		return w.transportOf(kind), nil
	}
	var err error
	environ := environment(s.options.LookupEnv, s.config.Env)
	c.proc, err = startProcess(s.config, s.options.Dir, environ, func(line string) {
		s.log.debug("MCP server's standard error", "server", s.name, "text",
			cleanLine(s.secrets.text(line), maxStderrLine))
	})
	if err != nil {
		return nil, err
	}
	return c.proc.transport(f, c.fail), nil
}

// fail records the reason why the connection ends, unless there is one already.
func (c *connection) fail(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.reason == nil {
		c.reason = err
	}
}

// because returns the actual reason for err. An answer of the server is its own reason, although the connection ends
// after it. For other errors, it is the reason why the connection ended, if there is one.
func (c *connection) because(err error) error {
	if answered(err) {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.reason != nil {
		return c.reason
	}
	return err
}

// explain adds the last standard error of the server's process to the reason why the connection ended, unless that is
// an answer of the server. The connection must be closed.
func (c *connection) explain(err error) error {
	if c.proc == nil || answered(err) {
		return err
	}
	return c.proc.explain(err)
}

// abandon makes all pending operations fail.
func (c *connection) abandon() {
	c.cancel(context.Canceled)
	if c.proc != nil {
		c.proc.close()
	}
}

// sessionGrace is how long a session may take to say goodbye.
const sessionGrace = 2 * time.Second

// close ends the connection and the process. It returns when both are gone.
func (c *connection) close() {
	c.fail(errClosed) // before its effects cause other errors
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		if c.wire != nil {
			_ = c.wire.Close() // ends pending requests; the session notices
		}
		if c.session != nil {
			_ = c.session.Close()
		}
	}()
	timer := time.AfterFunc(sessionGrace, func() { c.cancel(context.Canceled) })
	<-closed
	timer.Stop()
	c.cancel(context.Canceled)
	if c.proc != nil {
		c.proc.close()
		<-c.proc.ended
	}
	c.idle()
}

// notification handles a notification of the server.
func (c *connection) notification(method string, params json.RawMessage) {
	switch method {
	case "notifications/tools/list_changed":
		select {
		case c.changed <- struct{}{}:
		default: // already signalled
		}
	case "notifications/progress":
		c.calls.progress(params)
	case "notifications/message":
		var message struct {
			Level  string          `json:"level"`
			Logger string          `json:"logger"`
			Data   json.RawMessage `json:"data"`
		}
		if json.Unmarshal(params, &message) == nil && c.server.log.wanted() {
			text := string(message.Data)
			_ = json.Unmarshal(message.Data, &text) // anything else is shown as JSON
			s := c.server
			s.log.server(message.Level, "MCP server's log", "server", s.name, "logger", cleanLine(message.Logger, 100),
				"text", cleanLine(s.secrets.text(text), 1000))
		}
	}
}

// A ServerError is a failure of a server.
type ServerError struct {
	// Server is the server's name.
	Server string
	Err    error

	secrets *redactor
}

// Error names the server. It contains no secrets of the configuration.
func (e *ServerError) Error() string {
	return fmt.Sprintf("MCP server %q: %s", e.Server, cleanLine(e.secrets.text(e.Err.Error()), 1000))
}

// Unwrap returns the underlying error. Its text may contain secrets.
func (e *ServerError) Unwrap() error { return e.Err }
