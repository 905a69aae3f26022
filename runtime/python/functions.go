package python

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/toolrun/toolrun/guest/python"
	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/runtime/script"
)

// A Function is a Go function that code can call. A call waits, and gives the value; where the code awaits what the
// call gives, as in
//
//	await asyncio.gather(tools.a(), tools.b())
//
// it gives something to await, and calls that are awaited together are made at the same time.
//
// Arguments and results are JSON-like, of the types of [Result].Value. A result can be anything that encoding/json can
// marshal.
type Function struct {
	// Name is the code's name for the function: an identifier, or two joined by a dot, as in "tools.search". The second
	// one can have hyphens: code calls "tools.git-hub" as tools["git-hub"].
	Name string

	// Call does the work. Code that awaits calls makes several at the same time, so it must be safe for concurrent use.
	// The context ends with the run. An error becomes an exception with its text as the message (a
	// [FunctionError] can set a class and a code), and so does a panic. A function that does not return before the run
	// ends is abandoned, and its result is dropped. [ErrSuspend] says that the answer comes later; it is of no use
	// where [sandbox.CallNumber] of the context is negative, for the code cannot wait for the answer there.
	Call func(ctx context.Context, args []any, kwargs map[string]any) (any, error)
}

// A FunctionError is an error with a class and a code for the code. Its name is the exception's class: ToolError, which
// code has if it has functions, or a built-in one. Any other is a RuntimeError.
type FunctionError = script.FunctionError

// checkFunctions refuses invalid names and duplicates.
func checkFunctions(functions []Function) error {
	seen := map[string]bool{}
	for _, f := range functions {
		object, member, dotted := strings.Cut(f.Name, ".")
		if !isName(object, false) || dotted && !isName(member, true) {
			return fmt.Errorf("python: %q is not a name for a function", f.Name)
		}
		if f.Call == nil {
			return fmt.Errorf("python: function %q has no Call", f.Name)
		}
		// A function cannot be an object with functions as well.
		if seen[f.Name] || dotted && seen[object] || !dotted && seen[object+"."] {
			return fmt.Errorf("python: two functions have the name %q", f.Name)
		}
		seen[f.Name] = true
		if dotted {
			seen[object+"."] = true
		}
	}
	return nil
}

func isName(name string, member bool) bool {
	for i, c := range name {
		letter := c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		inside := i > 0 && (c >= '0' && c <= '9' || c == '-' && member)
		if !letter && !inside {
			return false
		}
	}
	return name != "" && !strings.HasPrefix(name, "__")
}

func functionNames(functions []Function) []string {
	var names []string
	for _, f := range functions {
		names = append(names, f.Name)
	}
	return names
}

// An invocation is a call of a function with its arguments.
type invocation struct {
	Function
	args   []any
	kwargs map[string]any
}

// call answers a call of a function. Whatever the code has sent, there is an answer, or the run ends.
func (in *instance) call(payload []byte) []byte {
	i, err := in.invocation(payload)
	if err != nil {
		return answer(nil, err)
	}
	c := in.run.NewCall()
	data, err := sandbox.AwaitCall(c, func() ([]byte, error) { return i.perform(c.Context()) })
	if _, stopped := errors.AsType[*sandbox.Stop](err); stopped {
		panic(err)
	}
	switch {
	case err == ErrSuspend:
		return answer(nil, cannotWait(i.Name))
	case err != nil: // a panic
		return answer(nil, err)
	}
	return data
}

// invocation returns the call that a payload describes.
func (in *instance) invocation(payload []byte) (*invocation, error) {
	call, err := python.ParseCall(payload)
	if err != nil {
		return nil, errMalformed
	}
	f, err := in.run.function(call.Function)
	if err != nil {
		return nil, err
	}
	in.SetImpure()
	if err := in.run.Calls(f.Name); err != nil {
		panic(&sandbox.Stop{Err: err})
	}
	args, _ := withNumbers(call.Args).([]any)
	kwargs, _ := withNumbers(call.Kwargs).(map[string]any)
	return &invocation{f, args, kwargs}, nil
}

var errMalformed = errors.New("malformed call")

// function returns the function with a number.
func (r *run) function(number int) (Function, error) {
	if number < 0 || number >= len(r.functions) {
		return Function{}, errMalformed
	}
	name, given := r.functions[number], r.options.Functions
	if number < len(given) && given[number].Name == name {
		return given[number], nil
	}
	if i := slices.IndexFunc(given, func(f Function) bool { return f.Name == name }); i >= 0 {
		return given[i], nil
	}
	return Function{}, fmt.Errorf("%s is not there any more", name)
}

// perform makes the call, and encodes its answer. The error is ErrSuspend if there is none yet.
func (i *invocation) perform(ctx context.Context) ([]byte, error) {
	value, err := i.Call(ctx, i.args, i.kwargs)
	if errors.Is(err, ErrSuspend) {
		return nil, ErrSuspend
	}
	return answer(value, err), nil
}

// answer encodes what a function returned.
func answer(value any, err error) []byte {
	if err == nil {
		if data, failed := json.Marshal(python.Answer{Value: value}); failed == nil {
			return bytes.ToValidUTF8(data, []byte("\ufffd"))
		} else {
			err = failed
		}
	}
	a := python.Answer{Error: "RuntimeError", Message: err.Error()}
	if f, ok := errors.AsType[*FunctionError](err); ok {
		a.Error, a.Code = f.Name, f.Code
	}
	data, _ := json.Marshal(a) // of strings: it cannot fail
	return data
}
