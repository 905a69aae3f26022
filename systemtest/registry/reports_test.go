//go:build systemtest

// Package registry_test has what is printed by tests of tools that have faults.
package registry_test

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/registry/registrytest"
	"github.com/toolrun/toolrun/tool"
)

// brokenTool is the environment variable that names the tool for TestOneBrokenTool.
const brokenTool = "REGISTRYTEST_BROKEN_TOOL"

// echo returns a tool without faults, modified by a function.
func echo(change func(spec *tool.Spec), do func(text string) tool.Result) tool.Tool {
	spec := tool.Spec{Name: "echo", Description: "Echoes a text, which is of use in tests of the kit.",
		Schema: json.RawMessage(
			`{"type":"object","properties":{"text":{"type":"string","description":"The text."}},"required":["text"]}`)}
	if change != nil {
		change(&spec)
	}
	return tool.JSONFunc(spec, func(_ context.Context, call tool.Call, _ tool.Env) (tool.Result,
		error) {
		var in struct{ Text string }
		err := json.Unmarshal(call.Input, &in)
		return do(strings.ToValidUTF8(in.Text, "?")), err
	})
}

// TestOneBrokenTool fails in a separate process, which TestReports starts.
func TestOneBrokenTool(t *testing.T) {
	options := &registrytest.Options{Inputs: []string{`{"text":"one"}`, `{"text":"two"}`}}
	done := func(text string) tool.Result { return tool.Text("echo: " + text) }
	switch name := os.Getenv(brokenTool); name {
	case "":
		t.Skip("this is for TestReports")
	case "skip":
		registrytest.TestTool(t, echo(nil, done), &registrytest.Options{Skip: []string{"no such check"}})
	case "a panic at a NUL":
		registrytest.TestTool(t, echo(nil, func(text string) tool.Result {
			if strings.Contains(text, "\x00") {
				panic("a NUL")
			}
			return done(text)
		}), options)
	case "no name":
		registrytest.TestTool(t, echo(func(spec *tool.Spec) { spec.Name = "1 2" }, done), options)
	case "an error":
		registrytest.TestTool(t, echo(nil, func(string) tool.Result {
			return tool.Failure(tool.CodeTool,
				"no")
		}), options)
	case "a schema that two options break":
		registrytest.TestTool(t, echo(func(spec *tool.Spec) {
			schema := spec.Schema
			spec.Options = []tool.Option{{ID: "a", Type: tool.OptionBool}, {ID: "b", Type: tool.OptionBool}}
			spec.Schema, spec.SchemaFor = nil, func(o tool.Options) json.RawMessage {
				if o.Bool("a") && o.Bool("b") {
					return []byte(`{`)
				}
				return schema
			}
		}, done), options)
	}
}

// TestReports checks the output for the author of a broken tool.
func TestReports(t *testing.T) {
	for name, want := range map[string][]string{
		"a panic at a NUL": {"--- FAIL: TestOneBrokenTool/bad_inputs", "the tool panicked: a NUL",
			"reports_test.go:", "--- PASS: TestOneBrokenTool/inputs"},
		"no name": {"--- FAIL: TestOneBrokenTool/registration",
			"registry.New refuses the tool"},
		"a schema that two options break": {"--- FAIL: TestOneBrokenTool/options",
			"--- FAIL: TestOneBrokenTool/definitions"},
		"an error": {"--- FAIL: TestOneBrokenTool/inputs"},
		"skip":     {`there is no check "no such check"`},
	} {
		t.Run(name, func(t *testing.T) {
			command := exec.Command(os.Args[0], "-test.run=^TestOneBrokenTool$", "-test.v")
			command.Env = append(os.Environ(), brokenTool+"="+name)
			output, err := command.CombinedOutput()
			require.Error(t, err, "%s", output)
			for _, text := range want {
				require.Contains(t, string(output), text)
			}
		})
	}
}
