package python_test

import (
	"testing"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/runtime/python"
)

// TestScratch uses places that programs expect on every system.
func TestScratch(t *testing.T) {
	files := afero.NewMemMapFs()
	options := python.RunOptions{Files: files, Limits: sandbox.Limits{Memory: sandbox.DefaultMemory}}
	for _, code := range []string{ // in this order
		"with open('/tmp/a.txt', 'w') as f:\n    f.write('x' * 100000)\n" +
			"import os\nassert os.listdir('/tmp') == ['a.txt'] and os.stat('/tmp/a.txt').st_size == 100000\n" +
			"assert open('/tmp/a.txt').read() == 'x' * 100000",
		"import os\nassert os.listdir('/tmp') == [] and os.listdir('/') == [], 'it is fresh in each run'",
		"import tempfile, os\nwith tempfile.TemporaryDirectory() as d:\n    open(d + '/x', 'w').close()\n" +
			"    assert d.startswith('/tmp/') and os.listdir(d) == ['x']\nassert not os.path.exists(d)",
		"import tempfile\nwith tempfile.TemporaryFile('w+') as f:\n    f.write('x')\n    f.seek(0)\n" +
			"    assert f.read() == 'x'",
		"import os\nfor path, want in ('/dev/new', PermissionError), ('/tmp/a/b', FileNotFoundError), " +
			"('/tmp', IsADirectoryError):\n    try:\n        open(path, 'w')\n    except want:\n        continue\n" +
			"    raise AssertionError(path)",
		"import os\nassert open('/dev/stdin').read() == '' and os.path.exists('/dev/stdout')",
		"import contextlib, os\nwith open(os.devnull, 'w') as f, contextlib.redirect_stdout(f):\n    print('hid')\n" +
			"assert open('/dev/null').read() == ''",
		"import os, sqlite3\nwith sqlite3.connect('/tmp/a.db') as db:\n    db.execute('create table t (x)')\n" +
			"    db.execute('insert into t values (42)')\n" +
			"assert sqlite3.connect('/tmp/a.db').execute('select x from t').fetchall() == [(42,)]",
		"for name in 'tmp', 'dev':\n    try:\n        __import__(name)\n    except ModuleNotFoundError:\n" +
			"        continue\n    raise AssertionError('they are no packages')",
		"import os\nfrom pathlib import Path\nassert os.path.expanduser('~/a.txt') == '/a.txt'\n" +
			"assert Path.home() == Path('/')",
	} {
		require.Empty(t, lines(run(t, code, options)), code)
		names, err := afero.ReadDir(files, "/")
		require.NoError(t, err)
		require.Empty(t, names, "%s\nleaves nothing in the project", code)
	}

	run(t, "import os, shutil\nopen('/tmp/a.txt', 'w').write('moved')\nos.replace('/tmp/a.txt', '/a.txt')\n"+
		"assert not os.path.exists('/tmp/a.txt')\nshutil.copy('/a.txt', '/tmp/b.txt')\nos.rename('/a.txt', '/tmp/c')\n"+
		"shutil.move('/tmp/c', '/c.txt')", options)
	require.Equal(t, "moved", content(t, files, "/c.txt"))

	_, err := tryRun(t, "with open('/tmp/big', 'wb') as f:\n    for _ in range(200):\n        f.write(bytes(1 << 20))",
		options)
	require.ErrorContains(t, err, "No space left on device")

	require.NoError(t, files.Mkdir("/tmp", 0o700))
	run(t, "open('/tmp/kept', 'w').write('its own')", options)
	require.Equal(t, "its own", content(t, files, "/tmp/kept"), "a project's own /tmp is used")
}

// TestScratchInSessions starts with an empty /tmp for each code of a session, as in all runs.
func TestScratchInSessions(t *testing.T) {
	options := python.RunOptions{Session: true}
	first := run(t, "open('/tmp/a', 'w').write('x')\nf = open('/tmp/b', 'w')", options)
	options.State = first.State
	require.Equal(t, "([], True)", run(t, "import os\nos.listdir('/tmp'), f.closed", options).Text)
}

func TestOwnFile(t *testing.T) {
	require.Equal(t, "('/script.py', '/')", run(t, "import os\n__file__, os.path.dirname(__file__)").Text)
	require.Equal(t, "('/a/b.py', ['a/b.py', 'x'])", run(t, "import sys\n__file__, sys.argv",
		python.RunOptions{Name: "a/b.py", Args: []string{"x"}}).Text)
}

// TestThreads uses threads as programs do that expect several to run.
func TestThreads(t *testing.T) {
	for code, want := range map[string]string{
		"from concurrent.futures import ThreadPoolExecutor, as_completed\n" +
			"with ThreadPoolExecutor(max_workers=4) as ex:\n" +
			"    futures = {ex.submit(pow, n, 2): n for n in range(5)}\n" +
			"    print(sorted(f.result() for f in as_completed(futures)), list(ex.map(str, range(3))))": "" +
			"[0, 1, 4, 9, 16] ['0', '1', '2']",
		"import concurrent.futures as c\nf = c.ThreadPoolExecutor().submit(int, 'x')\n" +
			"print(type(f.exception()).__name__, c.wait([f]).done == {f})": "ValueError True",
		"import threading\ndone = []\nts = [threading.Thread(target=done.append, args=(n,)) for n in range(3)]\n" +
			"for t in ts: t.start()\nfor t in ts: t.join()\n" +
			"print(done, ts[0].is_alive(), threading.active_count())": "[0, 1, 2] False 1",
		"import threading, queue\nq, out = queue.Queue(), []\ndef work():\n    while True:\n        n = q.get()\n" +
			"        out.append(n * n)\n        q.task_done()\n" +
			"for _ in range(3): threading.Thread(target=work, daemon=True).start()\n" +
			"for n in range(4): q.put(n)\nq.join()\nprint(out)": "[0, 1, 4, 9]",
		"import threading, queue\nq, out = queue.Queue(), []\ndef work():\n" +
			"    while (n := q.get()) is not None: out.append(n)\n" +
			"def fill():\n    for n in 1, 2, None: q.put(n)\n" +
			"ts = [threading.Thread(target=f) for f in (work, fill)]\nfor t in ts: t.start()\n" +
			"for t in ts: t.join()\nprint(out)": "[1, 2]",
		"import threading\ne = threading.Event()\nthreading.Thread(target=e.set).start()\nprint(e.wait())": "True",
		"import threading\nprint(threading.Event().wait(0.001))":                                           "False",
		"import threading\nthreading.Thread(target=print, args=['later']).start()\nprint(1)":               "1\nlater",
		"import threading\nthreading.Timer(0.001, print, ['rang']).start()":                                "rang",
		"import threading\nn, lock = 0, threading.Lock()\ndef add():\n    global n\n    with lock: n += 1\n" +
			"ts = [threading.Thread(target=add) for _ in range(300)]\nfor t in ts: t.start()\n" +
			"for t in ts: t.join()\nprint(n, threading.current_thread() is threading.main_thread())": "300 True",
		"import threading\ndef fail(): 1 / 0\nt = threading.Thread(target=fail)\nt.start()\nt.join()\n" +
			"import sys\nsys.stderr.flush()": "ERROR Exception in thread Thread-1 (fail):\n" +
			"ERROR Traceback (most recent call last):\n",
	} {
		result := run(t, code)
		require.Contains(t, lines(result), want, code)
		require.NotContains(t, lines(result), "toolrun", code)
	}
}

// TestDropped has results that say nothing by themselves, and are not what was meant.
func TestDropped(t *testing.T) {
	for code, want := range map[string]string{
		"async def main():\n    print('x')":         "The code defines main, and calls nothing.",
		"import os\ndef f(): pass\ndef g(): pass\n": "The code defines f, g, and calls nothing.",
		"lambda: 1": "The result is a function, which was not called.",
		"async def f(): pass\n[f() for _ in range(2)]":   "write: await asyncio.gather(*...)",
		"def f(): pass\nf()":                             "",
		"async def f(): pass\nf()":                       "",
		"x = 1":                                          "",
		"import asyncio\nasync def f(n): return n\nf(1)": "",
	} {
		result := run(t, code)
		if want == "" {
			require.Empty(t, result.Console, code)
			continue
		}
		require.Len(t, result.Console, 1, code)
		require.Equal(t, sandbox.LevelError, result.Console[0].Level)
		require.Contains(t, result.Console[0].Text, want, code)
	}
	result := run(t, "def f(): pass", python.RunOptions{Session: true})
	require.Empty(t, result.Console, "later code of the session can call it")
}
