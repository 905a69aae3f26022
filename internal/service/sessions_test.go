package service_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/service"
	"github.com/toolrun/toolrun/registry"
	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/tools/code"
	"github.com/toolrun/toolrun/tools/javascript"
	"github.com/toolrun/toolrun/vfs/local"
)

// TestShowSession: listing variables runs code of the session, so it takes no more memory and no other place than a
// call of whoever asks.
func TestShowSession(t *testing.T) {
	one := newReplica(t, local.NewMemoryStore(nil))
	defer one.close(t)
	session, err := one.Session(t.Context(), "own", nil)
	require.NoError(t, err)
	defer session.Close()
	env, err := session.Env(t.Context())
	require.NoError(t, err)
	env.Selection.Session = "main"
	result := one.Registry().Dispatch(t.Context(), tool.Call{ID: "one", Tool: javascript.Name,
		Input: json.RawMessage(`{"code": "let n = 7, many = new Uint8Array(20 << 20).fill(1)"}`)}, env)
	require.Empty(t, result.Code, result.Text)

	show := func(access service.Access) (service.SessionInfo, error) {
		access.Name, access.Project = "ada", "own"
		return one.desk.Open(&access).ShowSession(t.Context(), service.SessionRequest{Project: "own", Session: "main"})
	}
	found, err := show(service.Access{Role: service.Person})
	require.NoError(t, err)
	require.Len(t, found.States, 1)
	require.Equal(t, javascript.Name, found.States[0].Tool)
	require.Empty(t, found.States[0].Problem)
	require.Equal(t, []sandbox.Variable{{Name: "many", Value: "Uint8Array(20971520)"}, {Name: "n", Value: "7"}},
		found.States[0].Variables)

	found, err = show(service.Access{Role: service.Person, Select: func(s registry.Selection) registry.Selection {
		return s.WithOption(javascript.Name, code.OptionMemory, 16)
	}})
	require.NoError(t, err)
	require.Empty(t, found.States[0].Variables)
	require.Contains(t, found.States[0].Problem, "memory")

	none := errors.New("there is no place")
	_, err = show(service.Access{Role: service.Person,
		Call: func(context.Context, func(context.Context)) error { return none }})
	require.ErrorIs(t, err, none)
}
