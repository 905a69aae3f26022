package python

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"

	py "github.com/toolrun/toolrun/runtime/python"
	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/tools/internal/coderun"
)

// OptionToolCalls is the option, of type bool, that lets code call the other tools.
const OptionToolCalls = coderun.OptionToolCalls

//go:embed toolcalls.md
var toolCallsDescription string

// describeToolCalls is what models are told about calling tools, if code can do that.
func describeToolCalls(offer tool.Offer) string {
	if !offer.Options.Bool(OptionToolCalls) || offer.Tools == nil {
		return ""
	}
	var hints []string
	size, more := 0, 0
	for _, d := range coderun.Callable(offer.Tools()) {
		hint := hintOf(d)
		if size += len(hint); size > coderun.MaxDeclarations {
			more++
			continue
		}
		hints = append(hints, hint)
	}
	if more > 0 {
		hints = append(hints, fmt.Sprintf("# and %d more", more))
	}
	if len(hints) == 0 {
		return ""
	}
	text := fmt.Sprintf(toolCallsDescription, coderun.MaxToolCalls, strings.Join(hints, "\n"))
	return "\n\n" + strings.TrimSpace(text)
}

// functions are what the code calls.
func functions(calls *coderun.ToolCalls) []py.Function {
	if !calls.Env.Options.Bool(OptionToolCalls) {
		return nil
	}
	var functions []py.Function
	for _, d := range coderun.Callable(calls.Env.Tools()) {
		if strings.HasPrefix(d.Name, "__") { // Python's own attributes
			continue
		}
		functions = append(functions, py.Function{
			Name: coderun.ToolPrefix + d.Name,
			Call: func(ctx context.Context, args []any, kwargs map[string]any) (any, error) {
				input, err := toolInput(d.Name, args, kwargs)
				if err != nil {
					return nil, err
				}
				value, err := calls.Call(ctx, d, input)
				if err == coderun.ErrLater {
					return nil, py.ErrSuspend
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
	return &py.FunctionError{Class: coderun.ToolErrorName, Message: text, Code: string(code)}
}

// toolInput makes the input of a call of what the code has passed: keywords, or one dictionary.
func toolInput(name string, args []any, kwargs map[string]any) (json.RawMessage, error) {
	fail := func(reason string) error {
		return toolError(tool.CodeInvalidInput,
			fmt.Sprintf("invalid tool call: %s takes keyword arguments, or one dictionary, %s", name, reason))
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
