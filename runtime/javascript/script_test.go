package javascript

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/guest/quickjs"
)

// TestBodiesWithoutAClosingBrace makes random ones: what compiles in one wrapper has to compile in the other, since
// only one is tried.
func TestBodiesWithoutAClosingBrace(t *testing.T) {
	t.Parallel()
	engine, err := hostEngine()
	require.NoError(t, err)
	tokens := []string{
		"{", "(", ")", "[", "]", "'", `"`, "`", "${", "/", "*", "//", "/*", "*/", "\n", `\`, ";", ",", ":", "?", "=>",
		"=", "x", "''", "''()", "async", "await", "function", "class",
		"return", "return 1", "if (1)", "for (;;)", "x => x", "()", "get", "static", "...", "<!--", "-->", "-", "+",
		"1", "yield", "new", "else", "case", "default", "do", "while", "label", "#x",
		"super", "super.x", "super()", "arguments", "new.target", "import", "import.meta", "import(", "await x",
		"for await (x of x)", "yield x", "let", "var", "with (x)", "static", "eval", "this", "\\u0073uper",
	}
	random := rand.New(rand.NewPCG(3, 4))
	n := 20_000
	if testing.Short() {
		n = 1000
	}
	both := 0
	for range n / 1000 {
		r := engine.begin(t, RunOptions{})
		in, err := r.sandbox(engine.program)
		require.NoError(t, err)
		for range 1000 {
			var b strings.Builder
			for range 1 + random.IntN(7) {
				b.WriteString(tokens[random.IntN(len(tokens))])
				if random.IntN(2) == 0 {
					b.WriteByte(' ')
				}
			}
			function, err := in.VM.EvalNow(in.Context(), expressionPrefix+b.String()+expressionSuffix, "x")
			require.NoError(t, err)
			one := function != quickjs.Exception
			if !one {
				require.NoError(t, in.forgetException())
			}
			other, err := in.VM.Compiles(in.Context(), declarationPrefix+b.String()+declarationSuffix, "x", false)
			require.NoError(t, err)
			if !other {
				require.NoError(t, in.forgetException())
			}
			require.Equal(t, other, one, "%q", b.String())
			if one {
				both++
			}
		}
		r.End()
	}
	require.Greater(t, both, n/100, "some have to compile")
}
