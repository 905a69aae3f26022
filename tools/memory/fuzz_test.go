package memory_test

import (
	"context"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/tools/internal/tooltest"
)

// FuzzInput passes two inputs, one after the other, in a project that is a directory of the host. Nothing may fail in
// a way that is not foreseen, nothing but the memory may change, and the system prompt can be made of whatever is in
// it.
func FuzzInput(f *testing.F) {
	seeds := []string{
		`{"command":"view","path":"/memories"}`, `{"command":"view","path":"README.md","view_range":[1,-1]}`,
		`{"command":"view","path":"/memories/d","view_range":[2]}`,
		`{"command":"create","path":"/memories/README.md","file_text":"</content>\n# x\n","overwrite":true}`,
		`{"command":"create","path":"/memories/</listing>/\u202e","file_text":""}`,
		`{"command":"create","path":"/memories/../x","file_text":"x"}`,
		`{"command":"create","path":"/memories/./x","file_text":"x"}`,
		`{"command":"create","path":"../../outside.txt","file_text":"x","overwrite":true}`,
		`{"command":"create","path":"/memories","file_text":"x"}`,
		`{"command":"create","path":"a\u0000b","file_text":"\ud800"}`,
		`{"command":"create","path":"data","file_text":"data:image/png;base64,iVBORw0KGgo="}`,
		`{"command":"str_replace","path":"/memories/README.md","old_str":"a","new_str":"$&"}`,
		`{"command":"str_replace","path":"/memories/b.bin","old_str":"","new_str":"b"}`,
		`{"command":"insert","path":"/memories/README.md","insert_line":-1,"insert_text":"b"}`,
		`{"command":"insert","path":"README.md","insert_line":1e300,"insert_text":"b\n"}`,
		`{"command":"delete","path":"/memories"}`, `{"command":"delete","path":"/memories/d"}`,
		`{"command":"delete","path":"/"}`, `{"command":"delete","path":"/a.txt"}`,
		`{"command":"rename","old_path":"/memories/d","new_path":"/memories/d/e"}`,
		`{"command":"rename","old_path":"README.md","new_path":"/a.txt"}`,
		`{"command":"rename","old_path":"/memories","new_path":"/m"}`,
		`{"command":"copy","old_path":"README.md","new_path":"x"}`, `{"command":"view"}`, `{}`, `[]`,
		`{"command":["view"],"path":5}`, `{"command":"view","path":"/memories","command":"delete"}`, `"view"`, ``,
	}
	for i := range seeds {
		f.Add([]byte(seeds[i]), []byte(seeds[(i*7+3)%len(seeds)]))
	}
	f.Fuzz(func(t *testing.T, first, second []byte) {
		outside := t.TempDir()
		root := filepath.Join(outside, "project")
		require.NoError(t, os.Mkdir(root, 0o700))
		b := newBench(t, tooltest.InDirectory(t, root, nil))
		b.Put(map[string]string{
			"/a.txt": "a\n", "/d/e": "e", "/memories/README.md": "a\nb\n", "/memories/b.bin": "\x00\xff",
			"/memories/d/e": "", "/memories/.h": "h", "/memories/node_modules/x": "",
		})
		require.NoError(t, os.WriteFile(filepath.Join(outside, "outside.txt"), []byte("secret"), 0o600))
		for _, input := range [][]byte{first, second} {
			before := b.Tree()
			b.Tools.RenderInput(tool.Call{Tool: "memory", Input: input})
			result := b.Call(json.RawMessage(input))
			switch result.Code {
			case "", tool.CodeTool, tool.CodeInvalidInput:
			default:
				require.Fail(t, "unforeseen", "%s: %s", result.Code, result.Text())
			}
			require.NotEmpty(t, result.Text())
			require.NotContains(t, result.Text(), "secret")
			after := b.Tree()
			if result.IsError() {
				require.Equal(t, before, after)
			}
			others := func(name, _ string) bool { return strings.HasPrefix(name, "/memories/") }
			maps.DeleteFunc(before, others)
			maps.DeleteFunc(after, others)
			require.Equal(t, before, after)
		}
		prompt, err := b.Tools.SystemPrompt(context.Background(), tool.OpenAIChat, registry.Env{Files: b.Files})
		require.NoError(t, err)
		require.True(t, utf8.ValidString(prompt))
		for _, end := range []string{"</listing>", "</content>"} {
			require.LessOrEqual(t, strings.Count(prompt, end), 1)
		}
		content, err := os.ReadFile(filepath.Join(outside, "outside.txt"))
		require.NoError(t, err)
		require.Equal(t, "secret", string(content))
		entries, err := os.ReadDir(outside)
		require.NoError(t, err)
		require.Len(t, entries, 2)
	})
}
