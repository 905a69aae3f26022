package python_test

import (
	"context"
	"strings"
	"testing"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/test/pypitest"
	"github.com/toolrun/toolrun/internal/test/pythontest"
	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/tools/code"
	"github.com/toolrun/toolrun/tools/python"
)

// checks is a package that runs tests as pytest does: it finds them, captures what they print by way of the files'
// numbers, and keeps a cache.
const checks = `import importlib.util, os, pathlib, sys, tempfile, traceback
import hooks

def main(args=()):
    failed = 0
    for path in sorted(pathlib.Path.cwd().glob('test_*.py')):
        spec = importlib.util.spec_from_file_location(path.stem, path)
        module = importlib.util.module_from_spec(spec)
        sys.modules[path.stem] = module
        spec.loader.exec_module(module)
        for name, test in list(vars(module).items()):
            if name.startswith('test_'):
                printed, error = capture(test)
                failed += error is not None
                hooks.report(path.stem, name, printed, error)
    old = os.umask(0o022)
    pathlib.Path('.checks').mkdir(exist_ok=True)
    os.umask(old)
    return failed

def capture(test):
    kept, into = os.dup(1), tempfile.TemporaryFile(buffering=0)
    os.dup2(into.fileno(), 1)
    try:
        test()
    except Exception as error:
        return None, error
    else:
        into.seek(0)
        return into.read().decode(), None
    finally:
        sys.stdout.flush()
        os.dup2(kept, 1)
        os.close(kept)
        into.close()
`

// TestModelTestsItsCode has a model add a package for tests, write code, and test it: with the package, with unittest,
// and with doctest.
func TestModelTestsItsCode(t *testing.T) {
	index := pypitest.New()
	index.Add("checks", "2.0", pypitest.Pure, map[string]string{"checks/__init__.py": checks}, "hooks>=1")
	index.Add("hooks", "1.1", pypitest.Pure, map[string]string{"hooks.py": "def report(*what): print(*what)"})
	interpreter := pythontest.New(t, runtime.EngineOptions{})
	load := func(context.Context) (code.Interpreter, error) {
		return python.Interpreter{Interpreter: interpreter}, nil
	}
	packages := python.NewPackages(load, nil, code.PackageIndex{URL: pypitest.URL, Transport: index})
	r, err := registry.New(code.New(python.Language, load, nil), packages.Tool())
	require.NoError(t, err)
	env := newEnv(t)
	env.Selection.Enable = map[string]bool{python.PackagesName: true}
	added := r.Dispatch(t.Context(), tool.Call{ID: "add", Tool: python.PackagesName,
		Input: []byte(`{"add": ["checks"]}`)}, env)
	require.JSONEq(t, `{"packages": [{"name": "checks", "version": "2.0"}, {"name": "hooks", "version": "1.1"}]}`,
		added.Text())
	for name, text := range map[string]string{
		"/sums.py": "def add(a, b):\n    '''Adds.\n\n    >>> add(1, 2)\n    3\n    >>> add(1, 1)\n    3\n    '''\n" +
			"    return a + b\n",
		"/test_sums.py": "from sums import add\nimport unittest\n\ndef test_add():\n    print('adding')\n" +
			"    assert add(1, 2) == 3\n\ndef test_wrong():\n    assert add(1, 1) == 3\n\n" +
			"class Sums(unittest.TestCase):\n    def test_more(self):\n        self.assertEqual(add(2, 2), 5)\n",
	} {
		require.NoError(t, afero.WriteFile(env.Files, name, []byte(text), 0o600))
	}
	if strings.Contains(run(t, r, env, "import _stdlib").Text(), "Error") {
		t.Skip("the build gives files numbers of its own")
	}
	for code, want := range map[string][]string{
		"import checks\nchecks.main()": {
			"test_sums test_add adding\n None\n", "test_sums test_wrong None \n", "\n1"},
		"import unittest\nunittest.main('test_sums', exit=False)": {"AssertionError: 4 != 5", "Ran 1 test"},
		"import doctest, sums\ndoctest.testmod(sums)": {
			"Expected:\n    3\nGot:\n    2", "failed=1, attempted=2"},
		"import unittest, test_sums\nunittest.main(module='test_sums')": {"AssertionError: 4 != 5"},
		"!pytest -q":           {"Write import pytest"},
		"pytest -q":            {"Write import pytest"},
		"python -m pytest -q":  {"Write import pytest"},
		"%pytest test_sums.py": {"Write import pytest"},
		"import pytest":        {"pytest is not available"},
	} {
		for _, want := range want {
			require.Contains(t, run(t, r, env, code).Text(), want, code)
		}
	}
}
