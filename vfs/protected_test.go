package vfs_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/vfs"
)

// TestProtectedNamesAreDocumented: the table in docs/protected.md has the names, all of them and no others, in order.
func TestProtectedNamesAreDocumented(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "docs", "protected.md"))
	require.NoError(t, err)
	var documented []string
	for line := range strings.Lines(string(page)) {
		if strings.HasPrefix(line, "| ") {
			for _, name := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(line, -1) {
				documented = append(documented, name[1])
			}
		}
	}
	require.Equal(t, vfs.ProtectedNames(), documented)
	seen := map[string]bool{}
	for _, name := range vfs.ProtectedNames() {
		_, err := filepath.Match(name, "x")
		require.NoError(t, err, name)
		require.False(t, seen[vfs.Fold(name)], name)
		seen[vfs.Fold(name)] = true
	}
}
