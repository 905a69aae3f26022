package javascript_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"

	"github.com/toolrun/toolrun/internal/test/enginetest"
	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/runtime"
	js "github.com/toolrun/toolrun/runtime/javascript"
	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/tools/code"
	"github.com/toolrun/toolrun/tools/javascript"
)

// cacheDir is where compiled code is kept.
var cacheDir = enginetest.CacheDir()

// With the option toolCalls, code can call the other tools, here four times at once. What goes back to the model is
// only what the code makes of that.
func Example_toolCalls() {
	type city struct {
		Name string `json:"name" jsonschema:"the city, in English"`
	}
	weather := tool.Func(tool.Spec{
		Name: "weather", Description: "Tells how warm it is in a city, in degrees Celsius.",
	},
		func(_ context.Context, in city, _ tool.Env) (string, error) {
			degrees, ok := map[string]int{"Oslo": 3, "Lima": 24, "Nagoya": 17}[in.Name]
			if !ok {
				return "", tool.Errorf("There is no weather in %s.", in.Name)
			}
			return fmt.Sprint(degrees), nil
		})

	ctx := context.Background()
	engine, err := runtime.New(&runtime.EngineOptions{CacheDir: cacheDir})
	if err != nil {
		log.Fatal(err)
	}
	defer engine.Close(ctx)
	interpreter, err := js.New(ctx, engine)
	if err != nil {
		log.Fatal(err)
	}
	tools, err := registry.New(javascript.New(func(context.Context) (*js.Interpreter, error) {
		return interpreter, nil
	}, nil), weather)
	if err != nil {
		log.Fatal(err)
	}

	text := `
		const cities = ["Oslo", "Lima", "Nagoya", "Atlantis"];
		const found = await Promise.allSettled(cities.map((name) => tools.weather({ name })));
		return found.map(({ value, reason }, i) => cities[i] + ": " + (value ?? reason.message)).join("\n");`
	input, err := json.Marshal(map[string]string{"code": text})
	if err != nil {
		log.Fatal(err)
	}
	var env registry.Env
	env.Selection.Options = map[string]map[string]any{javascript.Name: {code.OptionToolCalls: true}}
	result := tools.Dispatch(ctx, tool.Call{ID: "call_1", Tool: javascript.Name, Input: input}, env)
	fmt.Println(result.Text())
	// Output:
	// Oslo: 3
	// Lima: 24
	// Nagoya: 17
	// Atlantis: There is no weather in Atlantis.
	// Tool calls: weather 4 (1 failed)
}
