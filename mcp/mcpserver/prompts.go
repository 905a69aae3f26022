package mcpserver

import (
	"context"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/tool"
)

// allPrompts is the name of the prompt that has what all tools say. A tool's has the tool's name behind it.
const allPrompts = "system-prompt"

// instructions returns what all tools add to the system prompt. A tool that fails to say it takes nothing else away.
func (s *Server) instructions(ctx context.Context, tools *registry.Registry, env registry.Env) string {
	text, err := tools.SystemPrompt(ctx, tool.MCP, env)
	if err != nil {
		s.options.Logger.ErrorContext(ctx, "the system prompt failed", "error", err)
	}
	return strings.ToValidUTF8(text, "\uFFFD")
}

// A prompt is one that clients can get, and the Env that decides what it says.
type prompt struct {
	sdk.Prompt
	env registry.Env
}

// prompts returns that of all tools, and then that of each tool, for which no other is enabled, besides those that
// always are.
func prompts(tools *registry.Registry, env registry.Env) []prompt {
	list := []prompt{{sdk.Prompt{Name: allPrompts, Title: "System prompt",
		Description: "How to work with all tools of this server"}, env}}
	selection := env.Selection
	for _, spec := range tools.Enabled(selection) {
		env.Selection = selection.Only(spec.Name)
		list = append(list, prompt{sdk.Prompt{Name: allPrompts + "-" + spec.Name,
			Title: "System prompt of " + spec.Name, Description: "How to work with the tool " + spec.Name}, env})
	}
	return list
}

// listPrompts lists the prompts that are not empty.
func (s *Server) listPrompts(ctx context.Context, tools *registry.Registry, env registry.Env) (*sdk.ListPromptsResult,
	error) {
	result := &sdk.ListPromptsResult{Prompts: []*sdk.Prompt{}, Cacheable: private}
	for _, p := range prompts(tools, env) {
		if s.instructions(ctx, tools, p.env) != "" {
			result.Prompts = append(result.Prompts, &p.Prompt)
		} else if p.Name == allPrompts {
			break
		}
	}
	return result, nil
}

// getPrompt makes a prompt of a text. The protocol has no role for system prompts.
func (s *Server) getPrompt(ctx context.Context, request sdk.Request, params *sdk.GetPromptParams,
	tools *registry.Registry, env registry.Env) (*sdk.GetPromptResult, error) {
	for _, p := range prompts(tools, env) {
		if p.Name == params.Name {
			result := newResult[sdk.GetPromptResult](request)
			result.Description = p.Description
			text := &sdk.TextContent{Text: s.instructions(ctx, tools, p.env)}
			result.Messages = []*sdk.PromptMessage{{Role: "user", Content: text}}
			return result, nil
		}
	}
	return nil, invalidParams("there is no prompt %q: see prompts/list", params.Name)
}

func invalidParams(format string, args ...any) error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: fmt.Sprintf(format, args...)}
}
