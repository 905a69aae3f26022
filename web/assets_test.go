package web_test

import (
	"path/filepath"
	"testing"

	"github.com/evanw/esbuild/pkg/api"
	"github.com/stretchr/testify/require"
)

// TestModulesOfThePage links the page's modules: a browser shows nothing of a page if one of them imports a name that
// another one does not have.
func TestModulesOfThePage(t *testing.T) {
	modules, err := filepath.Glob("assets/*.js")
	require.NoError(t, err)
	linked := api.Build(api.BuildOptions{EntryPoints: modules, Bundle: true, Format: api.FormatESModule,
		Outdir: "out", External: []string{"./languages.js"}}) // which the server makes
	require.Empty(t, linked.Errors)
	require.Empty(t, linked.Warnings)
}
