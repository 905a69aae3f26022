package mcpserver

import (
	"context"
	"errors"
	"runtime/debug"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/vfs"
)

// errBusy is what clients are told if there are too many requests.
var errBusy = errors.New("the server has too many requests at once: try again later")

// errPanicked is what clients are told of a request that has panicked.
var errPanicked = errors.New("the server has failed to do this")

// errSource is what clients are told if the source fails, whose error may name what is the host's.
var errSource = errors.New("the server cannot open the project at the moment")

// errDeleted is what clients are told if the source's project has been deleted.
var errDeleted = errors.New("the project has been deleted: only whoever runs this server can restore it, " +
	"or let you use another one")

// errShared is what clients are told if the record of a session cannot be changed.
var errShared = errors.New("the server cannot keep the session at the moment: try again later")

// listen is the method of a client that wants to be told of changes, without a session. It lasts until the client goes.
const listen = "subscriptions/listen"

// maxListens is how many clients of a server can listen at a time.
const maxListens = 1024

// receive sees all that clients send. What depends on the source is answered here, and the rest by the SDK.
func (s *Server) receive(next sdk.MethodHandler) sdk.MethodHandler {
	s.next = next
	return func(ctx context.Context, method string, request sdk.Request) (sdk.Result, error) {
		if method == directMethod { // comes back as a call
			return next(ctx, method, request)
		}
		return s.answer(ctx, method, request)
	}
}

// answer answers a request.
func (s *Server) answer(ctx context.Context, method string, request sdk.Request) (result sdk.Result, err error) {
	defer func() {
		if p := recover(); p != nil { // in the source, or in its files: the SDK would end the process
			s.options.Logger.ErrorContext(ctx, "a request panicked", "method", method, "panic", p, "stack",
				string(debug.Stack()))
			result, err = nil, errPanicked
		}
	}()
	var call passed
	if params, ok := request.GetParams().(*sdk.CallToolParamsRaw); ok {
		if call, err = s.passing.take(params.Arguments); err != nil {
			return nil, err
		}
		defer call.done()
		params.Arguments = call.args
	}
	switch {
	case strings.HasPrefix(method, "notifications/"): // are for the SDK, and one that is refused would be lost
		if result, err = s.next(ctx, method, request); err == nil {
			err = s.share(ctx, request, result)
		}
		return result, err
	case s.stopped.Err() != nil:
		return nil, errClosing
	case method == listen:
		return s.listen(ctx, request)
	}
	select {
	case s.requests <- struct{}{}:
		defer func() { <-s.requests }()
	default:
		return nil, errBusy
	}
	tools, env, err := s.current(ctx)
	if err != nil {
		if errors.Is(err, vfs.ErrDeleted) {
			s.options.Logger.InfoContext(ctx, "the project has been deleted", "method", method, "error", err)
			return nil, errDeleted
		}
		s.options.Logger.ErrorContext(ctx, "the source of a server failed", "method", method, "error", err)
		return nil, errSource
	}
	switch params := request.GetParams().(type) {
	case *sdk.CallToolParamsRaw:
		feed := openFeed(ctx, request)
		defer feed.close()
		err := call.turn.wait(ctx, s.active.draining, s.reads(params.Name))
		if err == nil {
			result, err = s.call(ctx, method, request, work{tools, env, feed})
		}
		if err != nil && ctx.Err() != nil { // while it waited; one that runs is answered with the same
			return s.result(request.GetSession().(*sdk.ServerSession),
				tool.Failure(tool.CodeCanceled, "Tool execution was canceled."), env)
		}
		return result, err
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
	result, err = s.next(ctx, method, request)
	if err != nil { // the result may be a nil pointer then
		return nil, err
	}
	if err := s.share(ctx, request, result); err != nil {
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

// share tells the record of the request's session what the client has told the server, if it has one.
func (s *Server) share(ctx context.Context, request sdk.Request, result sdk.Result) error {
	h, ok := ctx.Value(shareKey{}).(*Handler)
	if !ok {
		return nil
	}
	if err := h.note(ctx, s, request, result); err != nil {
		s.options.Logger.ErrorContext(ctx, "the record of a session", "error", err)
		return errShared
	}
	return nil
}

// listen has a client listen. In a session there is no such method: the SDK would not notice when its request goes
// away.
func (s *Server) listen(ctx context.Context, request sdk.Request) (sdk.Result, error) {
	if request.GetParams().GetMeta()[sdk.MetaKeyProtocolVersion] == nil {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound,
			Message: "this version of the protocol has no " + listen}
	}
	select {
	case s.listens <- struct{}{}:
		defer func() { <-s.listens }()
	default:
		return nil, errBusy
	}
	return s.next(ctx, listen, request)
}
