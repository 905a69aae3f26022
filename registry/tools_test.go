package registry_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/local"
)

// do is the function of a tool in these tests.
type do = func(ctx context.Context, call registry.Call, env registry.Env) (registry.Result, error)

// named returns a tool whose result is "done".
func named(name string, change ...func(*registry.Spec)) registry.Tool {
	return doing(name, func(context.Context, registry.Call, registry.Env) (registry.Result, error) {
		return registry.Text("done"), nil
	}, change...)
}

// doing returns a tool that accepts any object.
func doing(name string, do do, change ...func(*registry.Spec)) registry.Tool {
	spec := registry.Spec{Name: name, Description: "A tool of the tests.", Schema: json.RawMessage(`{"type":"object"}`)}
	for _, c := range change {
		c(&spec)
	}
	return registry.ToolFunc(spec, do)
}

// echo returns a tool whose result is its input.
func echo(schema string) registry.Tool {
	return doing("echo", func(_ context.Context, call registry.Call, _ registry.Env) (registry.Result, error) {
		return registry.Text(string(call.Input)), nil
	}, func(s *registry.Spec) { s.Schema = json.RawMessage(schema) })
}

func newRegistry(t testing.TB, tools ...registry.Tool) *registry.Registry {
	t.Helper()
	r, err := registry.New(tools...)
	require.NoError(t, err)
	return r
}

func call(tool, input string) registry.Call {
	return registry.Call{ID: "call-1", Tool: tool, Input: json.RawMessage(input)}
}

func newProject(t testing.TB) vfs.Project {
	t.Helper()
	project, err := local.NewMemoryStore(nil).Open(t.Context(), "test")
	require.NoError(t, err)
	return project
}

func names(specs []registry.Spec) []string {
	var names []string
	for _, s := range specs {
		names = append(names, s.Name)
	}
	return names
}
