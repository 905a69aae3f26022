package module_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/js/module"
)

// provides returns the code around an import of names from a module, with the check that they exist.
func provides(specifier string, names ...string) string {
	checks := `const check = (name) => { if (!(name in module)) throw new SyntaxError("The requested module '` +
		specifier +
		`' does not provide an export named '" + name + "'"); }; `
	for _, name := range names {
		checks += `check("` + name + `"); `
	}
	return `((module) => { ` + checks + `return module; })(await import("` + specifier + `"))`
}

// TestSplitImports marks the text to be blanked with « and » if a semicolon replaces its start, else with ‹ and ›.
func TestSplitImports(t *testing.T) {
	for _, test := range []struct{ name, code, imports string }{
		{"nothing", "return 1", ""},
		{"a default", "«import a from 'x';» return a", `const {"default": a} = ` + provides("x", "default") + ";"},
		{"names", "«import {a, b as c, default as d,} from \"x\"»", `const {"a": a, "b": c, "default": d} = ` +
			provides("x", "a", "b", "default") + ";"},
		{"a name that is a string", "«import {'a-b' as c} from 'x'»", `const {"a-b": c} = ` + provides("x",
			"a-b") + ";"},
		{"a namespace", "«import * as a from 'x'»", `const a = await import("x");`},
		{"a default and names", "«import a,{b}from'x'»", `const {"default": a, "b": b} = ` + provides("x", "default",
			"b") + ";"},
		{"a default and a namespace", "«import a, * as b from 'x'»", `const b = ` + provides("x", "default") +
			`, {"default": a} = b;`},
		{"for its effects", "«import 'x'»", `await import("x");`},
		{"no names", "«import {} from 'x'»", `await import("x");`},
		{"two", "«import 'x'»\n«import 'y';»\nreturn", `await import("x"); await import("y");`},
		{"two without a line between", "«import 'x';»«import 'y';»return", `await import("x"); await import("y");`},
		{"over several lines", "«import {\n  a,\r\n  b // é😀\n} from 'x'»\n(1)", `const {"a": a, "b": b} = ` +
			provides("x", "a", "b") + ";"},
		{"attributes", "«import a from 'x' with {type: 'json', 'b c': \"d\"}»", `const {"default": a} = ` +
			provides("x", "default") + ";"},
		{"a specifier with quotes", `«import "a\"\u{1F600}\x41\n'\
b"»`, `await import("a\"😀A\n'b");`},
		{"a line separator", "«import 'a\u2028b'»", `await import("a\u2028b");`},
		{"in the middle", "f()\n«import 'x'»\n(g)", `await import("x");`},
		{"types", "«import type {a} from 'x';» «import {type b} from 'y';» «import type c from 'z';» «import type * " +
			"as d from 'w'»", ""},
		{"types and values", "«import a, {type b, type c as d, e} from 'x'»", `const {"default": a, "e": e} = ` +
			provides("x", "default", "e") + ";"},
		{"type as a name", "«import type from 'x'»", `const {"default": type} = ` + provides("x", "default") + ";"},
		{"a type called from", "«import type from from 'x'»", ""},
		{"type as a name among others", "«import type, {type as a, type as as, type} from 'x'»",
			`const {"default": type, "type": a, "type": as, "type": type} = ` + provides("x", "default", "type", "type",
				"type") + ";"},
		{"dynamic imports", "const a = import('x'), b = import.meta; a.import = {import: 1}", ""},
		{"in brackets", "if (a) { import 'x' }", ""},
		{"in a text", "`\nimport 'x'\n${`import 'y'`}`", ""},
		{"exported declarations", "‹export› const a = 1; ‹export› async function b() {}\n‹export› class C {}", ""},
		{"an export list", "«export {a, b as 'c'};»\n«export {}»\nreturn", ""},
		{"a call after what begins like an import", "import.meta.x\nimport(y)", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			imports, rest, err := module.SplitImports(strings.NewReplacer("«", "", "»", "", "‹", "", "›",
				"").Replace(test.code))
			require.NoError(t, err)
			require.Equal(t, test.imports, imports)
			require.Equal(t, blanked(test.code), rest)
		})
	}
}

// blanked blanks the marked text.
func blanked(code string) string {
	var out strings.Builder
	inside, first := false, false
	for _, r := range code {
		switch {
		case strings.ContainsRune("«‹", r):
			inside, first = true, r == '«'
		case strings.ContainsRune("»›", r):
			inside = false
		case first:
			out.WriteByte(';')
			first = false
		case inside && !strings.ContainsRune("\r\n\u2028", r):
			out.WriteString(strings.Repeat(" ", len(utf16.Encode([]rune{r}))))
		default:
			out.WriteRune(r)
		}
	}
	return out.String()
}

func TestSplitImportsErrors(t *testing.T) {
	for _, test := range []struct{ code, want string }{
		{"\n export default 1", "A script has no exports: use return for its result instead of export default (:2:2)"},
		{"export * from 'x'", "A script has no exports: import what it needs instead of export ... from (:1:1)"},
		{"export {a} from 'x'", "A script has no exports: import what it needs instead of export ... from (:1:1)"},
		{"'😀'; import a, from 'x'", `Unexpected "from" in an import or export declaration (:1:17)`},
		{"import a 'x'", `Unexpected "'x'" in an import or export declaration (:1:10)`},
		{"import {a", `Unexpected end of an import or export declaration (:1:10)`},
		{"import {a b} from 'x'", `Unexpected "b" in an import declaration (:1:11)`},
		{"import {'a'} from 'x'", `Unexpected string in an import declaration: a name must follow (:1:9)`},
		{"import a from 'x' b", `Unexpected "b" in an import or export declaration (:1:19)`},
		{"import a = require('x')", `import x = is not supported: write import x from '...' (:1:1)`},
		{`import '\1'`, `Invalid string in an import declaration (:1:8)`},
		{`import '\u{110000}'`, `Invalid string in an import declaration (:1:8)`},
		{"export +1", `Unexpected "+" in an import or export declaration (:1:8)`},
	} {
		t.Run(test.code, func(t *testing.T) {
			_, _, err := module.SplitImports(test.code)
			var syntax *module.SyntaxError
			require.ErrorAs(t, err, &syntax)
			require.EqualError(t, err, test.want)
		})
	}
}

func FuzzSplitImports(f *testing.F) {
	for _, test := range kinds {
		f.Add(test.code)
	}
	for _, part := range hostile {
		f.Add(strings.Repeat(part, 5))
	}
	f.Add("import a, {type b, 'c' as d} from 'x' with {type: 'json'}")
	f.Fuzz(func(t *testing.T, code string) {
		code = strings.ToValidUTF8(code, "")
		imports, rest, err := module.SplitImports(code)
		if err != nil {
			return
		}
		require.NotContains(t, imports, "\n")
		before, after := utf16.Encode([]rune(code)), utf16.Encode([]rune(rest))
		require.Len(t, after, len(before))
		for i := range before {
			if before[i] != after[i] {
				require.Contains(t, " ;", string(rune(after[i])))
				require.NotContains(t, "\r\n\u2028\u2029", string(rune(before[i])))
			}
		}
	})
}

func TestImportsAreNotMuchLongerThanTheSource(t *testing.T) {
	var names strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&names, "a%d,", i)
	}
	source := "import {" + names.String() + "} from '/" + strings.Repeat("x", 20_000) + "'"
	imports, _, err := module.SplitImports(source)
	require.NoError(t, err)
	require.Less(t, len(imports), 10*len(source))
}
