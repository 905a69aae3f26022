package toolrun_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestPromisesAreShown checks that each promise in SECURITY.md names what shows it, and that all of that exists.
func TestPromisesAreShown(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long")
	}
	data, err := os.ReadFile("SECURITY.md")
	require.NoError(t, err)

	tests, function := map[string]bool{}, regexp.MustCompile(`(?m)^func ((?:Test|Fuzz|Benchmark|Example)\w*)\(`)
	require.NoError(t, filepath.WalkDir(".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(name, "_test.go") {
			return err
		}
		source, err := os.ReadFile(name)
		for _, match := range function.FindAllStringSubmatch(string(source), -1) {
			tests[match[1]] = true
		}
		return err
	}))

	named := regexp.MustCompile("`((?:Test|Fuzz|Benchmark)\\w+)`")
	for _, match := range named.FindAllStringSubmatch(string(data), -1) {
		require.True(t, tests[match[1]], "there is no %s", match[1])
	}
	files := regexp.MustCompile("`([\\w./-]+/[\\w.-]+)`")
	for _, match := range files.FindAllStringSubmatch(string(data), -1) {
		if strings.HasPrefix(match[1], "/") || strings.HasPrefix(match[1], ".git/") {
			continue // of a project, of a system, or of somebody's repository
		}
		_, err := os.Stat(match[1])
		require.NoError(t, err)
	}

	tables := strings.Split(string(data), "| promise | shown by |\n|---|---|\n")[1:]
	require.NotEmpty(t, tables)
	shown := regexp.MustCompile(
		"`(?:(?:Test|Fuzz)\\w+|[\\w./-]+_test.go|(?:internal|provider|testdata)/[\\w/-]+|\\.ci/\\w+|toolrun selftest)`")
	for _, table := range tables {
		table, _, _ = strings.Cut(table, "\n\n")
		for row := range strings.Lines(table) {
			cells := strings.Split(row, " | ")
			require.Len(t, cells, 2, row)
			require.True(t, shown.MatchString(cells[1]), "nothing shows that %s", cells[0])
		}
	}
}
