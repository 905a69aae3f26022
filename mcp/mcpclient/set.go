package mcpclient

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/tool"
)

// A Set holds the connections to the servers of a configuration. It is safe for concurrent use.
type Set struct {
	base    *registry.Registry
	servers []*server // by name
	cancel  context.CancelFunc
	running sync.WaitGroup

	building sync.Mutex // held while a registry is built
	registry atomic.Pointer[registry.Registry]

	mu      sync.Mutex
	changed chan struct{} // closed when the registry is replaced
}

// Open connects to all servers of a configuration that are not disabled. It returns when each of them is connected
// or has failed once, or when the context ends. Servers that were not reached are tried again until the set is
// closed. The error concerns the configuration; [Set.Status] reports failures of single servers.
func Open(ctx context.Context, config Config, options *Options) (*Set, error) {
	if err := config.check(); err != nil {
		return nil, err
	}
	all := options.withDefaults()
	own, cancel := context.WithCancel(context.WithoutCancel(ctx))
	s := &Set{base: all.Base, cancel: cancel, changed: make(chan struct{})}
	s.registry.Store(s.base)
	names := &namer{base: all.Base}
	var tried sync.WaitGroup
	for _, name := range slices.Sorted(maps.Keys(config.Servers)) {
		if config.Servers[name].Disabled {
			continue
		}
		names.servers = append(names.servers, name)
		s.servers = append(s.servers, newServer(s, name, config, all, names))
	}
	for _, server := range s.servers {
		tried.Add(1)
		server.listen()
		s.running.Go(func() {
			server.run(own, sync.OnceFunc(func() {
				server.awaited.Store(false)
				server.quiet.Stop()
				tried.Done()
			}))
		})
	}
	done := make(chan struct{})
	go func() {
		tried.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-ctx.Done():
	}
	return s, nil
}

// Registry returns the current tools.
func (s *Set) Registry() *registry.Registry { return s.registry.Load() }

// Changed returns a channel that is closed when Registry begins to return another value. To miss no change, call
// Changed before Registry.
func (s *Set) Changed() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.changed
}

// A Status describes the connection to a server.
type Status struct {
	// Server is its name.
	Server string
	// Connected reports whether the server's tools are available. Tools is their number.
	Connected bool
	Tools     int
	// Missing lists the names in the configuration's EnabledTools and DisabledTools that none of the server's tools
	// has, sorted.
	Missing []string
	// Err is the reason why the server is not connected: a *[ConfigError], which is permanent, or a *[ServerError],
	// which is a [context.DeadlineExceeded] if the server does not answer in time. The text ends with the last lines of
	// a process's standard error. Err is nil during the first attempt, and after Close has ended the connection.
	Err error
}

// Status returns the status of each server that is not disabled, sorted by name.
func (s *Set) Status() []Status {
	list := make([]Status, len(s.servers))
	for i, server := range s.servers {
		list[i] = server.status()
	}
	return list
}

// Close ends all connections, and kills processes that do not exit by themselves. It takes a few seconds at most. After
// that, Registry returns Options.Base.
func (s *Set) Close() error {
	s.cancel()
	s.running.Wait()
	return nil
}

// rebuild builds a registry from the tools that the servers have now.
func (s *Set) rebuild() {
	s.building.Lock()
	defer s.building.Unlock()
	var tools []tool.Tool
	seen := map[string]bool{}
	for _, server := range s.servers {
		for _, t := range server.listed() {
			if seen[t.spec.Name] {
				server.log.warn("MCP server's tool has the name of another one, and is left out", "server", server.name,
					"tool", t.spec.Name)
				continue
			}
			seen[t.spec.Name] = true
			tools = append(tools, t)
		}
	}
	next, err := s.base.With(tools...)
	for err != nil { // unlikely, because the tools have been checked before
		wrong, ok := errors.AsType[*registry.ToolError](err)
		before := len(tools)
		tools = slices.DeleteFunc(tools, func(t tool.Tool) bool { return ok && t.Spec().Name == wrong.Tool })
		if len(tools) == before {
			tools = nil
		}
		next, err = s.base.With(tools...)
	}
	s.registry.Store(next)
	s.mu.Lock()
	defer s.mu.Unlock()
	close(s.changed)
	s.changed = make(chan struct{})
}
