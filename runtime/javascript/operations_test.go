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
)

// operations returns the names of all that code in the sandbox can have the host do.
func operations(t *testing.T) map[string]bool {
	names := map[string]bool{"wasi proc_exit": true, "engine yield": true}
	parsed, err := parser.ParseFile(token.NewFileSet(), "../../guest/quickjs/patches.go", nil, 0)
	require.NoError(t, err)
	ast.Inspect(parsed, func(n ast.Node) bool {
		if spec, ok := n.(*ast.ValueSpec); ok {
			for _, identifier := range spec.Names {
				if name, ok := strings.CutSuffix(identifier.Name, "Argc"); ok {
					names["engine "+strings.ToLower(name)] = true
				}
			}
		}
		return true
	})
	require.Contains(t, names, "engine regexp")
	for _, name := range features.Functions() {
		names[name] = true
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
