package python_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/test/enginetest"
	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/runtime/python"
)

// asking has a function tools.ask(x) that has no answer, or one that answering gives.
func asking(answer func(x any) (any, error)) *python.RunOptions {
	return &python.RunOptions{
		Limits: sandbox.Limits{Time: patience},
		Functions: []python.Function{{
			Name: "tools.ask",
			Call: func(_ context.Context, args []any, _ map[string]any) (any, error) {
				if answer == nil {
					return nil, python.ErrSuspend
				}
				return answer(args[0])
			},
		}},
	}
}

func echo(x any) (any, error) { return x, nil }

// suspended runs code up to where it waits for calls of tools.ask.
func suspended(t testing.TB, code string) *python.Result {
	t.Helper()
	needPython(t)
	result, err := interpreter.Run(t.Context(), code, asking(nil))
	require.ErrorIs(t, err, python.ErrSuspend)
	require.NotNil(t, result.State)
	return result
}

func TestSuspendedCodeGoesOn(t *testing.T) {
	first := suspended(t, `
import asyncio, random
print('before')
print('in one', end=' ')
def g():
    n = 0
    while True:
        n += yield n
it = g(); next(it)
random.seed(5)
a = random.random()
answer = await tools.ask('first')
print('line')
print('after', answer)
try:
    await tools.ask('second')
except ToolError as e:
    print(type(e).__name__, e)
many = await asyncio.gather(*[tools.ask(n) for n in (1, 2, 3)])
b = random.random()
random.seed(5)
it.send(5), many, (a, b) == (random.random(), random.random())`)
	require.Equal(t, []sandbox.Entry{{Text: "before"}}, first.Console)
	for range 3 { // three forks of it
		var asked []any
		result, err := interpreter.Resume(t.Context(), first.State, asking(func(x any) (any, error) {
			asked = append(asked, x)
			return "yes", fmt.Errorf("wrapped: %w", python.ErrSuspend)
		}))
		require.ErrorIs(t, err, python.ErrSuspend)
		require.Equal(t, []any{"first"}, asked)
		result, err = interpreter.Resume(t.Context(), result.State, asking(func(x any) (any, error) {
			if x == "second" {
				return nil, &python.FunctionError{Name: "ToolError", Message: "no"}
			}
			return x, nil
		}))
		require.NoError(t, err)
		require.Equal(t, "(5, [1, 2, 3], True)", result.Text)
		require.Equal(t, []sandbox.Entry{{Text: "before"}, {Text: "in one line"}, {Text: "after first"},
			{Text: "ToolError no"}}, result.Console)
		require.Nil(t, result.State)
	}
}

func TestTheClockOfSuspendedCodeStandsStill(t *testing.T) {
	needPython(t)
	synctest.Test(t, func(t *testing.T) {
		engine, err := sandbox.New(&sandbox.EngineOptions{CacheDir: enginetest.CacheDir()})
		require.NoError(t, err)
		defer func() { require.NoError(t, engine.Close(t.Context())) }()
		interpreter, err := python.New(t.Context(), engine, python.FromBytes(module))
		require.NoError(t, err)
		first, err := interpreter.Run(t.Context(), `
import asyncio, time
began = time.monotonic()
timer = asyncio.create_task(asyncio.sleep(3600)) # is no reason to go on
await asyncio.wait([asyncio.create_task(tools.ask('answer')), timer], return_when=asyncio.FIRST_COMPLETED)
time.monotonic() - began, timer.done()`, asking(nil))
		require.ErrorIs(t, err, python.ErrSuspend)
		time.Sleep(2 * time.Hour)
		result, err := interpreter.Resume(t.Context(), first.State, asking(echo))
		require.NoError(t, err)
		require.Regexp(t, `^\([0-9.e-]+, False\)$`, result.Text)
		require.Less(t, result.Value.([]any)[0], 1.0)
		require.Less(t, result.Usage.Duration, time.Second)
	})
}

func TestStatesOfOtherKinds(t *testing.T) {
	waiting := suspended(t, `await tools.ask(1)`)
	between, err := session(t, nil, `1`)
	require.NoError(t, err)
	var refused *sandbox.StateError
	_, err = session(t, waiting.State, `1`)
	require.ErrorAs(t, err, &refused)
	_, err = interpreter.Resume(t.Context(), between.State, nil)
	require.ErrorAs(t, err, &refused)
}

func TestSuspendedCodeOfSessions(t *testing.T) {
	needPython(t)
	o := asking(nil)
	o.Session = true
	first, err := interpreter.Run(t.Context(), `
import asyncio
async def later():
    global y
    y = await tools.ask(2)
x = await tools.ask(1)
task = asyncio.create_task(later())
x + 1`, o)
	require.ErrorIs(t, err, python.ErrSuspend)
	second, err := interpreter.Resume(t.Context(), first.State, asking(func(x any) (any, error) {
		if x == int64(2) {
			return nil, python.ErrSuspend // what the task waits for is waited for, too
		}
		return x.(int64) * 10, nil
	}))
	require.ErrorIs(t, err, python.ErrSuspend)
	third, err := interpreter.Resume(t.Context(), second.State, asking(echo))
	require.NoError(t, err)
	require.Equal(t, "11", third.Text)
	fourth, err := session(t, third.State, `await task; x, y`)
	require.NoError(t, err)
	require.Equal(t, "(10, 2)", fourth.Text)
	_, err = session(t, third.State, `1/0`)
	var script *python.ScriptError
	require.ErrorAs(t, err, &script)
	require.Equal(t, "script-2.py", script.File)
}

func TestWhatIsGoneWhileCodeIsSuspended(t *testing.T) {
	first := suspended(t, `
try:
    x = await tools.ask(1)
except RuntimeError as e:
    x = str(e)
x`)
	result, err := interpreter.Resume(t.Context(), first.State, nil)
	require.NoError(t, err)
	require.Equal(t, "'tools.ask is not there any more'", result.Text)
}

// Where a frame of the code is under the call, it cannot be left.
func TestCodeThatCannotWait(t *testing.T) {
	needPython(t)
	const frames = "RuntimeError: tools.ask has no answer yet, and only code that awaits at its top level can wait " +
		"for it: write await tools.ask(...) outside of functions"
	const files = "RuntimeError: tools.ask has no answer yet, and code with open files, or with files in " +
		"/tmp, cannot wait for it: close them first"
	for code, want := range map[string]string{
		"def f():\n    return tools.ask(1)\nf()": frames,
		"import asyncio\ndef f():\n    async def main():\n        return await asyncio.gather(tools.ask(1), " +
			"tools.ask(2))\n    return asyncio.run(main())\nf()": frames,
		"import asyncio\nloop = asyncio.new_event_loop()\nloop.run_until_complete(tools.ask(1))":           frames,
		"with open('a', 'w') as f:\n    f.write(await tools.ask('x'))":                                     files,
		"open('/tmp/a', 'w').close()\nawait tools.ask(1)":                                                  files,
		"import sqlite3\ndb = sqlite3.connect('db')\ndb.execute('create table t (x)')\nawait tools.ask(1)": files,
	} {
		o := asking(nil)
		o.Files = afero.NewMemMapFs()
		result, err := interpreter.Run(t.Context(), code, o)
		require.ErrorContains(t, err, want, code)
		require.Nil(t, result.State)
	}
	result, err := interpreter.Run(t.Context(), `
import asyncio
def now(x):
    try:
        return tools.ask(x)
    except RuntimeError:
        return 'later'
now(1), await tools.ask(2)`, asking(nil))
	require.ErrorIs(t, err, python.ErrSuspend)
	result, err = interpreter.Resume(t.Context(), result.State, asking(echo))
	require.NoError(t, err)
	require.Equal(t, "('later', 2)", result.Text)
}

func TestLimitsGoOnWhereSuspendedCodeDoes(t *testing.T) {
	const work = "for i in range(20_000): i * i\n"
	first := suspended(t, work+"await tools.ask(1)\n"+work+"'over'")
	answers := asking(echo)
	result, err := interpreter.Resume(t.Context(), first.State, answers)
	require.NoError(t, err)
	require.Greater(t, result.Usage.Work, first.Usage.Work*3/2)
	answers.Limits.Work = first.Usage.Work + 1000
	_, err = interpreter.Resume(t.Context(), first.State, answers)
	var limit *sandbox.LimitError
	require.ErrorAs(t, err, &limit)
	require.Equal(t, sandbox.LimitWork, limit.Limit)
	answers.Limits = sandbox.Limits{Memory: 40 << 20}
	big := suspended(t, "big = b'x' * (30 << 20); await tools.ask(1)")
	_, err = interpreter.Resume(t.Context(), big.State, answers)
	require.ErrorAs(t, err, &limit)
	require.Equal(t, sandbox.LimitMemory, limit.Limit)
}

func TestExceptionsAfterAWait(t *testing.T) {
	first := suspended(t, "async def f():\n    await tools.ask(1)\n    raise KeyError('k')\nawait f()")
	_, err := interpreter.Resume(t.Context(), first.State, asking(echo))
	var script *python.ScriptError
	require.ErrorAs(t, err, &script)
	require.Equal(t, "Traceback (most recent call last):\n  File \"script.py\", line 4, in <module>\n    await f()\n"+
		"  File \"script.py\", line 3, in f\n    raise KeyError('k')\nKeyError: 'k'", script.Traceback)
	require.Equal(t, 3, script.Line)
	ended := suspended(t, "import asyncio\nasync def f():\n    try:\n        await asyncio.sleep(100)\n    "+
		"finally:\n        print('cleaned up', await tools.ask('x'))\n"+
		"task = asyncio.create_task(f())\nawait asyncio.sleep(0)\n1 / 0")
	_, err = interpreter.Resume(t.Context(), ended.State, asking(echo))
	require.ErrorAs(t, err, &script)
	require.Equal(t, "ZeroDivisionError", script.Type)
	require.False(t, errors.Is(err, python.ErrSuspend))
}

func TestStatesThatCannotBeUsed(t *testing.T) {
	result, err := session(t, nil, `n = 1`)
	require.NoError(t, err)
	sealed, err := result.State.Seal(stateKey, 0)
	require.NoError(t, err)
	for name, c := range map[string]struct {
		sealed, key []byte
		memory      int64
		want        string
	}{
		"nothing": {nil, stateKey, sandbox.DefaultMemory, "it is no state"},
		"another text": {[]byte("toolrun state 9\n" + string(sealed[16:])), stateKey, sandbox.DefaultMemory,
			"a newer version of toolrun made it"},
		"changed": {append(sealed[:len(sealed)-1:len(sealed)-1], sealed[len(sealed)-1]^1), stateKey,
			sandbox.DefaultMemory, "changed"},
		"cut off":     {sealed[:len(sealed)-1], stateKey, sandbox.DefaultMemory, "changed"},
		"another key": {sealed, []byte("0123456789abcdeF"), sandbox.DefaultMemory, "another key"},
		"too large":   {sealed, stateKey, 16 << 20, "memory"},
	} {
		_, err := interpreter.OpenState(c.sealed, c.key, c.memory)
		var refused *sandbox.StateError
		require.ErrorAs(t, err, &refused, name)
		require.ErrorContains(t, err, c.want, name)
	}
	_, err = interpreter.OpenState(sealed, stateKey[:8], sandbox.DefaultMemory)
	require.ErrorContains(t, err, "16 bytes")
	_, err = result.State.Seal(stateKey, 1000)
	var refused *sandbox.StateError
	require.ErrorAs(t, err, &refused)
	require.ErrorContains(t, err, "keep less data in variables")
}
