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
