package javascript_test

import (
	"context"
	"errors"
	"fmt"
	goruntime "runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/test/enginetest"
	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/runtime/javascript"
)

// echo returns its first argument.
func echo(_ context.Context, args []any) (any, error) {
	if len(args) == 0 {
		return nil, nil
	}
	return args[0], nil
}

func withFunctions(functions ...javascript.Function) javascript.RunOptions {
	return javascript.RunOptions{Functions: functions}
}

func TestFunctionsCarryValues(t *testing.T) {
	for name, test := range map[string]struct{ script, want string }{
		"numbers":         {`return echo(1.5)`, "1.5"},
		"strings":         {`return echo('a\0b "€" \u{1f600}')`, "a\x00b \"€\" \U0001f600"},
		"lone surrogates": {`return echo('\ud800')`, "\ufffd"},
		"null":            {`return echo(null)`, "null"},
		"undefined":       {`return echo(undefined)`, "null"},
		"no argument":     {`return echo()`, "null"},
		"booleans":        {`return echo(true)`, "true"},
		"objects": {`return JSON.stringify(echo({a: [1, {b: null}], 'c d': ''}))`,
			`{"a":[1,{"b":null}],"c d":""}`},
		"big integers": {`return echo(2n ** 64n)`, "18446744073709551616"},
		"bytes":        {`return echo(new Uint8Array([0, 255]))`, "Uint8Array(2) [0, 255]"},
		"buffers":      {`return echo(new ArrayBuffer(2))`, "Uint8Array(2) [0, 0]"},
		"views of a part": {`return echo(new DataView(new Uint8Array([1, 2, 3]).buffer, 1, 1))`,
			"Uint8Array(1) [2]"},
		"bytes deep in data": {
			`const r = echo([{a: new Uint8Array([1])}, new Uint8Array([2, 3])]);
				return [r[0].a.join(), r[1].join()].join(';')`,
			"1;2,3",
		},
		"empty bytes": {`return echo(new Uint8Array(0))`, "Uint8Array(0) []"},
		"while Object.prototype is polluted": {
			`Object.prototype.error = Object.prototype.bytes = Object.prototype.value = 'x'; return echo(1)`, "1",
		},
		"while Array.prototype has a toJSON": {`Array.prototype.toJSON = () => 'x'; return echo(1)`, "1"},
		"HTML as it is":                      {`return echo('<a&b>')`, "<a&b>"},
		"objects without a prototype": {
			`return JSON.stringify(echo(Object.assign(Object.create(null), {a: 1})))`, `{"a":1}`,
		},
		"a property called __proto__": {`return JSON.stringify(echo(JSON.parse('{"__proto__": 1}')))`,
			`{"__proto__":1}`},
	} {
		for _, async := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, async %v", name, async), func(t *testing.T) {
				t.Parallel()
				script := test.script
				if async {
					script = `const call = echo; { const echo = null; } return await (async () => { ` +
						`const results = new Map(); ` + asyncBody(script) + ` })()`
				}
				require.Equal(t, test.want, run(t, script, withFunctions(javascript.Function{Name: "echo", Call: echo,
					Async: async})).Text)
			})
		}
	}
}

// asyncBody puts an await before each call of echo.
func asyncBody(script string) string {
	out := ""
	for i := 0; i < len(script); i++ {
		if i+5 <= len(script) && script[i:i+5] == "echo(" {
			out += "await "
		}
		out += script[i : i+1]
	}
	return out
}

func TestFunctionErrors(t *testing.T) {
	t.Parallel()
	fail := func(err error) javascript.Function {
		return javascript.Function{Name: "fail", Call: func(context.Context, []any) (any, error) { return nil, err }}
	}
	t.Run("become exceptions with a stack of the script", func(t *testing.T) {
		_, err := tryRun(t, "\nfail()", withFunctions(fail(errors.New("it broke"))))
		var e *javascript.ScriptError
		require.ErrorAs(t, err, &e)
		require.Equal(t, "Error: it broke\n    at <anonymous> (script.js:2:1)", e.Thrown)
	})
	t.Run("can be caught", func(t *testing.T) {
		result := run(t, `try { fail() } catch (e) { return [e instanceof RangeError, e.code, e.message].join() }`,
			withFunctions(fail(&javascript.FunctionError{Name: "RangeError", Message: "m", Code: "E_CODE"})))
		require.Equal(t, "true,E_CODE,m", result.Text)
	})
	t.Run("can have a name of their own", func(t *testing.T) {
		script := `Object.prototype.set = Object.prototype.get = () => {}
			try { fail() } catch (e) { return [e instanceof Error, e.name,
				Object.keys(e), Object.getPrototypeOf(e) === Error.prototype, String(e)].join() }`
		for name, want := range map[string]string{
			"ToolError": "true,ToolError,code,true,ToolError: m", "": "true,Error,code,true,Error: m",
			"__proto__":   "true,__proto__,code,true,__proto__: m",
			"constructor": "true,constructor,code,true,constructor: m",
		} {
			require.Equal(t, want, run(t, script,
				withFunctions(fail(&javascript.FunctionError{Name: name, Message: "m", Code: "c"}))).Text)
		}
	})
	t.Run("of promises are rejections", func(t *testing.T) {
		f := fail(errors.New("later"))
		f.Async = true
		require.Equal(t, "later", run(t, `return await fail().catch((e) => e.message)`, withFunctions(f)).Text)
	})
	t.Run("are what panics become", func(t *testing.T) {
		for _, async := range []bool{false, true} {
			f := javascript.Function{Name: "f", Async: async, Call: func(context.Context, []any) (any, error) {
				panic("oh")
			}}
			require.Equal(t, "f panicked: oh", run(t, `try { await f() } catch (e) { return e.message }`,
				withFunctions(f)).Text)
		}
	})
	t.Run("are what results that cannot cross become", func(t *testing.T) {
		f := javascript.Function{Name: "f", Call: func(context.Context, []any) (any, error) {
			return make(chan int), nil
		}}
		require.Contains(t, run(t, `try { f() } catch (e) { return e.message }`, withFunctions(f)).Text,
			"f returned a value that cannot cross")
	})
	t.Run("are what becomes of values and errors whose methods panic, and of goroutines that end", func(t *testing.T) {
		for name, call := range map[string]func(context.Context, []any) (any, error){
			"a marshaler": func(context.Context, []any) (any, error) { return panics{}, nil },
			"an error":    func(context.Context, []any) (any, error) { return nil, (*nilError)(nil) },
			"the end":     func(context.Context, []any) (any, error) { goruntime.Goexit(); return nil, nil },
		} {
			for _, async := range []bool{false, true} {
				f := javascript.Function{Name: "f", Async: async, Call: call}
				require.Contains(t, run(t, `try { await f() } catch (e) { return 'caught ' + e.message }`,
					withFunctions(f)).Text, "caught f ", "%s, async %v", name, async)
			}
		}
		_, err := tryRun(t, `return 1`, javascript.RunOptions{Globals: map[string]any{"g": panics{}}})
		require.ErrorContains(t, err, "panicked")
	})
	t.Run("are what results without end become", func(t *testing.T) {
		endless := map[string]any{}
		endless["a"] = []any{endless}
		f := javascript.Function{Name: "f", Call: func(context.Context, []any) (any, error) { return endless, nil }}
		require.Contains(t, run(t, `try { f() } catch (e) { return e.message }`, withFunctions(f)).Text,
			"nested more than 1000 deep")
	})
	t.Run("are what arguments that cannot cross become", func(t *testing.T) {
		f := javascript.Function{Name: "f", Call: echo}
		require.Equal(t, "TypeError", run(t, `const a = []; a.push(a); try { f(a) } catch (e) { return e.name }`,
			withFunctions(f)).Text)
		require.Equal(t, "the arguments of f are larger than 4 MiB, or too many values: pass less at a time, or bytes",
			run(t, `try { f(Array(300000).fill({'': 0})) } catch (e) { return e.message }`, withFunctions(f)).Text)
		require.Equal(t, "the arguments of f are larger than 4 MiB, or too many values: pass less at a time, or bytes",
			run(t, `try { f('x'.repeat(5e6)) } catch (e) { return e.message }`, withFunctions(f)).Text)
	})
}

func TestSeveralPromisesAreInFlight(t *testing.T) {
	var started sync.WaitGroup
	started.Add(3)
	// Each call waits until all three have started, so one after the other they would never return.
	together := javascript.Function{Name: "together", Async: true, Call: func(ctx context.Context, args []any) (any,
		error) {
		started.Done()
		all := make(chan struct{})
		go func() { started.Wait(); close(all) }()
		select {
		case <-all:
			return args[0], nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}}
	require.Equal(t, "a,b,c", run(t, `return (await Promise.all(['a', 'b', 'c'].map((x) => together(x)))).join()`,
		withFunctions(together)).Text)
}

// TestCallsEndWhileTimersAreDue has a timer that is due again whenever it has run, as all are that take longer than
// their interval.
func TestCallsEndWhileTimersAreDue(t *testing.T) {
	ticked := make(chan struct{})
	tick := sync.OnceFunc(func() { close(ticked) })
	options := withFunctions(
		javascript.Function{Name: "tick", Call: func(context.Context, []any) (any, error) { tick(); return nil, nil }},
		javascript.Function{Name: "ticked", Async: true, Call: func(ctx context.Context, _ []any) (any, error) {
			select {
			case <-ticked:
				return "yes", nil
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}})
	options.Limits.Time = patience
	require.Equal(t, "yes", run(t, `
		const timer = setInterval(() => { tick(); const start = performance.now();
			while (performance.now() < start + 3); }, 1);
		const answer = await ticked();
		clearInterval(timer);
		return answer`, options).Text)
}

func TestFunctionNames(t *testing.T) {
	functions := withFunctions(
		javascript.Function{Name: "tools.files.read", Call: echo}, javascript.Function{Name: "tools.search", Call: echo,
			Async: true})
	functions.Globals = map[string]any{"input": map[string]any{"bytes": []byte("hi"), "list": []any{1, "x"}},
		"tools.version": "1"}
	require.Equal(t, "1,2,read,104,x,1", run(t,
		`return [tools.files.read(1), await tools.search(2), tools.files.read.name,
			input.bytes[0], input.list[1], tools.version].join()`,
		functions).Text)
}

func TestNamesWithHyphens(t *testing.T) {
	functions := withFunctions(javascript.Function{Name: "tools.git-hub", Call: echo},
		javascript.Function{Name: "tools.constructor", Call: echo, Async: true},
		javascript.Function{Name: "tools.toString.value-of", Call: echo})
	functions.Globals = map[string]any{"tools.a-1": 4}
	require.Equal(t, "1,2,3,4,git-hub,git-hub constructor toString a-1,false", run(t,
		`return [tools['git-hub'](1), await tools.constructor(2), tools.toString['value-of'](3),
			tools['a-1'], tools['git-hub'].name,
			Object.keys(tools).join(' '), Object.keys(globalThis).includes('tools')].join()`, functions).Text)
	for _, name := range []string{"git-hub", "tools.-a", "tools.1", "tools.__proto__", "__proto__.a",
		"tools.__proto__.a", "tools.", ".a", "a b", "tools.é", "-.a"} {
		_, err := tryRun(t, `return 1`, withFunctions(javascript.Function{Name: name, Call: echo}))
		require.ErrorContains(t, err, "is not a name for a script", name)
	}
	for _, pair := range [][2]string{{"a", "a"}, {"a", "a.b"}, {"a.b-c", "a.b-c.d"}} {
		_, err := tryRun(t, `return 1`, withFunctions(javascript.Function{Name: pair[1], Call: echo},
			javascript.Function{Name: pair[0], Call: echo}))
		require.ErrorContains(t, err, "cannot both be given to a script", pair)
	}
}

func TestAFunctionThatDoesNotReturn(t *testing.T) {
	release := make(chan struct{})
	defer close(release)
	for _, async := range []bool{false, true} {
		stuck := javascript.Function{Name: "stuck", Async: async, Call: func(context.Context, []any) (any, error) {
			<-release
			return nil, nil
		}}
		options := withFunctions(stuck)
		options.Limits.Time = 10 * time.Millisecond
		_, err := tryRun(t, `await stuck()`, options)
		require.ErrorIs(t, err, context.DeadlineExceeded, "async %v", async)
	}
}

func TestTheContextOfFunctionsEndsWithTheRun(t *testing.T) {
	ended := make(chan error, 1)
	wait := javascript.Function{Name: "wait", Async: true, Call: func(ctx context.Context, _ []any) (any, error) {
		<-ctx.Done()
		ended <- ctx.Err()
		return nil, nil
	}}
	_, err := tryRun(t, `wait(); throw 'over'`, withFunctions(wait))
	require.EqualError(t, err, "over")
	require.Error(t, <-ended)
}

func TestAFloodOfCallsIsBounded(t *testing.T) {
	wait := javascript.Function{Name: "wait", Async: true, Call: func(ctx context.Context, _ []any) (any, error) {
		<-ctx.Done()
		return nil, nil
	}}
	require.Contains(t, func() string {
		_, err := tryRun(t, `for (let i = 0; i < 1e4; i++) await Promise.race([wait(), 0])`, withFunctions(wait))
		return err.Error()
	}(), "too many calls at the same time: await some of the 1000")
}

type panics struct{}

func (panics) MarshalJSON() ([]byte, error) { panic("in MarshalJSON") }

// nilError has an Error method that does not work on nil.
type nilError struct{ text string }

func (e *nilError) Error() string { return e.text }

// TestResultsThatWaitAreBounded has a script call functions with large results, and not take them: what waits is the
// host's memory.
func TestResultsThatWaitAreBounded(t *testing.T) {
	const calls, megabyte = 200, 1 << 20
	large := func(context.Context, []any) (any, error) { return strings.Repeat("x", megabyte), nil }
	wait := func(context.Context, []any) (any, error) {
		synctest.Wait() // until all results wait for the script
		return nil, nil
	}
	options := withFunctions(javascript.Function{Name: "large", Call: large, Async: true},
		javascript.Function{Name: "wait", Call: wait})
	synctest.Test(t, func(t *testing.T) {
		e := enginetest.New(sandbox.EngineOptions{})
		defer func() { require.NoError(t, e.Close(t.Context())) }()
		result, err := e.Run(t.Context(), fmt.Sprintf(`
			const calls = Array.from({length: %d}, () =>
			large().then((text) => text.length, (error) => error.name + ': ' + error.message));
			wait();
			const all = await Promise.all(calls);
			return [all.filter((x) => x === %d).length, ...new Set(all)].join('|')`, calls, megabyte), &options)
		require.NoError(t, err)
		count, rest, _ := strings.Cut(result.Text, "|")
		taken, err := strconv.Atoi(count)
		require.NoError(t, err)
		require.LessOrEqual(t, taken, 128)
		require.Greater(t, taken, 0)
		require.Contains(t, rest, "RangeError: the result of large is lost: results of more than 128 MiB were "+
			"waiting. Await some calls before you start more")
	})
}
