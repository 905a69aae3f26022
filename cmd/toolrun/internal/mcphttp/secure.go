package mcphttp

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"sync"

	"github.com/toolrun/toolrun/internal/text/lazyregexp"
)

// A secureDoor is a door whose connections speak TLS. It does the handshakes, which package net/http would do, so that
// the lines of HTTP/1.1 headers are counted as in plain HTTP. HTTP/2 limits headers by the memory that they take.
type secureDoor struct {
	*door
	config *tls.Config
	logger *slog.Logger

	ready  chan net.Conn
	failed chan error
	closed chan struct{}
	once   sync.Once
}

func newSecureDoor(d *door, config *tls.Config, logger *slog.Logger) *secureDoor {
	s := &secureDoor{door: d, config: config, logger: logger, ready: make(chan net.Conn), failed: make(chan error, 1),
		closed: make(chan struct{})}
	go s.run()
	return s
}

// run accepts connections until the listener fails. The door bounds how many there are and how long each takes.
func (s *secureDoor) run() {
	for {
		conn, err := s.door.Accept()
		if err != nil {
			s.failed <- err
			return
		}
		go s.shake(conn.(*guest))
	}
}

// shake does the handshake of a connection, which the door closes if that takes too long.
func (s *secureDoor) shake(g *guest) {
	secure := tls.Server(g, s.config)
	if err := secure.HandshakeContext(context.Background()); err != nil {
		s.logger.Debug("TLS handshake", "from", g.RemoteAddr().String(), "error", err)
		if e, ok := errors.AsType[tls.RecordHeaderError](err); ok && e.Conn != nil &&
			plainRequest().Match(e.RecordHeader[:]) {
			_, _ = io.WriteString(g, "HTTP/1.0 400 Bad Request\r\n\r\n"+
				"This server speaks HTTPS: write https:// in the address.\n")
		}
		_ = g.Close()
		return
	}
	var conn net.Conn = secure
	if secure.ConnectionState().NegotiatedProtocol != "h2" {
		conn = &secureConn{secure, g}
	}
	select {
	case s.ready <- conn:
	case <-s.closed:
		_ = conn.Close()
	}
}

// plainRequest matches how requests of plain HTTP begin.
var plainRequest = lazyregexp.New(`^(?:[A-Z]{3} /|[A-Z]{4} |[A-Z]{5})`)

// Accept returns the next connection whose handshake is done.
func (s *secureDoor) Accept() (net.Conn, error) {
	select {
	case conn := <-s.ready:
		return conn, nil
	case err := <-s.failed:
		s.failed <- err // for whoever asks again
		return nil, err
	}
}

// Close ends the listener. Connections that are still in their handshakes are closed.
func (s *secureDoor) Close() error {
	s.once.Do(func() { close(s.closed) })
	return s.door.Close()
}

// A secureConn is a connection of HTTP/1.1 over TLS.
type secureConn struct {
	*tls.Conn
	guest *guest
}

// Read is as that of a guest.
func (c *secureConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	return c.guest.count(p, n, err)
}

// secured tells a request that it came over TLS, where package net/http does not know.
func secured(r *http.Request) {
	if c, ok := r.Context().Value(guestKey{}).(*secureConn); ok {
		state := c.ConnectionState()
		r.TLS = &state
	}
}
