//go:build systemtest

package replicas_test

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A cutter passes connections on to a database, until it cuts them. It knows as much of PostgreSQL's protocol as it
// takes to see commits.
//
// https://www.postgresql.org/docs/current/protocol-message-formats.html
type cutter struct {
	listener net.Listener
	to       string

	mu    sync.Mutex
	conns map[net.Conn]bool
	// armed is how many of the next commits are cut: those with an odd number before the database gets them, and the
	// others before the answer comes back.
	armed int
	// before and after are how many have been cut.
	before, after int
}

func newCutter(t *testing.T, port int) *cutter {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	c := &cutter{listener: listener, to: fmt.Sprintf("127.0.0.1:%d", port), conns: map[net.Conn]bool{}}
	t.Cleanup(func() { _ = listener.Close(); c.cut() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go c.pass(conn)
		}
	}()
	return c
}

func (c *cutter) port() int { return c.listener.Addr().(*net.TCPAddr).Port }

func (c *cutter) pass(from net.Conn) {
	defer from.Close()
	to, err := net.Dial("tcp", c.to)
	if err != nil {
		return
	}
	c.mu.Lock()
	c.conns[from] = true
	c.mu.Unlock()
	go func() {
		defer to.Close()
		_, _ = io.Copy(from, to)
		_ = from.Close()
		// What the database has got of a commit is to take effect, although nobody learns it.
		_ = to.SetReadDeadline(time.Now().Add(time.Second))
		_, _ = io.Copy(io.Discard, to)
	}()
	if !c.request(from, to) {
		_ = to.Close()
	}
	c.mu.Lock()
	delete(c.conns, from)
	c.mu.Unlock()
}

// request passes on what goes to the database. It reports whether the database is still at work on the last of it.
func (c *cutter) request(from, to net.Conn) (busy bool) {
	in, out := bufio.NewReaderSize(from, 64<<10), bufio.NewWriterSize(to, 64<<10)
	commits := map[string]bool{} // names of statements
	ending := false
	for first := true; ; first = false {
		head := make([]byte, 5)
		if first { // has no type
			head = head[:4]
		}
		if _, err := io.ReadFull(in, head); err != nil {
			return ending
		}
		size := int64(binary.BigEndian.Uint32(head[len(head)-4:])) - 4
		var start []byte // of the message
		if !first && (head[0] == 'P' || head[0] == 'B') {
			start = make([]byte, min(size, 1000))
			if _, err := io.ReadFull(in, start); err != nil {
				return ending
			}
		}
		if !first && isCommit(head[0], start, commits) {
			switch c.cutNow() {
			case 1: // what has been sent of the transaction ends with the connection
				return false
			case 2:
				ending = true
			}
		}
		_, err := out.Write(append(head, start...))
		if err == nil {
			_, err = io.CopyN(out, in, size-int64(len(start)))
		}
		if ending && head[0] == 'S' {
			_ = out.Flush()
			_ = from.Close()
			return true
		}
		if err == nil && in.Buffered() == 0 {
			err = out.Flush()
		}
		if err != nil {
			return false
		}
	}
}

// isCommit reports whether a message executes COMMIT. It notes the names of statements that do.
func isCommit(kind byte, message []byte, commits map[string]bool) bool {
	first, rest, _ := bytes.Cut(message, []byte{0})
	second, _, _ := bytes.Cut(rest, []byte{0})
	if kind == 'P' { // a name, and the statement
		commits[string(first)] = string(second) == "COMMIT"
		return false
	}
	return commits[string(second)] // the names of a portal and of a statement
}

// cutNow reports whether a commit is cut: 1 is before the database gets it, 2 after that.
func (c *cutter) cutNow() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.armed == 0:
		return 0
	case c.armed%2 == 1:
		c.armed--
		c.before++
		return 1
	}
	c.armed--
	c.after++
	return 2
}

// arm has the next commits cut.
func (c *cutter) arm(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.armed = n
}

// cut ends all connections in the middle of whatever they do.
func (c *cutter) cut() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for conn := range c.conns {
		_ = conn.Close()
	}
}
