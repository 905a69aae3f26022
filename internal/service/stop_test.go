package service_test

import (
	"context"
	"encoding/json"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun"
	"github.com/toolrun/toolrun/internal/service"
	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/local"
)

// A replica is a process with a store that others have, too, and a tool that waits until its call is stopped.
type replica struct {
	*toolrun.Runner
	desk *service.Desk
}

func newReplica(t *testing.T, store vfs.Store) *replica {
	t.Helper()
	wait := tool.Func(tool.Spec{Name: "wait", Description: "Waits."},
		func(ctx context.Context, _ struct{}, _ tool.Env) (string, error) {
			<-ctx.Done()
			return "", ctx.Err()
		})
	r := &replica{}
	var err error
	r.Runner, err = toolrun.Open(t.Context(), &toolrun.Options{Store: store, NoteCalls: true, Tools: []tool.Tool{wait}})
	require.NoError(t, err)
	r.desk, err = service.New(r.Runner, nil)
	require.NoError(t, err)
	return r
}

func (r *replica) close(t *testing.T) {
	require.NoError(t, r.desk.Shutdown(context.Background()))
	require.NoError(t, r.Close())
}

// call makes a call that waits, and returns what will be its result.
func (r *replica) call(t *testing.T, project, id, client string) <-chan tool.Result {
	session, err := r.Session(t.Context(), project, &toolrun.SessionOptions{Client: client})
	require.NoError(t, err)
	env, err := session.Env(t.Context())
	require.NoError(t, err)
	env.Limits.Timeout = tool.NoTimeout
	done := make(chan tool.Result, 1)
	go func() {
		done <- r.Registry().Dispatch(context.Background(),
			tool.Call{ID: id, Tool: "wait", Input: json.RawMessage(`{}`)}, env)
	}()
	return done
}

// TestCallsAreStoppedWhereverTheyRun stops calls by another process that has the same store. A model stops its own
// only.
func TestCallsAreStoppedWhereverTheyRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := local.NewMemoryStore(nil)
		one, two := newReplica(t, store), newReplica(t, store)
		first, second := one.call(t, "own", "first", "ada's"), one.call(t, "own", "second", "ada's")
		third, local := one.call(t, "own", "third", "bob's"), two.call(t, "own", "local", "bob's")
		time.Sleep(3 * time.Second)

		person := two.desk.Open(&service.Access{Name: "eve", Role: service.Person, Project: "own"})
		stranger := two.desk.Open(&service.Access{Name: "eve", Role: service.Person, Project: "other"})
		model := two.desk.Open(&service.Access{Name: "ada", Client: "ada's", Project: "own"})
		stop := func(s *service.Service, project, call string) string {
			_, err := s.StopCall(t.Context(), service.CallRequest{Project: project, Call: call})
			if err == nil {
				return ""
			}
			return service.Explain(err).Message
		}
		require.Equal(t, "no project named own", stop(stranger, "own", "first"))
		require.Equal(t, "no such call runs", stop(stranger, "other", "first"))
		require.Equal(t, "no such call runs", stop(model, "own", "third"))
		require.Equal(t, "no such call runs", stop(person, "own", "none"))
		time.Sleep(3 * time.Second)
		require.Empty(t, first)
		require.Empty(t, third)

		const text = "A person has stopped this call. Do not make it again unless they ask for it."
		stopped := func(done <-chan tool.Result) {
			t.Helper()
			result := <-done
			require.Equal(t, tool.CodeCanceled, result.Code)
			require.Equal(t, text, result.Content[0].Text)
			require.NotEqual(t, text, result.Content[1].Text)
		}
		for _, of := range []struct {
			s    *service.Service
			id   string
			done <-chan tool.Result
		}{{model, "first", first}, {person, "second", second}, {person, "local", local}} {
			require.Empty(t, stop(of.s, "own", of.id))
			stopped(of.done)
		}
		require.Empty(t, third)
		time.Sleep(3 * time.Second)
		require.Equal(t, "no such call runs", stop(person, "own", "first"))
		list, err := two.desk.Open(&service.Access{Role: service.Operator}).ListCalls(t.Context(),
			service.CallsRequest{Project: "own"})
		require.NoError(t, err)
		states := map[string]registry.State{}
		for _, c := range list.Calls {
			states[c.Call] = c.State
		}
		require.Equal(t, map[string]registry.State{"first": registry.Ended, "second": registry.Ended,
			"third": registry.Running, "local": registry.Ended}, states)

		// What has been asked of it does not stop later calls, nor does the store keep it.
		require.Empty(t, stop(person, "own", "third"))
		stopped(third)
		require.Empty(t, records(t, store, "stops"))
		one.close(t)
		two.close(t)
	})
}

// records are the names of the records of a kind.
func records(t *testing.T, store vfs.Store, kind string) []string {
	synctest.Wait()
	names, err := store.Records(kind).List(t.Context(), "", 0)
	require.NoError(t, err)
	return names
}
