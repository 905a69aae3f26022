package ownversion

import (
	"runtime/debug"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPublished(t *testing.T) {
	const commit = "v0.0.0-20261128190024-5b50d1ea8c1f"
	for name, test := range map[string]struct {
		version, sum, want string
	}{
		"a tag that Go has fetched":    {"v0.1.0", "h1:x", "v0.1.0"},
		"a commit that Go has fetched": {commit, "h1:x", commit},
		"a checkout at a tag":          {"v0.1.0", "", "v0.1.0"},
		"a checkout at a commit":       {commit, "", ""},
		"one after a tag":              {"v0.1.1-0.20261128190024-5b50d1ea8c1f", "", ""},
		"a checkout with changes":      {"v0.1.0+dirty", "", ""},
		"no version":                   {"(devel)", "", ""},
		"nothing":                      {"", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			own := debug.Module{Path: path, Version: test.version, Sum: test.sum}
			require.Equal(t, test.want, published(own))
			require.Equal(t, strings.TrimSuffix(test.want, commit), released(own), "a commit has no files")
		})
	}
}
