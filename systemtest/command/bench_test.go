//go:build systemtest

package command_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/toolrun/toolrun/internal/test/commandtest"

	"github.com/stretchr/testify/require"
)

// BenchmarkCommand measures whole processes, in turn: a small script with the engine in the cache, a command that
// needs no engine, and Node doing nothing, if there is one. It reports medians, and js-to-node, the median of the
// ratios of neighbours.
func BenchmarkCommand(b *testing.B) {
	dir := b.TempDir()
	type command struct {
		name string
		args []string
	}
	commands := []command{
		{"js", []string{commandtest.Path(), "js", "-e", "return 1"}},
		{"version", []string{commandtest.Path(), "version"}},
	}
	node, err := exec.LookPath("node")
	if err == nil {
		commands = append(commands, command{"node", []string{node, "-e", "1"}})
	}
	run := func(args []string) time.Duration {
		cmd := exec.Command(args[0], args[1:]...)
		cmd.Env = append(os.Environ(), "XDG_CACHE_HOME="+dir, "HOME="+dir, "LocalAppData="+dir,
			"TOOLRUN_DATA="+filepath.Join(dir, "data"))
		start := time.Now()
		out, err := cmd.CombinedOutput()
		require.NoError(b, err, "%s", out)
		return time.Since(start)
	}
	for range 2 { // the first compiles, the second keeps an image
		for _, c := range commands {
			run(c.args)
		}
	}
	times := map[string][]float64{}
	for b.Loop() {
		for _, c := range commands {
			times[c.name] = append(times[c.name], float64(run(c.args))/float64(time.Millisecond))
		}
	}
	for i, t := range times["node"] {
		times["ratio"] = append(times["ratio"], times["js"][i]/t)
	}
	b.ReportMetric(0, "ns/op")
	for _, c := range commands {
		b.ReportMetric(median(times[c.name]), c.name+"-ms")
	}
	if node != "" {
		b.ReportMetric(median(times["ratio"]), "js-to-node")
	}
}

func median(values []float64) float64 {
	values = slices.Sorted(slices.Values(values))
	return values[len(values)/2]
}
