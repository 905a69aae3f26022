package mcpserver_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/mcp/mcpserver"
	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/local"
)

// unreachable are records that cannot be reached while lost is set.
type unreachable struct {
	vfs.Records
	lost atomic.Bool
}

var errLost = errors.New("the network is gone")

func (u *unreachable) Change(
	ctx context.Context, name string, keep time.Duration, change func([]byte) ([]byte, error),
) error {
	if u.lost.Load() {
		return errLost
	}
	return u.Records.Change(ctx, name, keep, change)
}

func (u *unreachable) List(ctx context.Context, after string, limit int) ([]string, error) {
	if u.lost.Load() {
		return nil, errLost
	}
	return u.Records.List(ctx, after, limit)
}

// TestRatesAreShared: handlers with the same records accept together what one would accept, also when some come, end,
// are lost or have nothing to do. The time is that of the bubble, so all numbers are exact.
func TestRatesAreShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const perSecond = 30
		store := local.NewMemoryStore(nil)
		records := make([]*unreachable, 3)
		handlers := make([]*mcpserver.Handler, 3)
		start := func(i int, identity string) {
			records[i] = &unreachable{Records: store.Records("sessions")}
			server := newServer(t, builtIn(t), nil, &mcpserver.Options{Rate: perSecond, Identity: identity})
			handlers[i] = mcpserver.NewHandler(func(*http.Request) (*mcpserver.Server, error) { return server, nil },
				&mcpserver.HandlerOptions{Shared: records[i]})
		}
		accepted := func(which ...int) (total []int) {
			for _, i := range which {
				n := 0
				for range 10 * perSecond {
					w := httptest.NewRecorder()
					r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "http://localhost/",
						strings.NewReader("{"))
					handlers[i].ServeHTTP(w, r)
					if w.Code != http.StatusTooManyRequests {
						n++
					}
				}
				total = append(total, n)
			}
			return total
		}
		// What is accepted at once is twice the part and one more; it is there again some seconds later.
		settle := func(which ...int) {
			for range 20 {
				time.Sleep(time.Second)
				accepted(which...)
			}
			time.Sleep(2500 * time.Millisecond)
		}
		for i := range handlers {
			start(i, "token")
		}
		require.Equal(t, []int{61}, accepted(0), "alone")
		settle(0, 1, 2)
		require.Equal(t, []int{21, 21, 21}, accepted(0, 1, 2))
		for range 5 {
			time.Sleep(time.Second)
			require.Equal(t, []int{10, 10, 10}, accepted(0, 1, 2), "together what one may accept")
		}
		require.Equal(t, 3, handlers[1].Replicas())

		require.NoError(t, handlers[2].Shutdown(context.Background()))
		time.Sleep(6 * time.Second)
		require.Equal(t, []int{31, 31}, accepted(0, 1), "what has ended gives its part back at once")

		records[1].lost.Store(true)
		settle(0, 1)
		require.Equal(t, []int{61, 31}, accepted(0, 1), "what is lost gives it back, and is not more than it was")
		records[1].lost.Store(false)
		settle(0, 1)
		require.Equal(t, []int{31, 31}, accepted(0, 1))

		for range 60 {
			time.Sleep(time.Second)
			accepted(1)
		}
		time.Sleep(2500 * time.Millisecond)
		require.Equal(t, []int{61}, accepted(1), "who has nothing to do needs no part")
		settle(0, 1)
		require.Equal(t, []int{31, 31}, accepted(0, 1))

		start(2, "")
		require.Equal(t, []int{61}, accepted(2), "a server that nobody knows has its own")
		time.Sleep(6 * time.Second)
		require.Equal(t, []int{61}, accepted(2))

		// The records are no sessions.
		names, err := records[0].List(t.Context(), "", 0)
		require.NoError(t, err)
		require.Len(t, names, 2)
		time.Sleep(time.Second)
		for _, method := range []string{http.MethodPost, http.MethodGet, http.MethodDelete} {
			w := httptest.NewRecorder()
			r := httptest.NewRequestWithContext(t.Context(), method, "http://localhost/",
				strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"ping"}`))
			r.Header.Set("Mcp-Session-Id", names[1])
			handlers[0].ServeHTTP(w, r)
			require.Equal(t, http.StatusNotFound, w.Code, method)
		}
		for _, h := range handlers {
			require.NoError(t, h.Shutdown(context.Background()))
		}
		names, err = records[0].List(t.Context(), "", 0)
		require.NoError(t, err)
		require.Empty(t, names)
		require.NoError(t, store.Close())
	})
}
