package memory_test

import (
	"context"
	"testing"

	"github.com/spf13/afero"

	"github.com/toolrun/toolrun/registry/registrytest"
	"github.com/toolrun/toolrun/tools/memory"
	"github.com/toolrun/toolrun/vfs"
)

func TestConformance(t *testing.T) {
	registrytest.TestTool(t, memory.New(), &registrytest.Options{
		Inputs: []string{
			`{"command":"view","path":"/memories"}`,
			`{"command":"view","path":"/memories/README.md","view_range":[1,2]}`,
			`{"command":"create","path":"/memories/new/g","file_text":"x"}`,
			`{"command":"str_replace","path":"/memories/README.md","old_str":"b","new_str":"x"}`,
			`{"command":"insert","path":"/memories/README.md","insert_line":1,"insert_text":"x"}`,
			`{"command":"view-all","paths":["README.md"]}`,
			`{"command":"append","path":"/memories/README.md","file_text":"x"}`,
			`{"command":"mkdir","path":"/memories/new/d"}`,
			`{"command":"copy","old_path":"/memories/README.md","new_path":"/memories/x"}`,
			`{"command":"delete","path":"/memories/README.md"}`,
			`{"command":"rename","old_path":"/memories/README.md","new_path":"/memories/x"}`,
		},
		Prepare: func(files afero.Fs) error {
			return vfs.WriteFile(context.Background(), files, "/memories/README.md", []byte("a\nb\n"))
		},
	})
}
