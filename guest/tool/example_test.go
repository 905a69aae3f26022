package tool_test

import (
	"context"
	"os"
	"strings"

	"github.com/toolrun/toolrun/guest/tool"
)

// A whole program: func main is this example.
func Example() {
	type input struct {
		Path string `json:"path" jsonschema:"the file"`
	}
	type output struct {
		Words int `json:"words"`
	}
	tool.Main(tool.Spec{
		Name: "count_words", Description: "Counts the words of a file.",
		Asks: tool.Asks{Files: "read"},
	}, func(ctx context.Context, in input) (output, error) {
		content, err := os.ReadFile(in.Path)
		return output{len(strings.Fields(string(content)))}, err
	})
}
