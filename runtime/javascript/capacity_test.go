package javascript_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	goruntime "runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/test/enginetest"
	"github.com/toolrun/toolrun/internal/test/leakcheck"
	"github.com/toolrun/toolrun/registry"
	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/runtime/javascript"
	"github.com/toolrun/toolrun/tool"
	jstool "github.com/toolrun/toolrun/tools/javascript"
)

// waiting is a context that calls waits when somebody waits for its end, once: a run does so first when it has asked
// for a place and got none.
type waiting struct {
	context.Context
	once  sync.Once
	waits func()
}

func (w *waiting) Done() <-chan struct{} {
	w.once.Do(w.waits)
	return w.Context.Done()
}

// holding is a function for scripts that says when it has begun, and waits until release is closed.
func holding(begun chan<- struct{}, release <-chan struct{}) javascript.Function {
	return javascript.Function{Name: "hold", Call: func(context.Context, []any) (any, error) {
		begun <- struct{}{}
		<-release
		return "held", nil
	}}
}

// TestManyMoreRunsThanPlaces starts a thousand runs where eight have a place.
func TestManyMoreRunsThanPlaces(t *testing.T) {
	const runs, places = 1000, 8
	engine := enginetest.New(sandbox.EngineOptions{MaxRuns: places})
	defer func() { require.NoError(t, engine.Close(context.Background())) }()
	_, err := engine.Run(t.Context(), `return 1`, nil)
	require.NoError(t, err)
	before := leakcheck.Take()

	t.Run("all are served", func(t *testing.T) {
		var now, most atomic.Int64
		enter := javascript.Function{Name: "enter", Call: func(context.Context, []any) (any, error) {
			n := now.Add(1)
			for old := most.Load(); n > old && !most.CompareAndSwap(old, n); old = most.Load() {
			}
			return nil, nil
		}}
		leave := javascript.Function{Name: "leave", Call: func(context.Context, []any) (any, error) {
			now.Add(-1)
			return nil, nil
		}}
		var all sync.WaitGroup
		for i := range runs {
			all.Go(func() {
				script := fmt.Sprintf(`enter(); await new Promise((r) => setTimeout(r, %d)); leave(); return %d`, i%3,
					i)
				result, err := engine.Run(context.Background(), script,
					&javascript.RunOptions{Functions: []javascript.Function{enter, leave}})
				if err != nil || result.Text != fmt.Sprint(i) {
					t.Errorf("%d: %q, %v", i, result.Text, err)
				}
			})
		}
		all.Wait()
		require.LessOrEqual(t, most.Load(), int64(places))
		require.Positive(t, most.Load())
	})
	t.Run("or learn that there was no place", func(t *testing.T) {
		begun, release := make(chan struct{}), make(chan struct{})
		var holders, all sync.WaitGroup
		for range places {
			holders.Go(func() {
				result, err := engine.Run(context.Background(), `return hold()`,
					&javascript.RunOptions{Functions: []javascript.Function{holding(begun, release)}})
				if err != nil || result.Text != "held" {
					t.Errorf("%q, %v", result.Text, err)
				}
			})
		}
		for range places {
			<-begun
		}
		var asked sync.WaitGroup
		asked.Add(runs)
		ctx, giveUp := context.WithCancel(context.Background())
		for range runs {
			all.Go(func() {
				ctx := &waiting{Context: ctx, waits: asked.Done}
				result, err := engine.Run(ctx, `return 1`, nil)
				var limit *sandbox.LimitError
				if result == nil || !errors.As(err, &limit) || limit.Limit != sandbox.LimitRuns ||
					limit.Value != places || javascript.IsScriptFailure(err) {
					t.Errorf("%v", err)
				}
			})
		}
		asked.Wait()
		giveUp()
		all.Wait()
		close(release)
		holders.Wait()
	})
	t.Run("in the order in which they have come", func(t *testing.T) {
		const greedy = 40
		var started atomic.Int64
		next := make(chan struct{}, 1)
		start := javascript.Function{Name: "start", Call: func(context.Context, []any) (any, error) {
			select {
			case next <- struct{}{}:
			default:
			}
			return started.Add(1), nil
		}}
		options := &javascript.RunOptions{Functions: []javascript.Function{start}}
		stop := make(chan struct{})
		var others sync.WaitGroup
		for range greedy { // they come again as soon as they have been served
			others.Go(func() {
				for {
					select {
					case <-stop:
						return
					default:
						_, _ = engine.Run(context.Background(), `start(); await new Promise((r) => setTimeout(r, 1))`,
							options)
					}
				}
			})
		}
		for range 20 {
			<-next
			<-next // others have taken the place of the one before
			came := started.Load()
			result, err := engine.Run(t.Context(), `return start()`, options)
			require.NoError(t, err)
			var served int64
			require.NoError(t, json.Unmarshal([]byte(result.Text), &served))
			// Those before it were the others, and some may have come between the look and the call, on a busy machine.
			require.LessOrEqual(t, served-came, int64(25*greedy), "others were served before, who came later")
		}
		close(stop)
		others.Wait()
	})
	before.Require(t, leakcheck.Growth{Mappings: 100, Memory: 64 << 20})
}

// TestFunctionsThatRunScripts has all runs that an owner may have wait for other ones of the same owner.
func TestFunctionsThatRunScripts(t *testing.T) {
	engine := enginetest.New(sandbox.EngineOptions{MaxRuns: 4})
	defer func() { require.NoError(t, engine.Close(context.Background())) }()
	begun, all := make(chan struct{}), make(chan struct{})
	inner := javascript.Function{Name: "inner", Async: true, Call: func(ctx context.Context, _ []any) (any, error) {
		begun <- struct{}{}
		<-all
		result, err := engine.Run(ctx, `return 'inner'`, &javascript.RunOptions{Owner: "one"})
		return result.Text, err
	}}
	var runs sync.WaitGroup
	for range 2 {
		runs.Go(func() {
			result, err := engine.Run(t.Context(), `return await inner()`, &javascript.RunOptions{Owner: "one",
				Functions: []javascript.Function{inner}})
			if err != nil || result.Text != "inner" {
				t.Errorf("%q, %v", result.Text, err)
			}
		})
	}
	<-begun
	<-begun
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := engine.Run(ctx, `return 1`, &javascript.RunOptions{Owner: "one"})
	limit, ok := errors.AsType[*sandbox.LimitError](err)
	require.True(t, ok, "these are all that the owner may have: %v", err)
	require.Equal(t, sandbox.LimitRuns, limit.Limit)
	close(all)
	runs.Wait()
}

// TestCallsOnAnEngineThatIsFullOrClosed calls the tool where its engine cannot serve it.
func TestCallsOnAnEngineThatIsFullOrClosed(t *testing.T) {
	before := leakcheck.Take()
	engine := enginetest.New(sandbox.EngineOptions{MaxRuns: 2})
	tools, err := registry.New(jstool.New(func(context.Context) (*javascript.Interpreter, error) {
		return engine.Interpreter, nil
	}, nil))
	require.NoError(t, err)
	dispatch := func(code string, limit time.Duration) tool.Result {
		input, err := json.Marshal(map[string]string{"code": code})
		require.NoError(t, err)
		return tools.Dispatch(context.Background(), tool.Call{ID: "call", Tool: jstool.Name, Input: input},
			registry.Env{Limits: registry.Limits{Timeout: limit}})
	}
	begun, release := make(chan struct{}), make(chan struct{})
	var holders sync.WaitGroup
	for range 2 {
		holders.Go(func() {
			_, err := engine.Run(context.Background(), `hold()`,
				&javascript.RunOptions{Functions: []javascript.Function{holding(begun, release)}})
			require.ErrorIs(t, err, sandbox.ErrClosed)
		})
		<-begun
	}
	full := dispatch(`return 1`, 10*time.Millisecond)
	require.Equal(t, tool.CodeTimeout, full.Code)
	require.Equal(t, "Tool execution timed out after 10ms.", full.Text())

	requireClosed := func(result tool.Result) {
		require.Equal(t, tool.CodeFailed, result.Code)
		require.Equal(t, "Tool execution failed: runtime: the engine is closed", result.Text())
		require.ErrorIs(t, result.Err, sandbox.ErrClosed)
	}
	called := make(chan tool.Result)
	go func() { called <- dispatch(`return 1`, patience) }() // waits for a place, or comes too late
	require.NoError(t, engine.Close(context.Background()))
	requireClosed(<-called)
	holders.Wait()
	close(release)
	requireClosed(dispatch(`return 1`, patience))
	require.NoError(t, engine.Close(context.Background()), "again")
	before.Require(t, leakcheck.Growth{Mappings: 50})
}

// TestClosingWhileCallsAreMade closes engines at any moment of calls of all kinds.
func TestClosingWhileCallsAreMade(t *testing.T) {
	before := leakcheck.Take()
	for round := range 6 {
		engine := enginetest.New(sandbox.EngineOptions{MaxRuns: 4})
		tools, err := registry.New(jstool.New(func(context.Context) (*javascript.Interpreter, error) {
			return engine.Interpreter, nil
		}, nil))
		require.NoError(t, err)
		var calls sync.WaitGroup
		begun := make(chan struct{}, 12)
		for n := range 12 {
			code := []string{`return 1`, `for (;;);`, `await new Promise((r) => setTimeout(r, 1e6))`,
				`const a = []; for (;;) a.push(new Uint8Array(1e6))`}[n%4]
			input, err := json.Marshal(map[string]string{"code": code})
			require.NoError(t, err)
			calls.Go(func() {
				ctx := &waiting{Context: context.Background(), waits: func() { begun <- struct{}{} }}
				for {
					env := registry.Env{Limits: registry.Limits{Timeout: patience}}
					result := tools.Dispatch(ctx, tool.Call{Tool: jstool.Name, Input: input}, env)
					if errors.Is(result.Err, sandbox.ErrClosed) {
						return
					}
					if result.IsError() && n%4 != 3 || result.Text() == "" {
						t.Errorf("%s: %s (%v)", code, result.Text(), result.Err)
						return
					}
				}
			})
		}
		for range 2 * round {
			<-begun
		}
		var closers sync.WaitGroup
		for range 3 {
			closers.Go(func() {
				if err := engine.Close(context.Background()); err != nil {
					t.Error(err)
				}
			})
		}
		closers.Wait()
		calls.Wait()
	}
	before.Require(t, leakcheck.Growth{Mappings: 50})
}

// TestAFunctionThatClosesItsEngine closes the engine from within a run.
func TestAFunctionThatClosesItsEngine(t *testing.T) {
	for _, async := range []bool{false, true} {
		engine := enginetest.New(sandbox.EngineOptions{})
		closed := make(chan error, 1)
		_, err := engine.Run(t.Context(), `await close()`, &javascript.RunOptions{Functions: []javascript.Function{{
			Name: "close", Async: async, Call: func(context.Context, []any) (any, error) {
				closed <- engine.Close(context.Background())
				return nil, nil
			},
		}}})
		require.ErrorIs(t, err, sandbox.ErrClosed)
		require.NoError(t, <-closed)
	}
}

// TestOthersRunBesideALongScript has a goroutine share the only processor with a script that computes. It takes a step
// whenever the script makes way, as a server does for an answer: not once in 10 ms, as Go's scheduler would have it.
func TestOthersRunBesideALongScript(t *testing.T) {
	defer goruntime.GOMAXPROCS(goruntime.GOMAXPROCS(1))
	engine := enginetest.New(sandbox.EngineOptions{})
	defer func() { require.NoError(t, engine.Close(context.Background())) }()

	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var steps atomic.Int64
	go func() {
		for ctx.Err() == nil {
			steps.Add(1)
			goruntime.Gosched()
		}
	}()
	taken := javascript.Function{Name: "taken", Call: func(context.Context, []any) (any, error) {
		return steps.Load(), nil
	}}
	result, err := engine.Run(ctx, `const before = taken(); for (let n = 0; n < 3e6; n++); return taken() - before`,
		&javascript.RunOptions{Functions: []javascript.Function{taken}})
	require.NoError(t, err)
	var meanwhile int64
	require.NoError(t, json.Unmarshal([]byte(result.Text), &meanwhile))
	portions := result.Usage.Work >> 16
	require.Greater(t, portions, int64(20))
	require.Greater(t, meanwhile, portions/4, "in %d portions of work or more", portions)
}
