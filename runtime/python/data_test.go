package python_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
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
		"import ctypes, ctypes.util\nctypes.c_int32(2**31 + 5).value, ctypes.c_uint8(-1).value, ctypes.sizeof(ctypes.c_int64)," +
			" ctypes.util.find_library('c')": "(-2147483643, 255, 8, None)",
		"import ctypes\nclass S(ctypes.Structure): _fields_ = [('a', ctypes.c_int)]\nctypes.POINTER(S).__name__": "'LP_S'",
		"import ssl\nc = ssl.create_default_context()\nc.check_hostname = False\nc.verify_mode = ssl.CERT_NONE\n" +
			"ssl._create_default_https_context = ssl._create_unverified_context\nc.verify_mode": "<VerifyMode.CERT_NONE: 0>",
		"import _multiprocessing, mmap\nmmap.PAGESIZE": "65536",
	} {
		require.Equal(t, want, run(t, code).Text, code)
	}
}

// TestData does what people do with NumPy and pandas. Sizes and the default integer have 64 bits.
func TestData(t *testing.T) {
	needData(t)
	for code, want := range map[string]string{
		"import numpy as np\n(np.arange(3)**40).tolist(), np.array([2**40]).dtype, np.bincount(np.array([1, 2, 2])).tolist()": "" +
			"([0, 1, 1099511627776], dtype('int64'), [0, 1, 2])",
		"import numpy as np\nint(np.int64(2**40)), np.argsort([3, 1, 2]).dtype, np.intp": "" +
			"(1099511627776, dtype('int64'), <class 'numpy.int64'>)",
		"import numpy as np\nwith np.errstate(all='raise'):\n    try: np.array([1.0]) / 0\n    except FloatingPointError " +
			"as e: x = str(e)\nx": "'divide by zero encountered in divide'",
		"import numpy as np\ntry: np.linalg.inv(np.zeros((2, 2)))\nexcept np.linalg.LinAlgError as e: x = str(e)\nx": "" +
			"'Singular matrix'",
		"import numpy as np\nnp.eye(2)": "array([[1., 0.],\n       [0., 1.]])\n[shape (2, 2), float64]",
		"import pandas as pd\npd.DataFrame({'city': ['Oslo', 'Lima'], 'amount': [20, 22]})": "" +
			"   city  amount\n0  Oslo      20\n1  Lima      22\n\n[2 rows x 2 columns; city: object, amount: int64]",
		"import pandas as pd\ndf = pd.DataFrame({'a': range(100)})\nstr(df.shape), df.groupby(df.a % 3).sum().a.tolist()": "" +
			"('(100, 1)', [1683, 1617, 1650])",
		"import pandas as pd\nwhen = pd.Series(pd.to_datetime(['2024-01-05', '2024-07-05']))\n" +
			"[str(x) for x in when.dt.tz_localize('UTC').dt.tz_convert('Europe/Oslo')]": "" +
			"['2024-01-05 01:00:00+01:00', '2024-07-05 02:00:00+02:00']",
		"import pytz, datetime\nstr(pytz.timezone('Europe/Oslo').localize(datetime.datetime(2024, 7, 1)))": "" +
			"'2024-07-01 00:00:00+02:00'",
		"import importlib.resources as r\nr.files('pytz').joinpath('zoneinfo', 'Europe', 'Oslo').read_bytes()[:4]": "b'TZif'",
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
	same := map[string]bool{}
	for range 2 {
		result, err := tryRun(t, "import numpy as np\nnp.random.seed(1)\nnp.random.rand()")
		require.NoError(t, err)
		same[result.Text] = true
	}
	require.Len(t, same, 1)
}
