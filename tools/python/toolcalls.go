package python

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"strings"

	py "github.com/toolrun/toolrun/runtime/python"
	"github.com/toolrun/toolrun/tools/code"
)

// functions are what the code calls.
func functions(tools []code.Callable) []py.Function {
	var functions []py.Function
	for _, t := range tools {
		if strings.HasPrefix(t.Name, "__") { // Python's own attributes
			continue
		}
		functions = append(functions, py.Function{
			Name: code.ToolPrefix + t.Name,
			Call: func(ctx context.Context, args []any, kwargs map[string]any) (any, error) {
				input, err := toolInput(t.Name, args, kwargs)
				if err != nil {
					return nil, err
				}
				return t.Call(ctx, input)
			},
		})
	}
	return functions
}

// toolInput makes the input of a call of what the code has passed: keywords, or one dictionary.
func toolInput(name string, args []any, kwargs map[string]any) (json.RawMessage, error) {
	fail := func(reason string) error {
		return code.InvalidCall(name, "keyword arguments, or one dictionary", reason)
	}
	input := map[string]any{}
	switch len(args) {
	case 0:
	case 1:
		object, ok := args[0].(map[string]any)
		if !ok {
			return nil, fail("and nothing else")
		}
		maps.Copy(input, object)
	default:
		return nil, fail(fmt.Sprintf("not %d values", len(args)))
	}
	maps.Copy(input, kwargs)
	data, err := json.Marshal(input)
	if err != nil {
		return nil, fail(err.Error())
	}
	return data, nil
}
