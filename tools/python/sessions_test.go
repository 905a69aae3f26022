package python_test

import (
	"bytes"
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/tools/python"
	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/local"
)

func TestSessions(t *testing.T) {
	r, store := newRegistry(t), local.NewMemoryStore(nil)
	in := func(project, session string) registry.Env {
		p, err := store.Open(t.Context(), project)
		require.NoError(t, err)
		t.Cleanup(func() { _ = p.Close() })
		return registry.Env{
			Project: project, Files: p, Selection: registry.Selection{Session: session},
			SealKey: func(ctx context.Context) ([]byte, error) { return vfs.SealKey(ctx, store) },
		}
	}
	env := in("p", "main")
	const failed = "\nNote: the call failed, so the session's variables are as they were before it."
	const early = "\nNote: the code ended early, or with calls still under way, so the session's variables are as " +
		"they were before the call."
	for _, c := range []struct {
		env        registry.Env
		code, want string
	}{
		{env, "n = 1\ndef add(x):\n    global n\n    n += x\n    return n\nadd(2)", "3"},
		{env, "add(1)", "4"},
		{in("p", "other"), "'n' in globals()", "False"},
		{in("q", "main"), "'n' in globals()", "False"},
		{in("p", ""), "'n' in globals()", "False"},
		{env, "add(10)\n1 / 0", "Traceback (most recent call last):\n  File \"script-3.py\", line 2, in <module>\n   " +
			" 1 / 0\n    ~~^~~\nZeroDivisionError: division by zero" + failed},
		{env, "import os\nadd(10); os._exit(0)",
			"Note: the code printed nothing, and it does not end with an expression that has a value." + early},
		{env, "n", "4"},
	} {
		require.Equal(t, c.want, run(t, r, c.env, c.code).Text(), c.code)
	}
	states, _ := vfs.StatesOf(env.Files)
	id := vfs.StateID{Session: "main", Tool: python.Name}
	sealed, info, err := states.ReadState(t.Context(), id)
	require.NoError(t, err)
	sealed = bytes.Clone(sealed)
	sealed[20]++ // of the code by which the process would know it
	require.NoError(t, states.WriteState(t.Context(), id, sealed, info))
	require.Equal(t, "False\nNote: the variables of earlier calls could not be used: it was changed, or sealed with "+
		"another key. "+
		"The call began without any. Declare again what you need.", run(t, r, env, "'n' in globals()").Text())
}
