package javascript

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestModulesThatCodeSeemsToUse(t *testing.T) {
	for _, c := range []struct {
		code string
		want []string
	}{
		{``, nil},
		{`return 1`, nil},
		{`Buffer.from('a')`, []string{"buffer"}},
		{`myBuffer; Buffers; $Buffer; Buffer_`, nil},
		{`fs.readFileSync('a')`, []string{"buffer"}},
		{`(await fs.open('a')).read(); new Intl.Locale('en')`, []string{"fs", "internal/intl", "internal/intl/locale"}},
		{`Intl`, []string{"internal/intl"}},
		{`x.birthtimeMs`, []string{"fs"}},
		{`const { a } = require('node:events'); import x from "util"; import('nothing'); import 'stream/web'`,
			[]string{"events", "stream/web", "util"}},
		{`"require('internal/errors')"`, nil},
		{`using stack = new DisposableStack()`, []string{"internal/disposable"}},
		{`Blob`, []string{"internal/blob"}},
		{`é` + `Blob`, []string{"internal/blob"}},
	} {
		require.Equal(t, c.want, features.ModulesIn(c.code), c.code)
	}
}

func BenchmarkModulesThatCodeSeemsToUse(b *testing.B) {
	code := strings.Repeat("const total = rows.filter((row) => row.price > limit).map((row) => row.name);\n", 1000)
	b.SetBytes(int64(len(code)))
	for b.Loop() {
		features.ModulesIn(code)
	}
}

// Modules are loaded when they are first used: one that is missing would not be noticed before.
func TestModulesThatOthersLoadAreThere(t *testing.T) {
	loads := regexp.MustCompile(`\b(?:require|builtin)\('([^']+)'\)`)
	found := 0
	require.NoError(t, filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(path) != ".js" {
			if entry.Name() == "testdata" {
				return fs.SkipDir
			}
			return err
		}
		source, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, m := range loads.FindAllStringSubmatch(string(source), -1) {
			_, _, ok := features.Module(m[1])
			known := m[1] == "path" || strings.HasPrefix(m[1], "absent:") // which the prelude itself has
			require.True(t, ok || known, "%s loads %s", path, m[1])
			found++
		}
		return nil
	}))
	require.Greater(t, found, 100)
}
