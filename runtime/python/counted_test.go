package python_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/runtime/python"
)

// TestWhatRunsCost bounds what can be counted of short code in a fresh sandbox, whatever else the machine does.
func TestWhatRunsCost(t *testing.T) {
	needPython(t)
	const page = 4 << 10
	inArchive := isFromSource(t)
	for _, test := range []struct {
		code        string
		pages       int64 // that it changes, and that the state of a session has
		work        int64
		allocations float64
	}{
		{"print(6*7)", 52, 12_700, 48},
		{"6*7", 55, 13_000, 42},
		{"def f(x):\n    return [x]\n\nf(1)", 60, 28_000, 45},
	} {
		t.Run(test.code, func(t *testing.T) {
			one := func(session bool) *python.Result {
				result, err := interpreter.Run(t.Context(), test.code, &python.RunOptions{Session: session})
				require.NoError(t, err)
				return result
			}
			pages := test.pages
			if inArchive {
				// Between the objects that runs write to, the counts of references to them, lies the index of the
				// archive, with some thousand files.
				pages += 16
			}
			if len(interpreter.Packages()) > 0 {
				test.allocations++ // their names, among which those that the code imports are looked for
			}
			require.LessOrEqual(t, one(true).State.Bytes(), pages*page)
			require.LessOrEqual(t, one(false).Usage.Work, test.work)
			require.LessOrEqual(t, testing.AllocsPerRun(20, func() { one(false) }), test.allocations)
		})
	}
}

// isFromSource reports whether the build is one of contrib/python, with the standard library in its memory.
func isFromSource(t testing.TB) bool {
	return run(t, "import sys\nhasattr(sys.modules.get('_stdlib'), 'Memory')").Text == "True"
}

// TestNothingOfTheStartIsSeen looks for what is left of the runs that prepare the image.
func TestNothingOfTheStartIsSeen(t *testing.T) {
	result := run(t, "import linecache, sys\n"+
		"list(globals()), list(linecache.cache), sys.argv, hasattr(sys, 'last_value')")
	require.Equal(t, "(['__name__', '__doc__', '__package__', '__loader__', '__spec__', '__builtins__', '__file__',\n"+
		"  'linecache', 'sys'],\n ['script.py'], ['script.py'], False)", result.Text)
}
