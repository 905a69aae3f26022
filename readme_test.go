package toolrun_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestReadmePrograms builds and runs the Go programs in README.md and docs, and compares what they print with the comments that
// say so: behind a call of Println, or on lines of their own after one. What is not a whole program is only built, with the
// declarations of fragment around it. The shell commands are run by the tests of the command.
func TestReadmePrograms(t *testing.T) {
	if testing.Short() {
		t.Skip("builds programs")
	}
	pages, err := filepath.Glob(filepath.Join("docs", "*.md"))
	require.NoError(t, err)
	for _, page := range append(pages, "README.md") {
		data, err := os.ReadFile(page)
		require.NoError(t, err)
		parts := strings.Split(string(data), "```go\n")[1:]
		if name := filepath.Base(page); name == "README.md" || name == "go.md" {
			require.NotEmpty(t, parts, page)
		}
		for i, part := range parts {
			program, _, ok := strings.Cut(part, "```\n")
			require.True(t, ok)
			t.Run(fmt.Sprint(page, " ", i+1), func(t *testing.T) { testProgram(t, program) })
		}
	}
}

func testProgram(t *testing.T, program string) {
	// The program must lie in the module to be built with its dependencies, in a folder that no pattern matches.
	dir, err := os.MkdirTemp(".", "_readme")
	require.NoError(t, err)
	defer os.RemoveAll(dir)
	action := []string{"run", "-ldflags=-s -w"} // without tables for debuggers linking takes half as long
	if !strings.HasPrefix(program, "package ") {
		program, action = fmt.Sprintf(fragment, program), []string{"vet"}
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "main.go"), []byte(program), 0o600))
	out, err := exec.Command("go", append(action, "./"+dir)...).CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Equal(t, printed(program), string(out))
}

// fragment makes a program of some lines that begin with a runner and do not look at errors.
const fragment = `package main

import (
	"context"

	"github.com/toolrun/toolrun"
	"github.com/toolrun/toolrun/registry"
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
