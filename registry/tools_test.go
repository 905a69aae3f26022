package registry_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/local"
)

// do is the function of a tool in these tests.
type do = func(ctx context.Context, call tool.Call, env tool.Env) (tool.Result, error)

// named returns a tool whose result is "done".
func named(name string, change ...func(*tool.Spec)) tool.Tool {
	return doing(name, func(context.Context, tool.Call, tool.Env) (tool.Result, error) {
		return tool.Text("done"), nil
	}, change...)
}

// doing returns a tool that accepts any object.
func doing(name string, do do, change ...func(*tool.Spec)) tool.Tool {
	spec := tool.Spec{Name: name, Description: "A tool of the tests.", Schema: json.RawMessage(`{"type":"object"}`)}
	for _, c := range change {
		c(&spec)
	}
	return tool.JSONFunc(spec, do)
}

// echo returns a tool whose result is its input.
func echo(schema string) tool.Tool {
	return doing("echo", func(_ context.Context, call tool.Call, _ tool.Env) (tool.Result, error) {
		return tool.Text(string(call.Input)), nil
	}, func(s *tool.Spec) { s.Schema = json.RawMessage(schema) })
}

func newRegistry(t testing.TB, tools ...tool.Tool) *registry.Registry {
	t.Helper()
	r, err := registry.New(tools...)
	require.NoError(t, err)
	return r
}

func call(name, input string) tool.Call {
	return tool.Call{ID: "call-1", Tool: name, Input: json.RawMessage(input)}
}

func newProject(t testing.TB) vfs.Project {
	t.Helper()
	project, err := local.NewMemoryStore(nil).Open(t.Context(), "test")
	require.NoError(t, err)
	return project
}

func names(specs []tool.Spec) []string {
	var names []string
	for _, s := range specs {
		names = append(names, s.Name)
	}
	return names
}
