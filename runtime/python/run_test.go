package python_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/stretchr/testify/require"

	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/runtime/python"
)

// lines returns the console, with the level before each line that is not LOG.
func lines(result *python.Result) string {
	var out []string
	for _, entry := range result.Console {
		text := entry.Text
		if entry.Level != sandbox.LevelLog {
			text = entry.Level.String() + " " + text
		}
		out = append(out, text)
	}
	return strings.Join(out, "\n")
}

func TestTheLastExpressionIsTheResult(t *testing.T) {
	for _, test := range []struct {
		name, code, text, console string
		value                     any
	}{
		{name: "nothing", code: ""},
		{name: "a comment", code: "# 1"},
		{name: "a number", code: "6 * 7", text: "42", value: int64(42)},
		{name: "a number after lines", code: "x = 6\n\nx * 7\n\n# done\n", text: "42", value: int64(42)},
		{name: "None", code: "print('hello')", console: "hello"},
		{name: "an assignment", code: "x = 1"},
		{name: "after a semicolon", code: "x = 1; x + 1", text: "2", value: int64(2)},
		{name: "in several lines", code: "[\n  1,\n  2,\n]", text: "[1, 2]", value: []any{int64(1), int64(2)}},
		{name: "a string of several lines", code: "y = 1\n'''a\nb'''", text: `'a\nb'`, value: "a\nb"},
		{name: "in a string", code: "x = '''\n1 + 1\n'''"},
		{name: "a call with a string of several lines", code: "x = 1\nlen('''\nfor\n''')", text: "5", value: int64(5)},
		{name: "not in a block", code: "if True:\n    5"},
		{name: "a loop", code: "for i in range(3):\n    print(i)", console: "0\n1\n2"},
		{name: "of every type", code: "{'a': [1.5, True, None], 'b': (2,), 'c': 2**70, 'd': {3}, 'e': range(2)}",
			text: "{'a': [1.5, True, None], 'b': (2,), 'c': 1180591620717411303424, 'd': {3}, 'e': range(0, 2)}",
			value: map[string]any{"a": []any{1.5, true, nil}, "b": []any{int64(2)}, "c": "1180591620717411303424",
				"d": []any{int64(3)}, "e": []any{int64(0), int64(1)}}},
		{name: "a dataclass", code: "from dataclasses import dataclass\n@dataclass\nclass P:\n    x: int\nP(1)",
			text:  "P(x=1)",
			value: map[string]any{"x": int64(1)}},
		{name: "no data", code: "object", text: "<class 'object'>"},
		{name: "not a number", code: "float('nan')", text: "nan"},
		{name: "a cycle", code: "x = []\nx.append(x)\nx", text: "[[...]]"},
		{name: "a long list", code: "list(range(50))", text: "[" + seq(0, 27) + ",\n " + seq(27, 50) + "]",
			value: numbers(50)},
		{name: "other letters", code: "'größer \\U0001f600 \\x00'", text: `'größer 😀 \x00'`, value: "größer 😀 \x00"},
		{name: "a lone surrogate", code: "print('\\ud800')\n'\\ud800'", text: `'\ud800'`, value: "\ufffd",
			console: `\ud800`},
		{name: "await", code: "import asyncio\nawait asyncio.sleep(0)\nx = await asyncio.sleep(0, 5)\nx", text: "5",
			value: int64(5)},
		{name: "async for", code: "async def f():\n    yield 1\n[x async for x in f()]", text: "[1]",
			value: []any{int64(1)}},
		{name: "with a future", code: "from __future__ import annotations\ndef f(x: y): pass\nf.__annotations__",
			text:  "{'x': 'y'}",
			value: map[string]any{"x": "y"}},
		{name: "__main__", code: "import sys\n__name__, sys.modules['__main__'].__dict__ is globals()",
			text:  "('__main__', True)",
			value: []any{"__main__", true}},
		{name: "standard error", code: "import sys\nprint('a'); print('b', file=sys.stderr); print('c')",
			console: "a\nERROR b\nc"},
		{name: "an unfinished line", code: "print('a', end='')", console: "a"},
		{name: "exit functions", code: "import atexit\natexit.register(print, 'bye')\n1", text: "1", value: int64(1),
			console: "bye"},
		{name: "exit", code: "print(1)\nexit()\nprint(2)", console: "1"},
		{name: "a pickle", code: "import pickle\nclass A: pass\ntype(pickle.loads(pickle.dumps(A()))) is A",
			text: "True", value: true},
	} {
		t.Run(test.name, func(t *testing.T) {
			result := run(t, test.code)
			require.Equal(t, test.text, result.Text)
			require.Equal(t, test.value, result.Value)
			require.Equal(t, test.console, lines(result))
			require.Positive(t, result.Usage.Work)
		})
	}
}

func seq(from, to int) string {
	var out []string
	for i := range to - from {
		out = append(out, fmt.Sprint(from+i))
	}
	return strings.Join(out, ", ")
}

func numbers(n int) (out []any) {
	for i := range n {
		out = append(out, int64(i))
	}
	return out
}

// repeated matches how often a traceback repeats a line.
var repeated = regexp.MustCompile(`repeated \d+ more`)

func TestExceptions(t *testing.T) {
	for _, test := range []struct {
		name, code string
		want       python.ScriptError // without Traceback
		traceback  string
	}{
		{"a traceback", "def f(x):\n    return 1 / x\n\nf(0)",
			python.ScriptError{Type: "ZeroDivisionError", Message: "division by zero", File: "script.py", Line: 2}, `
Traceback (most recent call last):
  File "script.py", line 4, in <module>
    f(0)
  File "script.py", line 2, in f
    return 1 / x
           ~~^~~
ZeroDivisionError: division by zero`},
		{"a cause", "try:\n    {}['k']\nexcept KeyError as e:\n    raise ValueError('no k') from e",
			python.ScriptError{Type: "ValueError", Message: "no k", File: "script.py", Line: 4}, `
Traceback (most recent call last):
  File "script.py", line 2, in <module>
    {}['k']
    ~~^^^^^
KeyError: 'k'

The above exception was the direct cause of the following exception:

Traceback (most recent call last):
  File "script.py", line 4, in <module>
    raise ValueError('no k') from e
ValueError: no k`},
		{"of the code's own", "class Bad(Exception): pass\nraise Bad('x')",
			python.ScriptError{Type: "Bad", Message: "x", File: "script.py", Line: 2}, `
Traceback (most recent call last):
  File "script.py", line 2, in <module>
    raise Bad('x')
Bad: x`},
		{"in async code", "import asyncio\nasync def f():\n    raise OSError('x')\nawait f()",
			python.ScriptError{Type: "OSError", Message: "x", File: "script.py", Line: 3}, `
Traceback (most recent call last):
  File "script.py", line 4, in <module>
    await f()
  File "script.py", line 3, in f
    raise OSError('x')
OSError: x`},
		{"a syntax error", "x = 1\ny = (2\n",
			python.ScriptError{Type: "SyntaxError", Message: "'(' was never closed (script.py, line 2)",
				File: "script.py", Line: 2, Column: 5, Syntax: true}, `
  File "script.py", line 2
    y = (2
        ^
SyntaxError: '(' was never closed`},
		{"an indentation", "if 1:\nx = 1\n",
			python.ScriptError{Type: "IndentationError", Message: "expected an indented block after 'if' statement " +
				"on line 1 (script.py, line 2)",
				File: "script.py", Line: 2, Column: 1, Syntax: true}, `
  File "script.py", line 2
    x = 1
    ^
IndentationError: expected an indented block after 'if' statement on line 1`},
		{"a NUL", "x = 1\x00", python.ScriptError{Type: "SyntaxError", Message: "source code string cannot contain " +
			"null bytes", Syntax: true},
			"\nSyntaxError: source code string cannot contain null bytes"},
		{"one that cannot be shown", "class Bad(Exception):\n    def __str__(self): return 1 / 0\nraise Bad",
			python.ScriptError{Type: "Bad", File: "script.py", Line: 3}, `
Traceback (most recent call last):
  File "script.py", line 3, in <module>
    raise Bad
Bad: <exception str() failed>`},
		{"of a result", "class Bad:\n    def __repr__(self): return 1 / 0\nBad()",
			python.ScriptError{Type: "ZeroDivisionError", Message: "division by zero", File: "script.py", Line: 2}, `
Traceback (most recent call last):
  File "script.py", line 2, in __repr__
    def __repr__(self): return 1 / 0
                               ~~^~~
ZeroDivisionError: division by zero`},
		{"recursion", "def f(n):\n    return f(n + 1)\nf(0)",
			python.ScriptError{Type: "RecursionError", Message: "maximum recursion depth exceeded", File: "script.py",
				Line: 2}, `
Traceback (most recent call last):
  File "script.py", line 3, in <module>
    f(0)
  File "script.py", line 2, in f
    return f(n + 1)
           ^^^^^^^^
  File "script.py", line 2, in f
    return f(n + 1)
           ^^^^^^^^
  File "script.py", line 2, in f
    return f(n + 1)
           ^^^^^^^^
  [Previous line repeated N more times]
RecursionError: maximum recursion depth exceeded`},
		{"input", "input('name? ')", python.ScriptError{Type: "EOFError",
			Message: "input() has nobody to ask: put the value into the code, or read it from a file",
			File:    "script.py", Line: 1}, `
Traceback (most recent call last):
  File "script.py", line 1, in <module>
    input('name? ')
EOFError: input() has nobody to ask: put the value into the code, or read it from a file`},
	} {
		t.Run(test.name, func(t *testing.T) {
			result, err := tryRun(t, test.code)
			script, ok := errors.AsType[*python.ScriptError](err)
			require.True(t, ok, "%v", err)
			require.True(t, python.IsScriptFailure(err))
			// builds differ in how deep they go
			traceback := repeated.ReplaceAllString(script.Traceback, "repeated N more")
			require.Equal(t, strings.TrimPrefix(test.traceback, "\n"), traceback)
			got := *script
			got.Traceback = ""
			require.Equal(t, test.want, got)
			require.Empty(t, result.Text)
		})
	}
}

func TestExits(t *testing.T) {
	for code, want := range map[string]struct {
		status  int
		console string
	}{
		"import sys\nsys.exit(3)":                               {3, ""},
		"raise SystemExit":                                      {0, ""},
		"import sys\nsys.exit('went wrong')":                    {1, "ERROR went wrong"},
		"quit(2)":                                               {2, ""},
		"import os\nprint(1)\nos._exit(4)":                      {4, "1"},
		"import os\nos._exit(0)":                                {0, ""},
		"import sys\ntry:\n  sys.exit(5)\nfinally:\n  print(2)": {5, "2"},
	} {
		result, err := tryRun(t, code)
		if want.status == 0 {
			require.NoError(t, err, code)
		} else {
			exit, ok := errors.AsType[*python.ExitError](err)
			require.True(t, ok, "%s: %v", code, err)
			require.Equal(t, want.status, exit.Code, code)
			require.True(t, python.IsScriptFailure(err))
		}
		require.Equal(t, want.console, lines(result), code)
	}
}

// TestWhatIsNotHere uses what does not exist in a sandbox, and gets told what to do instead.
func TestWhatIsNotHere(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]string{
		"import scipy":                                                             "scipy is not available.",
		"import sklearn as sk":                                                     "Use statistics (linear",
		"import requests":                                                          "There is no network.",
		"import yaml.loader":                                                       "yaml is not available.",
		"import nothing_like_it":                                                   "packages of pure Python in",
		"import subprocess\nsubprocess.run(['ls'])":                                "There are no other processes",
		"import os\nos.fork()":                                                     "There are no other processes",
		"import os\nos.system('ls')":                                               "There are no other processes",
		"import _thread\n_thread.start_new_thread(print, ())":                      "use threading.Thread",
		"import queue\nqueue.Queue().get()":                                        "threads run one after the other",
		"from multiprocessing.pool import *\nThreadPool(2)":                        "There are no other processes",
		"import os, time\nos.environ['TZ'] = 'Asia/Taipei'\ntime.tzset()":          "The local time is UTC",
		"import multiprocessing\nmultiprocessing.Process(target=print).start()":    "There are no",
		"import socket\nsocket.create_connection(('127.0.0.1', 1))":                "There is no network.",
		"import socket\nsocket.create_server(('', 80))":                            "There is no network.",
		"import socket\nsocket.gethostbyname('example.com')":                       "There is no network.",
		"import socket, os\nos.kill(12345, 9)":                                     "There are no other processes",
		"import urllib.request\nurllib.request.urlopen('http://127.0.0.1:1')":      "There is no network.",
		"import ssl\nssl.create_default_context().wrap_socket(None)":               "there is no TLS here",
		"import urllib.request\nurllib.request.urlopen('https://127.0.0.1:1')":     "There is no network.",
		"import http.client\nhttp.client.HTTPSConnection('a').request('GET', '/')": "There is no network.",
		"import smtplib\nsmtplib.SMTP_SSL('a')":                                    "There is no network.",
		"!pip install requests\nprint('x')": "nothing can be installed: leave the " +
			"line out",
		"x = 1\nfiles = !ls":        "There is no shell",
		"x = 1\n%matplotlib inline": "There are no magic commands: leave the line out",
		"%%time\nx = 1":             "There are no magic commands",
		"print?":                    "Use help(NAME)",
		"get_ipython().run_line_magic('matplotlib', 'inline')": "There is no IPython: leave the line out.",
		"pip install requests":                                 "nothing can be installed",
		"x = 1\n%pip install rich":                             "with toolrun py add NAME",
		"!python -m pip install rich":                          "with toolrun py add NAME",
		"$ ls -la":                                             "There is no shell",
		"x = 1\ncd /tmp":                                       "There is no shell",
		">>> 1 + 1\n2":                                         "Leave out the prompts",
		"import urllib.request\nurllib.request.urlopen('ftp://127.0.0.1:1')": "There is no network.",
		"import xmlrpc.client\nxmlrpc.client.ServerProxy('https://a').f()":   "There is no network.",
		"x = 5\nreturn x": "    return x\n    ^^^^^^^^\nSyntaxError: 'return' outside function\nThe value of the " +
			"last expression is the result",
		"import asyncio\nasync def f(): pass\nawait f()\n" +
			"asyncio.get_event_loop().run_until_complete(f())": "Write await main()",
		"import asyncio\nasync def g(): pass\nasync def f(): asyncio.run(g())\n" +
			"await asyncio.gather(f())": "Write await main() instead of asyncio.run",
		"import ctypes\nctypes.CDLL(None)": "there are no native libraries here",
		"import mmap\nmmap.mmap(-1, 10)":   "files are not mapped into memory here",
	} {
		_, err := tryRun(t, code)
		script, ok := errors.AsType[*python.ScriptError](err)
		require.True(t, ok, "%s: %v", code, err)
		require.Contains(t, script.Traceback, want, code)
		require.NotContains(t, strings.ReplaceAll(script.Traceback, "toolrun py add", ""), "toolrun", code)
	}
	result := run(t, "import importlib.util\ntry:\n    import scipy\nexcept ImportError as e:\n    "+
		"print(e)\nimportlib.util.find_spec('scipy')")
	require.Equal(t, "No module named 'scipy'", lines(result), "code that asks gets Python's own answer")
}

func TestOptions(t *testing.T) {
	t.Run("arguments and a name", func(t *testing.T) {
		result := run(t, "import sys\nsys.argv", python.RunOptions{Name: "a b.py", Args: []string{"x", "größer", ""}})
		require.Equal(t, "['a b.py', 'x', 'größer', '']", result.Text)
	})
	t.Run("standard input", func(t *testing.T) {
		result := run(t, "import sys\ninput(), sys.stdin.read()", python.RunOptions{Stdin: []byte("one\ntwo\nthree")})
		require.Equal(t, `('one', 'two\nthree')`, result.Text)
		result = run(t, "import sys\nsys.stdin.read()")
		require.Equal(t, "''", result.Text)
	})
	t.Run("standard input from a reader", func(t *testing.T) {
		reader, writer := io.Pipe()
		var asked []string
		options := python.RunOptions{StdinFrom: reader, Console: func(e sandbox.Entry) {
			if asked = append(asked, e.Text); e.Unfinished {
				_, _ = io.WriteString(writer, e.Text+"!\nand more")
				_ = writer.Close()
			}
		}}
		result := run(t, "import sys\ninput('name? '), sys.stdin.read(), sys.stdin.read(1)", options)
		require.Equal(t, "('name? !', 'and more', '')", result.Text)
		result = run(t, "import sys\nlen(sys.stdin.read())", python.RunOptions{Stdin: []byte("12"),
			StdinFrom: strings.NewReader(strings.Repeat("x", 1<<20))})
		require.Equal(t, "1048578", result.Text)
		never, _ := io.Pipe()
		require.Equal(t, "1", run(t, "1", python.RunOptions{StdinFrom: never}).Text, "nobody reads")
		_, err := tryRun(t, "input()", python.RunOptions{StdinFrom: never,
			Limits: sandbox.Limits{Time: 20 * time.Millisecond}})
		limit, ok := errors.AsType[*sandbox.LimitError](err)
		require.True(t, ok, "%v", err)
		require.Equal(t, sandbox.LimitTime, limit.Limit)
		_, err = tryRun(t, "input()", python.RunOptions{StdinFrom: iotest.ErrReader(errors.New("broken"))})
		require.ErrorContains(t, err, "OSError")
	})
	t.Run("an expression", func(t *testing.T) {
		for code, want := range map[string]string{"6 * 7": "42", " (1,\n2)": "(1, 2)",
			"await __import__('asyncio').sleep(0, 'x')": "'x'", "print(1)": ""} {
			require.Equal(t, want, run(t, code, python.RunOptions{Expression: true}).Text, code)
		}
		for code, column := range map[string]int{"1) + (2": 2, "x = 1": 3, "1; 2": 2, "": 0, "import sys": 1,
			"1 +": 4} {
			_, err := tryRun(t, code, python.RunOptions{Expression: true})
			script, ok := errors.AsType[*python.ScriptError](err)
			require.True(t, ok, "%s: %v", code, err)
			require.True(t, script.Syntax, code)
			require.Equal(t, column, script.Column, code)
		}
	})
	t.Run("live output", func(t *testing.T) {
		text := func(entries []sandbox.Entry) (text string) {
			for _, e := range entries { // "b" and "c" come apart if much time passes between them
				if text += e.Text; !e.Unfinished {
					text += "\n"
				}
			}
			return text
		}
		var live []sandbox.Entry
		result := run(t, "print('a')\nprint('b', end='', flush=True)\nprint('c')",
			python.RunOptions{Console: func(e sandbox.Entry) { live = append(live, e) }})
		require.Equal(t, "a\nbc\n", text(live))
		require.Equal(t, "a\nbc\n", text(result.Console))
	})
	t.Run("that cannot be", func(t *testing.T) {
		needPython(t)
		for _, options := range []python.RunOptions{{Name: "a\nb"}, {Name: "<string>"}, {Args: []string{"\x00"}},
			{Args: []string{"\xff"}}, {Libraries: []string{"lib"}},
			{Limits: sandbox.Limits{Time: -2}}} {
			_, err := interpreter.Run(t.Context(), "1", &options)
			require.Error(t, err)
			require.False(t, python.IsScriptFailure(err))
		}
		_, err := interpreter.Run(t.Context(), "'\xff'", nil)
		require.ErrorContains(t, err, "not valid UTF-8")
	})
	t.Run("a context that has ended", func(t *testing.T) {
		needPython(t)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, err := interpreter.Run(ctx, "1", nil)
		require.Error(t, err)
		require.False(t, python.IsScriptFailure(err))
	})
}

func TestOutputLimit(t *testing.T) {
	limits := sandbox.Limits{Output: 4 << 10}
	result := run(t, "for i in range(1000): print('a line', i)\n'x' * 100_000", python.RunOptions{Limits: limits})
	require.Less(t, len(lines(result))+len(result.Text), 4<<10)
	require.NotEmpty(t, result.Text)
	require.Greater(t, result.Truncated, int64(100_000))
	require.Contains(t, result.Note(), "output limit reached")
	require.Nil(t, result.Value)
	_, err := tryRun(t, "raise ValueError('x' * 100_000)", python.RunOptions{Limits: limits})
	script, ok := errors.AsType[*python.ScriptError](err)
	require.True(t, ok, "%v", err)
	require.LessOrEqual(t, len(script.Traceback), 4<<10)
	require.LessOrEqual(t, len(script.Message), 4<<10)
}

// TestUnfinishedLines stops code in the middle of a line.
func TestUnfinishedLines(t *testing.T) {
	for _, end := range []string{"while True: pass", "import os\nos.abort()", "x = []\nwhile True: x.append(x * 1000)",
		"import os\nos._exit(3)"} {
		for code, want := range map[string]string{
			"print('a')\nprint('b', 'c', end='')\n":                                 "a\nb c",
			"print('ä', end='')\nimport sys\nprint('e', end='', file=sys.stderr)\n": "ä\nERROR e",
			"print('x' * 10_000, end='')\n":                                         strings.Repeat("x", 10_000),
			"import sys\nprint('a', end='')\nsys.stdout = None\n":                   "a",
		} {
			result, err := tryRun(t, code+end, python.RunOptions{Limits: sandbox.Limits{Work: 5_000_000}})
			require.Error(t, err)
			require.True(t, python.IsScriptFailure(err))
			require.Equal(t, want, lines(result), code+end)
		}
	}
}

func TestAsyncio(t *testing.T) {
	for code, want := range map[string]string{
		"import asyncio\nasync def f(n):\n    await asyncio.sleep(n / 1000)\n    print(n)\n    return " +
			"n\nasyncio.run(asyncio.wait_for(f(1), 5))": "1",
		"import asyncio\nasync def f(n):\n    await asyncio.sleep(n / 500)\n    print(n)\n    return n\nawait " +
			"asyncio.gather(f(3), f(1), f(2))": "[3, 1, 2]",
		"import asyncio\nawait asyncio.to_thread(pow, 2, 3)": "8",
		"import asyncio\nq = asyncio.Queue()\nasync def put():\n    await q.put(7)\nasync with asyncio.TaskGroup() " +
			"as g:\n    g.create_task(put())\nawait q.get()": "7",
		"import asyncio\ntry:\n    async with asyncio.timeout(0.001):\n        await asyncio.sleep(10)\nexcept " +
			"TimeoutError:\n    print('late')\n1": "1",
	} {
		require.Equal(t, want, run(t, code).Text, code)
	}
	const tick = "import asyncio\nasync def tick(n=0):\n    await asyncio.sleep(0.001)\n    " +
		"print('tick')\n    if n:\n" +
		"        asyncio.create_task(tick(n - 1))\n"
	const work = "import asyncio\nq = asyncio.Queue()\nasync def work():\n    while True:\n        print(await " +
		"q.get())\n" +
		"        q.task_done()\nq.put_nowait('tick')\n"
	for code, want := range map[string]string{
		tick + "asyncio.create_task(tick(1))\nprint('end')": "end\ntick\ntick",
		tick + "tick()":                                                                        "tick",
		tick + "await asyncio.sleep(0)\ntick()":                                                "tick",
		tick + "asyncio.ensure_future(tick())\nprint('end')":                                   "end\ntick",
		tick + "asyncio.gather(tick(), tick())\nprint('end')":                                  "end\ntick\ntick",
		tick + "asyncio.create_task(tick(1))\nawait asyncio.sleep(0)\nprint('end')":            "end\ntick\ntick",
		tick + "await asyncio.sleep(0)\nasyncio.run(tick())\nprint('end')\nawait tick()":       "tick\nend\ntick",
		tick + "asyncio.get_event_loop().run_until_complete(tick())\nprint('end')":             "tick\nend",
		tick + "asyncio.create_task(asyncio.sleep(10**9))\nprint('end')":                       "end",
		tick + "asyncio.create_task(tick(1)).cancel()\nprint('end')":                           "end",
		work + "asyncio.create_task(work())\nprint('end')":                                     "end\ntick",
		work + "w = [asyncio.create_task(work()) for _ in range(3)]\nawait q.join()\nprint(0)": "tick\n0",
	} {
		require.Equal(t, want, lines(run(t, code)), code)
	}
	result := run(t, "import asyncio\nasync def f():\n    1 / 0\nasyncio.create_task(f())\n7")
	require.Equal(t, "7", result.Text)
	require.Contains(t, lines(result), "ZeroDivisionError")
	for _, code := range []string{"f()", "7\nawait f()\nf()"} {
		require.Equal(t, "7", run(t, "async def f():\n    return 7\n"+code).Text, code)
	}
	require.Contains(t, run(t, "async def f(): pass\nc = f()\nc").Text, "<coroutine object f",
		"it can be awaited later")
	_, err := tryRun(t, "import asyncio\nawait asyncio.Future()")
	require.ErrorContains(t, err, "waits for something that can never happen")
}

// TestMendsOfTheLibrary has inputs that keep the library of these builds busy for hours. The bound is one of counted
// work.
func TestMendsOfTheLibrary(t *testing.T) {
	const parser = "import html.parser\nclass P(html.parser.HTMLParser):\n    def __getattribute__(self, name):\n" +
		"        if name.startswith('handle_') or name == 'unknown_decl':\n            return lambda *a: print(name, " +
		"*a) if all(len(str(x)) < 99 for x in a) else None\n" +
		"        return super().__getattribute__(name)\np = P()\n"
	for code, want := range map[string]string{
		parser + "p.feed('<![with x]><b>')\np.close()": "handle_comment [with x]\nhandle_starttag b []",
		parser + "p.feed('<![if IE]><!--[if x]><![endif]-->')": "unknown_decl if IE\nhandle_comment [if " +
			"x]><![endif]",
		parser + "p.feed('<![CDATA[a>b]]><!DOCTYPE html><?x y>')": "unknown_decl CDATA[a>b\nhandle_decl DOCTYPE " +
			"html\nhandle_pi x y",
		parser + "p.feed('a<!--b')\np.feed('c-->d')\np.close()": "handle_data a\nhandle_comment bc\nhandle_data d",
		parser + "p.feed('a<!--b')\np.close()":                  "handle_data a\nhandle_comment b",
		parser + "p.feed('1 <a &amp; b')\np.close()":            "handle_data 1 \nhandle_data <a & b",
		parser + "for s in '<!--', '<!', '<![', '<a', '</a', '</', '<?', '<![CDATA[', '<a \"':\n    p.feed(s * " +
			"50000)\n    p.close()\n    p.reset()": "",
		"import csv\ns = csv.Sniffer().sniff\nfor t in '\"a\",\"b\"\\n', \"x; 'y'; z\\nx; 'y'; z\", " +
			"'\"a\"\"b\"|c\\n', 'a\\tb\\nc\\td':\n" +
			"    d = s(t)\n    print(d.delimiter, d.quotechar, d.doublequote, " +
			"d.skipinitialspace)": ", \" False False\n; ' False True\n| \" True False\n\t \" False False",
		"import csv\nfor t in '\"\",' * 9999, '\"\",' * 100 + '\"' * 100 + '0' + '\"' * 100 + '0', ',\"' * 9999, " +
			"'\"\\n' * 9999:\n    try: csv.Sniffer().sniff(t)\n    except csv.Error: pass": "",
	} {
		result, err := tryRun(t, code, python.RunOptions{Limits: sandbox.Limits{Work: 100_000_000}})
		require.NoError(t, err, code)
		require.Equal(t, want, lines(result), code)
	}
}

// TestReplacedStreams is about code that brings its own standard input.
func TestReplacedStreams(t *testing.T) {
	result := run(t, "import io, sys\nsys.stdin = io.StringIO('one\\ntwo')\ninput('? '), input()")
	require.Equal(t, "? ", lines(result))
	require.Equal(t, "('one', 'two')", result.Text)
}

// TestForPackages has what packages want when they are imported.
func TestForPackages(t *testing.T) {
	require.Equal(t, "'localhost'", run(t, "import socket\nsocket.gethostname()").Text)
	require.Equal(t, "(0, 0)", run(t, "import os\nos.getuid(), os.getgid()").Text)
	require.Equal(t, "('localhost', '127.0.0.1', False, 101)", run(t, `import ctypes, email.utils, fcntl, socket
with open('/tmp/lock', 'w') as f:
    fcntl.flock(f, fcntl.LOCK_EX)
with socket.socket() as s:
    s.settimeout(1)
    refused = s.connect_ex(('192.0.2.1', 80))
socket.getfqdn(), socket.gethostbyname('127.0.0.1'), '@' not in email.utils.make_msgid(), refused + 61`).Text)
	result := run(t, "import sqlite3\nclass C(sqlite3.Connection):\n    def __init__(self, *args, **options): "+
		"pass\ntype(sqlite3.connect('', factory=C)).__name__")
	require.Equal(t, "'C'", result.Text)
}
