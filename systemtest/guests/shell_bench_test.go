//go:build systemtest

package guests

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/runtime/command"
	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/local"
)

// pipelines are of five commands each, over a log of 1 MB.
var pipelines = []struct{ name, script string }{
	{"count", `cat log | grep ERROR | cut -d ' ' -f 3 | sort | uniq -c`},
	{"top", `cat log | cut -d ' ' -f 4 | sort | uniq -c | sort -rn`},
	{"edit", `cat log | sed 's/user/USER/' | tr a-z A-Z | grep -v DEBUG | wc -l`},
	{"awk", `grep -v DEBUG log | awk '{n[$3] += $5} END {for (k in n) print k, n[k]}' | sort | head -n 3 | tail -n 1`},
	{"words", `cat log | tr -cs a-z '\n' | sort -u | grep -c . | cat`},
}

// aLog returns lines of a log, 1 MB together.
func aLog() string {
	r := rand.New(rand.NewPCG(1, 1))
	services := []string{"auth", "billing", "search", "mail", "files", "jobs"}
	levels := []string{"INFO", "INFO", "INFO", "WARN", "ERROR", "DEBUG"}
	var text strings.Builder
	for day := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC); text.Len() < 1e6; day = day.Add(7 * time.Second) {
		fmt.Fprintf(&text, "%s %s %s user%d %d request done\n", day.Format(time.RFC3339), levels[r.IntN(6)],
			services[r.IntN(6)], r.IntN(1000), r.IntN(5000))
	}
	return text.String()
}

// BenchmarkPipelines runs pipelines in the sandbox, and with dash and the commands of the machine.
func BenchmarkPipelines(b *testing.B) {
	shell := loadShell(b)
	store := local.NewMemoryStore(nil)
	defer store.Close()
	project, err := store.Open(b.Context(), "project")
	require.NoError(b, err)
	text := []byte(aLog())
	require.NoError(b, vfs.WriteFile(b.Context(), project, "/log", text))
	dir := b.TempDir()
	require.NoError(b, os.WriteFile(filepath.Join(dir, "log"), text, 0o600))
	for _, pipeline := range pipelines {
		want := ""
		b.Run(pipeline.name+"/dash", func(b *testing.B) {
			dash, err := exec.LookPath("dash")
			if err != nil {
				b.Skip("there is no dash")
			}
			for b.Loop() {
				cmd := exec.Command(dash, "-c", pipeline.script)
				cmd.Dir, cmd.Env = dir, []string{"PATH=" + os.Getenv("PATH"), "LC_ALL=C.UTF-8"}
				out, err := cmd.Output()
				require.NoError(b, err)
				want = string(out)
			}
		})
		b.Run(pipeline.name+"/sandbox", func(b *testing.B) {
			for b.Loop() {
				result, err := runShell(b, shell, project, pipeline.script, command.Host{})
				require.NoError(b, err)
				require.True(b, want == "" || want == result.Stdout)
			}
		})
	}
}
