package python

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/toolrun/toolrun/guest/python"
	sandbox "github.com/toolrun/toolrun/runtime"
)

// A Function is a Go function that code can call. Code waits for each call.
//
// Arguments and results are JSON-like, of the types of [Result].Value. A result can be anything that encoding/json can
// marshal.
type Function struct {
	// Name is the code's name for the function: an identifier, or two joined by a dot, as in "tools.search". The second
	// one can have hyphens: code calls "tools.git-hub" as tools["git-hub"].
	Name string

	// Call does the work. The context ends with the run. An error becomes an exception with its text as the message (a
	// [FunctionError] can set a class and a code), and so does a panic. A function that does not return before the run
	// ends is abandoned, and its result is dropped.
	Call func(ctx context.Context, args []any, kwargs map[string]any) (any, error)
}

// A FunctionError is an error with a class and a code for the code.
type FunctionError struct {
	// Class is the exception's class: ToolError, which code has if it has functions, or a built-in one. Any other is a
	// RuntimeError.
	Class string
	// Message is the exception's message.
	Message string
	// Code is the exception's attribute code. Empty means None.
	Code string
}

func (e *FunctionError) Error() string { return e.Message }

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

func (r *run) functionNames() []string {
	var names []string
	for _, f := range r.options.Functions {
		names = append(names, f.Name)
	}
	return names
}

// call answers a call of a function. Whatever the code has sent, there is an answer, or the run ends.
func (in *instance) call(payload []byte) []byte {
	call, err := python.ParseCall(payload)
	if err != nil || call.Function < 0 || call.Function >= len(in.run.options.Functions) {
		return answer(nil, errors.New("malformed call"))
	}
	in.SetImpure()
	f := in.run.options.Functions[call.Function]
	args, _ := withNumbers(call.Args).([]any)
	kwargs, _ := withNumbers(call.Kwargs).(map[string]any)
	r := in.run.Run
	data, err := sandbox.Await(r, func() ([]byte, error) {
		return answer(f.Call(r.Context(), args, kwargs)), nil
	})
	if _, stopped := errors.AsType[*sandbox.Stop](err); stopped {
		panic(err)
	}
	if err != nil { // a panic
		return answer(nil, err)
	}
	return data
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
		a.Error, a.Code = f.Class, f.Code
	}
	data, _ := json.Marshal(a) // of strings: it cannot fail
	return data
}
