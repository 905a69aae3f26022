//go:build systemtest

package replicas_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/afero"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/test/commandtest"
	"github.com/toolrun/toolrun/internal/test/pgtest"
	"github.com/toolrun/toolrun/internal/test/toolruntest"
	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/admin"
	"github.com/toolrun/toolrun/vfs/postgres"
)

// A balancer sends each request to one of the servers that there are.
type balancer struct {
	*httptest.Server
	next atomic.Int64

	mu      sync.Mutex
	servers []*commandtest.Server // nil where none is
}

func newBalancer(t *testing.T, n int) *balancer {
	b := &balancer{servers: make([]*commandtest.Server, n)}
	b.Server = httptest.NewServer(&httputil.ReverseProxy{FlushInterval: -1,
		Rewrite: func(p *httputil.ProxyRequest) {
			if target, err := url.Parse(b.pick()); err == nil {
				p.Out.URL.Scheme, p.Out.URL.Host, p.Out.Host = target.Scheme, target.Host, target.Host
			}
		},
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, _ error) { w.WriteHeader(http.StatusBadGateway) },
	})
	t.Cleanup(func() {
		b.CloseClientConnections()
		b.Close()
	})
	return b
}

func (b *balancer) pick() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	for range b.servers {
		if s := b.servers[int(b.next.Add(1))%len(b.servers)]; s != nil {
			return s.URL
		}
	}
	return ""
}

func (b *balancer) set(at int, s *commandtest.Server) (before *commandtest.Server) {
	b.mu.Lock()
	defer b.mu.Unlock()
	before = b.servers[at]
	b.servers[at] = s
	return before
}

// TestMCPReplicas has clients, each in one session of which every request can reach another server, while servers are
// killed or told to end and started again, the database is stopped in the middle of what it does, and connections to it
// are cut, also in commits. What a client was told is done must be there, once; whatever else was tried is there as a
// whole or not at all, and the history says which; undoing each call brings back what was before; quotas are right to
// the byte; and no lock outlives its holder.
func TestMCPReplicas(t *testing.T) {
	t.Parallel()
	const replicas, clients = 3, 32
	// Undoing each call takes longer the more there are.
	pause := 50 * time.Millisecond
	end := time.Now()
	if *soak {
		end, pause = end.Add(5*time.Minute), 500*time.Millisecond
	}
	db := pgtest.StartFor(t)
	proxy := newCutter(t, db.Port)
	data := db.Base(proxy.port())
	file, tokens := toolruntest.Tokens(t, loadProjects)
	b := newBalancer(t, replicas)
	start := func(at int) {
		b.set(at, commandtest.StartMCP(t, data, "--http", "localhost:0", "--tokens", file, "--rate", "1e6", "--grace",
			"5s"))
	}
	for at := range replicas {
		start(at)
	}

	ctx, cancel := context.WithCancel(t.Context())
	all := make([]*told, loadProjects)
	for p := range all {
		all[p] = newTold()
	}
	var done, failed, sessions atomic.Int64
	var lastErr atomic.Value
	var group sync.WaitGroup
	for n := range clients {
		group.Go(func() {
			p := n % loadProjects
			var session *mcp.ClientSession
			for i := 0; ctx.Err() == nil; i++ {
				if session == nil {
					client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
					var err error
					session, err = client.Connect(ctx, &mcp.StreamableClientTransport{Endpoint: b.URL + "/mcp",
						DisableStandaloneSSE: true,
						HTTPClient: &http.Client{Transport: toolruntest.Bearer{Token: tokens[p]},
							Timeout: 10 * time.Second}}, nil)
					if err != nil {
						lastErr.Store(fmt.Sprint("connect: ", err))
						session = nil
						time.Sleep(20 * time.Millisecond)
						continue
					}
					sessions.Add(1)
				}
				path, text := fmt.Sprintf("/client-%d/%d.txt", n, i%5), fmt.Sprintf("text %d of %d", i, n)
				paths := []string{path}
				tool, arguments := "filesystem", map[string]any{"command": "create", "path": path, "file_text": text,
					"overwrite": true}
				if i%3 == 0 {
					paths = append(paths, path+".twin")
					tool, arguments = "javascript", map[string]any{"code": fmt.Sprintf(
						"fs.writeFileSync(%q, %q); fs.writeFileSync(%q, %[2]q)", path, text, paths[1])}
				}
				all[p].try(text, paths...)
				if _, err := toolruntest.Call(ctx, session, tool, arguments); err != nil {
					failed.Add(1)
					lastErr.Store(fmt.Sprint("call: ", err))
					if session.Ping(ctx, nil) != nil {
						session = nil // it may be lost with the connection
					}
					continue
				}
				all[p].succeed(text, paths...)
				done.Add(1)
				select {
				case <-ctx.Done():
				case <-time.After(time.Duration(rand.Int64N(int64(2 * pause)))):
				}
			}
		})
	}

	store, err := postgres.Open(t.Context(), db.Base(0),
		&vfs.Options{History: vfs.HistoryOptions{Bytes: vfs.Unlimited}})
	require.NoError(t, err)
	defer store.Close()
	project := func(p int) vfs.Project {
		project, err := store.Open(t.Context(), fmt.Sprintf("project-%d", p))
		require.NoError(t, err)
		t.Cleanup(func() { _ = project.Close() })
		return project
	}
	free := func(p int) {
		short, stop := context.WithTimeout(t.Context(), 15*time.Second)
		defer stop()
		for lost := true; lost; { // a connection from before the database was stopped
			err := project(p).Exclusively(short, func(afero.Fs) error { return nil })
			if _, lost = errors.AsType[*vfs.UnavailableError](err); !lost || short.Err() != nil {
				require.NoError(t, err, "no lock outlives its holder")
			}
		}
	}

	random := rand.New(rand.NewPCG(3, 4))
	kinds := map[string]int{}
	failures := []func(at int){
		func(int) { proxy.arm(4) },
		func(at int) {
			kinds["killed"]++
			s := b.set(at, nil)
			require.NoError(t, s.Cmd.Process.Kill())
			<-s.End
			free(random.IntN(loadProjects))
			start(at)
		},
		func(int) {
			kinds["connections cut"]++
			proxy.cut()
		},
		func(int) {
			kinds["database stopped"]++
			db.Stop(true)
			require.NoError(t, db.Run())
		},
		func(int) { proxy.arm(4) },
		func(at int) {
			kinds["told to end"]++
			s := b.set(at, nil)
			require.NoError(t, s.Cmd.Process.Signal(os.Interrupt))
			start(at)
			<-s.End
		},
	}
	for n := 0; n < len(failures) || time.Now().Before(end); n++ { // each at least once
		if n >= len(failures) {
			time.Sleep(time.Duration(random.IntN(400)) * time.Millisecond)
		}
		time.Sleep(100 * time.Millisecond)
		fail := n
		if n >= len(failures) {
			fail = random.IntN(len(failures))
		}
		failures[fail](random.IntN(replicas))
	}
	// At the end all is well again, with the sessions that there are.
	before := done.Load()
	if !assert.Eventually(t, func() bool { return done.Load() > before+clients }, time.Minute, 10*time.Millisecond) {
		t.Log(before, done.Load(), failed.Load(), sessions.Load(), kinds, lastErr.Load())
		for _, s := range b.servers {
			l := s.Logged()
			t.Log(l[max(0, len(l)-3000):])
		}
		t.FailNow()
	}
	cancel()
	group.Wait()
	for at := range replicas {
		s := b.set(at, nil)
		require.NoError(t, s.Cmd.Process.Signal(os.Interrupt))
		<-s.End
	}
	kinds["cut before a commit"], kinds["cut after a commit"] = proxy.before, proxy.after
	t.Logf("%d writes, %d failed calls, %d sessions; %v", done.Load(), failed.Load(), sessions.Load(), kinds)
	require.NoError(t, admin.Check(t.Context(), store, func(id, problem string) { t.Errorf("%s: %s", id, problem) }))
	requireIdle(t, db)

	var n counts
	t.Run("history", func(t *testing.T) {
		for p := range all {
			t.Run(fmt.Sprint(p), func(t *testing.T) {
				t.Parallel()
				files := project(p)
				r := newReplay(t, files)
				r.check(t, all[p], &n)
				checkUsage(t, store, files, fmt.Sprintf("project-%d", p))
				r.undo(t, files, &n)
				checkUsage(t, store, files, fmt.Sprintf("project-%d", p))
			})
		}
	})
	tried := int64(0)
	for _, k := range all {
		for _, texts := range k.tried {
			tried += int64(len(texts))
		}
	}
	t.Logf("%d writes were told; of %d others %d have happened; %d calls were undone",
		n.told.Load(), tried-n.told.Load(), n.silent.Load(), n.undone.Load())
	require.NoError(t, admin.Check(t.Context(), store, func(id, problem string) { t.Errorf("%s: %s", id, problem) }))
}

// requireIdle sees that the database soon has no transaction any more, whose process is gone.
func requireIdle(t *testing.T, db *pgtest.Server) {
	conn, err := pgx.Connect(t.Context(), db.Base(0))
	require.NoError(t, err)
	defer conn.Close(context.Background())
	require.Eventually(t, func() bool {
		var n int
		err := conn.QueryRow(t.Context(), "SELECT count(*) FROM pg_stat_activity "+
			"WHERE backend_type = 'client backend' AND xact_start IS NOT NULL AND pid <> pg_backend_pid()").Scan(&n)
		return err == nil && n == 0
	}, 15*time.Second, 10*time.Millisecond, "no transaction outlives its holder")
}
