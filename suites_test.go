package toolrun_test

import (
	"go/ast"
	"go/build/constraint"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// notOfTheSuite are packages whose purpose is a process of its own.
var notOfTheSuite = []string{"os/exec", module + "internal/test/pgtest", module + "internal/test/ptytest",
	module + "internal/test/commandtest"}

// waits are the functions that wait for the clock, or measure it. In a bubble of testing/synctest that costs nothing.
var waits = []string{"time.Sleep", "time.After", "time.Tick", "time.NewTimer", "time.NewTicker", "time.AfterFunc",
	"time.Since"}

// fixedPort matches an address with a port that something else may have taken.
var fixedPort = regexp.MustCompile(`^"[^"]*:[1-9][0-9]*"$`)

// TestSuites keeps what `go test ./...` runs to what one process can do by itself, on a machine that is busy with
// something else: its tests start no process and no server of a database, wait for no real clock, and listen on no
// port that may be taken. Such tests belong to systemtest.
func TestSuites(t *testing.T) {
	require.NoError(t, filepath.WalkDir(".", func(file string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir():
			_, err := os.Stat(filepath.Join(file, "go.mod"))
			if another := err == nil && file != "."; another || file != "." && strings.HasPrefix(entry.Name(), ".") ||
				entry.Name() == "testdata" {
				return filepath.SkipDir
			}
		case strings.HasSuffix(file, "_test.go"):
			file = filepath.ToSlash(file)
			if problems := beyondTheProcess(t, file); len(problems) > 0 {
				t.Errorf("%s: %s: this belongs to systemtest", file, strings.Join(problems, ", "))
			}
		}
		return nil
	}))
}

// beyondTheProcess returns what a file of tests uses that tests of `go test ./...` do without.
func beyondTheProcess(t *testing.T, name string) (problems []string) {
	file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
	require.NoError(t, err)
	for _, group := range file.Comments {
		for _, line := range group.List {
			if expr, err := constraint.Parse(line.Text); err == nil && line.Pos() < file.Package &&
				!expr.Eval(func(tag string) bool { return tag != "systemtest" && tag != "suites" }) {
				return nil
			}
		}
	}
	bubbles, measures := false, strings.HasSuffix(name, "bench_test.go")
	for _, spec := range file.Imports {
		imported, _ := strconv.Unquote(spec.Path.Value)
		bubbles = bubbles || imported == "testing/synctest"
		if slices.Contains(notOfTheSuite, imported) {
			problems = append(problems, "imports "+imported)
		}
	}
	add := func(problem string) {
		if !slices.Contains(problems, problem) {
			problems = append(problems, problem)
		}
	}
	for _, decl := range file.Decls {
		if f, ok := decl.(*ast.FuncDecl); ok && strings.HasPrefix(f.Name.Name, "Benchmark") {
			continue // is not run as a test
		}
		ast.Inspect(decl, func(node ast.Node) bool {
			call, ok := node.(*ast.CallExpr)
			if !ok {
				return true
			}
			selector, ok := call.Fun.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			receiver, _ := selector.X.(*ast.Ident)
			switch name := selector.Sel.Name; {
			case receiver == nil:
			case slices.Contains([]string{"os.StartProcess", "syscall.ForkExec"}, receiver.Name+"."+name):
				add("calls " + receiver.Name + "." + name)
			case !bubbles && !measures && slices.Contains(waits, receiver.Name+"."+name):
				add("calls " + receiver.Name + "." + name)
			case (receiver.Name == "require" || receiver.Name == "assert") &&
				(strings.HasPrefix(name, "Eventually") || strings.HasPrefix(name, "Never")):
				add("polls the clock by " + receiver.Name + "." + name)
			case receiver.Name == "net" && strings.HasPrefix(name, "Listen"):
				for _, arg := range call.Args {
					if literal, ok := arg.(*ast.BasicLit); ok && fixedPort.MatchString(literal.Value) {
						add("listens on " + literal.Value)
					}
				}
			}
			return true
		})
	}
	return problems
}
