package module_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/js/module"
)

// TestComments has comments that cost the parser more than their size suggests, because it searches for the start of
// their line, or copies them to the output.
func TestComments(t *testing.T) {
	for _, code := range []string{
		strings.Repeat("/*!*/", 26_000),
		"f(" + strings.Repeat("/**/", 30_000) + "a)",
		"switch (a) {" + strings.Repeat("/**/", 30_000) + "case 1: }",
		"x\n" + strings.Repeat("/* é */", 14_000),
		strings.Repeat("//!\n", 30_000),
		strings.Repeat("/* @license */\n", 8_000),
	} {
		_, _, err := module.StripTypes(t.Context(), code, "x.ts")
		require.True(t, isComplex(err), "%.20s: %v", code, err)
	}
	for _, code := range []string{
		strings.Repeat("/** Says what the next one is. */\nexport const a = 1\n", 1000),
		strings.Repeat("f(/* first */ 1, /* second */ 2) // and @param\n", 1000),
		strings.Repeat("\t/*\n\t * long\n\t */\n", 6000),
		"/*! Copyright */\n" + strings.Repeat("// a\n", 20_000) + "export {}",
	} {
		_, _, err := module.StripTypes(t.Context(), code, "x.ts")
		require.False(t, isComplex(err), "%.20s: %v", code, err)
	}
}

// TestFlags has flags of regular expressions. Each invalid one leads to a message.
func TestFlags(t *testing.T) {
	for _, code := range []string{
		"x = /a/" + strings.Repeat("g", 130_000), "x = 1 /a/" + strings.Repeat("g", 130_000),
		strings.Repeat("x = /a/"+strings.Repeat("é", 120)+";", 500),
	} {
		_, _, err := module.StripTypes(t.Context(), code, "x.ts")
		require.True(t, isComplex(err), "%.20s: %v", code, err)
	}
	_, _, err := module.StripTypes(t.Context(), strings.Repeat("x = /a/dgimsuy;\n", 1000), "x.ts")
	require.NoError(t, err)
}

// TestCostOfTypeScript transforms some of the corpus. None of it may make the parser fail.
func TestCostOfTypeScript(t *testing.T) {
	programs := corpus()
	for i := 0; i < len(programs); i += 20 {
		_, _, err := module.StripTypes(t.Context(), programs[i].sized(200), "x.ts")
		if err != nil {
			require.NotContains(t, err.Error(), "compiler failed", programs[i].name)
		}
	}
}

// BenchmarkScans measures the scans that read code before it is known to be harmless. The time per byte must not grow
// with the size.
func BenchmarkScans(b *testing.B) {
	scans := map[string]func(string){
		"CheckComplexity":   func(code string) { _ = module.CheckComplexity(code) },
		"Detect":            func(code string) { module.Detect(code) },
		"SplitImports":      func(code string) { _, _, _ = module.SplitImports(code) },
		"WithoutAttributes": func(code string) { module.WithoutAttributes(code) },
	}
	names := make([]string, 0, len(scans))
	for name := range scans {
		names = append(names, name)
	}
	slices.Sort(names)
	sizes := []struct {
		name  string
		bytes int
	}{{"n", 1 << 18}, {"4n", 1 << 20}}
	for _, name := range names {
		for _, part := range []string{"/*!*/", "a /b", "import 'a§';", "/[", "`${", "(", "a<b", "\\u{", "//\n",
			"export {a§};"} {
			for _, size := range sizes {
				code := program{part: numbered(part)}.sized(size.bytes)
				b.Run(name+"/"+strings.TrimSpace(part)+"/"+size.name, func(b *testing.B) {
					b.SetBytes(int64(len(code)))
					for b.Loop() {
						scans[name](code)
					}
				})
			}
		}
	}
}
