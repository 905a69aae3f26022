package mcphttp_test

import (
	"bufio"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/cmd/toolrun/internal/mcphttp"
	"github.com/toolrun/toolrun/internal/test/memnet"
	"github.com/toolrun/toolrun/mcp/mcpserver"
	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/tool"
)

// A street is where connections come from: pipes, whose time is that of a test.
type street struct {
	*memnet.Network
	t  *testing.T
	at net.Listener
}

// dial connects from an address.
func (s *street) dial(from string) net.Conn {
	at, err := net.ResolveTCPAddr("tcp", from)
	require.NoError(s.t, err)
	conn, err := s.DialFrom(s.t.Context(), at, "tcp", s.at.Addr().String())
	require.NoError(s.t, err)
	return conn
}

// open serves until the test ends. The token is secret, unless everybody is admitted.
func open(t *testing.T, config mcphttp.Config, everybody bool) *street {
	one := tool.Func(tool.Spec{Name: "waits", Description: "Waits."},
		func(context.Context, struct{}, tool.Env) (string, error) {
			time.Sleep(8 * time.Second)
			return "finished", nil
		})
	tools, err := registry.New(one)
	require.NoError(t, err)
	server, err := mcpserver.New(t.Context(), mcpserver.Fixed(tools, registry.Env{}), &mcpserver.Options{Rate: 1e6})
	require.NoError(t, err)
	tokens, err := mcphttp.ParseTokens([]byte(`{"tokens": [{"token": "` + secret + `", "project": "p"}]}`))
	require.NoError(t, err)
	if !everybody {
		config.Token = func(r *http.Request) *mcphttp.Token { return mcphttp.Find(tokens, r) }
	}
	config.Handler = mcpserver.NewHandler(func(r *http.Request) (*mcpserver.Server, error) {
		if config.Token != nil && config.Token(r) == nil {
			return nil, mcpserver.ErrUnauthorized
		}
		return server, nil
	}, &mcpserver.HandlerOptions{Stateless: true})
	config.Metrics, config.Logger = mcphttp.NewMetrics(true), slog.New(slog.DiscardHandler)
	config.Ready = func(context.Context) error { time.Sleep(7 * time.Second); return nil }
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	network := memnet.New()
	at, err := network.Listen(t.Context(), "tcp", "127.0.0.1:80")
	require.NoError(t, err)
	s := &street{network, t, at}
	ended := make(chan error)
	go func() { ended <- mcphttp.Serve(ctx, at, config) }()
	t.Cleanup(func() {
		cancel()
		require.NoError(t, <-ended) // which has closed the listener
	})
	return s
}

const (
	secret = "secret-secret-secret-secret"
	ping   = `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	waits  = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"waits"}}`
)

// request sends a request, and returns the status and the answer.
func request(t *testing.T, conn net.Conn, token, body string) (int, string) {
	go func() {
		_, _ = fmt.Fprintf(conn, "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAccept: "+
			"application/json, text/event-stream\r\n"+
			"Authorization: Bearer %s\r\nContent-Length: %d\r\n\r\n%s", token, len(body), body)
	}()
	return answer(t, conn)
}

func answer(t *testing.T, conn net.Conn) (int, string) {
	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	require.NoError(t, err)
	text, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return response.StatusCode, string(text)
}

// gone returns after how long a connection has been closed.
func gone(conn net.Conn) <-chan time.Duration {
	start, after := time.Now(), make(chan time.Duration, 1)
	go func() {
		_, _ = io.Copy(io.Discard, conn)
		after <- time.Since(start)
	}()
	return after
}

func TestConnectionsWithoutAToken(t *testing.T) {
	secure := selfSigned(t)
	oneAddress := func(i int) string { return fmt.Sprintf("192.0.2.1:%d", i+1) }
	manyAddresses := func(i int) string { return fmt.Sprintf("10.0.%d.%d:1", i/250, i%250+1) }
	oneNetwork := func(i int) string { return fmt.Sprintf("[2001:db8::%x]:1", i+1) }
	for name, test := range map[string]struct {
		from      func(i int) string
		config    mcphttp.Config
		everybody bool
	}{
		"one address":           {oneAddress, mcphttp.Config{}, false},
		"many addresses":        {manyAddresses, mcphttp.Config{}, false},
		"one network":           {oneNetwork, mcphttp.Config{}, true},
		"many addresses by TLS": {manyAddresses, mcphttp.Config{TLS: secure}, false},
	} {
		from, config := test.from, test.config
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := open(t, config, test.everybody)
				var silent []net.Conn
				for i := range 1100 {
					conn := s.dial(from(i))
					defer conn.Close()
					silent = append(silent, conn)
				}
				start := time.Now()
				// somebody else, and who comes by the same proxy
				for _, at := range []string{"198.51.100.7:1", from(5000)} {
					conn := s.dial(at)
					if config.TLS != nil {
						conn = tls.Client(conn, &tls.Config{InsecureSkipVerify: true})
					}
					defer conn.Close()
					status, text := request(t, conn, secret, ping)
					require.Equal(t, 200, status, text)
					require.Zero(t, time.Since(start))
					// It has shown a token, and may be silent.
					time.Sleep(30 * time.Second)
					status, text = request(t, conn, secret, ping)
					require.Equal(t, 200, status, text)
					start = time.Now()
				}
				for _, conn := range silent {
					require.Zero(t, <-gone(conn)) // for long
				}
			})
		})
	}
}

func TestIntroductions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := open(t, mcphttp.Config{}, false)
		closedAfter := func(send string) time.Duration {
			conn := s.dial("192.0.2.1:1")
			defer conn.Close()
			go func() { _, _ = io.WriteString(conn, send) }()
			return <-gone(conn)
		}
		const head = "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n"
		require.Equal(t, 5*time.Second, closedAfter(""))
		// a head that does not end
		require.Equal(t, 5*time.Second, closedAfter(head))
		// a wrong token
		require.LessOrEqual(t, closedAfter(head+"Authorization: Bearer guessed\r\n\r\n"), 5*time.Second)
		// which needs none
		require.LessOrEqual(t, closedAfter("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"), 5*time.Second)
		// a body that is slow
		require.Greater(t, closedAfter(head+"Authorization: Bearer "+secret+"\r\n\r\n{"), 20*time.Second)
		// What takes its time is answered, with a token and without.
		conn := s.dial("192.0.2.1:1")
		defer conn.Close()
		status, text := request(t, conn, secret, waits)
		require.Equal(t, 200, status)
		require.Contains(t, text, "finished")
		conn = s.dial("192.0.2.1:1")
		defer conn.Close()
		go func() { _, _ = io.WriteString(conn, "GET /readyz HTTP/1.1\r\nHost: localhost\r\n\r\n") }()
		status, text = answer(t, conn)
		require.Equal(t, 200, status, text)
	})
}

// TestMoreConnectionsWithATokenThanThereMayBe has one token take all the room for connections that have shown one.
func TestMoreConnectionsWithATokenThanThereMayBe(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := open(t, mcphttp.Config{}, false)
		for i := range 3200 {
			conn := s.dial(fmt.Sprintf("192.0.2.1:%d", i+1))
			defer conn.Close()
			status, text := request(t, conn, secret, ping)
			require.Equal(t, 200, status, text)
		}
		start := time.Now()
		conn := s.dial("198.51.100.7:1")
		defer conn.Close()
		status, text := request(t, conn, secret, waits)
		require.Equal(t, 200, status, text)
		require.Equal(t, 8*time.Second, time.Since(start))
	})
}

func selfSigned(t *testing.T) *tls.Config {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{SerialNumber: big.NewInt(1), DNSNames: []string{"localhost"}}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	require.NoError(t, err)
	return &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}},
		NextProtos: []string{"h2", "http/1.1"}}
}

// TestHeadersWithManyLines has clients without a token send headers that take much more memory than they have bytes.
func TestHeadersWithManyLines(t *testing.T) {
	secure := selfSigned(t)
	t.Run("plain", func(t *testing.T) { headersWithManyLines(t, nil) })
	t.Run("by TLS", func(t *testing.T) { headersWithManyLines(t, secure) })
}

func headersWithManyLines(t *testing.T, secure *tls.Config) {
	synctest.Test(t, func(t *testing.T) {
		s := open(t, mcphttp.Config{TLS: secure}, false)
		dial := func(from string) net.Conn {
			conn := s.dial(from)
			if secure != nil {
				conn = tls.Client(conn, &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"http/1.1"}})
			}
			return conn
		}
		lines := strings.Repeat("A: b\r\n", 200)
		const head = "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAccept: " +
			"application/json, text/event-stream\r\n"
		send := func(conn net.Conn, text string) (int, string) {
			go func() { _, _ = io.WriteString(conn, text) }()
			return answer(t, conn)
		}
		conn := dial("192.0.2.1:1")
		defer conn.Close()
		status, _ := send(conn, head+lines)
		require.Equal(t, 400, status, "it has not even ended")
		body := "\n\n" + strings.Repeat("\n", 500) + ping
		known := head + "Authorization: Bearer " + secret + "\r\n"
		conn = dial("192.0.2.1:2")
		defer conn.Close()
		status, text := send(conn, fmt.Sprintf("%sContent-Length: %d\r\n\r\n%s", known, len(body), body))
		require.Equal(t, 200, status, text)
		status, text = send(conn, fmt.Sprintf("%s%sContent-Length: %d\r\n\r\n%s", known, lines, len(ping), ping))
		require.Equal(t, 200, status, text)
		// Each request without a token has lines of its own.
		conn = dial("192.0.2.1:3")
		defer conn.Close()
		for range 5 {
			status, text = send(conn, "GET /healthz HTTP/1.1\r\nHost: localhost\r\n"+lines[:60*6]+"\r\n")
			require.Equal(t, 200, status, text)
		}
	})
}

// TestPlainRequestsToTLS has clients that forget the s of https.
func TestPlainRequestsToTLS(t *testing.T) {
	secure := selfSigned(t)
	synctest.Test(t, func(t *testing.T) {
		s := open(t, mcphttp.Config{TLS: secure}, false)
		for _, sent := range []string{"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n", "\x00\x01\x02\x03\x04\x05"} {
			conn := s.dial("192.0.2.1:1")
			go func() { _, _ = io.WriteString(conn, sent) }()
			got, _ := io.ReadAll(conn)
			require.Equal(t, strings.HasPrefix(sent, "GET"), strings.Contains(string(got), "This server speaks HTTPS"),
				sent)
		}
		// Silence is no handshake.
		require.Equal(t, 5*time.Second, <-gone(s.dial("192.0.2.1:2")))
	})
}
