package mcphttp

import (
	"container/list"
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"time"

	"github.com/toolrun/toolrun/internal/net/clientaddr"
)

// Limits on simultaneous connections. Connections that have shown a token have separate room, so clients without a
// token cannot lock them out. They are not counted by address, because all may come through one proxy.
const (
	maxKnown   = 3072
	maxNew     = 1024
	maxNewFrom = 512 // of one address, or of one network of IPv6: programs begin hundreds at once
)

// introduction is how long a connection may take until it shows a token: for its handshake, if it has one, and its
// first request but for the body.
const introduction = 5 * time.Second

// A door is a listener that accepts everybody, but closes connections that show no token: when their time is up, or
// earlier if there are too many, beginning with the one that has been silent longest.
type door struct {
	net.Listener
	plain bool // connections are not encrypted, so that requests are seen

	mu    sync.Mutex
	fresh *list.List // of *guest without a token, oldest first
	from  map[netip.Prefix]int
	known int
}

func newDoor(listener net.Listener, plain bool) *door {
	return &door{Listener: listener, plain: plain, fresh: list.New(), from: map[netip.Prefix]int{}}
}

// Accept returns the next connection for which there is room.
func (d *door) Accept() (net.Conn, error) {
	for {
		conn, err := d.Listener.Accept()
		if err != nil {
			return nil, err
		}
		g := &guest{Conn: conn, door: d, from: clientaddr.Network(conn.RemoteAddr().String())}
		leaves, ok := d.enter(g)
		if leaves != nil {
			_ = leaves.Close()
		}
		if ok {
			return g, nil
		}
		_ = conn.Close()
	}
}

// enter makes room for a connection, and returns the one to close for it, if any.
func (d *door) enter(g *guest) (leaves *guest, ok bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	crowd := d.from[g.from] >= maxNewFrom
	if crowd || d.fresh.Len() >= maxNew {
		if leaves = d.silent(g.from, crowd); leaves == nil {
			return nil, false
		}
		d.leave(leaves)
	}
	g.place = d.fresh.PushBack(g)
	d.from[g.from]++
	g.timer = time.AfterFunc(introduction, g.expire)
	return leaves, true
}

// silent returns the oldest new connection, of one network or of all, that is not being served. The lock is held.
func (d *door) silent(from netip.Prefix, only bool) *guest {
	for e := d.fresh.Front(); e != nil; e = e.Next() {
		if g := e.Value.(*guest); g.serving == 0 && (!only || g.from == from) {
			return g
		}
	}
	return nil
}

// leave removes a connection from the new ones. The lock is held.
func (d *door) leave(g *guest) {
	g.timer.Stop()
	d.fresh.Remove(g.place)
	g.place = nil
	if d.from[g.from]--; d.from[g.from] == 0 {
		delete(d.from, g.from)
	}
}

// A guest is a connection.
type guest struct {
	net.Conn
	door *door
	from netip.Prefix

	// The door's lock guards these fields.
	place   *list.Element // in door.fresh, or nil
	known   bool
	closed  bool
	serving int // requests that are being answered
	served  time.Time
	timer   *time.Timer
	head    head
}

// maxLines is how many lines the header of a request may have until its connection has shown a token. Many short ones
// take much more memory than they have bytes, and package net/http has no limit on them.
const maxLines = 100

var errLines = errors.New("the header of the request has too many lines")

// A head counts the lines of a header as they come.
type head struct {
	lines int
	empty bool // the line that comes has nothing yet
	over  bool // what comes is the body
}

// add reports whether the header still has few enough lines.
func (h *head) add(data []byte) bool {
	for _, c := range data {
		switch {
		case h.over:
			return true
		case c == '\n':
			h.over = h.empty && h.lines > 0
			h.empty = true
			h.lines++
		case c != '\r':
			h.empty = false
		}
		if h.lines > maxLines {
			return false
		}
	}
	return true
}

// Read reads what comes, and fails if the header of a request has too many lines.
func (g *guest) Read(p []byte) (int, error) {
	n, err := g.Conn.Read(p)
	if !g.door.plain {
		return n, err
	}
	return g.count(p, n, err)
}

// count returns what a read of n bytes of requests has returned, or an error if a header has too many lines.
func (g *guest) count(p []byte, n int, err error) (int, error) {
	g.door.mu.Lock()
	defer g.door.mu.Unlock()
	if !g.known && !g.head.add(p[:n]) {
		return 0, errLines
	}
	return n, err
}

// sending is how long the last response may take to be sent.
const sending = time.Second

// expire closes a connection whose time is up, unless it is being served.
func (g *guest) expire() {
	g.door.mu.Lock()
	busy := g.serving > 0 || time.Since(g.served) < sending
	if busy && g.place != nil {
		g.timer.Reset(time.Second)
	}
	over := !busy && g.place != nil
	g.door.mu.Unlock()
	if over {
		_ = g.Close()
	}
}

// Close closes the connection and frees its place.
func (g *guest) Close() error {
	g.door.mu.Lock()
	if g.place != nil {
		g.door.leave(g)
	}
	if g.known && !g.closed {
		g.door.known--
	}
	g.closed = true
	g.door.mu.Unlock()
	return g.Conn.Close()
}

// serve notes that a request begins (1) or ends (-1).
func (g *guest) serve(n int) {
	g.door.mu.Lock()
	defer g.door.mu.Unlock()
	g.serving += n
	if n < 0 {
		g.served = time.Now()
		g.head = head{} // of the next one
	}
}

// know keeps a connection that has shown a token. If there are too many of those, it stays a new one, which is closed
// sooner.
func (g *guest) know() {
	g.door.mu.Lock()
	defer g.door.mu.Unlock()
	if g.place == nil || g.door.known >= maxKnown {
		return
	}
	g.door.leave(g)
	g.known = true
	g.door.known++
}

type guestKey struct{}

// withGuest adds the connection to the context of its requests.
func withGuest(ctx context.Context, conn net.Conn) context.Context {
	return context.WithValue(ctx, guestKey{}, conn)
}

// guestOf returns the connection of a request, or nil.
func guestOf(r *http.Request) *guest {
	switch conn := r.Context().Value(guestKey{}).(type) {
	case *guest:
		return conn
	case *secureConn:
		return conn.guest
	case *tls.Conn:
		g, _ := conn.NetConn().(*guest)
		return g
	}
	return nil
}

// Known keeps the connection of a request that has shown who makes it.
func Known(r *http.Request) {
	if g := guestOf(r); g != nil {
		g.know()
	}
}

// serving keeps connections open while their requests are served. If no token is needed, every connection with a
// request is kept.
func serving(next http.Handler, open bool) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		secured(r)
		if g := guestOf(r); g != nil {
			g.serve(1)
			defer g.serve(-1)
			if open {
				g.know()
			}
		}
		next.ServeHTTP(w, r)
	})
}
