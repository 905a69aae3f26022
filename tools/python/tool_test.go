package python_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/test/pythontest"
	"github.com/toolrun/toolrun/provider"
	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/runtime"
	py "github.com/toolrun/toolrun/runtime/python"
	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/tools/code"
	"github.com/toolrun/toolrun/tools/filesystem"
	"github.com/toolrun/toolrun/tools/python"
	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/local"
)

func newRegistry(t testing.TB) *registry.Registry {
	t.Helper()
	interpreter := pythontest.New(t, runtime.EngineOptions{})
	language := python.Language
	language.Packages = pythontest.Packages(t)
	load := func(context.Context) (code.Interpreter, error) {
		return python.Interpreter{Interpreter: interpreter}, nil
	}
	r, err := registry.New(code.New(language, load, nil), filesystem.New(), facts, newMeet())
	require.NoError(t, err)
	return r
}

var facts = tool.Func(tool.Spec{Name: "facts", Description: "Knows some facts."},
	func(_ context.Context, in struct {
		About string   `json:",omitempty" jsonschema:"what the facts are about"`
		Kinds []string `json:",omitempty"`
		Exact bool     `json:",omitempty"`
	}, _ tool.Env) (struct {
		N int `json:"n"`
	}, error) {
		return struct {
			N int `json:"n"`
		}{42}, nil
	})

// newMeet returns a tool of which two calls must be under way at the same time.
func newMeet() tool.Tool {
	first := make(chan struct{})
	return tool.Func(tool.Spec{Name: "meet", Description: "Waits for another call."},
		func(ctx context.Context, _ struct{}, _ tool.Env) (string, error) {
			select {
			case first <- struct{}{}:
			case <-first:
			case <-ctx.Done():
				return "", ctx.Err()
			}
			return "met", nil
		})
}

func newEnv(t testing.TB) registry.Env {
	t.Helper()
	project, err := local.NewMemoryStore(nil).Open(t.Context(), "test")
	require.NoError(t, err)
	return registry.Env{Project: "test", Files: project}
}

func run(t testing.TB, r *registry.Registry, env registry.Env, code string) tool.Result {
	t.Helper()
	input, err := json.Marshal(map[string]string{"code": code})
	require.NoError(t, err)
	return r.Dispatch(t.Context(), tool.Call{ID: "call", Tool: python.Name, Input: input}, env)
}

// TestResults shows what models and people read of a call.
func TestResults(t *testing.T) {
	r, env := newRegistry(t), newEnv(t)
	for _, test := range []struct {
		name, code, text string
		report           code.Report // without the console
		data             string      // a part of it
	}{
		{"a value", "6 * 7", "42", code.Report{Text: "42"}, `"value":42`},
		{"a print", "print(6 * 7)", "42", code.Report{Undefined: true}, `"console":[{"level":"LOG","text":"42"}]`},
		{"both", "print('a')\n6 * 7", "a\n=== Result ===\n42", code.Report{Text: "42"}, `"value":42`},
		{"nothing", "x = 1", "Note: the code printed nothing, and it does not end with an expression that has a value.",
			code.Report{Undefined: true}, `"console":[]`},
		{"standard error", "import sys\nprint('a')\nprint('b', file=sys.stderr)", "a\n[stderr] b",
			code.Report{Undefined: true}, `"level":"ERROR"`},
		{"parts of lines", "import sys\nprint('a', end='', flush=True)\nprint('b', end='', flush=True)\nprint('c', " +
			"file=sys.stderr)\nprint('d')",
			"ab\n[stderr] c\nd", code.Report{Undefined: true}, `"unfinished":true`},
		{"an exception", "print('a')\n1 / 0", "a\n=== Error ===\nTraceback (most recent call last):\n  File " +
			"\"script.py\", line 2, in <module>\n    1 / 0\n    ~~^~~\nZeroDivisionError: division by zero",
			code.Report{Text: "Traceback (most recent call last):\n  File \"script.py\", line 2, in <module>\n    " +
				"1 / 0\n    ~~^~~\nZeroDivisionError: division by zero"}, `"kind":"exception","message":`},
		{"a syntax error", "1 +", "  File \"script.py\", line 1\n    1 +\n       ^\nSyntaxError: invalid syntax",
			code.Report{Text: "  File \"script.py\", line 1\n    1 +\n       ^\nSyntaxError: invalid syntax"},
			`"kind":"syntax"`},
		{"an exit", "exit(3)", "the code exited with status 3. Let it end by itself, and raise an exception for a " +
			"failure.",
			code.Report{Exited: true, Status: 3}, `"kind":"exit"`},
		{"code in a fence", "```python\n6 * 7\n```", "42", code.Report{Text: "42"}, `"value":42`},
		{"a heading of its own", "print('=== Result ===')\n1", "=== Result ===\n=== Result ===\n1",
			code.Report{Text: "1"}, `"value":1`},
		{"no data", "object", "<class 'object'>", code.Report{Text: "<class 'object'>"}, `"console":[]`},
	} {
		t.Run(test.name, func(t *testing.T) {
			result := run(t, r, env, test.code)
			require.Equal(t, test.text, result.Text())
			report, ok := python.Language.Report(result)
			require.True(t, ok)
			report.Console = nil
			require.Equal(t, test.report, report)
			require.Contains(t, string(result.Data.(json.RawMessage)), test.data)
		})
	}
}

func TestInput(t *testing.T) {
	r, env := newRegistry(t), newEnv(t)
	for _, input := range []string{`{}`, `{"code": ""}`, `{"code": 1}`} {
		result := r.Dispatch(t.Context(), tool.Call{Tool: python.Name, Input: json.RawMessage(input)}, env)
		require.Equal(t, "Error: code parameter is required and must be a string", result.Text())
	}
	result := r.Dispatch(t.Context(), tool.Call{Tool: python.Name,
		Input: json.RawMessage(`{"code": "1", "timeout": 5}`)}, env)
	require.Equal(t, "1\nNote: these arguments are unknown and were ignored: timeout. The only argument is code.",
		result.Text())
}

// TestFiles works on the files of a project, with all that a project keeps.
func TestFiles(t *testing.T) {
	r, env := newRegistry(t), newEnv(t)
	write(t, env.Files, "/data/in.csv", "a,b\n1,2\n")
	write(t, env.Files, "/old", "x")
	write(t, env.Files, "/memories/note", "x")
	result := run(t, r, env, `
import csv, json, os, sqlite3
rows = list(csv.DictReader(open('data/in.csv')))
os.makedirs('out')
json.dump(rows, open('/out/rows.json', 'w'))
os.remove('/old')
db = sqlite3.connect('/out/rows.db')
db.execute('create table t (a, b)')
db.executemany('insert into t values (:a, :b)', rows)
db.commit()
db.close()
sorted(os.listdir('/'))`)
	require.Equal(t, "['data', 'memories', 'out']\nFiles: created /out/rows.db, /out/rows.json; deleted /old",
		result.Text())
	data, err := afero.ReadFile(env.Files, "/out/rows.json")
	require.NoError(t, err)
	require.Equal(t, `[{"a": "1", "b": "2"}]`, string(data))
	require.Equal(t, "[('1', '2')]", run(t, r, env,
		"import sqlite3\nsqlite3.connect('/out/rows.db').execute('select * from t').fetchall()").Text())
	result = run(t, r, env, "open('/memories/note').read()")
	require.Equal(t, "'x'", result.Text())
	result = run(t, r, env, "open('/memories/note', 'w')")
	require.Contains(t, result.Text(), "OSError: [Errno 69] Read-only file system: '/memories/note'")
	require.True(t, strings.HasPrefix(run(t, r, registry.Env{}, "import os\nos.listdir('/')").Text(), "[]"),
		"no project, no files")
}

// TestPackagesAreKept imports packages of projects in memory and on disk, between which other calls change files.
func TestPackagesAreKept(t *testing.T) {
	interpreter := pythontest.New(t, runtime.EngineOptions{})
	r, err := registry.New(python.New(func(context.Context) (*py.Interpreter, error) { return interpreter, nil }, nil))
	require.NoError(t, err)
	disk, err := local.OpenStore(t.TempDir(), nil)
	require.NoError(t, err)
	for name, store := range map[string]vfs.Store{"memory": local.NewMemoryStore(nil), "disk": disk} {
		project, err := store.Open(t.Context(), "test")
		require.NoError(t, err)
		env := registry.Env{Project: name, Files: project}
		const code = "try:\n    import missing\nexcept ImportError:\n    pass\nfrom pkg.part import v\nimport " +
			"time\nmade = time.time()"
		write(t, env.Files, "/lib/python/pkg/__init__.py", code)
		write(t, env.Files, "/lib/python/pkg/part.py", "v = 1")
		made := run(t, r, env, "import pkg\npkg.made").Text()
		for range 2 {
			require.Equal(t, made+"\nFiles: created /out", run(t, r, env,
				"import pkg\nopen('/out', 'w').close()\npkg.made").Text())
			require.Equal(t, made+"\nFiles: deleted /out", run(t, r, env,
				"import os\nfrom pkg import made\nos.remove('/out')\nmade").Text())
		}
		write(t, env.Files, "/lib/python/pkg/part.py", "v = 2")
		require.Equal(t, "2", run(t, r, env, "from pkg import v\nv").Text())
		require.NotEqual(t, made, run(t, r, env, "import pkg\npkg.made").Text())
		require.NoError(t, project.Close())
	}
	require.Equal(t, 2, interpreter.Engine().Stats().Images, "projects share none")
	require.NoError(t, disk.Close())
}

// TestPictures shows that models get the pictures of code as images, after the text that says where they were.
func TestPictures(t *testing.T) {
	r, env := newRegistry(t), newEnv(t)
	const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
	result := run(t, r, env, "from IPython.display import Image\nimport base64\nprint('a')\n"+
		"Image(data=base64.b64decode('"+png+"'))")
	require.Empty(t, result.Code)
	messages, err := provider.Results(tool.Anthropic, []tool.Result{result})
	require.NoError(t, err)
	require.Contains(t, string(messages), `a\n=== Result ===\n[picture 1: PNG, 1 by 1 pixels]`)
	require.Contains(t, string(messages), `"media_type":"image/png"`)
	require.Contains(t, string(messages), png)
	report, ok := python.Language.Report(result)
	require.True(t, ok)
	require.Equal(t, "[picture 1: PNG, 1 by 1 pixels]", report.Text)
}

// TestModulesRunAsMain: what toolrun py -m runs is __main__, in the words of CPython where there is no such module.
func TestModulesRunAsMain(t *testing.T) {
	r, env := newRegistry(t), newEnv(t)
	write(t, env.Files, "/mine.py", "import sys\nprint(__name__, sys.argv)\n"+
		"if __name__ == '__main__':\n    sys.exit(3)")
	for name, want := range map[string]string{
		"mine":          `^__main__ \['/mine.py'\]\n(.*\n)*.*status 3`,
		"nothing":       `python: No module named nothing`,
		"pip":           `there is no pip here: toolrun py add NAME adds packages`,
		"a'\nb\"\u00e9": "No module named a'\n.*b\"\u00e9",
	} {
		require.Regexp(t, want, run(t, r, env, python.Language.Shell.Module(name)).Text(), name)
	}
}
