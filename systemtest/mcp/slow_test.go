//go:build systemtest

package mcp_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/test/mcptest"
	"github.com/toolrun/toolrun/mcp/mcpserver"
	"github.com/toolrun/toolrun/registry"
)

// counted counts what is read.
type counted struct {
	io.Reader
	n atomic.Int64
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.n.Add(int64(n))
	return n, err
}

// flood sends a line again and again, with another id each time.
type flood struct {
	line string
	n    int
	rest string
}

func (e *flood) Read(p []byte) (int, error) {
	if e.rest == "" {
		e.n++
		e.rest = fmt.Sprintf(e.line, e.n) + "\n"
	}
	n := copy(p, e.rest)
	e.rest = e.rest[n:]
	return n, nil
}

// TestClientsThatDoNotRead has one that sends requests without end, and takes no answers: it is not read from any
// more, and does not keep the server from ending.
func TestClientsThatDoNotRead(t *testing.T) {
	t.Parallel()
	for name, line := range map[string]string{
		"pings": `{"jsonrpc":"2.0","id":"p%d","method":"ping"}`,
		"calls": `{"jsonrpc":"2.0","id":"c%d","method":"tools/call",` +
			`"params":{"name":"length","arguments":{"text":"1"}}}`,
		"what is no message": `{%d`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tools, err := registry.New(mcptest.Measured()...)
			require.NoError(t, err)
			server, err := mcpserver.New(t.Context(), mcpserver.Fixed(tools, registry.Env{}), nil)
			require.NoError(t, err)
			unread, out := io.Pipe()
			defer unread.Close()
			in := &counted{Reader: io.MultiReader(strings.NewReader(initializeRequest+"\n"+
				`{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n"), &flood{line: line})}
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			ended := make(chan error, 1)
			go func() { ended <- server.ServeStdio(ctx, in, out) }()
			_, err = bufio.NewReaderSize(unread, 16).ReadString('\n') // the answer to initialize
			require.NoError(t, err)
			requireQuiet(t, in)
			require.Less(t, in.n.Load(), int64(2<<20))
			cancel()
			select {
			case err := <-ended:
				require.ErrorIs(t, err, context.Canceled)
			case <-time.After(2 * time.Minute):
				require.FailNow(t, "the server does not end")
			}
			require.NoError(t, server.Shutdown(t.Context()))
			requireQuiet(t, in)
		})
	}
}

// requireQuiet checks that after a while nothing reads any more.
func requireQuiet(t *testing.T, in *counted) {
	require.Eventually(t, func() bool {
		before := in.n.Load()
		time.Sleep(300 * time.Millisecond)
		return before == in.n.Load()
	}, 2*time.Minute, time.Millisecond)
}
