package sdktest

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"testing"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/provider"
	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/runtime/script"
	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/tools/code"
	"github.com/toolrun/toolrun/tools/filesystem"
	"github.com/toolrun/toolrun/tools/shell"
	"github.com/toolrun/toolrun/vfs/local"
)

// TestNativeTools has a turn with each tool for files, and each shell, that a provider defines: the SDK sends its
// definition, returns the model's calls, and sends them back with their results.
func TestNativeTools(t *testing.T) {
	reg, err := registry.New(slices.Concat([]tool.Tool{filesystem.New(), newBash()}, filesystem.Parts(),
		filesystem.Native())...)
	require.NoError(t, err)
	for _, test := range []struct {
		sdk, form string // form is the value of the option that names it
		only      string // the tool that is offered
		defined   string
		response  string // the model's calls, one of which fails
		results   string
		sent      string   // what the SDK makes of the results, if it leaves something out
		stream    []string // the same calls
	}{
		{
			sdk: "Anthropic Messages", form: filesystem.FormTextEditor, only: "str_replace_based_edit_tool",
			defined: `[{"type":"text_editor_20250728","name":"str_replace_based_edit_tool","max_characters":9000}]`,
			response: `{"id":"msg_1","type":"message","role":"assistant","model":"test","stop_reason":"tool_use",
				"stop_sequence":null,"usage":{"input_tokens":1,"output_tokens":1},"content":[
				{"type":"tool_use","id":"toolu_1","name":"str_replace_based_edit_tool",
					"input":{"command":"str_replace","path":"/a.txt","old_str":"one","new_str":"1"}},
				{"type":"tool_use","id":"toolu_2","name":"str_replace_based_edit_tool",
					"input":{"command":"view","path":"/none"}}]}`,
			results: `[{"role":"user","content":[
				{"type":"tool_result","tool_use_id":"toolu_1","content":[{"type":"text",
					"text":"The file has been edited.\n     1\t1\n     2\ttwo"}]},
				{"type":"tool_result","tool_use_id":"toolu_2","is_error":true,"content":[{"type":"text",
					"text":"The path /none does not exist. Please provide a valid path."}]}]}]`,
			stream: []string{
				`{"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","model":"test",` +
					`"content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":1,` +
					`"output_tokens":1}}}`,
				`{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"toolu_1",` +
					`"name":"str_replace_based_edit_tool","input":{}}}`,
				`{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":` +
					`"{\"command\":\"str_replace\",\"path\":\"/a.txt\",\"old_str\":"}}`,
				`{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":` +
					`"\"one\",\"new_str\":\"1\"}"}}`,
				`{"type":"content_block_stop","index":0}`,
				`{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"toolu_2",` +
					`"name":"str_replace_based_edit_tool","input":{}}}`,
				`{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":` +
					`"{\"command\":\"view\",\"path\":\"/none\"}"}}`,
				`{"type":"content_block_stop","index":1}`,
				`{"type":"message_delta","delta":{"stop_reason":"tool_use","stop_sequence":null},` +
					`"usage":{"output_tokens":2}}`,
				`{"type":"message_stop"}`,
			},
		},
		{
			sdk: "OpenAI Responses", form: filesystem.FormApplyPatch, only: "apply_patch",
			defined: `[{"type":"apply_patch"}]`,
			response: `{"id":"resp_1","object":"response","created_at":1,"status":"completed","model":"test","output":[
				{"type":"apply_patch_call","id":"apc_1","call_id":"call_1","status":"completed",
					"operation":{"type":"update_file","path":"a.txt","diff":"@@\n-one\n+1\n two"}},
				{"type":"apply_patch_call","id":"apc_2","call_id":"call_2","status":"completed",
					"operation":{"type":"delete_file","path":"/none"}},
				{"type":"apply_patch_call","id":"apc_3","call_id":"call_3","status":"completed",
					"operation":{"type":"create_file","path":"d/new.txt","diff":"+new\n"}}]}`,
			results: `[
				{"type":"apply_patch_call_output","call_id":"call_1","status":"completed",
					"output":"Success. Updated the following files:\nM /a.txt"},
				{"type":"apply_patch_call_output","call_id":"call_2","status":"failed",
					"output":"Error: The path /none does not exist or is not a file. Nothing has been changed."},
				{"type":"apply_patch_call_output","call_id":"call_3","status":"completed",
					"output":"Success. Updated the following files:\nA /d/new.txt"}]`,
			stream: []string{
				`{"type":"response.output_item.added","sequence_number":1,"output_index":0,` +
					`"item":{"type":"apply_patch_call",` +
					`"id":"apc_1","call_id":"call_1","status":"in_progress",` +
					`"operation":{"type":"update_file","path":"a.txt","diff":""}}}`,
				`{"type":"response.apply_patch_call_operation_diff.delta","sequence_number":2,"output_index":0,` +
					`"item_id":"apc_1","delta":"@@\n-one\n+1\n two"}`,
				`{"type":"response.apply_patch_call_operation_diff.done","sequence_number":3,"output_index":0,` +
					`"item_id":"apc_1","diff":"@@\n-one\n+1\n two"}`,
				`{"type":"response.output_item.done","sequence_number":4,"output_index":0,` +
					`"item":{"type":"apply_patch_call",` +
					`"id":"apc_1","call_id":"call_1","status":"completed",` +
					`"operation":{"type":"update_file","path":"a.txt","diff":"@@\n-one\n+1\n two"}}}`,
				`{"type":"response.output_item.done","sequence_number":5,"output_index":1,` +
					`"item":{"type":"apply_patch_call",` +
					`"id":"apc_2","call_id":"call_2","status":"completed","operation":{"type":"delete_file",` +
					`"path":"/none"}}}`,
				`{"type":"response.output_item.done","sequence_number":6,"output_index":2,` +
					`"item":{"type":"apply_patch_call",` +
					`"id":"apc_3","call_id":"call_3","status":"completed",` +
					`"operation":{"type":"create_file","path":"d/new.txt","diff":"+new\n"}}}`,
				`{"type":"response.completed","sequence_number":7,"response":{"id":"resp_1","object":"response",` +
					`"created_at":1,"status":"completed","model":"test","output":[]}}`,
			},
		},
		{
			sdk: "OpenAI Responses", form: "shell", only: shell.Name,
			defined: `[{"type":"shell","environment":{"type":"local"}}]`,
			response: `{"id":"resp_1","object":"response","created_at":1,"status":"completed","model":"test","output":[
				{"type":"shell_call","id":"sh_1","call_id":"call_1","status":"completed","environment":{"type":"local"},
					"action":{"commands":["ls","loop"],"timeout_ms":2000,"max_output_length":4096}},
				{"type":"shell_call","id":"sh_2","call_id":"call_2","status":"in_progress","environment":null,
					"action":{"commands":["exit 3"],"timeout_ms":null,"max_output_length":null}}]}`,
			results: `[
				{"type":"shell_call_output","call_id":"call_1","max_output_length":4096,"output":[
					{"stdout":"ls\n","stderr":"warning\n","outcome":{"type":"exit","exit_code":0}},
					{"stdout":"loop\n","stderr":"warning\ntime limit exceeded: the script was stopped after 2s. ` +
				`Look for loops that do not end, or do less work in one run.",
						"outcome":{"type":"timeout"}}]},
				{"type":"shell_call_output","call_id":"call_2","output":[
					{"stdout":"exit 3\n","stderr":"warning\n","outcome":{"type":"exit","exit_code":3}}]}]`,
			stream: []string{
				`{"type":"response.output_item.added","sequence_number":1,"output_index":0,"item":{` +
					`"type":"shell_call","id":"sh_1","call_id":"call_1","status":"in_progress",` +
					`"environment":{"type":"local"},` +
					`"action":{"commands":[],"timeout_ms":2000,"max_output_length":4096}}}`,
				`{"type":"response.shell_call_command.added","sequence_number":2,"output_index":0,"command_index":0,` +
					`"command":""}`,
				`{"type":"response.shell_call_command.delta","sequence_number":3,"output_index":0,"command_index":0,` +
					`"delta":"ls"}`,
				`{"type":"response.shell_call_command.done","sequence_number":4,"output_index":0,"command_index":0,` +
					`"command":"ls"}`,
				`{"type":"response.output_item.done","sequence_number":5,"output_index":0,"item":{` +
					`"type":"shell_call","id":"sh_1","call_id":"call_1","status":"completed",` +
					`"environment":{"type":"local"},` +
					`"action":{"commands":["ls","loop"],"timeout_ms":2000,"max_output_length":4096}}}`,
				`{"type":"response.output_item.done","sequence_number":6,"output_index":1,"item":{` +
					`"type":"shell_call","id":"sh_2","call_id":"call_2","status":"completed",` +
					`"environment":{"type":"local"},` +
					`"action":{"commands":["exit 3"],"timeout_ms":null,"max_output_length":null}}}`,
				`{"type":"response.completed","sequence_number":7,"response":{"id":"resp_1","object":"response",` +
					`"created_at":1,"status":"completed","model":"test","output":[]}}`,
			},
		},
		{
			sdk: "OpenAI Responses", form: "local_shell", only: shell.Name,
			defined: `[{"type":"local_shell"}]`,
			response: `{"id":"resp_1","object":"response","created_at":1,"status":"completed","model":"test","output":[
				{"type":"local_shell_call","id":"lsh_1","call_id":"call_1","status":"completed","action":{"type":"exec",
					"command":["ls","a b"],"env":{"A":"1"},"timeout_ms":2000,"working_directory":"/d"}}]}`,
			results: `[{"type":"local_shell_call_output","id":"call_1","call_id":"call_1",
				"output":"env -C '/d' -- 'A=1' 'ls' 'a b'\nwarning"}]`,
			sent: `[{"type":"local_shell_call_output","id":"call_1",
				"output":"env -C '/d' -- 'A=1' 'ls' 'a b'\nwarning"}]`,
			stream: []string{
				`{"type":"response.output_item.added","sequence_number":1,"output_index":0,"item":{` +
					`"type":"local_shell_call","id":"lsh_1","call_id":"call_1","status":"in_progress",` +
					`"action":{"type":"exec","command":[],"env":{}}}}`,
				`{"type":"response.output_item.done","sequence_number":2,"output_index":0,"item":{` +
					`"type":"local_shell_call","id":"lsh_1","call_id":"call_1","status":"completed","action":{` +
					`"type":"exec","command":["ls","a b"],"env":{"A":"1"},"timeout_ms":2000,` +
					`"working_directory":"/d"}}}`,
				`{"type":"response.completed","sequence_number":3,"response":{"id":"resp_1","object":"response",` +
					`"created_at":1,"status":"completed","model":"test","output":[]}}`,
			},
		},
	} {
		t.Run(test.sdk+" "+test.only+" "+test.form, func(t *testing.T) {
			s := named(test.sdk)
			selection := registry.Selection{}.Only(test.only).WithOption("str_replace_based_edit_tool",
				"maxCharacters", 9000)
			if test.only == shell.Name {
				selection = selection.WithOption(shell.Name, shell.OptionOpenAI, test.form)
			}
			definitions, err := provider.Definitions(reg, s.api, selection, nil)
			require.NoError(t, err)
			requireSame(t, []byte(test.defined), definitions)
			project, err := local.NewMemoryStore(nil).Open(t.Context(), "test")
			require.NoError(t, err)
			require.NoError(t, afero.WriteFile(project, "/a.txt", []byte("one\ntwo\n"), 0o600))

			var stream []byte
			for _, event := range test.stream {
				var kind string
				require.NoError(t, json.Unmarshal(at(t, []byte(event), "type"), &kind))
				stream = append(stream, "event: "+kind+"\ndata: "+event+"\n\n"...)
			}
			server := serve(t, answer{s.path, "application/json", []byte(test.response)},
				answer{s.path, "application/json", testdata(t, s.file+"_end.json")},
				answer{s.streamPath, s.streamType, stream})
			c := s.new(t, server.URL)
			require.NoError(t, c.define(definitions))
			require.NoError(t, c.say(json.RawMessage("["+s.user+"]")))
			response, err := c.send(t.Context())
			require.NoError(t, err)
			requireSame(t, definitions, at(t, server.bodies[0], s.tools...))
			calls, err := provider.Calls(s.api, response)
			require.NoError(t, err)

			results := reg.DispatchAll(t.Context(), calls, registry.Env{Files: project, Selection: selection})
			messages, err := provider.Results(s.api, results)
			require.NoError(t, err)
			requireSame(t, []byte(test.results), messages)
			require.NoError(t, c.say(messages))
			_, err = c.send(t.Context())
			require.NoError(t, err)
			sent := elements(t, at(t, server.bodies[1], s.messages...))
			added := len(elements(t, messages))
			requireSame(t, []byte(cmp.Or(test.sent, test.results)), encode(t, sent[len(sent)-added:]))
			again, err := provider.Calls(s.api, modelMessages(s, sent[1:len(sent)-added]))
			require.NoError(t, err)
			requireSameCalls(t, calls, again)

			events, err := c.stream(t.Context())
			require.NoError(t, err)
			requireSameCalls(t, calls, streamed(t, s, events))
		})
	}
}

// newBash returns the tool bash with an interpreter that prints the script, and ends as its first word says.
func newBash() tool.Tool {
	return code.New(shell.Language, func(context.Context) (code.Interpreter, error) { return echoing{}, nil }, nil)
}

type echoing struct{ code.Interpreter }

func (echoing) Run(_ context.Context, text string, run *code.Run) (*script.Result, error) {
	result := &script.Result{Console: []runtime.Entry{
		{Level: runtime.LevelLog, Text: text}, {Level: runtime.LevelError, Text: "warning"}}}
	switch text {
	case "loop":
		return result, &runtime.LimitError{Limit: runtime.LimitTime, Value: int64(run.Limits.Time)}
	case "exit 3":
		result.Status, result.Text = 3, "[exit status 3]"
	}
	return result, nil
}

func requireSameCalls(t *testing.T, want, got []tool.Call) {
	t.Helper()
	require.Len(t, got, len(want))
	for i := range want {
		require.JSONEq(t, string(want[i].Input), string(got[i].Input))
		require.Equal(t, want[i].ID+want[i].Tool+want[i].Item, got[i].ID+got[i].Tool+got[i].Item)
		require.NoError(t, got[i].Err)
	}
}
