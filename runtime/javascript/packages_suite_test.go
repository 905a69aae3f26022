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

const npm = "../../testdata/npm/"

// outside returns where the packages of npm are, and the scripts in a folder that use them.
func outside(t *testing.T, folder string) (dir string, scripts []string) {
	modules := os.Getenv("TOOLRUN_NODE_MODULES")
	require.NotEmpty(t, modules, "run .ci/suites")
	scripts, err := filepath.Glob(npm + folder + "/*.js")
	require.NoError(t, err)
	return filepath.Dir(modules), scripts
}

type nodeAnswer struct {
	Text string
	Ms   int
}

// nodeAnswers returns what scripts return in Node, by their names.
func nodeAnswers(t *testing.T, dir string, scripts []string, env ...string) (answers map[string]nodeAnswer) {
	command := exec.Command("node", append([]string{npm + "answers.mjs", dir}, scripts...)...)
	command.Env = append(os.Environ(), env...)
	command.Stderr = os.Stderr
	output, err := command.Output()
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(output, &answers))
	return answers
}

// TestOutsidePackages runs the scripts of testdata/npm/libraries, each a realistic use of a package as npm installs it,
// and compares what they return with what Node says. .ci/suites has installed the packages in TOOLRUN_NODE_MODULES. How
// long each takes is printed: the first call loads the package, and the third finds it loaded.
func TestOutsidePackages(t *testing.T) {
	dir, scripts := outside(t, "libraries")
	require.GreaterOrEqual(t, len(scripts), 60)
	answers := nodeAnswers(t, dir, scripts)
	packages := afero.NewReadOnlyFs(afero.NewBasePathFs(afero.NewOsFs(), dir))
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
			t.Logf("%v, %v, then %v; Node %v", took[0], took[1], took[2],
				time.Duration(answers[name].Ms)*time.Millisecond)
		})
	}
}
