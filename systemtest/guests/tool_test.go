//go:build systemtest

package guests

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"
	"github.com/tetratelabs/wazero/sys"

	"github.com/toolrun/toolrun"
	"github.com/toolrun/toolrun/mcp/mcpserver"
	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/runtime/command"
	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/tools/module"
	"github.com/toolrun/toolrun/vfs"
)

// weather is a tool for tests.
const weather = "../../guest/tool/testdata/weather"

var (
	asCommand = sync.OnceValues(func() ([]byte, error) { return buildGo(weather) })
	asReactor = sync.OnceValues(func() ([]byte, error) { return buildGo(weather, "-buildmode=c-shared") })
)

// TestAToolInGo is described by itself, added with what the operator grants, and used by a model's call through MCP.
func TestAToolInGo(t *testing.T) {
	t.Parallel()
	code, err := asReactor()
	require.NoError(t, err)
	is, err := command.Check(code)
	require.NoError(t, err)
	require.Equal(t, command.FormReactor, is)
	engine := newEngine(t, sandbox.EngineOptions{})
	m, err := module.Describe(t.Context(), engine, code)
	require.NoError(t, err)
	require.Equal(t, "weather", m.Name)
	require.Equal(t, module.Asks{Files: module.AccessWrite, Folder: "/data", Env: []string{"UNIT"},
		Tools: []string{"javascript", "memory"}}, m.Asks)
	require.Contains(t, string(m.InputSchema), `"default": 2`)
	require.Contains(t, string(m.OutputSchema), `"degrees"`)
	dir := t.TempDir()
	_, err = module.OpenStore(toolrun.ModulesDir(dir)).Add(m, code, module.AddOptions{
		Grants: module.Grants{Files: module.AccessWrite, Env: map[string]string{"UNIT": "celsius"},
			Tools: []string{"javascript"}}})
	require.NoError(t, err)

	runner, err := toolrun.Open(t.Context(), &toolrun.Options{DataDir: dir, Engine: engine,
		Projects: vfs.Options{NoSync: true}, Warn: func(err error) { t.Error(err) }})
	require.NoError(t, err)
	defer func() { require.NoError(t, runner.Close()) }()
	session, err := runner.Session(t.Context(), "p", nil)
	require.NoError(t, err)
	require.NoError(t, session.Project().MkdirAll("/data", 0o755))
	require.NoError(t, afero.WriteFile(session.Project(), "/data/note.txt", []byte("windy"), 0o644))
	server, err := mcpserver.New(t.Context(), session.Source, nil)
	require.NoError(t, err)
	defer func() { require.NoError(t, server.Shutdown(t.Context())) }()
	call := connect(t, server)

	for range 2 {
		result := call(map[string]any{"city": "Oslo", "days": "3"}) // as models write numbers
		require.False(t, result.IsError)
		require.Equal(t, map[string]any{"city": "Oslo", "degrees": []any{15., 16., 17.}, "calls": 1.},
			result.StructuredContent)
	}
	result := call(map[string]any{})
	require.Equal(t, []any{15., 16.}, result.StructuredContent.(map[string]any)["degrees"], "the default")
	result = call(map[string]any{"days": 99})
	require.True(t, result.IsError, "more than the schema allows")
	result = call(map[string]any{"city": "nowhere"})
	require.True(t, result.IsError)
	require.Equal(t, "there is no such city\n=== End of the tool's log ===\nlooked everywhere", text(result))
	result = call(map[string]any{"city": "panic"})
	require.True(t, result.IsError)
	require.Contains(t, text(result), "panic: on purpose")
	result = call(map[string]any{"city": "files"})
	require.False(t, result.IsError, text(result))
	require.Equal(t, []any{"windy", "celsius"}, result.StructuredContent.(map[string]any)["notes"])
	written, err := afero.ReadFile(session.Project(), "/data/written.txt")
	require.NoError(t, err)
	require.Equal(t, "by the tool", string(written))
	require.Contains(t, text(result), "Files: created /data/written.txt")

	result = call(map[string]any{"city": "tools"})
	require.False(t, result.IsError, text(result))
	notes := result.StructuredContent.(map[string]any)["notes"].([]any)
	require.Len(t, notes, 3)
	require.Contains(t, notes[0], `"value":[42,`, "the data of what the other tool returns")
	require.Equal(t, `the tool memory: the tool "memory" cannot be called: it has not been granted`, notes[1])
	require.Equal(t, `the tool weather: the tool "weather" cannot be called: it has not been granted`, notes[2])
	require.Contains(t, text(result), "Tool calls: javascript 1")

	// What the tool may do is the project's, too: less files, and none of the tool.
	env, err := session.Env(t.Context())
	require.NoError(t, err)
	env.Selection = env.Selection.WithOption("weather", module.OptionFiles, "read")
	dispatch := func(input string) tool.Result {
		return runner.Registry().Dispatch(t.Context(), tool.Call{ID: "c7", Tool: "weather",
			Input: json.RawMessage(input)}, env)
	}
	require.Contains(t, dispatch(`{"city":"files"}`).Text(), "written.txt")
	require.True(t, dispatch(`{"city":"files"}`).IsError())
	env.Selection = env.Selection.WithOption("weather", module.OptionFiles, "none")
	require.Contains(t, dispatch(`{"city":"files"}`).Text(), "note.txt")
	env.Selection = env.Selection.WithOption("weather", module.OptionFiles, "write")
	require.False(t, dispatch(`{"city":"files"}`).IsError())
	env.Limits.Timeout = 50 * time.Millisecond
	require.Equal(t, tool.CodeTimeout, dispatch(`{"city":"loop"}`).Code)
	env.Selection.Enable = map[string]bool{"weather": false}
	require.Equal(t, "Unknown tool: weather", dispatch(`{}`).Text())

	// Its changes are a call's, and can be undone.
	require.NoError(t, afero.WriteFile(session.Project(), "/data/written.txt", []byte("before"), 0o644))
	env.Selection.Enable, env.Limits.Timeout = nil, 0
	changed := runner.Registry().Dispatch(t.Context(), tool.Call{ID: "c8", Tool: "weather",
		Input: json.RawMessage(`{"city":"files"}`)}, env)
	require.Contains(t, changed.Text(), "changed /data/written.txt")
	_, err = session.Project().Undo(t.Context(), "c8")
	require.NoError(t, err)
	written, err = afero.ReadFile(session.Project(), "/data/written.txt")
	require.NoError(t, err)
	require.Equal(t, "before", string(written))
}

// connect returns a function that calls the tool through MCP.
func connect(t *testing.T, server *mcpserver.Server) func(args map[string]any) *sdk.CallToolResult {
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	go func() {
		_ = server.ServeStdio(context.Background(), in, out)
		_ = out.Close()
	}()
	session, err := sdk.NewClient(&sdk.Implementation{Name: "test"}, nil).Connect(t.Context(),
		&sdk.IOTransport{Reader: fromServer, Writer: toServer}, nil)
	require.NoError(t, err)
	t.Cleanup(func() { _ = session.Close() })
	return func(args map[string]any) *sdk.CallToolResult {
		result, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: "weather", Arguments: args})
		require.NoError(t, err)
		return result
	}
}

func text(result *sdk.CallToolResult) string {
	all := ""
	for _, part := range result.Content {
		if t, ok := part.(*sdk.TextContent); ok {
			all += t.Text
		}
	}
	return all
}

// BenchmarkToolInGo answers {} in three ways: as a reactor and as a command, each from its image, and as a command in a
// cold instance.
func BenchmarkToolInGo(b *testing.B) {
	for _, form := range []struct {
		name  string
		build func() ([]byte, error)
	}{{"reactor", asReactor}, {"command", asCommand}} {
		b.Run(form.name, func(b *testing.B) {
			code, err := form.build()
			require.NoError(b, err)
			loaded, err := command.Load(b.Context(), newEngine(b, sandbox.EngineOptions{}), code, nil)
			require.NoError(b, err)
			run := func() {
				result, err := loaded.Run(b.Context(), sandbox.RunOptions{Stdin: []byte(`{}`)})
				require.NoError(b, err)
				require.JSONEq(b, `{"city":"","degrees":[15,16],"calls":1}`, string(result.Output))
			}
			run()
			for b.Loop() {
				run()
			}
		})
	}
	b.Run("cold", func(b *testing.B) {
		code, err := asCommand()
		require.NoError(b, err)
		engine := wazero.NewRuntime(b.Context())
		defer engine.Close(b.Context())
		wasi_snapshot_preview1.MustInstantiate(b.Context(), engine)
		calls := engine.NewHostModuleBuilder("toolrun") // with what it imports to call tools
		calls.NewFunctionBuilder().WithFunc(func(_, _, _, _ uint32) uint64 { return 0 }).Export("call")
		calls.NewFunctionBuilder().WithFunc(func(_, _ uint32) uint32 { return 0 }).Export("result")
		_, err = calls.Instantiate(b.Context())
		require.NoError(b, err)
		compiled, err := engine.CompileModule(b.Context(), code)
		require.NoError(b, err)
		for b.Loop() {
			var out bytes.Buffer
			config := wazero.NewModuleConfig().WithArgs("weather").WithStdin(strings.NewReader(`{}`)).WithStdout(
				&out).WithName("").
				WithSysNanotime().WithSysWalltime()
			instance, err := engine.InstantiateModule(b.Context(), compiled, config)
			exit, ended := errors.AsType[*sys.ExitError](err)
			require.True(b, err == nil || ended && exit.ExitCode() == 0, "%v", err)
			require.JSONEq(b, `{"city":"","degrees":[15,16],"calls":1}`, out.String())
			if err == nil {
				require.NoError(b, instance.Close(b.Context()))
			}
		}
	})
}
