package observe_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/registry/observe"
)

func TestLastErrors(t *testing.T) {
	last := new(observe.LastErrors)
	r := newRegistry(t, last.Middleware)
	require.Empty(t, last.All())
	for _, test := range outcomes {
		dispatch(t, r, callOf(test.tool))
	}
	r.Dispatch(t.Context(), callOf("another-invented"), someEnv)

	_, ok := last.Of("greet")
	require.False(t, ok, "what has succeeded has no error")
	e, ok := last.Of("break")
	require.True(t, ok)
	require.NotZero(t, e.Time)
	require.Equal(t, observe.LastError{
		Tool: "break", Project: "notes", Chat: "chat-7", CallID: "call-1", Time: e.Time, Code: registry.CodeFailed,
		Text: "Tool execution failed: no connection for Ada", Cause: "no connection for Ada",
	}, e)
	e, ok = last.Of("")
	require.True(t, ok)
	require.Equal(t, "Unknown tool: another-invented", e.Text)
	_, ok = last.Of("invented")
	require.False(t, ok, "invented names share a place")

	var order []string
	for _, e := range last.All() {
		order = append(order, e.Tool)
	}
	require.Equal(t, []string{"", "off", "deaf", "hang", "panic", "break", "refuse"}, order)
}

func TestLastErrorsAreReplaced(t *testing.T) {
	last := new(observe.LastErrors)
	r := newRegistry(t, last.Middleware)
	call := callOf("refuse")
	r.Dispatch(t.Context(), call, someEnv)
	call.ID = "call-2"
	r.Dispatch(t.Context(), call, someEnv)
	require.Len(t, last.All(), 1)
	require.Equal(t, "call-2", last.All()[0].CallID)
}

// sayError returns middleware that makes every call fail with this text.
func sayError(text string) registry.Middleware {
	return func(registry.Handler) registry.Handler {
		return func(context.Context, registry.Call, registry.Env) registry.Result {
			result := registry.Failure(registry.CodeTool, text)
			result.Err = errors.New(text)
			return result
		}
	}
}

func TestLastErrorsAreBounded(t *testing.T) {
	last := new(observe.LastErrors)
	r := newRegistry(t, last.Middleware, sayError(strings.Repeat("x", 10<<10)))
	const kept = 256
	for i := range kept {
		r.Dispatch(t.Context(), registry.Call{Tool: fmt.Sprint("tool", i)}, someEnv)
	}
	r.Dispatch(t.Context(), registry.Call{Tool: "tool0"}, someEnv) // the latest now
	r.Dispatch(t.Context(), registry.Call{Tool: "another"}, someEnv)
	all := last.All()
	require.Len(t, all, kept)
	require.Equal(t, []string{"another", "tool0", "tool255"}, []string{all[0].Tool, all[1].Tool, all[2].Tool})
	require.Equal(t, "tool2", all[kept-1].Tool)
	for _, e := range all {
		require.LessOrEqual(t, len(e.Text)+len(e.Cause), 2*(4<<10+3))
	}
}

func TestLastErrorsConcurrently(t *testing.T) {
	last := new(observe.LastErrors)
	r := newRegistry(t, last.Middleware, sayError("no"))
	var all sync.WaitGroup
	for i := range 10 {
		all.Go(func() {
			for j := range 50 {
				r.Dispatch(t.Context(), registry.Call{Tool: fmt.Sprint("tool", (i*j)%12)}, someEnv)
				last.Of("tool1")
				last.All()
			}
		})
	}
	all.Wait()
	require.Len(t, last.All(), 12)
}

func ExampleLastErrors() {
	last := new(observe.LastErrors)
	r, err := registry.New(tools()...)
	if err != nil {
		panic(err)
	}
	r = r.Using(last.Middleware)
	for _, tool := range []string{"greet", "refuse", "break"} {
		r.Dispatch(context.Background(), callOf(tool), registry.Env{})
	}
	for _, e := range last.All() {
		fmt.Printf("%s: %s (%s)\n", e.Tool, e.Cause, e.Code)
	}
	// Output:
	// break: no connection for Ada (tool_failed)
	// refuse: Ada is not known (tool_error)
}
