package module_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/js/module"
)

func TestFindUncalled(t *testing.T) {
	for _, code := range []string{
		`const s = 1; return s.isFile ? 1 : 2`, `if (s.isFile) f()`, `while (s.isDirectory) f()`,
		`if (a && s.isFile) f()`,
		`if (!s.isFile) f()`, `return !(await fs.stat('/a')).isFile`, `x = s.isFile || y`, `x = s.isFile && y`,
		`if (s.isFile === true) f()`, `entries.filter((e) => e.isDirectory)`, `entries.map(e => e.a.isFile, 1)`,
		`x = (await fs.stat(p)).isFile ? 1 : 2`, `if (!all[0].stat().isFile) f()`, `x = !a.b(c).isFile`,
		`return !!s?.isFile`,
		"x = `${s.isFile ? 1 : 2}`", `x = y || s.isFile`, `x = s.isFile!=true`,
	} {
		name, line, column, ok := module.FindUncalled(code, "isFile", "isDirectory")
		require.True(t, ok, code)
		require.Equal(t, []any{1, 1 + strings.Index(code, name)}, []any{line, column}, code)
	}
	for _, code := range []string{
		``, `s.isFile() ? 1 : 2`, `if (s.isFile()) f()`, `if (!s.isFile()) f()`, `const f = s.isFile; f.call(s)`,
		`x = s.isFile && s.isFile()`, `x = s.isFile?.() ? 1 : 2`, `typeof s.isFile === 'function'`,
		`s.isFile.call(s) ? 1 : 2`,
		`isFile ? 1 : 2`, `'s.isFile ? 1 : 2'`, `// s.isFile ? 1 : 2`, `s.isfile ? 1 : 2`, `s.size ? 1 : 2`,
		`s.isFile = true`,
		`console.log(s.isFile)`, `x = a.b.isFile ? a.b.isFile() : 0`, `/s.isFile ?/.test(x)`,
		`({isFile: true}) ? 1 : 2`,
		`s.isFile ? `[:8] + strings.Repeat(" ", 1<<16), `"unclosed s.isFile ? 1`, `)) s.isFile`, `.isFile`,
		`. . isFile`,
	} {
		_, _, _, ok := module.FindUncalled(code, "isFile", "isDirectory")
		require.False(t, ok, code)
	}
}
