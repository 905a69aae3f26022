package mcpserver

import (
	"context"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolrun/toolrun/registry"
)

// allPrompts is the name of the prompt that has what all tools say. A tool's has the tool's name behind it.
const allPrompts = "system-prompt"

// instructions returns what all tools add to the system prompt. A tool that fails to say it takes nothing else away.
func (s *Server) instructions(ctx context.Context, tools *registry.Registry, env registry.Env) string {
	text, err := tools.SystemPrompt(ctx, registry.MCP, env)
	if err != nil {
		s.options.Logger.ErrorContext(ctx, "the system prompt failed", "error", err)
	}
	return strings.ToValidUTF8(text, "\uFFFD")
}

// listPrompts lists the prompts that are not empty.
func (s *Server) listPrompts(ctx context.Context, tools *registry.Registry, env registry.Env) (*sdk.ListPromptsResult,
	error) {
	result := &sdk.ListPromptsResult{Prompts: []*sdk.Prompt{}, Cacheable: private}
	if s.instructions(ctx, tools, env) == "" {
		return result, nil
	}
	result.Prompts = append(result.Prompts, &sdk.Prompt{
		Name: allPrompts, Title: "System prompt", Description: "How to work with all tools of this server",
	})
	for _, spec := range tools.Enabled(env.Selection) {
		if s.instructions(ctx, tools, only(env, spec.Name)) != "" {
			result.Prompts = append(result.Prompts, &sdk.Prompt{
				Name: allPrompts + "-" + spec.Name, Title: "System prompt of " + spec.Name,
				Description: "How to work with the tool " + spec.Name,
			})
		}
	}
	return result, nil
}

func (s *Server) getPrompt(ctx context.Context, request sdk.Request, params *sdk.GetPromptParams,
	tools *registry.Registry,
	env registry.Env) (*sdk.GetPromptResult, error) {
	tool, ofTool := strings.CutPrefix(params.Name, allPrompts+"-")
	if ofTool {
		for _, spec := range tools.Enabled(env.Selection) {
			if spec.Name == tool {
				return promptResult(request, "How to work with the tool "+tool,
					s.instructions(ctx, tools, only(env, tool))), nil
			}
		}
	} else if params.Name == allPrompts {
		return promptResult(request, "How to work with all tools of this server", s.instructions(ctx, tools, env)), nil
	}
	return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams,
		Message: fmt.Sprintf("there is no prompt %q: see prompts/list", params.Name)}
}

// promptResult makes a prompt of a text. The protocol has no role for system prompts.
func promptResult(request sdk.Request, description, text string) *sdk.GetPromptResult {
	result := newResult[sdk.GetPromptResult](request)
	result.Description = description
	result.Messages = []*sdk.PromptMessage{{Role: "user", Content: &sdk.TextContent{Text: text}}}
	return result
}

// only leaves one tool enabled, besides those that always are.
func only(env registry.Env, tool string) registry.Env {
	env.Selection = env.Selection.Only(tool)
	return env
}
