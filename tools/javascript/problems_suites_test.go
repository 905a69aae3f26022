//go:build suites

package javascript_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/evanw/esbuild/pkg/api"
	"github.com/stretchr/testify/require"
)

// A problem is one of a data set: what a model is given, and tests that fail for wrong solutions. Data sets have one a
// line.
type problem struct {
	ID       string `json:"task_id"`
	Prompt   string `json:"prompt"`
	Solution string `json:"canonical_solution"`
	Test     string `json:"test"`
}

// program joins a problem and a solution, as those who publish them do.
func (p problem) program(t *testing.T, solution string, typed bool) program {
	out := program{name: p.ID, code: p.Prompt + solution + "\n" + p.Test}
	if typed {
		out.forNode = withoutTypes(t, out.code)
	}
	return out
}

// withoutTypes returns TypeScript as a CommonJS module.
func withoutTypes(t *testing.T, code string) string {
	result := api.Transform(code, api.TransformOptions{Loader: api.LoaderTS, Format: api.FormatCommonJS,
		Target: api.ES2022})
	if len(result.Errors) > 0 {
		return code // whose syntax is an error for Node too
	}
	return string(result.Code)
}

// TestHumanEvalX runs the problems of HumanEval-X in JavaScript with their solutions and tests, by the tool and by
// Node. A wrong solution passes nowhere. TOOLRUN_HUMANEVAL_X names humaneval_js.jsonl.gz.
func TestHumanEvalX(t *testing.T) {
	var programs, wrong []program
	for _, p := range jsonLines[problem](t, published(t, "TOOLRUN_HUMANEVAL_X")) {
		programs = append(programs, p.program(t, p.Solution, false))
		wrong = append(wrong, p.program(t, "}", false))
	}
	compare(t, "humaneval-x", programs, withPackages(t), 162)
	for i, out := range inTool(t, wrong[:3], "") {
		require.False(t, out.passed(), wrong[i].name)
	}
}

// compare runs programs that test themselves by the tool and by Node, where at least a number of them pass: what passes
// there passes here, and what fails there fails here.
func compare(t *testing.T, suite string, programs []program, dir string, least int) {
	t.Helper()
	c := tally{suite: suite}
	here, there := inTool(t, programs, dir), inNode(t, programs, dir)
	passed := 0
	for i, p := range programs {
		if there[i].passed() {
			passed++
		}
		c.add(p.name, here[i].passed() == there[i].passed(), "--- here:\n"+here[i].String()+"--- in Node:\n"+
			there[i].String())
	}
	t.Logf("%d of %d pass in Node", passed, len(programs))
	require.GreaterOrEqual(t, passed, least)
	c.check(t, 0.99, len(programs))
}

// problemSets are the data sets of amazon-science/mxeval in JavaScript and TypeScript: the problems, and solutions that
// models have written, if they are not among the problems.
var problemSets = []struct {
	name, problems, solutions string
	typed                     bool
	least                     int // how many pass in Node
	every                     int // which problems are run: each so many, since they are much alike
}{
	{"mbxp-js", "mbxp/mbjsp_release_v1.2.jsonl", "", false, 750, 1},
	{"mbxp-ts", "mbxp/mbtsp_release_v1.2.jsonl", "", true, 350, 1},
	{"mbxp-js-samples", "mbxp/mbjsp_release_v1.2.jsonl", "mbxp/examples/mbjsp_samples.jsonl", false, 700, 1},
	{"mbxp-ts-samples", "mbxp/mbtsp_release_v1.2.jsonl", "mbxp/examples/mbtsp_samples.jsonl", true, 700, 1},
	{"mathqa-js-samples", "multilingual_mathqa/mathqa-test-javascript_v1.jsonl",
		"multilingual_mathqa/examples/javascript_samples.jsonl", false, 300, 4},
}

// TestProblems runs the problems of MBXP and MathQA-X with published solutions by the tool and by Node: what passes
// there passes here, and what fails there fails here. TOOLRUN_MXEVAL names a checkout of amazon-science/mxeval.
func TestProblems(t *testing.T) {
	data := filepath.Join(published(t, "TOOLRUN_MXEVAL"), "data")
	dir := withPackages(t)
	for _, set := range problemSets {
		t.Run(set.name, func(t *testing.T) {
			solutions := map[string]string{}
			if set.solutions != "" {
				type sample struct {
					ID       string `json:"task_id"`
					Solution string `json:"completion"`
				}
				for _, s := range jsonLines[sample](t, filepath.Join(data, set.solutions)) {
					solutions[s.ID] = s.Solution
				}
			}
			var programs []program
			for i, p := range jsonLines[problem](t, filepath.Join(data, set.problems)) {
				solution := p.Solution
				if set.solutions != "" {
					solution = solutions[p.ID]
				}
				if strings.TrimSpace(solution) != "" && i%set.every == 0 {
					programs = append(programs, p.program(t, solution, set.typed))
				}
			}
			compare(t, set.name, programs, dir, set.least)
		})
	}
}
