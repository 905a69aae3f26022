package javascript_test

import (
	"testing"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/runtime/javascript"
)

// What a module does while it is loaded is done once, and not at all if the script does not compile.
func TestEffectsOfFirstModules(t *testing.T) {
	for name, test := range map[string]struct{ module, script, want, file string }{
		"writes": {"fs.appendFileSync('/done', 'x'); module.exports = 1",
			"const m = require('/m.cjs'); return m", "1", "x"},
		"writes, as ES": {"fs.appendFileSync('/done', 'x'); module.exports = 1",
			"import m from '/m.cjs';\nexport default m", "1", "x"},
		"prints": {"console.log('once'); module.exports = 2", "const m = require('/m.cjs'); return m", "2", ""},
		"throws": {"fs.appendFileSync('/done', 'x'); throw new Error('no')",
			"const m = require('/m.cjs'); return m", "", "x"},
		"does not parse": {"fs.appendFileSync('/done', 'x')", "const m = require('/m.cjs'); return }", "", ""},
		"writes later": {"const a = require('crypto').randomUUID(); fs.appendFileSync('/done', 'x')",
			"const m = require('/m.cjs'); return 3", "3", "x"},
	} {
		t.Run(name, func(t *testing.T) {
			for range 2 { // it is remembered that the module has effects
				files := filesWith(t, map[string]string{"/m.cjs": test.module})
				result, err := tryRun(t, test.script, javascript.RunOptions{Files: files, Owner: t.Name()})
				if test.want == "" {
					require.Error(t, err)
				} else {
					require.NoError(t, err)
					require.Equal(t, test.want, result.Text)
				}
				if name == "prints" {
					require.Len(t, result.Console, 1)
				}
				data, err := afero.ReadFile(files, "/done")
				require.Equal(t, test.file != "", err == nil)
				require.Equal(t, test.file, string(data))
			}
		})
	}
}
