package module_test

import (
	"context"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/js/module"
)

// strip returns StripBody or StripTypes.
func strip(body bool) func(ctx context.Context, code, name string) (string, *module.Map, error) {
	if body {
		return module.StripBody
	}
	return module.StripTypes
}

func TestStripTypes(t *testing.T) {
	for _, test := range []struct{ name, code, want string }{
		{"annotations", "let a: number = <any>b as unknown as number, c!: string;", "let a = b, c;\n"},
		{"declarations of types", "type A = 1; interface B {} declare const c: A; export type D = A", ""},
		{"an enum", "enum A { B = 'c' }",
			"var A = /* @__PURE__ */ ((A2) => {\n  A2[\"B\"] = \"c\";\n  return A2;\n})(A || {});\n"},
		{"a namespace", "namespace A { export const b = 1 }", "var A;\n((A2) => {\n  A2.b = 1;\n})(A || (A = {}));\n"},
		{"parameter properties", "class A { constructor(private b = 1) {} }",
			"class A {\n  constructor(b = 1) {\n    this.b = b;\n  }\n  b;\n}\n"},
		{"unused imports", "import {A, b} from './x'; import C from './y'; import './z'; let d: A | C = b",
			"import { b } from \"./x\";\nimport \"./z\";\nlet d = b;\n"},
		{"await outside of functions", "const a: number = await b", "const a = await b;\n"},
		{"attributes", "import a from './a.json' with {type: 'json'}; f(a)",
			"import a from \"./a.json\" with { type: \"json\" };\nf(a);\n"},
		{"new syntax", "class A { #b = 1; static { this.c ??= 2 } }\nx?.y",
			"class A {\n  #b = 1;\n  static {\n    this.c ??= 2;\n  }\n}\nx?.y;\n"},
		{"a regular expression", "const a = /(?<b>c)/v", "const a = new RegExp(\"(?<b>c)\", \"v\");\n"},
		{"other letters", "const é: string = '😀\u2028'", "const é = \"😀\\u2028\";\n"},
		{"no tsconfig's JSX", "let a = <T,>(b: T) => b", "let a = (b) => b;\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			js, m, err := module.StripTypes(t.Context(), test.code, "x.ts")
			require.NoError(t, err)
			require.Equal(t, test.want, js)
			require.NotNil(t, m)
		})
	}
}

func TestStripBody(t *testing.T) {
	for _, test := range []struct{ name, code, want string }{
		{"a return", "const a: number = await b;\nreturn a", "\n  const a = await b;\n  return a;\n"},
		{"nothing", "", "\n"},
		{"a comment at the end", "return 1 // as any", "\n  return 1;\n"},
		{"a hashbang", "#!/usr/bin/env x\nreturn 1", "\n  return 1;\n"},
		{"an enum", "enum A { B }\nreturn A.B",
			"\n  let A;\n  ((A2) => {\n    A2[A2[\"B\"] = 0] = \"B\";\n  })(A || (A = {}));\n  return 0 /* B */;\n"},
		{"imports", "import a, {type B, C, d} from '/x'\nconst e: C = d\nreturn a(e as B)",
			`const {"default": a, "d": d} = ` + provides("/x", "default", "d") + ";\n  ;\n  const e = d;\n  return " +
				"a(e);\n"},
		{"imports of types only", "import {A} from '/x'; import * as b from '/y'; import '/z'; let c: A\nreturn c as " +
			"b.D", "await import(\"/z\");\n  ;\n  ;\n  ;\n  let c;\n  return c;\n"},
		{"exports", "export const a: number = 1\nexport type B = 1\nexport {a}\nreturn a",
			"\n  const a = 1;\n  return a;\n"},
		{"the name of the function", "let body: body0 = body1\nreturn body", "\n  let body = body1;\n  return body;\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			js, _, err := module.StripBody(t.Context(), test.code, "x.ts")
			require.NoError(t, err)
			require.Equal(t, test.want, js)
		})
	}
	js, _, err := module.StripBody(t.Context(), "using a: B = c; return a", "x.ts")
	require.NoError(t, err)
	require.True(t, strings.HasPrefix(js, "var __"), js) // the helpers come first
	require.NotContains(t, js, "async function body")
}

func TestStripTypesErrors(t *testing.T) {
	for _, test := range []struct {
		name, code string
		body       bool
		want       string
	}{
		{"in the first line", "let é = '😀' + ;", false, `Unexpected ";" (x.ts:1:16)`},
		{"in the first line of a body", "let é = '😀' + ;", true, `Unexpected ";" (x.ts:1:16)`},
		{"in a later line", "let a\r\nlet b\u2028let c = ;", true, `Unexpected ";" (x.ts:3:9)`},
		{"at the end", "let a =", false, `Unexpected end of file (x.ts:1:8)`},
		{"at the end of a body", "let a\nlet b =", true, `Unexpected end of file (x.ts:2:8)`},
		{"an open bracket of a body", "if (a) {\n b", true, `Unexpected end of file (x.ts:2:3)`},
		{"the first of several", "let a; let a; let a", false, `The symbol "a" has already been declared (x.ts:1:12)`},
		{"return outside of a function", "return await 1", false,
			`Top-level return cannot be used inside an ECMAScript module (x.ts:1:1)`},
		{"the end of the body's function", "return 1 }; async function f() {", true, `Unexpected "}" (x.ts:1:10)`},
		{"the end of the body's function in a template", "`${1}}`; }\n{", true, `Unexpected "}" (x.ts:1:10)`},
		{"an export of a body", "\nexport default 1", true,
			`A script has no exports: use return for its result instead of export default (x.ts:2:1)`},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, _, err := strip(test.body)(t.Context(), test.code, "x.ts")
			var syntax *module.SyntaxError
			require.ErrorAs(t, err, &syntax)
			require.EqualError(t, err, test.want)
		})
	}
	_, _, err := module.StripTypes(t.Context(), strings.Repeat(" ", module.MaxTypeScript+1), "x.ts")
	require.EqualError(t, err, "Cannot load x.ts: it is larger than 131072 bytes")
}

// TestPositions maps the positions of words in the output back to the source.
func TestPositions(t *testing.T) {
	const code = `interface A { /* 😀 */ a: string }; let one: number = two; if ('😀' as any) three()
enum E { four = 1 }
import { five } from '/five'

function six(a: A): void { /* 😀 */ five(seven); }
export const eight = () => { throw new Error(nine) }`
	for _, body := range []bool{false, true} {
		js, m, err := strip(body)(t.Context(), code, "x.ts")
		require.NoError(t, err)
		for _, name := range []string{"one", "two", "three", "four", "six", "seven", "eight", "nine"} {
			line, column := position(t, js, name)
			wantLine, wantColumn := position(t, code, name)
			if name == "four" {
				column-- // a string
			}
			gotLine, gotColumn, ok := m.Original(line, column)
			require.True(t, ok, name)
			require.Equal(t, []int{wantLine, wantColumn}, []int{gotLine, gotColumn}, name)
		}
		_, _, ok := m.Original(0, 1)
		require.False(t, ok)
		_, _, ok = m.Original(1000, 1)
		require.False(t, ok)
	}
}

// position returns the line and the column, in UTF-16 code units, of a word.
func position(t *testing.T, code, name string) (line, column int) {
	before, _, ok := strings.Cut(code, name)
	require.True(t, ok, name)
	lines := strings.Split(before, "\n")
	for _, r := range lines[len(lines)-1] {
		column++
		if r > 0xFFFF {
			column++
		}
	}
	return len(lines), column + 1
}

// impatient is a context that ends as soon as somebody waits for it.
type impatient struct {
	context.Context
	waited atomic.Bool
}

func (c *impatient) Err() error {
	if c.waited.Load() {
		return context.Canceled
	}
	return nil
}

func (c *impatient) Done() <-chan struct{} {
	c.waited.Store(true)
	done := make(chan struct{})
	close(done)
	return done
}

func TestAbandonedTransforms(t *testing.T) {
	code := strings.Repeat("class A {}\n", 3000) // takes long for its length
	for range runtime.GOMAXPROCS(0) {
		_, _, err := module.StripTypes(&impatient{Context: t.Context()}, code, "x.ts")
		require.ErrorIs(t, err, context.Canceled)
	}
	_, _, err := module.StripTypes(t.Context(), "let a: number", "x.ts")
	require.ErrorIs(t, err, module.ErrBusy)
	module.AwaitTransforms()
	_, _, err = module.StripTypes(t.Context(), "let a: number", "x.ts")
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, _, err = module.StripTypes(ctx, "let a: number", "x.ts")
	require.ErrorIs(t, err, context.Canceled)
}
