package javascript

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/toolrun/toolrun/internal/plaintext"
	"github.com/toolrun/toolrun/internal/tsdecl"
	"github.com/toolrun/toolrun/registry"
	js "github.com/toolrun/toolrun/runtime/javascript"
	"github.com/toolrun/toolrun/tools/internal/coderun"
)

// OptionToolCalls is the option, of type bool, that lets code call the other tools.
const OptionToolCalls = "toolCalls"

// MaxToolCalls is how many calls of tools the code of one run can make.
const MaxToolCalls = 100

// CodeTooManyCalls is the code of the error that code gets when it has made as many calls, or received as much from
// them, as it may.
const CodeTooManyCalls registry.Code = "too_many_calls"

// What code sees, and bounds on it.
const (
	maxToolResults  = 64 << 20 // bytes, all results of a run together
	maxToolError    = 64 << 10 // bytes of one message
	maxDeclarations = 32 << 10 // bytes
	toolErrorName   = "ToolError"
	toolPrefix      = "tools."
)

// A ToolCall is a call of a tool that code made.
type ToolCall = coderun.ToolCall

//go:embed toolcalls.md
var toolCallsDescription string

// describeToolCalls is what models are told about calling tools, if code can do that.
func describeToolCalls(offer registry.Offer) string {
	if !offer.Options.Bool(OptionToolCalls) || offer.Tools == nil {
		return ""
	}
	var declarations []tsdecl.Declaration
	for _, d := range callable(offer.Tools()) {
		declarations = append(declarations, declare(d))
	}
	if len(declarations) == 0 {
		return ""
	}
	text := fmt.Sprintf(toolCallsDescription, MaxToolCalls, tsdecl.Object("tools", declarations, maxDeclarations))
	return "\n\n" + strings.TrimSpace(text)
}

// callable leaves out what has a name that cannot be a property of an object as others are.
func callable(definitions []*registry.Definition) []*registry.Definition {
	return slices.DeleteFunc(definitions, func(d *registry.Definition) bool { return d.Name == "__proto__" })
}

type declarationKey struct{}

// declare declares a tool as a function. It takes time, and is done once for each definition.
func declare(d *registry.Definition) tsdecl.Declaration {
	declaration, _ := d.Derive(declarationKey{}, func() (any, error) { // which never fails
		f := tsdecl.Function{Name: d.Name, Description: d.Description, Input: d.Input.JSON()}
		if d.Output != nil {
			f.Output = d.Output.JSON()
		}
		return tsdecl.Declare(f), nil
	})
	return declaration.(tsdecl.Declaration)
}

// toolCalls are the calls of one run.
type toolCalls struct {
	env registry.Env

	mu      sync.Mutex
	calls   []ToolCall
	refused int
	results int // bytes of results so far
}

// functions are what the code calls.
func (c *toolCalls) functions() []js.Function {
	if !c.env.Options.Bool(OptionToolCalls) {
		return nil
	}
	var functions []js.Function
	for _, d := range callable(c.env.Tools()) {
		functions = append(functions, js.Function{
			Name: toolPrefix + d.Name, Async: true,
			Call: func(ctx context.Context, args []any) (any, error) { return c.call(ctx, d, args) },
		})
	}
	return functions
}

// call makes a call. What the code gets is the result's data if the tool says what that is, and otherwise the text.
func (c *toolCalls) call(ctx context.Context, d *registry.Definition, args []any) (any, error) {
	input, err := toolInput(d.Name, args)
	if err != nil {
		return nil, err
	}
	i, ok := c.begin(d.Name)
	if !ok {
		return nil, toolError(CodeTooManyCalls, fmt.Sprintf(
			"Tools can be called %d times in one run, and all of these calls have been made. Return what there is, and go on in another run.", MaxToolCalls))
	}
	start := time.Now()
	result := c.env.Dispatch(ctx, registry.Call{Tool: d.Name, Input: input})
	var value any = result.Text()
	size := len(value.(string))
	if data, ok := result.Data.(json.RawMessage); ok && d.Output != nil {
		value, size = data, len(data)
	}
	if !c.end(i, result, time.Since(start), size) {
		return nil, toolError(CodeTooManyCalls, fmt.Sprintf(
			"The call of %s was made, but its result is dropped: the results of one run may have %d MiB together. Ask for less.", d.Name, maxToolResults>>20))
	}
	if result.IsError() {
		return nil, toolError(result.Code, plaintext.Cut(result.Text(), maxToolError))
	}
	return value, nil
}

// begin counts a call.
func (c *toolCalls) begin(tool string) (i int, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.calls) >= MaxToolCalls {
		c.refused++
		return 0, false
	}
	c.calls = append(c.calls, ToolCall{Tool: tool, Code: registry.CodeCanceled})
	return len(c.calls) - 1, true
}

// end notes how a call has ended, and reports whether there is room for a result of that size.
func (c *toolCalls) end(i int, result registry.Result, took time.Duration, size int) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	call := &c.calls[i]
	call.OK, call.Code = !result.IsError(), result.Code
	call.Milliseconds = float64(took.Microseconds()) / 1000
	c.results += size
	return c.results <= maxToolResults
}

// addTo adds the calls to what is said of the run. Those that are still under way have been canceled by its end.
func (c *toolCalls) addTo(result *registry.Result) {
	c.mu.Lock()
	calls, refused := slices.Clone(c.calls), c.refused
	c.mu.Unlock()
	if len(calls) == 0 {
		return
	}
	made, failed := map[string]int{}, map[string]int{}
	for _, call := range calls {
		made[call.Tool]++
		if !call.OK {
			failed[call.Tool]++
		}
	}
	tools := slices.Sorted(maps.Keys(made)) // the order of calls that are made at once is by chance
	for i, tool := range tools {
		tools[i] = fmt.Sprintf("%s %d", tool, made[tool])
		if n := failed[tool]; n > 0 {
			tools[i] += fmt.Sprintf(" (%d failed)", n)
		}
	}
	note := "Tool calls: " + strings.Join(tools, ", ")
	if refused > 0 {
		note += fmt.Sprintf("; %d more were refused", refused)
	}
	// In a part of its own, as the files are, which the code cannot write.
	result.Content = slices.Insert(result.Content, 1, registry.Part{Text: note})
	if out, ok := result.Data.(Output); ok {
		out.Calls = calls
		result.Data = out
	}
}

func toolError(code registry.Code, text string) error {
	return &js.FunctionError{Name: toolErrorName, Message: text, Code: string(code)}
}

// toolInput makes the input of a call of what the code has passed.
func toolInput(tool string, args []any) (json.RawMessage, error) {
	fail := func(reason string) error {
		return toolError(registry.CodeInvalidInput, fmt.Sprintf("invalid tool call: %s takes one object with its arguments, %s", tool, reason))
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
