package python_test

import (
	"context"
	"testing"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/runtime/python"
)

func content(t testing.TB, files afero.Fs, name string) string {
	data, err := afero.ReadFile(files, name)
	require.NoError(t, err)
	return string(data)
}

func TestFiles(t *testing.T) {
	files := afero.NewMemMapFs()
	options := python.RunOptions{Files: files}
	require.NoError(t, afero.WriteFile(files, "/data/in.csv", []byte("name,n\na,1\nb,2\n"), 0o600))
	require.NoError(t, files.MkdirAll("/lib/python/pkg", 0o700))
	require.NoError(t, afero.WriteFile(files, "/lib/python/pkg/__init__.py", []byte("def double(x):\n    return x * "+
		"2\n"), 0o600))
	require.NoError(t, afero.WriteFile(files, "/helper.py", []byte("import pkg\n\ndef fail():\n    return 1 / 0\n"),
		0o600))

	for code, want := range map[string]string{
		"open('/data/in.csv').read()": `'name,n\na,1\nb,2\n'`,
		"import csv\nlist(csv.DictReader(open('data/in.csv')))": "[{'name': 'a', 'n': '1'}, " +
			"{'name': 'b', 'n': '2'}]",
		"import os\nos.getcwd(), sorted(os.listdir())": "('/', ['data', 'helper.py', 'lib'])",
		"import os\n[(d, sorted(n), f) for d, n, f in os.walk('/lib')]": "[('/lib', ['python'], []), " +
			"('/lib/python', ['pkg'], []), ('/lib/python/pkg', [], ['__init__.py'])]",
		"from pathlib import Path\nsorted(map(str, Path('/').glob('**/*.py')))": "['/helper.py', " +
			"'/lib/python/pkg/__init__.py']",
		"import pkg\npkg.double(21)":          "42",
		"import helper\nhelper.pkg.double(4)": "8",
		"import sys\nsys.path[-2:]":           "['/lib/python', '/']",
		"try:\n    open('/nowhere')\nexcept FileNotFoundError as e:\n    x = str(e)\nx": `"[Errno 44] No ` +
			`such file or directory: '/nowhere'"`,
	} {
		require.Equal(t, want, run(t, code, options).Text, code)
	}

	require.NoError(t, afero.WriteFile(files, "/one/pkg.py", []byte("name = 'one'"), 0o600))
	require.NoError(t, afero.WriteFile(files, "/two/pkg.py", []byte("name = 'two'"), 0o600))
	require.Equal(t, "('two', ['/two', '/one', '/'], False)", run(t,
		"import pkg, sys\npkg.name, sys.path[-3:], '/lib/python' in sys.path",
		python.RunOptions{Files: files, Libraries: []string{"/two", "/one"}}).Text)
	require.NoError(t, files.RemoveAll("/one"))
	require.NoError(t, files.RemoveAll("/two"))

	run(t, "with open('/out/a.txt', 'w') as f: f.write('x')", python.RunOptions{Files: newDir(t, files, "/out")})
	require.Equal(t, "x", content(t, files, "/out/a.txt"))
	run(t, "f = open('/out/b.txt', 'w')\nf.write('left open')\nx = [f]\nx.append(x)", options)
	require.Equal(t, "left open", content(t, files, "/out/b.txt"))
	_, err := tryRun(t, "f = open('/out/c.txt', 'w')\nf.write('left open')\n1 / 0", options)
	require.True(t, python.IsScriptFailure(err), "%v", err)
	require.Equal(t, "left open", content(t, files, "/out/c.txt"))
	run(t, "import sqlite3\ndb = sqlite3.connect('/out/t.db')\ndb.execute('create table t (x)')\ndb.execute('insert "+
		"into t values (42)')\ndb.commit()", options)
	require.Equal(t, "[(42,)]", run(t,
		"import sqlite3\nsqlite3.connect('/out/t.db').execute('select x from t').fetchall()", options).Text)
	run(t, "import shutil, os, tempfile\nshutil.move('/out/a.txt', '/out/d.txt')\nos.remove('/out/b.txt')\nwith "+
		"tempfile.TemporaryDirectory(dir='/out') as d: open(d + '/x', 'w').write('x')", options)
	require.Equal(t, "['c.txt', 'd.txt', 't.db']", run(t, "import os\nsorted(os.listdir('/out'))", options).Text)

	_, err = tryRun(t, "import helper\nhelper.fail()", options)
	require.EqualError(t, err, `Traceback (most recent call last):
  File "script.py", line 2, in <module>
    helper.fail()
  File "/helper.py", line 4, in fail
    return 1 / 0
           ~~^~~
ZeroDivisionError: division by zero`)
	require.Equal(t, "['data', 'helper.py', 'lib', 'out']", run(t, "import os\nsorted(os.listdir('/'))", options).Text,
		"no __pycache__, no temporary files")

	_, err = tryRun(t, "open('/x', 'w')")
	require.ErrorContains(t, err, "PermissionError", "without files, nothing can be written")
}

func newDir(t testing.TB, files afero.Fs, name string) afero.Fs {
	require.NoError(t, files.MkdirAll(name, 0o700))
	return files
}

// TestDatabases has SQLite sort more than fits into its memory, and meet a lock that a stopped run has left behind.
func TestDatabases(t *testing.T) {
	t.Parallel()
	files := afero.NewMemMapFs()
	options := python.RunOptions{Files: files}
	result := run(t, `import sqlite3
db = sqlite3.connect('/t.db')
db.execute('pragma cache_size = 10')
db.execute('create table t (a, b)')
db.executemany('insert into t values (?, ?)', ((i * 7919 % 5000, 'x' * 300) for i in range(3000)))
db.execute('create temp table s as select * from t order by b, a')
db.execute('create index i on t (b, a)')
db.commit()
db.execute('vacuum')
db.execute('select count(*) from s').fetchone(), db.execute('pragma integrity_check').fetchone()`, options)
	require.Equal(t, "((3000,), ('ok',))", result.Text)

	// A run that ends or is stopped within a transaction locks out nobody, and what it has not committed is undone.
	for _, end := range []string{"", "while True: db.execute('insert into t select * from t limit 10')", "1 / 0",
		"import os\nos._exit(1)"} {
		_, err := tryRun(t, "import sqlite3\ndb = sqlite3.connect('/t.db')\ndb.execute('pragma cache_size = "+
			"5')\ndb.execute(\"update t set b = 'y' || b\")\n"+end,
			python.RunOptions{Files: files, Limits: sandbox.Limits{Work: 100_000_000}})
		require.True(t, err == nil || python.IsScriptFailure(err), "%v", err)
		require.Equal(t, "[(3000, 'ok')]", run(t, "import sqlite3\ndb = sqlite3.connect('/t.db', timeout=0)\nok = "+
			"db.execute('pragma integrity_check').fetchone()[0]\n"+
			"db.execute(\"select count(*), ? from t where b like 'x%'\", [ok]).fetchall()", options).Text, end)
	}

	// So does one that was connected before.
	connected, stopped := make(chan struct{}), make(chan struct{})
	wait := func(context.Context, []any, map[string]any) (any, error) {
		close(connected)
		<-stopped
		return nil, nil
	}
	ended := make(chan *python.Result, 1)
	go func() {
		result, err := interpreter.Run(context.Background(),
			"import sqlite3\ndb = sqlite3.connect('/t.db')\ncount = \"select count(*) from t where b like 'x%'\"\n"+
				"first = db.execute(count).fetchone()\nwait()\nfirst == db.execute(count).fetchone(), "+
				"db.execute('pragma integrity_check').fetchone()[0]",
			&python.RunOptions{Files: files, Functions: []python.Function{{Name: "wait", Call: wait}}})
		assert.NoError(t, err)
		ended <- result
	}()
	<-connected
	_, err := tryRun(t, "import os, sqlite3\ndb = sqlite3.connect('/t.db')\ndb.execute('pragma cache_size = "+
		"5')\ndb.execute(\"update t set b = 'y' || b\")\nos._exit(1)", options)
	require.Error(t, err)
	close(stopped)
	require.Equal(t, "(True, 'ok')", (<-ended).Text)

	require.NoError(t, files.Mkdir("/t.db.lock", 0o700))
	_, err = tryRun(t, "import sqlite3\nsqlite3.connect('/t.db', timeout=0).execute('select count(*) from "+
		"t').fetchone()", options)
	require.ErrorContains(t, err, "database is locked")
	require.ErrorContains(t, err, "remove the folder with os.rmdir")
	require.Equal(t, "(3000,)", run(t, "import os, sqlite3\nos.rmdir('/t.db.lock')\n"+
		"sqlite3.connect('/t.db').execute('select count(*) from t').fetchone()", options).Text)
}

// TestDuplicates has numbers of files as POSIX has them: those of one file share its position, and it is closed with
// the last one.
func TestDuplicates(t *testing.T) {
	if !isFromSource(t) {
		t.Skip("the build gives files numbers of its own")
	}
	files := afero.NewMemMapFs()
	require.NoError(t, afero.WriteFile(files, "/a.txt", []byte("abcdef"), 0o600))
	options := python.RunOptions{Files: files}
	for code, want := range map[string]string{
		"g = os.dup(f)\nos.read(f, 2), os.read(g, 2), os.close(f), os.read(g, 9)": "(" +
			"b'ab', b'cd', None, b'ef')",
		"os.dup2(f, 50), os.close(f), os.read(50, 2)":                                           "(50, None, b'ab')",
		"os.dup2(f, f), os.read(f, 2)":                                                          "(4, b'ab')",
		"g = os.open('/a.txt', os.O_RDONLY)\nos.dup2(f, g), os.lseek(g, 0, 1)":                  "(5, 0)",
		"f = open('/a.txt')\ng = os.fdopen(os.dup(f.fileno()))\nf.close()\ng.read()":            "'abcdef'",
		"os.dup(0) == os.dup(1) - 1 == os.dup(2) - 2":                                           "True",
		"tries(os.dup, -1), tries(os.dup, 99), tries(os.dup, 2**40)":                            "(8, 8, 8)",
		"tries(os.dup2, 1, -1), tries(os.dup2, 1, 128), tries(os.dup2, 99, 1)":                  "(8, 8, 8)",
		"tries(os.dup2, 2**40, 1), tries(os.dup2, 1, 2**40)":                                    "(8, 8)",
		"try:\n    while True: last = os.dup(1)\nexcept OSError as e: why = e.errno\nlast, why": "(127, 33)",
		"os.umask(0o077), os.umask(0o022)":                                                      "(18, 63)",
	} {
		code = "import os\ndef tries(f, *a):\n    try: f(*a)\n    except OSError as e: return e.errno\n" +
			"f = os.open('/a.txt', os.O_RDONLY)\n" + code
		require.Equal(t, want, run(t, code, options).Text, code)
	}
	// As pytest captures what code prints.
	result := run(t, `import os, sys, tempfile
kept, into = os.dup(1), tempfile.TemporaryFile(buffering=0)
os.dup2(into.fileno(), 1)
print('captured')
os.write(1, b'this, too')
os.dup2(kept, 1)
os.close(kept)
print('shown')
into.seek(0)
into.read()`, options)
	require.Equal(t, "b'captured\\nthis, too'", result.Text)
	require.Equal(t, "shown", lines(result))
	// What one run leaves is gone in the next, the files of the sandbox's own included.
	run(t, "import os\nos.dup2(os.open('/a.txt', os.O_RDONLY), 0)\nos.dup2(3, 1)\nos.close(2)\n"+
		"for n in range(3, 9): os.dup2(0, n)", options)
	require.Equal(t, "x", lines(run(t, "print('x')", options)))
	require.Equal(t, "abcdef", content(t, files, "/a.txt"))
}
