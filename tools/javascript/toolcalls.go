package javascript

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/toolrun/toolrun/internal/js/tsdecl"
	js "github.com/toolrun/toolrun/runtime/javascript"
	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/tools/code"
)

// declareAll declares tools for models.
func declareAll(tools []*tool.Definition) string {
	var declarations []tsdecl.Declaration
	for _, d := range tools {
		declarations = append(declarations, declare(d))
	}
	return tsdecl.Object("tools", declarations, code.MaxDeclarations)
}

type declarationKey struct{}

// declare declares a tool as a function. It takes time, and is done once for each definition.
func declare(d *tool.Definition) tsdecl.Declaration {
	declaration, _ := d.Derive(declarationKey{}, func() (any, error) { // which never fails
		f := tsdecl.Function{Name: d.Name, Description: d.Description, Input: d.Input}
		if d.Output != nil {
			f.Output = d.Output
		}
		return tsdecl.Declare(f), nil
	})
	return declaration.(tsdecl.Declaration)
}

// functions are what the code calls.
func functions(tools []code.Callable) []js.Function {
	var functions []js.Function
	for _, t := range tools {
		functions = append(functions, js.Function{Name: code.ToolPrefix + t.Name, Async: true,
			Call: func(ctx context.Context, args []any) (any, error) {
				input, err := toolInput(t.Name, args)
				if err != nil {
					return nil, err
				}
				return t.Call(ctx, input)
			},
		})
	}
	return functions
}

// toolInput makes the input of a call of what the code has passed.
func toolInput(name string, args []any) (json.RawMessage, error) {
	fail := func(reason string) error { return code.InvalidCall(name, "one object with its arguments", reason) }
	if len(args) > 1 {
		return nil, fail(fmt.Sprintf("not %d values", len(args)))
	}
	if len(args) == 0 || args[0] == nil {
		return nil, nil
	}
	object, ok := args[0].(map[string]any)
	if !ok {
		return nil, fail("and nothing else")
	}
	if hasBytes(object) {
		return nil, fail("and no buffers in it. Pass a string, or write a file and pass its name.")
	}
	input, err := json.Marshal(object)
	if err != nil {
		return nil, fail(err.Error())
	}
	return input, nil
}

func hasBytes(value any) bool {
	switch value := value.(type) {
	case []byte:
		return true
	case []any:
		return slices.ContainsFunc(value, hasBytes)
	case map[string]any:
		for _, inside := range value {
			if hasBytes(inside) {
				return true
			}
		}
	}
	return false
}
