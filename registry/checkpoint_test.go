package registry_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/local"
)

// TestCheckpointsBeforeCalls: each call that may change files has a checkpoint before it, and is not made if there can
// be none.
func TestCheckpointsBeforeCalls(t *testing.T) {
	store := local.NewMemoryStore(&vfs.Options{Quota: vfs.Quota{Checkpoints: 2}})
	p, err := store.Open(t.Context(), "p")
	require.NoError(t, err)
	defer p.Close()
	made := 0
	one := func(name string, annotations tool.Annotations, inner string) tool.Tool {
		return tool.JSONFunc(tool.Spec{Name: name, Annotations: annotations, Description: "d",
			Schema: json.RawMessage(`{"type":"object"}`)},
			func(ctx context.Context, call tool.Call, env tool.Env) (tool.Result, error) {
				made++
				if inner != "" {
					env.Dispatch(ctx, tool.Call{Tool: inner, Input: json.RawMessage(`{}`)})
				}
				return tool.Text("ok"), vfs.WriteFile(ctx, env.Files, "/file", fmt.Append(nil, made))
			})
	}
	tools, err := registry.New(one("writes", tool.Annotations{}, ""),
		one("reads", tool.Annotations{ReadOnly: true}, ""),
		one("calls", tool.Annotations{}, "writes"))
	require.NoError(t, err)
	env := registry.Env{Files: p, Checkpoint: registry.CheckpointBefore}
	do := func(name string) tool.Result {
		return tools.Dispatch(t.Context(), tool.Call{ID: name, Tool: name, Input: json.RawMessage(`{}`)}, env)
	}
	names := func() (names []string) {
		all, err := p.Checkpoints(t.Context())
		require.NoError(t, err)
		for _, k := range all {
			require.True(t, k.Automatic)
			names = append(names, k.Name)
		}
		return names
	}

	require.False(t, do("reads").IsError())
	require.Empty(t, names(), "it may change nothing")
	require.False(t, do("writes").IsError())
	require.False(t, do("calls").IsError())
	require.Equal(t, []string{"before calls", "before writes"}, names(), "calls of calls have none of their own")
	_, err = p.RestoreCheckpoint(t.Context(), "before calls", nil)
	require.NoError(t, err)

	for _, name := range names() {
		require.NoError(t, p.DeleteCheckpoint(t.Context(), name))
	}
	for _, name := range []string{"one", "two"} {
		_, err := p.CreateCheckpoint(t.Context(), name, nil)
		require.NoError(t, err)
	}
	before := made
	result := do("writes")
	require.True(t, result.IsError())
	require.Contains(t, result.Text(),
		"The call was not made, because the project has no room for the checkpoint before it")
	require.Equal(t, before, made)
}
