package python_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/runtime/python"
)

// needData skips a test where the build of Python has no NumPy and no pandas: see contrib/python/build.
func needData(t testing.TB) {
	needPython(t)
	if packages := interpreter.Packages(); !slices.Contains(packages, "numpy") || !slices.Contains(packages, "pandas") {
		t.Skip("this build of Python has no packages for data")
	}
}

// TestStandIns uses modules that packages import, and that need what is not here.
func TestStandIns(t *testing.T) {
	needPython(t)
	for code, want := range map[string]string{
		"import ctypes\nctypes.c_int32(2**31 + 5).value, ctypes.c_uint8(-1).value": "(-2147483643, 255)",
		"import ctypes.util as u\nu.find_library('c') is None":                     "True",
		"from ctypes import *\nclass S(Structure): pass\nPOINTER(S).__name__":      "'LP_S'",
		"import ssl\nc = ssl.create_default_context()\nc.check_hostname = False\nc.verify_mode = ssl.CERT_NONE\n" +
			"ssl._create_default_https_context = ssl._create_unverified_context\nint(c.verify_mode)": "0",
		"import mmap\nmmap.PAGESIZE": "65536",
		"from importlib.util import find_spec\n" +
			"len({find_spec(name) is None for name in ('multiprocessing', '_multiprocessing')})": "1",
	} {
		require.Equal(t, want, run(t, code).Text, code)
	}
}

// TestData does what people do with NumPy and pandas. Sizes and the default integer have 64 bits.
func TestData(t *testing.T) {
	needData(t)
	const np, pd = "import numpy as np\n", "import pandas as pd\n"
	for code, want := range map[string]string{
		np + "(np.arange(3)**40).tolist(), np.array([2**40]).dtype": "([0, 1, 1099511627776], dtype('int64'))",
		np + "np.bincount(np.array([1, 2, 2])).tolist()":            "[0, 1, 2]",
		np + "int(np.int64(2**40)), np.argsort([3, 1, 2]).dtype":    "(1099511627776, dtype('int64'))",
		// What native NumPy gives for the same seed.
		np + "np.random.seed(42)\nr = np.random.randint(0, 100, 5)\nr.dtype, r.tolist(), " +
			"np.random.randint(0, 10**12, 3).tolist(), np.random.poisson(3, 5).tolist()": "(dtype('int64'), " +
			"[51, 92, 14, 71, 60], [86569440870, 520361034194, 919372468554], [2, 1, 2, 3, 0])",
		// Rows and columns beside those that are multiplied together, in any order of the memory.
		np + "a, b = np.arange(63.0).reshape(7, 9) / 7, np.arange(99.0).reshape(9, 11) / 9\n" +
			"x = sum(a[:, k:k+1] * b[k:k+1] for k in range(9))\n" +
			"all((y == x).all() for y in (a @ b, np.dot(a, b), (b.T @ a.T).T, a.copy('F') @ b[:, ::-1][:, ::-1]))": "" +
			"True",
		np + "with np.errstate(all='raise'):\n    try: np.array([1.0]) / 0\n" +
			"    except FloatingPointError as e: x = str(e)\nx": "'divide by zero encountered in divide'",
		np + "try: np.linalg.inv(np.zeros((2, 2)))\nexcept np.linalg.LinAlgError as e: x = str(e)\nx": "" +
			"'Singular matrix'",
		np + "np.eye(2)": "array([[1., 0.],\n       [0., 1.]])\n[shape (2, 2), float64]",
		pd + "pd.DataFrame({'city': ['Oslo', 'Lima'], 'amount': [20, 22]})": "" +
			"   city  amount\n0  Oslo      20\n1  Lima      22\n\n[2 rows x 2 columns; city: object, amount: int64]",
		pd + "df = pd.DataFrame({'a': range(100)})\ndf.groupby(df.a % 3).sum().a.tolist()": "[1683, 1617, 1650]",
		pd + "when = pd.Series(pd.to_datetime(['2024-01-05', '2024-07-05'])).dt.tz_localize('UTC')\n" +
			"[str(x) for x in when.dt.tz_convert('Europe/Oslo')]": "" +
			"['2024-01-05 01:00:00+01:00', '2024-07-05 02:00:00+02:00']",
		"import pytz, datetime\nstr(pytz.timezone('Europe/Oslo').localize(datetime.datetime(2024, 7, 1)))": "" +
			"'2024-07-01 00:00:00+02:00'",
		"import importlib.resources as r\nr.files('pytz').joinpath('zoneinfo', 'UTC').read_bytes()[:4]": "b'TZif'",
		"import numpy.nothing": "",
	} {
		result, err := tryRun(t, code)
		if want == "" {
			require.ErrorContains(t, err, "This Python has the standard library, numpy, pandas, ")
			continue
		}
		require.NoError(t, err, code)
		require.Equal(t, want, result.Text, code)
	}
}

// TestValuesOfNumPy hands numbers of NumPy to the host. Arrays would be lists that are far longer than their texts.
func TestValuesOfNumPy(t *testing.T) {
	needData(t)
	for code, want := range map[string]any{
		"np.arange(10).sum()":    int64(45),
		"np.float32(1.5)":        1.5,
		"np.array([True]).all()": true,
		"np.str_('a')":           "a",
		"{'a': np.int8(3), 'b': [np.uint64(2**64 - 1)]}": map[string]any{"a": int64(3),
			"b": []any{"18446744073709551615"}},
		"np.arange(3)":                nil,
		"np.datetime64('2024-01-01')": nil,
		"np.longdouble(1)":            nil,
		"np.float64('nan')":           nil,
		"np.complex64(1)":             nil,
		"np.bytes_(b'a')":             nil,
		"np.void(b'a')":               nil,
	} {
		require.Equal(t, want, run(t, "import numpy as np\n"+code).Value, code)
	}
	fake := "import sys, types\nsys.modules['numpy'] = types.SimpleNamespace(generic=3)\n"
	require.Equal(t, map[string]any{"a": []any{int64(1)}}, run(t, fake+"{'a': {1}}").Value)
	require.Equal(t, "1j", run(t, fake+"class C:\n    def __repr__(self): return '1j'\nC()").Text)
}

// TestDataDiffersFromRunToRun starts runs from an image in which NumPy has been imported: none of them gets another
// one's random numbers, and no change of a module stays.
func TestDataDiffersFromRunToRun(t *testing.T) {
	needData(t)
	const code = "import numpy as np, numpy.random\nx = np.random.rand(), np.random.default_rng().random()\n" +
		"y = getattr(np, 'mark', 0)\nnp.mark = 1\nprint(y)\nx"
	seen := map[string]bool{}
	for range 5 {
		result, err := tryRun(t, code)
		require.NoError(t, err)
		require.Equal(t, "0", lines(result))
		require.False(t, seen[result.Text], result.Text)
		seen[result.Text] = true
	}
	for _, way := range []string{"import numpy as np\nnp.random.rand()", "from numpy import random\nrandom.rand()",
		"from numpy.random import *\nrand()", "from numpy.random.mtrand import _rand\n_rand.rand()",
		"import numpy, sys\nvars(sys.modules['numpy.random.mtrand'])['_rand'].rand()",
		"import numpy as np\nvars(np.random)['rand']()", "import numpy as np\nnp.random.__dict__['rand']()",
		"import numpy as np\nnp.random.get_state()[1][9]", "import numpy as np\nnp.random.mtrand.random_sample()",
		"import numpy as np\nnp.random.RandomState().rand()", "import numpy as np\nnp.random.seed()\nnp.random.rand()",
		"import numpy as np, copy\ncopy.copy(np.random.mtrand._rand).rand()",
		"import numpy as np, pandas\nnp.random.rand()",
		"import pandas as pd\nfloat(pd.Series(range(10**6)).sample(1)[:1].sum())"} {
		for range 2 {
			result, err := tryRun(t, way)
			require.NoError(t, err, way)
			require.False(t, seen[result.Text], "%s: %s", way, result.Text)
			seen[result.Text] = true
		}
	}
	same := map[string]bool{}
	for range 2 {
		result, err := tryRun(t, "import numpy as np\nnp.random.seed(1)\nnp.random.rand()")
		require.NoError(t, err)
		same[result.Text] = true
	}
	require.Len(t, same, 1)
}

// TestTenantsOfPackages lets one owner leave what it can in each image with packages, and another one look for it, in
// turn: 10,000 runs with -soak.
func TestTenantsOfPackages(t *testing.T) {
	needData(t)
	const leave = `
import gc, os, random, sys, warnings
canary = bytes(b'S3CRET' * (10**6 // 6))
kept = [np.frombuffer(canary[:n], np.uint8).copy() for n in (10**5, 3 * 10**5, 10**6 - 4)]
for module in list(sys.modules.values()):
    try: module.canary = canary
    except Exception: pass
np.set_printoptions(precision=2)
np.seterr(all='raise')
np.random.seed(1)
random.seed(1)
warnings.filterwarnings('ignore')
os.environ['S3CRET'] = sys.argv[0] = 'S3CRET'
sys.path.append('/S3CRET')
if pd := sys.modules.get('pandas'):
    pd.set_option('display.max_rows', 3)
    pd.DataFrame({'S3CRET': canary[:10000].decode().split('S')}).groupby('S3CRET').size()
if plt := sys.modules.get('matplotlib.pyplot'):
    plt.style.use('ggplot')
    plt.rcParams['font.size'] = 31
    matplotlib.font_manager.fontManager.ttflist.pop()
    plt.plot([1, 2], label='S3CRET')
gc.freeze()
del kept, canary`
	const end = "\nsys.exit() # before figures are shown"
	const look = `
import gc, os, random, sys, warnings
needle = 'TERC3S'[::-1]
found = [needle.encode() in np.empty(n, np.uint8).tobytes() for n in (10**5, 3 * 10**5, 10**6 - 4)]
found += [name for name, module in sys.modules.items() if 'canary' in getattr(module, '__dict__', ())]
found += [needle in str(sorted(os.environ.items())), needle in str(sys.path), needle in str(sys.argv)]
state = [found, np.get_printoptions(), np.geterr(), len(warnings.filters), len(sys.modules), gc.get_freeze_count()]
if pd := sys.modules.get('pandas'):
    state.append(pd.get_option('display.max_rows'))
if plt := sys.modules.get('matplotlib.pyplot'):
    state += [plt.rcParams['font.size'], plt.get_fignums()]
    state.append(len(matplotlib.font_manager.fontManager.ttflist))
print(np.random.rand(), random.random())
state`
	images := []string{"import numpy as np", "import pandas, numpy as np"}
	if slices.Contains(interpreter.Packages(), "matplotlib") {
		images = append(images, "import matplotlib, matplotlib.pyplot, numpy as np")
	}
	rounds := 30
	if *soak {
		rounds = 5000
	}
	want, seen := map[string]string{}, map[string]bool{}
	for n := range rounds {
		imports := images[n%len(images)]
		if n >= len(images) {
			_, err := tryRun(t, imports+leave+end, python.RunOptions{Owner: "one"})
			require.NoError(t, err)
		}
		result := run(t, imports+look, python.RunOptions{Owner: "other"})
		if n < len(images) {
			want[imports] = result.Text
			require.NotEqual(t, result.Text, run(t, imports+leave+look).Text, "it would be seen in the same run")
		}
		require.Equal(t, want[imports], result.Text, imports)
		require.False(t, seen[lines(result)], "random numbers are the same")
		seen[lines(result)] = true
	}
}
