package registrytest_test

import (
	"context"
	"strings"
	"testing"

	"github.com/toolrun/toolrun/registry/registrytest"
	"github.com/toolrun/toolrun/tool"
)

type countIn struct {
	Text  string `json:"text" jsonschema:"The text to count in."`
	Lines bool   `json:"lines,omitempty" jsonschema:"Count lines instead of words."`
}

type countOut struct {
	Count int `json:"count" jsonschema:"How many there are."`
}

var count = tool.Func(tool.Spec{
	Name:        "count",
	Description: "Counts the words or lines of a text. Use it instead of counting yourself.",
	Annotations: tool.Annotations{ReadOnly: true, Idempotent: true},
}, func(_ context.Context, in countIn, _ tool.Env) (countOut, error) {
	if in.Text == "" {
		return countOut{}, tool.Errorf("there is no text to count in")
	}
	if in.Lines {
		return countOut{strings.Count(strings.TrimSuffix(in.Text, "\n"), "\n") + 1}, nil
	}
	return countOut{len(strings.Fields(in.Text))}, nil
})

func TestCount(t *testing.T) {
	registrytest.TestTool(t, count, &registrytest.Options{
		Inputs: []string{`{"text": "one two"}`, `{"text": "one\ntwo\nthree", "lines": true}`},
	})
}

// The test of a tool consists of one call.
func ExampleTestTool() {
	_ = func(t *testing.T) {
		registrytest.TestTool(t, count, &registrytest.Options{
			Inputs: []string{`{"text": "one two"}`},
		})
	}
}
