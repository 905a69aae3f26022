package mcpserver

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"runtime/debug"
	"sync"
	"sync/atomic"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolrun/toolrun/registry"
)

// The limits of a server unless others are set.
const (
	DefaultCalls    = 16
	DefaultRequests = 256
	DefaultRate     = 500
	DefaultResource = 4 << 20
)

// A Source says what the clients of a server work with: it returns the tools and what they may touch. It is asked for every
// request, so that what it says can change at any time, and by several goroutines at once.
//
// Of the Env, Progress is replaced, clients get what goes to Logger, too, as far as it is for them, and Selection.Mode is [registry.ModeMCP].
type Source func(ctx context.Context) (*registry.Registry, registry.Env, error)

// Fixed returns a source that always says the same.
func Fixed(tools *registry.Registry, env registry.Env) Source {
	return func(context.Context) (*registry.Registry, registry.Env, error) { return tools, env, nil }
}

// Options say how a server does its work. The zero value, and nil, have safe defaults.
type Options struct {
	// Name, Title and Version are what clients are told that the server is. Without a name it is "toolrun".
	Name, Title, Version string
	// Logger is for what the host should know. Nil means that nothing is logged.
	Logger *slog.Logger
	// Calls is how many calls of tools run at once, for all clients together; others wait. Zero means [DefaultCalls].
	Calls int
	// Requests is how many requests of all clients together can be under way, those that wait and those whose answers clients have not
	// yet taken included; more are refused. Zero means [DefaultRequests].
	Requests int
	// Rate is how many requests per second a [Handler] takes for this server, and twice as many at once if there have been fewer
	// before; more are refused. Zero means [DefaultRate].
	Rate float64
	// Resource is how many bytes a file can have that is read as a resource. Zero means [DefaultResource].
	Resource int64
	// NoResources leaves the files to the tools.
	NoResources bool
}

// A Server serves tools and files to any number of clients, which all work on the same project. It is safe for concurrent use.
type Server struct {
	source   Source
	options  Options
	sdk      *sdk.Server
	calls    chan struct{}
	requests chan struct{}
	watch    watch
	active   active
	// unanswered is how many requests have no answer yet that a client has got.
	unanswered atomic.Int64
	stopped    context.Context // ends calls that go on when the server is closed
	stop       context.CancelFunc

	mu      sync.Mutex
	offered []byte            // the definitions that clients see, as provider.Definitions has made them
	tools   map[string][]byte // each one's, by name
}

// New returns a server. The error is that of the source, or a *registry.ToolError about the definition of a tool.
func New(ctx context.Context, source Source, options *Options) (*Server, error) {
	s := &Server{source: source, tools: map[string][]byte{}}
	if options != nil {
		s.options = *options
	}
	s.options.Logger = cmp.Or(s.options.Logger, slog.New(slog.DiscardHandler))
	s.options.Rate = cmp.Or(s.options.Rate, DefaultRate)
	s.options.Resource = cmp.Or(s.options.Resource, DefaultResource)
	s.calls = make(chan struct{}, cmp.Or(s.options.Calls, DefaultCalls))
	s.options.Requests = cmp.Or(s.options.Requests, DefaultRequests)
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
	s.sdk = sdk.NewServer(
		&sdk.Implementation{Name: cmp.Or(s.options.Name, "toolrun"), Title: s.options.Title, Version: cmp.Or(s.options.Version, "(devel)")},
		&sdk.ServerOptions{
			Capabilities:       capabilities,
			CompletionHandler:  s.completePath,
			SubscribeHandler:   s.subscribe,
			UnsubscribeHandler: s.unsubscribe,
			SetCacheable:       func(_ context.Context, _ sdk.Request, c *sdk.Cacheable) { c.CacheScope = private.CacheScope },
		},
	)
	s.watch = watch{server: s, sessions: map[*sdk.ServerSession]map[string]bool{}, files: map[string]*watched{}}
	s.stopped, s.stop = context.WithCancel(context.Background())
	s.active.changed = make(chan struct{})
	s.sdk.AddReceivingMiddleware(s.receive)
	if err := s.Refresh(ctx); err != nil {
		return nil, err
	}
	return s, nil
}

// Refresh asks the source what tools there are, and tells clients if they are others than before. It need not be called
// for the tools to be right, since the source is asked with each request, but for clients to learn of a change.
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
	env.Selection.Mode = registry.ModeMCP
	env.Selection.NoProject = env.Files == nil
	return tools, env, s.offer(tools, env.Selection)
}

// errBusy is what clients are told if there are too many requests.
var errBusy = errors.New("the server has too many requests at once: try again later")

// errPanicked is what clients are told of a request that has panicked.
var errPanicked = errors.New("the server has failed to do this")

// errSource is what clients are told if the source fails, whose error may name what is the host's.
var errSource = errors.New("the server cannot open the project at the moment")

// listen is the method of a client that wants to be told of changes, without a session. It lasts until the client goes.
const listen = "subscriptions/listen"

// receive sees all that clients send. What depends on the source is answered here, and the rest by the SDK.
func (s *Server) receive(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, request sdk.Request) (result sdk.Result, err error) {
		defer func() {
			if p := recover(); p != nil { // in the source, or in its files: the SDK would end the process
				s.options.Logger.ErrorContext(ctx, "a request panicked", "method", method, "panic", p, "stack", string(debug.Stack()))
				result, err = nil, errPanicked
			}
		}()
		if method == listen {
			return next(ctx, method, request)
		}
		select {
		case s.requests <- struct{}{}:
			defer func() { <-s.requests }()
		default:
			return nil, errBusy
		}
		tools, env, err := s.current(ctx)
		if err != nil {
			s.options.Logger.ErrorContext(ctx, "the source of a server failed", "method", method, "error", err)
			return nil, errSource
		}
		switch params := request.GetParams().(type) {
		case *sdk.CallToolParamsRaw:
			return s.call(ctx, next, method, request, tools, env)
		case *sdk.ListPromptsParams:
			return s.listPrompts(ctx, tools, env)
		case *sdk.GetPromptParams:
			return s.getPrompt(ctx, request, params, tools, env)
		case *sdk.ListResourcesParams:
			return s.listResources(ctx, params, env)
		case *sdk.ListResourceTemplatesParams:
			return s.listTemplates(env)
		case *sdk.ReadResourceParams:
			return s.readResource(ctx, request, params, env)
		}
		result, err = next(ctx, method, request)
		if err != nil { // the result may be a nil pointer then
			return nil, err
		}
		switch result := result.(type) {
		case *sdk.InitializeResult:
			if began, ok := ctx.Value(beganKey{}).(func(*sdk.ServerSession)); ok {
				began(request.GetSession().(*sdk.ServerSession))
			}
			result.Instructions = s.instructions(ctx, tools, env)
		case *sdk.DiscoverResult:
			result.Instructions = s.instructions(ctx, tools, env)
		}
		return result, nil
	}
}
