package mcphttp

import (
	"net"
	"sync"
)

// maxConnections is how many connections there can be at a time; more wait.
const maxConnections = 4096

// limit returns a listener that has no more than some connections open.
func limit(listener net.Listener, n int) net.Listener {
	return &limitListener{listener, make(chan struct{}, n), make(chan struct{}), sync.Once{}}
}

type limitListener struct {
	net.Listener
	open   chan struct{}
	closed chan struct{}
	once   sync.Once
}

func (l *limitListener) Accept() (net.Conn, error) {
	select {
	case l.open <- struct{}{}:
	case <-l.closed:
		return nil, net.ErrClosed
	}
	conn, err := l.Listener.Accept()
	if err != nil {
		<-l.open
		return nil, err
	}
	return &limitedConn{Conn: conn, release: sync.OnceFunc(func() { <-l.open })}, nil
}

func (l *limitListener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return l.Listener.Close()
}

type limitedConn struct {
	net.Conn
	release func()
}

func (c *limitedConn) Close() error {
	defer c.release()
	return c.Conn.Close()
}
