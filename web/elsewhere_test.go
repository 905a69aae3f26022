package web_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun"
	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/local"
	"github.com/toolrun/toolrun/web"
)

// TestCallsOfOtherProcesses: the page shows calls that others make, with what they got and what they changed, each
// once.
func TestCallsOfOtherProcesses(t *testing.T) {
	store := local.NewMemoryStore(nil)
	release := make(chan struct{})
	named := tool.Func(tool.Spec{Name: "note", Description: "Writes a file."},
		func(ctx context.Context, in struct{ File string }, env tool.Env) (string, error) {
			if in.File == "/wait" {
				<-release
			}
			return "wrote " + in.File, vfs.WriteFile(ctx, env.Files, in.File, []byte("x"))
		})
	options := toolrun.Options{Store: store, NoteCalls: true, Tools: []tool.Tool{named}}
	b := begin(t, options, web.Options{})
	other, err := toolrun.Open(t.Context(), &options)
	require.NoError(t, err)
	session, err := other.Session(t.Context(), "p", &toolrun.SessionOptions{Client: "<b>tester</b>"})
	require.NoError(t, err)
	dispatch := func(id, file string) {
		env, err := session.Env(t.Context())
		require.NoError(t, err)
		input, err := json.Marshal(map[string]string{"File": file})
		require.NoError(t, err)
		other.Registry().Dispatch(t.Context(), tool.Call{ID: id, Tool: "note", Input: input}, env)
	}
	list := func() (all []string) {
		var list struct{ Calls []call }
		b.get(q("/api/calls", "project", "p"), &list)
		for _, c := range list.Calls {
			all = append(all, fmt.Sprintf("%s %s %v %d", c.Call, c.Tool, c.State, c.Changes))
		}
		return all
	}
	dispatch("one", "/1")
	var made struct{ Call string }
	b.post("/api/calls", m{"project": "p", "tool": "note", "input": m{"File": "/mine"}}, &made)
	await(b, "p", made.Call)
	running := make(chan struct{})
	go func() {
		defer close(running)
		dispatch("two", "/wait")
	}()
	b.until("p", func() bool { return len(list()) == 3 })
	require.Equal(t, []string{"two note running 0", made.Call + " note ended 1", "one note ended 1"}, list())
	close(release)
	<-running
	require.NoError(t, other.Close())
	require.Equal(t, []string{"two note ended 1", made.Call + " note ended 1", "one note ended 1"}, list())

	var one struct {
		call
		Client    string
		Elsewhere bool
	}
	b.get(q("/api/calls/one", "project", "p", "call", "two"), &one)
	require.True(t, one.Known && one.Elsewhere)
	require.Equal(t, "wrote /wait", one.Result)
	require.JSONEq(t, `{"File": "/wait"}`, one.Input)
	require.Equal(t, "<b>tester</b>", one.Client)
	require.Equal(t, "/wait", one.Files[0].Path)
	b.fails(b.do("GET", q("/api/calls/output", "project", "p", "call", "two"), nil, nil), 404)

	// Those of a project that is deleted are not another one's of the same name.
	b.post("/api/projects/delete", m{"project": "p"}, nil)
	b.project("p", nil)
	for _, c := range list() {
		require.Contains(t, c, made.Call) // which the page's own log has
	}
}
