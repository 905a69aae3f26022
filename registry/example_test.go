package registry_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"strings"

	"github.com/spf13/afero"

	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/vfs/local"
)

func Example() {
	type city struct {
		Name string `json:"name" jsonschema:"the city, in English"`
	}
	weather := registry.Func(registry.Spec{Name: "weather", Description: "Tells the weather of a city."},
		func(ctx context.Context, in city, env registry.Env) (string, error) {
			if in.Name == "Atlantis" {
				return "", registry.Errorf("There is no weather in %s. Try a city above the sea.", in.Name)
			}
			return "15 °C, light rain", nil
		})
	tools, err := registry.New(weather)
	if err != nil {
		log.Fatal(err)
	}
	for _, input := range []string{`{"name": "Oslo"}`, `{"name": "Atlantis"}`, `{"nmae": "Oslo"}`} {
		call := registry.Call{ID: "call_1", Tool: "weather", Input: json.RawMessage(input)}
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

// A tool that works on files uses those of the call's project.
func ExampleFunc_files() {
	type in struct {
		Path string `json:"path" jsonschema:"the file"`
	}
	type out struct {
		Words int `json:"words"`
	}
	count := registry.Func(registry.Spec{
		Name: "count_words", Description: "Counts the words of a file.", NeedsProject: true,
	},
		func(_ context.Context, in in, env registry.Env) (out, error) {
			data, err := afero.ReadFile(env.Files, in.Path)
			if err != nil {
				return out{}, registry.Errorf("%s cannot be read: %w", in.Path, err)
			}
			return out{len(strings.Fields(string(data)))}, nil
		})
	tools, err := registry.New(count)
	if err != nil {
		log.Fatal(err)
	}
	project, err := local.NewMemoryStore(nil).Open(context.Background(), "alice")
	if err != nil {
		log.Fatal(err)
	}
	if err := afero.WriteFile(project, "/a.txt", []byte("to be or not to be"), 0o600); err != nil {
		log.Fatal(err)
	}
	call := registry.Call{Tool: "count_words", Input: json.RawMessage(`{"path": "/a.txt"}`)}
	fmt.Println(tools.Dispatch(context.Background(), call, registry.Env{Files: project}).Text())
	// Output: {"words":6}
}

// The enabled tools and their options come with each call.
func ExampleSelection() {
	greet := registry.ToolFunc(
		registry.Spec{
			Name: "greet", Description: "Greets.", OffByDefault: true,
			Options: []registry.Option{{ID: "word", Type: registry.OptionText, Default: "Hello"}},
		},
		func(_ context.Context, _ registry.Call, env registry.Env) (registry.Result, error) {
			return registry.Text(env.Options.Text("word") + " from " + env.Project), nil
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
	call := registry.Call{Tool: "greet"}
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
