package quickjs

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzSearches has random regular expressions find the same with and without the changes that make them faster.
func FuzzSearches(f *testing.F) {
	program, err := os.ReadFile("testdata/searches.js")
	require.NoError(f, err)
	others := slices.Concat(patches, reactions, mends, answers, noSources)
	before, now := startVM(f, others)(), startVM(f, slices.Concat(others, searches))()
	for seed := range int32(8) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed int32) {
		code := fmt.Sprintf("%s(%d, 300)", program, seed)
		want, err := evalString(t.Context(), before, code)
		require.NoError(t, err)
		got, err := evalString(t.Context(), now, code)
		require.NoError(t, err)
		require.Equal(t, strings.Split(want, "\n"), strings.Split(got, "\n"))
		require.Less(t, strings.Count(want, "SyntaxError"), 100)
	})
}
