package registry_test

import (
	"bytes"
	"context"
	"log/slog"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/tool"
)

// TestWatchingACall: who watches hears of each state once, of the result at the end, and cannot break the call.
func TestWatchingACall(t *testing.T) {
	echo := tool.Func(tool.Spec{Name: "echo", Description: "Echoes."},
		func(_ context.Context, in struct{ Text string }, _ tool.Env) (string, error) { return in.Text, nil })
	for name, c := range map[string]struct {
		before func()
		want   []string
	}{
		"it runs": {nil, []string{"begun ", "running ", "ended a"}},
		"middleware panics": {func() { panic("a bug") },
			[]string{"begun ", "ended Tool execution failed: panic: a bug"}},
		"middleware ends its goroutine": {runtime.Goexit,
			[]string{"begun ", "ended Tool execution failed: the call has ended its goroutine"}},
	} {
		t.Run(name, func(t *testing.T) {
			var logged bytes.Buffer
			var heard []string
			watch := func(next registry.Handler) registry.Handler {
				return func(ctx context.Context, call tool.Call, env registry.Env) tool.Result {
					env.Watch(func(registry.State, *tool.Result) { panic("a bug of who watches") })
					env.Watch(func(state registry.State, result *tool.Result) {
						text := ""
						if result != nil {
							text = result.Text()
						}
						heard = append(heard, string(state)+" "+text)
					})
					if c.before != nil {
						c.before()
					}
					return next(ctx, call, env)
				}
			}
			tools, err := registry.New(echo)
			require.NoError(t, err)
			done := make(chan struct{})
			go func() {
				defer close(done)
				tools.Using(watch).Dispatch(t.Context(), tool.Call{Tool: "echo", Input: []byte(`{"Text":"a"}`)},
					registry.Env{Logger: slog.New(slog.NewTextHandler(&logged, nil))})
			}()
			<-done
			require.Equal(t, c.want, heard)
			require.Contains(t, logged.String(), "watching a call panicked")
		})
	}
	registry.Env{}.Watch(func(registry.State, *tool.Result) { t.Error("nothing is watched outside of a call") })
}
