package code

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/toolrun/toolrun/internal/text/plaintext"
	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/runtime/script"
	"github.com/toolrun/toolrun/tool"
)

// OptionToolCalls is the option, of type bool, that lets code call the other tools.
const OptionToolCalls = "toolCalls"

// MaxToolCalls is how many calls of tools the code of one run can make.
const MaxToolCalls = 100

// CodeTooManyCalls is the code of the error that code gets when it has made as many calls, or received as much from
// them, as it may.
const CodeTooManyCalls tool.Code = "too_many_calls"

// What code sees, and bounds on it.
const (
	maxToolResults = 64 << 20 // bytes, all results of a run together
	maxToolError   = 64 << 10 // bytes of one message

	// MaxDeclarations bounds what models are told of the tools that code can call, in bytes.
	MaxDeclarations = 32 << 10
	// toolErrorName is what code calls the error of a call that failed.
	toolErrorName = "ToolError"
	// ToolPrefix is the object that has the tools.
	ToolPrefix = "tools."
)

// callable leaves out what has a name that cannot be a property of an object as others are.
func callable(definitions []*tool.Definition) []*tool.Definition {
	return slices.DeleteFunc(definitions, func(d *tool.Definition) bool { return d.Name == "__proto__" })
}

// ToolCalls are the calls of tools that the code of one run makes. It is safe for concurrent use.
type ToolCalls struct {
	Env tool.Env

	mu      sync.Mutex
	calls   []ToolCall
	orders  []int // which of the run's each of calls is; 0 for those before it went on
	refused int
	results int         // bytes of results so far
	numbers map[int]int // places of the calls that have been put off, by their numbers
}

// tools are what the code can call. texts says that it gets texts only.
func (c *ToolCalls) tools(texts bool) []Callable {
	if !c.Env.Options.Bool(OptionToolCalls) {
		return nil
	}
	var tools []Callable
	for _, d := range callable(c.Env.Tools()) {
		tools = append(tools, Callable{d.Name, func(ctx context.Context, input json.RawMessage) (any, error) {
			return c.call(ctx, d, input, !texts && d.Output != nil)
		}})
	}
	return tools
}

// Call makes a call. What the code gets is the result's data if the tool says what that is, and otherwise the text. The
// error is a [*script.FunctionError] for the code, or [sandbox.ErrSuspend].
func (c *ToolCalls) Call(ctx context.Context, d *tool.Definition, input json.RawMessage) (any, error) {
	return c.call(ctx, d, input, d.Output != nil)
}

// call is Call for code that gets the data, or else the text.
func (c *ToolCalls) call(ctx context.Context, d *tool.Definition, input json.RawMessage, data bool) (any, error) {
	number := sandbox.CallNumber(ctx)
	order := sandbox.CallOrder(ctx)
	i, ok := c.begin(d.Name, number, order)
	if !ok {
		return nil, callError(CodeTooManyCalls, fmt.Sprintf(
			"Tools can be called %d times in one run, and all of these calls have been made. "+
				"Return what there is, and go on in another run.", MaxToolCalls))
	}
	start := time.Now()
	ofRun := ctx
	ctx = tool.WithPause(ctx, func() (resume func()) { return sandbox.Hold(ofRun) })
	call := tool.Call{Tool: d.Name, Input: input, Number: order}
	var result tool.Result
	if number < 0 {
		result = c.Env.Dispatch(ctx, call)
	} else if answer, later := c.Env.DispatchNumbered(ctx, call, number); later {
		c.putOff(i, number)
		return nil, sandbox.ErrSuspend
	} else {
		result = answer
	}
	var value any = result.Text()
	size := len(value.(string))
	if encoded, ok := result.Data.(json.RawMessage); ok && data {
		value, size = encoded, len(encoded)
	}
	if !c.end(i, result, time.Since(start), size) {
		return nil, callError(CodeTooManyCalls, fmt.Sprintf(
			"The call of %s was made, but its result is dropped: the results of one run may have %d MiB together. "+
				"Ask for less.", d.Name, maxToolResults>>20))
	}
	if result.IsError() {
		return nil, callError(result.Code, plaintext.Cut(result.Text(), maxToolError))
	}
	return value, nil
}

// callError is what code gets of a call that has failed.
func callError(code tool.Code, text string) error {
	return &script.FunctionError{Name: toolErrorName, Message: text, Code: string(code)}
}

// begin counts a call, unless it is one that was put off.
func (c *ToolCalls) begin(name string, number, order int) (i int, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if i, ok := c.numbers[number]; ok {
		delete(c.numbers, number)
		return i, true
	}
	if len(c.calls) >= MaxToolCalls {
		c.refused++
		return 0, false
	}
	c.calls = append(c.calls, ToolCall{Tool: name, Code: tool.CodeCanceled})
	c.orders = append(c.orders, order)
	return len(c.calls) - 1, true
}

func (c *ToolCalls) putOff(i, number int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.numbers == nil {
		c.numbers = map[int]int{}
	}
	c.numbers[number] = i
}

// end notes how a call has ended, and reports whether there is room for a result of that size.
func (c *ToolCalls) end(i int, result tool.Result, took time.Duration, size int) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	call := &c.calls[i]
	call.OK, call.Code = !result.IsError(), result.Code
	call.Milliseconds = float64(took.Microseconds()) / 1000
	c.results += size
	return c.results <= maxToolResults
}

// inOrder returns the calls in the order in which the code has made them. Those that are made at once begin in an order
// that is by chance. The caller holds the lock.
func (c *ToolCalls) inOrder() []ToolCall {
	places := make([]int, len(c.calls))
	for i := range places {
		places[i] = i
	}
	slices.SortStableFunc(places, func(a, b int) int { return cmp.Compare(c.orders[a], c.orders[b]) })
	calls := make([]ToolCall, len(c.calls))
	for i, place := range places {
		calls[i] = c.calls[place]
	}
	return calls
}

// AddTo adds the calls to what is said of the run. Those that are still under way have been canceled by its end.
func (c *ToolCalls) AddTo(result *tool.Result) {
	c.mu.Lock()
	calls, refused := c.inOrder(), c.refused
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
	tools := slices.Sorted(maps.Keys(made))
	for i, t := range tools {
		tools[i] = fmt.Sprintf("%s %d", t, made[t])
		if n := failed[t]; n > 0 {
			tools[i] += fmt.Sprintf(" (%d failed)", n)
		}
	}
	note := "Tool calls: " + strings.Join(tools, ", ")
	if refused > 0 {
		note += fmt.Sprintf("; %d more were refused", refused)
	}
	// In a part of its own, as the files are, which the code cannot write.
	result.Content = slices.Insert(result.Content, 1, tool.Part{Text: note})
	if out, ok := result.Data.(Output); ok {
		out.Calls = calls
		result.Data = out
	}
}
