package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolrun/toolrun/bench/protocol"
	"github.com/toolrun/toolrun/mcp/mcpserver"
	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/tools/javascript"
	"github.com/toolrun/toolrun/vfs/local"
)

// oursHTTP is the javascript tool over MCP, for clients that have no session, which are in the same process.
func oursHTTP() (protocol.Engine, error) {
	tools, err := registryOfOurs()
	if err != nil {
		return protocol.Engine{}, err
	}
	project, err := local.NewMemoryStore(nil).Open(context.Background(), "project")
	if err != nil {
		return protocol.Engine{}, err
	}
	server, err := mcpserver.New(context.Background(), mcpserver.Fixed(tools, registry.Env{Files: project}),
		&mcpserver.Options{Rate: 1e9})
	if err != nil {
		return protocol.Engine{}, err
	}
	return overHTTP(mcpserver.NewHandler(func(*http.Request) (*mcpserver.Server, error) { return server, nil },
		&mcpserver.HandlerOptions{Stateless: true})), nil
}

// sdkHTTP is a tool that runs no code and answers 1, over MCP by the official SDK.
func sdkHTTP() (protocol.Engine, error) {
	server := mcp.NewServer(&mcp.Implementation{Name: "bench", Version: "1"}, nil)
	type arguments struct {
		Code string `json:"code"`
	}
	mcp.AddTool(server, &mcp.Tool{Name: javascript.Name, Description: "Answers 1."},
		func(context.Context, *mcp.CallToolRequest, arguments) (*mcp.CallToolResult, any, error) {
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "1"}}}, nil, nil
		})
	return overHTTP(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server },
		&mcp.StreamableHTTPOptions{Stateless: true, JSONResponse: true})), nil
}

// overHTTP calls the tool javascript of an MCP server, each time with a request of its own, over connections that stay.
func overHTTP(handler http.Handler) protocol.Engine {
	server := httptest.NewServer(handler) // until the process ends
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 100}}
	return protocol.Engine{
		Version: version("github.com/modelcontextprotocol/go-sdk", "go-sdk "),
		Call: func(code, library string) (string, error) {
			if library != "" {
				return "", errors.New("there are no libraries")
			}
			body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": "tools/call",
				"params": map[string]any{"name": javascript.Name, "arguments": map[string]string{"code": code}}})
			if err != nil {
				return "", err
			}
			request, err := http.NewRequest(http.MethodPost, server.URL, bytes.NewReader(body))
			if err != nil {
				return "", err
			}
			for name, value := range map[string]string{"Content-Type": "application/json",
				"Accept": "application/json, text/event-stream", "Mcp-Protocol-Version": "2025-11-25"} {
				request.Header.Set(name, value)
			}
			response, err := client.Do(request)
			if err != nil {
				return "", err
			}
			defer response.Body.Close()
			answer, err := io.ReadAll(response.Body)
			if err != nil {
				return "", err
			}
			if begin := bytes.LastIndex(answer, []byte("\ndata: ")); begin >= 0 { // it is the last event of a stream
				answer = answer[begin+len("\ndata: "):]
			}
			var message struct {
				Result struct{ Content []struct{ Text string } }
			}
			if err := json.Unmarshal(answer, &message); err != nil || len(message.Result.Content) != 1 {
				return "", fmt.Errorf("%s: %s", response.Status, answer)
			}
			return message.Result.Content[0].Text, nil
		},
	}
}
