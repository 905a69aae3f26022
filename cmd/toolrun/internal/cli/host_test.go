package cli_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/cmd/toolrun/internal/cli"
	"github.com/toolrun/toolrun/internal/test/enginetest"
	"github.com/toolrun/toolrun/internal/test/toolruntest"
	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/vfs"
)

// engine is that of all commands in this process.
var engine = sync.OnceValue(func() *sandbox.Engine {
	e, err := sandbox.New(&sandbox.EngineOptions{CacheDir: enginetest.CacheDir(), MaxRuns: sandbox.Unlimited})
	if err != nil {
		panic(err)
	}
	return e
})

// newHost returns a host with a directory and data of its own, and an environment that has nothing else but the
// variables, which are written as NAME=value.
func newHost(t testing.TB, variables ...string) *cli.Host {
	return &cli.Host{Stdin: strings.NewReader(""), Dir: t.TempDir(), Engine: engine(), OpenStore: withoutSync,
		LookupEnv: environment(append([]string{"TOOLRUN_DATA=" + t.TempDir()}, variables...)...)}
}

// withoutSync opens a store whose files need not last longer than the machine runs: tests have no use for that, and
// wait for the disk.
func withoutSync(ctx context.Context, place string, options *vfs.Options) (vfs.Store, error) {
	var o vfs.Options
	if options != nil {
		o = *options
	}
	o.NoSync = true
	return cli.OpenStore(ctx, place, &o)
}

// environment looks up variables in a list, the last of which counts.
func environment(variables ...string) func(name string) (string, bool) {
	values := map[string]string{}
	for _, variable := range variables {
		name, value, _ := strings.Cut(variable, "=")
		values[name] = value
	}
	return func(name string) (string, bool) {
		value, ok := values[name]
		return value, ok
	}
}

// run runs a command in this process.
func run(t testing.TB, host *cli.Host, args ...string) (out, errs string, status int) {
	t.Helper()
	var o, e strings.Builder
	on := *host
	on.Stdout, on.Stderr = &o, &e
	status = cli.Run(t.Context(), &on, args)
	return o.String(), e.String(), status
}

// mustRun runs a command that succeeds, and returns its output.
func mustRun(t testing.TB, host *cli.Host, args ...string) string {
	t.Helper()
	out, errs, status := run(t, host, args...)
	require.Zero(t, status, "%q: %s%s", args, out, errs)
	return out
}

// A started command runs in this process.
type started struct {
	*toolruntest.Server // of toolrun mcp --http; otherwise only its log
	out                 toolruntest.Log
	stop                context.CancelFunc
	signals             signals
	ended               chan struct{}
	status              int // once it has ended
}

// start starts a command, which is stopped at the end of the test.
func start(t testing.TB, host *cli.Host, args ...string) *started {
	t.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	s := &started{Server: &toolruntest.Server{Log: new(toolruntest.Log)}, stop: cancel, ended: make(chan struct{})}
	on := *host
	on.Stdout, on.Stderr, on.Notify = &s.out, s.Log, s.signals.notify
	go func() {
		defer close(s.ended)
		defer s.out.Close()
		defer s.Log.Close()
		s.status = cli.Run(ctx, &on, args)
	}()
	t.Cleanup(func() {
		cancel()
		<-s.ended
	})
	return s
}

// serve starts toolrun mcp --http in this process, and waits until it serves.
func serve(t testing.TB, host *cli.Host, args ...string) *started {
	t.Helper()
	s := start(t, host, append([]string{"mcp", "--log-format", "json"}, args...)...)
	s.Server = toolruntest.Started(t, s.Log)
	return s
}

// wait waits for the end of a command, and returns its status.
func (s *started) wait() int {
	<-s.ended
	return s.status
}

// signals are what a process would get, for one command.
type signals struct {
	mu       sync.Mutex
	relaying map[*relay]bool
}

type relay struct {
	to    chan<- os.Signal
	these []os.Signal
}

func (s *signals) notify(c chan<- os.Signal, these ...os.Signal) (stop func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.relaying == nil {
		s.relaying = map[*relay]bool{}
	}
	r := &relay{to: c, these: these}
	s.relaying[r] = true
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.relaying, r)
	}
}

// send sends a signal, and reports whether the command takes it.
func (s *signals) send(signal os.Signal) (taken bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for r := range s.relaying {
		for _, one := range r.these {
			if one == signal {
				taken = true
				select {
				case r.to <- signal:
				default: // as a process does
				}
			}
		}
	}
	return taken
}

// A meeting is a server at which code waits until a test lets it go on.
type meeting struct {
	URL            string
	wait           string        // is the code that waits
	arrived, leave chan struct{} // one value for each that waits
}

func meet(t *testing.T) *meeting {
	m := &meeting{arrived: make(chan struct{}), leave: make(chan struct{})}
	ended := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case m.arrived <- struct{}{}:
		case <-ended:
			return
		}
		select {
		case <-m.leave:
		case <-r.Context().Done():
		case <-ended:
		}
	}))
	t.Cleanup(func() {
		close(ended)
		server.Close()
	})
	m.URL, m.wait = server.URL, "await fetch('"+server.URL+"')"
	return m
}
