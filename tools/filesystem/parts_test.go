package filesystem_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/registry/registrytest"
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
	tools, err := registry.New(append([]registry.Tool{filesystem.New()}, filesystem.Parts()...)...)
	require.NoError(t, err)
	project, err := local.NewMemoryStore(nil).Open(t.Context(), "p")
	require.NoError(t, err)
	defer project.Close()
	env := registry.Env{Files: project}
	do := func(tool, input string) registry.Result {
		return tools.Dispatch(t.Context(), registry.Call{Tool: tool, Input: json.RawMessage(input)}, env)
	}
	names := func() (names []string) {
		for _, spec := range tools.Enabled(env.Selection) {
			names = append(names, spec.Name)
		}
		return names
	}
	const create = `{"command":"create","path":"/a.txt","file_text":"a"}`
	require.Equal(t, []string{"filesystem"}, names())
	require.Equal(t, registry.CodeDisabled, do("filesystem_edit", create).Code)

	env.Selection = env.Selection.WithOption("filesystem", "split", true)
	require.Equal(t, []string{"filesystem_view", "filesystem_edit", "filesystem_delete"}, names())
	require.Equal(t, "Unknown tool: filesystem", do("filesystem", create).Text())
	require.Equal(t, "File created successfully at: /a.txt", do("filesystem_edit", create).Text())
	require.Contains(t, do("filesystem_view", `{"command":"view","path":"/a.txt"}`).Text(), "1\ta")
	require.Equal(t, "Unknown filesystem command: create", do("filesystem_view", create).Text())
	require.Equal(t, "Unknown filesystem command: delete", do("filesystem_edit", `{"command":"delete","path":"/a.txt"}`).Text())
	require.Equal(t, "Successfully deleted /a.txt", do("filesystem_delete", `{"command":"delete","path":"/a.txt"}`).Text())

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
		require.Contains(t, spec.Description, "/memories is read-only")
	}
	require.NotContains(t, filesystem.Parts()[0].Spec().Description, "`delete`")
}
