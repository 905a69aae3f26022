//go:build suites

package javascript_test

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A codeNode is JavaScript in a workflow of n8n.
type codeNode struct {
	name, code string
	each       bool // it runs once for each item
}

// codeNodes returns the nodes with code in the workflows below a folder, without those whose code has been there
// already.
func codeNodes(t *testing.T, root string, seen map[string]bool) (out []codeNode) {
	require.NoError(t, filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(name) != ".json" {
			return err
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		var workflow struct {
			Nodes []struct {
				Type       string
				Parameters struct{ Mode, Language, JSCode, FunctionCode string }
			}
		}
		if json.Unmarshal(data, &workflow) != nil {
			return nil // it is no workflow
		}
		for _, node := range workflow.Nodes {
			p := node.Parameters
			code := p.JSCode + p.FunctionCode
			switch node.Type {
			case "n8n-nodes-base.code", "n8n-nodes-base.function", "n8n-nodes-base.functionItem":
			default:
				continue
			}
			if p.Language == "python" || strings.TrimSpace(code) == "" || seen[code] {
				continue
			}
			seen[code] = true
			each := p.Mode == "runOnceForEachItem" || node.Type == "n8n-nodes-base.functionItem"
			id := fmt.Sprintf("%x", sha256.Sum256([]byte(code)))[:8]
			out = append(out, codeNode{filepath.Base(root) + "/" + strings.TrimSuffix(filepath.Base(name), ".json") +
				" " + id, code, each})
		}
		return nil
	}))
	return out
}

// program puts the code of a node into what n8n has around it, for Node and the tool alike.
func (n codeNode) program(t *testing.T, around string) program {
	text, err := json.Marshal(n.code)
	require.NoError(t, err)
	names := []string{
		"$", "$input", "$json", "$node", "$items", "$item", "$env", "$vars", "$secrets", "$itemIndex", "$runIndex",
		"$mode", "$binary", "$workflow",
		"$execution", "$prevNode", "$parameter", "$getWorkflowStaticData", "getWorkflowStaticData", "items", "item",
		"$jmespath", "$if", "$ifEmpty",
	}
	before := ""
	if strings.Contains(n.code, "DateTime") || strings.Contains(n.code, "$now") || strings.Contains(n.code, "$today") {
		before = "const { DateTime, Duration, Interval } = require('luxon');\n" +
			"const $now = DateTime.fromMillis(__now), $today = $now.startOf('day');\n"
	}
	code := around + before +
		"const __node = async function ({ " + strings.Join(names, ", ") + " }) {\nreturn await (async () => {\n" +
		n.code + "\n})();\n};\n"
	run := fmt.Sprintf("__run(__node, %s, %t)", text, n.each)
	return program{name: n.name, code: code + "await " + run, forNode: code + run}
}

// TestWorkflows runs the code nodes of published workflows of n8n by the tool and by Node, with made-up input: they
// give the same result, or fail in the same way. TOOLRUN_WORKFLOWS names folders with workflows, separated as in PATH.
func TestWorkflows(t *testing.T) {
	around, err := os.ReadFile("testdata/published/n8n.js")
	require.NoError(t, err)
	seen := map[string]bool{}
	var programs []program
	for _, root := range filepath.SplitList(published(t, "TOOLRUN_WORKFLOWS")) {
		for _, node := range codeNodes(t, root, seen) {
			programs = append(programs, node.program(t, string(around)))
		}
	}
	kinds := map[string]int{}
	for _, result := range compareText(t, "n8n", programs, withPackages(t), resultLine, 0.99, 1000) {
		kind, _, _ := strings.Cut(result, " ")
		kinds[kind]++
	}
	t.Log("in Node:", kinds)
	require.Greater(t, kinds["@result"], 600)
}

// resultLine is what __run has printed, or that the code could not be run.
func resultLine(o outcome) string {
	for line := range strings.Lines(o.Stdout) {
		if strings.HasPrefix(line, "@result ") || strings.HasPrefix(line, "@error ") {
			return strings.TrimSpace(line)
		}
	}
	switch {
	case o.Error == endsNode || o.Error == "timeout":
		return "" // a loop that ends where the memory or the time does
	case strings.Contains(o.Error, "SyntaxError"):
		return "@syntax"
	}
	return "@nothing"
}
