package module_test

import (
	"context"
	"fmt"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/js/module"
	"github.com/toolrun/toolrun/internal/test/race"
)

// nest is code that can be nested in itself: before and after enclose the next level.
type nest struct{ head, before, core, after string }

func (n nest) code(times int) string {
	return n.head + strings.Repeat(n.before, times) + n.core + strings.Repeat(n.after, times)
}

// deep has code that makes the parser, or a later pass, recurse.
var deep = []nest{
	{"", "(", "1", ")"}, {"", "[", "1", "]"}, {"", "{", "", "}"}, {"", "({a:", "1", "})"}, {"", "`${", "1", "}`"},
	{"", "a(", "1", ")"}, {"", "a[", "1", "]"}, {"", "a?.(", "1", ")"}, {"", "!", "1", ""}, {"", "- ", "1", ""},
	{"", "~", "1", ""},
	{"", "typeof ", "1", ""}, {"", "await ", "1", ""}, {"", "new ", "a", ""}, {"", "a=>", "1", ""}, {"", "async a=>",
		"1", ""},
	{"", "a?b:", "1", ""}, {"", "a?", "1", ":b"}, {"", "a**", "1", ""}, {"", "a=", "1", ""}, {"", "a??=", "1", ""},
	{"", "if(a)", "b", ""}, {"", "if(a)b;else ", "c", ""}, {"", "if(a)b,c;else ", "d", ""},
	{"", "if(a){}else ", "c", ""},
	{"", "l:if(a)b,c;else ", "d", ""}, {"", "if(a)do b;while(c);else ", "d", ""}, {"", "for(;;)", "a", ""},
	{"", "while(a)\n", "b", ""}, {"", "do ", "a", "\nwhile(b)"}, {"", "do ", "a", ";while(b)"}, {"", "a:", "b", ""},
	{"", "with(a)", "b", ""},
	{"x=", "class extends ", "A", "{}"}, {"x=", "class{x=", "1", "}"}, {"", "class A{static{", "", "}}"},
	{"", "class A{x(){", "", "}}"},
	{"", "<T>", "x", ""}, {"", "<T>+", "x", ""}, {"", "(<T>", "x", ")"}, {"", "<T>()=>", "x", ""}, {"", "<T,>(a:T)=>",
		"x", ""},
	{"", "function f(){", "", "}"}, {"", "()=>{", "", "}"}, {"", "namespace a{", "", "}"}, {"namespace ", "a.", "b",
		"{}"},
	{"", "switch(a){case 1:", "", "}"}, {"", "try{", "", "}finally{}"}, {"", "@(", "a", ")class A{}"},
	{"", "x={[", "a", "]:1}"},
	{"", "declare ", "class A{}", ""}, {"", "declare\n", "class A{}", ""}, {"", "abstract ", "class A{}", ""},
	{"", "export ", "class A{}", ""},
	{"", "(a||b&&c|d^e&f==g+h*", "i", ")"}, {"", "(a=b?c:d=>e**!", "i", ")"},
	{"let x:", "keyof ", "A", ""}, {"let x:", "k\\u0065yof ", "A", ""}, {"let x:", "keyof\n", "A", ""},
	{"let x:", "readonly ", "A[]", ""},
	{"let x:", "A<", "B", ">"}, {"let x:", "A<B,", "C", ">"}, {"let x:", "()=>", "A", ""},
	{"let x:", "new()=>", "A", ""},
	{"let x:", "abstract new ()=>", "A", ""}, {"let x:", "(", "A", ")"}, {"let x:", "[", "A", "]"}, {"let x:", "{a:",
		"A", "}"},
	{"let x:", "A extends B ? ", "C", ":D"}, {"let x:", "A extends B ? C : ", "D", ""},
	{"let x:", "(a: ", "A", ") => B"},
	{"let x:", "A[", "B", "]"}, {"let x:", "`${", "A", "}`"}, {"let x:", "x is ", "A", ""}, {"let x:", "{[a in ", "A",
		"]:B}"},
	{"let x:", "<T extends ", "A", ">()=>B"}, {"let x:", "typeof a.", "b", ""}, {"let x:", "A.", "b", ""},
	{"a", "", "", ".b"}, {"a", "", "", "()"}, {"a", "", "", "[0]"}, {"a", "", "", "?.b"}, {"a", "", "", "``"},
	{"a", "", "", "!"},
	{"a", "", "", " as T"}, {"a", "", "", "<b>()"}, {"a", "", "", "<b>``"}, {"a", "", "", "++"}, {"a", "", "", "\n.b"},
	{"a", "", "", "!.b"},
	{"a", "", "", "=b"}, {"a", "", "", "**b"}, {"import a=b", "", "", ".c"},
}

// slow has code that makes the parser read parts again and again, or needs disproportionate output or memory.
var slow = []nest{
	{"x=", "a?(b):c=>", "d", ""}, {"x=", "a?(b):c=>{", "d", "}"}, {"x=", "a?(b:c):d=>(", "e", "):f"},
	{"let x:", "infer A extends ", "B", ""}, {"type T=", "A extends (infer B extends ", "C", "?1:2)?1:2"},
	{"type T=", "A extends (inf\\u0065r B extends ", "C", "?1:2)?1:2"}, {"x=[", "a?async (b):c=>[", "d", "]"},
	{"a", "", "", "<b"}, {"x=", "a<(", "b", ""}, {"x=", "a<{b:", "c", "}"}, {"x=", "f<(", "b", ")>"},
	{"a", "", "", ",b"}, {"let a", "", "", ",b"}, {"f(a", "", "", ",b"}, {"x={[a", "", "", ",b"},
	{"x=y[1", "", "", ",2"}, {"enum A{a", "", "", ",b"},
	{"'a'", "", "", "+'b'"}, {"x=", "", "", "+{} "}, {"x={}", "", "", "??{}"}, {"let x:A", "", "", "|B"},
	{"enum A{a='b',", "", "", "b=a+a,"}, {"enum A{a='b',", "", "", "b=`${a}${a}`,"}, {"enum A{a='b',", "", "",
		"b=a+1+a,"}, {"enum A{a='b',", "", "", "b=1+(a)+(a),"},
	{"x=A.a", "", "", "+A.a"},
}

func TestComplexTypeScriptIsRefused(t *testing.T) {
	for _, n := range append(deep, slow...) {
		code := n.code(9000)
		if len(code) > module.MaxTypeScript {
			code = n.code(3000)
		}
		_, _, err := module.StripTypes(t.Context(), code, "x.ts")
		var complex *module.ComplexityError
		require.ErrorAs(t, err, &complex, "%v", n)
	}
	for name, code := range map[string]string{
		"a long text of an enum":   "enum A { a = '" + strings.Repeat("x", 300) + "' }",
		"a long regex of an enum":  "enum A { a = /" + strings.Repeat("x", 300) + "/ + 1 }",
		"a long number of an enum": "enum A { a = '' + " + strings.Repeat("1", 300) + "n }",
		"sums of texts of an enum": strings.Repeat("x = "+strings.Repeat("A.a + ", 50)+"1\n", 10) +
			"enum A { a = '" + strings.Repeat("x", 200) + "' }",
		"sums in enums":                   "enum A { a = 'x'," + strings.Repeat("b = a + 1,", 100) + "}",
		"a long name":                     "namespace " + strings.Repeat("x", 300) + " { export let a; a }",
		"a comment as in HTML":            "x\n<!-- `\n",
		"the end of a comment as in HTML": "x\n--> `\n",
		"a slash of either sort":          "type X = (a)\n/ ( / 2",
		"a quote behind such a slash":     "yield / '/ '",
		"a comment behind such a slash":   "x!/ a //* b",
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := module.StripTypes(t.Context(), code, "x.ts")
			var complex *module.ComplexityError
			require.ErrorAs(t, err, &complex)
		})
	}
	_, _, err := module.StripTypes(t.Context(), "'😀';\n'😀' + "+strings.Repeat("(", 400), "x.ts")
	require.EqualError(t, err, "TypeScript here: this nests too deeply; split it up, or use JavaScript (x.ts:2:264)")
}

func TestOrdinaryTypeScriptIsTaken(t *testing.T) {
	for name, code := range map[string]string{
		"a long list": "x = [" + strings.Repeat("1, 'a', {b: 2}, ", 1500) + "]",
		"many statements": strings.Repeat("f = (a: number): number => a < 1 ? -a : !a ? a : a + 1\n",
			500),
		"many statements on a line": strings.Repeat("if (a) { b() } else { c.d.e = -f }", 1000),
		"a class with many members": "class A {\n" +
			strings.Repeat("  private async f<T extends B>(a?: Map<string, T[]>): Promise<void> { await this.g(a!) }\n",
				400) + "}",
		"a long union":            "type A =\n" + strings.Repeat("  | 'abcdef'\n", 4000),
		"a long chain":            "x" + strings.Repeat("\n  .f((a) => a)", 100),
		"a long list of branches": strings.Repeat("if (a === 'b') { c = d } else ", 100) + "{}",
		"a large switch":          "switch (a) {\n" + strings.Repeat("case 'b': case 'c': return d\n", 700) + "}",
		"a large object":          "x = {" + strings.Repeat("a: b ? c : d, ", 2000) + "}",
		"a large interface": "interface A {\n" +
			strings.Repeat("  a?: B<C>\n  readonly [d: string]: E;\n f(a: string): void\n", 500) + "}",
		"many enums":                    strings.Repeat("enum A { a = 'b', c = 1 << 2, d = c | 8, e = 'f' }\n", 500),
		"a sum of texts":                "enum A { a = 'some text' }\nx = A.a" + strings.Repeat(" + A.a + 'text'", 40),
		"divisions and expressions":     "x = a / b / (c) / d[0] / 2\nif (a) /[/'\"`(]/.test(b)\nconst c = [/(/, /`/]",
		"arrow functions in conditions": "x = a ? (b: C): D => e : f ? (g) : (h): I => ({})",
		"inferred types": "type A<T> = T extends [infer B extends string, ...infer C extends " +
			"string[]] ? [B, C] : never",
		"types in types": "let x: A<B<C<D<E<F<G<H[]>>>>>>>",
		"comparisons":    strings.Repeat("if (a < b && c > d || e << 2 < f) {}\n", 700),
		"decorators":     "@a @b() class C { @d() e = 1; @f accessor g }",
		"comments":       strings.Repeat("// don't (\n/* ` */\n", 4000),
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := module.StripTypes(t.Context(), code, "x.ts")
			require.NoError(t, err)
		})
	}
}

// TestTypeScriptStack transforms the deepest code that is accepted with a stack of 64 MiB. An overflow ends the
// process.
func TestTypeScriptStack(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector makes frames of the stack larger")
	}
	defer debug.SetMaxStack(debug.SetMaxStack(64 << 20))
	for _, n := range deep {
		low, high := 1, 2000
		for low < high {
			middle := (low + high + 1) / 2
			if _, _, err := module.StripTypes(context.Background(), n.code(middle), "x.ts"); isComplex(err) {
				high = middle - 1
			} else {
				low = middle
			}
		}
	}
	// Long sequences need stack, too.
	for _, part := range []string{"a;", "a,", "'a'+", "a||", "[],", "{};", "{a:1},", "a\n", "case 1:", "@a ", "A|",
		"a<b>c,", "x=", "`${a}`,"} {
		code := strings.Repeat(part, module.MaxTypeScript/len(part))
		for _, head := range []string{"", "x=[", "switch(a){"} {
			_, _, _ = module.StripTypes(context.Background(), (head + code)[:module.MaxTypeScript-100], "x.ts")
		}
	}
}

func isComplex(err error) bool {
	_, ok := err.(*module.ComplexityError)
	return ok
}

func FuzzStripTypes(f *testing.F) {
	for _, n := range append(deep, slow...) {
		f.Add(n.code(3), false)
		f.Add(n.code(30), true)
	}
	for _, test := range kinds {
		f.Add(test.code, true)
	}
	f.Fuzz(func(t *testing.T, code string, body bool) {
		js, m, err := strip(body)(t.Context(), code, "x.ts")
		if err != nil {
			require.Nil(t, m)
			return
		}
		for i, line := range strings.Split(js, "\n") {
			m.Original(i+1, 1)
			if _, column, ok := m.Original(i+1, len(line)); ok {
				require.Positive(t, column)
			}
		}
	})
}

// TestTypeScriptWithManyNames checks that code is refused if the parser's messages could take long, and that ordinary
// code is accepted.
func TestTypeScriptWithManyNames(t *testing.T) {
	var complexity *module.ComplexityError
	for _, code := range []string{
		"let " + strings.Repeat("x,", 32<<10) + "y",
		"const c = 1;\n" + strings.Repeat("c++;", 16<<10),
		"switch (x) {" + strings.Repeat("case 1:", 10<<10) + "}",
		strings.Repeat("class A{}\n", 8<<10),
	} {
		_, _, err := module.StripTypes(t.Context(), code, "x.ts")
		require.ErrorAs(t, err, &complexity, "%.40s", code)
		require.Contains(t, complexity.Reason, "too long")
	}
	var plain strings.Builder
	for i := range 350 {
		fmt.Fprintf(&plain, "/** Says what the %dth one is. */\nexport function describe%d(value: number, unit: "+
			"string = 'units'): string {\n\treturn `${value.toFixed(2)} ${unit}`;\n}\n\n", i, i)
	}
	require.Greater(t, plain.Len(), 45<<10)
	_, _, err := module.StripTypes(t.Context(), plain.String(), "x.ts")
	require.NoError(t, err)
}
