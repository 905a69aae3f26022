package javascript_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/test/enginetest"
	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/runtime/javascript"
)

// asking has a function ask(x) that has no answer, and answering one that has.
func asking(answer func(x any) (any, error)) *javascript.RunOptions {
	return &javascript.RunOptions{Functions: []javascript.Function{{
		Name: "ask", Async: true,
		Call: func(_ context.Context, args []any) (any, error) {
			if answer == nil {
				return nil, javascript.ErrSuspend
			}
			return answer(args[0])
		},
	}}}
}

// suspended runs a script up to where it waits for calls of ask.
func suspended(t *testing.T, script string) *javascript.Result {
	t.Helper()
	result, err := engine.Run(t.Context(), script, asking(nil))
	require.ErrorIs(t, err, javascript.ErrSuspend)
	require.NotNil(t, result.State)
	return result
}

func TestSuspendedScriptsGoOn(t *testing.T) {
	first := suspended(t, `
		console.log('before');
		const m = new Map([['k', 1n]]);
		function* g() { let n = 0; for (;;) n += yield n }
		const it = g(); it.next();
		const random = Math.random();
		const answer = await ask('first');
		console.log('after', answer);
		try { await ask('second') } catch (e) { console.log(e.name, e.message) }
		const all = await Promise.all([ask(1), ask(2), ask(new Uint8Array([7, 8]))]);
		return [m.get('k'), it.next(5).value, random === random, ...all.map(String)].join()`)
	require.Equal(t, []sandbox.Entry{{Text: "before"}}, first.Console)
	for range 3 { // three forks of it
		var asked []any
		result, err := engine.Resume(t.Context(), first.State, asking(func(x any) (any, error) {
			asked = append(asked, x)
			return "yes", javascript.ErrSuspend
		}))
		require.ErrorIs(t, err, javascript.ErrSuspend)
		require.Equal(t, []any{"first"}, asked)
		result, err = engine.Resume(t.Context(), result.State, asking(func(x any) (any, error) {
			if x == "second" {
				return nil, &javascript.FunctionError{Name: "RangeError", Message: "no"}
			}
			return x, nil
		}))
		require.NoError(t, err)
		require.Equal(t, "1,5,true,1,2,7,8", result.Text)
		require.Equal(t, []sandbox.Entry{{Text: "before"}, {Text: "after first"}, {Text: "RangeError no"}},
			result.Console)
	}
}

func TestTheClockOfASuspendedScriptStandsStill(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := enginetest.New(sandbox.EngineOptions{})
		defer func() { require.NoError(t, e.Close(t.Context())) }()
		first, err := e.Run(t.Context(),
			`return await Promise.race([ask(1), new Promise((resolve) => setTimeout(resolve, 300, 'timer'))])`,
			asking(nil))
		require.ErrorIs(t, err, javascript.ErrSuspend)
		time.Sleep(350 * time.Millisecond) // then the timer is due, and would be first
		result, err := e.Resume(t.Context(), first.State, asking(func(any) (any, error) { return "answer", nil }))
		require.NoError(t, err)
		require.Equal(t, "answer", result.Text)
	})
}

func TestStatesOfOtherKinds(t *testing.T) {
	waiting := suspended(t, `await ask(1)`)
	between, err := session(t, nil, `1`)
	require.NoError(t, err)
	var refused *sandbox.StateError
	_, err = engine.Run(t.Context(), `1`, &javascript.RunOptions{Session: true, State: waiting.State})
	require.ErrorAs(t, err, &refused)
	_, err = engine.Resume(t.Context(), between.State, nil)
	require.ErrorAs(t, err, &refused)
}

func TestSuspendedScriptsOfSessions(t *testing.T) {
	o := asking(nil)
	o.Session = true
	first, err := engine.Run(t.Context(), `let x = await ask(1); return x + 1`, o)
	require.ErrorIs(t, err, javascript.ErrSuspend)
	second, err := engine.Resume(t.Context(), first.State, asking(func(x any) (any, error) {
		return x.(float64) * 10, nil
	}))
	require.NoError(t, err)
	require.Equal(t, "11", second.Text)
	third, err := session(t, second.State, `return x`)
	require.NoError(t, err)
	require.Equal(t, "10", third.Text)
}

func TestWhatIsGoneWhileAScriptIsSuspended(t *testing.T) {
	first := suspended(t, `try { return await ask(1) } catch (e) { return e.message }`)
	result, err := engine.Resume(t.Context(), first.State, nil)
	require.NoError(t, err)
	require.Equal(t, "ask is not there any more", result.Text)
}

func TestLimitsGoOnWhereASuspendedScriptDoes(t *testing.T) {
	const work = `for (let i = 0; i < 3e5; i++);`
	first := suspended(t, work+`await ask(1);`+work+`return 'over'`)
	answers := asking(func(any) (any, error) { return nil, nil })
	result, err := engine.Resume(t.Context(), first.State, answers)
	require.NoError(t, err)
	require.Greater(t, result.Usage.Work, first.Usage.Work*3/2)
	answers.Limits.Work = first.Usage.Work + 1000
	_, err = engine.Resume(t.Context(), first.State, answers)
	var limit *sandbox.LimitError
	require.ErrorAs(t, err, &limit)
	require.Equal(t, sandbox.LimitWork, limit.Limit)
	answers.Limits = sandbox.Limits{Memory: 4 << 20}
	big := suspended(t, `const big = new Uint8Array(8e6).fill(1); await ask(1); return big.length`)
	_, err = engine.Resume(t.Context(), big.State, answers)
	require.ErrorAs(t, err, &limit)
	require.Equal(t, sandbox.LimitMemory, limit.Limit)
}

// People take their time: that of the script stands still meanwhile, if it has nothing else to do.
func TestTimeOfPeopleDoesNotCount(t *testing.T) {
	functions := func(person func(ctx context.Context)) (all []javascript.Function) {
		for _, async := range []bool{true, false} {
			now := map[bool]string{false: "Now"}[async]
			all = append(all, javascript.Function{Name: "ask" + now, Async: async,
				Call: func(ctx context.Context, _ []any) (any, error) {
					defer sandbox.Hold(ctx)()
					person(ctx)
					return "yes", context.Cause(ctx)
				}}, javascript.Function{Name: "hang" + now, Async: async,
				Call: func(ctx context.Context, _ []any) (any, error) {
					<-ctx.Done()
					return nil, errors.New("over")
				}})
		}
		return all
	}
	synctest.Test(t, func(t *testing.T) {
		e := enginetest.New(sandbox.EngineOptions{})
		defer func() { require.NoError(t, e.Close(t.Context())) }()
		options := &javascript.RunOptions{Limits: sandbox.Limits{Time: 2 * time.Second},
			Functions: functions(func(context.Context) { time.Sleep(time.Hour) })}
		for _, script := range []string{`return await ask()`, `return askNow()`,
			`return (await Promise.all([ask(), ask()]))[0]`} {
			result, err := e.Run(t.Context(), script, options)
			require.NoError(t, err, script)
			require.Equal(t, "yes", result.Text)
		}
	})
	short := &javascript.RunOptions{Limits: sandbox.Limits{Time: 50 * time.Millisecond},
		Functions: functions(func(ctx context.Context) { <-ctx.Done() })}
	for _, script := range []string{`ask(); for (;;);`, `ask(); hangNow()`, `await Promise.all([ask(), hang()])`,
		`ask(); await hang()`} {
		t.Run(script, func(t *testing.T) {
			t.Parallel()
			_, err := engine.Run(t.Context(), script, short)
			var limit *sandbox.LimitError
			require.ErrorAs(t, err, &limit)
			require.Equal(t, sandbox.LimitTime, limit.Limit)
		})
	}
}
