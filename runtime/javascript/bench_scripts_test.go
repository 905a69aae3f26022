package javascript_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/runtime/javascript"
)

// benchmarkScripts measures scripts without the start of their sandboxes, and reports the median.
func benchmarkScripts(b *testing.B, options javascript.RunOptions, scripts []benchmarkScript) {
	for _, s := range scripts {
		b.Run(s.name, func(b *testing.B) {
			var times []float64
			for b.Loop() {
				result := run(b, s.before+"\nconst began = performance.now();\n"+s.script+
					"\nreturn performance.now() - began", options)
				times = append(times, result.Value.(float64))
			}
			slices.Sort(times)
			b.ReportMetric(times[len(times)/2], "ms")
			b.ReportMetric(0, "ns/op")
		})
	}
}

type benchmarkScript struct {
	name   string
	before string // what is not measured
	script string
}

// objects makes an array of n objects, a.
const objects = `const a = [];
	for (let i = 0; i < n; i++) a.push({id: i, name: 'name' + i, tags: ['a', 'b'], v: i / 3});`

func BenchmarkFunctions(b *testing.B) {
	options := javascript.RunOptions{
		Files:     afero.NewMemMapFs(),
		Functions: []javascript.Function{{Name: "echo", Call: echo}, {Name: "later", Call: echo, Async: true}},
	}
	benchmarkScripts(b, options, []benchmarkScript{
		{"1000 numbers", ``, `for (let i = 0; i < 1000; i++) echo(i)`},
		{"1000 strings", ``, `for (let i = 0; i < 1000; i++) echo('hello')`},
		{"1000 objects", ``, `for (let i = 0; i < 1000; i++) echo({a: [1, 2, 3], b: 'c'})`},
		{"1000 promises", ``, `for (let i = 0; i < 1000; i++) await later(i)`},
		{"2000 objects at once", `const n = 2000;` + objects, `echo(a)`},
		{"1000 calls of existsSync", ``, `for (let i = 0; i < 1000; i++) fs.existsSync('/a')`},
	})
}

func BenchmarkTransfer(b *testing.B) {
	files := afero.NewMemMapFs()
	for name, part := range map[string]string{"/ascii": "hello wor", "/latin1": "héllo wo", "/wide": "h€llo w"} {
		require.NoError(b, afero.WriteFile(files, name, []byte(strings.Repeat(part, 1<<20/len(part))), 0o600))
	}
	const text, bytes = `const text = 'x'.repeat(1 << 20);`, `const bytes = new Uint8Array(1 << 20);`
	benchmarkScripts(b, javascript.RunOptions{Files: files}, []benchmarkScript{
		{"read ASCII", ``, `fs.readFileSync('/ascii', 'utf8')`},
		{"read Latin-1", ``, `fs.readFileSync('/latin1', 'utf8')`},
		{"read other text", ``, `fs.readFileSync('/wide', 'utf8')`},
		{"read bytes", ``, `fs.readFileSync('/ascii')`},
		{"read base64", ``, `fs.readFileSync('/ascii', 'base64')`},
		{"write text", text, `fs.writeFileSync('/copy', text)`},
		{"write bytes", bytes, `fs.writeFileSync('/copy', bytes)`},
		{"TextEncoder", text, `new TextEncoder().encode(text)`},
		{"TextDecoder", bytes, `new TextDecoder().decode(bytes)`},
		{"btoa", text, `btoa(text)`},
		{"atob", text, `atob(text)`},
	})
}

func BenchmarkConsole(b *testing.B) {
	options := javascript.RunOptions{Limits: sandbox.Limits{Output: 4 << 20}}
	benchmarkScripts(b, options, []benchmarkScript{
		{"10 000 lines", ``, `for (let i = 0; i < 10000; i++) console.log('line', i)`},
		{"2000 objects in one", `const n = 2000;` + objects, `console.log(a)`},
		{"500 objects", `const n = 500;` + objects, `for (let i = 0; i < n; i++) console.log(a[i])`},
		{"500 objects of a class", `class C { x = 1 }; const c = new C()`,
			`for (let i = 0; i < 500; i++) console.log(c)`},
		{"a table of 200 rows", `const n = 200;` + objects, `console.table(a)`},
	})
}

func BenchmarkAllocation(b *testing.B) {
	benchmarkScripts(b, javascript.RunOptions{}, []benchmarkScript{
		{"20 000 objects", `const n = 20000;`, objects},
		{"a map of 20 000", ``, `const m = new Map(); for (let i = 0; i < 20000; i++) m.set('k' + i, {i})`},
		{"JSON of 2000 objects", `const n = 2000;` + objects, `JSON.parse(JSON.stringify(a))`},
		{"20 000 cycles", ``, `for (let i = 0; i < 20000; i++) { const o = {i}; o.self = o }`},
		{"30 MiB in pieces", ``, `const a = []; for (let i = 0; i < 30; i++) a.push(new Uint8Array(1 << 20))`},
	})
}

// BenchmarkResult is a result of about half a megabyte, and what makes it.
func BenchmarkResult(b *testing.B) {
	b.ReportAllocs()
	options := javascript.RunOptions{Limits: sandbox.Limits{Output: 4 << 20}}
	for b.Loop() {
		run(b, `const n = 8000; `+objects+` return a`, options)
	}
}
