//go:build systemtest

package systemtest_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const module = "github.com/toolrun/toolrun"

// TestEmbedding checks what a program links that imports the root: no database driver, object storage, telemetry or
// command, unless it asks for them. What it links of this module reads no environment and knows no user's directories.
func TestEmbedding(t *testing.T) {
	list, err := exec.Command("go", "list", "-deps", module).Output()
	require.NoError(t, err)
	environment := regexp.MustCompile(`\bos\.(Getenv|LookupEnv|Environ|ExpandEnv|User\w+Dir)\(`)
	own := 0
	for _, name := range strings.Fields(string(list)) {
		for _, not := range []string{"github.com/jackc/", "github.com/minio/", "go.opentelemetry.io/",
			"github.com/spf13/cobra", module + "/cmd/", module + "/vfs/postgres/",
			module + "/vfs/partition/"} {
			require.False(t, strings.HasPrefix(name+"/", not), "the root links %s", name)
		}
		dir, ok := strings.CutPrefix(name, module)
		if !ok {
			continue
		}
		own++
		files, err := filepath.Glob(filepath.Join("..", filepath.FromSlash(dir), "*.go"))
		require.NoError(t, err)
		for _, file := range files {
			code, err := os.ReadFile(file)
			require.NoError(t, err)
			require.True(t, strings.HasSuffix(file, "_test.go") || !environment.Match(code),
				"%s reads the environment", file)
		}
	}
	require.Greater(t, own, 10)
}
