//go:build systemtest

package replicas_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/test/commandtest"
	"github.com/toolrun/toolrun/internal/test/toolruntest"
	"github.com/toolrun/toolrun/vfs/local"
)

const loadProjects, loadClients = 16, 64

// TestMCPLoad has 64 clients on 16 projects do calls of all kinds at once, which must all be right, and the server
// must be as it was when they are gone.
func TestMCPLoad(t *testing.T) {
	duration := time.Second
	if *soak {
		duration = time.Minute
	}
	file, tokens := toolruntest.Tokens(t, loadProjects)
	s := commandtest.StartMCP(t, t.TempDir(), "--http", "localhost:0", "--tokens", file, "--rate", "1e6")
	state := func() (goroutines, descriptors, memory float64) {
		return s.Metric(t, tokens[0], "go_goroutines"), s.Metric(t, tokens[0], "process_open_fds"),
			s.Metric(t, tokens[0], "process_resident_memory_bytes")
	}
	round := func(duration time.Duration) (times []time.Duration) {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
		defer cancel()
		var mu sync.Mutex
		var group sync.WaitGroup
		end := time.Now().Add(duration)
		for n := range loadClients {
			group.Go(func() {
				session, err := s.Connect(ctx, tokens[n%loadProjects])
				if err != nil {
					t.Error(err)
					return
				}
				defer session.Close()
				random := rand.New(rand.NewPCG(1, uint64(n)))
				var own []time.Duration
				for i := 0; i == 0 || time.Now().Before(end); i++ {
					path := fmt.Sprintf("/client-%d/%d.txt", n, i%20)
					text := fmt.Sprintf("text %d of %d", i, n)
					var want, got string
					var err error
					start := time.Now()
					switch random.IntN(4) {
					case 0:
						want = fmt.Sprint(499500 * n)
						got, err = toolruntest.Call(ctx, session, "javascript",
							map[string]any{"code": fmt.Sprintf(
								`let n = 0; for (let i = 0; i < 1000; i++) n += i * %d; return n`, n)})
					case 1:
						want = text + fmt.Sprintf("Files: changed %s", path)
						got, err = toolruntest.Call(ctx, session, "javascript", map[string]any{
							"code": fmt.Sprintf(`await fs.writeFile(%q, 'x'); await fs.writeFile(%[1]q, %[2]q);
								return await fs.readFile(%[1]q, 'utf8')`, path, text)})
						got = regexp.MustCompile("Files: (created|changed)").ReplaceAllString(got, "Files: changed")
					case 2:
						_, err = toolruntest.Call(ctx, session, "filesystem",
							map[string]any{"command": "create", "path": path, "file_text": text, "overwrite": true})
					case 3:
						dir := fmt.Sprintf("/client-%d", n)
						if _, err = toolruntest.Call(ctx, session, "filesystem",
							map[string]any{"command": "append", "path": dir + "/log",
								"file_text": "line\n"}); err == nil {
							_, err = toolruntest.Call(ctx, session, "filesystem", map[string]any{"command": "view",
								"path": dir})
						}
					}
					own = append(own, time.Since(start))
					if err != nil || got != want && want != "" {
						t.Errorf("%q instead of %q: %v", got, want, err)
						return
					}
				}
				mu.Lock()
				times = append(times, own...)
				mu.Unlock()
			})
		}
		group.Wait()
		return times
	}
	settled := func() bool { return s.Metric(t, tokens[0], "toolrun_sessions") == 0 }
	round(0)
	require.Eventually(t, settled, time.Minute, 10*time.Millisecond)
	round(duration / 5)
	require.Eventually(t, settled, time.Minute, 10*time.Millisecond)
	goroutines, descriptors, memory := state()
	begin := time.Now()
	times := round(duration)
	took := time.Since(begin)
	require.Eventually(t, settled, time.Minute, 10*time.Millisecond)
	require.Eventually(t, func() bool {
		now, fds, _ := state()
		return now <= goroutines+20 && fds <= descriptors+20 // connections that are kept alive come and go
	}, 3*time.Minute, 100*time.Millisecond)
	_, _, after := state()
	require.Less(t, after, memory+128<<20)
	slices.Sort(times)
	at := func(part float64) time.Duration {
		return times[int(part*float64(len(times)-1))].Round(10 * time.Microsecond)
	}
	t.Logf("%d steps in %v, %.0f a second; p50 %v, p90 %v, p99 %v, most %v; resident %.0f MiB before, %.0f MiB after",
		len(times), took.Round(time.Millisecond), float64(len(times))/took.Seconds(), at(.5), at(.9), at(.99), at(1),
		memory/(1<<20), after/(1<<20))
}

// TestMCPKilledUnderLoad kills the server again and again while clients write, and wants all that clients were told
// is written.
func TestMCPKilledUnderLoad(t *testing.T) {
	t.Parallel()
	rounds := 2
	if *soak {
		rounds = 20
	}
	file, tokens := toolruntest.Tokens(t, loadProjects)
	data := t.TempDir()
	written := make([]map[string]string, loadProjects) // by project and path: the text that a client knows to be there
	for i := range written {
		written[i] = map[string]string{}
	}
	var total atomic.Int64
	for round := range rounds {
		s := commandtest.StartMCP(t, data, "--http", "localhost:0", "--tokens", file, "--rate", "1e6")
		ctx, cancel := context.WithCancel(t.Context())
		var group sync.WaitGroup
		for p := range loadProjects {
			group.Go(func() {
				session, err := s.Connect(ctx, tokens[p])
				if err != nil { // it has been killed
					return
				}
				for i := 0; ; i++ {
					path, text := fmt.Sprintf("/%d.txt", i%50), fmt.Sprintf("round %d, %d", round, i)
					delete(written[p], path) // until it is known, it can be the one or the other
					if i%2 == 0 {
						_, err = toolruntest.Call(ctx, session, "filesystem",
							map[string]any{"command": "create", "path": path, "file_text": text, "overwrite": true})
					} else {
						_, err = toolruntest.Call(ctx, session, "javascript",
							map[string]any{"code": fmt.Sprintf("fs.writeFileSync(%q, %q)", path, text)})
					}
					if err != nil {
						return
					}
					written[p][path] = text
					total.Add(1)
				}
			})
		}
		before := total.Load()
		require.Eventually(t, func() bool { return total.Load() > before+200 }, time.Minute, time.Millisecond)
		require.NoError(t, s.Cmd.Process.Kill())
		<-s.End
		cancel() // clients would try to reconnect
		group.Wait()
	}
	store, err := local.OpenStore(filepath.Join(data, "projects"), nil)
	require.NoError(t, err)
	defer store.Close()
	for p := range written {
		project, err := store.Open(t.Context(), fmt.Sprintf("project-%d", p))
		require.NoError(t, err)
		defer project.Close()
		for path, text := range written[p] {
			content, err := afero.ReadFile(project, path)
			require.NoError(t, err)
			require.Equal(t, text, string(content), "project %d, %s", p, path)
		}
	}
	t.Logf("%d writes in %d rounds", total.Load(), rounds)
}
