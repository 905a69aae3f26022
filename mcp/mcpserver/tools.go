package mcpserver

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolrun/toolrun/provider"
	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/tool"
)

// definition is a tool as provider.Definitions has it for MCP.
type definition struct {
	Name         string               `json:"name"`
	Title        string               `json:"title"`
	Description  string               `json:"description"`
	InputSchema  json.RawMessage      `json:"inputSchema"`
	OutputSchema json.RawMessage      `json:"outputSchema"`
	Annotations  *sdk.ToolAnnotations `json:"annotations"`
}

// offer gives the SDK the tools that a selection enables, and takes away those that it does not. The SDK tells clients.
func (s *Server) offer(tools *registry.Registry, selection registry.Selection) error {
	selected, err := tools.Definitions(tool.MCP, selection) // the same ones each time, unless something has changed
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.selected != nil && slices.Equal(selected, s.selected) {
		return nil
	}
	definitions, err := provider.Definitions(tools, tool.MCP, selection, nil)
	if err != nil {
		return err
	}
	var list []json.RawMessage
	if err := json.Unmarshal(definitions, &list); err != nil {
		return err
	}
	now, reading := make(map[string][]byte, len(list)), map[string]bool{}
	for _, raw := range list {
		var d definition
		if err := json.Unmarshal(raw, &d); err != nil {
			return err
		}
		now[d.Name], reading[d.Name] = raw, d.Annotations.ReadOnlyHint
		if bytes.Equal(raw, s.tools[d.Name]) {
			continue
		}
		if err := s.add(d); err != nil {
			s.options.Logger.Error("a tool cannot be served", "tool", d.Name, "error", err)
			s.sdk.RemoveTools(d.Name)
		}
	}
	for name := range s.tools {
		if now[name] == nil {
			s.sdk.RemoveTools(name)
		}
	}
	s.selected, s.tools, s.reading = selected, now, reading
	return nil
}

// offers reports whether clients see a tool.
func (s *Server) offers(tool string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.tools[tool] != nil
}

// reads reports whether a tool is read-only.
func (s *Server) reads(tool string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.reading[tool]
}

// add gives a tool to the SDK, which panics if a schema has annotations that the protocol does not allow.
func (s *Server) add(d definition) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%v", r)
		}
	}()
	tool := &sdk.Tool{Name: d.Name, Title: d.Title, Description: d.Description, InputSchema: d.InputSchema,
		Annotations: d.Annotations}
	if d.OutputSchema != nil { // an interface that holds a nil slice would not be nil
		tool.OutputSchema = d.OutputSchema
	}
	s.sdk.AddTool(tool, s.execute)
	return nil
}

// work is what a call is done with. It is in the context of the SDK's handler, which has found out that there is such
// a tool.
type work struct {
	tools *registry.Registry
	env   registry.Env
	feed  *feed
}

type workKey struct{}

// carrierKey is for the context of the HTTP request that carries a call without a session: when it ends, nobody can
// get the result. Within a session a client can go and come back, and says so if it no longer wants a call.
type carrierKey struct{}

// call has the SDK do a call when there is room for it.
func (s *Server) call(ctx context.Context, method string, request sdk.Request, w work) (result sdk.Result, err error) {
	began := s.Call(ctx, func(ctx context.Context) {
		if carrier, ok := ctx.Value(carrierKey{}).(context.Context); ok {
			var cancel context.CancelFunc
			ctx, cancel = context.WithCancel(ctx)
			defer cancel()
			defer context.AfterFunc(carrier, cancel)()
		}
		result, err = s.next(context.WithValue(ctx, workKey{}, w), method, request)
	})
	if began != nil {
		return nil, began
	}
	return result, err
}

// Call runs do as one of the calls that [Options].Calls limits. Use it for calls that do not arrive by this protocol,
// such as those of a page for people. It waits for a place. [Server.Shutdown] waits for do, and ends its context if it
// takes too long. If there is an error, do has not run: the context has ended, or the server is closing.
func (s *Server) Call(ctx context.Context, do func(ctx context.Context)) error {
	select {
	case s.calls <- struct{}{}:
		defer func() { <-s.calls }()
	case <-ctx.Done():
		return ctx.Err()
	}
	if !s.active.begin() {
		return errClosing
	}
	defer s.active.end()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(s.stopped, cancel)()
	do(ctx)
	return nil
}

// execute does a call. Whatever goes wrong in it is in the result.
func (s *Server) execute(ctx context.Context, request *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	w := ctx.Value(workKey{}).(work)
	call := tool.Call{ID: newCallID(), Tool: request.Params.Name, Input: request.Params.Arguments}
	w.env.Progress = w.feed.begin(ctx)
	client := clientLog(ctx, request.Session)
	w.env.Logger = toolLog(ctx, w.env.Logger, client)
	log := slog.New(client)
	log.DebugContext(ctx, "call started", "call", call.ID, "tool", call.Tool)
	start := time.Now()
	asks := s.ask(request, &w.env)
	result := w.tools.Dispatch(ctx, call, w.env)
	w.feed.end()
	s.watch.poke()
	outcome := "ok"
	if result.IsError() {
		outcome = string(result.Code)
	}
	log.InfoContext(ctx, "call ended", "call", call.ID, "tool", call.Tool, "outcome", outcome, "ms",
		time.Since(start).Milliseconds())
	if asking := asks.result(result); asking != nil {
		return asking, nil
	}
	spec, _ := w.tools.Spec(call.Tool)
	result.Data = provider.StructuredContent(result, spec.OutputSchema != nil, spec.TextOutput)
	return s.result(request.Session, result, w.env)
}

// result brings a result into the SDK's form.
func (s *Server) result(session *sdk.ServerSession, result tool.Result, env registry.Env) (*sdk.CallToolResult,
	error) {
	data, _ := result.Data.(json.RawMessage)
	result.Data = nil // the SDK would decode it, which takes many times the memory, and not all digits of its numbers
	raw, err := provider.Results(tool.MCP, []tool.Result{result})
	if err != nil {
		return nil, err
	}
	var list []struct {
		Content []json.RawMessage
		IsError bool
	}
	if err := json.Unmarshal(raw, &list); err != nil {
		return nil, err
	}
	r := &sdk.CallToolResult{IsError: list[0].IsError}
	for _, part := range list[0].Content {
		r.Content = append(r.Content, encoded{text: part})
	}
	if bytes.HasPrefix(data, []byte("{")) {
		r.StructuredContent = data
	}
	if result.InFile != "" && env.Files != nil && !s.options.NoResources && knowsLinks(session) {
		r.Content = append(r.Content, linkTo(env, result.InFile))
	}
	return r, nil
}

// encoded is content that is JSON already. All that the SDK does with content is to encode it.
type encoded struct {
	sdk.Content // nil: for its methods
	text        json.RawMessage
}

func (e encoded) MarshalJSON() ([]byte, error) { return e.text, nil }

// newCallID returns an id under which the project's history has what a call changes: ids of requests are used again.
func newCallID() string { return "mcp-" + strings.ToLower(rand.Text()[:16]) }
