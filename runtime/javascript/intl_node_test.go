//go:build suites

package javascript_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// intlAreas are the parts of Intl that are compared with Node, with their expressions in testdata/intl/expressions.js.
var intlAreas = []string{"number", "list", "relative", "plural", "names", "locale", "date", "range", "collation",
	"segmentation"}

// intlExpressions is how many expressions there are of an area.
const intlExpressions = 3000

var updateIntl = flag.Bool("update-intl", false, "write testdata/intl/rows.json and the list of differences")

// TestIntlAsNode compares results of Intl with those of Node, which must have the same version of CLDR. Differences are
// listed with their reasons in testdata/intl/differences.txt: at most one of a hundred expressions of an area.
func TestIntlAsNode(t *testing.T) {
	node := intlNode(t)
	source, err := os.ReadFile(filepath.Join("testdata", "intl", "expressions.js"))
	require.NoError(t, err)
	listed := readDifferences(t)
	var rows [][2]string
	found := map[string]string{}
	for _, area := range intlAreas {
		call := fmt.Sprintf("(%s)('%s', %d, %d)", source, area, intlExpressions, 2024)
		command := exec.Command(node, "-e", "process.stdout.write(JSON.stringify("+call+"))")
		command.Env = append(os.Environ(), "TZ=UTC")
		out, err := command.Output()
		require.NoError(t, err, "node")
		var want, got [][2]string
		require.NoError(t, json.Unmarshal(out, &want))
		result, err := tryRun(t, "return JSON.stringify("+call+")")
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal([]byte(result.Text), &got))
		require.Len(t, got, len(want))
		different := 0
		for i := range want {
			require.Equal(t, want[i][0], got[i][0])
			if want[i][1] == got[i][1] {
				if i < 50 {
					rows = append(rows, want[i])
				}
				continue
			}
			different++
			expression := area + " " + want[i][0]
			found[expression] = want[i][1] + "\n    " + got[i][1]
			if !listed[expression] && !*updateIntl {
				t.Errorf("%s\nNode: %s\nhere: %s", expression, want[i][1], got[i][1])
			}
		}
		t.Logf("%s: %d of %d differ", area, different, len(want))
		require.LessOrEqual(t, different, intlExpressions/100, area)
	}
	if *updateIntl {
		text, err := json.MarshalIndent(rows, "", " ")
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join("testdata", "intl", "rows.json"), append(text, '\n'), 0o644))
		var lines []string
		for expression, results := range found {
			lines = append(lines, expression+"\n    "+results)
		}
		sort.Strings(lines)
		t.Log(strings.Join(lines, "\n"))
		return
	}
	for expression := range listed {
		require.Contains(t, found, expression, "testdata/intl/differences.txt lists it, but it does not differ")
	}
}

// intlNode returns the path of a Node whose data has the version of ours.
func intlNode(t *testing.T) string {
	path, err := exec.LookPath("node")
	if err != nil {
		t.Skip("there is no node in PATH to compare with")
	}
	version, err := exec.Command(path, "-p", "process.versions.cldr").Output()
	require.NoError(t, err)
	if strings.TrimSpace(string(version)) != "48.0" {
		t.Skipf("node in PATH has CLDR %s instead of 48.0: install the version of npm's package node that has it",
			version)
	}
	return path
}

// readDifferences returns the expressions that are known to differ.
func readDifferences(t *testing.T) map[string]bool {
	text, err := os.ReadFile(filepath.Join("testdata", "intl", "differences.txt"))
	require.NoError(t, err)
	listed := map[string]bool{}
	reason := false
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case line == "":
			reason = false
		case strings.HasPrefix(line, "# "):
			reason = true
		default:
			require.True(t, reason, "%s has no reason above it", line)
			listed[line] = true
		}
	}
	return listed
}
