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

// TestReadmePrograms builds and runs the Go programs in README.md, and compares what they print with the comments that say so:
// behind a call of Println, or on lines of their own after one. The shell commands in README.md are run by the tests of the
// command.
func TestReadmePrograms(t *testing.T) {
	if testing.Short() {
		t.Skip("builds programs")
	}
	data, err := os.ReadFile("README.md")
	require.NoError(t, err)
	parts := strings.Split(string(data), "```go\n")[1:]
	require.NotEmpty(t, parts)
	for i, part := range parts {
		program, _, ok := strings.Cut(part, "```\n")
		require.True(t, ok)
		t.Run(fmt.Sprint(i+1), func(t *testing.T) {
			// The program must lie in the module to be built with its dependencies, in a folder that no pattern matches.
			dir, err := os.MkdirTemp(".", "_readme")
			require.NoError(t, err)
			defer os.RemoveAll(dir)
			require.NoError(t, os.WriteFile(filepath.Join(dir, "main.go"), []byte(program), 0o600))
			// Without tables for debuggers linking takes half as long.
			out, err := exec.Command("go", "run", "-ldflags=-s -w", "./"+dir).CombinedOutput()
			require.NoError(t, err, "%s", out)
			require.Equal(t, printed(program), string(out))
		})
	}
}

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
