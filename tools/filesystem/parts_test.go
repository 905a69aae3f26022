package filesystem_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/registry/registrytest"
	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/tools/filesystem"
	"github.com/toolrun/toolrun/vfs/local"
)

func TestParts(t *testing.T) {
	for _, part := range filesystem.Parts() {
		t.Run(part.Spec().Name, func(t *testing.T) {
			options := &registrytest.Options{}
			switch {
			case strings.HasSuffix(part.Spec().Name, "view"):
				options.Inputs = []string{`{"command":"view","path":"/"}`}
			case strings.HasSuffix(part.Spec().Name, "edit"):
				options.Inputs = []string{`{"command":"create","path":"/a.txt","file_text":"a"}`}
			default:
				options.Inputs = []string{`{"command":"delete","path":"/a.txt"}`}
				options.Prepare = func(files afero.Fs) error {
					return afero.WriteFile(files, "/a.txt", []byte("a"), 0o600)
				}
			}
			registrytest.TestTool(t, part, options)
		})
	}
}

// TestPartsHaveTheirCommandsAlone checks that a client that may only view cannot do anything else.
func TestPartsHaveTheirCommandsAlone(t *testing.T) {
	tools, err := registry.New(append([]tool.Tool{filesystem.New()}, filesystem.Parts()...)...)
	require.NoError(t, err)
	project, err := local.NewMemoryStore(nil).Open(t.Context(), "p")
	require.NoError(t, err)
	defer project.Close()
	env := registry.Env{Files: project}
	do := func(name, input string) tool.Result {
		return tools.Dispatch(t.Context(), tool.Call{Tool: name, Input: json.RawMessage(input)}, env)
	}
	names := func() (names []string) {
		for _, spec := range tools.Enabled(env.Selection) {
			names = append(names, spec.Name)
		}
		return names
	}
	const create = `{"command":"create","path":"/a.txt","file_text":"a"}`
	require.Equal(t, []string{"filesystem"}, names())
	require.Equal(t, tool.CodeDisabled, do("filesystem_edit", create).Code)

	env.Selection = env.Selection.WithOption("filesystem", "split", true)
	require.Equal(t, []string{"filesystem_view", "filesystem_edit", "filesystem_delete"}, names())
	require.Equal(t, "Unknown tool: filesystem", do("filesystem", create).Text())
	require.Equal(t, "File created successfully at: /a.txt", do("filesystem_edit", create).Text())
	require.Contains(t, do("filesystem_view", `{"command":"view","path":"/a.txt"}`).Text(), "1\ta")
	require.Equal(t, "Error: filesystem_view has no command create: filesystem_edit has it, if that is enabled",
		do("filesystem_view", create).Text())
	require.Equal(t, "Unknown filesystem_view command: explode. The commands are view, view-all.", do("filesystem_view",
		`{"command":"explode","path":"/a.txt"}`).Text())
	require.Equal(t, "Error: command is required", do("filesystem_view", `{"path":"/a.txt"}`).Text())
	require.Equal(t, "Error: filesystem_edit has no command delete: filesystem_delete has it, if that is enabled",
		do("filesystem_edit", `{"command":"delete","path":"/a.txt"}`).Text())
	require.Equal(t, "Successfully deleted /a.txt",
		do("filesystem_delete", `{"command":"delete","path":"/a.txt"}`).Text())

	require.Equal(t, "File created successfully at: /a.txt", do("filesystem_edit", create).Text())
	require.Equal(t, "Successfully deleted /a.txt", do("filesystem_delete", `{"path":"/a.txt"}`).Text(),
		"there is only one command")
	require.Equal(t, "Error: path is required for delete command", do("filesystem_delete", `{}`).Text())
	require.Equal(t, "delete /a.txt",
		filesystem.Parts()[2].(tool.InputRenderer).RenderInput(json.RawMessage(`{"path":"/a.txt"}`)))

	env.Selection.Enable = map[string]bool{"filesystem_delete": false}
	require.Equal(t, []string{"filesystem_view", "filesystem_edit"}, names())
	env.Selection.Enable = map[string]bool{"filesystem": false}
	require.Empty(t, names())
	env.Selection = registry.Selection{}.Only("filesystem_view")
	require.Equal(t, []string{"filesystem_view"}, names(), "without the option, too")

	for _, part := range filesystem.Parts() {
		spec := part.Spec()
		require.Equal(t, strings.HasSuffix(spec.Name, "view"), spec.Annotations.ReadOnly)
		require.NotContains(t, spec.Description, "\n\n\n")
		require.Contains(t, spec.Description, "Commands:\n- `")
	}
}

// TestPartsSpeakOfThemselves checks that what a model reads of a part is about nothing that the part cannot do.
func TestPartsSpeakOfThemselves(t *testing.T) {
	for i, others := range [][]string{
		{"edit", "chang", "delet", "rename", "copy", "copied", "create", "overwrite"},
		{"view", "delete_", "`delete`"},
		{"edit", "chang", "view", "rename", "copy", "copied", "create", "overwrite"},
	} {
		spec := filesystem.Parts()[i].Spec()
		for _, other := range others {
			require.NotContains(t, spec.Description, other, spec.Name)
			require.NotContains(t, string(spec.Schema), other, spec.Name)
		}
	}
}
