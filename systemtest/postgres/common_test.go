//go:build systemtest

package postgres_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/test/pgtest"
)

// TestInADatabase runs the tests that stores have in common, which are tests of other packages, with a database. They
// are those that mention a name that gives them each kind of store.
func TestInADatabase(t *testing.T) {
	t.Parallel()
	names := []string{
		"Stores", "stores", "Each", "forEachStore", "eachStore", "inStores", "eachKeeping", "inDatabase",
	}
	root := filepath.Join("..", "..")
	packages := []string{"./vfs", "./vfs/admin", "./vfs/archive", "./vfs/local"}
	var tests []string
	for _, dir := range packages {
		files, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(dir), "*_test.go"))
		require.NoError(t, err)
		before := len(tests)
		for _, file := range files {
			tests = append(tests, testsThatMention(t, file, names)...)
		}
		require.Greater(t, len(tests), before, dir)
	}
	if !*soak { // most of them never get as far as the store
		tests = slices.DeleteFunc(tests, func(name string) bool { return name == "TestArchiveAttacks" })
	}
	run := "^(" + strings.Join(tests, "|") + ")$"
	cmd := exec.Command("go", append([]string{"test", "-tags", "systemtest", "-vet=off", "-count=1", "-v", "-run", run},
		packages...)...)
	cmd.Dir, cmd.Env = root, pgtest.Get(t).Environ()
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	for _, test := range tests { // random operations have numbers
		require.Regexp(t, "--- PASS: "+test+"/(.*database|[0-9])", string(out))
	}
}

// testsThatMention returns the names of the tests in a file that mention one of some names.
func testsThatMention(t *testing.T, file string, names []string) (tests []string) {
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	require.NoError(t, err)
	wanted := map[string]bool{}
	for _, name := range names {
		wanted[name] = true
	}
	for _, decl := range parsed.Decls {
		f, ok := decl.(*ast.FuncDecl)
		if !ok || !strings.HasPrefix(f.Name.Name, "Test") {
			continue
		}
		mentions := false
		ast.Inspect(f.Body, func(node ast.Node) bool {
			id, ok := node.(*ast.Ident)
			mentions = mentions || ok && wanted[id.Name]
			return !mentions
		})
		if mentions {
			tests = append(tests, f.Name.Name)
		}
	}
	return tests
}
