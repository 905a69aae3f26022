package python_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/runtime/python"
)

// meeting makes functions, of which those with the same name wait for each other: a call of "pair" ends when two of
// them are under way.
func meeting() []python.Function {
	first := make(chan any)
	return []python.Function{
		{Name: "tools.pair", Call: func(ctx context.Context, args []any, _ map[string]any) (any, error) {
			select {
			case first <- args[0]:
				return args[0], nil
			case other := <-first:
				return fmt.Sprint(args[0], other), nil
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}},
		{Name: "tools.echo", Call: func(_ context.Context, args []any, _ map[string]any) (any, error) {
			return map[string]any{"x": args[0]}, nil
		}},
		{Name: "tools.fail", Call: func(context.Context, []any, map[string]any) (any, error) {
			return nil, &python.FunctionError{Name: "ToolError", Message: "no", Code: "c"}
		}},
		{Name: "tools.panic", Call: func(context.Context, []any, map[string]any) (any, error) { panic("on purpose") }},
		{Name: "tools.forever", Call: func(ctx context.Context, _ []any, _ map[string]any) (any, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}},
	}
}

// TestAwaiting calls functions as code of all styles does.
func TestAwaiting(t *testing.T) {
	const together = "[1, 2]" // which is only possible if two calls are made at the same time
	for code, want := range map[string]string{
		// Calls that are not awaited give the value, wherever they are.
		"x = tools.echo(5)\nx['x']":                                "5",
		"async def f():\n    return tools.echo(5)['x']\nawait f()": "5",
		"await asyncio.sleep(0, tools.echo(5)['x'])":               "5",
		"[t['x'] for t in [tools.echo(n) for n in range(3)]]":      "[0, 1, 2]",
		"r = tools.echo(1)\nasync def f(v): return v\nr, await f(tools.echo(2)), await " +
			"asyncio.gather(f(tools.echo(3)))": "({'x': 1}, {'x': 2}, [{'x': 3}])",

		// Those that are awaited can be awaited.
		"await tools.echo(5)":                                                               "{'x': 5}",
		"(await tools.echo(await tools.echo(5)))['x']['x']":                                 "5",
		"search = tools.echo\n(await search(5))['x']":                                       "5",
		"(await tools['echo'](5))['x'] + (await tools.echo(6))['x']":                        "11",
		"c = tools.echo(5)\nawait c":                                                        "{'x': 5}",
		"async def f():\n    r = await tools.echo(5)\n    return r['x']\nasyncio.run(f())":  "5",
		"asyncio.run(tools.echo(5))":                                                        "{'x': 5}",
		"async with asyncio.timeout(9):\n    r = await tools.echo(5)\nr":                    "{'x': 5}",
		"await asyncio.wait_for(tools.echo(5), 9)":                                          "{'x': 5}",
		"[await tools.echo(n) for n in range(2)]":                                           "[{'x': 0}, {'x': 1}]",
		"[(await t)['x'] for t in asyncio.as_completed([tools.echo(5)])]":                   "[5]",
		"try:\n    await tools.fail()\nexcept ToolError as e:\n    x = (str(e), e.code)\nx": "('no', 'c')",
		"try:\n    await tools.panic()\nexcept RuntimeError as e:\n    x = str(e)\nx":       "'panicked: on purpose'",
		"r = await asyncio.gather(tools.fail(), tools.echo(1), return_exceptions=True)\n" +
			"[type(r[0]).__name__, r[1]]": "['ToolError', {'x': 1}]",
		"try:\n    await asyncio.wait_for(tools.forever(), 0.001)\nexcept TimeoutError:\n    x = 'late'\nx, await " +
			"tools.echo(1)": "('late', {'x': 1})",
		"len(await asyncio.gather(*[tools.echo(n) for n in range(500)]))": "500",

		// At the same time.
		"await asyncio.gather(tools.pair(1), tools.pair(2))":                                                 together,
		"await asyncio.gather(*[tools.pair(n) for n in (1, 2)])":                                             together,
		"await asyncio.gather(*(tools.pair(n) for n in (1, 2)))":                                             together,
		"await asyncio.gather(*map(tools.pair, (1, 2)))":                                                     together,
		"await asyncio.gather(*map(lambda n: tools.pair(n), (1, 2)))":                                        together,
		"from asyncio import gather\nawait gather(tools.pair(1), tools.pair(2))":                             together,
		"calls = [tools.pair(n) for n in (1, 2)]\nawait asyncio.gather(*calls)":                              together,
		"calls = []\nfor n in (1, 2):\n    calls.append(tools.pair(n))\nawait asyncio.gather(*calls)":        together,
		"a, b = tools.pair(1), tools.pair(2)\nawait asyncio.gather(a, b)":                                    together,
		"calls = {n: tools.pair(n) for n in (1, 2)}\nawait asyncio.gather(*calls.values())":                  together,
		"async def one(n):\n    return await tools.pair(n)\nawait asyncio.gather(one(1), one(2))":            together,
		"a = asyncio.create_task(tools.pair(1))\nb = asyncio.create_task(tools.pair(2))\n[await a, await b]": together,
		"tasks = [asyncio.create_task(tools.pair(n)) for n in (1, 2)]\n[await t for t in tasks]":             together,
		"async with asyncio.TaskGroup() as g:\n    a = g.create_task(tools.pair(1))\n    b = " +
			"g.create_task(tools.pair(2))\n[a.result(), b.result()]": together,
		"await asyncio.gather(asyncio.to_thread(tools.pair, 1), asyncio.to_thread(tools.pair, 2))": together,
		"loop = asyncio.get_running_loop()\nawait asyncio.gather(*[loop.run_in_executor(None, tools.pair, n) for n " +
			"in (1, 2)])": together,
		"async def main():\n    return await asyncio.gather(tools.pair(1), tools.pair(2))\n" +
			"asyncio.run(main())": together,
	} {
		result := run(t, "import asyncio\n"+code, python.RunOptions{Functions: meeting()})
		text := result.Text
		if want == together { // one of the two has met the other
			text = strings.NewReplacer("'1 2'", "1", "'2 1'", "2").Replace(text)
		}
		require.Equal(t, want, text, code)
		require.Empty(t, lines(result), code)
	}
	for code, want := range map[string]string{
		"x = tools.echo(1)\nprint(x)\nawait (lambda: x)()": "await tools.NAME(...)",
		"await tools.fail()":         "File \"script.py\", line 2, in <module>\n    await tools.fail()\n",
		"await tools.panic()":        "RuntimeError: panicked: on purpose",
		"await tools.echo(object())": "TypeError",
		"await asyncio.Future()":     "waits for something that can never happen",
		"await asyncio.gather(*[tools.forever() for n in range(1001)])": "too many calls at the same time",
	} {
		_, err := tryRun(t, "import asyncio\n"+code, python.RunOptions{Functions: meeting()})
		script, ok := errors.AsType[*python.ScriptError](err)
		require.True(t, ok, "%s: %v", code, err)
		require.Contains(t, script.Traceback, want, code)
		require.NotContains(t, script.Traceback, "toolrun", code)
		require.NotContains(t, script.Traceback, "awaitable>", code)
	}
}
