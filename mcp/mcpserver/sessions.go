package mcpserver

import (
	"context"
	"errors"
	"sync"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// beganKey is for what a server calls when a session has begun, in the context of the request that begins it.
type beganKey struct{}

// open makes room for a session that may begin. The server is nil if each session gets one.
func (h *Handler) open(server *Server) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	most, each, used := h.options.Sessions, h.options.ServerSessions, h.used[server]
	full := h.sessions+h.opening >= most && (each >= most || used >= max(1, most/100))
	if h.closed || full || used >= each {
		return false
	}
	h.opening++
	h.use(server, 1)
	return true
}

// opened takes back what open has done: the session has begun, or will not.
func (h *Handler) opened(server *Server) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.opening--
	h.use(server, -1)
}

// use counts sessions of a server. The lock is held.
func (h *Handler) use(server *Server, n int) {
	if server == nil {
		return
	}
	if h.used[server] += n; h.used[server] == 0 {
		delete(h.used, server)
	}
}

// began counts a session until it ends.
func (h *Handler) began(e *endpoint, session *sdk.ServerSession) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.sessions++
	e.begun = true
	if e.end != nil {
		h.own[session.ID()] = e
	} else {
		h.use(e.server, 1)
	}
	closed := h.closed
	go func() {
		if closed { // after Shutdown has looked which there are
			_ = session.Close()
		}
		_ = session.Wait() // however it has ended
		h.mu.Lock()
		h.sessions--
		delete(h.own, session.ID())
		if live := h.live[session.ID()]; live != nil && live.session == session {
			delete(h.live, session.ID())
		}
		if e.end == nil {
			h.use(e.server, -1)
		}
		h.mu.Unlock()
		if e.end != nil {
			h.finish(e)
		}
	}()
}

// finish ends a server that only one session has had.
func (h *Handler) finish(e *endpoint) {
	_ = e.server.Shutdown(context.Background()) // the session has ended, and its calls with it
	e.end()
}

// Sessions returns the number of sessions.
func (h *Handler) Sessions() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.sessions
}

// Shutdown refuses all further requests, and shuts down the servers that the handler has served, as
// [Server.Shutdown] does.
func (h *Handler) Shutdown(ctx context.Context) error {
	h.mu.Lock()
	h.closed = true
	if h.unwatch != nil {
		h.unwatch()
	}
	var servers []*Server
	for server := range h.endpoints {
		servers = append(servers, server)
	}
	for _, e := range h.own {
		servers = append(servers, e.server)
	}
	h.mu.Unlock()
	errs := make([]error, len(servers))
	var group sync.WaitGroup
	for i, server := range servers {
		group.Go(func() { errs[i] = server.Shutdown(ctx) })
	}
	group.Wait()
	h.endSharing()
	return errors.Join(errs...)
}
