package service_test

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun"
	"github.com/toolrun/toolrun/internal/service"
	"github.com/toolrun/toolrun/tool"
)

// TestCallsAtOnce: somebody has 16 calls run at once, also when some of theirs have ended meanwhile.
func TestCallsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		wait := tool.Func(tool.Spec{Name: "wait", Description: "Waits until it is stopped."},
			func(ctx context.Context, _ struct{}, _ tool.Env) (string, error) {
				<-ctx.Done()
				return "", ctx.Err()
			})
		runner, err := toolrun.Open(t.Context(), &toolrun.Options{Tools: []tool.Tool{wait}})
		require.NoError(t, err)
		desk, err := service.New(runner, nil)
		require.NoError(t, err)
		s := desk.Open(&service.Access{Name: "ada", Role: service.Person, Project: "p"})
		begin := func() (string, error) {
			made, err := s.MakeCall(t.Context(), service.MakeCallRequest{Project: "p", Tool: "wait"})
			return made.Call, err
		}
		var calls []string
		for range 16 {
			call, err := begin()
			require.NoError(t, err)
			calls = append(calls, call)
		}
		full := func() {
			t.Helper()
			_, err := begin()
			require.ErrorContains(t, err, "16 calls run already")
		}
		full()
		for _, call := range calls[:2] {
			_, err = s.StopCall(t.Context(), service.CallRequest{Project: "p", Call: call})
			require.NoError(t, err)
			synctest.Wait()
			_, err = begin()
			require.NoError(t, err)
			full()
		}
		ended, cancel := context.WithCancel(context.Background())
		cancel()
		require.ErrorIs(t, desk.Shutdown(ended), context.Canceled)
		require.NoError(t, runner.Close())
	})
}
