package provider_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/provider"
	"github.com/toolrun/toolrun/tool"
)

// TestAgentEvents reads the calls that a managed agent's session waits for, from a list and from a stream.
func TestAgentEvents(t *testing.T) {
	const (
		use = `{"type":"agent.tool_use","id":"sevt_1","name":"read","input":{"file_path":"/a"},` +
			`"evaluated_permission":"allow"}`
		custom = `{"type":"agent.custom_tool_use","id":"sevt_2","name":"find","input":{"n":9007199254740993}}`
		ask    = `{"type":"agent.tool_use","id":"sevt_3","name":"write","input":{},"evaluated_permission":"ask"}`
		deny   = `{"type":"agent.tool_use","id":"sevt_4","name":"write","input":{},"evaluated_permission":"deny"}`
		idle   = `{"type":"session.status_idle","id":"sevt_9","stop_reason":{"type":"requires_action",` +
			`"event_ids":["sevt_1"]}}`
	)
	for name, test := range map[string]struct {
		events []string
		want   string
		fails  string
	}{
		"calls": {[]string{`{"type":"agent.message","id":"sevt_0","content":[]}`, use, custom, idle},
			"sevt_1 sevt_2", ""},
		"sent again":     {[]string{use, custom, use}, "sevt_1 sevt_2", ""},
		"answered":       {[]string{use, custom, `{"type":"agent.tool_result","tool_use_id":"sevt_1"}`}, "sevt_2", ""},
		"answered by us": {[]string{use, `{"type":"user.tool_result","tool_use_id":"sevt_1"}`, use}, "", ""},
		"custom answered": {[]string{custom, `{"type":"user.custom_tool_result","custom_tool_use_id":"sevt_2"}`}, "",
			""},
		"to be confirmed": {[]string{ask, deny, use}, "sevt_1", ""},
		"confirmed": {[]string{ask, use, `{"type":"user.tool_confirmation","tool_use_id":"sevt_3","result":"allow"}`},
			"sevt_3 sevt_1", ""},
		"refused": {[]string{ask, `{"type":"user.tool_confirmation","tool_use_id":"sevt_3","result":"deny"}`}, "", ""},
		"no id":   {[]string{`{"type":"agent.tool_use","name":"read","input":{}}`}, "", "has no id"},
		"retried": {[]string{use, `{"type":"session.error","error":{"message":"m",` +
			`"retry_status":{"type":"retrying"}}}`}, "sevt_1", ""},
		"an error": {[]string{`{"type":"session.error","error":{"type":"t","message":"m",` +
			`"retry_status":{"type":"terminal"}}}`}, "", "t: m"},
		"no event": {[]string{`1`}, "", "expected an event"},
	} {
		t.Run(name, func(t *testing.T) {
			check := func(calls []tool.Call, err error) {
				if test.fails != "" {
					require.ErrorContains(t, err, test.fails)
					return
				}
				require.NoError(t, err)
				var ids []string
				for _, call := range calls {
					ids = append(ids, call.ID)
					require.Equal(t, call.Tool != "find", call.Item == "agent.tool_use")
				}
				require.Equal(t, test.want, strings.Join(ids, " "))
			}
			list := "[" + strings.Join(test.events, ",") + "]"
			check(provider.Calls(tool.AnthropicAgents, []byte(list)))
			check(provider.Calls(tool.AnthropicAgents, []byte(`{"data":`+list+`,"next_page":null}`)))
			stream, err := provider.NewStream(tool.AnthropicAgents)
			require.NoError(t, err)
			for _, event := range test.events {
				if err = stream.Add([]byte(event)); err != nil {
					break
				}
			}
			if err != nil {
				check(nil, err)
			} else {
				check(stream.Calls())
			}
		})
	}
	calls, err := provider.Calls(tool.AnthropicAgents, []byte(custom))
	require.NoError(t, err)
	require.Equal(t, `{"n":9007199254740993}`, string(calls[0].Input))
	_, err = provider.Calls(tool.AnthropicAgents, []byte(`{}`))
	require.ErrorContains(t, err, "expected events of a session")

	messages, err := provider.Results(tool.AnthropicAgents, []tool.Result{
		{CallID: "sevt_1", Item: "agent.tool_use", Content: []tool.Part{{Text: "one"}}},
		{CallID: "sevt_2", Code: tool.CodeTool, Content: []tool.Part{{Text: "two"}}},
	})
	require.NoError(t, err)
	require.JSONEq(t, `[
		{"type":"user.tool_result","tool_use_id":"sevt_1","content":[{"type":"text","text":"one"}]},
		{"type":"user.custom_tool_result","custom_tool_use_id":"sevt_2","is_error":true,
			"content":[{"type":"text","text":"two"}]}]`, string(messages))
}
