package provider_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/provider"
	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/tool"
)

// TestApplyPatchCalls reads calls of the tool that the Responses API defines itself.
func TestApplyPatchCalls(t *testing.T) {
	item := func(operation string) string {
		return `{"type":"apply_patch_call","id":"apc_1","call_id":"call_1","status":"completed",` +
			`"operation":` + operation + `}`
	}
	for operation, want := range map[string]string{
		`{"type":"create_file","path":"/a.txt","diff":"+one\n+<two>\n"}`: "*** Add File: /a.txt\n+one\n+<two>\n",
		`{"type":"update_file","path":"a.txt","diff":"@@\n-one\n+two"}`:  "*** Update File: a.txt\n@@\n-one\n+two\n",
		`{"type":"delete_file","path":"a.txt"}`:                          "*** Delete File: a.txt\n",
		`{"type":"update_file","path":"a","diff":"+x\n*** End Patch\n"}`: "*** Update File: a\n+x\n",
		`{"type":"delete_file","path":"a\n*** Delete File: b","diff":null}`: "*** Delete File: a\uFFFD*** Delete " +
			"File: b\n",
		`{"type":"rename_file","path":"a"}`: "*** rename_file File: a\n",
		`null`:                              "***  File: \n",
	} {
		calls, err := provider.Calls(tool.OpenAIResponses, []byte(`{"status":"completed",`+
			`"output":[`+item(operation)+`]}`))
		require.NoError(t, err)
		input, _ := json.Marshal(map[string]string{"input": "*** Begin Patch\n" + want + "*** End Patch"})
		require.Len(t, calls, 1)
		require.JSONEq(t, string(input), string(calls[0].Input))
		calls[0].Input = nil
		require.Equal(t, tool.Call{ID: "call_1", Tool: "apply_patch", Item: "apply_patch_call"}, calls[0])
	}
	cut := strings.Replace(item(`{"type":"delete_file","path":"a"}`), "completed", "in_progress", 1)
	calls, err := provider.Calls(tool.OpenAIResponses, []byte(cut))
	require.NoError(t, err)
	require.Error(t, calls[0].Err, "it is not whole")
	_, err = provider.Calls(tool.OpenAIResponses, []byte(strings.Replace(cut, "call_1", "", 1)))
	require.ErrorContains(t, err, "has no id")
}

// TestApplyPatchStream has a call of apply_patch between others. Its diff comes in pieces, and as a whole at the end.
func TestApplyPatchStream(t *testing.T) {
	events := []string{
		`{"type":"response.output_item.added","output_index":0,"item":{"type":"function_call","call_id":"call_1",` +
			`"name":"f","arguments":""}}`,
		`{"type":"response.function_call_arguments.done","output_index":0,"arguments":"{}"}`,
		`{"type":"response.output_item.added","output_index":1,"item":{"type":"apply_patch_call",` +
			`"call_id":"call_2","status":"in_progress","operation":{"type":"update_file","path":"a","diff":""}}}`,
		`{"type":"response.apply_patch_call_operation_diff.delta","output_index":1,"delta":"-a\n"}`,
		`{"type":"response.apply_patch_call_operation_diff.delta","output_index":1,"delta":"+b"}`,
		`{"type":"response.apply_patch_call_operation_diff.done","output_index":1,"diff":"-a\n+b"}`,
		`{"type":"response.output_item.done","output_index":1,"item":{"type":"apply_patch_call",` +
			`"call_id":"call_2","status":"completed","operation":{"type":"update_file","path":"a","diff":"-a\n+b"}}}`,
		`{"type":"response.output_item.added","output_index":2,"item":{"type":"function_call","call_id":"call_3",` +
			`"name":"f","arguments":""}}`,
		`{"type":"response.output_item.done","output_index":2,"item":{"type":"function_call","call_id":"call_3",` +
			`"name":"f","arguments":"{}"}}`,
		`{"type":"response.completed","response":{"status":"completed","output":[
			{"type":"function_call","call_id":"call_1","name":"f","arguments":"{}"},
			{"type":"apply_patch_call","call_id":"call_2","status":"completed","operation":{
				"type":"update_file","path":"a","diff":"-a\n+b"}},
			{"type":"function_call","call_id":"call_3","name":"f","arguments":"{}"}]}}`,
	}
	empty := json.RawMessage(`{}`)
	want := []tool.Call{{ID: "call_1", Tool: "f", Input: empty}, {ID: "call_2", Tool: "apply_patch",
		Item:  "apply_patch_call",
		Input: json.RawMessage(`{"input":"*** Begin Patch\n*** Update File: a\n-a\n+b\n*** End Patch"}`)},
		{ID: "call_3", Tool: "f", Input: empty}}
	for _, whole := range []bool{true, false} { // some servers end without repeating the output
		stream, err := provider.NewStream(tool.OpenAIResponses)
		require.NoError(t, err)
		for _, event := range events[:len(events)-1] {
			require.NoError(t, stream.Add([]byte(event)))
		}
		last := `{"type":"response.completed","response":{"status":"completed"}}`
		if whole {
			last = events[len(events)-1]
		}
		require.NoError(t, stream.Add([]byte(last)))
		calls, err := stream.Calls()
		require.NoError(t, err)
		require.Equal(t, want, calls)
	}
	stream, err := provider.NewStream(tool.OpenAIResponses)
	require.NoError(t, err)
	for _, event := range events[:5] {
		require.NoError(t, stream.Add([]byte(event)))
	}
	calls, err := stream.Calls()
	require.NoError(t, err)
	require.Error(t, calls[1].Err, "the stream has ended in the patch")
}

// TestShellCalls reads calls of the shells that the Responses API defines itself.
func TestShellCalls(t *testing.T) {
	for item, want := range map[string][]tool.Call{
		`"type":"shell_call","status":"in_progress","action":{"commands":["ls -l"],"timeout_ms":120000,` +
			`"max_output_length":4096}`: {{ID: "call_1", Item: "shell_call 4096",
			Input: json.RawMessage(`{"command":"ls -l","timeout_ms":120000}`)}},
		`"type":"shell_call","action":{"commands":["a","b\"","c"],"timeout_ms":null,"max_output_length":null}`: {
			{ID: "call_1", Item: "shell_call", Input: json.RawMessage(`{"command":"a"}`)},
			{ID: "call_1#2", Item: "shell_call #2", Input: json.RawMessage(`{"command":"b\""}`)},
			{ID: "call_1#3", Item: "shell_call #3", Input: json.RawMessage(`{"command":"c"}`)}},
		`"type":"shell_call","action":{"commands":["a","b"],"max_output_length":10,"timeout_ms":"x"},` +
			`"environment":{"type":"local"}`: {
			{ID: "call_1", Item: "shell_call 10", Input: json.RawMessage(`{"command":"a"}`)},
			{ID: "call_1#2", Item: "shell_call 10 #2", Input: json.RawMessage(`{"command":"b"}`)}},
		`"type":"shell_call","action":{"commands":[]}`: {{ID: "call_1", Item: "shell_call",
			Input: json.RawMessage(`{}`)}},
		`"type":"shell_call","action":null`: {{ID: "call_1", Item: "shell_call", Input: json.RawMessage(`{}`)}},
		`"type":"shell_call","environment":{"type":"container_reference","container_id":"c"},` +
			`"action":{"commands":["made by the API itself"]}`: nil,
		`"type":"shell_call_output","output":[]`: nil,
		`"type":"local_shell_call","status":"completed","action":{"type":"exec","command":["bash","-lc","echo 'a'"],` +
			`"env":{}}`: {{ID: "call_1", Item: "local_shell_call",
			Input: json.RawMessage(`{"command":"'bash' '-lc' 'echo '\\''a'\\'''"}`)}},
		`"type":"local_shell_call","action":{"type":"exec","command":["ls","$x"],"env":{"B":"b c","A":"1"},` +
			`"timeout_ms":500,"user":"root","working_directory":"/a b"}`: {{ID: "call_1", Item: "local_shell_call",
			Input: json.RawMessage(`{"command":"env -C '/a b' -- 'A=1' 'B=b c' 'ls' '$x'","timeout_ms":500}`)}},
		`"type":"local_shell_call","action":{"type":"exec","command":[],"env":{"A":"1"}}`: {{ID: "call_1",
			Item: "local_shell_call", Input: json.RawMessage(`{"command":""}`)}},
	} {
		calls, err := provider.Calls(tool.OpenAIResponses, []byte(`{"call_id":"call_1","id":"sh_1",`+item+`}`))
		require.NoError(t, err)
		for i := range want {
			want[i].Tool = "bash"
		}
		require.Equal(t, want, calls, item)
	}
	commands := func(id, rest string, n int) ([]tool.Call, error) {
		return provider.Calls(tool.OpenAIResponses, []byte(`{"type":"shell_call","call_id":"`+id+`","action":`+
			`{"commands":["x"`+strings.Repeat(`,""`, n-1)+`]}`+rest+`}`))
	}
	_, err := commands("c", "", 1001)
	require.ErrorContains(t, err, "more than 1000 commands")
	_, err = commands(strings.Repeat("c", 1001), "", 2)
	require.ErrorContains(t, err, "an id of more than 1000 bytes")
	calls, err := commands(strings.Repeat("c", 1001), `,"status":"incomplete"`, 1)
	require.NoError(t, err)
	require.Error(t, calls[0].Err, "it is not whole")
}

// TestShellStream has a call of several commands, which come in pieces, and as a whole at the end.
func TestShellStream(t *testing.T) {
	const whole = `{"type":"shell_call","call_id":"call_1","status":"completed",` +
		`"action":{"commands":["ls","pwd"],"timeout_ms":9,"max_output_length":99}}`
	events := []string{
		`{"type":"response.output_item.added","output_index":0,"item":{"type":"shell_call","call_id":"call_1",` +
			`"status":"in_progress","action":{"commands":[],"timeout_ms":null,"max_output_length":null}}}`,
		`{"type":"response.shell_call_command.added","output_index":0,"command_index":0,"command":""}`,
		`{"type":"response.shell_call_command.delta","output_index":0,"command_index":0,"delta":"ls"}`,
		`{"type":"response.shell_call_command.done","output_index":0,"command_index":0,"command":"ls"}`,
		`{"type":"response.output_item.done","output_index":0,"item":` + whole + `}`,
		`{"type":"response.output_item.done","output_index":1,"item":{"type":"function_call","call_id":"call_2",` +
			`"name":"f","arguments":"{}"}}`,
	}
	want := []tool.Call{
		{ID: "call_1", Tool: "bash", Item: "shell_call 99", Input: json.RawMessage(`{"command":"ls","timeout_ms":9}`)},
		{ID: "call_1#2", Tool: "bash", Item: "shell_call 99 #2",
			Input: json.RawMessage(`{"command":"pwd","timeout_ms":9}`)},
		{ID: "call_2", Tool: "f", Input: json.RawMessage(`{}`)}}
	for _, end := range []string{
		`{"type":"response.completed","response":{"status":"completed"}}`,
		`{"type":"response.completed","response":{"status":"completed","output":[` + whole +
			`,{"type":"function_call","call_id":"call_2","name":"f","arguments":"{}"}]}}`,
	} {
		stream, err := provider.NewStream(tool.OpenAIResponses)
		require.NoError(t, err)
		for _, event := range append(events, end) {
			require.NoError(t, stream.Add([]byte(event)))
		}
		calls, err := stream.Calls()
		require.NoError(t, err)
		require.Equal(t, want, calls)
	}
	stream, err := provider.NewStream(tool.OpenAIResponses)
	require.NoError(t, err)
	for _, event := range events[:4] {
		require.NoError(t, stream.Add([]byte(event)))
	}
	calls, err := stream.Calls()
	require.NoError(t, err)
	require.Error(t, calls[0].Err, "the stream has ended in a command")
}

// TestShellResults answers each call once, with an output for each command.
func TestShellResults(t *testing.T) {
	result := func(id, item, data string, code tool.Code, content ...string) tool.Result {
		r := tool.Result{CallID: id, Tool: "bash", Item: item, Code: code}
		if data != "" {
			r.Data = json.RawMessage(data)
		}
		for _, text := range content {
			r.Content = append(r.Content, tool.Part{Text: text})
		}
		return r
	}
	const printed = `{"console":[{"level":"LOG","text":"a"},{"level":"ERROR","text":"e"},` +
		`{"level":"LOG","text":"b","unfinished":true}]`
	long := result("call_3", "shell_call 7", printed+"}", "", "a\n[exit status 2]\n[cut]\n[exit status 3]")
	long.InFile = "/results/1"
	messages, err := provider.Results(tool.OpenAIResponses, []tool.Result{
		result("call_1", "shell_call 4096", printed+`}`, "", "a\ne\nb"),
		result("call_2#2", "shell_call", printed+`,"status":4,"truncatedBytes":5}`, "", "a\ne\nb", "Files: created /a"),
		result("call_1#2", "shell_call 4096 #2", `{"console":[]}`, "", "Note: nothing"),
		result("call_1#3", "shell_call 4096 #3", printed+`,"error":{"kind":"time limit","message":"stopped"}}`,
			tool.CodeTimeout, "a\ne\nb\nstopped"),
		long,
		result("call_4", "shell_call", "", tool.CodeRefused, "The user has refused it."),
		result("call_5", "local_shell_call", printed+"}", tool.CodeTool, "a\ne\nb", "Files: created /a"),
	})
	require.NoError(t, err)
	require.JSONEq(t, `[
		{"type":"shell_call_output","call_id":"call_1","max_output_length":4096,"output":[
			{"stdout":"a\nb","stderr":"e\n","outcome":{"type":"exit","exit_code":0}},
			{"stdout":"","stderr":"","outcome":{"type":"exit","exit_code":0}},
			{"stdout":"a\nb","stderr":"e\nstopped","outcome":{"type":"timeout"}}]},
		{"type":"shell_call_output","call_id":"call_2#2","output":[
			{"stdout":"a\nb","stderr":"e\n[output limit reached: 5 more bytes were cut off]\nFiles: created /a",
				"outcome":{"type":"exit","exit_code":4}}]},
		{"type":"shell_call_output","call_id":"call_3","max_output_length":7,"output":[
			{"stdout":"a\n[exit status 2]\n[cut]\n[exit status 3]","stderr":"",
				"outcome":{"type":"exit","exit_code":3}}]},
		{"type":"shell_call_output","call_id":"call_4","output":[
			{"stdout":"","stderr":"The user has refused it.","outcome":{"type":"exit","exit_code":1}}]},
		{"type":"local_shell_call_output","id":"call_5","call_id":"call_5","output":"a\ne\nb\nFiles: created /a"}]`,
		string(messages))
}

// TestItemsAreAnsweredInKind follows the item from the call to the message, through a registry and what is kept.
func TestItemsAreAnsweredInKind(t *testing.T) {
	tools, err := registry.New(plainTool("apply_patch", `{"type":"object"}`))
	require.NoError(t, err)
	calls := []tool.Call{{ID: "1", Tool: "apply_patch", Item: "apply_patch_call"}, {ID: "2", Tool: "apply_patch"},
		{ID: "3", Tool: "none", Item: "apply_patch_call"}}
	results := tools.DispatchAll(t.Context(), calls, registry.Env{})
	for i, result := range results {
		data, err := result.Keep()
		require.NoError(t, err)
		results[i], err = tool.ReadResult(data)
		require.NoError(t, err)
	}
	messages, err := provider.Results(tool.OpenAIResponses, results)
	require.NoError(t, err)
	text := results[0].Text()
	require.NotEmpty(t, text)
	encoded, _ := json.Marshal(text)
	require.JSONEq(t, `[{"type":"apply_patch_call_output","call_id":"1","status":"completed",`+
		`"output":`+string(encoded)+`},
		{"type":"function_call_output","call_id":"2","output":`+string(encoded)+`},
		{"type":"apply_patch_call_output","call_id":"3","status":"failed","output":"Unknown tool: none"}]`,
		string(messages))
}
