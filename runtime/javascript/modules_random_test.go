package javascript_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/runtime/javascript"
)

// randomModule is a file that loads others in all ways, and may fail in all ways.
func randomModule(r *rand.Rand, name string, files []string) string {
	var b strings.Builder
	other := func() string { return files[r.IntN(len(files))] }
	es := strings.HasSuffix(name, ".mjs")
	for range r.IntN(4) {
		// Files that fail are run again each time, so what they load later must come to an end.
		later := "if ((globalThis.n = (globalThis.n ?? 0) + 1) < 200) import('FILE').catch(() => {});"
		ways := []string{"require('FILE');", "try { require('FILE') } catch {}", later,
			"exports.f = () => require('FILE');"}
		if es {
			ways = []string{"import 'FILE';", "import * as nUNIQUE from 'FILE';", "import dUNIQUE from 'FILE';",
				"export * from 'FILE';",
				"import {v as vUNIQUE} from 'FILE';", later, "await import('FILE');"}
		}
		b.WriteString(strings.NewReplacer("FILE", other(), "UNIQUE",
			fmt.Sprint(r.IntN(1e9))).Replace(ways[r.IntN(len(ways))]) + "\n")
	}
	switch r.IntN(12) {
	case 0:
		b.WriteString("let x = (;\n")
	case 1:
		b.WriteString("throw new SyntaxError('thrown');\n")
	case 2:
		b.WriteString("null.x;\n")
	case 3:
		b.WriteString("for (let i = 0, a = []; i < 2000; i++) a.push({i});\n")
	}
	if es {
		b.WriteString([...]string{"export const v = 1;\n", "export default 2;\n",
			"export const v = 1; export default 3;\n", ""}[r.IntN(4)])
	} else {
		b.WriteString([...]string{"exports.v = 1;\n", "module.exports = 4;\n",
			"Object.defineProperty(exports, 'v', {enumerable: true, get() { return require('" + other() + "') }});\n",
			""}[r.IntN(4)])
	}
	return b.String()
}

// TestRandomModules loads graphs of modules of all kinds, with cycles, in which files fail, are missing and are
// repaired.
func TestRandomModules(t *testing.T) {
	t.Parallel()
	graphs := 100
	if *soak {
		graphs = 20_000
	}
	for seed := range uint64(graphs) {
		r := rand.New(rand.NewPCG(seed, 1))
		var files []string
		for i := range 2 + r.IntN(8) {
			files = append(files, fmt.Sprintf("/m%d.%s", i, [...]string{"mjs", "mjs", "cjs"}[r.IntN(3)]))
		}
		var script strings.Builder
		write := func(name string) {
			fmt.Fprintf(&script, "fs.writeFileSync('%s', %q);\n", name, randomModule(r, name, files))
		}
		for _, name := range files {
			if r.IntN(8) > 0 {
				write(name)
			}
		}
		script.WriteString("const junk = []; let loaded = 0;\n")
		for range 3 + r.IntN(6) {
			name := files[r.IntN(len(files))]
			switch r.IntN(4) {
			case 0:
				write(name)
			case 1:
				fmt.Fprintf(&script, "try { require('%s'); loaded++ } catch {}\n", name)
			default:
				// One that waits for itself never settles.
				fmt.Fprintf(&script, "try { const m = await Promise.race([import('%s'), new Promise((r) => "+
					"setTimeout(r, 5))]); for (const k in m) junk.push(m[k]); loaded++ } catch {}\n", name)
			}
			script.WriteString("for (let i = 0; i < 300; i++) junk.push([i]);\n")
		}
		script.WriteString("return 'done'")
		result, err := tryRun(t, script.String(), javascript.RunOptions{Files: filesWith(t, nil)})
		require.NoError(t, err, "seed %d:\n%s", seed, script.String())
		require.Equal(t, "done", result.Text, "seed %d", seed)
	}
}
