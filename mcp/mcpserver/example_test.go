package mcpserver_test

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolrun/toolrun/mcp/mcpserver"
	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/tools/filesystem"
	"github.com/toolrun/toolrun/vfs/local"
)

// Each user of a server has a project, by a token.
func Example() {
	ctx := context.Background()
	tools, err := registry.New(filesystem.New())
	if err != nil {
		log.Fatal(err)
	}
	store := local.NewMemoryStore(nil)
	project, err := store.Open(context.Background(), "alice")
	if err != nil {
		log.Fatal(err)
	}
	alice, err := mcpserver.New(ctx, mcpserver.Fixed(tools, registry.Env{Project: "alice", Files: project}), nil)
	if err != nil {
		log.Fatal(err)
	}
	handler := mcpserver.NewHandler(func(r *http.Request) (*mcpserver.Server, error) {
		// or a token: whatever you go by
		if user, password, _ := r.BasicAuth(); user == "alice" && password == "secret" {
			return alice, nil
		}
		return nil, mcpserver.ErrUnauthorized
	}, nil)
	service := httptest.NewServer(handler)
	defer service.Close()
	defer handler.Shutdown(ctx)

	client := mcp.NewClient(&mcp.Implementation{Name: "example", Version: "1"}, nil)
	_, err = client.Connect(ctx, &mcp.StreamableClientTransport{Endpoint: service.URL}, nil)
	fmt.Println("a stranger:", err != nil)

	session, err := client.Connect(ctx, &mcp.StreamableClientTransport{Endpoint: service.URL,
		HTTPClient: &http.Client{Transport: asAlice{}}}, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close()
	result, err := session.CallTool(ctx, &mcp.CallToolParams{
		Name: "filesystem", Arguments: map[string]any{"command": "create", "path": "/a.txt", "file_text": "hello"},
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.Content[0].(*mcp.TextContent).Text)
	file, err := session.ReadResource(ctx, &mcp.ReadResourceParams{URI: "toolrun://alice/a.txt"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(file.Contents[0].Text)
	// Output:
	// a stranger: true
	// File created successfully at: /a.txt
	// hello
}

type asAlice struct{}

func (asAlice) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.SetBasicAuth("alice", "secret")
	return http.DefaultTransport.RoundTrip(r)
}
