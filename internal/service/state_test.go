package service_test

import (
	"context"
	"encoding/json"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/service"
	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/vfs/local"
)

// TestCallsThatWaitAreListed: a call that a person is asked for, or that is put off, is listed as waiting by all
// processes, and as running once it has gone on in any of them.
func TestCallsThatWaitAreListed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := local.NewMemoryStore(nil)
		one, two := newReplica(t, store), newReplica(t, store)
		session, err := one.Session(t.Context(), "own", nil)
		require.NoError(t, err)
		env, err := session.Env(t.Context())
		require.NoError(t, err)
		env.Limits.Timeout, env.Selection.Ask = tool.NoTimeout, []string{"wait"}
		call := func(id string) tool.Result {
			return one.Registry().Dispatch(context.Background(),
				tool.Call{ID: id, Tool: "wait", Input: json.RawMessage(`{}`)}, env)
		}
		person := service.Access{Name: "eve", Role: service.Person, Project: "own"}
		services := []*service.Service{one.desk.Open(&person), two.desk.Open(&person)}
		listed := func(want ...string) {
			t.Helper()
			time.Sleep(3 * time.Second)
			for _, s := range services {
				list, err := s.ListCalls(t.Context(), service.CallsRequest{Project: "own"})
				require.NoError(t, err)
				var got []string
				for _, c := range list.Calls {
					got = append(got, c.Call+" "+string(c.State)+" "+c.Code)
					d, err := s.ShowCall(t.Context(), service.CallRequest{Project: "own", Call: c.Call})
					require.NoError(t, err)
					require.Equal(t, c.State, d.State)
				}
				require.Equal(t, want, got)
			}
		}
		pending := call("put off")
		require.NotNil(t, pending.Pending)
		env.Approve = func(ctx context.Context, _ registry.ApprovalRequest) (registry.Decision, error) {
			<-ctx.Done()
			return registry.Decision{}, ctx.Err()
		}
		env.Chat = "another" // so that this is not the same call once more
		asked := make(chan tool.Result, 1)
		go func() { asked <- call("asked") }()
		listed("asked waiting ", "put off waiting pending")

		stop := func(s *service.Service, id string) {
			_, err := s.StopCall(t.Context(), service.CallRequest{Project: "own", Call: id})
			require.NoError(t, err)
		}
		stop(services[1], "asked")
		require.Equal(t, tool.CodeCanceled, (<-asked).Code)
		listed("asked ended canceled", "put off waiting pending")

		_, err = services[1].Decide(t.Context(), service.DecideRequest{Project: "own", Token: pending.Pending.Token,
			Call: "put off", Approved: true})
		require.NoError(t, err)
		time.Sleep(3 * time.Second)
		for _, s := range services {
			d, err := s.ShowCall(t.Context(), service.CallRequest{Project: "own", Call: "put off"})
			require.NoError(t, err)
			require.Equal(t, registry.Running, d.State)
		}
		stop(services[0], "put off")
		time.Sleep(3 * time.Second)
		for _, s := range services {
			list, err := s.ListCalls(t.Context(), service.CallsRequest{Project: "own"})
			require.NoError(t, err)
			require.Len(t, list.Calls, 2)
			for _, c := range list.Calls {
				require.Equal(t, registry.Ended, c.State)
				require.Equal(t, "canceled", c.Code)
			}
		}
		require.NoError(t, session.Close())
		one.close(t)
		two.close(t)
	})
}
