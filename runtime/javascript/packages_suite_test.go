//go:build suites

package javascript_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/runtime/javascript"
)

// moreMemory lists the packages that need more memory than a run has by default.
var moreMemory = map[string]int64{
	"natural":    96 << 20, // it loads clients of databases
	"typescript": 96 << 20, // nine megabytes of source
}

// TestOutsidePackages runs the scripts of testdata/npm/libraries, each a realistic use of a package as npm installs it,
// and compares what they return with what Node says. .ci/suites has installed the packages in TOOLRUN_NODE_MODULES. How
// long each takes is printed: the first call loads the package, and the third finds it loaded.
func TestOutsidePackages(t *testing.T) {
	modules := os.Getenv("TOOLRUN_NODE_MODULES")
	require.NotEmpty(t, modules, "run .ci/suites")
	const folder = "../../testdata/npm/"
	scripts, err := filepath.Glob(folder + "libraries/*.js")
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(scripts), 60)
	output, err := exec.Command("node", append([]string{folder + "answers.mjs", filepath.Dir(modules)}, scripts...)...).Output()
	require.NoError(t, err)
	var answers map[string]struct {
		Text string
		Ms   int
	}
	require.NoError(t, json.Unmarshal(output, &answers))

	packages := afero.NewReadOnlyFs(afero.NewBasePathFs(afero.NewOsFs(), filepath.Dir(modules)))
	for _, script := range scripts {
		name := strings.TrimSuffix(filepath.Base(script), ".js")
		t.Run(name, func(t *testing.T) {
			code, err := os.ReadFile(script)
			require.NoError(t, err)
			options := &javascript.RunOptions{Files: afero.NewCopyOnWriteFs(packages, afero.NewMemMapFs())}
			if limit := moreMemory[name]; limit > 0 {
				_, err := engine.Run(t.Context(), string(code), options)
				var exceeded *sandbox.LimitError
				require.ErrorAs(t, err, &exceeded)
				require.Equal(t, sandbox.LimitMemory, exceeded.Limit)
				options.Limits.Memory = limit
			}
			var took [3]time.Duration
			for i := range took {
				began := time.Now()
				result, err := engine.Run(t.Context(), string(code), options)
				took[i] = time.Since(began).Round(time.Millisecond)
				require.NoError(t, err)
				require.Equal(t, answers[name].Text, result.Text)
			}
			t.Logf("%v, %v, then %v; Node %v", took[0], took[1], took[2], time.Duration(answers[name].Ms)*time.Millisecond)
		})
	}
}
