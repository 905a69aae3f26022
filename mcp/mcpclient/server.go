package mcpclient

import (
	"context"
	"crypto/sha256"
	"errors"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"
)

// A server is a configured server, connected or not.
type server struct {
	set     *Set
	name    string
	config  ServerConfig
	inputs  map[string]Input
	options Options
	names   *namer
	secrets *redactor
	log     *logger
	// said maps the names of the last listed tools to hashes of their descriptions. Only run and its callees use it.
	said map[string][sha256.Size]byte
	// awaited is true until the first attempt to connect has ended. quiet fires when the server has sent nothing for
	// silentTime.
	awaited atomic.Bool
	quiet   *time.Timer

	mu      sync.Mutex
	conn    *connection // nil while disconnected
	tools   []*remoteTool
	missing []string
	listing [sha256.Size]byte // the hash of the list that tools was made from
	err     error
}

func newServer(set *Set, name string, config Config, options Options, names *namer) *server {
	return &server{set: set, name: name, config: config.Servers[name], inputs: config.Inputs, options: options,
		names: names, log: newLogger(options.Logger)}
}

// Delays before reconnecting to a server.
const (
	firstPause = 500 * time.Millisecond
	lastPause  = 5 * time.Minute
	// heldTime is how long a connection must last before the delays start again at firstPause.
	heldTime = time.Minute
)

// silentTime is how long a server may be silent during the first attempt.
const silentTime = 5 * time.Second

// listen starts to watch for messages of the server.
func (s *server) listen() {
	s.awaited.Store(true)
	tell := sync.OnceFunc(func() { s.options.Silent(s.name) })
	s.quiet = time.AfterFunc(silentTime, func() {
		if s.awaited.Load() && s.options.Silent != nil {
			tell()
		}
	})
}

// heard is called for every message of the server.
func (s *server) heard() {
	if s.awaited.Load() {
		s.quiet.Reset(silentTime)
	}
}

// run keeps the server connected until the context ends. It calls tried after the first attempt.
func (s *server) run(ctx context.Context, tried func()) {
	defer tried()
	if err := s.prepare(); err != nil {
		s.failed(err)
		return
	}
	for pause := firstPause; ; pause = min(2*pause, lastPause) {
		err := ctx.Err()
		if err == nil {
			var c *connection
			if c, err = connect(ctx, s); err == nil {
				began := time.Now()
				if err = c.explain(s.serve(ctx, c, tried)); time.Since(began) > heldTime {
					pause = firstPause
				}
			}
		}
		if ctx.Err() != nil {
			return
		}
		s.failed(s.because(err))
		tried()
		timer := time.NewTimer(pause/2 + rand.N(pause)) // random, so that not all servers reconnect at once
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return
		}
	}
}

// prepare replaces the variables in the configuration.
func (s *server) prepare() error {
	if s.config.Extension {
		return &ConfigError{Server: s.name,
			Err: errors.New("it is an extension of an editor, which alone can start it, and is left out")}
	}
	e := &expander{lookup: s.options.LookupEnv, inputs: s.inputs}
	var err error
	if s.config, err = e.config(s.config); err != nil {
		if wrong, ok := errors.AsType[*ConfigError](err); ok {
			wrong.Server = s.name
		}
		return err
	}
	s.secrets = newRedactor(e.secrets)
	return nil
}

// serve offers the tools of a connection while it lasts, and returns the reason for its end.
func (s *server) serve(ctx context.Context, c *connection, tried func()) (err error) {
	defer c.close()
	list, err := c.list(ctx)
	if err != nil {
		return c.because(err)
	}
	s.connected(c, list)
	tried()
	defer func() { s.disconnected(ctx, err) }()
	changes := rate.NewLimiter(rate.Every(maxPace), 8)
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-c.lost:
			return c.because(errLost)
		case <-c.changed:
		}
		switch list, err := c.list(ctx); {
		case err == nil:
			s.connected(c, list)
		case ctx.Err() == nil:
			s.log.warn("MCP server's tools could not be listed anew", "server", s.name, "error",
				s.because(c.because(err)))
		}
		pace := minPace
		if !changes.Allow() {
			pace = maxPace
		}
		timer := time.NewTimer(pace)
		select {
		case <-timer.C:
		case <-ctx.Done():
		case <-c.lost:
		}
		timer.Stop()
	}
}

// The delay before tools are listed again: at first, and if they keep changing.
const (
	minPace = 250 * time.Millisecond
	maxPace = 30 * time.Second
)

var (
	// errLost is the reason for the end of a connection if there is no better one.
	errLost = errors.New("the connection was lost")
	// errClosed is the reason if this side has closed the connection.
	errClosed = errors.New("the connection has been closed on this side")
)

// connected offers the tools of a connection.
func (s *server) connected(c *connection, list *listing) {
	s.mu.Lock()
	same := s.conn == c && s.listing == list.hash
	s.mu.Unlock()
	if same {
		return
	}
	tools := s.makeTools(list)
	missing := s.config.missing(list)
	if missing != nil {
		s.log.warn("MCP server has no tools that its configuration names", "server", s.name, "tools", missing)
	}
	said := make(map[string][sha256.Size]byte, len(tools))
	for _, t := range tools {
		said[t.spec.Name] = t.said
		if before, ok := s.said[t.spec.Name]; ok && before != t.said { // the user may have approved the old description
			s.log.warn("MCP server says something else of a tool than before", "server", s.name, "tool", t.spec.Name)
		}
	}
	s.mu.Lock()
	s.conn, s.tools, s.missing, s.listing, s.err = c, tools, missing, list.hash, nil
	s.mu.Unlock()
	s.said = said
	s.log.info("MCP server's tools are there", "server", s.name, "tools", len(tools))
	s.set.rebuild()
}

// disconnected removes the tools. It stores the reason before it notifies anybody.
func (s *server) disconnected(ctx context.Context, err error) {
	s.mu.Lock()
	if s.conn, s.tools, s.missing = nil, nil, nil; ctx.Err() == nil {
		s.err = s.because(err)
	}
	s.mu.Unlock()
	s.set.rebuild()
}

// because returns an error that names the server.
func (s *server) because(err error) *ServerError {
	return &ServerError{Server: s.name, Err: err, secrets: s.secrets}
}

func (s *server) failed(err error) {
	s.mu.Lock()
	s.err = err
	s.mu.Unlock()
	s.log.warn("MCP server is not connected", "server", s.name, "error", err)
}

// connection returns the current connection, or nil.
func (s *server) connection() *connection {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.conn
}

func (s *server) listed() []*remoteTool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.tools
}

func (s *server) status() Status {
	s.mu.Lock()
	defer s.mu.Unlock()
	return Status{Server: s.name, Connected: s.conn != nil, Tools: len(s.tools), Missing: s.missing, Err: s.err}
}
