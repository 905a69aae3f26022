//go:build systemtest

package command_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/toolrun/toolrun/internal/test/commandtest"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"
)

// TestModulesThroughMCP builds one tool in several languages, adds it with and without what it asks for, and calls it
// as a model does, through toolrun mcp in a process of its own. TOOLRUN_TOOLCHAINS lists the languages.
func TestModulesThroughMCP(t *testing.T) {
	there := strings.Split(os.Getenv("TOOLRUN_TOOLCHAINS"), ",")
	for language, build := range map[string]func(module string) *exec.Cmd{
		"go": func(module string) *exec.Cmd {
			cmd := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-buildmode=c-shared", "-o", module,
				"../../guest/tool/testdata/weather")
			cmd.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "CGO_ENABLED=0", "GOFLAGS=")
			return cmd
		},
		"c": func(module string) *exec.Cmd {
			return exec.Command("clang", "--target=wasm32-wasi", "-O2", "-s", "-o", module, "testdata/weather/main.c")
		},
		"rust": func(module string) *exec.Cmd {
			return exec.Command("rustc", "--edition=2021", "--target="+rustTarget(), "-O", "-o", module,
				"testdata/weather/main.rs")
		},
	} {
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			if !slices.Contains(there, language) {
				t.Skip("TOOLRUN_TOOLCHAINS does not have it")
			}
			dir := t.TempDir()
			data, module := filepath.Join(dir, "data"), filepath.Join(dir, "weather.wasm")
			run := func(cmd *exec.Cmd) {
				t.Helper()
				out, err := cmd.CombinedOutput()
				require.NoError(t, err, "%s", out)
			}
			toolrun := func(args ...string) *exec.Cmd {
				cmd := commandtest.Command(args...)
				cmd.Env = append(cmd.Env, "TOOLRUN_DATA="+data)
				return cmd
			}
			add := func(args ...string) {
				t.Helper()
				if language != "go" { // which describes itself
					args = append(args, "--manifest", "testdata/weather/tool.json")
				}
				run(toolrun(append([]string{"module", "add", module}, args...)...))
			}
			run(build(module))
			note := toolrun("files", "put", "-", "/data/note.txt")
			note.Stdin = strings.NewReader("windy")
			run(note)

			add()
			call := mcpProcess(t, toolrun("mcp"))
			result := call("weather", map[string]any{"city": "files"})
			require.True(t, result.IsError, "without grants there are no files")
			require.Contains(t, toModel(result), "note.txt")

			add("--replace", "--grant", "files=write", "--grant", "env:UNIT=celsius")
			call = mcpProcess(t, toolrun("mcp"))
			result = call("weather", map[string]any{"city": "files"})
			require.False(t, result.IsError, toModel(result))
			require.Equal(t, []any{"windy", "celsius"}, result.StructuredContent.(map[string]any)["notes"])
			require.Contains(t, toModel(result), "Files: created /data/written.txt")
			result = call("weather", map[string]any{"city": "nowhere"})
			require.True(t, result.IsError)
			require.Equal(t, "there is no such city\n=== End of the tool's log ===\nlooked everywhere", toModel(result))
			result = call("weather", map[string]any{"city": 7, "more": "than it takes"})
			require.True(t, result.IsError, "not what the schema says")
			out, err := toolrun("files", "cat", "/data/written.txt").Output()
			require.NoError(t, err)
			require.Equal(t, "by the tool", string(out))
		})
	}
}

// rustTarget is what the compiler calls WASI preview 1.
func rustTarget() string {
	for _, target := range []string{"wasm32-wasip1", "wasm32-wasi"} {
		dir, err := exec.Command("rustc", "--print", "target-libdir", "--target", target).Output()
		if _, missing := os.Stat(strings.TrimSpace(string(dir))); err == nil && missing == nil {
			return target
		}
	}
	return "missing"
}

// mcpProcess connects a client to toolrun mcp, and returns what calls its tools.
func mcpProcess(t *testing.T, cmd *exec.Cmd) func(tool string, args map[string]any) *mcp.CallToolResult {
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test"}, nil).Connect(t.Context(),
		&mcp.CommandTransport{Command: cmd}, nil)
	require.NoError(t, err)
	t.Cleanup(func() { _ = session.Close() })
	return func(tool string, args map[string]any) *mcp.CallToolResult {
		result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: args})
		require.NoError(t, err)
		return result
	}
}

func toModel(result *mcp.CallToolResult) string {
	var text strings.Builder
	for _, part := range result.Content {
		if t, ok := part.(*mcp.TextContent); ok {
			text.WriteString(t.Text)
		}
	}
	return text.String()
}
