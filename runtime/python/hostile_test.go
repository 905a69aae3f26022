package python_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/runtime/python"
)

// hostile is code that wants to run for ever, take everything, or break out.
var hostile = []struct {
	name, code string
	want       any // the limit, or the type of the exception, or nil if the run may succeed; "crash" for a crash
}{
	{"an endless loop", "while True: pass", sandbox.LimitTime},
	{"an endless loop in C", "sum(iter(int, 1))", sandbox.LimitTime},
	{"an endless generator", "import itertools\nlist(x for x in itertools.count() if False)", sandbox.LimitTime},
	{"an endless loop of a deque", "import itertools, collections\ncollections.deque(itertools.cycle('a'), 0)",
		sandbox.LimitTime},
	{"a loop that catches everything",
		"while True:\n  try:\n    while True: pass\n  except BaseException: pass\n  finally: continue",
		sandbox.LimitTime},
	{"a finally that loops", "try:\n  1 / 0\nfinally:\n  while True: pass", sandbox.LimitTime},
	{"a regular expression", "import re\nre.match('(a+)+$', 'a' * 50 + 'b')", sandbox.LimitTime},
	{"a large power", "10**10**8", sandbox.LimitTime},
	{"digits of a large number", "import sys\nsys.set_int_max_str_digits(0)\nstr(1 << 10**7)", sandbox.LimitTime},
	{"a string search", "('a' * 10**6).find('a' * 10**5 + 'b' + 'a' * 10**5)\nfor i in range(10**9): ('ab' * 10**6 + " +
		"'b').count('b' * 10**3 + 'a')", sandbox.LimitTime},
	{"a recursive query", "import sqlite3\nsqlite3.connect(':memory:').execute('with recursive t(x) as (select 1 " +
		"union all select x + 1 from t) select count(*) from t').fetchall()", sandbox.LimitTime},
	{"sleep", "import time\ntime.sleep(10**9)", sandbox.LimitTime},
	{"an async sleep", "import asyncio\nawait asyncio.sleep(10**6)", sandbox.LimitTime},
	{"a flood of output", "while True: print('a line of the flood')", sandbox.LimitTime},
	{"an exit function that loops", "import atexit\n@atexit.register\ndef f():\n  while True: pass", sandbox.LimitTime},
	{"a destructor that loops", "class A:\n  def __del__(self):\n    while True: pass\nA()\n1", sandbox.LimitTime},
	{"an exception that cannot be shown", "class E(Exception):\n  def __str__(self):\n    while True: pass\nraise E",
		sandbox.LimitTime},
	{"a result that cannot be shown", "class E:\n  def __repr__(self):\n    while True: pass\nE()", sandbox.LimitTime},
	{"a sort", "import random\nclass A:\n  def __lt__(self, other): return random.random() < 0.5\nwhile True: " +
		"sorted([A() for i in range(1000)])", sandbox.LimitTime},
	{"compression of zeros", "import zlib\nz = zlib.compress(bytes(10**6))\nwhile True: zlib.decompress(z)",
		sandbox.LimitTime},

	{"a large list", "x = [0] * 10**8", sandbox.LimitMemory},
	{"a growing list", "x = []\nwhile True: x.append(bytearray(10**6))", sandbox.LimitMemory},
	{"a growing string", "x = 'x'\nwhile True: x += x", sandbox.LimitMemory},
	{"a growing generator", "list(iter(int, 1))", sandbox.LimitMemory},
	{"many small objects", "x = None\nwhile True: x = (x, {}, [])", sandbox.LimitMemory},
	{"memory in an exception", "def f(): x = bytearray(3 * 10**7); f()\nf()", sandbox.LimitMemory},
	{"a bomb of an archive", "import zlib\nz = zlib.compress(bytes(10**7))\nx = []\nwhile True: " +
		"x.append(zlib.decompress(z))", sandbox.LimitMemory},
	{"more than there can be", "'x' * 10**10", "OverflowError"},
	{"much more than the limit", "'x' * 2**30", sandbox.LimitMemory},
	{"as much as there can be", "'x' * (2**31 - 100)", noMemory},

	{"recursion", "def f(): f()\nf()", "RecursionError"},
	{"recursion without a limit", "import sys\nsys.setrecursionlimit(2**31 - 1)\ndef f(): f()\nf()", nil},
	{"recursion in C", "class A:\n  def __repr__(self): return repr(self)\nrepr(A())", "RecursionError"},
	{"recursion in C without a limit", "import sys\nsys.setrecursionlimit(2**31 - 1)\nclass A:\n  def " +
		"__getattr__(self, n): return getattr(self, n + 'x')\nA().x", nil},
	{"nested data", "x = []\nfor i in range(10**5): x = [x]\nrepr(x)", "RecursionError"},
	{"nested data that is freed", "x = []\nfor i in range(10**5): x = [x]\ndel x\n1", nil},
	{"nested source", "eval('(' * 10**5 + ')' * 10**5)", nil},
	{"nested JSON", "import json\njson.loads('[' * 10**5)", "RecursionError"},
	{"nested arithmetic", "eval('-' * 10**5 + '1')", nil},
	{"recursion in a regular expression", "import re\nre.compile('(' * 5000 + ')' * 5000)", nil},
	{"a chain of maps", "x = iter([1])\nfor i in range(10**5): x = map(abs, x)\nnext(x)", deep},

	{"a fork", "import os\nos.fork()", "AttributeError"},
	{"a signal handler", "import signal\nsignal.signal(signal.SIGINT, lambda *a: None)\nwhile True: pass", nil},
	{"a pickle", "import pickle\npickle.loads(b'cos\\nsystem\\n(S\"ls\"\\ntR.')", "AttributeError"},
	{"code made by hand", "f = (lambda: 0).__code__\neval(f.replace(co_code=bytes(range(256)) * 8, co_stacksize=1))",
		nil},
	{"code that reads beyond its constants",
		"f = (lambda: 0).__code__\neval(f.replace(co_code=b'\\x64\\xff' * 100, co_consts=()))", nil},
	{"an abort", "import os\nos.abort()", "crash"},
	{"a wild request", "import time\nfor i in range(0, 2**31, 10**7): time.clock_getres(i)", nil},
	{"requests of its own", "import time, gc, struct\nf = [o for o in gc.get_referrers(time) if isinstance(o, dict) " +
		"and 'ask' in o]\nask = eval('ask', f[0]) if f else None\nfor op in 'RFBTVQXEZCOH?':\n  for size in (0, 1, " +
		"3, 4, 5, 20, 99):\n    if ask: ask(op.encode(), b'\\xff' * size)", nil},
	{"without builtins", "import builtins\nfor name in list(vars(builtins)): delattr(builtins, name)", nil},
	{"without modules", "import sys\nsys.modules.clear()\n1", nil},
	{"a closed console", "import sys, os\nfor f in (sys.stdout, sys.stderr, sys.stdin): f.close()\nfor i in " +
		"range(20):\n  try: os.close(i)\n  except OSError: pass\n1", nil},
	{"tracing", "import sys\ndef t(*a):\n  while True: pass\nsys.settrace(t)\n(lambda: 0)()", sandbox.LimitTime},
}

// noMemory is wanted of code that asks for so much that some builds' C library refuses it before it asks the host.
const noMemory refusal = "no memory"

type refusal string

// deep is wanted of recursion in C code for which the stack of optimised builds suffices.
const deep recursion = "deep"

type recursion string

// TestHostileCode is over within its limits, and leaves a sandbox for the next run.
func TestHostileCode(t *testing.T) {
	needPython(t)
	for _, test := range hostile {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			limits := sandbox.Limits{Time: 150 * time.Millisecond, Memory: 80 << 20, Output: 64 << 10}
			if test.want != sandbox.LimitTime {
				limits.Time, limits.Work = patience, 300_000_000
			}
			if test.want == nil {
				limits.Work = 20_000_000
			}
			result, err := interpreter.Run(context.Background(), test.code, &python.RunOptions{Limits: limits})
			require.True(t, err == nil || python.IsScriptFailure(err), "%v", err)
			require.LessOrEqual(t, result.Usage.Memory, limits.Memory)
			limit, limited := errors.AsType[*sandbox.LimitError](err)
			script, raised := errors.AsType[*python.ScriptError](err)
			_, crashed := errors.AsType[*sandbox.CrashError](err)
			switch want := test.want.(type) {
			case sandbox.Limit:
				require.True(t, limited, "%v", err)
				require.Equal(t, want, limit.Limit)
			case refusal:
				require.True(t, limited && limit.Limit == sandbox.LimitMemory || raised && script.Type == "MemoryError",
					"%v", err)
			case recursion:
				require.True(t, err == nil || limited && limit.Limit == sandbox.LimitRecursion, "%v", err)
			case string:
				require.True(t, want == "crash" && crashed || raised && script.Type == want, "%T: %v", err, err)
			}
			require.Equal(t, "42", run(t, "6 * 7").Text)
		})
	}
}

// TestWhatALimitLeaves keeps what was printed before a run was stopped.
func TestWhatALimitLeaves(t *testing.T) {
	result, err := tryRun(t, "print('before')\nwhile True: pass",
		python.RunOptions{Limits: sandbox.Limits{Work: 1_000_000}})
	limit, ok := errors.AsType[*sandbox.LimitError](err)
	require.True(t, ok, "%v", err)
	require.Equal(t, sandbox.LimitWork, limit.Limit)
	require.Equal(t, "before", lines(result))

	result, err = tryRun(t, "try:\n  x = bytearray(10**9)\nexcept MemoryError:\n  print('caught')\n6 * 7")
	require.NoError(t, err, "code may catch it")
	require.Equal(t, "42", result.Text)
	require.Equal(t, "caught", lines(result))

	_, err = tryRun(t, "raise MemoryError")
	_, ok = errors.AsType[*python.ScriptError](err)
	require.True(t, ok, "not a limit: %v", err)

	_, err = tryRun(t, "1", python.RunOptions{Limits: sandbox.Limits{Memory: 8 << 20}})
	limit, ok = errors.AsType[*sandbox.LimitError](err)
	require.True(t, ok, "Python itself needs more: %v", err)
	require.Equal(t, sandbox.LimitMemory, limit.Limit)

	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
	defer cancel()
	_, err = interpreter.Run(ctx, "import time\ntime.sleep(100)", nil)
	stopped, ok := errors.AsType[*sandbox.StoppedError](err)
	require.True(t, ok, "%v", err)
	require.ErrorIs(t, stopped, context.DeadlineExceeded)
	require.False(t, python.IsScriptFailure(err))
}
