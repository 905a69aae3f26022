package python_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/test/enginetest"
	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/runtime/python"
)

// stateKey seals states.
var stateKey = []byte("0123456789abcdef")

// session runs code of a session.
func session(t testing.TB, state *sandbox.State, code string, options ...python.RunOptions) (*python.Result, error) {
	t.Helper()
	o := python.RunOptions{}
	if len(options) > 0 {
		o = options[0]
	}
	o.Session, o.State = true, state
	return tryRun(t, code, o)
}

// A step is code of a session, and its result or the text of its error.
type step struct{ code, want string }

func TestSessions(t *testing.T) {
	needPython(t)
	for name, steps := range map[string][]step{
		"variables stay": {
			{"n = 1\nitems = [1, 2]\ndef inc():\n    global n\n    n += 1\n    return n\nclass C:\n    x = n", ""},
			{"inc(); items.append(3); (n, items, C().x)", "(2, [1, 2, 3], 1)"},
			{"inc()", "3"},
			{"del inc\n'inc' in globals(), __name__", "(False, '__main__')"},
		},
		"a later definition takes the place of an earlier one": {
			{"a = 1\ndef b(): return 1\nclass c: n = 1", ""},
			{"def a(): return 2\nclass b: n = 2\nc = 2\n(a(), b.n, c)", "(2, 2, 2)"},
		},
		"imports": {
			{"import json as j, os.path\nfrom collections import Counter", ""},
			{"j.dumps(Counter('aab')), os.path.join('a', 'b')", `('{"a": 2, "b": 1}', 'a/b')`},
		},
		"closures, generators and coroutines": {
			{"def counter():\n    n = 0\n    def up():\n        nonlocal n\n        n += 1\n        return n\n    " +
				"return up\nup = counter(); up()\ng = (x * x for x in range(9)); next(g)\nasync def f(): return " +
				"up()\nwaiting = f()", ""},
			{"up(), next(g), await waiting", "(2, 1, 3)"},
			{"next(g), next(g)", "(4, 9)"},
		},
		"the module random goes on": {
			{"import random\nrandom.seed(1)\nfirst = random.random()", ""},
			{"second = random.random()\nrandom.seed(1)\n(first, second) == (random.random(), random.random())", "True"},
		},
		"databases in memory": {
			{"import sqlite3\ndb = sqlite3.connect(':memory:')\ndb.execute('create table t (x)')\ndb.execute('insert " +
				"into t values (5)')\nNone", ""},
			{"db.execute('select x from t').fetchall()", "[(5,)]"},
		},
		"tasks go on while later code awaits": {
			{"import asyncio\nasync def tick():\n    for n in range(3):\n        await asyncio.sleep(0.001)\n        " +
				"ticks.append(n)\nticks = []\ntask = asyncio.create_task(tick())\nawait asyncio.sleep(0)", ""},
			{"ticks, task.done()", "([], False)"},
			{"await task\nticks", "[0, 1, 2]"},
			{"asyncio.run(asyncio.sleep(0, 'another loop'))", "'another loop'"},
		},
		"events wake those who wait": {
			{"import asyncio\nevent, queue = asyncio.Event(), asyncio.Queue()\nasync def wait():\n    await " +
				"event.wait()\n    return await queue.get()\ntask = asyncio.create_task(wait())\nawait " +
				"asyncio.sleep(0)", ""},
			{"event.set(); queue.put_nowait('ok')\nawait task", "'ok'"},
		},
		"working directory, environment and context": {
			{"import os, contextvars, decimal\nos.environ['A'] = 'b'\nv = contextvars.ContextVar('v', " +
				"default=1)\nv.set(2)\ndecimal.getcontext().prec = 5", ""},
			{"os.environ['A'], v.get(), decimal.Decimal(1) / 3", "('b', 2, Decimal('0.33333'))"},
		},
		"exit functions do not run, as a session does not end": {
			{"import atexit\nran = False\ndef end():\n    global ran\n    ran = True\natexit.register(end)\nNone", ""},
			{"ran", "False"},
		},
		"sys.exit(0)": {
			{"import sys\nx = 1\nsys.exit()", ""},
			{"x", "1"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			var state *sandbox.State
			for _, s := range steps {
				result, err := session(t, state, s.code)
				require.NoError(t, err, s.code)
				require.Equal(t, s.want, result.Text, s.code)
				require.Empty(t, lines(result))
				require.NotNil(t, result.State)
				state = result.State
			}
		})
	}
	result := run(t, "1", python.RunOptions{})
	require.Nil(t, result.State)
}

func TestSessionsKeepNothingOfFailures(t *testing.T) {
	begun, err := session(t, nil, "n = 1\ndef f(): f()")
	require.NoError(t, err)
	for name, c := range map[string]step{
		"raised":        {"n = 2\n1 / 0", "ZeroDivisionError"},
		"syntax":        {"n = 2\nlet = ;", "SyntaxError"},
		"exit":          {"n = 2\nimport sys\nsys.exit(3)", "3"},
		"recursion":     {"n = 2\nf()", "RecursionError"},
		"waits":         {"n = 2\nimport asyncio\nawait asyncio.Future()", "never"},
		"too much work": {"n = 2\nwhile True: pass", "work limit"},
	} {
		t.Run(name, func(t *testing.T) {
			result, err := session(t, begun.State, c.code, python.RunOptions{Limits: sandbox.Limits{Work: 5_000_000}})
			require.ErrorContains(t, err, c.want)
			require.Nil(t, result.State)
			result, err = session(t, begun.State, "n")
			require.NoError(t, err)
			require.Equal(t, "1", result.Text)
		})
	}
	result, err := session(t, begun.State, "import os\nn = 2\nos._exit(0)")
	require.NoError(t, err)
	require.Nil(t, result.State, "the code was stopped in the middle")
}

func TestSessionsHaveTheFunctionsOfTheirRuns(t *testing.T) {
	give := func(names ...string) python.RunOptions {
		o := python.RunOptions{}
		for _, name := range names {
			o.Functions = append(o.Functions, python.Function{
				Name: name, Call: func(context.Context, []any, map[string]any) (any, error) {
					return "I am " + name, nil
				},
			})
		}
		return o
	}
	first, err := session(t, nil, "b = tools.b\nb()", give("tools.a", "tools.b"))
	require.NoError(t, err)
	require.Equal(t, "'I am tools.b'", first.Text)
	second, err := session(t, first.State, "tools.c(), b(), await tools.b()", give("tools.c", "tools.b"))
	require.NoError(t, err)
	require.Equal(t, "('I am tools.c', 'I am tools.b', 'I am tools.b')", second.Text)
	third, err := session(t, second.State, "try:\n    b()\nexcept RuntimeError as e:\n    x = str(e)\nx, e if 0 else 1",
		give("tools.c"))
	require.NoError(t, err)
	require.Equal(t, "('tools.b is not there any more', 1)", third.Text)
	fourth, err := session(t, third.State, "b is tools.b, await b(), other()", give("tools.b", "other"))
	require.NoError(t, err)
	require.Equal(t, "(True, 'I am tools.b', 'I am other')", fourth.Text)
	begun, err := session(t, nil, "tools = 5")
	require.NoError(t, err)
	later, err := session(t, begun.State, "tools.a()", give("tools.a"))
	require.NoError(t, err)
	require.Equal(t, "'I am tools.a'", later.Text)
}

func TestSessionsKnowTheirCode(t *testing.T) {
	first, err := session(t, nil, "def fail(x):\n    return x['missing']")
	require.NoError(t, err)
	_, err = session(t, first.State, "\n\nfail({})")
	var script *python.ScriptError
	require.ErrorAs(t, err, &script)
	require.Equal(t, "script-2.py", script.File)
	require.Equal(t, 3, script.Line)
	require.Contains(t, script.Traceback, "File \"script-2.py\", line 3, in <module>\n    fail({})")
	require.Contains(t, script.Traceback, "File \"script.py\", line 2, in fail\n    return x['missing']")
	second, err := session(t, first.State, "1")
	require.NoError(t, err)
	_, err = session(t, second.State, "let = ;")
	require.ErrorAs(t, err, &script)
	require.Equal(t, "script-3.py", script.File)
}

func TestFilesOfSessions(t *testing.T) {
	files := afero.NewMemMapFs()
	o := python.RunOptions{Files: files}
	require.NoError(t, afero.WriteFile(files, "/lib/python/pack.py", []byte("made = []\ndef use(): made.append(1); "+
		"return len(made)"), 0o644))
	first, err := session(t, nil, "import pack, os, sqlite3\npack.use()\nf = open('a.txt', 'w')\nf.write('text')\nfd "+
		"= os.open('b.txt', os.O_CREAT | os.O_WRONLY)\nos.write(fd, b'raw')\n"+
		"db = sqlite3.connect('c.db')\ndb.execute('create table t (x)')\ndb.commit()\nlisting = "+
		"os.scandir('/')\nos.mkdir('sub')\nos.chdir('sub')", o)
	require.NoError(t, err)
	for name, want := range map[string]string{"/a.txt": "text", "/b.txt": "raw"} {
		data, err := afero.ReadFile(files, name)
		require.NoError(t, err)
		require.Equal(t, want, string(data))
	}
	second, err := session(t, first.State, `
def told(f):
    try: return f()
    except Exception as e: return str(e)
open('d.txt', 'w').close()
pack.use(), told(lambda: f.write('more')), told(lambda: db.execute('select 1')), \
    os.listdir('/sub'), told(lambda: sqlite3.connect('/c.db').execute('select count(*) from t').fetchone())`, o)
	require.NoError(t, err)
	require.Equal(t, "(2, 'I/O operation on closed file.', 'Cannot operate on a closed database.', ['d.txt'], (0,))",
		second.Text)
}

func TestInputOfSessions(t *testing.T) {
	first, err := session(t, nil, "input()", stdin("a\nb\n"))
	require.NoError(t, err)
	require.Equal(t, "'a'", first.Text)
	second, err := session(t, first.State, "input()", stdin("c\n"))
	require.NoError(t, err)
	require.Equal(t, "'c'", second.Text)
	_, err = session(t, second.State, "input()")
	require.ErrorContains(t, err, "nobody to ask")
}

func TestSessionsGoOnInOtherProcesses(t *testing.T) {
	t.Parallel()
	result, err := session(t, nil, "import re, datetime, dataclasses\nbig = 'x' * "+
		"10**6\n@dataclasses.dataclass\nclass K:\n    v: dict\nk = K({'k': [1, re.compile('r')]})\nwhen = "+
		"datetime.datetime(2020, 1, 2)")
	require.NoError(t, err)
	sealed, err := result.State.Seal(stateKey, 0)
	require.NoError(t, err)
	t.Log(len(sealed), "bytes,", result.State.Bytes(), "of memory")
	state, err := other(t).OpenState(sealed, stateKey, sandbox.DefaultMemory)
	require.NoError(t, err)
	for range 2 { // a state can be used more than once
		result, err := other(t).Run(t.Context(), "len(big), isinstance(k, K), k.v['k'][1].sub('s', 'rr'), str(when)",
			&python.RunOptions{Session: true, State: state})
		require.NoError(t, err)
		require.Equal(t, "(1000000, True, 'ss', '2020-01-02 00:00:00')", result.Text)
	}
}

// other returns an interpreter of another engine, which has made an image of its own, as in another process.
func other(t testing.TB) *python.Interpreter {
	needPython(t)
	found, err := otherInterpreter()
	require.NoError(t, err)
	return found
}

var (
	otherInterpreter = sync.OnceValues(newOther)
	otherEngine      *sandbox.Engine
)

func newOther() (*python.Interpreter, error) {
	dir, err := os.MkdirTemp("", "toolrun-python-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	compiled, err := filepath.Glob(filepath.Join(enginetest.CacheDir(), "engine-*"))
	if err != nil {
		return nil, err
	}
	for _, entry := range compiled {
		_ = filepath.WalkDir(entry, func(path string, d os.DirEntry, err error) error {
			if err != nil { // other tests are making it, or removing it
				return nil
			}
			to := filepath.Join(dir, strings.TrimPrefix(path, enginetest.CacheDir()))
			if d.IsDir() {
				return os.Mkdir(to, 0o700)
			}
			return os.Link(path, to)
		})
	}
	if otherEngine, err = sandbox.New(&sandbox.EngineOptions{CacheDir: dir}); err != nil {
		return nil, err
	}
	return python.New(context.Background(), otherEngine, python.FromBytes(module))
}

func TestVariablesOfSessions(t *testing.T) {
	first, err := session(t, nil, "import json as j\nn = 1.5\ntext = 'a\\n' + 'x' * 100\nitems = {'a': 1}\ndef f(): "+
		"pass\nclass C:\n    def __len__(self): raise ValueError\nc = C()\nnone = None\ntype = len = 5\nbig = 10 ** "+
		"5000")
	require.NoError(t, err)
	variables, err := interpreter.Variables(t.Context(), first.State, sandbox.Limits{})
	require.NoError(t, err)
	require.Equal(t, []sandbox.Variable{
		{Name: "C", Value: "class"}, {Name: "big", Value: "int"}, {Name: "c", Value: "C"},
		{Name: "f", Value: "function"}, {Name: "items", Value: "dict(1)"},
		{Name: "j", Value: "module"}, {Name: "len", Value: "5"}, {Name: "n", Value: "1.5"},
		{Name: "none", Value: "None"},
		{Name: "text", Value: `'a\n` + strings.Repeat("x", 58) + `…'`}, {Name: "type", Value: "5"},
	}, variables)
	second, err := session(t, first.State, "n, '__describe' in globals()")
	require.NoError(t, err)
	require.Equal(t, "(1.5, False)", second.Text, "looking at variables changes none")
}
