package provider_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/provider"
	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/tool"
)

func stream(t *testing.T, api tool.API, events ...string) []tool.Call {
	t.Helper()
	s, err := provider.NewStream(api)
	require.NoError(t, err)
	for _, event := range events {
		require.NoError(t, s.Add([]byte(event)), "%s", event)
	}
	calls, err := s.Calls()
	require.NoError(t, err)
	return calls
}

func TestStream(t *testing.T) {
	two := []tool.Call{call("id1", "get_weather", `{"city": "Paris"}`), call("id2", "now", `{}`)}
	for _, test := range []struct {
		name   string
		api    tool.API
		events string
		want   []tool.Call
	}{
		{"as documented", tool.Anthropic, `
			{"type":"message_start","message":{"id":"msg_1","type":"message",
				"role":"assistant","content":[],"model":"m"}}
			{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}
			{"type":"ping"}
			{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"I look."}}
			{"type":"content_block_stop","index":0}
			{"type":"content_block_start","index":1,
				"content_block":{"type":"tool_use","id":"id1","name":"get_weather","input":{}}}
			{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":""}}
			{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"city\":"}}
			{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":" \"Paris\"}"}}
			{"type":"content_block_stop","index":1}
			{"type":"content_block_start","index":2,
				"content_block":{"type":"server_tool_use","id":"s","name":"web_search","input":{}}}
			{"type":"content_block_delta","index":2,
				"delta":{"type":"input_json_delta","partial_json":"{\"query\":\"x\"}"}}
			{"type":"content_block_stop","index":2}
			{"type":"content_block_start","index":3,
				"content_block":{"type":"tool_use","id":"id2","name":"now","input":{}}}
			{"type":"content_block_stop","index":3}
			{"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":9}}
			{"type":"message_stop"}
			{"type":"something_new","index":1}`, two},
		{"interleaved", tool.Anthropic, `
			{"type":"content_block_start","index":900719925474099300,
				"content_block":{"type":"tool_use","id":"id1","name":"get_weather","input":{}}}
			{"type":"content_block_start","index":-1,
				"content_block":{"type":"tool_use","id":"id2","name":"now","input":{}}}
			{"type":"content_block_delta","index":900719925474099300,
				"delta":{"type":"input_json_delta","partial_json":"{\"city\":"}}
			{"type":"content_block_delta","index":-1,"delta":{"type":"input_json_delta","partial_json":"{}"}}
			{"type":"content_block_delta","index":900719925474099300,
				"delta":{"type":"input_json_delta","partial_json":" \"Paris\"}"}}`, two},
		{"input at the start", tool.Anthropic, `
			{"type":"content_block_start","index":0,
				"content_block":{"type":"tool_use","id":"id1","name":"get_weather","input":{"city": "Paris"}}}
			{"type":"content_block_stop","index":0}
			{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"id2","name":"now"}}
			{"type":"content_block_stop","index":1}`, two},
		{"the end of the message alone", tool.Anthropic, `
			{"type":"content_block_start","index":0,
				"content_block":{"type":"tool_use","id":"id2","name":"now","input":{}}}
			{"type":"message_stop"}`, two[1:]},
		{"deltas under indexes that no block has", tool.Anthropic, `
			{"type":"content_block_start","index":0,
				"content_block":{"type":"tool_use","id":"id1","name":"get_weather","input":{}}}
			{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"city\":"}}
			{"type":"content_block_delta","delta":{"type":"input_json_delta","partial_json":" \"Paris\"}"}}
			{"type":"content_block_stop","index":1}
			{"type":"content_block_start","index":2,
				"content_block":{"type":"server_tool_use","id":"s","name":"web_search","input":{}}}
			{"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":"{\"query\":"}}
			{"type":"content_block_start","index":0,
				"content_block":{"type":"tool_use","id":"id2","name":"now","input":{}}}
			{"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":"\"x\"}"}}
			{"type":"message_stop"}`, two},

		{"as documented", tool.OpenAIChat, `
			{"id":"c","choices":[{"index":0,"delta":{"role":"assistant","content":null},"finish_reason":null}]}
			{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"id1",
				"type":"function","function":{"name":"get_weather","arguments":""}}]}}]}
			{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"city\":"}}]}}]}
			{"choices":[{"index":0,"delta":{"tool_calls":[{"index":1,"id":"id2",
				"type":"function","function":{"name":"now","arguments":""}}]}}]}
			{"choices":[{"index":0,"delta":{"tool_calls":[{"index":1,"function":{"arguments":"{}"}},
				{"index":0,"function":{"arguments":" \"Paris\"}"}}]}}]}
			{"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}
			{"choices":[],"usage":{"total_tokens":3}}
			[DONE]`, two},
		{"names in pieces", tool.OpenAIChat, `
			{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"id1",
				"type":"function","function":{"name":"get_","arguments":""}}]}}]}
			{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"name":"weather"}}]}}]}
			{"choices":[{"index":0,
				"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"city\": \"Paris\"}"}}]}}]}
			{"choices":[{"index":0,"delta":{"tool_calls":[{"index":1,"id":"id2",
				"type":"function","function":{"name":"n","arguments":""}}]}}]}
			{"choices":[{"index":0,
				"delta":{"tool_calls":[{"index":1,"id":"id2","function":{"name":"ow","arguments":"{}"}}]}}]}`, two},
		{"all calls under one index", tool.OpenAIChat, `
			{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"id1",
				"function":{"name":"get_weather","arguments":"{\"city\": \"Paris\"}"}}]}}]}
			{"choices":[{"index":0,
				"delta":{"tool_calls":[{"index":0,"id":"id2","function":{"name":"now","arguments":"{}"}}]}}]}`, two},
		{"an id in each delta", tool.OpenAIChat, `
			{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"id1","function":{"name":"get_weather"}}]}}]}
			{"choices":[{"index":0,
				"delta":{"tool_calls":[{"index":0,"id":"tool-2","function":{"arguments":"{\"city\":"}}]}}]}
			{"choices":[{"index":0,
				"delta":{"tool_calls":[{"index":0,"id":"tool-3","function":{"name":"","arguments":" \"Paris\"}"}}]}}]}
			{"choices":[{"index":0,"delta":{"tool_calls":[{"index":1,"id":"id2","function":{"name":"now"}}]}}]}
			{"choices":[{"index":0,"delta":{"tool_calls":[{"index":1,"id":"tool-5","function":{"arguments":"{}"}}]}}]}`,
			two},
		{"one index again and again", tool.OpenAIChat, `
			{"choices":[{"index":0,
				"delta":{"tool_calls":[{"index":0,"id":"id2","function":{"name":"now","arguments":"{"}}]}}]}
			{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"}"}}]}}]}
			{"choices":[{"index":0,
				"delta":{"tool_calls":[{"index":0,"id":"id1","function":{"name":"get_weather","arguments":""}}]}}]}
			{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"city\":"}}]}}]}
			{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":" \"Paris\"}"}}]}}]}`,
			[]tool.Call{two[1], two[0]}},
		{"neither ids nor indexes", tool.OpenAIChat, `
			{"choices":[{"delta":{"tool_calls":[{"function":{"name":"a","arguments":"{\"x\":1}"}},
				{"function":{"name":"b","arguments":"{\"y\":2}"}}]}}]}
			{"choices":[{"delta":{"tool_calls":[{"function":{"name":"b","arguments":"{\"y\":"}}]}}]}
			{"choices":[{"delta":{"tool_calls":[{"function":{"name":"b","arguments":"{}}\n"}}]}}]}
			{"choices":[{"delta":{"tool_calls":[{"function":{"name":"b","arguments":""}}]}}]}
			{"choices":[{"delta":{"tool_calls":[{"function":{"name":"b","arguments":{"z": 3}}}]}}]}
			{"choices":[{"delta":{"tool_calls":[{"function":{"name":"b","arguments":{}}}]}}]}`,
			[]tool.Call{call("", "a", `{"x":1}`), call("", "b", `{"y":2}`), call("", "b", "{\"y\":{}}\n"), call("",
				"b", `{"z": 3}`), call("", "b", `{}`)}},
		{"one index and no ids", tool.OpenAIChat, `
			{"choices":[{"index":0,
				"delta":{"tool_calls":[{"index":0,"function":{"name":"a","arguments":"{\"x\":1}"}}]}}]}
			{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"name":"b","arguments":""}}]}}]}
			{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"y\":2}"}}]}}]}`,
			[]tool.Call{call("", "a", `{"x":1}`), call("", "b", `{"y":2}`)}},
		{"ids in the place of indexes", tool.OpenAIChat, `
			{"choices":[{"delta":{"tool_calls":[{"id":"id1",
				"function":{"name":"get_weather","arguments":"{\"city\":"}}]}}]}
			{"choices":[{"delta":{"tool_calls":[{"id":"id2","function":{"name":"now","arguments":"{"}}]}}]}
			{"choices":[{"delta":{"tool_calls":[{"id":"id1","function":{"arguments":" \"Paris\"}"}}]}}]}
			{"choices":[{"delta":{"tool_calls":[{"id":"id2","function":{"arguments":"}"}}]}}]}`, two},
		{"no index", tool.OpenAIChat, `
			{"choices":[{"delta":{"tool_calls":[{"id":"id1",
				"function":{"name":"get_weather","arguments":"{\"city\":"}}]}}]}
			{"choices":[{"delta":{"tool_calls":[{"id":"id1",
				"function":{"name":"get_weather","arguments":" \"Paris\"}"}}]}}]}
			{"choices":[{"delta":{"tool_calls":[{"id":"id2","function":{"name":"now","arguments":{}}}]}}]}`, two},
		{"the name later", tool.OpenAIChat, `
			{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"id2","function":{"arguments":""}}]}}]}
			{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"name":"now","arguments":"{}"}}]}}]}`,
			two[1:]},
		{"the name later, under another index", tool.OpenAIChat, `
			{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"id2","type":"function"}]}}]}
			{"choices":[{"index":0,"delta":{"tool_calls":[{"index":1,"function":{"name":"now","arguments":"{}"}}]}}]}`,
			two[1:]},
		{"another index behind a call that is complete", tool.OpenAIChat, `
			{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"id2",
				"type":"function","function":{"name":"now","arguments":"{}"}}]}}]}
			{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"id1",
				"type":"function","function":{"name":"get_weather","arguments":"{\"city\""}}]}}]}
			{"choices":[{"index":0,"delta":{"tool_calls":[{"index":1,"function":{"arguments":": \"Paris"}}]}}]}
			{"choices":[{"index":0,"delta":{"tool_calls":[{"index":2,"function":{"arguments":"\"}"}}]}}]}
			{"choices":[{"index":0,"delta":{"tool_calls":[{"index":3,"function":{"arguments":"\n"}}]}}]}`,
			[]tool.Call{two[1], two[0]}},
		{"indexes that are null, or left out later", tool.OpenAIChat, `
			{"choices":[{"index":0,
				"delta":{"tool_calls":[{"index":0,"id":"id1","function":{"name":"get_weather","arguments":""}}]}}]}
			{"choices":[{"index":0,
				"delta":{"tool_calls":[{"index":null,"id":null,"function":{"name":null,"arguments":"{\"city\":"}}]}}]}
			{"choices":[{"index":0,
				"delta":{"tool_calls":[{"id":"","function":{"name":"","arguments":" \"Paris\"}"}}]}}]}
			{"choices":[{"index":0,
				"delta":{"tool_calls":[{"index":null,"id":"id2","function":{"name":"now","arguments":"{"}}]}}]}
			{"choices":[{"index":0,"delta":{"tool_calls":[{"function":{"arguments":"}"}}]}}]}`, two},
		{"the index of a call that is complete", tool.OpenAIChat, `
			{"choices":[{"index":0,
				"delta":{"tool_calls":[{"index":0,"id":"id2","function":{"name":"now","arguments":"{}"}}]}}]}
			{"choices":[{"index":0,"delta":{"tool_calls":[{"index":1,"id":"id1",
				"function":{"name":"get_weather","arguments":"{\"city\":"}}]}}]}
			{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"\n"}}]}}]}
			{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":" \"Paris\"}"}}]}}]}`,
			[]tool.Call{call("id2", "now", "{}\n"), two[0]}},
		{"an id under another index", tool.OpenAIChat, `
			{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"id1",
				"function":{"name":"get_weather","arguments":"{\"city\":"}}]}}]}
			{"choices":[{"index":0,"delta":{"tool_calls":[{"index":1,"id":"id1","function":{"arguments":" \"Par"}}]}}]}
			{"choices":[{"index":0,"delta":{"tool_calls":[{"index":1,"function":{"arguments":"is\"}"}}]}}]}
			{"choices":[{"index":0,
				"delta":{"tool_calls":[{"index":1,"id":"id2","function":{"name":"now","arguments":"{}"}}]}}]}`, two},
		{"the whole call once more", tool.OpenAIChat, `
			{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"id1",
				"function":{"name":"get_weather","arguments":"{\"city\":"}}]}}]}
			{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":" \"Paris\"}"}}]}}]}
			{"choices":[{"index":0,
				"delta":{"tool_calls":[{"index":1,"id":"id2","function":{"name":"now","arguments":"{}"}}]}}]}
			{"choices":[{"index":0,
				"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"city\": \"Paris\"}"}}]}}]}
			{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"id1","function":{"name":"get_weather",
				"arguments":"{\"city\": \"P\u0061ris\"}"}},{"index":4,"id":"id2","function":{"name":"now",
				"arguments":"{}"}},{"index":0,"function":{"name":"get_weather","arguments":"{\"city\": \"Paris\"}"}}]},
				"finish_reason":"tool_calls"}]}`, two},
		{"the whole message at the end", tool.OpenAIChat, `
			{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"id1",
				"function":{"name":"get_weather","arguments":"{\"city\": \"Paris\"}"}}]}}]}
			{"choices":[{"index":0,"message":{"role":"assistant","tool_calls":[{"id":"id1",
				"function":{"name":"get_weather"}},{"id":"id2","function":{"name":"now","arguments":"{}"}}]},
				"finish_reason":"tool_calls"}]}`, two},
		{"one id for two calls", tool.OpenAIChat, `
			{"choices":[{"index":0,
				"delta":{"tool_calls":[{"index":0,"id":"id","function":{"name":"a","arguments":"{}"}}]}}]}
			{"choices":[{"index":0,
				"delta":{"tool_calls":[{"index":0,"id":"id","function":{"name":"b","arguments":"{}"}}]}}]}
			{"choices":[{"index":0,
				"delta":{"tool_calls":[{"index":0,"id":"id","function":{"name":"b","arguments":"{\"x\":"}}]}}]}
			{"choices":[{"index":0,
				"delta":{"tool_calls":[{"index":0,"id":"id","function":{"name":"b","arguments":"1}"}}]}}]}`,
			[]tool.Call{call("id", "a", `{}`), call("id", "b", `{}`), call("id", "b", `{"x":1}`)}},
		{"another choice", tool.OpenAIChat, `
			{"choices":[{"index":1,
				"delta":{"tool_calls":[{"index":0,"id":"x","function":{"name":"x","arguments":"{}"}}]}}]}
			{"choices":[{"index":1,"delta":{}},{"index":0,
				"delta":{"tool_calls":[{"index":0,"id":"id2","function":{"name":"now","arguments":"{}"}}]}}]}`,
			two[1:]},
		{"a custom tool", tool.OpenAIChat, `
			{"choices":[{"index":0,
				"delta":{"tool_calls":[{"index":0,"id":"x","type":"custom","custom":{"name":"x","input":""}}]}}]}
			{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"custom":{"input":"abc"}}]}}]}`, nil},
		{"a function_call", tool.OpenAIChat, `
			{"choices":[{"index":0,"delta":{"role":"assistant","function_call":{"name":"get_weather","arguments":""}}}]}
			{"choices":[{"index":0,"delta":{"function_call":{"arguments":"{\"city\": \"Paris\"}"}}}]}`,
			[]tool.Call{call("", "get_weather", `{"city": "Paris"}`)}},

		{"as documented", tool.OpenAIResponses, `
			{"type":"response.created","response":{"id":"r","output":[]}}
			{"type":"response.output_item.added","output_index":0,"item":{"type":"reasoning","id":"rs"}}
			{"type":"response.output_item.added","output_index":1,"item":{"type":"function_call",
				"id":"fc_1","call_id":"id1","name":"get_weather","arguments":"","status":"in_progress"}}
			{"type":"response.function_call_arguments.delta","item_id":"fc_1","output_index":1,"delta":"{\"city\":"}
			{"type":"response.output_item.added","output_index":2,
				"item":{"type":"function_call","id":"fc_2","call_id":"id2","name":"now","arguments":""}}
			{"type":"response.function_call_arguments.delta","item_id":"fc_2","output_index":2,"delta":"{}"}
			{"type":"response.function_call_arguments.delta","item_id":"fc_1","output_index":1,"delta":" \"Paris\"}"}
			{"type":"response.function_call_arguments.done","item_id":"fc_2","output_index":2,"arguments":"{}"}
			{"type":"response.output_item.done","output_index":1,"item":{"type":"function_call",
				"id":"fc_1","call_id":"id1","name":"get_weather","arguments":"{\"city\": \"Paris\"}"}}
			{"type":"response.mcp_call_arguments.delta","output_index":3,"delta":"{"}
			{"type":"response.completed","response":{"id":"r","output":[]}}`, two},
		{"indexes that no item has", tool.OpenAIResponses, `
			{"type":"response.output_item.added","output_index":0,
				"item":{"type":"function_call","call_id":"id1","name":"get_weather","arguments":""}}
			{"type":"response.function_call_arguments.delta","delta":"{\"city\":"}
			{"type":"response.function_call_arguments.delta","output_index":1,"delta":" \"Paris\"}"}
			{"type":"response.output_item.done","output_index":1,"item":{"type":"function_call",
				"call_id":"id1","name":"get_weather","arguments":"{\"city\": \"Paris\"}"}}
			{"type":"response.output_item.added","output_index":2,
				"item":{"type":"function_call","call_id":"id2","name":"now","arguments":""}}
			{"type":"response.function_call_arguments.done","output_index":3,"arguments":"{}"}`, two},
		{"without deltas", tool.OpenAIResponses, `
			{"type":"response.output_item.done","output_index":0,"item":{"type":"function_call",
				"call_id":"id1","name":"get_weather","arguments":"{\"city\": \"Paris\"}"}}
			{"type":"response.output_item.done","output_index":1,
				"item":{"type":"function_call","call_id":"id2","name":"now","arguments":"{}"}}`, two},
		{"an end without the arguments", tool.OpenAIResponses, `
			{"type":"response.output_item.added","output_index":0,
				"item":{"type":"function_call","call_id":"id1","name":"get_weather","arguments":""}}
			{"type":"response.function_call_arguments.delta","output_index":0,"delta":"{\"city\": \"Paris\"}"}
			{"type":"response.function_call_arguments.done","output_index":0,"arguments":""}
			{"type":"response.output_item.done","output_index":0,
				"item":{"type":"function_call","call_id":"id1","name":"get_weather","arguments":""}}
			{"type":"response.output_item.added","output_index":1,
				"item":{"type":"function_call","call_id":"id2","name":"now","arguments":""}}
			{"type":"response.function_call_arguments.done","output_index":1,"arguments":"{}"}`, two},
		{"an end of all without the arguments", tool.OpenAIResponses, `
			{"type":"response.output_item.added","output_index":0,
				"item":{"type":"function_call","call_id":"id1","name":"get_weather","arguments":""}}
			{"type":"response.function_call_arguments.delta","output_index":0,"delta":"{\"city\": \"Paris\"}"}
			{"type":"response.completed",
				"response":{"output":[{"type":"function_call","call_id":"id1","name":"get_weather","arguments":""},
				{"type":"function_call","call_id":"id2","name":"now","arguments":"{}"}]}}`, two},
		{"an end of all without the arguments, and with one id", tool.OpenAIResponses, `
			{"type":"response.output_item.added","output_index":0,
				"item":{"type":"function_call","call_id":"id","name":"a","arguments":""}}
			{"type":"response.function_call_arguments.delta","output_index":0,"delta":"{\"x\": 1}"}
			{"type":"response.output_item.added","output_index":1,
				"item":{"type":"function_call","call_id":"id","name":"b","arguments":""}}
			{"type":"response.function_call_arguments.delta","output_index":1,"delta":"{\"y\": 2}"}
			{"type":"response.completed","response":{"output":[{"type":"function_call","call_id":"id",
				"name":"a","arguments":""},{"type":"function_call","call_id":"id","name":"b","arguments":""}]}}`,
			[]tool.Call{call("id", "a", `{"x": 1}`), call("id", "b", `{"y": 2}`)}},
		{"ids at the end", tool.OpenAIResponses, `
			{"type":"response.output_item.added","output_index":0,
				"item":{"type":"function_call","id":"fc_1","name":"get_weather","arguments":""}}
			{"type":"response.function_call_arguments.delta","output_index":0,"delta":"{\"city\":"}
			{"type":"response.output_item.done","output_index":0,"item":{"type":"function_call",
				"call_id":"id1","name":"get_weather","arguments":"{\"city\": \"Paris\"}"}}
			{"type":"response.output_item.done","output_index":0,"item":{"type":"function_call",
				"call_id":"id1","name":"get_weather","arguments":"{\"city\": \"Paris\"}"}}
			{"type":"response.output_item.added","output_index":1,
				"item":{"type":"function_call","call_id":"id2","name":"now","arguments":""}}
			{"type":"response.output_item.done","output_index":1,
				"item":{"type":"function_call","name":"now","arguments":"{}"}}`, two},
		{"an error that is none", tool.OpenAIChat, `
			{"error":{},"choices":[{"index":0,
				"delta":{"tool_calls":[{"index":0,"id":"id2","function":{"name":"now","arguments":"{}"}}]}}]}`,
			two[1:]},
		{"the end alone", tool.OpenAIResponses, `
			{"type":"response.completed","response":{"output":[{"type":"function_call",
				"call_id":"id1","name":"get_weather","arguments":"{\"city\": \"Paris\"}"},
				{"type":"function_call","call_id":"id2","name":"now","arguments":"{}"}]}}`, two},

		{"as documented", tool.Gemini, `
			{"candidates":[{"content":{"parts":[{"text":"I look."}],"role":"model"}}],"usageMetadata":{}}
			{"candidates":[{"content":{"parts":[{"functionCall":{"id":"id1",
				"name":"get_weather","args":{"city": "Paris"}}}],"role":"model"}}]}
			{"candidates":[{"content":{"parts":[{"functionCall":{"id":"id2","name":"now","args":{}}}],"role":"model"},
				"finishReason":"STOP"}]}
			{"usageMetadata":{"totalTokenCount":3}}`, two},

		{"as an SDK has it", tool.Bedrock, `
			{"messageStart":{"role":"assistant"}}
			{"contentBlockDelta":{"contentBlockIndex":0,"delta":{"text":"I look."}}}
			{"contentBlockStart":{"contentBlockIndex":1,"start":{"toolUse":{"toolUseId":"id1","name":"get_weather"}}}}
			{"contentBlockDelta":{"contentBlockIndex":1,"delta":{"toolUse":{"input":"{\"city\":"}}}}
			{"contentBlockStart":{"contentBlockIndex":2,"start":{"toolUse":{"toolUseId":"id2","name":"now"}}}}
			{"contentBlockDelta":{"contentBlockIndex":1,"delta":{"toolUse":{"input":" \"Paris\"}"}}}}
			{"contentBlockDelta":{"contentBlockIndex":2,"delta":{"toolUse":{"input":""}}}}
			{"contentBlockStop":{"contentBlockIndex":1}}
			{"messageStop":{"stopReason":"tool_use"}}
			{"metadata":{"usage":{}}}`, two},
		{"as it is sent", tool.Bedrock, `
			{"p":"abc","role":"assistant"}
			{"contentBlockIndex":0,"start":{"toolUse":{"toolUseId":"id1","name":"get_weather"}},"p":"abcd"}
			{"contentBlockIndex":0,"delta":{"toolUse":{"input":"{\"city\": \"Paris\"}"}},"p":"ab"}
			{"contentBlockIndex":0,"p":"a"}
			{"contentBlockIndex":1,"start":{"toolUse":{"toolUseId":"id2","name":"now"}}}
			{"stopReason":"tool_use"}`, two},

		{"messages", tool.MCP, `
			{"jsonrpc":"2.0","method":"notifications/progress","params":{}}
			{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"now","arguments":{}}}`,
			[]tool.Call{call("", "now", "{}")}},
	} {
		t.Run(string(test.api)+" "+test.name, func(t *testing.T) {
			calls := stream(t, test.api, eventsOf(test.events)...)
			for i, c := range calls {
				if i < len(test.want) && test.want[i].ID == "" && strings.HasPrefix(c.ID, "call_") {
					calls[i].ID = "" // TestCallsWithoutIDs looks at them
				}
			}
			require.Equal(t, test.want, calls)
		})
	}
}

// deltas are events for a call whose arguments arrive in pieces, as JSON strings.
var deltas = map[tool.API]struct{ start, delta string }{
	tool.Anthropic: {
		`{"type":"content_block_start","index":%d,
			"content_block":{"type":"tool_use","id":"id%[1]d","name":"echo","input":{}}}`,
		`{"type":"content_block_delta","index":%d,"delta":{"type":"input_json_delta","partial_json":%s}}`,
	},
	tool.OpenAIChat: {
		`{"choices":[{"index":0,"delta":{"tool_calls":[{"index":%d,"id":"id%[1]d",
			"type":"function","function":{"name":"echo","arguments":""}}]}}]}`,
		`{"choices":[{"index":0,"delta":{"tool_calls":[{"index":%d,"function":{"arguments":%s}}]}}]}`,
	},
	tool.OpenAIResponses: {
		`{"type":"response.output_item.added","output_index":%d,
			"item":{"type":"function_call","call_id":"id%[1]d","name":"echo","arguments":""}}`,
		`{"type":"response.function_call_arguments.delta","output_index":%d,"delta":%s}`,
	},
	tool.Bedrock: {
		`{"contentBlockStart":{"contentBlockIndex":%d,"start":{"toolUse":{"toolUseId":"id%[1]d","name":"echo"}}}}`,
		`{"contentBlockDelta":{"contentBlockIndex":%d,"delta":{"toolUse":{"input":%s}}}}`,
	},
}

// quote16 returns a JSON string of UTF-16 code units, which may include unpaired surrogates.
func quote16(units []uint16) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, u := range units {
		fmt.Fprintf(&b, `\u%04x`, u)
	}
	b.WriteByte('"')
	return b.String()
}

func TestStreamSplitAnywhere(t *testing.T) {
	const input = `{"a": "smile 😀 é \" \\ \ud83d\ude00", "n": 9007199254740993}`
	units := utf16.Encode([]rune(input))
	for api, events := range deltas {
		for i := range units {
			calls := stream(t, api, fmt.Sprintf(events.start, 0), fmt.Sprintf(events.start, 1),
				fmt.Sprintf(events.delta, 0, quote16(units[:i])),
				fmt.Sprintf(events.delta, 1, strconv.Quote("{}")),
				fmt.Sprintf(events.delta, 0, quote16(units[i:])))
			require.Equal(t, []tool.Call{call("id0", "echo", input), call("id1", "echo", "{}")}, calls,
				"%s, split at %d", api, i)
		}
		each := []string{fmt.Sprintf(events.start, 0)}
		for i := range units {
			each = append(each, fmt.Sprintf(events.delta, 0, quote16(units[i:i+1])))
		}
		require.Equal(t, []tool.Call{call("id0", "echo", input)}, stream(t, api, each...))
	}
}

// TestStreamThatEndsEarly has streams that end in a call, without an event that says so.
func TestStreamThatEndsEarly(t *testing.T) {
	r := newRegistry(t, plainTool("echo", `{"type":"object"}`))
	for api, events := range deltas {
		for _, arguments := range []string{``, `"{\"a\": [1,"`, `"{\"a\": \"1"`} {
			list := []string{fmt.Sprintf(events.start, 0), fmt.Sprintf(events.delta, 0, `"{\"a\": 1}"`),
				fmt.Sprintf(events.start, 1)}
			if arguments != "" {
				list = append(list, fmt.Sprintf(events.delta, 1, arguments))
			}
			calls := stream(t, api, list...)
			require.Len(t, calls, 2)
			results := r.DispatchAll(t.Context(), calls, registry.Env{})
			require.Empty(t, results[0].Code, "%s: %s", api, results[0].Text())
			require.Equal(t, tool.CodeInvalidInput, results[1].Code)
			require.Equal(t, "This call was not run, because your answer ended before the call was complete. "+
				"Make it again, and write a long content in several smaller parts.", results[1].Text())
		}
	}
}

func TestStreamErrors(t *testing.T) {
	for api, event := range map[tool.API]string{
		tool.Anthropic:  `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`,
		tool.OpenAIChat: `{"error":{"message":"Overloaded","type":"server_error"}}`,
		tool.OpenAIResponses: `{"type":"response.failed",` +
			`"response":{"error":{"code":"server_error","message":"Overloaded"}}}`,
		tool.Gemini:  `{"error":{"code":503,"message":"Overloaded"}}`,
		tool.Bedrock: `{"throttlingException":{"message":"Overloaded"}}`,
	} {
		s, err := provider.NewStream(api)
		require.NoError(t, err)
		require.ErrorContains(t, s.Add([]byte(event)), "Overloaded")
		require.ErrorContains(t, s.Add([]byte(`{"type":`)), "not JSON")
		require.NoError(t, s.Add(nil))
		require.NoError(t, s.Add([]byte(" [DONE]\n")))
		calls, err := s.Calls()
		require.NoError(t, err)
		require.Empty(t, calls)
	}
	s, err := provider.NewStream(tool.OpenAIResponses)
	require.NoError(t, err)
	require.ErrorContains(t, s.Add([]byte(`{"type":"error","code":"x","message":"Overloaded"}`)), "x: Overloaded")
	s, err = provider.NewStream(tool.Gemini)
	require.NoError(t, err)
	require.ErrorContains(t, s.Add(
		[]byte(`{"candidates":[{"content":{"parts":[{"functionCall":{"name":"x","willContinue":true}}]}}]}`)),
		"bit by bit")
}

func TestStreamIsLimited(t *testing.T) {
	for api, events := range deltas {
		s, err := provider.NewStream(api)
		require.NoError(t, err)
		for i := range 1000 {
			require.NoError(t, s.Add(fmt.Appendf(nil, events.start, i)))
		}
		require.ErrorContains(t, s.Add(fmt.Appendf(nil, events.start, 1000)), "more than 1000 calls")
		calls, err := s.Calls()
		require.NoError(t, err)
		require.Len(t, calls, 1000)
	}
}
