package javascript

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/toolrun/toolrun/internal/tsdecl"
	js "github.com/toolrun/toolrun/runtime/javascript"
	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/tools/internal/coderun"
)

// OptionToolCalls is the option, of type bool, that lets code call the other tools.
const OptionToolCalls = coderun.OptionToolCalls

// MaxToolCalls is how many calls of tools the code of one run can make.
const MaxToolCalls = coderun.MaxToolCalls

// A ToolCall is a call of a tool that code made.
type ToolCall = coderun.ToolCall

//go:embed toolcalls.md
var toolCallsDescription string

// describeToolCalls is what models are told about calling tools, if code can do that.
func describeToolCalls(offer tool.Offer) string {
	if !offer.Options.Bool(OptionToolCalls) || offer.Tools == nil {
		return ""
	}
	var declarations []tsdecl.Declaration
	for _, d := range coderun.Callable(offer.Tools()) {
		declarations = append(declarations, declare(d))
	}
	if len(declarations) == 0 {
		return ""
	}
	text := fmt.Sprintf(toolCallsDescription, MaxToolCalls,
		tsdecl.Object("tools", declarations, coderun.MaxDeclarations))
	return "\n\n" + strings.TrimSpace(text)
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
func functions(calls *coderun.ToolCalls) []js.Function {
	if !calls.Env.Options.Bool(OptionToolCalls) {
		return nil
	}
	var functions []js.Function
	for _, d := range coderun.Callable(calls.Env.Tools()) {
		functions = append(functions, js.Function{
			Name: coderun.ToolPrefix + d.Name, Async: true,
			Call: func(ctx context.Context, args []any) (any, error) {
				input, err := toolInput(d.Name, args)
				if err != nil {
					return nil, err
				}
				value, err := calls.Call(ctx, d, input)
				if err == coderun.ErrLater {
					return nil, js.ErrSuspend
				}
				if failed, ok := errors.AsType[*coderun.CallError](err); ok {
					return nil, toolError(failed.Code, failed.Text)
				}
				return value, err
			},
		})
	}
	return functions
}

func toolError(code tool.Code, text string) error {
	return &js.FunctionError{Name: coderun.ToolErrorName, Message: text, Code: string(code)}
}

// toolInput makes the input of a call of what the code has passed.
func toolInput(name string, args []any) (json.RawMessage, error) {
	fail := func(reason string) error {
		return toolError(tool.CodeInvalidInput,
			fmt.Sprintf("invalid tool call: %s takes one object with its arguments, %s", name, reason))
	}
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
