package filesystem_test

import (
	"context"
	"testing"

	"github.com/spf13/afero"

	"github.com/toolrun/toolrun/registry/registrytest"
	"github.com/toolrun/toolrun/tools/filesystem"
	"github.com/toolrun/toolrun/vfs"
)

func TestConformance(t *testing.T) {
	registrytest.TestTool(t, filesystem.New(), &registrytest.Options{
		Inputs: []string{
			`{"command":"view","path":"/"}`,
			`{"command":"view","path":"/f.txt","view_range":[1,2]}`,
			`{"command":"view","path":"/f.bin"}`,
			`{"command":"view-all","paths":["/f.txt","/memories"]}`,
			`{"command":"create","path":"/new/g","file_text":"x"}`,
			`{"command":"str_replace","path":"/f.txt","old_str":"b","new_str":"x"}`,
			`{"command":"insert","path":"/f.txt","insert_line":1,"insert_text":"x"}`,
			`{"command":"append","path":"/f.txt","file_text":"x"}`,
			`{"command":"mkdir","path":"/new/d"}`,
			`{"command":"delete","path":"/f.txt"}`,
			`{"command":"rename","old_path":"/f.txt","new_path":"/g.txt"}`,
			`{"command":"copy","old_path":"/memories","new_path":"/mine"}`,
		},
		Prepare: func(files afero.Fs) error {
			for name, content := range map[string]string{"/f.txt": "a\nb\n", "/f.bin": "\x00", "/memories/m": "m"} {
				if err := vfs.WriteFile(context.Background(), files, name, []byte(content)); err != nil {
					return err
				}
			}
			return nil
		},
	})
	inputs := map[string][]string{
		"list_projects": {`{}`}, "read_files": {`{"paths":["/f","/f:1"]}`},
		"search_files": {`{"regex":"a","path":"/"}`},
	}
	for _, tool := range filesystem.Codebase() {
		registrytest.TestTool(t, tool, &registrytest.Options{Inputs: inputs[tool.Spec().Name],
			Prepare: func(files afero.Fs) error {
				return vfs.WriteFile(context.Background(), files, "/f", []byte("a\nb\n"))
			}})
	}
}
