package javascript_test

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/runtime/javascript"
)

// TestSameAsNode compares the answers of the scripts in testdata/node/same with those that Node has given
// (record.mjs there writes them).
func TestSameAsNode(t *testing.T) {
	t.Parallel()
	scripts, err := filepath.Glob("testdata/node/same/*.js")
	require.NoError(t, err)
	require.NotEmpty(t, scripts)
	for _, file := range scripts {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".js"), func(t *testing.T) {
			t.Parallel()
			script, err := os.ReadFile(file)
			require.NoError(t, err)
			golden, err := os.ReadFile(strings.TrimSuffix(file, ".js") + ".json")
			require.NoError(t, err)
			var want map[string]string
			require.NoError(t, json.Unmarshal(golden, &want))
			files := afero.NewMemMapFs()
			require.NoError(t, afero.WriteFile(files, "/script.js", script, 0o600))

			result := run(t, `return await require('/script.js')`, javascript.RunOptions{Files: files})

			got, ok := result.Value.(map[string]any)
			require.True(t, ok, "%.200s", result.Text)
			require.ElementsMatch(t, slices.Collect(maps.Keys(want)), slices.Collect(maps.Keys(got)))
			for label := range want {
				require.Equal(t, want[label], got[label], "%s", label)
			}
		})
	}
}
