// Command conformanceclient uses all tools of the server at the URL that is its argument, as the protocol's conformance suite wants
// it of a client. It is for checks only.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/toolrun/toolrun/mcp/mcpclient"
	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/tool"
)

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context) (err error) {
	if len(os.Args) < 2 {
		return errors.New("usage: conformanceclient URL")
	}
	servers, err := mcpclient.Open(ctx,
		mcpclient.Config{Servers: map[string]mcpclient.ServerConfig{"suite": {URL: os.Args[len(os.Args)-1]}}}, nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, servers.Close()) }()
	if status := servers.Status()[0]; !status.Connected {
		return status.Err
	}
	tools := servers.Registry()
	for _, spec := range tools.Specs() {
		call := tool.Call{Tool: spec.Name, Input: json.RawMessage(`{}`)}
		if spec.Name == "suite_add_numbers" {
			call.Input = json.RawMessage(`{"a": 5, "b": 3}`)
		}
		result := tools.Dispatch(ctx, call, registry.Env{})
		fmt.Printf("%s: %s\n", spec.Name, result.Text())
		if result.IsError() {
			return fmt.Errorf("%s has failed: %w", spec.Name, errors.Join(result.Err, errors.New(string(result.Code))))
		}
	}
	return nil
}
