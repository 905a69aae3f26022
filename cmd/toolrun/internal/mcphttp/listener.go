package mcphttp

import (
	"container/list"
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"time"
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

// A door is a listener that lets in whoever comes, and has new connections leave that show no token: when their time
// is up, or earlier if there are too many, the one first that has been silent longest.
type door struct {
	net.Listener

	mu    sync.Mutex
	fresh *list.List // of *guest, in the order in which they have come
	from  map[netip.Prefix]int
	known int
}

func newDoor(listener net.Listener) *door {
	return &door{Listener: listener, fresh: list.New(), from: map[netip.Prefix]int{}}
}

// Accept returns the next connection that there is room for.
func (d *door) Accept() (net.Conn, error) {
	for {
		conn, err := d.Listener.Accept()
		if err != nil {
			return nil, err
		}
		g := &guest{Conn: conn, door: d, from: network(conn.RemoteAddr())}
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

// enter makes room for a connection, and returns the one that must leave for it, if there is one.
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

// silent returns the first new connection without a request that is being answered, of one network or of all. The
// lock is held.
func (d *door) silent(from netip.Prefix, only bool) *guest {
	for e := d.fresh.Front(); e != nil; e = e.Next() {
		if g := e.Value.(*guest); g.serving == 0 && (!only || g.from == from) {
			return g
		}
	}
	return nil
}

// leave takes a new connection out. The lock is held.
func (d *door) leave(g *guest) {
	g.timer.Stop()
	d.fresh.Remove(g.place)
	g.place = nil
	if d.from[g.from]--; d.from[g.from] == 0 {
		delete(d.from, g.from)
	}
}

// network is what connections are counted by: an address, or what one customer usually has of IPv6.
func network(address net.Addr) netip.Prefix {
	at, err := netip.ParseAddrPort(address.String())
	if err != nil { // those of streams that have none are one
		return netip.Prefix{}
	}
	ip, bits := at.Addr().Unmap(), 32
	if ip.Is6() {
		bits = 64
	}
	prefix, _ := ip.WithZone("").Prefix(bits)
	return prefix
}

// A guest is a connection.
type guest struct {
	net.Conn
	door *door
	from netip.Prefix

	// The door's lock is for what follows.
	place   *list.Element // among new ones, or nil
	known   bool
	closed  bool
	serving int // requests that are being answered
	served  time.Time
	timer   *time.Timer
}

// sending is how long the last answer may take until the connection has it.
const sending = time.Second

// expire ends a connection whose time is up. Requests that are being served still get their answers.
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

// Close closes the connection, and gives its place away.
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

// serve notes that a request begins, or ends.
func (g *guest) serve(n int) {
	g.door.mu.Lock()
	defer g.door.mu.Unlock()
	g.serving += n
	if n < 0 {
		g.served = time.Now()
	}
}

// know keeps a connection that has shown a token. If there are too many of them, it goes on as a new one, which ends
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

// withGuest puts a connection into the context of its requests.
func withGuest(ctx context.Context, conn net.Conn) context.Context {
	if secure, ok := conn.(*tls.Conn); ok {
		conn = secure.NetConn()
	}
	return context.WithValue(ctx, guestKey{}, conn)
}

// known keeps the connection of a request that may be made.
func known(r *http.Request) {
	if g, ok := r.Context().Value(guestKey{}).(*guest); ok {
		g.know()
	}
}

// serving has a connection stay while its requests are answered. If nobody needs a token, each is one that may be made.
func serving(next http.Handler, open bool) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if g, ok := r.Context().Value(guestKey{}).(*guest); ok {
			g.serve(1)
			defer g.serve(-1)
			if open {
				g.know()
			}
		}
		next.ServeHTTP(w, r)
	})
}
