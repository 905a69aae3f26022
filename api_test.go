package toolrun_test

import (
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// public are the packages whose names stay: a change to them is a change for other programs.
var public = []string{".", "guest/tool", "guest/tool/toolhttp", "mcp/mcpclient", "mcp/mcpserver", "network", "provider",
	"registry", "registry/observe", "registry/registrytest", "tool", "vfs", "vfs/local", "vfs/postgres", "vfs/vfstest",
	"web"}

// mostNames bounds what a reader of the public packages can be asked to know.
const mostNames = 1300

// TestPublicAPI bounds the public packages, each of which has an example, and no function with types that other
// programs cannot name: all others are internal, commands, or say that they are experimental. Names are those at the
// top of packages, methods of exported types and interfaces, and fields of exported structs.
func TestPublicAPI(t *testing.T) {
	list, err := os.ReadFile("docs/packages.md")
	require.NoError(t, err)
	stable, experimental, _ := strings.Cut(string(list), "## Experimental")
	total, each := 0, map[string]int{}
	eachPackage(t, func(name string, pkg *build.Package) {
		if pkg.Name == "main" || strings.Contains("/"+name+"/", "/internal/") {
			return
		}
		doc, names := describe(t, name, pkg)
		switch quoted := "`" + name + "`"; {
		case slices.Contains(public, name):
			require.NotContains(t, doc, "# Experimental", name)
			require.True(t, hasExample(t, name), "%s has no example", name)
			require.True(t, name == "." || strings.Contains(stable, quoted), "docs/packages.md has no %s", name)
			total += len(names)
			each[name] = len(names)
		case len(names) > 0:
			require.Contains(t, doc, "\n# Experimental\n", "%s is not one of the public packages", name)
			require.Contains(t, experimental, quoted, "docs/packages.md")
		}
	})
	require.ElementsMatch(t, public, slices.Collect(maps.Keys(each)))
	require.LessOrEqual(t, total, mostNames, "%v", each)
	t.Logf("%d names: %v", total, each)
}

// hasExample reports whether tests of a package have an example, which is compiled with them.
func hasExample(t *testing.T, dir string) bool {
	files, err := filepath.Glob(path.Join(dir, "*_test.go"))
	require.NoError(t, err)
	return slices.ContainsFunc(files, func(file string) bool {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		return strings.Contains(string(text), "\nfunc Example")
	})
}

// describe returns the comment of a package and its exported names, on all systems.
func describe(t *testing.T, dir string, pkg *build.Package) (doc string, names map[string]bool) {
	files, err := filepath.Glob(path.Join(dir, "*.go"))
	require.NoError(t, err)
	names = map[string]bool{}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments)
		require.NoError(t, err)
		if parsed.Name.Name != pkg.Name { // a program that makes one of the files
			continue
		}
		doc += parsed.Doc.Text()
		for _, decl := range parsed.Decls {
			switch d := decl.(type) {
			case *ast.FuncDecl:
				add(names, receiver(d), d.Name)
				if names[receiver(d)+"."+d.Name.Name] && slices.Contains(public, dir) {
					require.Empty(t, internalTypes(parsed, d.Type), "%s: %s", file, d.Name)
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					switch s := spec.(type) {
					case *ast.ValueSpec:
						add(names, "", s.Names...)
					case *ast.TypeSpec:
						add(names, "", s.Name)
						addMembers(names, s)
					}
				}
			}
		}
	}
	return doc, names
}

// internalTypes returns the types of a function that other programs cannot name.
func internalTypes(file *ast.File, f *ast.FuncType) (names []string) {
	ast.Inspect(f, func(n ast.Node) bool {
		s, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		for _, i := range file.Imports {
			imported, _ := strconv.Unquote(i.Path.Value)
			name := path.Base(imported)
			if i.Name != nil {
				name = i.Name.Name
			}
			if from, ok := s.X.(*ast.Ident); ok && from.Name == name && strings.Contains(imported, "/internal/") {
				names = append(names, name+"."+s.Sel.Name)
			}
		}
		return false
	})
	return names
}

// receiver is the name of the type whose method a function is.
func receiver(f *ast.FuncDecl) (name string) {
	if f.Recv != nil {
		ast.Inspect(f.Recv.List[0].Type, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok && name == "" {
				name = id.Name
			}
			return true
		})
	}
	return name
}

func addMembers(names map[string]bool, s *ast.TypeSpec) {
	var members *ast.FieldList
	switch of := s.Type.(type) {
	case *ast.StructType:
		members = of.Fields
	case *ast.InterfaceType:
		members = of.Methods
	default:
		return
	}
	for _, member := range members.List {
		add(names, s.Name.Name, member.Names...)
	}
}

// add adds exported names, at the top of a package or of an exported type.
func add(names map[string]bool, of string, identifiers ...*ast.Ident) {
	for _, id := range identifiers {
		if id.IsExported() && (of == "" || ast.IsExported(of)) {
			names[of+"."+id.Name] = true
		}
	}
}
