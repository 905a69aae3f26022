package javascript

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	jsfs "github.com/toolrun/toolrun/runtime/javascript/fs"
)

// operations returns the names of all that code in the sandbox can have the host do.
func operations(t *testing.T) map[string]bool {
	names := map[string]bool{"wasi proc_exit": true, "engine yield": true}
	constants := func(file, prefix, suffix string, name func(string) string) {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		require.NoError(t, err)
		found := 0
		ast.Inspect(parsed, func(n ast.Node) bool {
			if spec, ok := n.(*ast.ValueSpec); ok {
				for _, identifier := range spec.Names {
					if strings.HasPrefix(identifier.Name, prefix) && strings.HasSuffix(identifier.Name, suffix) {
						names[name(strings.TrimSuffix(strings.TrimPrefix(identifier.Name, prefix), suffix))] = true
						found++
					}
				}
			}
			return true
		})
		require.Positive(t, found)
	}
	constants("host.go", "op", "", func(s string) string { return strings.ToLower(s[:1]) + s[1:] })
	constants("../../guest/quickjs/patches.go", "", "Argc", func(s string) string {
		return "engine " + strings.ToLower(s)
	})
	for _, name := range features.Functions() {
		names["web "+name] = true
	}
	for _, name := range jsfs.Operations() {
		names["fs "+name] = true
	}
	wasi, err := os.ReadFile("../wasi.go")
	require.NoError(t, err)
	for _, m := range regexp.MustCompile(`(?m)^\t"(\w+)": +\{`).FindAllSubmatch(wasi, -1) {
		names["wasi "+string(m[1])] = true
	}
	return names
}

// TestEveryOperationIsDocumented compares the operations with the rows of the page that says what each costs.
func TestEveryOperationIsDocumented(t *testing.T) {
	page, err := os.ReadFile("../../docs/host-operations.md")
	require.NoError(t, err)
	all := operations(t)
	require.Greater(t, len(all), 60)
	documented := map[string]bool{}
	name := regexp.MustCompile("`([^`]+)`")
	for line := range strings.Lines(string(page)) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		if !strings.HasPrefix(line, "| `") {
			continue
		}
		require.Len(t, cells, 5, line)
		for _, m := range name.FindAllStringSubmatch(cells[0], -1) {
			require.False(t, documented[m[1]], "%s has two rows", m[1])
			documented[m[1]] = true
		}
	}
	require.Equal(t, all, documented)
}
