package tool_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"strings"

	"github.com/spf13/afero"
	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/vfs/local"
)

// A tool that works on files uses those of the call's project.
func ExampleFunc_files() {
	type in struct {
		Path string `json:"path" jsonschema:"the file"`
	}
	type out struct {
		Words int `json:"words"`
	}
	count := tool.Func(tool.Spec{
		Name: "count_words", Description: "Counts the words of a file.", NeedsProject: true,
	},
		func(_ context.Context, in in, env tool.Env) (out, error) {
			data, err := afero.ReadFile(env.Files, in.Path)
			if err != nil {
				return out{}, tool.Errorf("%s cannot be read: %w", in.Path, err)
			}
			return out{len(strings.Fields(string(data)))}, nil
		})
	tools, err := registry.New(count)
	if err != nil {
		log.Fatal(err)
	}
	project, err := local.NewMemoryStore(nil).Open(context.Background(), "alice")
	if err != nil {
		log.Fatal(err)
	}
	if err := afero.WriteFile(project, "/a.txt", []byte("to be or not to be"), 0o600); err != nil {
		log.Fatal(err)
	}
	call := tool.Call{Tool: "count_words", Input: json.RawMessage(`{"path": "/a.txt"}`)}
	fmt.Println(tools.Dispatch(context.Background(), call, registry.Env{Files: project}).Text())
	// Output: {"words":6}
}
