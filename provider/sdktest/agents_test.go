package sdktest

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/provider"
	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/tools/code"
	"github.com/toolrun/toolrun/tools/filesystem"
	"github.com/toolrun/toolrun/tools/shell"
	"github.com/toolrun/toolrun/vfs/local"
)

// TestManagedAgents defines an agent, reads the calls of its session from a page of events and from a stream, and
// answers them, all through the SDK.
func TestManagedAgents(t *testing.T) {
	reg, err := registry.New(slices.Concat([]tool.Tool{findOrder(), filesystem.New(), newBash()},
		filesystem.Native())...)
	require.NoError(t, err)
	selection := registry.Selection{}.WithOption("filesystem", "form", filesystem.FormAgentToolset)
	definitions, err := provider.Definitions(reg, tool.AnthropicAgents,
		selection.WithOption(shell.Name, code.OptionSession, "main"), nil)
	require.NoError(t, err)
	toolset := `{"type":"agent_toolset_20260401","default_config":{"enabled":false},"configs":[
		{"type":"bash","name":"bash","enabled":true},
		{"type":"read","name":"read","enabled":true},{"type":"write","name":"write","enabled":true},
		{"type":"edit","name":"edit","enabled":true},{"type":"glob","name":"glob","enabled":true},
		{"type":"grep","name":"grep","enabled":true}]}`
	requireSame(t, []byte(toolset), elements(t, definitions)[0])
	var params anthropic.BetaAgentNewParams
	require.NoError(t, json.Unmarshal(definitions, &params.Tools))
	requireSame(t, definitions, encode(t, params.Tools))

	project, err := local.NewMemoryStore(nil).Open(t.Context(), "test")
	require.NoError(t, err)
	require.NoError(t, afero.WriteFile(project, "/a.txt", []byte("one\ntwo\none\n"), 0o600))
	const at = `"processed_at":"2026-04-01T00:00:00Z"`
	events := []string{
		`{"type":"agent.tool_use","id":"sevt_1","name":"edit",` + at + `,"evaluated_permission":"allow",` +
			`"input":{"file_path":"a.txt","old_string":"one","new_string":"1","replace_all":true}}`,
		`{"type":"agent.tool_use","id":"sevt_2","name":"read",` + at + `,"input":{"file_path":"/a.txt",` +
			`"view_range":[1,0]}}`,
		`{"type":"agent.tool_use","id":"sevt_3","name":"glob",` + at + `,"input":{"pattern":"**/*.txt"}}`,
		`{"type":"agent.tool_use","id":"sevt_4","name":"grep",` + at + `,"input":{"pattern":"^t","path":"/none"}}`,
		`{"type":"agent.tool_use","id":"sevt_5","name":"write",` + at + `,"input":{"file_path":"d/b","content":"x"}}`,
		`{"type":"agent.custom_tool_use","id":"sevt_6","name":"find_order",` + at + `,"input":{"order":` + order + `}}`,
		`{"type":"agent.tool_use","id":"sevt_7","name":"bash",` + at + `,"input":{"command":"ls","timeout_ms":100,` +
			`"restart":false}}`,
		`{"type":"session.status_idle","id":"sevt_8",` + at + `,"stop_reason":{"type":"requires_action",` +
			`"event_ids":["sevt_1","sevt_2","sevt_3","sevt_4","sevt_5","sevt_6","sevt_7"]}}`,
	}
	stream, err := provider.NewStream(tool.AnthropicAgents)
	require.NoError(t, err)
	var received []json.RawMessage
	for _, data := range events {
		var one anthropic.BetaManagedAgentsSessionEventUnion
		require.NoError(t, json.Unmarshal([]byte(data), &one))
		received = append(received, json.RawMessage(one.RawJSON()))
		var streamed anthropic.BetaManagedAgentsStreamSessionEventsUnion
		require.NoError(t, json.Unmarshal([]byte(data), &streamed))
		require.NoError(t, stream.Add([]byte(streamed.RawJSON())))
	}
	calls, err := provider.Calls(tool.AnthropicAgents, encode(t, received))
	require.NoError(t, err)
	again, err := stream.Calls()
	require.NoError(t, err)
	require.Equal(t, calls, again)
	for _, call := range slices.Delete(slices.Clone(calls), 5, 6) { // with the names and types that the SDK has
		input := map[string]any{
			"bash":  &anthropic.BetaManagedAgentsAgentToolset20260401BashInput{},
			"edit":  &anthropic.BetaManagedAgentsAgentToolset20260401EditInput{},
			"read":  &anthropic.BetaManagedAgentsAgentToolset20260401ReadInput{},
			"glob":  &anthropic.BetaManagedAgentsAgentToolset20260401GlobInput{},
			"grep":  &anthropic.BetaManagedAgentsAgentToolset20260401GrepInput{},
			"write": &anthropic.BetaManagedAgentsAgentToolset20260401WriteInput{},
		}[call.Tool]
		require.NoError(t, strictly(call.Input, input))
	}

	results := reg.DispatchAll(t.Context(), calls, registry.Env{Files: project, Selection: selection})
	messages, err := provider.Results(tool.AnthropicAgents, results)
	require.NoError(t, err)
	requireSame(t, []byte(`[
		{"type":"user.tool_result","tool_use_id":"sevt_1","content":[
			{"type":"text","text":"The file has been edited.\n2 replacements"}]},
		{"type":"user.tool_result","tool_use_id":"sevt_2","content":[{"type":"text","text":"1\ntwo\n1"}]},
		{"type":"user.tool_result","tool_use_id":"sevt_3","content":[{"type":"text","text":"/a.txt"}]},
		{"type":"user.tool_result","tool_use_id":"sevt_4","is_error":true,"content":[
			{"type":"text","text":"Error: The path /none does not exist"}]},
		{"type":"user.tool_result","tool_use_id":"sevt_5","content":[
			{"type":"text","text":"File created successfully at: /d/b"}]},
		{"type":"user.custom_tool_result","custom_tool_use_id":"sevt_6","content":[
			{"type":"text","text":"Order 9007199254740993 is open & größer als <1>."}]},
		{"type":"user.tool_result","tool_use_id":"sevt_7","content":[
			{"type":"text","text":"ls\nwarning"}]}]`), messages)
	var send anthropic.BetaSessionEventSendParams
	require.NoError(t, json.Unmarshal(messages, &send.Events))
	requireSame(t, messages, encode(t, send.Events))
}
