package mcpclient_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"

	"github.com/toolrun/toolrun/mcp/mcpclient"
	"github.com/toolrun/toolrun/mcp/mcpserver"
	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/tool"
)

// The tools of a server are called like any other.
func Example() {
	ctx := context.Background()
	weather := tool.Func(tool.Spec{Name: "weather", Description: "Tells the weather of a city."},
		func(_ context.Context, in struct {
			City string `json:"city"`
		}, _ tool.Env) (string, error) {
			return "light rain in " + in.City, nil
		})
	tools, err := registry.New(weather)
	if err != nil {
		log.Fatal(err)
	}
	server, err := mcpserver.New(ctx, mcpserver.Fixed(tools, registry.Env{}), nil)
	if err != nil {
		log.Fatal(err)
	}
	handler := mcpserver.NewHandler(func(*http.Request) (*mcpserver.Server, error) { return server, nil }, nil)
	service := httptest.NewServer(handler)
	defer service.Close()
	defer handler.Shutdown(ctx)

	config, err := mcpclient.ParseConfig([]byte(`{"mcpServers": {"met": {"url": "` + service.URL + `"}}}`))
	if err != nil {
		log.Fatal(err)
	}
	servers, err := mcpclient.Open(ctx, config, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer servers.Close()
	call := tool.Call{Tool: "met_weather", Input: json.RawMessage(`{"city": "Oslo"}`)}
	fmt.Println(servers.Registry().Dispatch(ctx, call, registry.Env{}).Text())
	// Output: light rain in Oslo
}
