package registry_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"

	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/tool"
)

func Example() {
	type city struct {
		Name string `json:"name" jsonschema:"the city, in English"`
	}
	weather := tool.Func(tool.Spec{Name: "weather", Description: "Tells the weather of a city."},
		func(ctx context.Context, in city, env tool.Env) (string, error) {
			if in.Name == "Atlantis" {
				return "", tool.Errorf("There is no weather in %s. Try a city above the sea.", in.Name)
			}
			return "15 °C, light rain", nil
		})
	tools, err := registry.New(weather)
	if err != nil {
		log.Fatal(err)
	}
	for _, input := range []string{`{"name": "Oslo"}`, `{"name": "Atlantis"}`, `{"nmae": "Oslo"}`} {
		call := tool.Call{ID: "call_1", Tool: "weather", Input: json.RawMessage(input)}
		result := tools.Dispatch(context.Background(), call, registry.Env{})
		fmt.Println(result.Text())
	}
	// Output:
	// 15 °C, light rain
	// There is no weather in Atlantis. Try a city above the sea.
	// invalid tool call: the arguments do not fit the schema of weather:
	// additional properties 'nmae' not allowed
	// missing property 'name'
}

// The enabled tools and their options come with each call.
func ExampleSelection() {
	greet := tool.JSONFunc(
		tool.Spec{
			Name: "greet", Description: "Greets.", OffByDefault: true,
			Options: []tool.Option{{ID: "word", Type: tool.OptionText, Default: "Hello"}},
		},
		func(_ context.Context, _ tool.Call, env tool.Env) (tool.Result, error) {
			return tool.Text(env.Options.Text("word") + " from " + env.Project), nil
		})
	tools, err := registry.New(greet)
	if err != nil {
		log.Fatal(err)
	}
	settings, _, err := registry.ParseSettings(
		[]byte(`{"enabledTools": ["greet"], "toolOptions": {"greet": {"word": "Hei"}}}`))
	if err != nil {
		log.Fatal(err)
	}
	call := tool.Call{Tool: "greet"}
	for _, selection := range []registry.Selection{{}, registry.Selection{}.Only("greet"), {Settings: settings}} {
		fmt.Println(tools.Dispatch(context.Background(), call, registry.Env{
			Project: "Oslo", Selection: selection,
		}).Text())
	}
	// Output:
	// Unknown tool: greet
	// Hello from Oslo
	// Hei from Oslo
}
