package python

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	sandbox "github.com/toolrun/toolrun/runtime"
)

// variablesCode gives names and values in turn, without those that are there from the start and those that begin with
// two underscores. Names of the session can be any builtin's.
const variablesCode = `
import builtins as __b, types as __t
def __describe(value):
    kind = __b.type(value)
    try:
        if value is None or kind in (__b.bool, __b.float, __b.complex) or kind is __b.int and value.bit_length() < 200:
            return __b.repr(value)
        if kind is __b.str:
            return __b.repr(value if __b.len(value) <= 60 else value[:60] + '\u2026')
        if __b.isinstance(value, __b.type):
            return 'class'
        if __b.isinstance(value, (__t.FunctionType, __t.ModuleType)):
            return kind.__name__
        if __b.hasattr(kind, '__len__'):
            return f'{kind.__name__}({__b.len(value)})'
    except __b.Exception:
        pass
    return __b.str(kind.__name__)[:60]
__all = __b.list(__b.globals().items())[:%d]
__b.sum(([name, __describe(value)] for name, value in __all if not name.startswith('__')), [])`

// Variables lists what code of a session has left in the module __main__, at most [sandbox.MaxVariables], sorted by
// name. Code of the session may run, in a sandbox of its own and without files, and the state stays as it is.
func (i *Interpreter) Variables(ctx context.Context, state *sandbox.State, limits sandbox.Limits) ([]sandbox.Variable,
	error) {
	fresh, err := i.globals(ctx, nil, limits)
	if err != nil {
		return nil, err
	}
	all, err := i.globals(ctx, state, limits)
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(v sandbox.Variable) bool {
		same := func(f sandbox.Variable) bool { return f.Name == v.Name }
		return v.Name == "tools" || slices.ContainsFunc(fresh, same)
	})
	slices.SortStableFunc(all, func(a, b sandbox.Variable) int { return strings.Compare(a.Name, b.Name) })
	return all[:min(len(all), sandbox.MaxVariables)], nil
}

func (i *Interpreter) globals(ctx context.Context, state *sandbox.State, limits sandbox.Limits) ([]sandbox.Variable,
	error) {
	code := fmt.Sprintf(variablesCode, 2*sandbox.MaxVariables)
	result, err := i.Run(ctx, code, &RunOptions{Session: true, State: state, Limits: limits})
	if err != nil {
		return nil, err
	}
	list, ok := result.Value.([]any)
	if !ok || len(list)%2 != 0 {
		return nil, errors.New("python: the variables cannot be listed")
	}
	var all []sandbox.Variable
	for n := 0; n < len(list); n += 2 {
		name, _ := list[n].(string)
		value, _ := list[n+1].(string)
		all = append(all, sandbox.Variable{Name: name, Value: value})
	}
	return all, nil
}
