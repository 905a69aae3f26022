package toolrun_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestReadmeProgram builds and runs the Go program in README.md, and compares what it prints with the comment that says
// so. The shell commands in README.md are run by the tests of the command.
func TestReadmeProgram(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program")
	}
	data, err := os.ReadFile("README.md")
	require.NoError(t, err)
	_, program, ok := strings.Cut(string(data), "```go\n")
	require.True(t, ok)
	program, _, ok = strings.Cut(program, "```\n")
	require.True(t, ok)

	// The program must lie in the module to be built with its dependencies, in a folder that no pattern matches.
	dir, err := os.MkdirTemp(".", "_readme")
	require.NoError(t, err)
	defer os.RemoveAll(dir)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "main.go"), []byte(program), 0o600))
	out, err := exec.Command("go", "run", "./"+dir).CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Equal(t, "WORLD! <nil>\n", string(out))
}
