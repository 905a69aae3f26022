package toolrun_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestPathsOfArchitectureExist checks that each path that ARCHITECTURE.md and CONTRIBUTING.md name in code or in a link
// exists, so that moving a file does not leave them wrong.
func TestPathsOfArchitectureExist(t *testing.T) {
	code := regexp.MustCompile("(?s)```.*?```|`[^`]+`|\\]\\([^)]+\\)")
	path := regexp.MustCompile(`^(\.ci|\w[\w-]*)(/[\w.-]+)+$|^\w+\.(go|md)$`)
	for _, page := range []string{"ARCHITECTURE.md", "CONTRIBUTING.md"} {
		text, err := os.ReadFile(page)
		require.NoError(t, err)
		found := 0
		for _, span := range code.FindAllString(string(text), -1) {
			for _, word := range strings.Fields(strings.Trim(span, "`]()")) {
				word, _, _ = strings.Cut(word, "#") // of a link, the part within the page
				word = strings.TrimSuffix(strings.TrimPrefix(word, "./"), "/...")
				if !path.MatchString(word) || strings.HasPrefix(word, "modules/") { // in a data directory
					continue
				}
				found++
				_, err := os.Stat(word)
				require.NoError(t, err, "%s names %s", page, word)
			}
		}
		require.Greater(t, found, 10, page)
	}
}
