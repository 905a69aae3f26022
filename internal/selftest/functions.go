package selftest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	js "github.com/toolrun/toolrun/runtime/javascript"
)

// mostCharacters is what the function big returns at most.
const mostCharacters = 8 << 20

var functions = []js.Function{
	{Name: "echo", Call: echo},
	{Name: "later", Call: echo, Async: true},
	{Name: "fails", Call: func(context.Context, []any) (any, error) {
		return nil,
			errors.New("this function always fails")
	}},
	{Name: "panics", Call: func(context.Context, []any) (any, error) { panic("this function always panics") }},
	{Name: "hangs", Async: true, Call: func(ctx context.Context, _ []any) (any, error) {
		<-ctx.Done()
		return nil, context.Cause(ctx)
	}},
	{Name: "deep", Call: func(_ context.Context, args []any) (any, error) {
		n, err := count(args, 1e6)
		if err != nil {
			return nil, err
		}
		var value any = []any{}
		for range n {
			value = []any{value}
		}
		return value, nil
	}},
	{Name: "big", Call: func(_ context.Context, args []any) (any, error) {
		n, err := count(args, mostCharacters)
		if err != nil {
			return nil, err
		}
		return strings.Repeat("x", n), nil
	}},
}

func echo(_ context.Context, args []any) (any, error) { return args, nil }

// Functions returns the host functions that the scripts can call.
func Functions() []js.Function { return slices.Clone(functions) }

// count takes the one argument of a function, a number that is not larger than most.
func count(args []any, most float64) (int, error) {
	if len(args) == 1 {
		if n, ok := args[0].(float64); ok && n >= 0 && n <= most {
			return int(n), nil
		}
	}
	return 0, fmt.Errorf("the argument must be a number from 0 to %g", most)
}
