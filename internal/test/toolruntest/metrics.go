package toolruntest

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// Metric reads a metric of the server, over all of its labels, with a token that may see it.
func (s *Server) Metric(t testing.TB, token, name string) (sum float64) {
	t.Helper()
	_, text := s.Get(t, s.At("/metrics"), token)
	for _, found := range regexp.MustCompile(`(?m)^`+name+`(?:\{.*\})? (\S+)$`).FindAllStringSubmatch(text, -1) {
		value, err := strconv.ParseFloat(found[1], 64)
		require.NoError(t, err)
		sum += value
	}
	return sum
}

// Tokens writes a file of tokens, and returns its name and the tokens: each is for a project of its own, project-0 and
// so on. The first may see metrics.
func Tokens(t testing.TB, n int) (file string, tokens []string) {
	t.Helper()
	type entry struct {
		Token   string `json:"token"`
		Project string `json:"project"`
		Metrics bool   `json:"metrics,omitempty"`
	}
	var entries []entry
	for i := range n {
		tokens = append(tokens, fmt.Sprintf("token-of-project-number-%04d", i))
		entries = append(entries, entry{tokens[i], fmt.Sprintf("project-%d", i), i == 0})
	}
	raw, err := json.Marshal(map[string]any{"tokens": entries})
	require.NoError(t, err)
	file = filepath.Join(t.TempDir(), "tokens.json")
	require.NoError(t, os.WriteFile(file, raw, 0o600))
	return file, tokens
}
