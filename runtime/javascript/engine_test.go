package javascript_test

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/test/enginetest"
	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/runtime/javascript"
)

func TestConcurrencyLimit(t *testing.T) {
	one := enginetest.New(sandbox.EngineOptions{MaxRuns: 1})
	defer one.Close(context.Background())
	entered, release := make(chan struct{}), make(chan struct{})
	hold := javascript.Function{Name: "hold", Call: func(context.Context, []any) (any, error) {
		close(entered)
		<-release
		return nil, nil
	}}
	var wg sync.WaitGroup
	wg.Go(func() {
		_, err := one.Run(t.Context(), `hold()`, &javascript.RunOptions{Functions: []javascript.Function{hold}})
		if err != nil {
			t.Error(err)
		}
	})
	<-entered

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := one.Run(ctx, `return 1`, nil)
	var limit *sandbox.LimitError
	require.ErrorAs(t, err, &limit)
	require.Equal(t, sandbox.LimitRuns, limit.Limit)
	require.EqualValues(t, 1, limit.Value)
	require.ErrorIs(t, err, context.Canceled)
	require.False(t, javascript.IsScriptFailure(err))

	close(release)
	result, err := one.Run(t.Context(), `return 1`, nil)
	require.NoError(t, err, "waiting for the place")
	require.Equal(t, "1", result.Text)
	wg.Wait()
}

func TestClose(t *testing.T) {
	e := enginetest.New(sandbox.EngineOptions{MaxRuns: 2})
	errs, waits := make(chan error), make(chan struct{})
	for _, script := range []string{`for (;;);`, `await new Promise((r) => setTimeout(r, 1e9))`,
		`return await new Promise((r) => setTimeout(r, 1e9))`} {
		go func() {
			_, err := e.Run(&waiting{Context: context.Background(), waits: func() { waits <- struct{}{} }}, script, nil)
			errs <- err
		}()
	}
	for range 3 { // two of them run, and one waits for a place
		<-waits
	}
	require.NoError(t, e.Close(context.Background()))
	for range 3 {
		require.ErrorIs(t, <-errs, sandbox.ErrClosed)
	}
	_, err := e.Run(t.Context(), `return 1`, nil)
	require.ErrorIs(t, err, sandbox.ErrClosed)
	require.NoError(t, e.Close(context.Background()), "closing twice")
}

func TestAContextThatEndsStopsTheStart(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err := start(ctx, &sandbox.EngineOptions{CacheDir: enginetest.CacheDir()}, nil)
	require.ErrorIs(t, err, context.Canceled)
}

// TestManyActiveRuns has many sandboxes in the middle of their scripts at the same time.
func TestManyActiveRuns(t *testing.T) {
	n := 100
	if *soak {
		n = 1000
	}
	e := enginetest.New(sandbox.EngineOptions{MaxRuns: sandbox.Unlimited})
	defer e.Close(context.Background())
	var active, ended sync.WaitGroup
	active.Add(n)
	gate := make(chan struct{})
	wait := javascript.Function{Name: "wait", Async: true, Call: func(context.Context, []any) (any, error) {
		active.Done()
		<-gate
		return nil, nil
	}}
	for i := range n {
		ended.Go(func() {
			result, err := e.Run(context.Background(),
				fmt.Sprintf(`const mine = 'x'.repeat(1000) + %d; await wait(); return mine`, i),
				&javascript.RunOptions{Functions: []javascript.Function{wait}})
			if assert.NoError(t, err) {
				assert.Equal(t, strings.Repeat("x", 1000)+strconv.Itoa(i), result.Text)
			}
		})
	}
	active.Wait()
	close(gate)
	ended.Wait()
}
