package selftest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"

	"github.com/toolrun/toolrun/internal/procmem"
	"github.com/toolrun/toolrun/mcp/mcpserver"
	"github.com/toolrun/toolrun/registry"
)

// listen serves HTTP on the loopback interface, until close is called.
func listen(handler http.Handler) (url string, close func(), err error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	server := &http.Server{Handler: handler}
	go func() { _ = server.Serve(listener) }()
	return "http://" + listener.Addr().String() + "/", func() { _ = server.Close() }, nil
}

// A client sends messages to a server over HTTP.
type client struct {
	ctx context.Context
	url string
	*http.Client
}

// serve starts a server over HTTP.
func serve(ctx context.Context, tools *registry.Registry) (c *client, close func(), err error) {
	server, err := newServer(ctx, tools)
	if err != nil {
		return nil, nil, err
	}
	handler := mcpserver.NewHandler(func(*http.Request) (*mcpserver.Server, error) { return server, nil }, nil)
	url, stop, err := listen(handler)
	if err != nil {
		return nil, nil, err
	}
	transport := &http.Transport{MaxIdleConnsPerHost: 100}
	c = &client{ctx, url, &http.Client{Transport: transport}}
	return c, func() {
		transport.CloseIdleConnections()
		_ = handler.Shutdown(ctx)
		stop()
	}, nil
}

// post sends a message, and returns the beginning of the answer.
func (c *client) post(session string, message text) (status int, newSession string, answer []byte, err error) {
	request, err := http.NewRequestWithContext(c.ctx, http.MethodPost, c.url, message.reader())
	if err != nil {
		return 0, "", nil, err
	}
	request.ContentLength = message.size()
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json, text/event-stream")
	if session != "" {
		request.Header.Set("Mcp-Session-Id", session)
		request.Header.Set("Mcp-Protocol-Version", "2025-06-18")
	}
	response, err := c.Do(request)
	if err != nil {
		return 0, "", nil, err
	}
	defer response.Body.Close()
	answer, err = io.ReadAll(io.LimitReader(response.Body, 64<<10))
	if err == nil {
		_, err = io.Copy(io.Discard, response.Body)
	}
	return response.StatusCode, response.Header.Get("Mcp-Session-Id"), answer, err
}

// begin begins a session.
func (c *client) begin() (session string, err error) {
	status, session, answer, err := c.post("", text{head: initialize, unit: " "})
	if err == nil && (status != http.StatusOK || session == "") {
		err = fmt.Errorf("a session did not begin: %d %s", status, answer)
	}
	if err == nil {
		_, _, _, err = c.post(session, text{head: initialized, unit: " "})
	}
	return session, err
}

// check makes a correct call.
func (c *client) check(session string) error {
	status, _, answer, err := c.post(session, text{head: correctCall, unit: " "})
	if err == nil && (status != http.StatusOK || !bytes.Contains(answer, []byte("right"))) {
		err = fmt.Errorf("%d %s", status, answer)
	}
	if err != nil {
		return fmt.Errorf("a correct call did not work after it: %w", err)
	}
	return nil
}

// overHTTP is an attack by simultaneous requests, each in its own session.
func overHTTP(atOnce int, message text) preparation {
	return func(ctx context.Context) (func() (string, error), func(), error) {
		tools, err := echoes()
		if err != nil {
			return nil, nil, err
		}
		c, close, err := serve(ctx, tools)
		if err != nil {
			return nil, nil, err
		}
		sessions := make([]string, atOnce)
		for i := range sessions {
			if sessions[i], err = c.begin(); err != nil {
				close()
				return nil, nil, err
			}
		}
		attack := func() (string, error) {
			endings, errs := make([]string, atOnce), make([]error, atOnce)
			var group sync.WaitGroup
			for i, session := range sessions {
				group.Go(func() {
					status, _, answer, err := c.post(session, message)
					endings[i], errs[i] = answered, err
					if status >= 400 || bytes.Contains(answer, []byte(`"error":{`)) {
						endings[i] = refused
					}
				})
			}
			group.Wait()
			if err := errors.Join(errs...); err != nil {
				return "", err
			}
			again, err := c.begin()
			if err != nil {
				return "", err
			}
			return endings[0], c.check(again)
		}
		return attack, close, nil
	}
}

// greetings is an attack by as many sessions as a server allows. It first finds out how large a greeting can be.
func greetings(ctx context.Context) (func() (string, error), func(), error) {
	tools, err := echoes()
	if err != nil {
		return nil, nil, err
	}
	greeting := text{
		head: `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18",` +
			`"clientInfo":{"name":"c","version":"1"},"capabilities":{"experimental":{"a":[`,
		unit: "[],", tail: "[]]}}}}",
	}
	c, close, err := serve(ctx, tools)
	if err != nil {
		return nil, nil, err
	}
	size := 1 << 10
	for ; size < 1<<20; size *= 2 {
		status, session, _, err := c.post("", greeting.sized(2*size))
		if err != nil {
			close()
			return nil, nil, err
		}
		if status >= 400 || session == "" {
			break
		}
	}
	close() // these sessions must not count
	if c, close, err = serve(ctx, tools); err != nil {
		return nil, nil, err
	}
	before := procmem.Resident()
	attack := func() (string, error) {
		for i := range mcpserver.DefaultSessions {
			if procmem.Resident()-before > 2*most {
				break // this shows it
			}
			status, session, answer, err := c.post("", greeting.sized(size))
			if err == nil && (status != http.StatusOK || session == "") {
				err = fmt.Errorf("session %d did not begin: %d %s", i+1, status, answer)
			}
			if err == nil && i == 0 {
				err = c.check(session)
			}
			if err != nil {
				return "", err
			}
		}
		return answered, nil
	}
	return attack, close, nil
}
