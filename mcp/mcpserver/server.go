package mcpserver

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/vfs"
)

// The limits of a server unless others are set.
const (
	DefaultCalls = 16
	DefaultRate  = 500
)

// A Source returns the tools that a server offers and the Env that their calls get. It is called for every request,
// possibly by several goroutines at once, so its answer can change at any time.
//
// The server replaces Env.Progress and sets Env.Selection.Mode to [tool.ModeMCP]. Records for Env.Logger also
// go to clients, as far as clients may see them.
type Source func(ctx context.Context) (*registry.Registry, registry.Env, error)

// Fixed returns a source that always returns the same tools and Env.
func Fixed(tools *registry.Registry, env registry.Env) Source {
	return func(context.Context) (*registry.Registry, registry.Env, error) { return tools, env, nil }
}

// Options configure a [Server]. The zero value, and nil, have safe defaults.
type Options struct {
	// Name, Title and Version identify the server to clients. An empty Name means "toolrun".
	Name, Title, Version string
	// Identity is what tells the server from others of the same handler, such as the name of a token and what it
	// allows. Only a server with the same identity continues a session that has begun at another handler: see
	// [HandlerOptions].Shared. Empty means that neither its sessions nor its rate are shared.
	Identity string
	// Logger gets records for the host. Nil logs nothing.
	Logger *slog.Logger
	// Calls is how many calls of tools run at the same time, for all clients together; others wait. Zero means
	// [DefaultCalls].
	Calls int
	// Requests is how many requests of all clients together can be in progress. Waiting requests count, and so do
	// those whose answers clients have not received yet. Further requests are refused. Zero means 256.
	Requests int
	// Rate is how many requests per second a [Handler] accepts for this server; further ones are refused. After a
	// quiet time, twice as many are accepted at once. Handlers can share it: see [HandlerOptions].Shared. Zero means
	// [DefaultRate].
	Rate float64
	// ApprovalTime is how long a call waits for the client's user, if it needs approval and the Env of the source has
	// no Approve; then it goes on later, if the Env has Waiting. Clients of the newest protocol do not wait: they call
	// again with the answer. Zero means two minutes, or, for a call without a progress token, whose client
	// may not wait for so long, that it is decided or goes on later within [tool.MCPTimeout] of its begin.
	ApprovalTime time.Duration
	// Resource is the largest file in bytes that can be read as a resource. Zero means 4 MiB.
	Resource int64
	// NoResources offers no files as resources; tools can still use them.
	NoResources bool
	// Watch calls changed when the project's files may have changed, by whoever, until the context ends or it can no
	// longer tell. Files that clients have subscribed to are looked at then, and otherwise only every 15 seconds. If
	// Watch returns an error, it is called again later, unless that is [errors.ErrUnsupported]; meanwhile, as if it is
	// nil, they are looked at every second.
	Watch func(ctx context.Context, changed func()) error
}

// A Server serves tools and files to any number of clients, which all work on the same project. It is safe for
// concurrent use.
type Server struct {
	source   Source
	options  Options
	self     *sdk.Implementation
	sdk      *sdk.Server
	calls    chan struct{}
	requests chan struct{}
	watch    watch
	active   active
	listens  chan struct{} // one for each client that listens
	passing  arguments
	turns    turns
	next     sdk.MethodHandler // the SDK's
	// unanswered is how many requests have no answer yet that a client has got.
	unanswered atomic.Int64
	stopped    context.Context // ends calls that go on when the server is closed
	stop       context.CancelFunc

	mu       sync.Mutex
	selected []*tool.Definition // the tools that clients see
	tools    map[string][]byte  // how clients see each, by name
	reading  map[string]bool    // the names of read-only tools
	// approvers are those of the sessions whose users have been asked.
	approvers map[*sdk.ServerSession]registry.Approver
}

// New returns a server. It fails if a limit is negative, if the source fails, or with a *registry.ToolError if the
// definition of a tool is invalid. A source whose error is [vfs.ErrDeleted] is no failure: clients are told that the
// project has been deleted, until the source has one again.
func New(ctx context.Context, source Source, options *Options) (*Server, error) {
	s := &Server{source: source, tools: map[string][]byte{}, approvers: map[*sdk.ServerSession]registry.Approver{},
		listens: make(chan struct{}, maxListens)}
	if options != nil {
		s.options = *options
	}
	if o := s.options; o.Calls < 0 || o.Requests < 0 || !(o.Rate >= 0) || o.Resource < 0 || o.ApprovalTime < 0 {
		return nil, errors.New("mcpserver: Calls, Requests, Rate, " +
			"Resource and ApprovalTime of Options must not be negative")
	}
	s.options.Logger = cmp.Or(s.options.Logger, slog.New(slog.DiscardHandler))
	s.options.Rate = cmp.Or(s.options.Rate, DefaultRate)
	s.options.Resource = cmp.Or(s.options.Resource, 4<<20)
	s.calls = make(chan struct{}, cmp.Or(s.options.Calls, DefaultCalls))
	s.options.Requests = cmp.Or(s.options.Requests, 256)
	s.requests = make(chan struct{}, s.options.Requests)

	capabilities := &sdk.ServerCapabilities{
		Tools:       &sdk.ToolCapabilities{ListChanged: true},
		Prompts:     &sdk.PromptCapabilities{},
		Completions: &sdk.CompletionCapabilities{},
	}
	offerLogs(capabilities)
	if !s.options.NoResources {
		capabilities.Resources = &sdk.ResourceCapabilities{Subscribe: true}
	}
	s.self = &sdk.Implementation{Name: cmp.Or(s.options.Name, "toolrun"), Title: s.options.Title,
		Version: cmp.Or(s.options.Version, "(devel)")}
	s.sdk = sdk.NewServer(s.self,
		&sdk.ServerOptions{
			Capabilities:       capabilities,
			CompletionHandler:  s.completePath,
			SubscribeHandler:   s.subscribe,
			UnsubscribeHandler: s.unsubscribe,
			SetCacheable: func(_ context.Context, _ sdk.Request,
				c *sdk.Cacheable) {
				c.CacheScope = private.CacheScope
			},
		},
	)
	s.watch = watch{server: s, sessions: map[*sdk.ServerSession]map[string]bool{}, files: map[string]*watched{}}
	s.stopped, s.stop = context.WithCancel(context.Background())
	s.active.draining, s.active.changed = make(chan struct{}), make(chan struct{})
	s.sdk.AddReceivingMiddleware(s.receive)
	if err := sdk.AddReceivingCustomMethod(s.sdk, directMethod, doDirect); err != nil {
		return nil, err
	}
	if err := s.Refresh(ctx); err != nil && !errors.Is(err, vfs.ErrDeleted) {
		return nil, err
	}
	return s, nil
}

// Refresh asks the source for its tools and tells clients if they have changed. Requests always use the current
// tools; call Refresh so that clients learn of a change.
func (s *Server) Refresh(ctx context.Context) error {
	_, _, err := s.current(ctx)
	return err
}

// current asks the source, and offers the tools that there are now.
func (s *Server) current(ctx context.Context) (*registry.Registry, registry.Env, error) {
	tools, env, err := s.source(ctx)
	if err != nil {
		return nil, env, err
	}
	env.Selection.Mode = tool.ModeMCP
	env.Selection.NoProject = env.Files == nil
	return tools, env, s.offer(tools, env.Selection)
}
