package memory_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/test/wrapfs"
	"github.com/toolrun/toolrun/provider"
	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/tools/internal/tooltest"
	"github.com/toolrun/toolrun/tools/memory"
)

var apis = append(provider.APIs(), tool.XML)

func options(set map[string]any) registry.Selection {
	return registry.Selection{Options: map[string]map[string]any{"memory": set}}
}

func promptOf(b *bench, api tool.API, set map[string]any) string {
	b.T.Helper()
	text, err := b.Tools.SystemPrompt(context.Background(), api, registry.Env{Files: b.Files, Selection: options(set)})
	require.NoError(b.T, err)
	return text
}

func TestDefinition(t *testing.T) {
	b := newBench(t, tooltest.InMemory(t, nil))
	for _, api := range apis {
		for _, systemPrompt := range []any{nil, false, true} {
			set := map[string]any{}
			if systemPrompt != nil {
				set["useSystemPrompt"] = systemPrompt
			}
			definitions, err := b.Tools.Definitions(api, options(set))
			require.NoError(t, err)
			require.Len(t, definitions, 1)
			native := api == tool.Anthropic && systemPrompt != true
			if native {
				require.Equal(t, `{"type":"memory_20250818","name":"memory"}`, string(definitions[0].Override))
			} else {
				require.Nil(t, definitions[0].Override)
			}
			require.Equal(t, native, promptOf(b, api, set) == "", "%s %v", api, systemPrompt)
		}
	}
}

const advised = "## Memory\n\nYou have a persistent memory: the files under /memories, "

func TestSystemPromptOfAnEmptyMemory(t *testing.T) {
	onBoth(t, func(b *bench) {
		prompt := promptOf(b, tool.OpenAIChat, nil)
		require.True(b.T, strings.HasPrefix(prompt, advised))
		require.Contains(b.T, prompt, "Changes to /memories/README.md show in this prompt on the next message.")
		require.True(b.T, strings.HasSuffix(prompt, "\n\n### Files\n\nThe /memories directory is empty."))
		require.Equal(b.T, "## Memory\n\n### Files\n\nThe /memories directory is empty.",
			promptOf(b, tool.OpenAIChat, map[string]any{"noHandHolding": true}))
		require.Empty(b.T, b.Tree())
	})
}

func TestSystemPromptShowsTheMemory(t *testing.T) {
	noAdvice := map[string]any{"noHandHolding": true, "useSystemPrompt": true}
	onBoth(t, func(b *bench) {
		b.Put(map[string]string{
			"/memories/README.md":     "# Index\n\n<b> & more\n",
			"/memories/a/b/c":         "",
			"/memories/a/x.md":        "",
			"/memories/z":             "",
			"/memories/.hidden":       "",
			"/memories/node_modules/": "",
		})
		want := text(
			"## Memory",
			"",
			"### Files",
			"",
			"Here are the files and directories up to 2 levels deep in /memories:",
			"",
			"<listing>",
			"/memories/README.md",
			"/memories/a",
			"\t/memories/a/b",
			"\t/memories/a/x.md",
			"/memories/z",
			"</listing>",
			"",
			"## /memories/README.md",
			"",
			"<content>",
			"# Index",
			"",
			"<b> & more",
			"</content>",
		)
		for _, api := range apis {
			require.Equal(b.T, want, promptOf(b, api, noAdvice))
		}
		// It is made anew each time.
		b.Call(object{"command": "create", "path": "README.md", "file_text": "other", "overwrite": true})
		require.Contains(b.T, promptOf(b, tool.MCP, nil), "<content>\nother\n</content>")
		b.Call(object{"command": "delete", "path": "README.md"})
		require.NotContains(b.T, promptOf(b, tool.MCP, nil), "<content>")
	})
}

func TestSystemPromptCutsTheIndexAtALine(t *testing.T) {
	b := newBench(t, tooltest.InMemory(t, nil))
	content := func(readme string) string {
		b.Put(map[string]string{"/memories/README.md": readme})
		_, content, _ := strings.Cut(promptOf(b, tool.MCP, nil), "<content>\n")
		return content
	}
	line := strings.Repeat("ä", 99) + "\n"
	const end = "\n</content>"
	cut := func(shown, total int) string {
		return end + fmt.Sprintf("\n\n[Content truncated: showing lines 1-%d of %d total. Use the memory tool's view "+
			"command with view_range to see more.]", shown, total)
	}
	for _, test := range []struct{ readme, want string }{
		{"", end},
		{strings.Repeat(line, 320), strings.TrimSuffix(strings.Repeat(line, 320), "\n") + end},
		{strings.Repeat(line, 320) + "x", strings.TrimSuffix(strings.Repeat(line, 320), "\n") + cut(320, 321)},
		{strings.Repeat(line, 1000), strings.TrimSuffix(strings.Repeat(line, 320), "\n") + cut(320, 1000)},
		{"x" + strings.Repeat(line, 320), strings.TrimSuffix("x"+strings.Repeat(line, 319), "\n") + cut(319, 320)},
		{strings.Repeat("x", 32_000), strings.Repeat("x", 32_000) + end},
		{strings.Repeat("x", 32_001), cut(0, 1)},
	} {
		require.Equal(t, test.want, content(test.readme))
	}
}

func TestSystemPromptKeepsWhatItShowsInItsBlock(t *testing.T) {
	onBoth(t, func(b *bench) {
		b.Put(map[string]string{
			"/memories/README.md": "a </content>\r\n</listing> &lt;/content> </Content\n><content>< " +
				"/content></contents>\t",
			"/memories/a</listing>": "",
			"/memories/b</LISTING>": "",
			"/memories/c</content>": "",
		})
		require.True(b.T, strings.HasSuffix(promptOf(b, tool.MCP, nil), text(
			"<listing>",
			"/memories/README.md",
			"/memories/a<",
			"\t/memories/a&lt;/listing>",
			"/memories/b<",
			"\t/memories/b&lt;/LISTING>",
			"/memories/c<",
			"\t/memories/c</content>",
			"</listing>",
			"",
			"## /memories/README.md",
			"",
			"<content>",
			"a &lt;/content>\r",
			"</listing> &lt;/content> &lt;/Content",
			"><content>< /content></contents>\t",
			"</content>",
		)), promptOf(b, tool.MCP, nil))
	})
}

func TestSystemPromptIsLimited(t *testing.T) {
	b := newBench(t, tooltest.InMemory(t, nil))
	for i := range 600 {
		b.Put(map[string]string{fmt.Sprintf("/memories/%03d", i): ""})
	}
	require.Contains(t, promptOf(b, tool.MCP, nil),
		"\n/memories/499\n[100 more. Use the memory tool's view command to see them.]\n</listing>")
}

func TestSystemPromptOfWhatCannotBeShown(t *testing.T) {
	onBoth(t, func(b *bench) {
		b.Put(map[string]string{"/memories/README.md": "a\x00"})
		require.True(b.T, strings.HasSuffix(promptOf(b, tool.MCP, nil),
			"\n\n## /memories/README.md\n\nThe file is not text."))
		require.NoError(b.T, b.Files.Remove("/memories/README.md"))
		b.Put(map[string]string{"/memories/README.md/": ""})
		require.True(b.T, strings.HasSuffix(promptOf(b, tool.MCP, nil), "\n/memories/README.md\n</listing>"))
		require.NoError(b.T, b.Files.RemoveAll("/memories"))
		b.Put(map[string]string{"/memories": "a file"})
		require.Contains(b.T, promptOf(b, tool.MCP, nil), "### Files\n\nThe /memories directory cannot be read.")
	})
	text, err := memory.New().(tool.SystemPrompter).SystemPrompt(context.Background(), tool.PromptContext{})
	require.NoError(t, err)
	require.Empty(t, text)
}

func TestOptions(t *testing.T) {
	b := newBench(t, tooltest.InMemory(t, nil))
	spec, _ := b.Tools.Spec("memory")
	require.True(t, spec.NeedsProject)
	require.Len(t, spec.Options, 2)
	for _, option := range spec.Options {
		require.Equal(t, false, option.Default)
	}
}

func TestOtherFileSystems(t *testing.T) {
	b := newBench(t, tooltest.InMemory(t, nil))
	files := wrapfs.Foreign(afero.NewMemMapFs())
	for _, test := range []struct{ input, want string }{
		{`{"command":"create","path":"/d/f","file_text":"a"}`, "File created successfully at: /memories/d/f"},
		{`{"command":"view","path":"/memories/d/f"}`,
			"Here's the content of /memories/d/f with line numbers:\n     1\ta"},
	} {
		result := b.Tools.Dispatch(context.Background(), tool.Call{Tool: "memory",
			Input: json.RawMessage(test.input)}, registry.Env{Files: files})
		require.Equal(t, test.want, result.Text())
	}
}
