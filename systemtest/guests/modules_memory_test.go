//go:build systemtest

package guests

import (
	"context"
	"fmt"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/procmem"
	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/runtime/javascript"
)

// graphs are ways in which n files can load each other. Each gives the content of a file, but for the body that all
// have, and what loads the first one.
var graphs = []struct {
	name    string
	nests   bool // whether the engine's own loader would load one within the other
	ending  string
	content func(i, n int) string
	script  string
}{
	{"a chain", true, "mjs", func(i, n int) string {
		if i == n-1 {
			return "export const v = 1;"
		}
		return fmt.Sprintf("import {v as next} from './%d.mjs'; export const v = next + 1;", i+1)
	}, `return (await import('/0.mjs')).v`},
	{"a tree", false, "mjs", func(i, n int) string {
		code, sum := "", "1"
		for child := 2*i + 1; child <= 2*i+2 && child < n; child++ {
			code += fmt.Sprintf("import {v as v%d} from './%[1]d.mjs'; ", child)
			sum += fmt.Sprintf(" + v%d", child)
		}
		return code + "export const v = " + sum + ";"
	}, `return (await import('/0.mjs')).v`},
	{"a cycle", true, "mjs", func(i, n int) string {
		code := fmt.Sprintf("import {f as next} from './%d.mjs'; export const f = (n) => n === 0 ? 0 : 1 + ", (i+1)%n)
		if n > 1000 { // deeper than functions can call each other
			return code + "0;"
		}
		return code + "next(n - 1);"
	}, `const {f} = await import('/0.mjs'); let n = 0; while (fs.existsSync('/' + n + '.mjs')) n++;
		return n > 1000 ? n : f(n)`},
	{"dynamic imports", false, "mjs", func(i, n int) string {
		if i == n-1 {
			return "export const v = 1;"
		}
		return fmt.Sprintf("export const v = 1 + (await import('./%d.mjs')).v;", i+1)
	}, `return (await import('/0.mjs')).v`},
	{"files that are required", false, "cjs", func(i, n int) string {
		if i == n-1 {
			return "exports.v = 1;"
		}
		return fmt.Sprintf("exports.v = 1 + require('./%d.cjs').v;", i+1)
	}, `return require('/0.cjs').v`},
	{"a tree of files that are required", false, "cjs", func(i, n int) string {
		sum := "1"
		for child := 2*i + 1; child <= 2*i+2 && child < n; child++ {
			sum += fmt.Sprintf(" + require('./%d.cjs').v", child)
		}
		return "exports.v = " + sum + ";"
	}, `return (await import('/0.cjs')).v`},
	{"a chain of pairs", true, "mjs", func(i, n int) string { // in which every other one is required
		if i%2 == 1 {
			return "export const w = 1;"
		}
		if i >= n-2 {
			return "export const v = 1;"
		}
		return fmt.Sprintf("import {w} from './%d.mjs'; import {v as next} from './%d.mjs'; import c from "+
			"'./one.cjs'; export const v = next + w + c.v;", i+1, i+2)
	}, `await import('/0.mjs'); let n = 0; while (fs.existsSync('/' + n + '.mjs')) n++; return n`},
}

// graphFiles are the files of a graph, each with a body that nests as deep as it says.
func graphFiles(t testing.TB, graph, n, nesting int) afero.Fs {
	files := afero.NewMemMapFs()
	body := "\n" + strings.Repeat("(", nesting) + "1" + strings.Repeat(")", nesting) + ";\n"
	g := graphs[graph]
	for i := range n {
		require.NoError(t, afero.WriteFile(files, fmt.Sprintf("/%d.%s", i, g.ending),
			[]byte(g.content(i, n)+body), 0o644))
	}
	require.NoError(t, afero.WriteFile(files, "/one.cjs", []byte("exports.v = 1;"+body), 0o644))
	return files
}

// TestMemoryOfModules loads graphs of files whose bodies need a large native stack to be compiled.
func TestMemoryOfModules(t *testing.T) {
	if !alone(t) {
		return
	}
	const limit, most = 64 << 20, 64<<20 + 64<<20 + 100<<20
	sizes := []int{15}
	if *soak {
		sizes = []int{1, 2, 10, 100, 190, 1000, 10_000}
	}
	scripts := startScripts(t)
	for i, g := range graphs {
		for _, n := range sizes {
			if !*soak && !g.nests {
				n = 2
			}
			t.Run(fmt.Sprintf("%s of %d", g.name, n), func(t *testing.T) {
				nesting := 2000
				if n > 190 { // or it takes minutes
					nesting = 200
				}
				options := javascript.RunOptions{Files: graphFiles(t, i, n, nesting),
					Limits: sandbox.Limits{Memory: limit}}
				debug.FreeOSMemory()
				before := procmem.Resident()
				var result *javascript.Result
				var err error
				grown := mostResident(func() { result, err = scripts.Run(t.Context(), g.script, &options) }) - before
				t.Logf("%d MiB: %v", grown>>20, err)
				require.LessOrEqual(t, grown, int64(most))
				if err == nil {
					require.EqualValues(t, n, result.Value)
					return
				}
				require.Greater(t, n, 190, "%v", err) // a chain can be too long
				require.True(t, javascript.IsScriptFailure(err), "%v", err)
			})
		}
	}
	t.Run("recursion and nested code in every way into the engine", func(t *testing.T) {
		const recurse = "const recurse = () => { try { recurse() } catch {} }; recurse();\n"
		nested := strings.Repeat("(", 2500) + "1" + strings.Repeat(")", 2500) + ";\n"
		files := afero.NewMemMapFs()
		for name, text := range map[string]string{
			"/lib/a.js": nested + "{" + recurse + "}", "/lib/b.js": "{" + recurse + "} exports.b = 1;" + nested,
			"/a.mjs": "import './b.cjs'; import './c.mjs';" + nested + recurse,
			"/b.cjs": recurse + "require('./d.cjs'); exports.x = 1; Object.defineProperty(exports, 'y', {enumerable: " +
				"true, get() {" + recurse + "}});" + nested,
			"/c.mjs": "import './b.cjs';" + nested + recurse + "await import('./e.mjs')", "/d.cjs": nested + recurse,
			"/e.mjs": nested + recurse,
		} {
			require.NoError(t, afero.WriteFile(files, name, []byte(text), 0o644))
		}
		options := javascript.RunOptions{Files: files, Libraries: []string{"/lib"},
			Limits: sandbox.Limits{Memory: limit}}
		script := recurse + `
			const junk = [];
			for (let i = 0; i < 50; i++) junk.push(new Uint8Array(1e6).fill(1));
			await import('/a.mjs');
			for (let i = 0; i < 3; i++) await new Promise((done) => setTimeout(() => { recurse(); done() }));
			echo({get x() { recurse(); return 1 }, toJSON() { recurse(); return 1 }});
			return junk.length`
		options.Functions = []javascript.Function{{Name: "echo", Call: func(_ context.Context, args []any) (any,
			error) {
			return args[0], nil
		}}}
		debug.FreeOSMemory()
		before := procmem.Resident()
		var result *javascript.Result
		var err error
		grown := mostResident(func() { result, err = scripts.Run(t.Context(), script, &options) }) - before
		t.Logf("%d MiB", grown>>20)
		require.NoError(t, err)
		require.EqualValues(t, 50, result.Value, "%v", result.Console)
		require.LessOrEqual(t, grown, int64(most))
	})
}

// BenchmarkModules loads 80 small files in several ways.
func BenchmarkModules(b *testing.B) {
	scripts := startScripts(b)
	for i, g := range graphs {
		options := javascript.RunOptions{Files: graphFiles(b, i, 80, 1)}
		b.Run(g.name, func(b *testing.B) {
			for b.Loop() {
				_, err := scripts.Run(b.Context(), g.script, &options)
				require.NoError(b, err)
			}
		})
	}
}
