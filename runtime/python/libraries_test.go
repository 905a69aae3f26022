package python

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/guest/python"
	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/runtime/script"
)

func libraryFiles(t testing.TB, files map[string]string) afero.Fs {
	fs := afero.NewMemMapFs()
	require.NoError(t, fs.MkdirAll("/lib/python", 0o700))
	for name, text := range files {
		require.NoError(t, afero.WriteFile(fs, name, []byte(text), 0o600))
	}
	return fs
}

// outcome is all that can be seen of a run.
func outcome(t testing.TB, i *Interpreter, code string, options RunOptions) string {
	t.Helper()
	result, err := i.Run(t.Context(), code, &options)
	require.True(t, err == nil || IsScriptFailure(err), "%v", err)
	var out strings.Builder
	for _, entry := range result.Console {
		fmt.Fprintln(&out, entry.Level, entry.Text)
	}
	fmt.Fprintln(&out, result.Text)
	if script, ok := errors.AsType[*ScriptError](err); ok {
		fmt.Fprintln(&out, script.Traceback, script.Line, script.Column, script.Syntax)
	} else if err != nil {
		fmt.Fprintln(&out, err)
	}
	return out.String()
}

// TestLibrariesAreKept runs code three times whose libraries can be kept, or cannot, and compares what it gives with
// what it gives when it does not begin with imports, so that they are no step of their own.
func TestLibrariesAreKept(t *testing.T) {
	t.Parallel()
	i := ownInterpreter(t, sandbox.EngineOptions{ImageMemory: 2 << 30})
	const kept, notKept, differs = "kept", "not kept", "not kept, and differs"
	for n, test := range []struct {
		name, library, code, want string
	}{
		{"a module", "def double(x): return x * 2", "import a\na.double(21)", kept},
		{"names of it", "def double(x): return x * 2", "from a import (double,\n    double as d)  # twice\nd(21)",
			kept},
		{"all names", "x = 1", "from a import *\nx", kept},
		{"with modules of the standard library", "import tomllib, xml.dom.minidom\nx = 1",
			"import os, json\nimport wave\nimport a\na.x", kept},
		{"state that is changed later", "seen = []", "import a\na.seen.append(1)\na.seen", kept},
		{"other modules", "import sub.part, single\nfrom sub.part import x\ntry:\n    import nothing\nexcept " +
			"ImportError:\n    x += single.y", "import a\na.x", kept},
		{"a namespace", "import space.inner\nx = space.inner.v, list(space.__path__)", "import a\na.x", kept},
		{"a module of the project's own", "import own\nx = own.v", "import a\na.x", kept},
		{"files that are read", "import pkgutil\nx = open('/data.txt').read(), pkgutil.get_data('sub', 'data.bin'), " +
			"open('/empty').read()", "import a\na.x", kept},
		{"a folder that is listed", "import os\nx = sorted(os.listdir('/lib')), os.path.getsize('/data.txt')",
			"import a\na.x", kept},
		{"changed builtins", "import builtins\nbuiltins.sum = lambda x: -1\nbuiltins.extra = 5",
			"import a\nsum([1]), extra", kept},
		{"changed modules", "import json, sys\njson.dumps = lambda x: 'mine'\nsys.argv.append('more')",
			"import a, json, sys\njson.dumps(1), sys.argv", kept},
		{"the working directory", "import os\nos.chdir('/lib')", "import a, os\nos.getcwd(), open('/data.txt').read()",
			kept},
		{"what is done at the end", "import atexit\natexit.register(print, 'the end')",
			"import a\nprint('the code')", kept},
		{"the arguments", "import sys\nx = sys.argv[1:], __name__", "import a\na.x", kept},
		{"the time", "import time\nx = time.time()", "import a, time\ntime.time() >= a.x", kept},
		{"a generator of its own", "import random\nr = random.Random()\ns = random.Random(3)\nx = r.random(), " +
			"s.random()", "import a\na.s.random(), a.r.random() != a.x[0]", kept},
		{"an error of the code", "def f(): return 1 / 0", "import a\n\ndef g():\n    return a.f()\ng()", kept},

		{"something printed", "print('hello')", "import a\n1", notKept},
		{"a piece of a line printed", "print('hello', end='')", "import a\nprint(' there')", notKept},
		{"a warning", "import warnings\nwarnings.warn('old')", "import a\n1", notKept},
		{"an error", "x = 1\nraise ValueError(x)", "import os\nfrom a import (x,\n    y)  # \u00e9\n1", notKept},
		{"a syntax error", "x = = 1", "import a\n1", notKept},
		{"a syntax error in the code", "print('not reached')", "import a\nx = = 1", notKept},
		{"a warning about the code", "x = 1", "import a\n1 is 1", kept},
		{"a name that is missing", "x = 1", "from a import y\n1", kept},
		{"a module that is missing", "import absent", "import a\n1", notKept},
		{"a module that is missing before", "print('not reached')", "import absent\nimport a\n1", notKept},
		{"an exit", "import sys\nsys.exit('no')", "import a\n1", notKept},
		{"an exit without more", "import os\nos._exit(3)", "import a\n1", notKept},
		{"a file that is written", "open('/log', 'a').write('x')", "import a\nlen(open('/log').read())", differs},
		{"a folder that is made", "import os\nos.makedirs('/made', exist_ok=True)", "import a\n1", notKept},
		{"an open file", "f = open('/data.txt')", "import a\na.f.read()", notKept},
		{"a part of a file", "with open('/data.txt') as f: f.seek(1); x = f.read()", "import a\na.x", notKept},
		{"a closed descriptor", "import os\nos.close(3)", "import a\n1", notKept},
		{"randomness", "import random\nx = random.random()", "import a\na.x", differs},
		{"random bytes", "import os\nx = os.urandom(8)", "import a\na.x", differs},
		{"an identifier", "import uuid\nx = str(uuid.uuid4())", "import a\na.x", differs},
		{"a call of the host", "import __main__\nx = __main__.host('y')", "import a\na.x", notKept},
		{"a call of the host that is awaited", "import asyncio, __main__\nx = asyncio.run(__main__.host.start('y'))",
			"import a\na.x", notKept},
		{"standard input", "x = input()", "import a\na.x", notKept},
		{"waiting", "import time\ntime.sleep(0.001)", "import a\n1", notKept},
		{"too much memory", "x = []\nwhile True: x.append(bytearray(10**6))", "import a\n1", notKept},
		{"its end that never comes", "while True: pass", "import a\n1", notKept},
		{"recursion", "def f(): f()\nf()", "import a\n1", notKept},
		{"what is the host's", "import gc, time\nfor o in gc.get_referrers(time):\n  if isinstance(o, dict) and " +
			"'ask' in o: o['ask'](b'M', b'r')", "import a\n1", kept},
	} {
		t.Run(test.name, func(t *testing.T) {
			files := map[string]string{
				"/lib/python/a.py": test.library, "/lib/python/single.py": "y = 1", "/lib/python/sub/__init__.py": "",
				"/lib/python/sub/part.py":  "x = 1",
				"/lib/python/sub/data.bin": "data", "/lib/python/space/inner.py": "v = 1", "/own.py": "v = 1",
				"/data.txt": "text", "/empty": "",
			}
			options := func() RunOptions {
				return RunOptions{
					Owner: fmt.Sprint(n), Args: []string{"one"}, Files: libraryFiles(t, files),
					Stdin:  []byte("line\nmore\n"),
					Limits: sandbox.Limits{Time: time.Minute, Memory: 80 << 20, Work: 20_000_000},
					Functions: []Function{{Name: "host", Call: func(_ context.Context, args []any,
						_ map[string]any) (any, error) {
						return fmt.Sprint(args[0], args[0]), nil
					}}},
				}
			}
			images := i.engine.Stats().Images
			o := options()
			first := outcome(t, i, "\n"+test.code, o)
			if test.want == kept {
				images++
			}
			require.Equal(t, images, i.engine.Stats().Images)
			for range 2 {
				again := outcome(t, i, "\n"+test.code, o)
				require.Equal(t, images, i.engine.Stats().Images)
				if test.want == differs {
					require.NotEqual(t, first, again)
				} else {
					require.Equal(t, first, again)
				}
			}
			if test.want != differs && !strings.HasPrefix(test.name, "what is the host's") {
				require.Equal(t, outcome(t, i, "0\n"+test.code, options()), first)
			}
		})
	}
}

// TestPlacesOfImports compares where import statements are with what CPython says.
func TestPlacesOfImports(t *testing.T) {
	i := ownInterpreter(t, sandbox.EngineOptions{})
	const code = "# \u00e9\nimport a  # one\nimport b . c , d\tas  e\nfrom f import g\n\nfrom h . i import(j, # " +
		"two\n  k as l ,\n\n)  \nfrom m import *\nimport n;\n"
	modules := python.LeadingImports(code)
	require.Len(t, modules, 6)
	for _, m := range modules {
		line, err := i.Run(t.Context(), fmt.Sprintf("import ast\n[(s.lineno, s.end_lineno, s.end_col_offset) for s "+
			"in ast.parse(%q).body if "+
			"%q in [getattr(s, 'module', ''), *(n.name for n in s.names)]]", code, m.Module), nil)
		require.NoError(t, err)
		require.Equal(t, fmt.Sprintf("[(%d, %d, %d)]", m.Line, m.LastLine, m.LastColumn), line.Text, m.Module)
	}
}

func TestLibrariesThatChange(t *testing.T) {
	i := ownInterpreter(t, sandbox.EngineOptions{})
	files := libraryFiles(t, map[string]string{
		"/lib/python/a.py": "import os, sub.b\ntry:\n    from extra import e\nexcept ImportError:\n    e " +
			"= 0\nv = 1 + sub.b.v + e + len(os.listdir('/data'))",
		"/lib/python/sub/__init__.py": "", "/lib/python/sub/b.py": "v = 100", "/data/one": "",
	})
	stamp := time.Now().Add(-time.Hour)
	write := func(name, text string) {
		require.NoError(t, afero.WriteFile(files, name, []byte(text), 0o600))
		require.NoError(t, files.Chtimes(name, stamp, stamp))
	}
	code := func(name string) string {
		data, err := afero.ReadFile(files, name)
		require.NoError(t, err)
		return string(data)
	}
	for _, name := range []string{"/lib/python/a.py", "/lib/python/sub/b.py"} {
		write(name, code(name))
	}
	see := func(want string, images int) {
		t.Helper()
		for range 2 {
			require.Equal(t, want+"\n", outcome(t, i, "import a\na.v", RunOptions{Files: files}))
			require.Equal(t, images, i.engine.Stats().Images)
		}
	}
	see("102", 1)
	made := i.engine.Stats().ImageMemory
	require.NotZero(t, made)
	write("/lib/python/a.py", strings.Replace(code("/lib/python/a.py"), "1 +", "2 +", 1)) // time and size are the same
	see("103", 1)
	write("/lib/python/sub/b.py", "v = 200")
	see("203", 1)
	write("/unrelated.txt", "x")
	see("203", 1)
	write("/data/two", "")
	see("204", 1)
	write("/extra.py", "e = 1000") // which was missing
	see("1204", 1)
	write("/lib/python/extra/__init__.py", "e = 2000") // which comes before
	see("2204", 1)
	require.NoError(t, files.RemoveAll("/lib/python/extra"))
	require.NoError(t, files.Remove("/extra.py"))
	see("204", 1)
	require.NoError(t, files.Remove("/lib/python/a.py"))
	require.Contains(t, outcome(t, i, "import a\na.v", RunOptions{Files: files}),
		"ModuleNotFoundError: No module named 'a'")
}

func TestLibrariesOfOthers(t *testing.T) {
	i := ownInterpreter(t, sandbox.EngineOptions{})
	project := func(owner, text string) RunOptions {
		return RunOptions{Owner: owner, Files: libraryFiles(t, map[string]string{"/lib/python/a.py": text})}
	}
	t.Run("with the same name and size", func(t *testing.T) {
		one, two := project("", "who = 'one'"), project("", "who = 'two'")
		for range 3 {
			require.Equal(t, "'one'\n", outcome(t, i, "import a\na.who", one))
			require.Equal(t, "'two'\n", outcome(t, i, "import a\na.who", two))
		}
	})
	t.Run("with the same files", func(t *testing.T) {
		before := i.engine.Stats().Images
		one := project("one", "seen = []")
		two := one
		two.Owner = "two"
		for range 3 {
			require.Equal(t, "['secret']\n", outcome(t, i, "import a\na.seen.append('secret')\na.seen", one))
			require.Equal(t, "[1]\n", outcome(t, i, "import a\na.seen.append(1)\na.seen", two))
		}
		require.Equal(t, before+2, i.engine.Stats().Images, "owners share none")
	})
	t.Run("of which the code of a run changes what it can", func(t *testing.T) {
		o := project("changes", "x = 1\nseen = []")
		const look = "import a, builtins, sys, os\na.x, a.seen, hasattr(builtins, 'S3CRET'), 'S3CRET' in " +
			"sys.modules, sys.path[-1], os.getcwd(), 'kept' in globals()"
		want := outcome(t, i, look, o)
		for range 2 {
			outcome(t, i, "import a # S3CRET\nimport builtins, sys, os\nkept = a.x = builtins.S3CRET = "+
				"'S3CRET'\na.seen.append(1)\n"+
				"sys.modules['S3CRET'] = a\nsys.path.append('S3CRET')\nos.chdir('/lib')\nbuiltins.print = "+
				"None\na.__file__ = 'S3CRET'", o)
			require.Equal(t, want, outcome(t, i, look, o))
		}
	})
	t.Run("whose image has nothing of the code that comes after", func(t *testing.T) {
		o := project("after", "import gc, linecache\nfound = [s for s in gc.get_objects() if ''.join(['S3', 'CRET']) "+
			"in repr(s)[:100000] and s is not globals()]")
		require.Equal(t, "(0, [])\n", outcome(t, i, "import a\n'S3CRET' and (len(a.found), a.found)", o))
	})
	t.Run("with other functions, arguments and names", func(t *testing.T) {
		o := project("options", "import __main__, sys\nx = sorted(n for n in vars(__main__) if n[0] != '_'), sys.argv")
		require.Equal(t, "(['ToolError', 'f'], ['script.py'])\n", outcome(t, i, "import a\na.x",
			withFunction(o, "f", 1)))
		require.Equal(t, "(['ToolError', 'g'], ['script.py'])\n", outcome(t, i, "import a\na.x",
			withFunction(o, "g", 1)))
		require.Equal(t, "1\n", outcome(t, i, "import a\nf()", withFunction(o, "f", 1)))
		require.Equal(t, "2\n", outcome(t, i, "import a\nf()", withFunction(o, "f", 2)), "functions are the run's own")
		o.Args = []string{"x"}
		require.Equal(t, "([], ['script.py', 'x'])\n", outcome(t, i, "import a\na.x", o))
		o.Name = "other.py"
		require.Equal(t, "([], ['other.py', 'x'])\n", outcome(t, i, "import a\na.x", o))
		o.Libraries = []string{"/lib/python", "/lib"}
		require.Equal(t, "/lib\n", strings.ReplaceAll(outcome(t, i, "import a, sys\nsys.path[-2]", o), "'", ""))
	})
	t.Run("in sandboxes with random numbers of their own", func(t *testing.T) {
		o := project("random", "import random\nown = random.Random()")
		seen := map[string]bool{}
		for range 6 {
			seen[outcome(t, i, "import a, random\nrandom.random()", o)] = true
			seen[outcome(t, i, "import a, random\na.own.random()", o)] = true
			seen[outcome(t, i, "import a, uuid\nuuid.uuid4()", o)] = true
		}
		require.Len(t, seen, 18)
	})
	t.Run("with less work", func(t *testing.T) {
		o := project("work", "x = sum(range(100000))")
		work := map[int64]bool{}
		for range 3 {
			result, err := i.Run(t.Context(), "import a\na.x", &o)
			require.NoError(t, err)
			work[result.Usage.Work] = true
		}
		require.Len(t, work, 1, "work does not depend on what is kept: %v", work)
		o.Limits.Work = 200_000
		for range 2 {
			_, err := i.Run(t.Context(), "import a\n1", &o)
			limit, ok := errors.AsType[*sandbox.LimitError](err)
			require.True(t, ok, "%v", err)
			require.Equal(t, sandbox.LimitWork, limit.Limit)
		}
	})
	t.Run("do not age unless they have asked for the time", func(t *testing.T) {
		for text, same := range map[string]bool{"x = object()": true, "import time\nx = time.time()": false} {
			o := project(text, text+"\nimport os\nos.stat('/data')\nn = 0")
			require.NoError(t, afero.WriteFile(o.Files, "/data", nil, 0o600))
			outcome(t, i, "import a\na.x", o)
			set := librariesOf(t, i, "import a\na.x", o)
			require.NotNil(t, set.image)
			l := &set.image.State().(*imageState).libraries
			l.Made = l.Made.Add(-2 * script.MaxLibraryAge)
			require.Equal(t, same, librariesOf(t, i, "import a\na.x", o).image != nil, text)
		}
	})
}

func withFunction(o RunOptions, name string, value int) RunOptions {
	o.Functions = []Function{{Name: name, Call: func(context.Context, []any, map[string]any) (any, error) {
		return value, nil
	}}}
	return o
}

// librariesOf returns what a run would find.
func librariesOf(t testing.TB, i *Interpreter, code string, options RunOptions) *librarySet {
	o, err := options.withDefaults(i.program)
	require.NoError(t, err)
	begun, err := i.program.Begin(t.Context(), sandbox.RunOptions{Limits: o.Limits})
	require.NoError(t, err)
	defer begun.End()
	r := newRun(begun, o)
	r.code = code
	set, err := r.findLibraries(i.program)
	require.NoError(t, err)
	require.NotNil(t, set)
	return set
}

// TestLibrariesAreBounded has more of them than are kept.
func TestLibrariesAreBounded(t *testing.T) {
	for _, most := range []int64{1, 60 << 20} {
		i := ownInterpreter(t, sandbox.EngineOptions{ImageMemory: most})
		for n := range 4 {
			o := RunOptions{Owner: fmt.Sprint(n),
				Files: libraryFiles(t, map[string]string{"/lib/python/a.py": "x = 1"})}
			for range 2 {
				require.Equal(t, "1\n", outcome(t, i, "import a\na.x", o))
				require.LessOrEqual(t, i.engine.Stats().ImageMemory, most)
				require.Equal(t, most > 1, i.engine.Stats().Images > 0)
			}
		}
	}
}

// hostileFiles can be looked at only so often.
type hostileFiles struct {
	afero.Fs
	then func() error
	left atomic.Int32
}

func (f *hostileFiles) Stat(name string) (os.FileInfo, error) {
	if f.left.Add(-1) < 0 {
		if err := f.then(); err != nil {
			return nil, err
		}
	}
	return f.Fs.Stat(name)
}

func TestLibrariesInHostileFiles(t *testing.T) {
	i := ownInterpreter(t, sandbox.EngineOptions{})
	base := libraryFiles(t, map[string]string{"/lib/python/a.py": "x = 1"})
	for name, then := range map[string]func() error{
		"panics": func() error { panic("no") },
		"fails":  func() error { return errors.New("no") },
		"hangs":  func() error { select {} },
	} {
		for n := range 12 {
			if name == "hangs" && n%4 != 0 { // it takes its time
				continue
			}
			files := &hostileFiles{Fs: base, then: then}
			files.left.Store(int32(n))
			limit := time.Minute
			if name == "hangs" {
				limit = 200 * time.Millisecond
			}
			result, err := i.Run(t.Context(), "import a\na.x", &RunOptions{Files: files,
				Limits: sandbox.Limits{Time: limit}})
			require.NotNil(t, result, name)
			require.True(t, err == nil || IsScriptFailure(err), "%s: %v", name, err)
		}
	}
}
