package cli_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/VictoriaMetrics/metrics"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/cmd/toolrun/internal/cli"
	"github.com/toolrun/toolrun/internal/test/enginetest"
	"github.com/toolrun/toolrun/internal/test/memnet"
	"github.com/toolrun/toolrun/internal/test/toolruntest"
	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/local"
)

// A cluster is a store in memory, which commands take for a database, and a network in memory: all that toolrun mcp on
// several machines has in common. It is for bubbles, whose clock is the servers' clock.
type cluster struct {
	network *memnet.Network
	store   vfs.Store
	host    *cli.Host
	file    string // of tokens
	tokens  []string
}

func newCluster(t *testing.T) *cluster {
	engine, err := sandbox.New(&sandbox.EngineOptions{CacheDir: enginetest.CacheDir()}) // it belongs to the bubble
	require.NoError(t, err)
	c := &cluster{network: memnet.New(), store: local.NewMemoryStore(nil), host: newHost(t)}
	t.Cleanup(func() { require.NoError(t, errors.Join(c.store.Close(), engine.Close(context.Background()))) })
	c.file, c.tokens = toolruntest.Tokens(t, 2)
	c.host.Engine, c.host.Listen = engine, c.network.Listen
	c.host.LookupEnv = environment("TOOLRUN_DATA=postgres://in.memory/")
	return c
}

// machine is a host of the cluster, which can lose the store.
func (c *cluster) machine() (host *cli.Host, lost *atomic.Bool) {
	on := *c.host
	lost = &atomic.Bool{}
	on.OpenStore = func(context.Context, string, *vfs.Options) (vfs.Store, error) {
		return sharedStore{c.store, lost}, nil
	}
	return &on, lost
}

// The goroutine that all summaries have in common begins with the first, and must not belong to a bubble.
var _ = metrics.NewSummary("outside_of_bubbles")

// A replica is one of the servers of a cluster.
type replica struct {
	*started
	lost *atomic.Bool
}

func (c *cluster) serve(t *testing.T, args ...string) *replica {
	host, lost := c.machine()
	s := serve(t, host, append([]string{"--http", "localhost:0", "--tokens", c.file}, args...)...)
	transport := c.network.Transport()
	t.Cleanup(transport.CloseIdleConnections)
	s.Transport = transport
	return &replica{s, lost}
}

// kill ends a server that tells the others nothing of it.
func (r *replica) kill() {
	r.lost.Store(true)
	r.stop()
	r.wait()
}

// sharedStore is the store of a cluster as one machine has it, until it is lost.
type sharedStore struct {
	vfs.Store
	lost *atomic.Bool
}

func (sharedStore) Close() error { return nil }

// With is what databases have, whose connections last as long as the command.
func (s sharedStore) With(*vfs.Options) (vfs.Store, error) { return s, nil }

func (s sharedStore) Records(kind string) vfs.Records {
	return sharedRecords{s.Store.Records(kind), s.lost}
}

// WatchProjects tells nothing while the store is lost.
func (s sharedStore) WatchProjects(ctx context.Context, changed func(id string)) error {
	return s.Store.WatchProjects(ctx, func(id string) {
		if !s.lost.Load() {
			changed(id)
		}
	})
}

type sharedRecords struct {
	vfs.Records
	lost *atomic.Bool
}

var errLost = errors.New("the network is gone")

func (r sharedRecords) Change(
	ctx context.Context, name string, keep time.Duration, change func([]byte) ([]byte, error),
) error {
	if r.lost.Load() {
		return errLost
	}
	return r.Records.Change(ctx, name, keep, change)
}

func (r sharedRecords) List(ctx context.Context, after string, limit int) ([]string, error) {
	if r.lost.Load() {
		return nil, errLost
	}
	return r.Records.List(ctx, after, limit)
}

// anyOf sends each request to another one of the servers.
type anyOf struct {
	next    int
	servers func() []*replica
}

func (a *anyOf) RoundTrip(r *http.Request) (*http.Response, error) {
	servers := a.servers()
	a.next++
	s := servers[a.next%len(servers)]
	r = r.Clone(r.Context())
	r.URL.Host = strings.TrimPrefix(strings.TrimSuffix(s.URL, "/mcp"), "http://")
	return s.Transport.RoundTrip(r)
}

// TestServersContinueSessions has each request of a session reach another server, while servers are killed, told to end
// and started.
func TestServersContinueSessions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCluster(t)
		servers := []*replica{c.serve(t), c.serve(t), c.serve(t)}
		balancer := &anyOf{servers: func() []*replica { return servers }}
		client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
		session, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: servers[0].URL,
			DisableStandaloneSSE: true,
			HTTPClient:           &http.Client{Transport: toolruntest.Bearer{Token: c.tokens[0], Base: balancer}}}, nil)
		require.NoError(t, err)
		n := 0
		works := func(what string) {
			t.Helper()
			for range 2 * len(servers) {
				n++
				text, err := toolruntest.Call(t.Context(), session, "javascript", map[string]any{
					"code": "fs.appendFileSync('/n', 'x'); return fs.readFileSync('/n', 'utf8').length"})
				require.NoError(t, err, what)
				require.True(t, strings.HasPrefix(text, fmt.Sprint(n, "Files: ")), "%s: %s", what, text)
			}
		}
		works("at the beginning")
		servers[0].kill()
		servers = slices.Delete(servers, 0, 1)
		works("after one was killed")
		servers = append(servers, c.serve(t))
		works("with a new one")
		ending := servers[0]
		servers = slices.Delete(servers, 0, 1)
		require.True(t, ending.signals.send(syscall.SIGTERM))
		require.Zero(t, ending.wait())
		works("after one was told to end")
		require.NoError(t, session.Close())
	})
}

// TestServersShareRates: servers accept together what a token's rate is, and know how many of them there are, also
// after one has been killed and another told to end.
func TestServersShareRates(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCluster(t)
		servers := []*replica{c.serve(t, "--rate", "6"), c.serve(t, "--rate", "6"), c.serve(t, "--rate", "6")}
		alone := c.serve(t, "--rate", "6", "--stateless")
		accepted := func(s *replica, requests int) (n int) {
			for range requests {
				r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL, strings.NewReader("{}"))
				require.NoError(t, err)
				response, err := s.Client(c.tokens[0]).Do(r)
				require.NoError(t, err)
				require.NoError(t, response.Body.Close())
				if response.StatusCode != http.StatusTooManyRequests {
					n++
				}
			}
			return n
		}
		// busy lets some seconds pass in which all have something to do. Afterwards, what they may accept at once,
		// twice their part of the rate and one more, is there again.
		busy := func(d time.Duration) {
			for begin := time.Now(); time.Since(begin) < d; time.Sleep(time.Second) {
				for _, s := range servers {
					accepted(s, 1)
				}
			}
			time.Sleep(2500 * time.Millisecond)
		}
		shared := func(what string, parts int) {
			t.Helper()
			for _, s := range servers {
				require.EqualValues(t, parts, s.Metric(t, c.tokens[0], "toolrun_replicas"), what)
			}
			time.Sleep(2500 * time.Millisecond)
			for _, s := range servers {
				require.Equal(t, 2*6/parts+1, accepted(s, 20), what)
			}
		}
		busy(6 * time.Second)
		shared("all of them", 3)
		require.Equal(t, 2*6+1, accepted(alone, 20), "a server without sessions shares nothing")
		servers[0].kill()
		servers = servers[1:]
		busy(3 * time.Second)
		shared("one was killed a moment ago", 3)
		busy(12 * time.Second)
		shared("it was killed a quarter of a minute ago", 2)
		require.True(t, servers[0].signals.send(syscall.SIGTERM))
		require.Zero(t, servers[0].wait())
		servers = servers[1:]
		busy(3 * time.Second)
		shared("one was told to end", 1)
		servers = append(servers, c.serve(t, "--rate", "6"))
		busy(6 * time.Second)
		shared("one was started", 2)
		servers[0].lost.Store(true)
		busy(15 * time.Second)
		require.EqualValues(t, 2, servers[0].Metric(t, c.tokens[0], "toolrun_replicas"), "it goes on with its part")
		servers = servers[1:]
		shared("the other cannot reach the store", 1)
	})
}

// TestServersShareSubscriptions subscribes at one of two servers, and changes the file at the other, by the command,
// and elsewhere without anybody being told.
func TestServersShareSubscriptions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCluster(t)
		one, other := c.serve(t), c.serve(t)
		updates := make(chan string, 10)
		client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, &mcp.ClientOptions{
			ResourceUpdatedHandler: func(_ context.Context, r *mcp.ResourceUpdatedNotificationRequest) {
				updates <- r.Params.URI
			}})
		subscriber, err := client.Connect(t.Context(),
			&mcp.StreamableClientTransport{Endpoint: one.URL, HTTPClient: one.Client(c.tokens[0])}, nil)
		require.NoError(t, err)
		writer, err := other.Connect(t.Context(), c.tokens[0])
		require.NoError(t, err)
		write := func(text string) {
			_, err := toolruntest.Call(t.Context(), writer, "filesystem",
				map[string]any{"command": "create", "path": "/a.txt", "file_text": text, "overwrite": true})
			require.NoError(t, err)
		}
		const uri = "toolrun://project-0/a.txt"
		write("one")
		require.NoError(t, subscriber.Subscribe(t.Context(), &mcp.SubscribeParams{URI: uri}))
		synctest.Wait()
		begin := time.Now()
		write("of the other server")
		require.Equal(t, uri, <-updates)
		host, _ := c.machine()
		mustRun(t, host, "js", "--project", "project-0", "-e", "fs.writeFileSync('/a.txt', 'by the command')")
		require.Equal(t, uri, <-updates)
		require.Zero(t, time.Since(begin), "it is told at once")
		mustRun(t, host, "js", "--project", "project-1", "-e", "fs.writeFileSync('/a.txt', 'of another project')")
		time.Sleep(time.Minute)
		require.Empty(t, updates)
		one.lost.Store(true)
		begin = time.Now()
		write("that is not told")
		require.Equal(t, uri, <-updates)
		require.LessOrEqual(t, time.Since(begin), 15*time.Second)
		require.NoError(t, errors.Join(subscriber.Close(), writer.Close()))
	})
}

// TestMCPSharesPlaces has one token ask for far more endless scripts than there are places. Others get a place at
// once: another project's token, and another token of the same project.
func TestMCPSharesPlaces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const greedy, colleague, other = "greedy-111111111111111111111111", "colleague-22222222222222222222",
			"other-3333333333333333333333333"
		c := newCluster(t)
		require.NoError(t, os.WriteFile(c.file, []byte(`{"tokens": [
			{"name": "greedy", "token": "`+greedy+`", "project": "one", "limits": {"timeout": "20s"}, "metrics": true},
			{"name": "colleague", "token": "`+colleague+`", "project": "one"},
			{"name": "other", "token": "`+other+`", "project": "two"}]}`), 0o600))
		s := c.serve(t)
		ctx, cancel := context.WithCancel(t.Context())
		var ended atomic.Int64
		var sessions [20]*mcp.ClientSession // calls of one session wait for each other
		for i := range sessions {
			var err error
			sessions[i], err = s.Connect(ctx, greedy)
			require.NoError(t, err)
			for range 10 {
				go func() {
					_, _ = toolruntest.Call(ctx, sessions[i], "javascript",
						map[string]any{"code": "await new Promise((done) => setTimeout(done, 1e6))"})
					ended.Add(1)
				}()
			}
		}
		synctest.Wait()
		require.EqualValues(t, 16, s.Metric(t, greedy, "toolrun_calls_running"))
		begin := time.Now()
		for _, token := range []string{other, colleague, other} {
			session, err := s.Connect(ctx, token)
			require.NoError(t, err)
			text, err := toolruntest.Call(ctx, session, "javascript", map[string]any{"code": "return 1"})
			require.NoError(t, err)
			require.Equal(t, "1", text)
			require.NoError(t, session.Close())
		}
		require.Zero(t, time.Since(begin))
		require.Zero(t, ended.Load(), "no script had to end first")
		cancel()
		for _, session := range sessions {
			_ = session.Close()
		}
	})
}
