package mcpserver_test

import (
	"encoding/json"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/vfs"
)

// Clients of the newest version take no result that does not say that it is complete, and those of others need not
// know the word.
func TestResultsAreComplete(t *testing.T) {
	for _, way := range everyWay {
		for _, version := range way.versions {
			t.Run(way.name+" "+version, func(t *testing.T) {
				project := newProject(t)
				require.NoError(t, vfs.WriteFile(t.Context(), project, "/a.txt", []byte("text")))
				session := connect(t, way.connect(t, newServer(t, builtIn(t), project, nil)), version, nil)
				check := func(result any, err error) {
					require.NoError(t, err)
					raw, err := json.Marshal(result) // with what cannot be seen otherwise
					require.NoError(t, err)
					require.Equal(t, version == "2026-07-28", strings.Contains(string(raw), `"resultType":"complete"`),
						string(raw))
				}
				check(session.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: "toolrun://notes/a.txt"}))
				check(session.GetPrompt(t.Context(), &sdk.GetPromptParams{Name: "system-prompt"}))
				check(session.CallTool(t.Context(),
					&sdk.CallToolParams{Name: "javascript", Arguments: map[string]any{"code": "return 1"}}))
				check(session.ListResources(t.Context(), nil))
				check(session.ListResourceTemplates(t.Context(), nil))
				check(session.ListPrompts(t.Context(), nil))
				check(session.ListTools(t.Context(), nil))
			})
		}
	}
}

func TestLinksToLongResults(t *testing.T) {
	t.Parallel()
	for _, way := range everyWay {
		for _, version := range way.versions {
			t.Run(way.name+" "+version, func(t *testing.T) {
				session := connect(t, way.connect(t, newServer(t, builtIn(t), newProject(t), nil)), version, nil)
				links := func(tool string, arguments map[string]any) (links []*sdk.ResourceLink) {
					text, result := call(t, session, tool, arguments)
					require.False(t, result.IsError, text)
					for _, content := range result.Content {
						if link, ok := content.(*sdk.ResourceLink); ok {
							links = append(links, link)
						}
					}
					return links
				}
				require.Empty(t, links("filesystem",
					map[string]any{"command": "create", "path": "/a.txt", "file_text": "short"}))
				require.Empty(t, links("filesystem", map[string]any{"command": "view", "path": "/a.txt"}),
					"all of it is shown")
				long := links("javascript", map[string]any{"code": "return 'x'.repeat(100_000) + 'end'"})
				if version < "2025-06-18" {
					require.Empty(t, long)
					return
				}
				require.Len(t, long, 1)
				require.True(t, strings.HasPrefix(long[0].URI, "toolrun://notes/.tool-output/"), long[0].URI)
				result, err := session.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: long[0].URI})
				require.NoError(t, err)
				require.True(t, strings.HasSuffix(strings.TrimSpace(result.Contents[0].Text), "xend"))
			})
		}
	}
}
