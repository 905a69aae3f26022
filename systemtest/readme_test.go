//go:build systemtest

package systemtest_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestReadmePrograms builds and runs the Go programs in README.md and docs, and compares what they print with the
// comments that say so: behind a call of Println, or on lines of their own after one. What is not a whole program is
// only built, with the declarations of fragment around it. The shell commands are run by the tests of the command.
func TestReadmePrograms(t *testing.T) {
	t.Chdir("..")
	// The programs must lie in the module to be built with its dependencies, in a folder that no pattern matches.
	// Each becomes a package of one program that runs the one it is told to, since linking each would take longer
	// than all the rest.
	dir, err := os.MkdirTemp(".", "_readme")
	require.NoError(t, err)
	defer os.RemoveAll(dir)
	var imports, cases strings.Builder
	programs := map[string]string{} // by the name of the package
	pages, err := filepath.Glob(filepath.Join("docs", "*.md"))
	require.NoError(t, err)
	for _, page := range append(pages, "README.md") {
		data, err := os.ReadFile(page)
		require.NoError(t, err)
		parts := strings.Split(string(data), "```go\n")[1:]
		if page == "README.md" || page == filepath.Join("docs", "go.md") {
			require.NotEmpty(t, parts, page)
		}
		for i, part := range parts {
			program, _, ok := strings.Cut(part, "```\n")
			require.True(t, ok)
			if !strings.HasPrefix(program, "package ") {
				program = fmt.Sprintf(fragment, program)
			}
			name := fmt.Sprintf("%s_%d", strings.TrimSuffix(filepath.Base(page), ".md"), i+1)
			programs[name] = program
			program = strings.Replace(program, "package main", "package "+name, 1)
			program = strings.Replace(program, "func main()", "func Main()", 1)
			require.NoError(t, os.Mkdir(filepath.Join(dir, name), 0o700))
			require.NoError(t, os.WriteFile(filepath.Join(dir, name, name+".go"), []byte(program), 0o600))
			fmt.Fprintf(&imports, "\t%q\n", "github.com/toolrun/toolrun/"+filepath.Base(dir)+"/"+name)
			fmt.Fprintf(&cases, "\tcase %q:\n\t\t%s.Main()\n", name, name)
		}
	}
	main := fmt.Sprintf("package main\n\nimport (\n\t\"os\"\n%s)\n\nfunc main() {\n\tswitch os.Args[1] {\n%s\t}\n}\n",
		&imports, &cases)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "main.go"), []byte(main), 0o600))
	built := filepath.Join(t.TempDir(), "programs.exe")
	out, err := exec.Command("go", "build", "-ldflags=-s -w", "-o", built, "./"+dir).CombinedOutput()
	require.NoError(t, err, "%s", out)
	for name, program := range programs {
		if strings.Contains(program, "func turn(") {
			continue
		}
		t.Run(name, func(t *testing.T) {
			out, err := exec.Command(built, name).CombinedOutput()
			require.NoError(t, err, "%s", out)
			require.Equal(t, printed(program), string(out))
		})
	}
}

// fragment makes a program of some lines that begin with a runner and do not look at errors.
const fragment = `package main

import (
	"context"

	"github.com/toolrun/toolrun"
	"github.com/toolrun/toolrun/tool"
)

func turn(ctx context.Context, response []byte) []any {
	%s
	return []any{runner, tools, messages, changes, err}
}

func main() { turn(context.Background(), nil) }
`

// printed is what a program's comments say that it prints.
func printed(program string) string {
	var b strings.Builder
	after := false
	for line := range strings.Lines(program) {
		code, comment, ok := strings.Cut(strings.TrimSpace(line), "// ")
		if prints := strings.HasPrefix(code, "fmt.Print"); ok && (prints || after && code == "") {
			b.WriteString(comment + "\n")
			after = true
		} else {
			after = prints || after && code == "}"
		}
	}
	return b.String()
}
