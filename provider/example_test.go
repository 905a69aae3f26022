package provider_test

import (
	"context"
	"fmt"

	"github.com/toolrun/toolrun/provider"
	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/tool"
)

type greeting struct {
	Name string `json:"name" jsonschema:"who is greeted"`
}

// In one turn of a conversation, a model gets the tools, calls one of them, and gets the result.
func Example() {
	greet := tool.Func(tool.Spec{Name: "greet", Description: "Greets somebody."},
		func(_ context.Context, in greeting, _ tool.Env) (string, error) {
			return "Hello, " + in.Name + "!", nil
		})
	reg, err := registry.New(greet)
	if err != nil {
		panic(err)
	}

	tools, err := provider.Definitions(reg, tool.Anthropic, registry.Selection{}, nil)
	if err != nil {
		panic(err)
	}
	fmt.Println(string(tools))

	// The host sends the tools with its request, and receives this response.
	response :=
		`{"role":"assistant","content":[{"type":"tool_use","id":"toolu_1","name":"greet","input":{"name":"Ada"}}]}`
	calls, err := provider.Calls(tool.Anthropic, []byte(response))
	if err != nil {
		panic(err)
	}
	var results []tool.Result
	for _, call := range calls {
		results = append(results, reg.Dispatch(context.Background(), call, registry.Env{}))
	}
	messages, err := provider.Results(tool.Anthropic, results)
	if err != nil {
		panic(err)
	}
	fmt.Println(string(messages))
	// Output:
	// [{"name":"greet","description":"Greets somebody.","input_schema":{"type":"object","properties":{"name":{"type":"string","description":"who is greeted"}},"required":["name"],"additionalProperties":false}}]
	// [{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":[{"type":"text","text":"Hello, Ada!"}]}]}]
}
