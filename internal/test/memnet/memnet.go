// Package memnet is a network in memory, for servers and clients in one process: as in a bubble of testing/synctest,
// where the clock stands still while somebody waits for a connection of the kernel.
package memnet

import (
	"context"
	"net"
	"net/http"
	"strconv"
	"sync"
	"syscall"
)

// A Network is one machine's: whatever the name in an address is, its port says which listener is meant. It is safe for
// concurrent use.
type Network struct {
	mu        sync.Mutex
	listeners map[int]*listener // by port
	last      int               // of the ports that were given
}

// New returns a network without listeners.
func New() *Network { return &Network{listeners: map[int]*listener{}} }

// Listen has the parameters of [net.ListenConfig].Listen. The port 0 stands for one that is free.
func (n *Network) Listen(_ context.Context, network, address string) (net.Listener, error) {
	at, err := parse(address)
	if err != nil {
		return nil, err
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if at.Port == 0 {
		n.last++
		at.Port = n.last
	}
	if n.listeners[at.Port] != nil {
		return nil, &net.OpError{Op: "listen", Net: network, Addr: at, Err: syscall.EADDRINUSE}
	}
	l := &listener{network: n, at: at, conns: make(chan net.Conn), closed: make(chan struct{})}
	n.listeners[at.Port] = l
	return l, nil
}

// DialContext has the parameters of [net.Dialer].DialContext. Where nobody listens, connections are refused.
func (n *Network) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	from, err := parse(address)
	if err != nil {
		return nil, err
	}
	n.mu.Lock()
	n.last++
	from.Port = n.last
	n.mu.Unlock()
	return n.DialFrom(ctx, from, network, address)
}

// DialFrom is DialContext for a connection that comes from an address, which may be that of another machine.
func (n *Network) DialFrom(ctx context.Context, from *net.TCPAddr, network, address string) (net.Conn, error) {
	to, err := parse(address)
	if err != nil {
		return nil, err
	}
	n.mu.Lock()
	l := n.listeners[to.Port]
	n.mu.Unlock()
	refused := &net.OpError{Op: "dial", Net: network, Addr: to, Err: syscall.ECONNREFUSED}
	if l == nil {
		return nil, refused
	}
	theirs, ours := net.Pipe()
	select {
	case l.conns <- conn{theirs, to, from}:
		return conn{ours, from, to}, nil
	case <-l.closed:
		return nil, refused
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Transport returns a new transport of HTTP over the network. The caller closes its idle connections.
func (n *Network) Transport() *http.Transport { return &http.Transport{DialContext: n.DialContext} }

// parse returns an address: without a host it is that of all interfaces, and each name stands for 127.0.0.1.
func parse(address string) (*net.TCPAddr, error) {
	host, text, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	port, err := strconv.ParseUint(text, 10, 16)
	if err != nil {
		return nil, err
	}
	ip := net.ParseIP(host)
	switch {
	case host == "":
		ip = net.IPv6unspecified
	case ip == nil:
		ip = net.IPv4(127, 0, 0, 1)
	}
	return &net.TCPAddr{IP: ip, Port: int(port)}, nil
}

type listener struct {
	network *Network
	at      *net.TCPAddr
	conns   chan net.Conn
	once    sync.Once
	closed  chan struct{}
}

func (l *listener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *listener) Close() error {
	l.once.Do(func() {
		close(l.closed)
		l.network.mu.Lock()
		defer l.network.mu.Unlock()
		delete(l.network.listeners, l.at.Port)
	})
	return nil
}

func (l *listener) Addr() net.Addr { return l.at }

// A conn is one end of a pipe, with addresses.
type conn struct {
	net.Conn
	local, remote net.Addr
}

func (c conn) LocalAddr() net.Addr  { return c.local }
func (c conn) RemoteAddr() net.Addr { return c.remote }
